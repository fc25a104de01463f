/// Points of bodies, their velocities, and forces on them, from the definition.
#include "tests/rig.h"

// ------------------------------------------------------------------------------ points of bodies

static unsigned long long seed = 11;

/// Uniform in -1 ... 1.
static double uniform(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(long long)(seed >> 11) / 4503599627370496.0 - 1.0;
}

static void randomize(double *x, int n)
{
    for (int i = 0; i < n; i++) {
        x[i] = uniform();
    }
}

static const char planar_set[] =
    "{\"dimension\": 2, \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"shape\": {\"type\": "
    "\"point\"},"
    " \"position\": [0, 0]}, {\"name\": \"b\", \"mass\": 2, \"inertia\": 3, \"position\": [1, 0]},"
    " {\"name\": \"c\", \"mass\": 2, \"inertia\": 5, \"position\": [2, 0]}]}";

static const char spatial_set[] =
    "{\"dimension\": 3, \"bodies\": [{\"name\": \"b\", \"mass\": 2, \"inertia\": [3, 4, 5],"
    " \"position\": [1, 0, 0]}, {\"name\": \"a\", \"mass\": 1, \"shape\": {\"type\": \"point\"},"
    " \"position\": [0, 0, 0]}, {\"name\": \"c\", \"mass\": 2, \"inertia\": [3, 4, 5],"
    " \"position\": [2, 0, 0]}]}";

/// x = p + R(angle) l, u = p' + rate (-r_y, r_x).
static void planar_point(const double *q, const double *v, int turns, const double l[3],
                         double x[3], double u[3])
{
    const double c = turns ? cos(q[2]) : 1.0, s = turns ? sin(q[2]) : 0.0;
    const double r[2] = {c * l[0] - s * l[1], s * l[0] + c * l[1]};
    const double rate = turns ? v[2] : 0.0;
    x[0] = q[0] + r[0];
    x[1] = q[1] + r[1];
    u[0] = v[0] - rate * r[1];
    u[1] = v[1] + rate * r[0];
    x[2] = u[2] = 0.0;
}

/// a x b + c
static void cross_plus(const double a[3], const double b[3], const double c[3], double out[3])
{
    const double x[3] = {a[1] * b[2] - a[2] * b[1] + c[0], a[2] * b[0] - a[0] * b[2] + c[1],
                         a[0] * b[1] - a[1] * b[0] + c[2]};
    memcpy(out, x, sizeof x);
}

/// l turned by the quaternion (w, n): l + 2 n x (n x l + w l).
static void turned(const double *e, const double l[3], double out[3])
{
    const double n[3] = {e[1], e[2], e[3]};
    const double wl[3] = {e[0] * l[0], e[0] * l[1], e[0] * l[2]}, zero[3] = {0, 0, 0};
    double inner[3];
    cross_plus(n, l, wl, inner);
    cross_plus(n, inner, zero, inner);
    for (int i = 0; i < 3; i++) {
        out[i] = l[i] + 2.0 * inner[i];
    }
}

/// x = p + R l, u = p' + R (omega x l).
static void spatial_point(const double *q, const double *v, int turns, const double l[3],
                          double x[3], double u[3])
{
    const double zero[3] = {0, 0, 0};
    double r[3] = {l[0], l[1], l[2]}, w[3] = {0, 0, 0};
    if (turns) {
        cross_plus(v + 3, l, zero, w);
        turned(q + 3, l, r);
        turned(q + 3, w, w);
    }
    for (int i = 0; i < 3; i++) {
        x[i] = q[i] + r[i];
        u[i] = v[i] + w[i];
    }
}

/// A random state of all bodies, quaternions of unit length.
static void random_state(const trm_model *model, double *q, double *v)
{
    const trm_sizes n = trm_model_sizes(model);
    randomize(q, n.nq);
    randomize(v, n.nv);
    for (int b = 0; b < n.nbody; b++) {
        const trm_body_info info = trm_model_body_info(model, b);
        double norm = 0;
        for (int i = 3; i < info.nq; i++) {
            norm += q[info.q0 + i] * q[info.q0 + i];
        }
        for (int i = 3; i < info.nq; i++) {
            q[info.q0 + i] /= sqrt(norm);
        }
    }
}

static void check_body(const trm_model *model, int body, const double *q, const double *v)
{
    const trm_body_info info = trm_model_body_info(model, body);
    const int spatial =
        info.nq == 7 || (info.nq == 3 && info.nv == 3 && strcmp(info.name, "a") == 0 &&
                         trm_model_sizes(model).nq > 10);
    const int turns = strcmp(info.name, "a") != 0;
    double l[3], x[3], u[3], expected_x[3], expected_u[3];
    randomize(l, 3);
    (spatial ? spatial_point : planar_point)(q + info.q0, v + info.v0, turns, l, expected_x,
                                             expected_u);
    trm_model_point(model, body, l, q, v, x, u);
    for (int i = 0; i < 3; i++) {
        near("x", x[i], expected_x[i], 1e-14);
        near("u", u[i], expected_u[i], 1e-14);
    }
    // v or u may be absent
    double again[3];
    trm_model_point(model, body, l, q, NULL, again, NULL);
    assert_memory_equal(x, again, sizeof x);
    trm_model_point(model, body, l, q, v, again, NULL);
    assert_memory_equal(x, again, sizeof x);
    // virtual power: f . v = F . u, and nothing on the other bodies
    double f[32] = {0}, F[3] = {uniform(), uniform(), spatial ? uniform() : 0.0}, power = 0;
    trm_model_push(model, body, l, F, q, f);
    for (int i = 0; i < trm_model_sizes(model).nv; i++) {
        const int own = i >= info.v0 && i < info.v0 + info.nv;
        power += f[i] * v[i];
        assert_true(own || f[i] == 0.0);
    }
    near("power", power, F[0] * u[0] + F[1] * u[1] + F[2] * u[2], 1e-14);
    // it adds
    trm_model_push(model, body, l, F, q, f);
    double twice = 0;
    for (int i = 0; i < trm_model_sizes(model).nv; i++) {
        twice += f[i] * v[i];
    }
    near("twice the power", twice, 2.0 * power, 1e-14);
}

CLAIM(points_and_pushes_follow_the_definition)
{
    const char *const sets[] = {planar_set, spatial_set};

    for (int k = 0; k < 2; k++) {
        rig r = rig_parse(sets[k]);
        double q[32], v[32];
        for (int i = 0; i < 20; i++) {
            random_state(r.model, q, v);
            for (int b = 0; b < 3; b++) {
                check_body(r.model, b, q, v);
            }
        }
        rig_close(&r);
    }
}

/// Body -1 is the ground: points stay where they are, forces move nothing.
CLAIM(the_ground_stays_where_it_is)
{
    const char *const sets[] = {planar_set, spatial_set};

    for (int k = 0; k < 2; k++) {
        rig r = rig_parse(sets[k]);
        double q[32], v[32], f[32] = {0}, x[3], u[3] = {1, 1, 1};
        const double l[3] = {0.25, -3.0, k ? 7.0 : 0.0}, F[3] = {1, 2, 3};
        random_state(r.model, q, v);
        assert_int_equal(trm_model_find(r.model, TRM_ELEMENT_BODY, "ground"), -1);
        trm_model_point(r.model, -1, l, q, v, x, u);
        for (int i = 0; i < 3; i++) {
            assert_true(x[i] == l[i] && u[i] == 0.0);
        }
        trm_model_push(r.model, -1, l, F, q, f);
        for (int i = 0; i < 32; i++) {
            assert_true(f[i] == 0.0);
        }
        rig_close(&r);
    }
}
