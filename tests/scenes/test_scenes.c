/// The shipped scenes against references that share no code with Trammel, through the public
/// header alone.
#include "program/run_details.h"
#include "tests/scenes/reports.h"

// ------------------------------------------------------------------------------------- pendulum

CLAIM(pendulum_meets_the_elliptic_functions)
{
    rig r = rig_load("pendulum", NULL);

    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_S_BOTH2, 1e-11, 1e-11));
    rig_run(&r, 10.0);
    near("x", rig_q(&r, "bob", 0), pendulum_x_10, 1e-8);
    near("y", rig_q(&r, "bob", 1), pendulum_y_10, 1e-8);
    check_report(&r, 1e-8);
    rig_close(&r);
}

// ------------------------------------------------------------------------ the other benchmarks

/// The seven angles of the literature from the absolute angles of the bodies.
static void check_andrews(const rig *r, const double expected[7])
{
    const double k2 = rig_q(r, "K2", 2), k4 = rig_q(r, "K4", 2), k6 = rig_q(r, "K6", 2);
    const double beta = rig_q(r, "K1", 2), delta = rig_q(r, "K5", 2), epsilon = rig_q(r, "K7", 2);

    near("beta", beta, expected[0], 1e-7);
    near("Theta", k2 - beta, expected[1], 1e-7);
    near("gamma", rig_q(r, "K3", 2), expected[2], 1e-7);
    near("Phi", k4 - delta, expected[3], 1e-7);
    near("delta", delta, expected[4], 1e-7);
    near("Omega", k6 - epsilon, expected[5], 1e-7);
    near("epsilon", epsilon, expected[6], 1e-7);
}

CLAIM(andrews_mechanism_meets_the_reference)
{
    rig r = rig_load("andrews", NULL);

    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_S_BOTH2, 1e-9, 1e-12));
    rig_run(&r, 0.03);
    check_andrews(&r, andrews_003);
    rig_run(&r, 0.05);
    check_andrews(&r, andrews_005);
    check_report(&r, 1e-7);
    rig_close(&r);
}

CLAIM(bricard_has_thirty_rows_of_rank_29)
{
    rig r = rig_load("bricard", NULL);
    trm_check *check = NULL;
    trm_error err = {.status = TRM_OK};

    rig_ok(trm_check_create(r.model, NULL, &check, &err), &err);
    assert_int_equal(check->sizes.nc, 30);
    assert_int_equal(check->rank, 29);
    assert_int_equal(check->degrees_of_freedom, 1);
    assert_int_equal(check->nredundant, 1);
    assert_true(check->consistent);
    trm_check_destroy(check);

    rig_start(&r, rig_choose(&r, 1e-6));
    assert_int_equal(trm_sim_rank(r.sim), 29);
    rig_run(&r, 5.0);
    check_point(&r, "bar_23", (const double[3]){0.5, 0.0, 0.0}, bricard_P3_5, 1e-6);
    check_report(&r, 1e-6);
    rig_close(&r);
}

CLAIM(flyball_governor_meets_the_reference)
{
    for (int hand_over = 0; hand_over < 2; hand_over++) {
        rig r = rig_load("flyball", NULL);
        trm_options options = rig_choose(&r, 1e-6);
        options.hand_over = hand_over;
        rig_start(&r, options);
        rig_run(&r, 1.0);
        near("s", rig_q(&r, "slider", 2), flyball_s_1, 1e-6);
        check_report(&r, hand_over ? 1e-5 : 1e-6); // ida corrects no energy
        rig_close(&r);
    }
}

/// Willis: the sun turns 1 + ring/sun times as fast as the carrier.
CLAIM(the_planetary_gear_keeps_its_ratio)
{
    rig r = rig_load("planetary_gear", NULL);
    rig_start(&r, rig_choose(&r, 1e-8));
    rig_run(&r, 1.0);
    const double ratio = 1 + 0.07 / 0.03;
    near("sun", rig_v(&r, "sun", 2), ratio * rig_v(&r, "carrier", 2), 1e-10);
    near("turned", rig_q(&r, "sun", 2), ratio * rig_q(&r, "carrier", 2), 1e-10);
    below("moves", 1.0, rig_q(&r, "carrier", 2));
    rig_close(&r);
}

/// At half a turn the follower is at the table's highest point, at a whole turn at its lowest.
CLAIM(the_cam_lifts_its_follower_by_the_table)
{
    rig r = rig_load("cam_follower", NULL);
    rig_start(&r, rig_choose(&r, 1e-8));
    rig_run(&r, pi / 10);
    near("lift", rig_q(&r, "rod", 1), 0.15 + 0.02, 1e-10);
    rig_run(&r, 4 * pi / 10);
    near("back", rig_q(&r, "rod", 1), 0.15, 1e-10);
    rig_close(&r);
}

/// Down the helix with s'' = -p g/(R^2 + p^2), and back from the buffer with half of the speed.
CLAIM(the_bead_comes_back_from_its_buffer)
{
    rig r = rig_load("bead_on_helix", NULL);
    rig_start(&r, rig_choose(&r, 1e-10));
    rig_run(&r, 5.0);
    const double R = 0.5, p = 0.1, bend = p * 9.81 / (R * R + p * p), end = 5.5 * pi;
    const double struck = sqrt(2 * end / bend), dt = 5.0 - struck;
    const double s = -end + 0.5 * bend * struck * dt - bend * dt * dt / 2;
    near("x", rig_q(&r, "bead", 0), R * cos(s), 1e-8);
    near("y", rig_q(&r, "bead", 1), R * sin(s), 1e-8);
    near("z", rig_q(&r, "bead", 2), p * s, 1e-8);
    rig_close(&r);
}

/// Steady: after one turn about the vertical it is where it was.
CLAIM(the_rolling_disc_comes_back)
{
    rig r = rig_load("rolling_disc", NULL);
    rig_start(&r, rig_choose(&r, 1e-10));
    rig_run(&r, 2 * pi / 1.5);
    near("x", rig_q(&r, "disc", 0), 0, 1e-8);
    near("y", rig_q(&r, "disc", 1), 0.3 * cos(1.2), 1e-8);
    near("z", rig_q(&r, "disc", 2), 0.3 * sin(1.2), 1e-9);
    rig_close(&r);
}

CLAIM(heavy_top_meets_the_reference)
{
    rig r = rig_load("heavy_top", NULL);

    rig_start(&r, rig_choose(&r, 1e-6));
    rig_run(&r, 2.0);
    for (int k = 0; k < 3; k++) {
        near("x", rig_q(&r, "top", k), heavy_top_x_2[k], 1e-6);
        near("rate", rig_v(&r, "top", 3 + k), heavy_top_rate_2[k], 1e-4);
    }
    check_report(&r, 1e-6);
    rig_close(&r);
}

CLAIM(spatial_slider_crank_meets_the_reference)
{
    rig r = rig_load("spatial_slider_crank", NULL);

    rig_start(&r, rig_choose(&r, 1e-8));
    rig_run(&r, 1.0);
    near("x_s", rig_q(&r, "slider", 0), spatial_slider_1, 1e-7);
    check_report(&r, 1e-7);
    rig_close(&r);
}

// ------------------------------------------------------------------------------------ Jansen leg

/// The corner at distances a from p and b from q, on the left of the way from p to q; right: side <
/// 0.
static void corner(const double p[2], const double q[2], double a, double b, double side,
                   double out[2])
{
    const double dx = q[0] - p[0], dy = q[1] - p[1], r2 = dx * dx + dy * dy;
    const double along = (a * a - b * b + r2) / (2 * r2);
    const double across = side * sqrt(a * a / r2 - along * along);
    out[0] = p[0] + along * dx - across * dy;
    out[1] = p[1] + along * dy + across * dx;
}

/// Jansen's eleven lengths and the two places of the fixed point, times 4 mm: the foot at a crank
/// angle.
static void jansen_foot(double angle, double foot[2])
{
    const double B[2] = {-38, -7.8}, P[2] = {15 * cos(angle), 15 * sin(angle)};
    double C[2], D[2], E[2], F[2], G[2];
    corner(B, P, 41.5, 50, 1, C);
    corner(B, C, 40.1, 55.8, 1, D);
    corner(B, P, 39.3, 61.9, -1, E);
    corner(E, D, 36.7, 39.4, 1, F);
    corner(E, F, 49, 65.7, 1, G);
    foot[0] = 0.004 * G[0];
    foot[1] = 0.004 * G[1];
}

static trm_sensor jansen_sensor(const rig *r, const char *name)
{
    trm_error err = {.status = TRM_OK};
    trm_sensor sensor;
    rig_ok(trm_model_sensor(r->model, name, &sensor, &err), &err);
    return sensor;
}

/// Three turns: the foot is where the lengths put it, the servo gives what it says, energy
/// balances.
CLAIM(jansen_leg_walks_where_its_lengths_say)
{
    trm_error err = {.status = TRM_OK};
    rig r = rig_load("jansen_leg", NULL);
    const trm_sensor sensors[] = {
        jansen_sensor(&r, "O.coordinate"), jansen_sensor(&r, "O.coordinate_rate"),
        jansen_sensor(&r, "drive.effort"), jansen_sensor(&r, "foot.position")};
    rig_start(&r, rig_choose(&r, 1e-8));
    const double start = 20 * pi / 180;
    for (int n = 1; n <= 300; n++) {
        const double t = n / 100.0;
        double x[6], foot[2];
        rig_run(&r, t);
        for (int k = 0; k < 4; k++) {
            rig_ok(trm_sim_read(r.sim, &sensors[k], &x[k], &err), &err);
        }
        jansen_foot(start + x[0], foot);
        near("foot x", x[3], foot[0], 1e-10);
        near("foot y", x[4], foot[1], 1e-10);
        const double late = exp(-t / 0.1), target = -2 * pi * (t - 0.1 * (1 - late));
        near("effort", x[2], 20 * (target - x[0]) + (-2 * pi * (1 - late) - x[1]), 1e-9);
    }
    below("crank from its target", fabs(rig_q(&r, "crank", 2) - start + 2 * pi * 2.9), 0.2);
    below("gap", trm_sim_report(r.sim).position_drift, 1e-12);
    check_report(&r, 1e-8);
    rig_close(&r);
}

/// With a stiff servo the crank turns evenly, and the foot comes back to its place after each turn.
CLAIM(jansen_foot_closes_its_path)
{
    static const char *const stiff[] = {"kp", "2e4", "kd", "200", NULL};
    trm_error err = {.status = TRM_OK};
    rig r = rig_load("jansen_leg", stiff);
    const trm_sensor foot = jansen_sensor(&r, "foot.position");
    rig_start(&r, rig_choose(&r, 1e-6));
    double path[100][3], low = INFINITY;
    for (int n = 0; n < 200; n++) {
        double x[3];
        rig_run(&r, 1 + n / 100.0); // the crank is up to speed; a turn takes 1 s
        rig_ok(trm_sim_read(r.sim, &foot, x, &err), &err);
        if (n >= 100) {
            near("after a turn, x", x[0], path[n - 100][0], 1e-5);
            near("after a turn, y", x[1], path[n - 100][1], 1e-5);
            continue;
        }
        memcpy(path[n], x, sizeof x);
        low = fmin(low, x[1]);
    }
    int flat = 0;
    double first = INFINITY, last = -INFINITY;
    for (int n = 0; n < 100; n++) {
        if (path[n][1] < low + 0.01) {
            flat++;
            first = fmin(first, path[n][0]);
            last = fmax(last, path[n][0]);
        }
    }
    below("on the ground for half a turn, to 1 cm", 45, flat);
    below("and a stride of 20 cm", 0.2, last - first);
    rig_close(&r);
}

static void check_arm(const char *scene, const double expected[4])
{
    rig r = rig_load(scene, NULL);

    rig_start(&r, rig_choose(&r, 1e-8));
    rig_run(&r, 5.0);
    const double theta1 = rig_q(&r, "upper", 2), rate1 = rig_v(&r, "upper", 2);
    near("theta1", theta1, expected[0], 1e-6);
    near("theta2", rig_q(&r, "lower", 2) - theta1, expected[1], 1e-6);
    near("theta1'", rate1, expected[2], 1e-6);
    near("theta2'", rig_v(&r, "lower", 2) - rate1, expected[3], 1e-6);
    assert_int_equal(trm_sim_report(r.sim).branch_changes, 0);
    rig_close(&r);
}

CLAIM(arm_on_a_parabola_meets_the_reduced_equations)
{
    check_arm("arm_parabola", arm_parabola_5);
}

CLAIM(arm_at_a_driven_height_meets_the_reduced_equations)
{
    check_arm("arm_sine", arm_sine_5);
}

CLAIM(chains_keep_their_energy)
{
    const char *const scenes[] = {"chain_10", "chain_100", "chain_1000"};

    for (size_t i = 0; i < 3; i++) {
        rig r = rig_load(scenes[i], NULL);
        rig_start(&r, rig_choose(&r, 1e-6));
        rig_run(&r, 1.0);
        check_report(&r, 1e-6);
        rig_close(&r);
    }
}

CLAIM(two_methods_agree_on_the_spatial_double_pendulum)
{
    rig a = rig_load("double_pendulum_3d", NULL), b = rig_load("double_pendulum_3d", NULL);

    rig_start(&a, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-11, 1e-11));
    rig_start(&b, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PROJECTION, 5e-4));
    rig_run(&a, 5.0);
    rig_run(&b, 5.0);
    for (int k = 0; k < trm_model_sizes(a.model).nv; k++) {
        near("v", trm_sim_state(a.sim).v[k], trm_sim_state(b.sim).v[k], 1e-6);
    }
    check_report(&a, 1e-9);
    check_report(&b, 1e-8);
    rig_close(&a);
    rig_close(&b);
}

// ------------------------------------------------------------------------------ SRM in general

/// Largest difference in v between SRM with E and `iterations` iterates and a tight run, at t.
static double srm_error(trm_srm_matrix E, int iterations, double t)
{
    rig r = rig_load("four_bar", NULL), tight = rig_load("four_bar", NULL);
    trm_options options = rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_SRM, 1e-4);
    double error = 0.0;

    options.srm.E = E;
    options.srm.iterations = iterations;
    rig_start(&r, options);
    rig_run(&r, t);
    rig_start(&tight, rig_choose(&tight, 1e-10));
    rig_run(&tight, t);
    for (int k = 0; k < trm_model_sizes(r.model).nv; k++) {
        error = fmax(error, fabs(trm_sim_state(r.sim).v[k] - trm_sim_state(tight.sim).v[k]));
    }
    rig_close(&r);
    rig_close(&tight);
    return error;
}

CLAIM(srm_with_every_E_agrees_with_the_default_method)
{
    const trm_srm_matrix forms[] = {TRM_SRM_MATRIX_IDENTITY, TRM_SRM_MATRIX_GB_TRANSPOSED,
                                    TRM_SRM_MATRIX_GB_INVERSE};

    for (size_t i = 0; i < 3; i++) {
        double error = srm_error(forms[i], 1, 0.3);
        for (int s = 2; s <= 3; s++) {
            const double next = srm_error(forms[i], s, 0.3);
            below("an iterate against the one before", next, 0.25 * error);
            error = next;
        }
        below("the eighth iterate", srm_error(forms[i], 8, 0.3), 1e-6);
    }
}

// ------------------------------------------------------------------------------------- settings

/// Scenes whose data the user may set: the start follows and stays consistent to roundoff.
CLAIM(starts_follow_their_parameters)
{
    static const struct {
        const char *scene, *settings[7];
    } cases[] = {
        {"pendulum", {"l", "2", "v0", "1.5", NULL}},
        {"slider_crank_swing", {"phi0", "0.3", "v0", "2", "l", "1.2", NULL}},
        {"slider_crank_turn", {"v0", "2", "m", "3", NULL}},
        {"slider_crank_bayo", {"v0", "3", "l", "2", NULL}},
        {"four_bar", {"v0", "2", "l", "0.7", "m", "3", NULL}},
        {"double_four_bar", {"v0", "-3", "l", "2", NULL}},
        {"four_bar_40", {"v0", "2", NULL}},
        {"andrews", {"mom", "0.04", NULL}},
        {"bricard", {"l", "3", NULL}},
        {"flyball", {"omega", "3", "droop", "0.2", "s0", "0.4", NULL}},
        {"heavy_top", {"spin", "100", "turn", "1", "l", "2", NULL}},
        {"spatial_slider_crank", {"omega", "-2", NULL}},
        {"arm_parabola", {"beta", "0.3", "l", "1.5", NULL}},
        {"arm_sine", {"omega", "2", "theta1", "1", NULL}},
        {"chain_10", {"l", "0.5", "m", "2", NULL}},
        {"jansen_leg", {"crank_angle", "2", "unit", "0.01", NULL}},
        {"double_pendulum_3d", {"wx", "3", "uz", "-4", "a", "1", NULL}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int set = 0; set < 2; set++) {
            rig r = rig_load(cases[i].scene, set ? cases[i].settings : NULL);
            rig_start(&r, rig_choose(&r, 1e-6));
            below(cases[i].scene, trm_sim_drift(r.sim).position, 1e-12);
            below(cases[i].scene, trm_sim_drift(r.sim).velocity, 1e-12);
            rig_close(&r);
        }
    }
}
