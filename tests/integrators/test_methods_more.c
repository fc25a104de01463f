// The rest of the methods: the post-stabilization family on [ACPR95 Tables 6.1 and 6.2], and every
// method's own claims on the papers' examples and on a mechanism in space.

#include "tests/reference.h"
#include "tests/rig.h"
#include "tools/paper/problems/problems_arm.h"

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
    {&parabola_arm, 0.01, TRM_S_FULL, 1.2326e-08, 6.1084e-10},
    {&parabola_arm, 0.01, TRM_S_BOTH, 1.6092e-04, 3.9005e-10},
    {&parabola_arm, 0.01, TRM_S_BOTH2, 6.6590e-09, 0.0},
    {&parabola_arm, 0.01, TRM_S_VEL, 0.0, 8.4454e-04},
    {&parabola_arm, 0.01, TRM_S_POS, INFINITY, INFINITY},
    {&parabola_arm, 0.001, TRM_S_FULL, 0.0, 0.0},
    {&parabola_arm, 0.001, TRM_S_BOTH, 1.5718e-07, 0.0},
    {&parabola_arm, 0.001, TRM_S_BOTH2, 0.0, 0.0},
    {&parabola_arm, 0.001, TRM_S_VEL, 0.0, 8.0866e-06},
    {&parabola_arm, 0.001, TRM_S_POS, 4.7684e-03, 7.5526e-12},
    {&sine_arm, 0.01, TRM_S_FULL, 7.2073e-06, 6.2936e-07},
    {&sine_arm, 0.01, TRM_S_BOTH, 3.0560e-02, 6.7781e-06},
    {&sine_arm, 0.01, TRM_S_BOTH2, 2.0421e-04, 6.7541e-07},
    {&sine_arm, 0.01, TRM_S_VEL, 0.0, 7.8075e-03},
    {&sine_arm, 0.01, TRM_S_POS, 7.2943e-01, 2.7829e-03},
    {&sine_arm, 0.001, TRM_S_FULL, 3.8858e-11, 5.2725e-12},
    {&sine_arm, 0.001, TRM_S_BOTH, 4.0685e-05, 4.6488e-12},
    {&sine_arm, 0.001, TRM_S_BOTH2, 2.0458e-10, 0.0},
    {&sine_arm, 0.001, TRM_S_VEL, 0.0, 5.7983e-05},
    {&sine_arm, 0.001, TRM_S_POS, 4.4320e-03, 8.7785e-11},
};

static trm_options post_options(trm_stabilization stabilization, double h, trm_post_formula formula)
{
    trm_options options = rig_fixed(TRM_HEUN, stabilization, h);
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

static void post_stabilization_meets_tables_6_1_and_6_2(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table_6_1_and_6_2 / sizeof *table_6_1_and_6_2; i++) {
        check_row(&table_6_1_and_6_2[i]);
    }
}

/// theta1, theta2, theta1', theta2' after 1, 10 and 100 steps of Heun, h = 0.01, identity metric,
/// by an independent program of the same formulas.
typedef struct step_row {
    const trm_equations *arm;
    trm_stabilization stabilization;
    trm_post_formula formula;
    double z[3][4];
} step_row;

static const step_row steps[] = {
    {&parabola_arm,
     TRM_S_FULL,
     0,
     {{1.2213355163436406, -2.443747052995794, -0.07899899220855738, -0.05717907795904884},
      {1.1814595494264293, -2.4704569026115046, -0.8204252810229191, -0.5088162371585103},
      {-2.8820302249281613, -1.6997945261017373, -3.4490191506176187, 4.052883475288766}}},
    {&parabola_arm,
     TRM_S_BOTH,
     0,
     {{1.2213355225071187, -2.4437470485346986, -0.07899898991645886, -0.05717908112582706},
      {1.181450308351761, -2.4704626336926867, -0.8204331311066924, -0.5088041451909985},
      {-2.8820153561030053, -1.6998119982368278, -3.45054930837127, 4.054588335437584}}},
    {&parabola_arm,
     TRM_S_BOTH2,
     1,
     {{1.2213355225071296, -2.4437470485347137, -0.07899899152696634, -0.057179078900739456},
      {1.1814503081682108, -2.470462633827186, -0.820433324941676, -0.5088038437949669},
      {-2.882017158983663, -1.6998098797986771, -3.450516958553567, 4.054604704156644}}},
    {&parabola_arm,
     TRM_S_VEL,
     0,
     {{1.2213356318220687, -2.443747199564944, -0.07899898991645886, -0.05717908112582706},
      {1.1814680882857054, -2.4704892836159082, -0.8204291843008762, -0.5088053430764927},
      {-2.88184726230723, -1.6999434040174983, -3.4508643897909983, 4.054411447432769}}},
    {&parabola_arm,
     TRM_S_POS,
     0,
     {{1.2213355225071187, -2.4437470485346986, -0.07899902140667565, -0.05717903761873898},
      {1.1814503125837927, -2.4704626310669533, -0.8204213641209552, -0.508822814597584},
      {-2.8819664116188974, -1.6998695104632726, -3.4507920980384155, 4.0537861330575495}}},
    {&sine_arm,
     TRM_S_FULL,
     0,
     {{1.2216830329167476, -2.4432929881942367, -0.009489745907553663, 0.033591526518712174},
      {1.2169008706654025, -2.4266627907686886, -0.09830890295595646, 0.3360667724587929},
      {-0.2057227895401916, 0.6547879923349652, -5.140216750648756, 11.192881992476567}}},
    {&sine_arm,
     TRM_S_BOTH,
     0,
     {{1.2216830331168511, -2.4432929885944037, -0.009489746254772313, 0.03359152634508542},
      {1.2169008950741445, -2.426662839124052, -0.09830900999347732, 0.33606671377886577},
      {-0.20570417022263646, 0.6547491403692303, -5.140312079637942, 11.193003945426788}}},
    {&sine_arm,
     TRM_S_BOTH2,
     1,
     {{1.2216830331168513, -2.4432929885944037, -0.009489745904341988, 0.033591526520318174},
      {1.2169008950861406, -2.426662839147906, -0.0983088969822596, 0.33606676933548174},
      {-0.20570417743618688, 0.6547491554430194, -5.140297633587568, 11.193013469508722}}},
    {&sine_arm,
     TRM_S_VEL,
     0,
     {{1.221683040104993, -2.443292985099982, -0.009489746254772313, 0.03359152634508542},
      {1.2169021345274456, -2.426662219351301, -0.09830944161676226, 0.33606635400267515},
      {-0.20578280765128976, 0.6546757303305152, -5.140428707815395, 11.192751916933277}}},
    {&sine_arm,
     TRM_S_POS,
     0,
     {{1.2216830331168511, -2.4432929885944037, -0.009489795774692293, 0.03359150158263984},
      {1.2169008949577567, -2.4266628388934848, -0.0983098535856223, 0.3360663005089694},
      {-0.205705462636948, 0.6547518371909173, -5.140089114897746, 11.193144241467033}}},
};

static void post_stabilization_is_exact_step_by_step(void **state)
{
    (void)state;
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
static void implicit_drift_falls_with_alpha(void **state)
{
    (void)state;
    for (int mass_metric = 0; mass_metric < 2; mass_metric++) {
        trm_options options = rig_fixed(TRM_HEUN, TRM_S_IMPLICIT, 2.5e-3);
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
static void continuous_stabilization_stops_the_growth_of_drift(void **state)
{
    (void)state;
    const double period = 2.36784194757623745; // 4 K(1/2) sqrt(l/g)
    rig r = rig_load("pendulum", NULL);

    for (int mass_metric = 0; mass_metric < 2; mass_metric++) {
        trm_options options = rig_fixed(TRM_RK4, TRM_S_CONTINUOUS, 0.02);
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
static void alpha_leaves_its_share_of_the_drift(void **state)
{
    (void)state;
    static const trm_stabilization family[] = {TRM_S_BOTH, TRM_S_FULL, TRM_S_BOTH2};
    static const double alphas[] = {0.75, 1.25, 1.0};

    for (size_t i = 0; i < sizeof family / sizeof *family; i++) {
        double drift[3];
        for (int k = 0; k < 3; k++) {
            trm_options options = rig_fixed(TRM_HEUN, family[i], 1e-3);
            options.post.alpha = alphas[k];
            drift[k] = sine_report(options).position_drift;
        }
        below("drift at alpha = 1", drift[2], 0.01 * fmin(drift[0], drift[1]));
        below("ratio of 3/4 and 5/4", fmax(drift[0], drift[1]) / fmin(drift[0], drift[1]), 4.0);
    }
}

static void options_out_of_range_are_refused(void **state)
{
    (void)state;
    rig r = rig_equations(&sine_arm);
    trm_error err = {.status = TRM_OK};
    trm_options options = rig_fixed(TRM_HEUN, TRM_S_BOTH, 1e-3);

    options.post.alpha = 2.0;
    assert_int_equal(trm_sim_create(r.model, &options, &r.sim, &err), TRM_ERR_OPTIONS);
    assert_string_equal(err.where, "alpha");
    options = rig_fixed(TRM_HEUN, TRM_S_IMPLICIT, 1e-3);
    options.post.alpha = 2.0;
    assert_int_equal(trm_sim_create(r.model, &options, &r.sim, &err), TRM_OK);
    trm_sim_destroy(r.sim);
    r.sim = NULL;
    options = rig_fixed(TRM_HEUN, TRM_S_CONTINUOUS, 1e-3);
    options.post.gamma = -1.0;
    assert_int_equal(trm_sim_create(r.model, &options, &r.sim, &err), TRM_ERR_OPTIONS);
    rig_close(&r);
}

// ----------------------------------------------------------------------------------------- SRM-P

/// Largest error of prescribed_arm in angles and rates: q = (sin t, -2 sin t).
static double prescribed_error(const rig *r)
{
    const trm_state s = trm_sim_state(r->sim);
    const double eq = fmax(fabs(s.q[0] - sin(s.t)), fabs(s.q[1] + 2.0 * sin(s.t)));
    const double ev = fmax(fabs(s.v[0] - cos(s.t)), fabs(s.v[1] + 2.0 * cos(s.t)));
    return fmax(eq, ev);
}

static double srm_p_error(int passes, int degree, int n)
{
    rig r = rig_equations(&prescribed_arm);
    trm_options options = rig_fixed(TRM_RK4, TRM_SRM_P, 1.0 / n);
    options.srm_p.passes = passes;
    options.srm_p.degree = degree;
    rig_start(&r, options);
    rig_run(&r, 1.0);
    assert_int_equal(trm_sim_stats(r.sim).fallbacks, 0);
    const double error = prescribed_error(&r);
    rig_close(&r);
    return error;
}

/// k + 2, and a second pass makes the same order more accurate.
static void srm_p_order_follows_the_degree_of_the_prediction(void **state)
{
    (void)state;
    for (int k = 0; k <= 2; k++) {
        near("order", log2(srm_p_error(1, k, 128) / srm_p_error(1, k, 256)), k + 2.0, 0.3);
    }
    near("order, two passes", log2(srm_p_error(2, 2, 128) / srm_p_error(2, 2, 256)), 4.0, 0.3);
    below("two passes against one", srm_p_error(2, 2, 128), 0.2 * srm_p_error(1, 2, 128));
}

/// Through 32 singular positions at every tolerance, exactly symmetric and disturbed by 1e-9, where
/// a symmetric start would hide a wrong direction of P.
static void srm_p_passes_singular_positions_at_every_tolerance(void **state)
{
    (void)state;
    for (int disturbed = 0; disturbed < 2; disturbed++) {
        for (int passes = 1; passes <= 2; passes++) {
            for (double tolerance = 1e-4; tolerance > 1e-9; tolerance /= 100.0) {
                rig r = rig_load("slider_crank_swing",
                                 (const char *const[]){"disturb", disturbed ? "1e-9" : "0", NULL});
                trm_options options = rig_adaptive(TRM_DOPRI5, TRM_SRM_P, tolerance, tolerance);
                options.srm_p.passes = passes;
                rig_start(&r, options);
                rig_run(&r, 70.0);
                near("crank angle", rig_q(&r, "crank", 2), swing_angle_70, 20.0 * tolerance + 1e-8);
                assert_int_equal(trm_sim_report(r.sim).branch_changes, 0);
                below("share of rejected steps",
                      (double)trm_sim_stats(r.sim).rejected / (double)trm_sim_stats(r.sim).steps,
                      0.05);
                rig_close(&r);
            }
        }
    }
}

/// Steps cut short wherever the caller likes leave a history that cannot be extrapolated: those
/// steps are taken without it and counted.
static void srm_p_falls_back_where_its_history_is_uneven(void **state)
{
    (void)state;
    static const trm_integrator integrators[] = {TRM_RK4, TRM_DOPRI5};

    for (int i = 0; i < 2; i++) {
        rig r = rig_equations(&prescribed_arm);
        trm_options options = trm_default_options(integrators[i], TRM_SRM_P);
        options.h = 1e-2;
        options.rtol = options.atol = 1e-7;
        rig_start(&r, options);
        for (int k = 1; k <= 200; k++) {
            rig_run(&r, k / 100.0);
            rig_run(&r, k / 100.0 + 1e-5);
            rig_run(&r, k / 100.0 + 2e-5);
        }
        assert_true(trm_sim_stats(r.sim).fallbacks > 100);
        below("error", prescribed_error(&r), 1e-6);
        rig_close(&r);
    }
}

// ------------------------------------------------------------------------------------------ HEM3

static void hem3_passes_singular_positions(void **state)
{
    (void)state;
    for (int disturbed = 0; disturbed < 2; disturbed++) {
        rig r = rig_load("slider_crank_swing",
                         (const char *const[]){"disturb", disturbed ? "1e-9" : "0", NULL});
        rig_start(&r, rig_fixed(TRM_HEM3, TRM_PROJECTION, 0.01));
        rig_run(&r, 70.0);
        near("crank angle", rig_q(&r, "crank", 2), swing_angle_70, 2e-4);
        assert_int_equal(trm_sim_report(r.sim).branch_changes, 0);
        rig_close(&r);
    }
}

// -------------------------------------------------------------------------------------- in space

enum { SPACE = 64 };

/// q and v of the spatial slider-crank at t: a run at 1e-12, whose slider is at t = 1 where 128-bit
/// extrapolation in one coordinate has it.
static void reference_in_space(double t, double *z)
{
    rig r = rig_load("spatial_slider_crank", NULL);
    const trm_sizes n = trm_model_sizes(r.model);
    rig_start(&r, rig_adaptive(TRM_DOP853, TRM_PROJECTION, 1e-12, 1e-12));
    rig_run(&r, t);
    const trm_state s = trm_sim_state(r.sim);
    assert_true(n.nq + n.nv <= SPACE);
    memcpy(z, s.q, (size_t)n.nq * sizeof *z);
    memcpy(z + n.nq, s.v, (size_t)n.nv * sizeof *z);
    rig_run(&r, 1.0);
    near("slider", rig_q(&r, "slider", 0), spatial_slider_1, 1e-10);
    rig_close(&r);
}

/// Largest difference from z in q and v.
static double distance(const rig *r, const double *z)
{
    const trm_sizes n = trm_model_sizes(r->model);
    const trm_state s = trm_sim_state(r->sim);
    double max = 0.0;
    for (int i = 0; i < n.nq; i++) {
        max = fmax(max, fabs(s.q[i] - z[i]));
    }
    for (int i = 0; i < n.nv; i++) {
        max = fmax(max, fabs(s.v[i] - z[n.nq + i]));
    }
    return max;
}

/// Largest error in q and v at t = 1 after n equal steps.
static double error_in_space(const double *z, trm_options options, int n)
{
    rig r = rig_load("spatial_slider_crank", NULL);
    options.h = 1.0 / n;
    options.rtol = options.atol = 1e3;
    rig_start(&r, options);
    for (int i = 1; i <= n; i++) {
        rig_run(&r, (double)i / n);
    }
    const double error = distance(&r, z);
    rig_close(&r);
    return error;
}

/// SRM with E = (GB)^-1 here: with E = I the rows of this mechanism differ so much in scale that
/// epsilon >= h rho/2 is far too large for the weakest of them. State-space form by partitioning:
/// with R M^-1 G^T = 0 and Heun, terms of h^2 and h^4 cancel at these steps (observed 1.86 at
/// 1/32000).
static void every_method_has_its_order_in_space(void **state)
{
    (void)state;
    static const int count[] = {[2] = 4000, [3] = 2000, [4] = 1000, [5] = 500, [8] = 250};
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    double z[SPACE];

    reference_in_space(1.0, z);
    for (int i = 0; i < n; i++) {
        const trm_method *m = &methods[i];
        if (m->integrator == TRM_IDA || m->stabilization == TRM_TREE) {
            continue; // IDA chooses its order on the way, TREE is planar
        }
        trm_options options = trm_default_options(m->integrator, m->stabilization);
        if (m->stabilization == TRM_SRM || m->stabilization == TRM_SRM_INVARIANT) {
            options.srm.E = TRM_E_GB_INVERSE;
        }
        options.state_space.tangent = m->stabilization != TRM_STATE_SPACE;
        const double coarse = error_in_space(z, options, count[m->order]);
        const double fine = error_in_space(z, options, 2 * count[m->order]);
        if (!(log2(coarse / fine) > m->order - 0.4) && !(fine < 1e-9)) {
            fail_msg("%s with %s: errors %.3g, %.3g, order %d, observed %.2f", m->integrator_name,
                     m->stabilization_name, coarse, fine, m->order, log2(coarse / fine));
        }
    }
}

// ------------------------------------------------------------------- sequential regularization

/// A variant with lambda_0 = 0, and where to see its O(epsilon^s): the step is so small that its
/// own error hides nothing. `last` is the last iterate of which that is true.
typedef struct srm_variant {
    const char *name;
    trm_stabilization stabilization;
    trm_E E;
    double alpha2, alpha1, alpha0;
    double epsilon;
    int last;
} srm_variant;

static trm_options variant_options(const srm_variant *x, double h, double epsilon, int s)
{
    trm_options options = rig_fixed(TRM_HEUN, x->stabilization, h);
    if (x->stabilization == TRM_ALF) {
        options.alf.alpha2 = x->alpha2;
        options.baumgarte = (trm_baumgarte_options){x->alpha1, x->alpha0};
    } else if (x->stabilization != TRM_SRM_SINGULAR) {
        options.srm.E = x->E;
    }
    options.srm.epsilon = epsilon;
    options.srm.iterations = s;
    options.srm.lambda0_zero = 1;
    return options;
}

static double variant_on_the_arm(const srm_variant *x, double epsilon, int s)
{
    rig r = rig_equations(&prescribed_arm);
    rig_start(&r, variant_options(x, 2.5e-4, epsilon, s));
    rig_run(&r, 0.5);
    const double error = prescribed_error(&r);
    rig_close(&r);
    return error;
}

static void check_gain(const srm_variant *x, int s, double gain)
{
    if (!(gain > 0.75 * pow(2.0, s))) {
        fail_msg("%s, iterate %d: halving epsilon gains %.2f", x->name, s, gain);
    }
}

static void iterates_gain_epsilon_to_the_s_on_the_arm(void **state)
{
    (void)state;
    static const srm_variant variants[] = {
        {"srm-singular", TRM_SRM_SINGULAR, TRM_E_IDENTITY, 0.0, 0.0, 0.0, 1e-2, 3},
        {"alf with g''", TRM_ALF, TRM_E_IDENTITY, 1.0, 20.0, 100.0, 4e-2, 3},
        {"alf without g''", TRM_ALF, TRM_E_IDENTITY, 0.0, 1.0, 5.0, 1e-2, 3},
    };
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        const srm_variant *x = &variants[i];
        for (int s = 1; s <= x->last; s++) {
            check_gain(x, s,
                       variant_on_the_arm(x, x->epsilon, s) /
                           variant_on_the_arm(x, x->epsilon / 2.0, s));
        }
    }
}

static double variant_in_space(const srm_variant *x, const double *z, double epsilon, int s)
{
    rig r = rig_load("spatial_slider_crank", NULL);
    rig_start(&r, variant_options(x, 5e-5, epsilon, s));
    rig_run(&r, 0.25);
    const double error = distance(&r, z);
    rig_close(&r);
    return error;
}

static void iterates_gain_epsilon_to_the_s_in_space(void **state)
{
    (void)state;
    static const srm_variant variants[] = {
        {"srm, inv(GB)", TRM_SRM, TRM_E_GB_INVERSE, 0.0, 0.0, 0.0, 1e-3, 3},
        {"srm-singular", TRM_SRM_SINGULAR, TRM_E_IDENTITY, 0.0, 0.0, 0.0, 2e-3, 3},
        {"alf with g''", TRM_ALF, TRM_E_IDENTITY, 1.0, 20.0, 100.0, 1e-3, 2},
    };
    double z[SPACE];

    reference_in_space(0.25, z);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        const srm_variant *x = &variants[i];
        for (int s = 1; s <= x->last; s++) {
            check_gain(x, s,
                       variant_in_space(x, z, x->epsilon, s) /
                           variant_in_space(x, z, x->epsilon / 2.0, s));
        }
    }
}

/// Four times the time would be sixteen times the drift of a pendulum without (4.12).
static void srm_invariant_stops_the_growth_of_drift(void **state)
{
    (void)state;
    const double period = 2.36784194757623745; // 4 K(1/2) sqrt(l/g)
    static const trm_E forms[] = {TRM_E_IDENTITY, TRM_E_GB_TRANSPOSED, TRM_E_GB_INVERSE};
    rig r = rig_load("pendulum", NULL);

    for (size_t i = 0; i < 3; i++) {
        for (int mass_metric = 0; mass_metric < 2; mass_metric++) {
            trm_options options = rig_fixed(TRM_HEUN, TRM_SRM_INVARIANT, 5e-3);
            options.srm.E = forms[i];
            options.mass_metric = mass_metric;
            rig_start(&r, options);
            rig_run(&r, 4.0 * period);
            const double four = trm_sim_report(r.sim).position_drift;
            rig_run(&r, 16.0 * period);
            below("growth of |g|", trm_sim_report(r.sim).position_drift / four, 2.0);
        }
    }
    rig_close(&r);
}

/// Bayo and Avello's form is defined where rows of G depend on each other: Bricard's mechanism.
static void alf_takes_redundant_rows(void **state)
{
    (void)state;
    rig r = rig_load("bricard", NULL);
    rig_start(&r, rig_fixed(TRM_HEUN, TRM_ALF, 1e-3));
    rig_run(&r, 1.0);
    below("|g|", trm_sim_report(r.sim).position_drift, 1e-4);
    below("energy", trm_sim_report(r.sim).energy_error_relative, 1e-4);
    rig_close(&r);
}

// ------------------------------------------------------------------------------ state-space form

/// Case II turns its links over: a partition that is never changed would fold.
static void state_space_has_no_drift_and_switches_in_time(void **state)
{
    (void)state;
    for (int tangent = 0; tangent < 2; tangent++) {
        rig r = rig_equations(&sine_arm);
        trm_options options = rig_adaptive(TRM_DOPRI5, TRM_STATE_SPACE, 1e-9, 1e-9);
        options.state_space.tangent = tangent;
        rig_start(&r, options);
        rig_run(&r, 5.0);
        const trm_state s = trm_sim_state(r.sim);
        const trm_report report = trm_sim_report(r.sim);
        for (int i = 0; i < 2; i++) {
            near("angle", s.q[i], arm_sine_5[i], 2e-6);
            near("rate", s.v[i], arm_sine_5[2 + i], 2e-5);
        }
        below("|g|", report.position_drift, 1e-13);
        below("|G v + g_t|", report.velocity_drift, 1e-12);
        assert_int_equal(trm_sim_stats(r.sim).switches > 0, !tangent);
        rig_close(&r);
    }
}

/// Redundant rows are left out, in both forms.
static void state_space_takes_redundant_rows(void **state)
{
    (void)state;
    for (int tangent = 0; tangent < 2; tangent++) {
        rig r = rig_load("bricard", NULL);
        trm_options options = rig_adaptive(TRM_DOP853, TRM_STATE_SPACE, 1e-10, 1e-10);
        options.state_space.tangent = tangent;
        rig_start(&r, options);
        rig_run(&r, 5.0);
        below("|g|", trm_sim_report(r.sim).position_drift, 1e-12);
        below("energy", trm_sim_report(r.sim).energy_error_relative, 1e-7);
        rig_close(&r);
    }
}

static void state_space_tangent_form_passes_singular_positions(void **state)
{
    (void)state;
    for (int disturbed = 0; disturbed < 2; disturbed++) {
        rig r = rig_load("slider_crank_swing",
                         (const char *const[]){"disturb", disturbed ? "1e-9" : "0", NULL});
        rig_start(&r, rig_adaptive(TRM_DOPRI5, TRM_STATE_SPACE, 1e-8, 1e-8));
        rig_run(&r, 70.0);
        near("crank angle", rig_q(&r, "crank", 2), swing_angle_70, 5e-6);
        assert_int_equal(trm_sim_report(r.sim).branch_changes, 0);
        rig_close(&r);
    }
}

// --------------------------------------------------------------------------------- no constraints

/// A body in free flight: every method is then its integrator, and the parabola its solution.
static void every_method_takes_a_model_without_constraints(void **state)
{
    (void)state;
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    rig r =
        rig_parse("{\"dimension\": 3, \"gravity\": [0, 0, -10], \"bodies\": [{\"name\": \"stone\","
                  "\"mass\": 2, \"inertia\": [1, 2, 2.5], \"velocity\": [1, 0, 5],"
                  "\"rate\": [0.1, 3, 0.2]}]}");
    for (int i = 0; i < n; i++) {
        if (!rig_fits(&r, &methods[i])) {
            continue;
        }
        trm_options options = trm_default_options(methods[i].integrator, methods[i].stabilization);
        options.h = 1e-2;
        rig_start(&r, options);
        rig_run(&r, 1.0);
        near("x", rig_q(&r, "stone", 0), 1.0, 1e-7);
        near("z", rig_q(&r, "stone", 2), 0.0, 1e-7);
    }
    rig_close(&r);
}

// --------------------------------------------------------------------------- functions that fail

/// parabola_arm whose f fails from t = 0.3 on: *user is 1 or -1, what it returns; 0: a value is
/// NaN.
static int failing_f(const trm_model *model, double t, const double *q, const double *v, double *f,
                     void *user)
{
    const int code = *(const int *)user;
    parabola_arm.f(model, t, q, v, f, NULL);
    if (t <= 0.3) {
        return 0;
    }
    f[0] = code == 0 ? NAN : f[0];
    return code;
}

static void every_method_stops_in_order_when_f_fails(void **state)
{
    (void)state;
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    int codes[] = {0, 1, -1};

    for (int k = 0; k < 3; k++) {
        trm_equations equations = parabola_arm;
        rig r = {NULL, NULL, NULL};
        trm_error err = {.status = TRM_OK};
        equations.f = failing_f;
        equations.user = &codes[k];
        rig_ok(trm_model_from_equations(&equations, &r.model, &err), &err);
        for (int i = 0; i < n; i++) {
            if (!rig_fits(&r, &methods[i])) {
                continue;
            }
            rig_start(&r, rig_fixed(methods[i].integrator, methods[i].stabilization, 1e-2));
            const trm_status status = trm_sim_run(r.sim, 1.0, NULL, NULL, &err);
            const trm_state s = trm_sim_state(r.sim);
            assert_true(status == TRM_ERR_CALLBACK || status == TRM_ERR_DIVERGED);
            assert_true(s.t <= 0.3 + 1e-9 && s.t > 0.2);
            for (int j = 0; j < 2; j++) {
                assert_true(isfinite(s.q[j]) && isfinite(s.v[j]) && isfinite(s.a[j]));
            }
        }
        rig_close(&r);
    }
}

// MORE

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(post_stabilization_meets_tables_6_1_and_6_2),
        cmocka_unit_test(post_stabilization_is_exact_step_by_step),
        cmocka_unit_test(implicit_drift_falls_with_alpha),
        cmocka_unit_test(continuous_stabilization_stops_the_growth_of_drift),
        cmocka_unit_test(alpha_leaves_its_share_of_the_drift),
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(srm_p_order_follows_the_degree_of_the_prediction),
        cmocka_unit_test(srm_p_passes_singular_positions_at_every_tolerance),
        cmocka_unit_test(srm_p_falls_back_where_its_history_is_uneven),
        cmocka_unit_test(hem3_passes_singular_positions),
        cmocka_unit_test(every_method_has_its_order_in_space),
        cmocka_unit_test(iterates_gain_epsilon_to_the_s_on_the_arm),
        cmocka_unit_test(iterates_gain_epsilon_to_the_s_in_space),
        cmocka_unit_test(srm_invariant_stops_the_growth_of_drift),
        cmocka_unit_test(alf_takes_redundant_rows),
        cmocka_unit_test(state_space_has_no_drift_and_switches_in_time),
        cmocka_unit_test(state_space_takes_redundant_rows),
        cmocka_unit_test(state_space_tangent_form_passes_singular_positions),
        cmocka_unit_test(every_method_takes_a_model_without_constraints),
        cmocka_unit_test(every_method_stops_in_order_when_f_fails),
        // LIST
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]); // by name, with * and ?
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
