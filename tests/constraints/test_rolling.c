/// Bodies that roll: steady turns, momenta, a rattleback, the bicycle.
#include "tests/rig.h"

#include "trammel/trammel_query.h"

static rig start(const char *json, double tolerance)
{
    rig r = rig_parse(json);
    rig_start(&r,
              rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, tolerance, tolerance));
    return r;
}

// --------------------------------------------------------------------------------------- the disc

/// Thin, m = 2, r = 0.3: axial inertia C = m r^2/2 about z of its frame, A = C/2. It leans to the
/// inclination `tilt` of its plane, turns about the vertical with `turn` and about its axis with
/// `spin`.
static rig disc(double tilt, double turn, double spin)
{
    char json[1400];
    const double r = 0.3, c = cos(tilt), s = sin(tilt);
    snprintf(json, sizeof json,
             "{\"dimension\":3,\"gravity\":[0,0,-9.81],\"bodies\":[{\"name\":\"disc\",\"mass\":2,"
             "\"inertia\":[0.045,0.045,0.09],\"position\":[0,%.17g,%.17g],"
             "\"matrix\":[[1,0,0],[0,%.17g,%.17g],[0,%.17g,%.17g]],"
             "\"velocity\":[%.17g,0,0],\"rate\":[0,%.17g,%.17g]}],"
             "\"markers\":[{\"name\":\"hub\",\"body\":\"disc\",\"on\":[0,0,0]},"
             "{\"name\":\"floor\",\"body\":\"ground\",\"at\":[0,0,0]}],"
             "\"constraints\":[{\"name\":\"edge\",\"type\":\"rolling\","
             "\"markers\":[\"hub\",\"floor\"],\"normal\":[0,0,1],\"radius\":0.3,"
             "\"axis\":[0,%.17g,%.17g]}]}",
             r * c, r * s, c, -s, s, c, -spin * r, turn * s, spin, -s, c);
    return start(json, 1e-12);
}

/// (C + m r^2) w3 Omega sin b - A Omega^2 sin b cos b + m g r cos b = 0, of period 2 pi/Omega.
CLAIM(a_leaning_disc_rolls_in_a_circle)
{
    const double m = 2, r = 0.3, A = 0.045, C = 0.09, g = 9.81, b = 1.2, turn = 1.5;
    const double spin = (A * turn * turn * sin(b) * cos(b) - m * g * r * cos(b)) /
                        ((C + m * r * r) * turn * sin(b));
    rig d = disc(b, turn, spin);
    const double radius = fabs(spin) * r / turn; // of the path of the centre
    rig_run(&d, pi / turn);
    near("height", rig_q(&d, "disc", 2), r * sin(b), 1e-9);
    near("across", fabs(rig_q(&d, "disc", 1) - r * cos(b)), 2 * radius, 1e-8);
    rig_run(&d, 2 * pi / turn);
    near("x", rig_q(&d, "disc", 0), 0, 1e-8);
    near("y", rig_q(&d, "disc", 1), r * cos(b), 1e-8);
    rig_close(&d);
}

/// Euler's disc: the centre rests, the edge runs around with Omega^2 = m g r/(A sin b) = 4 g/(r sin
/// b).
CLAIM(eulers_disc_starts)
{
    const double b = 0.1, turn = sqrt(4 * 9.81 / (0.3 * sin(b)));
    rig d = disc(b, turn, 0);
    rig_run(&d, 20 * 2 * pi / turn);
    near("centre x", rig_q(&d, "disc", 0), 0, 1e-8);
    near("centre y", rig_q(&d, "disc", 1), 0.3 * cos(b), 1e-8);
    near("centre z", rig_q(&d, "disc", 2), 0.3 * sin(b), 1e-8);
    rig_close(&d);
}

/// A ball on a plate that turns steadily about z runs in a circle with 2/7 of the plate's rate (5/7
/// for its full turn, I = 2/5 m r^2), whatever its size.
CLAIM(a_ball_on_a_turntable_circles)
{
    rig r =
        start("{\"dimension\":3,\"gravity\":[0,0,-9.81],\"bodies\":["
              "{\"name\":\"plate\",\"mass\":5,\"inertia\":[1,1,2],\"position\":[0,0,0],"
              "\"rate\":[0,0,3]},"
              "{\"name\":\"ball\",\"mass\":0.5,\"inertia\":[0.0002,0.0002,0.0002],"
              "\"position\":[0.4,0,0.03162277660168379],\"velocity\":[0,1.2,0]}],"
              "\"markers\":[{\"name\":\"centre\",\"body\":\"ball\",\"on\":[0,0,0]},"
              "{\"name\":\"top\",\"body\":\"plate\",\"on\":[0,0,0]}],"
              "\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"plate\"],"
              "\"at\":[0,0,0],\"axis\":[0,0,1],\"motor\":\"3*t\"}],"
              "\"constraints\":[{\"name\":\"roll\",\"type\":\"rolling\","
              "\"markers\":[\"centre\",\"top\"],\"normal\":[0,0,1],"
              "\"radius\":0.03162277660168379,\"shape\":\"ball\"}]}",
              1e-12);
    // set down at rest against the plate: v = Omega x c, and it circles with (2/7) Omega about 0.4
    // - 1.2/((2/7) 3)
    const double w = 2.0 / 7 * 3, R = 1.2 / w, t = 2.1;
    rig_run(&r, t);
    near("x", rig_q(&r, "ball", 0), 0.4 - R + R * cos(w * t), 1e-8);
    near("y", rig_q(&r, "ball", 1), R * sin(w * t), 1e-8);
    near("z", rig_q(&r, "ball", 2), 0.03162277660168379, 1e-12);
    rig_close(&r);
}

/// Momentum and moment of momentum about the origin.
static void add_momenta(const rig *r, const char *body, double m, const double I[3], double out[6])
{
    double u[3], x[3], w[3], q[4];
    for (int k = 0; k < 3; k++) {
        x[k] = rig_q(r, body, k);
        u[k] = rig_v(r, body, k);
        w[k] = I[k] * rig_v(r, body, 3 + k);
        out[k] += m * u[k];
    }
    for (int k = 0; k < 4; k++) {
        q[k] = rig_q(r, body, 3 + k);
    }
    const double R[9] = {1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[2] - q[0] * q[3]),
                         2 * (q[1] * q[3] + q[0] * q[2]),     2 * (q[1] * q[2] + q[0] * q[3]),
                         1 - 2 * (q[1] * q[1] + q[3] * q[3]), 2 * (q[2] * q[3] - q[0] * q[1]),
                         2 * (q[1] * q[3] - q[0] * q[2]),     2 * (q[2] * q[3] + q[0] * q[1]),
                         1 - 2 * (q[1] * q[1] + q[2] * q[2])};
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        out[3 + k] += m * (x[i] * u[j] - x[j] * u[i]) + R[3 * k] * w[0] + R[3 * k + 1] * w[1] +
                      R[3 * k + 2] * w[2];
    }
}

/// Two free bodies that roll on each other: what passes between them is a force and its opposite at
/// one point, which does no work. So energy, momentum and moment of momentum stay.
static void keep_all_momenta(const char *scene, const double I[3], const double J[3], double end)
{
    double before[6] = {0}, after[6] = {0};
    rig r = rig_parse(scene);
    trm_options options =
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-11, 1e-11);
    options.assemble = 1;
    rig_start(&r, options);
    add_momenta(&r, "big", 3, I, before);
    add_momenta(&r, "small", 0.5, J, before);
    const trm_energy first = trm_sim_energy(r.sim);
    rig_run(&r, end);
    add_momenta(&r, "big", 3, I, after);
    add_momenta(&r, "small", 0.5, J, after);
    near("energy", trm_sim_energy(r.sim).kinetic, first.kinetic, 1e-9);
    for (int k = 0; k < 6; k++) {
        near("momentum", after[k], before[k], 1e-9);
    }
    rig_close(&r);
}

CLAIM(a_stone_that_rolls_on_a_free_plate_keeps_all_momenta)
{
    const double plate[3] = {0.5, 0.6, 1.0}, stone[3] = {0.002, 0.003, 0.004};
    keep_all_momenta("{\"dimension\":3,\"bodies\":["
                     "{\"name\":\"big\",\"mass\":3,\"inertia\":[0.5,0.6,1],\"position\":[0,0,0],"
                     "\"rate\":[0.2,-0.1,0.5],\"velocity\":[0.1,0,0.3]},"
                     "{\"name\":\"small\",\"mass\":0.5,\"inertia\":[0.002,0.003,0.004],"
                     "\"position\":[0.1,0.05,0.3],\"rate\":[1,2,-1]}],"
                     "\"markers\":[{\"name\":\"c\",\"body\":\"small\",\"on\":[0,0,0]},"
                     "{\"name\":\"top\",\"body\":\"big\",\"on\":[0,0,0.1]}],"
                     "\"constraints\":[{\"name\":\"roll\",\"type\":\"rolling\","
                     "\"markers\":[\"c\",\"top\"],\"normal\":[0,0,1],\"shape\":\"ellipsoid\","
                     "\"semi_axes\":[0.3,0.25,0.2]}]}",
                     plate, stone, 2.0);
}

/// 2 pi sqrt(l/g)/agm(1, cos(amplitude/2)): of a pendulum of length l.
static double pendulum_period(double l, double amplitude)
{
    double a = 1, b = cos(amplitude / 2);
    for (int k = 0; k < 8; k++) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return 2 * pi * sqrt(l / 9.81) / a;
}

/// A roller in a round hollow swings as a pendulum of length (1 + I/(m r^2)) (R - r): 3/2 of a disc
/// in the plane, 7/5 of a ball.
CLAIM(a_roller_in_a_hollow_swings)
{
    const double r = 0.1, R = 0.6, a = 1.1;
    for (int d = 2; d <= 3; d++) {
        char json[900];
        const double x = (R - r) * sin(a), y = -(R - r) * cos(a);
        const char *const zero = d == 2 ? "" : "0,";
        snprintf(json, sizeof json,
                 "{\"dimension\":%d,\"gravity\":[%s0,-9.81],\"bodies\":[{\"name\":\"ball\","
                 "\"mass\":2,\"inertia\":%s,\"position\":[%s%.17g,%.17g]}],"
                 "\"markers\":[{\"name\":\"c\",\"body\":\"ball\",\"on\":[%s0,0]},"
                 "{\"name\":\"o\",\"body\":\"ground\",\"at\":[%s0,0]}],"
                 "\"constraints\":[{\"name\":\"k\",\"type\":\"rolling_pair\","
                 "\"markers\":[\"c\",\"o\"],\"radii\":[0.1,-0.6]}]}",
                 d, zero, d == 2 ? "0.01" : "[0.008,0.008,0.008]", zero, x, y, zero, zero);
        rig ball = rig_parse(json);
        trm_options options =
            rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12);
        options.assemble = 1;
        rig_start(&ball, options);
        const double T = pendulum_period((d == 2 ? 1.5 : 1.4) * (R - r), a);
        rig_run(&ball, T / 2);
        near("other side", rig_q(&ball, "ball", d - 2), -x, 1e-8);
        rig_run(&ball, T);
        near("back", rig_q(&ball, "ball", d - 2), x, 1e-8);
        near("height", rig_q(&ball, "ball", d - 1), y, 1e-8);
        rig_close(&ball);
    }
}

CLAIM(two_free_balls_keep_all_momenta)
{
    const double big[3] = {0.05, 0.05, 0.05}, small[3] = {0.002, 0.002, 0.002};
    keep_all_momenta("{\"dimension\":3,\"bodies\":["
                     "{\"name\":\"big\",\"mass\":3,\"inertia\":[0.05,0.05,0.05],"
                     "\"position\":[0,0,0],\"rate\":[0.2,-0.1,0.5],\"velocity\":[0.1,0,0.3]},"
                     "{\"name\":\"small\",\"mass\":0.5,\"inertia\":[0.002,0.002,0.002],"
                     "\"position\":[0.1,0.05,0.3],\"rate\":[1,2,-1]}],"
                     "\"markers\":[{\"name\":\"c\",\"body\":\"small\",\"on\":[0,0,0]},"
                     "{\"name\":\"o\",\"body\":\"big\",\"on\":[0,0,0]}],"
                     "\"constraints\":[{\"name\":\"roll\",\"type\":\"rolling_pair\","
                     "\"markers\":[\"c\",\"o\"],\"radii\":[0.1,0.22]}]}",
                     big, small, 1.0);
}

// ---------------------------------------------------------------------------------- the rattleback

/// Kane and Levinson's (1982): an ellipsoid with its centre of mass 0.01 m under its centre and
/// inertia turned against it. Set spinning against its sense it rattles, stops and spins back; in
/// its sense it goes on.
static double rattleback(double spin, double *least)
{
    char json[1400];
    snprintf(json, sizeof json,
             "{\"dimension\":3,\"gravity\":[0,0,-9.81],\"bodies\":[{\"name\":\"stone\",\"mass\":1,"
             "\"inertia\":[[0.0002,-0.00002,0],[-0.00002,0.0016,0],[0,0,0.0017]],"
             "\"position\":[0,0,0.01],\"rpy\":[\"0.5*deg\",\"0.5*deg\",0],\"rate\":[0,0,%.17g]}],"
             "\"markers\":[{\"name\":\"centre\",\"body\":\"stone\",\"on\":[0,0,0.01]},"
             "{\"name\":\"floor\",\"body\":\"ground\",\"at\":[0,0,0]}],"
             "\"constraints\":[{\"name\":\"roll\",\"type\":\"rolling\","
             "\"markers\":[\"centre\",\"floor\"],\"normal\":[0,0,1],\"shape\":\"ellipsoid\","
             "\"semi_axes\":[0.2,0.03,0.02]}]}",
             spin);
    rig r = rig_parse(json);
    trm_options options =
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-10, 1e-10);
    options.assemble = 1;
    rig_start(&r, options);
    const trm_energy first = trm_sim_energy(r.sim);
    *least = INFINITY;
    for (int k = 1; k <= 50; k++) {
        rig_run(&r, 0.1 * k);
        *least = fmin(*least, rig_v(&r, "stone", 5) * (spin > 0 ? 1 : -1));
    }
    const trm_energy last = trm_sim_energy(r.sim);
    near("energy", last.kinetic + last.potential, first.kinetic + first.potential, 1e-7);
    rig_close(&r);
    return *least;
}

CLAIM(a_rattleback_reverses_one_way_only)
{
    double against, along;
    rattleback(-5, &against);
    rattleback(5, &along);
    const double reversed = fmin(against, along), kept = fmax(against, along);
    below("reversed", reversed, -1.0);
    below("kept", -kept, 0.0);
}

// ------------------------------------------------------------------------------------- the bicycle

/// Roots of det(M s^2 + v C1 s + g K0 + v^2 K2) with the matrices printed in Meijaard et al.
/// (2007), Proc. R. Soc. A 463, 1955-1982, section 4; |det| at s over |its derivative|: how far s
/// is from a root.
static double off_root(double v, double re, double im)
{
    static const double M[2][2] = {{80.81722, 2.31941332208709},
                                   {2.31941332208709, 0.29784188199686}};
    static const double C[2][2] = {{0, 33.86641391492494}, {-0.85035641456978, 1.68540397397560}};
    static const double K0[2][2] = {{-80.95, -2.59951685249872},
                                    {-2.59951685249872, -0.80329488458618}};
    static const double K2[2][2] = {{0, 76.59734589573222}, {0, 2.65431523794604}};
    double p[5] = {0}; // the polynomial, p[k] s^k
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double X[3][2][2];
            for (int e = 0; e < 4; e++) {
                X[0][e / 2][e % 2] = 9.81 * K0[e / 2][e % 2] + v * v * K2[e / 2][e % 2];
                X[1][e / 2][e % 2] = v * C[e / 2][e % 2];
                X[2][e / 2][e % 2] = M[e / 2][e % 2];
            }
            p[i + j] += X[i][0][0] * X[j][1][1] - X[i][0][1] * X[j][1][0];
        }
    }
    double value[2] = {0}, slope[2] = {0};
    for (int k = 4; k >= 0; k--) { // Horner
        const double s0 = slope[0] * re - slope[1] * im + value[0];
        slope[1] = slope[0] * im + slope[1] * re + value[1];
        slope[0] = s0;
        const double v0 = value[0] * re - value[1] * im + p[k];
        value[1] = value[0] * im + value[1] * re;
        value[0] = v0;
    }
    return hypot(value[0], value[1]) / hypot(slope[0], slope[1]);
}

static void check_bicycle(const char *speed, double v)
{
    const char *const settings[] = {"v", speed, NULL};
    trm_error err = {.status = TRM_OK};
    rig r = rig_load("bicycle", settings);
    const trm_sizes n = trm_model_sizes(r.model);
    double *q = calloc((size_t)(n.nq + n.nv), sizeof *q), *u = q + n.nq;
    trm_query *query = NULL;
    trm_linear *linear = NULL;
    trm_model_initial_state(r.model, q, u);
    rig_ok(trm_query_create(r.model, &query, &err), &err);
    rig_ok(trm_query_linearize(query, 0, q, u, NULL, &linear, &err), &err);
    assert_int_equal(linear->d, 3);
    assert_int_equal(linear->p, 7);
    assert_int_equal(linear->n, 10);
    int found = 0;
    for (int k = 0; k < linear->nmodes; k++) {
        const trm_mode *mode = &linear->modes[k];
        if (hypot(mode->re, mode->im) > 1e-3) { // the others: where it stands, and how fast it goes
            const double off = off_root(v, mode->re, mode->im);
            below("off the benchmark", off, 1e-9);
            below("what it says", off, mode->error);
            found += mode->im > 0 ? 2 : 1;
        }
    }
    assert_int_equal(found, 4);
    trm_linear_destroy(linear);
    trm_query_destroy(query);
    free(q);
    rig_close(&r);
}

CLAIM(the_bicycle_has_the_eigenvalues_of_the_benchmark)
{
    for (int v = 0; v <= 10; v++) {
        char speed[4];
        snprintf(speed, sizeof speed, "%d", v);
        check_bicycle(speed, v);
    }
}

/// At v = 5 m/s it is stable: pushed, it steadies itself. The weave and the capsize of the
/// benchmark die out with exp(-0.3229 t) at least.
CLAIM(a_bicycle_steadies_itself)
{
    rig r = rig_load("bicycle", NULL);
    trm_options options =
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-9, 1e-9);
    options.assemble = 1;
    rig_start(&r, options);
    const trm_state s = trm_sim_state(r.sim);
    double q[28], v[24];
    memcpy(q, s.q, sizeof q);
    memcpy(v, s.v, sizeof v);
    trm_error err = {.status = TRM_OK};
    trm_query *query = NULL;
    v[3] += 0.05; // rad/s, leaning
    rig_ok(trm_query_create(r.model, &query, &err), &err);
    rig_ok(trm_query_close(query, 0, q, v, &err), &err);
    rig_ok(trm_sim_set_state(r.sim, 0, q, v, &err), &err);
    rig_run(&r, 20.0);
    below("lean", fabs(rig_v(&r, "frame", 3)), 0.05 * exp(-0.3 * 20));
    trm_query_destroy(query);
    rig_close(&r);
}
