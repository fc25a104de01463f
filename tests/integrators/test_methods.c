// The methods themselves: observed order, drift laws, O(epsilon^s) of sequential regularization,
// and the papers' tables, on the papers' own examples in reduced coordinates.

#include "tests/rig.h"
#include "validation/papers/problems/problems_arm.h"
#include "validation/papers/problems/problems_crank.h"

// ---------------------------------------------------------------------------- observed order

/// A smooth problem with a known solution at t = 1.
typedef struct problem {
    const char *name;
    rig (*open)(void);
    double (*error)(const rig *r); ///< the largest one in angles and rates at t = 1
    int steps[9];                  ///< [order] coarse number of steps, in the asymptotic range
    int sharp;                     ///< nonzero: not more than the order, either
} problem;

static rig open_prescribed_arm(void)
{
    return rig_equations(&prescribed_arm);
}

/// Against q = (sin t, -2 sin t).
static double prescribed_arm_error(const rig *r)
{
    const trm_state s = trm_sim_state(r->sim);
    const double eq = fmax(fabs(s.q[0] - sin(s.t)), fabs(s.q[1] + 2.0 * sin(s.t)));
    const double ev = fmax(fabs(s.v[0] - cos(s.t)), fabs(s.v[1] + 2.0 * cos(s.t)));
    return fmax(eq, ev);
}

static rig open_arm_sine(void)
{
    return rig_load("arm_sine", NULL);
}

/// Absolute coordinates against the reduced ones at t = 1: digits common to extrapolation in long
/// double and to Gauss collocation of order 12.
static double arm_sine_error(const rig *r)
{
    const double theta1 = -0.206427447565297, theta2 = 0.65625845309514;
    const double rate1 = -5.14197639810157, rate2 = 11.19796745297128;
    const double q1 = rig_q(r, "upper", 2), q2 = rig_q(r, "lower", 2) - q1;
    const double v1 = rig_v(r, "upper", 2), v2 = rig_v(r, "lower", 2) - v1;
    const double eq = fmax(fabs(q1 - theta1), fabs(q2 - theta2));
    const double ev = fmax(fabs(v1 - rate1), fabs(v2 - rate2));
    return fmax(eq, ev);
}

static const problem problems[] = {
    {"prescribed arm",
     open_prescribed_arm,
     prescribed_arm_error,
     {[2] = 256, [3] = 32, [4] = 16, [5] = 8, [8] = 2},
     1},
    {"arm_sine",
     open_arm_sine,
     arm_sine_error,
     {[2] = 4096, [3] = 1024, [4] = 512, [5] = 64, [8] = 64},
     0},
};

/// Error after n equal steps to t = 1. An adaptive method takes them, too, when its tolerance is
/// loose and every step is asked for.
static double error_of(const problem *p, const trm_method *method, int n)
{
    rig r = p->open();
    trm_options options = rig_fixed(method->integrator, method->stabilization, 1.0 / n);

    options.rtol = options.atol = 1.0;
    if (method->stabilization == TRM_STABILIZATION_BAUMGARTE) {
        options.baumgarte.alpha1 = 12.0;
        options.baumgarte.alpha0 = 70.0;
    }
    rig_start(&r, options);
    for (int i = 1; i <= n; i++) {
        rig_run(&r, (double)i / n);
    }
    assert_int_equal(trm_sim_stats(r.sim).steps, n);
    const double error = p->error(&r);
    rig_close(&r);
    return error;
}

static void check_order(const problem *p, const trm_method *method)
{
    const int n = p->steps[method->order];
    const double order = log2(error_of(p, method, n) / error_of(p, method, 2 * n));

    if (!(order > method->order - 0.25) || (p->sharp && !(order < method->order + 0.25))) {
        fail_msg("%s, %s with %s: order %d, observed %.2f", p->name, method->integrator_name,
                 method->stabilization_name, method->order, order);
    }
}

CLAIM(every_method_has_its_order)
{
    rig_figures();
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);

    assert_true(n > 0);
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
        for (int i = 0; i < n; i++) {
            if (methods[i].integrator == TRM_INTEGRATOR_IDA ||
                methods[i].integrator == TRM_INTEGRATOR_ADAMS || // test_adams.c
                methods[i].integrator == TRM_INTEGRATOR_MOREAU) {
                continue; // both choose their order on the way; there are no contacts:
            }             // test_projected.c
            check_order(&problems[k], &methods[i]);
        }
    }
}

// -------------------------------------------------------------------------------- drift laws

/// With [ACC] alone, the error that a step adds to g'' stays: per period of a pendulum the drift
/// grows as t in velocity and as t^2 in position.
CLAIM(plain_drift_grows_as_t_squared)
{
    const double period = 2.36784194757623745; // 4 K(1/2) sqrt(l/g)
    rig r = rig_load("pendulum", NULL);
    trm_report report[2];

    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN, 0.02));
    for (int k = 0; k < 2; k++) {
        rig_run(&r, (k + 1) * 4.0 * period);
        report[k] = trm_sim_report(r.sim);
    }
    near("growth of |g|", report[1].position_drift / report[0].position_drift, 4.0, 0.05);
    near("growth of |G v|", report[1].velocity_drift / report[0].velocity_drift, 2.0, 0.05);
    rig_close(&r);
}

/// Largest drift of a run of `equations` to t_end, or to where it diverges.
static trm_report report_of(const trm_equations *equations, trm_options options, double t_end)
{
    rig r = rig_equations(equations);
    trm_error err = {.status = TRM_OK};

    rig_start(&r, options);
    const trm_status status = trm_sim_run(r.sim, t_end, NULL, NULL, &err);
    assert_true(status == TRM_OK || status == TRM_ERR_DIVERGED);
    const trm_report report = trm_sim_report(r.sim);
    rig_close(&r);
    return report;
}

/// A step of Heun leaves the constraints by O(h^3), S-both squares that: O(h^6) in velocity.
CLAIM(s_both2_drift_is_far_smaller_than_the_error)
{
    const double h = 0.0025;

    for (int mass_metric = 0; mass_metric < 2; mass_metric++) {
        trm_options coarse = rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_S_BOTH2, h);
        coarse.mass_metric = mass_metric;
        trm_options fine = coarse;
        fine.h = h / 2.0;
        const double v = report_of(&sine_arm, fine, 10.0).velocity_drift;
        near("order of the velocity drift",
             log2(report_of(&sine_arm, coarse, 10.0).velocity_drift / v), 6.0, 0.3);
        below("velocity drift against that of [ACC] alone", v,
              1e-4 * report_of(&sine_arm,
                               rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_PLAIN, h / 2.0),
                               5.0)
                         .velocity_drift);
    }
}

CLAIM(projection_leaves_roundoff)
{
    const trm_equations *const arms[] = {&parabola_arm, &sine_arm};

    for (size_t i = 0; i < 2; i++) {
        const trm_report report = report_of(
            arms[i], rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_PROJECTION, 0.01), 10.0);
        below("position", report.position_drift, 1e-13);
        below("velocity", report.velocity_drift, 1e-13);
    }
}

// ------------------------------------------------------------------------------------ tables

/// [AL95 Table 6.4]: error in q, in v, |g|, |G v| of iterates 1, 2, 3 at t = 0.1, 0.5, 1. Heun,
/// h = 1e-3, E = I, epsilon = 5e-3 in all iterates (the 5e-4 printed beside the third would be
/// unstable: h rho(GB)/epsilon = 2.3).
typedef struct srm_row {
    double t;
    double q, v, position, velocity;
} srm_row;

/// As printed. NAN for the four cells, all of the first iterate, that the formulas do not give:
/// .74e-2, .22e-4, .49e-2 and .41e-2 instead of .75e-2, .23e-4, .50e-2 and .44e-2.
static const srm_row table_6_4[3][3] = {
    {{0.1, .41e-4, .75e-2, .22e-4, NAN},
     {0.5, .66e-3, NAN, .28e-4, NAN},
     {1.0, .26e-2, .69e-2, NAN, .27e-2}},
    {{0.1, .13e-6, .19e-5, .42e-9, .91e-7},
     {0.5, .66e-6, .81e-6, .13e-7, .21e-5},
     {1.0, .36e-6, .20e-4, .17e-6, .21e-4}},
    {{0.1, .10e-6, .86e-6, .96e-11, .10e-8},
     {0.5, .58e-6, .10e-5, .60e-9, .99e-7},
     {1.0, .12e-5, .16e-5, .48e-8, .59e-6}},
};

/// All cells to three digits by an independent prototype of the same formulas.
static const srm_row prototype_of_6_4[3][3] = {
    {{0.1, 0.409e-4, 0.750e-2, 0.224e-4, 0.497e-2},
     {0.5, 0.663e-3, 0.746e-2, 0.277e-4, 0.439e-2},
     {1.0, 0.264e-2, 0.690e-2, 0.230e-4, 0.272e-2}},
    {{0.1, 0.130e-6, 0.188e-5, 0.415e-9, 0.913e-7},
     {0.5, 0.662e-6, 0.811e-6, 0.128e-7, 0.214e-5},
     {1.0, 0.357e-6, 0.196e-4, 0.167e-6, 0.205e-4}},
    {{0.1, 0.100e-6, 0.862e-6, 0.961e-11, 0.998e-9},
     {0.5, 0.577e-6, 0.100e-5, 0.603e-9, 0.993e-7},
     {1.0, 0.119e-5, 0.158e-5, 0.484e-8, 0.589e-6}},
};

static trm_options table_6_4_options(trm_srm_matrix E, int iterations)
{
    trm_options options = rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_SRM, 1e-3);
    options.srm.E = E;
    options.srm.epsilon = 5e-3;
    options.srm.iterations = iterations;
    options.srm.lambda0_zero = 1;
    return options;
}

static srm_row prescribed_errors(const rig *r)
{
    const trm_state s = trm_sim_state(r->sim);
    const trm_drift drift = trm_sim_drift(r->sim);
    return (srm_row){
        .t = s.t,
        .q = fmax(fabs(s.q[0] - sin(s.t)), fabs(s.q[1] + 2.0 * sin(s.t))),
        .v = fmax(fabs(s.v[0] - cos(s.t)), fabs(s.v[1] + 2.0 * cos(s.t))),
        .position = drift.position,
        .velocity = drift.velocity,
    };
}

/// Equal to the digits given, which are `digits` significant ones; NAN: not compared.
static void check_digits(const char *what, double x, double expected, int digits)
{
    char rounded[32];
    snprintf(rounded, sizeof rounded, "%.*e", digits - 1, x);
    if (!isnan(expected)) {
        near(what, strtod(rounded, NULL), expected, 1e-10 * expected);
    }
}

static void check_cells(const srm_row *found, const srm_row *expected, int digits)
{
    check_digits("error in q", found->q, expected->q, digits);
    check_digits("error in v", found->v, expected->v, digits);
    check_digits("|g|", found->position, expected->position, digits);
    check_digits("|G v|", found->velocity, expected->velocity, digits);
}

CLAIM(srm_meets_table_6_4)
{
    rig r = rig_equations(&prescribed_arm);

    for (int s = 1; s <= 3; s++) {
        rig_start(&r, table_6_4_options(TRM_SRM_MATRIX_IDENTITY, s));
        for (int k = 0; k < 3; k++) {
            rig_run(&r, table_6_4[s - 1][k].t);
            const srm_row found = prescribed_errors(&r);
            check_cells(&found, &table_6_4[s - 1][k], 2);
            check_cells(&found, &prototype_of_6_4[s - 1][k], 3);
        }
    }
    rig_close(&r);
}

/// Third iterate at t = 1 with the other two choices of E, by the same prototype.
CLAIM(srm_meets_the_prototype_with_other_E)
{
    rig r = rig_equations(&prescribed_arm);

    rig_start(&r, table_6_4_options(TRM_SRM_MATRIX_GB_TRANSPOSED, 3));
    rig_run(&r, 1.0);
    check_digits("error in q, (GB)^T", prescribed_errors(&r).q, 8.4e-7, 2);
    check_digits("error in v, (GB)^T", prescribed_errors(&r).v, 3.6e-6, 2);
    rig_start(&r, table_6_4_options(TRM_SRM_MATRIX_GB_INVERSE, 3));
    rig_run(&r, 1.0);
    check_digits("error in q, inv(GB)", prescribed_errors(&r).q, 1.6e-6, 2);
    check_digits("error in v, inv(GB)", prescribed_errors(&r).v, 1.4e-6, 2);
    rig_close(&r);
}

/// Error of iterate s at t = 0.5, the step so small that Heun's own error hides nothing.
static double srm_error(trm_srm_matrix E, int s, double epsilon)
{
    rig r = rig_equations(&prescribed_arm);
    trm_options options = table_6_4_options(E, s);

    options.h = 2.5e-4;
    options.srm.epsilon = epsilon;
    rig_start(&r, options);
    rig_run(&r, 0.5);
    const double error = prescribed_arm_error(&r);
    rig_close(&r);
    return error;
}

CLAIM(iterate_s_of_srm_is_off_by_epsilon_to_the_s)
{
    const trm_srm_matrix forms[] = {TRM_SRM_MATRIX_IDENTITY, TRM_SRM_MATRIX_GB_TRANSPOSED,
                                    TRM_SRM_MATRIX_GB_INVERSE};

    for (size_t i = 0; i < 3; i++) {
        for (int s = 1; s <= 3; s++) {
            const double gain = srm_error(forms[i], s, 1e-2) / srm_error(forms[i], s, 5e-3);
            if (!(gain > 0.75 * pow(2.0, s))) {
                fail_msg("E %zu, iterate %d: halving epsilon gains %.2f", i, s, gain);
            }
        }
    }
}

/// [AL95 Example 6.5] by (5.5)-(5.6), Heun, h = epsilon = 1e-4, lambda_0 = 0: drift at t = 30 of
/// iterates 1 and 2 by an independent prototype. The printed Table 6.5, .669e-8 .671e-4 and
/// .730e-11 .731e-7, cannot come from the data given: lambda_0 = 0 makes |G v| at least
/// 9.81 epsilon. Its gain of 1e-3 per iterate is here.
CLAIM(lambda_hat_gains_a_factor_1000_on_the_slider_crank)
{
    static const double expected[2][2] = {{0.982e-7, 0.983e-3}, {0.191e-9, 0.102e-5}};

    for (int s = 1; s <= 2; s++) {
        rig r = rig_equations(&swinging_crank);
        trm_options options = rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_SRM, 1e-4);
        options.srm.form = TRM_SRM_LAMBDA_HAT;
        options.srm.epsilon = 1e-4;
        options.srm.iterations = s;
        options.srm.lambda0_zero = 1;
        rig_start(&r, options);
        rig_run(&r, 30.0);
        check_digits("|g|", trm_sim_drift(r.sim).position, expected[s - 1][0], 3);
        check_digits("|G v|", trm_sim_drift(r.sim).velocity, expected[s - 1][1], 3);
        rig_close(&r);
    }
}

/// [ACPR95 Tables 6.1 and 6.2], the rows of Baumgarte and of S-both^2 with the identity metric:
/// largest |G v + g_t| and |g| over all steps, after stabilization. `printed` as in the paper, the
/// five digits by an independent prototype, the same in double and in long double. Roundoff is
/// written as 0 and must stay below 5e-14; the row of INFINITY blows up.
typedef struct drift_row {
    const trm_equations *arm; ///< parabola_arm runs to t = 40, sine_arm to t = 10
    double h;
    trm_stabilization stabilization;
    double alpha1, alpha0;
    double printed[2], velocity, position;
} drift_row;

#define BAUMGARTE TRM_STABILIZATION_BAUMGARTE
#define S_BOTH2 TRM_STABILIZATION_S_BOTH2
// clang-format off
static const drift_row table_6_1_and_6_2[] = {
    {&parabola_arm, 0.01,  BAUMGARTE,  0.0,  0.0, {.33e-2, .17e-2}, 3.2754e-3,  1.7071e-3},
    {&parabola_arm, 0.01,  BAUMGARTE, 12.0, 70.0, {.72e-2, .14e-2}, 7.1966e-3,  1.4493e-3},
    {&parabola_arm, 0.01,  S_BOTH2,    0.0,  0.0, {.67e-8, NAN},    6.6590e-9,  0.0},
    {&parabola_arm, 0.001, BAUMGARTE,  0.0,  0.0, {.32e-4, .17e-4}, 3.1959e-5,  1.6798e-5},
    {&parabola_arm, 0.001, BAUMGARTE, 12.0, 70.0, {.70e-4, .14e-4}, 7.0473e-5,  1.4057e-5},
    {&parabola_arm, 0.001, S_BOTH2,    0.0,  0.0, {NAN, NAN},       0.0,        0.0},
    {&sine_arm,     0.01,  BAUMGARTE,  0.0,  0.0, {NAN, NAN},       INFINITY,   INFINITY},
    {&sine_arm,     0.01,  BAUMGARTE, 12.0, 70.0, {.51, .25e-1},    5.1248e-1,  2.4577e-2},
    {&sine_arm,     0.01,  S_BOTH2,    0.0,  0.0, {.20e-3, .68e-6}, 2.0421e-4,  6.7541e-7},
    {&sine_arm,     0.001, BAUMGARTE,  0.0,  0.0, {.66e-4, .56e-4}, 6.5741e-5,  5.5709e-5},
    {&sine_arm,     0.001, BAUMGARTE, 12.0, 70.0, {.60e-3, .38e-4}, 6.0183e-4,  3.8292e-5},
    {&sine_arm,     0.001, S_BOTH2,    0.0,  0.0, {.20e-9, NAN},    2.0458e-10, 0.0},
};
// clang-format on

static trm_options row_options(const drift_row *row)
{
    trm_options options = rig_fixed(TRM_INTEGRATOR_HEUN, row->stabilization, row->h);
    if (row->stabilization == TRM_STABILIZATION_BAUMGARTE) {
        options.baumgarte = (trm_baumgarte_options){row->alpha1, row->alpha0};
    }
    options.mass_metric = 0;
    return options;
}

static void check_drift(const char *what, double x, double printed, double expected)
{
    if (expected == 0.0) {
        below(what, x, 5e-14);
    } else {
        near(what, x, expected, 1e-3 * expected);
        check_digits(what, x, printed, 2);
    }
}

CLAIM(drifts_meet_tables_6_1_and_6_2)
{
    for (size_t i = 0; i < sizeof table_6_1_and_6_2 / sizeof *table_6_1_and_6_2; i++) {
        const drift_row *row = &table_6_1_and_6_2[i];
        const double t_end = row->arm == &parabola_arm ? 40.0 : 10.0;
        const trm_report report = report_of(row->arm, row_options(row), t_end);
        if (isinf(row->velocity)) {
            assert_true(report.velocity_drift > 1e4); // |g| cannot exceed 3
            continue;
        }
        check_drift("velocity", report.velocity_drift, row->printed[0], row->velocity);
        check_drift("position", report.position_drift, row->printed[1], row->position);
    }
}

/// States theta1, theta2, theta1', theta2' after 1, 10 and 100 steps of Heun, h = 0.01, by an
/// independent program of the same formulas.
typedef struct step_row {
    const trm_equations *arm;
    trm_stabilization stabilization;
    double alpha1, alpha0;
    double z[3][4];
} step_row;

static const step_row steps[] = {
    {&parabola_arm,
     TRM_STABILIZATION_BAUMGARTE,
     0.0,
     0.0,
     {{1.2213356318220687, -2.443747199564944, -0.07899902140667565, -0.05717903761873898},
      {1.1814682944232167, -2.47048959673056, -0.8204183009103463, -0.5088225894935885},
      {-2.8817387615455288, -1.6997308512889902, -3.451021076601932, 4.0540911001458975}}},
    {&parabola_arm,
     TRM_STABILIZATION_BAUMGARTE,
     12.0,
     70.0,
     {{1.2213356318220687, -2.443747199564944, -0.07899902140667565, -0.05717903761873898},
      {1.181466276778164, -2.4704791124387504, -0.82048413680998, -0.5084458699923551},
      {-2.881493722257693, -1.6998023276658258, -3.4513875804552985, 4.050909154389954}}},
    {&parabola_arm,
     TRM_STABILIZATION_S_BOTH2,
     0.0,
     0.0,
     {{1.2213355225071296, -2.4437470485347137, -0.0789989915269666, -0.057179078900738964},
      {1.1814503081682266, -2.470462633827176, -0.8204333249421628, -0.5088038437927067},
      {-2.8820171575754516, -1.699809881453425, -3.4505169514795555, 4.054604691196572}}},
    {&sine_arm,
     TRM_STABILIZATION_BAUMGARTE,
     0.0,
     0.0,
     {{1.221683040104993, -2.443292985099982, -0.009489795774692293, 0.03359150158263984},
      {1.2169021111434124, -2.426662230810891, -0.09830996205674664, 0.33606610347418886},
      {-0.20576823531752622, 0.6546835105195253, -5.140194707919512, 11.192926605125555}}},
    {&sine_arm,
     TRM_STABILIZATION_BAUMGARTE,
     12.0,
     70.0,
     {{1.221683040104993, -2.443292985099982, -0.009482266682697258, 0.03360201185500893},
      {1.2169040476791153, -2.426659501161438, -0.09828040777629174, 0.33610829941863735},
      {-0.20578755066730386, 0.65491393462322, -5.139975820394124, 11.19559040689928}}},
    {&sine_arm,
     TRM_STABILIZATION_S_BOTH2,
     0.0,
     0.0,
     {{1.2216830331168513, -2.4432929885944037, -0.00948974590434199, 0.03359152652031817},
      {1.2169008950861415, -2.4266628391479084, -0.09830889698223964, 0.33606676933535506},
      {-0.2057041774312025, 0.6547491554326186, -5.140297633603921, 11.19301346944355}}},
};

CLAIM(states_after_1_10_100_steps_are_those_of_the_formulas)
{
    static const double times[3] = {0.01, 0.1, 1.0};

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const drift_row row = {.h = 0.01,
                               .stabilization = steps[i].stabilization,
                               .alpha1 = steps[i].alpha1,
                               .alpha0 = steps[i].alpha0};
        rig r = rig_equations(steps[i].arm);
        rig_start(&r, row_options(&row));
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
