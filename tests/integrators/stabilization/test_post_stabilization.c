/// The post-stabilizations: [ACPR95 Tables 6.1 and 6.2], exact values step by step, the share of
/// the drift that alpha leaves.
#include "tests/integrators/on_the_arm.h"

#include "integrators/stabilization/post.h"
#include "simulation/run/simulation.h"

// ------------------------------------------------------------------- post-stabilization, tables

/// [ACPR95 Tables 6.1 and 6.2], Heun, identity metric: largest |G v + g_t| and |g| over all steps,
/// after stabilization. Five digits by an independent program, the same in double and in long
/// double and equal to the two printed digits. Roundoff is written as 0 and must stay below 5e-14;
/// INFINITY: the run leaves every bound. The rows of Baumgarte are in test_methods.c.
typedef struct drift_row {
    const trm_equations *arm; ///< parabola_arm runs to t = 40, sine_arm to t = 10
    double h;
    trm_stabilization stabilization;
    double velocity, position;
} drift_row;

static const drift_row table_6_1_and_6_2[] = {
    {&parabola_arm, 0.01, TRM_STABILIZATION_S_FULL, 1.2326e-08, 6.1084e-10},
    {&parabola_arm, 0.01, TRM_STABILIZATION_S_BOTH, 1.6092e-04, 3.9005e-10},
    {&parabola_arm, 0.01, TRM_STABILIZATION_S_BOTH2, 6.6590e-09, 0.0},
    {&parabola_arm, 0.01, TRM_STABILIZATION_S_VEL, 0.0, 8.4454e-04},
    {&parabola_arm, 0.01, TRM_STABILIZATION_S_POS, INFINITY, INFINITY},
    {&parabola_arm, 0.001, TRM_STABILIZATION_S_FULL, 0.0, 0.0},
    {&parabola_arm, 0.001, TRM_STABILIZATION_S_BOTH, 1.5718e-07, 0.0},
    {&parabola_arm, 0.001, TRM_STABILIZATION_S_BOTH2, 0.0, 0.0},
    {&parabola_arm, 0.001, TRM_STABILIZATION_S_VEL, 0.0, 8.0866e-06},
    {&parabola_arm, 0.001, TRM_STABILIZATION_S_POS, 4.7684e-03, 7.5526e-12},
    {&sine_arm, 0.01, TRM_STABILIZATION_S_FULL, 7.2073e-06, 6.2936e-07},
    {&sine_arm, 0.01, TRM_STABILIZATION_S_BOTH, 3.0560e-02, 6.7781e-06},
    {&sine_arm, 0.01, TRM_STABILIZATION_S_BOTH2, 2.0421e-04, 6.7541e-07},
    {&sine_arm, 0.01, TRM_STABILIZATION_S_VEL, 0.0, 7.8075e-03},
    {&sine_arm, 0.01, TRM_STABILIZATION_S_POS, 7.2943e-01, 2.7829e-03},
    {&sine_arm, 0.001, TRM_STABILIZATION_S_FULL, 3.8858e-11, 5.2725e-12},
    {&sine_arm, 0.001, TRM_STABILIZATION_S_BOTH, 4.0685e-05, 4.6488e-12},
    {&sine_arm, 0.001, TRM_STABILIZATION_S_BOTH2, 2.0458e-10, 0.0},
    {&sine_arm, 0.001, TRM_STABILIZATION_S_VEL, 0.0, 5.7983e-05},
    {&sine_arm, 0.001, TRM_STABILIZATION_S_POS, 4.4320e-03, 8.7785e-11},
};

static trm_options post_options(trm_stabilization stabilization, double h, trm_post_formula formula)
{
    trm_options options = rig_fixed(TRM_INTEGRATOR_HEUN, stabilization, h);
    options.mass_metric = 0;
    options.post.formula = formula;
    return options;
}

static void check_drift(const char *what, double x, double expected)
{
    if (expected == 0.0) {
        below(what, x, 5e-14);
    } else {
        near(what, x, expected, 1e-3 * expected);
    }
}

static void check_row(const drift_row *row)
{
    rig r = rig_equations(row->arm);
    trm_error err = {.status = TRM_OK};

    rig_start(&r, post_options(row->stabilization, row->h, 0));
    const double t_end = row->arm == &parabola_arm ? 40.0 : 10.0;
    const trm_status status = trm_sim_run(r.sim, t_end, NULL, NULL, &err);
    const trm_report report = trm_sim_report(r.sim);
    rig_close(&r);
    if (isinf(row->velocity)) {
        assert_true(report.velocity_drift > 1e4); // |g| cannot exceed 7
        return;
    }
    rig_ok(status, &err);
    check_drift("velocity", report.velocity_drift, row->velocity);
    check_drift("position", report.position_drift, row->position);
}

CLAIM(post_stabilization_meets_tables_6_1_and_6_2)
{
    for (size_t i = 0; i < sizeof table_6_1_and_6_2 / sizeof *table_6_1_and_6_2; i++) {
        check_row(&table_6_1_and_6_2[i]);
    }
}

CLAIM(post_stabilization_is_exact_step_by_step)
{
    static const double times[3] = {0.01, 0.1, 1.0};

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        rig r = rig_equations(steps[i].arm);
        rig_start(&r, post_options(steps[i].stabilization, 0.01, steps[i].formula));
        for (int k = 0; k < 3; k++) {
            rig_run(&r, times[k]);
            const trm_state s = trm_sim_state(r.sim);
            const double z[4] = {s.q[0], s.q[1], s.v[0], s.v[1]};
            for (int j = 0; j < 4; j++) {
                near("z", z[j], steps[i].z[k][j], 1e-11);
            }
        }
        rig_close(&r);
    }
}

/// The largest drift of sine_arm to t = 5 with Heun.
static trm_report sine_report(trm_options options)
{
    rig r = rig_equations(&sine_arm);
    rig_start(&r, options);
    rig_run(&r, 5.0);
    const trm_report report = trm_sim_report(r.sim);
    rig_close(&r);
    return report;
}

/// (5.2) leaves O(h^(p+1)/alpha), nothing in the limit, which is coordinate projection.
CLAIM(implicit_drift_falls_with_alpha)
{
    for (int mass_metric = 0; mass_metric < 2; mass_metric++) {
        trm_options options = rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_S_IMPLICIT, 2.5e-3);
        options.mass_metric = mass_metric;
        options.post.alpha = 10.0;
        const trm_report ten = sine_report(options);
        options.post.alpha = 1000.0;
        const trm_report thousand = sine_report(options);
        near("gain in |g|", ten.position_drift / thousand.position_drift, 100.0, 15.0);
        near("gain in |G v|", ten.velocity_drift / thousand.velocity_drift, 100.0, 15.0);
        options.h /= 2.0;
        near("order of |g|", log2(thousand.position_drift / sine_report(options).position_drift),
             3.0, 0.4);
    }
}

/// Without (4.3) the drift of a pendulum grows as t in velocity and as t^2 in position.
CLAIM(continuous_stabilization_stops_the_growth_of_drift)
{
    const double period = 2.36784194757623745; // 4 K(1/2) sqrt(l/g)
    rig r = rig_load("pendulum", NULL);

    for (int mass_metric = 0; mass_metric < 2; mass_metric++) {
        trm_options options = rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_CONTINUOUS, 0.02);
        trm_report report[2];
        options.mass_metric = mass_metric;
        rig_start(&r, options);
        for (int k = 0; k < 2; k++) {
            rig_run(&r, (k == 0 ? 4.0 : 16.0) * period);
            report[k] = trm_sim_report(r.sim);
        }
        near("growth of |g|", report[1].position_drift / report[0].position_drift, 1.0, 0.05);
        near("growth of |G v|", report[1].velocity_drift / report[0].velocity_drift, 1.0, 0.05);
    }
    rig_close(&r);
}

/// A factor alpha leaves |1 - alpha| of a residual: 3/4 and 5/4 leave about the same, 1 far less.
CLAIM(alpha_leaves_its_share_of_the_drift)
{
    static const trm_stabilization family[] = {TRM_STABILIZATION_S_BOTH, TRM_STABILIZATION_S_FULL,
                                               TRM_STABILIZATION_S_BOTH2};
    static const double alphas[] = {0.75, 1.25, 1.0};

    for (size_t i = 0; i < sizeof family / sizeof *family; i++) {
        double drift[3];
        for (int k = 0; k < 3; k++) {
            trm_options options = rig_fixed(TRM_INTEGRATOR_HEUN, family[i], 1e-3);
            options.post.alpha = alphas[k];
            drift[k] = sine_report(options).position_drift;
        }
        below("drift at alpha = 1", drift[2], 0.01 * fmin(drift[0], drift[1]));
        below("ratio of 3/4 and 5/4", fmax(drift[0], drift[1]) / fmin(drift[0], drift[1]), 4.0);
    }
}

/// Rows of the flat model: unit (q_0, q_0 + sigma q_1).
typedef struct flat {
    double unit, sigma;
} flat;

static int flat_g(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)model, (void)t;
    const flat *const rows = user;
    out[0] = rows->unit * q[0];
    out[1] = rows->unit * (q[0] + rows->sigma * q[1]);
    return 0;
}

static int flat_G(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)model, (void)t, (void)q;
    const flat *const rows = user;
    out[0] = out[2] = rows->unit;
    out[1] = 0.0;
    out[3] = rows->unit * rows->sigma;
    return 0;
}

static int flat_gamma(const trm_model *model, double t, const double *q, const double *v,
                      double *gamma, void *user)
{
    (void)model, (void)t, (void)q, (void)v, (void)user;
    gamma[0] = gamma[1] = 0.0;
    return 0;
}

static int flat_M(const trm_model *model, double t, const double *q, double *M, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return 0;
}

static int flat_f(const trm_model *model, double t, const double *q, const double *v, double *f,
                  void *user)
{
    (void)model, (void)t, (void)q, (void)v, (void)user;
    f[0] = f[1] = 0.0;
    return 0;
}

static rig open_flat(flat *rows)
{
    return rig_equations(&(trm_equations){.name = "flat",
                                          .nq = 2,
                                          .nv = 2,
                                          .nc = 2,
                                          .M = flat_M,
                                          .f = flat_f,
                                          .g = flat_g,
                                          .G = flat_G,
                                          .gamma = flat_gamma,
                                          .user = rows});
}

/// g = (q_0, q_0 + sigma q_1), sigma = 1e-4, with sigma^2/2 as the smallest eigenvalue of S:
/// roundoff in a gap of 1e-12 would be 2e-4 of it, whose square is more, but a damping of that size
/// would leave most of the gap. With the damping of 1e-10 alone, a solve and a proximal step leave
/// (1e-10/(sigma^2/2))^2 = 4e-4 of it.
CLAIM(a_gap_across_a_flat_direction_is_closed)
{
    static flat rows = {.unit = 1.0, .sigma = 1e-4};
    rig r = open_flat(&rows);
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_S_BOTH, 0.01));
    double z[5] = {0.0, 1e-12 / rows.sigma};
    assert_int_equal(trm_post_correct(&r.sim->run, TRM_POST_POSITION, 0.0, z), 0);
    below("gap", fabs(z[0] + rows.sigma * z[1]), 1e-15);
    rig_close(&r);
}

/// The damping of S-full is relative: rows in another unit, a millionth, are corrected as well.
CLAIM(s_full_does_not_depend_on_the_unit_of_rows)
{
    static flat rows = {.unit = 1e-6, .sigma = 1.0};
    rig r = open_flat(&rows);
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_S_FULL, 0.01));
    double z[5] = {1e-3, -2e-3, 3e-3, 1e-3};
    trm_run *const run = &r.sim->run;
    assert_int_equal(run->stabilization->correct(run, 0.0, z), 0);
    for (int i = 0; i < 4; i++) {
        near("z", z[i], 0.0, 1e-12);
    }
    rig_close(&r);
}
