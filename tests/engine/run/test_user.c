// What users bring themselves: forces and constraints by functions, models from equations; and what
// they get: points of bodies, motors, the energy balance.

#include "tests/rig.h"
#include "tools/paper/problems/problems_arm.h"
#include "tools/paper/problems/problems_crank.h"

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

static void points_and_pushes_follow_the_definition(void **state)
{
    (void)state;
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
static void the_ground_stays_where_it_is(void **state)
{
    (void)state;
    const char *const sets[] = {planar_set, spatial_set};

    for (int k = 0; k < 2; k++) {
        rig r = rig_parse(sets[k]);
        double q[32], v[32], f[32] = {0}, x[3], u[3] = {1, 1, 1};
        const double l[3] = {0.25, -3.0, k ? 7.0 : 0.0}, F[3] = {1, 2, 3};
        random_state(r.model, q, v);
        assert_int_equal(trm_model_body(r.model, "ground"), -1);
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

// -------------------------------------------------------------------------------- user constraints

#define PENDULUM(more)                                                                             \
    "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [{\"name\": \"bob\", \"mass\": 2,"    \
    " \"inertia\": 0.3, \"position\": [1, 0], \"angle\": 0.2, \"rate\": 0.7}], \"markers\": "      \
    "[{\"name\": \"pin\", \"body\": \"bob\", \"on\": [0.1, 0.3]}]" more "}"

static const char free_bob[] = PENDULUM("");

/// The pin's distance from the origin.
typedef struct rod {
    double length;
    double swing; ///< m: the length is length + swing sin(3 t)
    int asked;    ///< calls of gamma
} rod;

static const double pin[3] = {0.1, 0.3, 0.0};

static double rod_length(const rod *d, double t)
{
    return d->length + d->swing * sin(3.0 * t);
}

static int rod_g(const trm_model *model, double t, const double *q, double *out, void *user)
{
    double x[3];
    const double L = rod_length(user, t);
    trm_model_point(model, 0, pin, q, NULL, x, NULL);
    out[0] = (x[0] * x[0] + x[1] * x[1] - L * L) / 2.0;
    return 0;
}

/// G = x^T dx/dv, which is what a push with F = x gives.
static int rod_G(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)t, (void)user;
    double x[3];
    memset(out, 0, 3 * sizeof *out);
    trm_model_point(model, 0, pin, q, NULL, x, NULL);
    trm_model_push(model, 0, pin, x, q, out);
    return 0;
}

static int rod_g_t(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)model, (void)q;
    const rod *d = user;
    out[0] = -rod_length(d, t) * 3.0 * d->swing * cos(3.0 * t);
    return 0;
}

/// g'' = u.u + x.x'' - L'^2 - L L'';  free of v': x.x'' = -rate^2 x.r
static int rod_gamma(const trm_model *model, double t, const double *q, const double *v,
                     double *out, void *user)
{
    rod *d = user;
    double x[3], u[3];
    d->asked++;
    trm_model_point(model, 0, pin, q, v, x, u);
    const double r[2] = {x[0] - q[0], x[1] - q[1]};
    const double L1 = 3.0 * d->swing * cos(3.0 * t), L2 = -9.0 * d->swing * sin(3.0 * t);
    out[0] = -(u[0] * u[0] + u[1] * u[1] - v[2] * v[2] * (x[0] * r[0] + x[1] * r[1]) - L1 * L1 -
               rod_length(d, t) * L2);
    return 0;
}

/// A free bob with user rows, or with what stands in `json`.
static rig open_with(const char *json, const trm_constraint_def *rows, const trm_force_def *force)
{
    trm_error err = {.status = TRM_OK};
    rig r = {NULL, NULL, NULL};
    rig_ok(trm_scene_parse(json, strlen(json), &r.scene, &err), &err);
    if (rows) {
        rig_ok(trm_scene_add_constraint(r.scene, rows, &err), &err);
    }
    if (force) {
        rig_ok(trm_scene_add_force(r.scene, force, &err), &err);
    }
    rig_ok(trm_model_build(r.scene, &r.model, &err), &err);
    return r;
}

static void check_bob(rig *a, rig *b, double t_end, double tolerance)
{
    trm_options options = rig_adaptive(TRM_DOP853, TRM_S_BOTH2, 1e-11, 1e-11);
    options.assemble = 1;
    rig_start(a, options);
    rig_start(b, options);
    for (int k = 1; k <= 4; k++) {
        rig_run(a, t_end * k / 4.0);
        rig_run(b, t_end * k / 4.0);
        for (int i = 0; i < 3; i++) {
            near("q", rig_q(a, "bob", i), rig_q(b, "bob", i), tolerance);
            near("v", rig_v(a, "bob", i), rig_v(b, "bob", i), 10.0 * tolerance);
        }
    }
    below("energy error", trm_sim_report(a->sim).energy_error_relative, 1e-8);
}

static void a_rod_by_functions_is_the_rod_joint(void **state)
{
    (void)state;
    const char joint[] =
        PENDULUM(", \"joints\": [{\"name\": \"rod\", \"type\": \"rod\", \"bodies\": [\"ground\", "
                 "\"bob\"], \"on\": {\"ground\": [0, 0], \"bob\": [0.1, 0.3]}, \"length\": 1.2}]");
    const double L = 1.2;

    for (int with_gamma = 0; with_gamma < 2; with_gamma++) {
        rod d = {.length = L};
        const trm_constraint_def def = {.name = "rod by functions",
                                        .rows = 1,
                                        .g = rod_g,
                                        .G = rod_G,
                                        .gamma = with_gamma ? rod_gamma : NULL,
                                        .user = &d};
        rig a = open_with(free_bob, &def, NULL), b = open_with(joint, NULL, NULL);
        check_bob(&a, &b, 3.0, 1e-8);
        assert_int_equal(d.asked > 0, with_gamma);
        // g here is L times the joint's: lambda is its L-th part
        near("lambda", trm_sim_state(a.sim).lambda[0] * L, trm_sim_state(b.sim).lambda[0], 1e-5);
        assert_string_equal(trm_model_row_info(a.model, 0).name, "rod by functions");
        assert_string_equal(trm_model_row_info(a.model, 0).where, "");
        rig_close(&a);
        rig_close(&b);
    }
}

/// The rod of changing length, against the same row as an expression: g_t, and work done by the
/// drive.
static void rows_that_move_carry_g_t(void **state)
{
    (void)state;
    const char expression[] = PENDULUM(", \"constraints\": [{\"name\": \"rod\", \"expression\": "
                                       "\"(pin.x^2 + pin.y^2 - (1.2 + 0.2*sin(3*t))^2)/2\"}]");

    for (int with_gamma = 0; with_gamma < 2; with_gamma++) {
        rod d = {.length = 1.2, .swing = 0.2};
        const trm_constraint_def def = {.name = "winch",
                                        .rows = 1,
                                        .g = rod_g,
                                        .G = rod_G,
                                        .g_t = rod_g_t,
                                        .gamma = with_gamma ? rod_gamma : NULL,
                                        .user = &d};
        rig a = open_with(free_bob, &def, NULL), b = open_with(expression, NULL, NULL);
        check_bob(&a, &b, 3.0, 1e-8);
        assert_true(fabs(trm_sim_energy(a.sim).work) > 0.1);
        near("work", trm_sim_energy(a.sim).work, trm_sim_energy(b.sim).work, 1e-6);
        below("drift", trm_sim_report(a.sim).velocity_drift, 1e-9);
        rig_close(&a);
        rig_close(&b);
    }
}

/// Several rows at once over planar and spatial bodies: a pin by functions is a revolute joint's
/// point.
static int hook_g(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)t, (void)user;
    const double l[3] = {-0.5, 0.1, 0.2};
    trm_model_point(model, 0, l, q, NULL, out, NULL);
    return 0;
}

static int hook_G(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)t, (void)user;
    const double l[3] = {-0.5, 0.1, 0.2};
    const int nv = trm_model_sizes(model).nv;
    memset(out, 0, 3 * (size_t)nv * sizeof *out);
    for (int i = 0; i < 3; i++) {
        const double F[3] = {i == 0, i == 1, i == 2};
        trm_model_push(model, 0, l, F, q, out + i * nv);
    }
    return 0;
}

static void a_ball_joint_by_functions_is_the_spherical_joint(void **state)
{
    (void)state;
    const char body[] = "{\"dimension\": 3, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": "
                        "\"bob\", \"mass\": 2, \"inertia\": [0.1, 0.2, 0.25], \"position\": "
                        "[0.5, -0.1, -0.2], \"rate\": [1, 5, -2]}]";
    char bare[600], jointed[800];
    const trm_constraint_def def = {.name = "hook", .rows = 3, .g = hook_g, .G = hook_G};
    trm_options options = rig_adaptive(TRM_DOP853, TRM_S_BOTH2, 1e-11, 1e-11);

    snprintf(bare, sizeof bare, "%s}", body);
    snprintf(jointed, sizeof jointed,
             "%s, \"joints\": [{\"name\": \"j\", \"type\": \"spherical\", \"bodies\": [\"ground\", "
             "\"bob\"], \"at\": [0, 0, 0]}]}",
             body);
    rig a = open_with(bare, &def, NULL), b = open_with(jointed, NULL, NULL);
    options.assemble = 1;
    rig_start(&a, options);
    rig_start(&b, options);
    rig_run(&a, 2.0);
    rig_run(&b, 2.0);
    for (int i = 0; i < 7; i++) {
        near("q", rig_q(&a, "bob", i), rig_q(&b, "bob", i), 1e-8);
    }
    for (int i = 0; i < 3; i++) {
        near("lambda", trm_sim_state(a.sim).lambda[i], trm_sim_state(b.sim).lambda[i], 1e-5);
    }
    rig_close(&a);
    rig_close(&b);
}

static void definitions_that_lack_something_are_refused(void **state)
{
    (void)state;
    const trm_constraint_def good = {.name = "r", .rows = 1, .g = rod_g, .G = rod_G};
    trm_constraint_def bad[5] = {good, good, good, good, good};
    trm_force_def no_force = {.name = "f"}, no_name = {0};
    trm_scene *scene = NULL;
    trm_error err = {.status = TRM_OK};

    bad[0].name = NULL;
    bad[1].name = "";
    bad[2].rows = 0;
    bad[3].g = NULL;
    bad[4].G = NULL;
    rig_ok(trm_scene_parse(free_bob, sizeof free_bob - 1, &scene, &err), &err);
    for (int k = 0; k < 5; k++) {
        assert_int_equal(trm_scene_add_constraint(scene, &bad[k], &err), TRM_ERR_SCENE);
        assert_true(strlen(err.message) > 0);
    }
    assert_int_equal(trm_scene_add_force(scene, &no_force, &err), TRM_ERR_SCENE);
    assert_int_equal(trm_scene_add_force(scene, &no_name, &err), TRM_ERR_SCENE);
    rig_ok(trm_scene_add_constraint(scene, &good, &err), &err);
    assert_int_equal(trm_scene_add_constraint(scene, &good, &err), TRM_ERR_SCENE); // twice
    assert_non_null(strstr(err.message, "\"r\""));
    trm_scene_destroy(scene);
}

// ------------------------------------------------------------------------------------- user forces

/// Drag -c u at the pin, and a push that depends on t.
static int drag(const trm_model *model, double t, const double *q, const double *v, double *f,
                void *user)
{
    double x[3], u[3];
    const double c = *(const double *)user;
    trm_model_point(model, 0, pin, q, v, x, u);
    const double F[3] = {-c * u[0] + sin(2.0 * t), -c * u[1], 0.0};
    trm_model_push(model, 0, pin, F, q, f);
    return 0;
}

static void a_force_by_function_is_the_force_of_the_scene(void **state)
{
    (void)state;
    const char scene[] =
        PENDULUM(", \"forces\": [{\"name\": \"drag\", \"type\": \"force\", \"marker\": \"pin\", "
                 "\"value\": [\"-0.8*pin.vx + sin(2*t)\", \"-0.8*pin.vy\"]}]");
    double c = 0.8;
    rod d = {.length = 1.2};
    const trm_constraint_def rows = {
        .name = "rod", .rows = 1, .g = rod_g, .G = rod_G, .gamma = rod_gamma, .user = &d};
    const trm_force_def force = {.name = "drag", .force = drag, .user = &c};
    rig a = open_with(free_bob, &rows, &force), b = open_with(scene, &rows, NULL);

    check_bob(&a, &b, 3.0, 1e-8);
    assert_true(trm_sim_energy(a.sim).work < -0.1);
    near("work", trm_sim_energy(a.sim).work, trm_sim_energy(b.sim).work, 1e-7);
    rig_close(&a);
    rig_close(&b);
}

// ------------------------------------------------------------------------------------------ motors

#define CRANK(more)                                                                                \
    "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [{\"name\": \"arm\", \"mass\": 2,"    \
    " \"ends\": [[0, 0], [1, 0]]" more

/// phi = c(t), phi' = c', phi'' = c'' to roundoff, by every row of G, g_t and gamma; the torque of
/// the motor from Newton and Euler.
static void a_motor_follows_its_expression(void **state)
{
    (void)state;
    rig r =
        rig_parse(CRANK(", \"rate\": 0.9}], \"joints\": [{\"name\": \"O\", \"type\": \"revolute\","
                        " \"bodies\": [\"ground\", \"arm\"], \"at\": [0, 0], \"motor\": "
                        "\"0.3*sin(3*t) + t^3\"}]}"));
    trm_options options = rig_adaptive(TRM_DOP853, TRM_S_BOTH2, 1e-12, 1e-12);

    options.assemble = 1; // v of the centre follows the rate
    rig_start(&r, options);
    for (int k = 1; k <= 20; k++) {
        const double t = 0.1 * k;
        rig_run(&r, t);
        const trm_state s = trm_sim_state(r.sim);
        const double c1 = 0.9 * cos(3.0 * t) + 3.0 * t * t, c2 = -2.7 * sin(3.0 * t) + 6.0 * t;
        near("phi", s.q[2], 0.3 * sin(3.0 * t) + t * t * t, 1e-13);
        near("phi'", s.v[2], c1, 1e-12);
        near("phi''", s.a[2], c2, 1e-10);
        // m l^2/3 c'' = torque - m g l/2 cos(phi), and the torque is -lambda of the last row
        near("torque", -s.lambda[2], 2.0 / 3.0 * c2 + 9.81 * cos(s.q[2]), 1e-10);
    }
    below("energy error", trm_sim_report(r.sim).energy_error_relative, 1e-9);
    assert_true(trm_sim_energy(r.sim).work > 1.0);
    rig_close(&r);
}

static void a_sliding_motor_follows_its_expression(void **state)
{
    (void)state;
    rig r =
        rig_parse("{\"dimension\": 3, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"s\","
                  "\"mass\": 3, \"inertia\": [1, 1, 1], \"position\": [0.3, 0, 0]}], \"joints\":"
                  "[{\"name\": \"rail\", \"type\": \"prismatic\", \"bodies\": [\"ground\", \"s\"],"
                  "\"at\": [0.3, 0, 0], \"axis\": [0, 3, 4], \"motor\": \"1 - cos(2*t)\"}]}");

    rig_start(&r, rig_adaptive(TRM_DOP853, TRM_PROJECTION, 1e-12, 1e-12));
    for (int k = 1; k <= 10; k++) {
        const double t = 0.2 * k;
        rig_run(&r, t);
        const trm_state s = trm_sim_state(r.sim);
        const double c = 1.0 - cos(2.0 * t), c1 = 2.0 * sin(2.0 * t), c2 = 4.0 * cos(2.0 * t);
        near("x", s.q[0], 0.3, 1e-13);
        near("y", s.q[1], 0.6 * c, 1e-13);
        near("z'", s.v[2], 0.8 * c1, 1e-12);
        near("y''", s.a[1], 0.6 * c2, 1e-11);
    }
    // work of the motor: what it has lifted and accelerated
    const trm_energy e = trm_sim_energy(r.sim);
    near("work", e.work, 1.5 * 4.0 * sin(4.0) * sin(4.0) + 3.0 * 9.81 * 0.8 * (1.0 - cos(4.0)),
         1e-9);
    rig_close(&r);
}

// ------------------------------------------------------------------------------------------ energy

/// Relative error of the energy balance after 1 s in which work was done.
static double energy_error(rig *r, trm_options options)
{
    rig_start(r, options);
    rig_run(r, 1.0);
    assert_true(fabs(trm_sim_energy(r->sim).work) > 0.05);
    return trm_sim_report(r->sim).energy_error_relative;
}

/// Kinetic + potential - work for damped, driven and pushed mechanisms, every method with its
/// default options and a small step.
static void energy_less_work_is_constant(void **state)
{
    (void)state;
    const char *const damped = CRANK(
        "}, {\"name\": \"end\", \"mass\": 1, \"ends\": [[1, 0], [1, -1]]}], \"markers\": [{"
        "\"name\": \"tip\", \"body\": \"end\", \"on\": [0.5, 0]}, {\"name\": \"wall\", \"body\":"
        "\"ground\", \"at\": [2, -1]}], \"joints\": [{\"name\": \"O\", \"type\": \"revolute\","
        "\"bodies\": [\"ground\", \"arm\"], \"at\": [0, 0]}, {\"name\": \"P\", \"type\": "
        "\"revolute\", \"bodies\": [\"arm\", \"end\"], \"at\": [1, 0]}], \"forces\": [{\"name\":"
        "\"s\", \"type\": \"spring_damper\", \"markers\": [\"tip\", \"wall\"], \"stiffness\": 30,"
        "\"damping\": 2, \"rest_length\": 0.5}, {\"name\": \"friction\", \"type\": "
        "\"joint_spring_damper\", \"joint\": \"P\", \"damping\": 0.3}, {\"name\": \"wind\", "
        "\"type\": \"force\", \"marker\": \"tip\", \"value\": [\"3*sin(5*t)\", 0]}]}");
    const char *const driven = CRANK(
        "}, {\"name\": \"end\", \"mass\": 1, \"ends\": [[1, 0], [2, 0]]}], \"joints\": [{\"name\":"
        "\"O\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"arm\"], \"at\": [0, 0], "
        "\"motor\": \"1 - cos(4*t)\"}, {\"name\": \"P\", \"type\": \"revolute\", \"bodies\": "
        "[\"arm\", \"end\"], \"at\": [1, 0]}]}");
    const char *const scenes[] = {damped, driven};
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);

    for (int k = 0; k < 2; k++) {
        rig r = rig_parse(scenes[k]);
        for (int i = 0; i < n; i++) {
            const trm_method *m = &methods[i];
            if (!rig_fits(&r, m)) {
                continue;
            }
            trm_options options = trm_default_options(m->integrator, m->stabilization);
            if (m->adaptive) {
                options.rtol = options.atol = 1e-10;
            }
            const double error = energy_error(&r, options);
            options.h /= 2.0;
            // methods of low order: as h^2, at least
            if (!(error < 1e-6) && !(error > 3.0 * energy_error(&r, options))) {
                fail_msg("scene %d, %s with %s: energy off by %.2e", k, m->integrator_name,
                         m->stabilization_name, error);
            }
        }
        rig_close(&r);
    }
}

// ------------------------------------------------------------------------- models from equations

static void equations_that_lack_something_are_refused(void **state)
{
    (void)state;
    trm_equations bad[10];
    trm_model *model = NULL;
    trm_error err = {.status = TRM_OK};

    for (int k = 0; k < 10; k++) {
        bad[k] = sine_arm;
    }
    bad[0].M = NULL;
    bad[1].f = NULL;
    bad[2].g = NULL;
    bad[3].G = NULL;
    bad[4].gamma = NULL;
    bad[5].nq = 3; // and no N
    bad[6].nv = 0;
    bad[7].nc = -1;
    bad[8].nq = 1;
    bad[9].nq = 0;
    for (int k = 0; k < 10; k++) {
        model = (trm_model *)(void *)bad;
        assert_int_equal(trm_model_from_equations(&bad[k], &model, &err), TRM_ERR_OPTIONS);
        assert_null(model);
        assert_string_equal(err.where, sine_arm.name);
    }
    trm_equations nameless = sine_arm; // a name, initial values, g_t and N may be absent
    nameless.name = NULL;
    nameless.q0 = NULL;
    nameless.g_t = NULL;
    rig_ok(trm_model_from_equations(&nameless, &model, &err), &err);
    trm_model_destroy(model);
}

static int no_mass(const trm_model *model, double t, const double *q, double *M, void *user)
{
    (void)model, (void)t, (void)q;
    const double m = *(const double *)user;
    M[0] = 1.0;
    M[1] = M[2] = 0.0;
    M[3] = m;
    return 0;
}

/// M not positive definite: said at the start, naming the equations.
static void a_mass_matrix_that_is_none_is_refused(void **state)
{
    (void)state;
    const double masses[] = {0.0, -1.0, NAN};

    for (int k = 0; k < 3; k++) {
        double m = masses[k];
        trm_equations eq = sine_arm;
        trm_error err = {.status = TRM_OK};
        eq.M = no_mass;
        eq.user = &m;
        rig r = rig_equations(&eq);
        const trm_options options = trm_default_options(TRM_RK4, TRM_PLAIN);
        assert_int_equal(trm_sim_create(r.model, &options, &r.sim, &err), TRM_ERR_CALLBACK);
        assert_non_null(strstr(err.where, sine_arm.name));
        rig_close(&r);
    }
}

/// G = 0 all along: what the rows ask for cannot be had, and that is not the fault of a function.
static int nothing(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    out[0] = out[1] = 0.0;
    return 0;
}

static int zero_g(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    out[0] = 0.0;
    return 0;
}

static int half_a_map(const trm_model *model, double t, const double *q, double *N, void *user)
{
    (void)model, (void)q, (void)user;
    N[0] = N[3] = 1.0;
    N[1] = N[2] = 0.0;
    return t > 0.5;
}

/// N fails: the run stops there and says whose equations they are.
static void a_map_that_fails_stops_the_run(void **state)
{
    (void)state;
    trm_equations eq = parabola_arm;
    trm_error err = {.status = TRM_OK};
    eq.N = half_a_map;
    rig r = rig_equations(&eq);

    rig_start(&r, rig_fixed(TRM_RK4, TRM_S_BOTH2, 0.01));
    assert_int_equal(trm_sim_run(r.sim, 1.0, NULL, NULL, &err), TRM_ERR_CALLBACK);
    near("t", trm_sim_state(r.sim).t, 0.5, 1e-12);
    assert_non_null(strstr(err.where, parabola_arm.name));
    rig_close(&r);
}

/// Functions that give NAN from t = 0.5 on, or from the start; `user` says which.
static double nan_after(double t, const void *user)
{
    return t >= *(const double *)user ? NAN : 0.0;
}

static int nan_force(const trm_model *model, double t, const double *q, const double *v, double *f,
                     void *user)
{
    (void)model, (void)q, (void)v;
    f[0] += nan_after(t, user);
    return 0;
}

static int nan_g(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)model;
    out[0] = q[0] + nan_after(t, user);
    return 0;
}

static int plain_g(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)model, (void)t, (void)user;
    out[0] = q[0];
    return 0;
}

static int slope_x(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    out[0] = 1.0;
    out[1] = 0.0;
    return 0;
}

static int nan_gamma(const trm_model *model, double t, const double *q, const double *v,
                     double *out, void *user)
{
    (void)model, (void)q, (void)v;
    out[0] = nan_after(t, user);
    return 0;
}

static int no_gamma(const trm_model *model, double t, const double *q, const double *v, double *out,
                    void *user)
{
    (void)model, (void)t, (void)q, (void)v, (void)user;
    out[0] = 0.0;
    return 0;
}

/// No method goes on with a value that is no number, not even one that chooses its first step by
/// it.
static void values_that_are_no_numbers_are_blamed_on_their_function(void **state)
{
    (void)state;
    static const char json[] = "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,"
                               "\"shape\":{\"type\":\"point\"},\"velocity\":[0,1]}]}";
    const double from[] = {0, 0.5};
    for (int i = 0; i < 6; i++) {
        void *const user = (void *)&from[i % 2];
        trm_scene *scene = NULL;
        trm_model *model = NULL;
        trm_sim *sim = NULL;
        trm_error err = {.status = TRM_OK};
        const trm_force_def force = {.name = "bad", .force = nan_force, .user = user};
        const trm_constraint_def rows = {
            "bad", 1, i < 4 ? nan_g : plain_g, slope_x, NULL, i < 4 ? no_gamma : nan_gamma, user};
        assert_int_equal(trm_scene_parse(json, sizeof json - 1, &scene, &err), TRM_OK);
        assert_int_equal(i < 2 ? trm_scene_add_force(scene, &force, &err)
                               : trm_scene_add_constraint(scene, &rows, &err),
                         TRM_OK);
        assert_int_equal(trm_model_build(scene, &model, &err), TRM_OK);
        const trm_options options = trm_default_options(TRM_DOP853, TRM_S_BOTH2);
        trm_status status = trm_sim_create(model, &options, &sim, &err);
        assert_true((status == TRM_OK) == (from[i % 2] > 0));
        status = status == TRM_OK ? trm_sim_run(sim, 1, NULL, NULL, &err) : status;
        assert_int_equal(status, TRM_ERR_CALLBACK);
        assert_string_equal(err.where, "'bad'");
        trm_sim_destroy(sim);
        trm_model_destroy(model);
        trm_scene_destroy(scene);
    }
}

static void rows_that_vanish_for_good_are_singular(void **state)
{
    (void)state;
    trm_equations eq = parabola_arm;
    trm_error err = {.status = TRM_OK};
    eq.g = zero_g;
    eq.G = nothing;
    rig r = rig_equations(&eq);
    const trm_options options = trm_default_options(TRM_RK4, TRM_PLAIN);

    assert_int_equal(trm_sim_create(r.model, &options, &r.sim, &err), TRM_ERR_SINGULAR);
    rig_close(&r);
}

static const double *hanging(void)
{
    static double q0[6];
    // phi1 = 3 pi/2, phi2 = -phi1: the crank hangs and the last row of G, 2 cos phi, is roundoff
    const double phi = 3.0 * pi / 2.0;
    q0[0] = cos(phi);
    q0[1] = sin(phi);
    q0[2] = phi;
    q0[3] = 3.0 * cos(phi);
    q0[4] = sin(phi);
    q0[5] = -phi;
    return q0;
}

/// A run may start where a row of G vanishes: 1.8e-16 must not be divided by its square.
static void a_run_may_start_where_a_row_vanishes(void **state)
{
    (void)state;
    // at rate w there: the crank rises to 7 pi/4 in a quarter of a period, 16/3 w^2 = 19.62 (1 -
    // 1/sqrt 2)
    const double w = sqrt(3.0 * 19.62 * (1.0 - sqrt(0.5)) / 16.0), quarter = 4.296576241 / 4.0;
    const double v0[6] = {w, 0, w, 3.0 * w, 0, -w};
    trm_equations eq = swinging_crank;
    eq.q0 = hanging();
    eq.v0 = v0;
    rig r = rig_equations(&eq);
    const trm_stabilization stabilizations[] = {TRM_S_BOTH2, TRM_PROJECTION};

    for (int k = 0; k < 2; k++) {
        rig_start(&r, rig_fixed(TRM_RK4, stabilizations[k], 1e-3));
        near("phi'' at the start", trm_sim_state(r.sim).a[2], 0.0, 1e-5);
        rig_run(&r, quarter);
        near("phi", trm_sim_state(r.sim).q[2], 7.0 * pi / 4.0, 1e-5);
        near("phi'", trm_sim_state(r.sim).v[2], 0.0, 1e-4);
    }
    rig_close(&r);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_and_pushes_follow_the_definition),
        cmocka_unit_test(the_ground_stays_where_it_is),
        cmocka_unit_test(a_rod_by_functions_is_the_rod_joint),
        cmocka_unit_test(rows_that_move_carry_g_t),
        cmocka_unit_test(a_ball_joint_by_functions_is_the_spherical_joint),
        cmocka_unit_test(definitions_that_lack_something_are_refused),
        cmocka_unit_test(a_force_by_function_is_the_force_of_the_scene),
        cmocka_unit_test(a_motor_follows_its_expression),
        cmocka_unit_test(a_sliding_motor_follows_its_expression),
        cmocka_unit_test(energy_less_work_is_constant),
        cmocka_unit_test(equations_that_lack_something_are_refused),
        cmocka_unit_test(a_mass_matrix_that_is_none_is_refused),
        cmocka_unit_test(a_map_that_fails_stops_the_run),
        cmocka_unit_test(values_that_are_no_numbers_are_blamed_on_their_function),
        cmocka_unit_test(rows_that_vanish_for_good_are_singular),
        cmocka_unit_test(a_run_may_start_where_a_row_vanishes),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]); // by name, with * and ?
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
