/// Steps in hard places: to accelerations beyond all numbers, beside a singular position, and of
/// mechanisms with many rows.
#include "integrators/rk/dormand_prince.h"
#include "tests/rig.h"

// -------------------------------------------------------------------------------- beyond all
// numbers

static const double tiny_mass = 1e-100;

static int tiny_M(const trm_model *model, double t, const double *q, double *M, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    M[0] = tiny_mass;
    return 0;
}

/// q'' = k q
static int push(const trm_model *model, double t, const double *q, const double *v, double *f,
                void *user)
{
    (void)model, (void)t, (void)v;
    f[0] = *(const double *)user * tiny_mass * q[0];
    return 0;
}

/// q'' = t, whose stages of hem3 have the velocities 0, 0, 2/3 h^2 and its end h^2/2: there alone
/// the force is large.
static int trap(const trm_model *model, double t, const double *q, const double *v, double *f,
                void *user)
{
    (void)model, (void)q, (void)user;
    f[0] = fabs(v[0] - 5e-7) < 1e-8 ? 1e300 : tiny_mass * t;
    return 0;
}

/// The step ends at numbers that exist, and the acceleration there is beyond all.
static void check_endless(trm_integrator integrator, trm_stabilization stabilization,
                          trm_velocity_fn *f, double k)
{
    const double q0 = 1.0;
    trm_error err;
    rig r = rig_equations(&(trm_equations){
        .name = "k", .nq = 1, .nv = 1, .q0 = &q0, .M = tiny_M, .f = f, .user = &k});
    rig_start(&r, rig_fixed(integrator, stabilization, 1e-3));
    assert_int_equal(trm_sim_run(r.sim, 1.0, NULL, NULL, &err), TRM_ERR_DIVERGED);
    near("the time of the last state", trm_sim_state(r.sim).t, 0.0, 0.0);
    assert_true(isfinite(trm_sim_state(r.sim).a[0]));
    rig_close(&r);
}

/// q'' = (t/h)^20, h = 0.1, and beyond all numbers at the velocity where a step of dop853 ends,
/// which none of its stages has.
static int steep(const trm_model *model, double t, const double *q, const double *v, double *f,
                 void *user)
{
    (void)model, (void)q;
    f[0] = fabs(v[0] - *(const double *)user) < 1e-9 ? 1e300 : tiny_mass * pow(t / 0.1, 20.0);
    return 0;
}

CLAIM(an_adaptive_step_to_an_endless_acceleration_is_refused)
{
    const trm_embedded *pair = &trm_embedded_8;
    double end = 0.0;
    const double q0 = 1.0;
    trm_error err;
    for (int i = 0; i < pair->stages; i++) {
        end += 0.1 * pair->a[pair->stages][i] * pow(pair->c[i], 20.0);
    }
    rig r = rig_equations(&(trm_equations){
        .name = "k", .nq = 1, .nv = 1, .q0 = &q0, .M = tiny_M, .f = steep, .user = &end});
    trm_options o = rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PLAIN, 0.5, 0.5);
    o.h = 0.1;
    rig_start(&r, o);
    rig_ok(trm_sim_run(r.sim, 0.1, NULL, NULL, &err), &err);
    assert_true(trm_sim_stats(r.sim).rejected > 0);
    assert_true(isfinite(trm_sim_state(r.sim).a[0]));
    rig_close(&r);
}

CLAIM(a_step_to_an_endless_acceleration_is_refused)
{
    static const trm_stabilization forms[] = {TRM_STABILIZATION_PLAIN, TRM_STABILIZATION_SRM,
                                              TRM_STABILIZATION_ALF,
                                              TRM_STABILIZATION_SRM_INVARIANT};
    for (int i = 0; i < 4; i++) {
        check_endless(TRM_INTEGRATOR_HEUN, forms[i], push, 1e200);
    }
    check_endless(TRM_INTEGRATOR_MIDPOINT, TRM_STABILIZATION_PLAIN, push, 1e200);
    check_endless(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN, push, 1e120);
    check_endless(TRM_INTEGRATOR_HEM3, TRM_STABILIZATION_S_BOTH2, trap, 0.0);
    check_endless(TRM_INTEGRATOR_HEM3, TRM_STABILIZATION_S_BOTH2, push,
                  1e200); // within the step already
}

// ----------------------------------------------------------------- corrections beyond tolerances

static int no_force(const trm_model *model, double t, const double *q, const double *v, double *f,
                    void *user)
{
    (void)t, (void)q, (void)v, (void)user;
    memset(f, 0, (size_t)trm_model_sizes(model).nv * sizeof *f);
    return 0;
}

/// 0 = q1
static int line(const trm_model *model, double t, const double *q, double *g, void *user)
{
    (void)model, (void)t, (void)user;
    g[0] = q[1];
    return 0;
}

static int normal(const trm_model *model, double t, const double *q, double *G, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    G[0] = 0.0;
    G[1] = 1.0;
    return 0;
}

/// Wrong by c: a step of size h leaves the line by c h^2/2, without an error that dop853 would see.
static int wrong_gamma(const trm_model *model, double t, const double *q, const double *v,
                       double *gamma, void *user)
{
    (void)model, (void)t, (void)q, (void)v;
    gamma[0] = *(const double *)user;
    return 0;
}

/// Tries that are refused before a first step that leaves the line by this much.
static long refusals(trm_options o, double gap)
{
    const double h = 0.01, q0[2] = {3.0, 0.0};
    double c = 2.0 * gap / (h * h);
    trm_error err;
    rig r = rig_equations(&(trm_equations){.name = "line",
                                           .nq = 2,
                                           .nv = 2,
                                           .nc = 1,
                                           .q0 = q0,
                                           .M = rig_unit_M,
                                           .f = no_force,
                                           .g = line,
                                           .G = normal,
                                           .gamma = wrong_gamma,
                                           .user = &c});
    o.h = h;
    rig_start(&r, o);
    rig_ok(trm_sim_step(r.sim, &err), &err);
    const long refused = trm_sim_stats(r.sim).rejected;
    rig_close(&r);
    return refused;
}

/// A correction may move q by 2 atol + 100 tolerance + (rtol + 1e-3) size, and a correction that
/// leaves a wider gap than there was, as that of velocities alone, may leave 2 atol + 100 tolerance
/// + rtol size; size: the largest coordinate, 3.
CLAIM(a_correction_beyond_its_bound_is_refused)
{
    static const double options[][3] = {{1e-9, 1e-9, 1e-9},
                                        {1e-9, 1e-2, 1e-9},
                                        {1e-2, 1e-9, 1e-9},
                                        {1e-9, 1e-9, 1e-4},
                                        {1e-4, 1e-3, 1e-5}};
    static const trm_stabilization kinds[] = {TRM_STABILIZATION_S_BOTH2, TRM_STABILIZATION_S_VEL,
                                              TRM_STABILIZATION_PLAIN};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 5; k++) {
            const double rtol = options[k][0], atol = options[k][1];
            trm_options o = rig_adaptive(TRM_INTEGRATOR_DOP853, kinds[i], rtol, atol);
            o.tolerance = options[k][2];
            const double slack = 2.0 * atol + 100.0 * o.tolerance;
            const double may = slack + 3.0 * (i == 0 ? rtol + 1e-3 : rtol);
            assert_int_equal(refusals(o, 0.999 * may), 0);
            assert_int_equal(refusals(o, 1.001 * may) > 0, i < 2);
        }
    }
}

// -------------------------------------------------------------------------------------- the work

/// 0 = q_k - t of the last coordinate, which a force cos 40 t pulls at: the reaction does the work
/// sin(40 t)/40.
static int clock_g(const trm_model *model, double t, const double *q, double *g, void *user)
{
    (void)user;
    g[0] = q[trm_model_sizes(model).nq - 1] - t;
    return 0;
}

static int clock_G(const trm_model *model, double t, const double *q, double *G, void *user)
{
    (void)t, (void)q, (void)user;
    const int nv = trm_model_sizes(model).nv;
    memset(G, 0, (size_t)nv * sizeof *G);
    G[nv - 1] = 1.0;
    return 0;
}

static int clock_g_t(const trm_model *model, double t, const double *q, double *g_t, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    g_t[0] = -1.0;
    return 0;
}

static int shake(const trm_model *model, double t, const double *q, const double *v, double *f,
                 void *user)
{
    (void)q, (void)v, (void)user;
    memset(f, 0, (size_t)trm_model_sizes(model).nv * sizeof *f);
    f[trm_model_sizes(model).nv - 1] = cos(40.0 * t);
    return 0;
}

/// Beside a coordinate that is free the work does not shorten the steps, which grow tenfold, or
/// sixfold; where time alone moves the mechanism the work is all that steps integrate.
CLAIM(work_counts_where_time_alone_moves)
{
    const double q0[2] = {0.0, 0.0}, v0[2] = {1.0, 1.0};
    for (int k = 0; k < 4; k++) {
        const int n = 1 + k % 2;
        double c = 0.0;
        trm_error err;
        rig r = rig_equations(&(trm_equations){.name = "clock",
                                               .nq = n,
                                               .nv = n,
                                               .nc = 1,
                                               .q0 = q0,
                                               .v0 = v0,
                                               .M = rig_unit_M,
                                               .f = shake,
                                               .g = clock_g,
                                               .G = clock_G,
                                               .g_t = clock_g_t,
                                               .gamma = wrong_gamma,
                                               .user = &c});
        trm_options o = rig_adaptive(k < 2 ? TRM_INTEGRATOR_DOPRI5 : TRM_INTEGRATOR_DOP853,
                                     TRM_STABILIZATION_S_BOTH2, 1e-8, 1e-8);
        o.h = 1e-3;
        rig_start(&r, o);
        rig_ok(trm_sim_run(r.sim, 10.0, NULL, NULL, &err), &err);
        const double work = trm_sim_energy(r.sim).work, exact = -sin(400.0) / 40.0;
        if (n == 1) {
            near("work", work, exact, 1e-6);
        } else {
            assert_in_range(trm_sim_stats(r.sim).steps, 4, 12);
        }
        rig_close(&r);
    }
}

// ------------------------------------------------------------------------------------- refusals

static int wall; ///< nonzero: forces behind t = 0 fail

static int walled(const trm_model *model, double t, const double *q, const double *v, double *f,
                  void *user)
{
    (void)no_force(model, t, q, v, f, user);
    return wall && t > 0.0;
}

/// 1e250 N behind t = 0.0055, and an acceleration beyond all numbers behind t = 0.
static int flood(const trm_model *model, double t, const double *q, const double *v, double *f,
                 void *user)
{
    (void)model, (void)q, (void)v;
    f[0] = user ? (t > 0.0 ? 1e300 : 0.0) : t > 0.0055 ? tiny_mass * 1e250 : 0.0;
    return 0;
}

/// An estimate beyond all numbers refuses as a failure does: a quarter of the step is tried. Where
/// nothing helps the step size goes to zero, by the integrator; after a failure of a force the same
/// step can be taken again, and the next ones grow as ever.
CLAIM(refused_steps_are_quartered)
{
    static const struct {
        trm_integrator integrator;
        trm_stabilization stabilization;
        double growth; ///< of a step without an error
    } all[] = {{TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_PLAIN, 10.0},
               {TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PLAIN, 6.0}};
    const double q0 = 1.0;
    for (int i = 0; i < 2; i++) {
        int endless = 1;
        trm_error err;
        trm_options o = rig_adaptive(all[i].integrator, all[i].stabilization, 1e-6, 1e-6);
        o.h = 0.1;
        o.rtol = 1e-200; // and so an error of 1e250 is 1e200 of its tolerance, whose square is not
        o.atol = 1.0;
        trm_equations eq = {.name = "k", .nq = 1, .nv = 1, .q0 = &q0, .M = tiny_M, .f = flood};
        rig r = rig_equations(&eq);
        rig_start(&r, o);
        rig_ok(trm_sim_step(r.sim, &err), &err);
        assert_int_equal(trm_sim_stats(r.sim).rejected, 3); // 0.1, 0.025, 0.00625
        near("h", trm_sim_stats(r.sim).h, 0.1 / 64.0, 1e-15);
        rig_close(&r);
        eq.user = &endless;
        r = rig_equations(&eq);
        rig_start(&r, o);
        assert_int_equal(trm_sim_step(r.sim, &err), TRM_ERR_DIVERGED);
        assert_non_null(strstr(err.message, "the step size went to zero"));
        rig_close(&r);
        double k = 1.0;
        eq.f = push;
        eq.user = &k;
        r = rig_equations(&eq);
        o.rtol = o.atol = 1e-200;
        rig_start(&r, o);
        assert_int_equal(trm_sim_step(r.sim, &err), TRM_ERR_DIVERGED);
        assert_non_null(strstr(err.message, "rtol and atol ask for more than double precision"));
        rig_close(&r);
        eq.f = walled;
        o.rtol = o.atol = 1e-6;
        r = rig_equations(&eq);
        wall = 1;
        rig_start(&r, o);
        assert_int_equal(trm_sim_step(r.sim, &err), TRM_ERR_CALLBACK);
        wall = 0;
        rig_ok(trm_sim_step(r.sim, &err), &err);
        near("h", trm_sim_stats(r.sim).h, 0.1, 1e-15);
        rig_ok(trm_sim_step(r.sim, &err), &err);
        near("h", trm_sim_stats(r.sim).h, 0.1 * all[i].growth, 1e-15);
        rig_close(&r);
    }
}

// ------------------------------------------------------------------------------------------ trees

/// phi'' = -m g l cos phi / (I + m l^2) of the bar below, phi from the horizontal.
static int swing(const trm_model *model, double t, const double *q, const double *v, double *f,
                 void *user)
{
    (void)model, (void)t, (void)v, (void)user;
    f[0] = -2.0 * 9.81 * 0.5 * cos(q[0]) / (0.3 + 2.0 * 0.25);
    return 0;
}

/// A tree of one pin has the steps of its one angle: as many components, and the same errors.
CLAIM(a_tree_steps_like_its_angles)
{
    static const char text[] =
        "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"a\",\"mass\":2,"
        "\"inertia\":0.3,\"position\":[0.5,0]}],\"joints\":[{\"name\":\"O\",\"type\":"
        "\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0]}],\"simulation\":"
        "{\"coordinates\":\"joint\"}}";
    static const trm_integrator both[] = {TRM_INTEGRATOR_DOPRI5, TRM_INTEGRATOR_DOP853};
    for (int i = 0; i < 2; i++) {
        trm_error err;
        rig tree = rig_parse(text);
        rig angle = rig_equations(
            &(trm_equations){.name = "phi", .nq = 1, .nv = 1, .M = rig_unit_M, .f = swing});
        trm_options o = rig_adaptive(both[i], TRM_STABILIZATION_PLAIN, 1e-6, 1e-5);
        o.h = 1e-2;
        rig_start(&tree, o);
        rig_start(&angle, o);
        for (int n = 0; n < 30; n++) {
            rig_ok(trm_sim_step(tree.sim, &err), &err);
            rig_ok(trm_sim_step(angle.sim, &err), &err);
            const double h = trm_sim_stats(angle.sim).h;
            near("h", trm_sim_stats(tree.sim).h, h, 1e-4 * h); // as in test_step_control.c
        }
        const double t = fmin(trm_sim_state(tree.sim).t, trm_sim_state(angle.sim).t);
        trm_sample of_tree, of_angle;
        rig_ok(trm_sim_sample(tree.sim, t, &of_tree, &err), &err);
        rig_ok(trm_sim_sample(angle.sim, t, &of_angle, &err), &err);
        near("phi", of_tree.state.q[2], of_angle.state.q[0], 1e-6);
        rig_close(&tree);
        rig_close(&angle);
    }
}

// ------------------------------------------------------------------------- near a singular
// position

/// Two rows that are parallel up to e: 0 = q0 - sin t, 0 = q0 - sin t + e (q1 - cos t).
static const double e = 1e-2;

static int narrow_M(const trm_model *model, double t, const double *q, double *M, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return 0;
}

static int narrow_f(const trm_model *model, double t, const double *q, const double *v, double *f,
                    void *user)
{
    (void)model, (void)t, (void)q, (void)v, (void)user;
    f[0] = 1.3;
    f[1] = -0.7;
    return 0;
}

static int narrow_g(const trm_model *model, double t, const double *q, double *g, void *user)
{
    (void)model, (void)user;
    g[0] = q[0] - sin(t);
    g[1] = g[0] + e * (q[1] - cos(t));
    return 0;
}

static int narrow_G(const trm_model *model, double t, const double *q, double *G, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    G[0] = G[2] = 1.0;
    G[1] = 0.0;
    G[3] = e;
    return 0;
}

static int narrow_g_t(const trm_model *model, double t, const double *q, double *g_t, void *user)
{
    (void)model, (void)q, (void)user;
    g_t[0] = -cos(t);
    g_t[1] = g_t[0] + e * sin(t);
    return 0;
}

static int narrow_gamma(const trm_model *model, double t, const double *q, const double *v,
                        double *gamma, void *user)
{
    (void)model, (void)q, (void)v, (void)user;
    gamma[0] = -sin(t);
    gamma[1] = gamma[0] - e * cos(t);
    return 0;
}

/// a of G a = gamma - alpha1 (G v + g_t) - alpha0 g, by the difference of both rows, and lambda of
/// M a + G^T lambda = f.
static void narrow_a(const trm_options *o, double t, const double *z, double *a, double *lambda)
{
    const int damped = o->stabilization == TRM_STABILIZATION_BAUMGARTE;
    const double alpha1 = damped ? o->baumgarte.alpha1 : 0.0;
    const double alpha0 = damped ? o->baumgarte.alpha0 : 0.0;
    a[0] = -sin(t) - alpha1 * (z[2] - cos(t)) - alpha0 * (z[0] - sin(t));
    a[1] = -cos(t) - alpha1 * (z[3] + sin(t)) - alpha0 * (z[1] - cos(t));
    lambda[1] = (-0.7 - a[1]) / e;
    lambda[0] = 1.3 - a[0] - lambda[1];
}

/// S = G M^-1 G^T is e^2/2 there, and a plain solve loses eps/e^2 of a and eps/e^3 of lambda, in
/// this step a fiftieth of it; with its own residual solved for once more both lose e times as
/// much. Baumgarte's terms are in no residual of [ACC], and are not solved for again.
CLAIM(near_a_singular_position_accelerations_are_refined)
{
    const double eps = 2.220446049250313e-16;
    static const double alphas[][2] = {{0.0, 0.0}, {3.0, 2.0}, {0.0, 2.0}, {3.0, 0.0}};
    const double q0[2] = {0.0, 1.0}, v0[2] = {1.0, 0.0};
    const double dq[2] = {2e-9, 1e-8}, dv[2] = {1e-3, -2e-3};
    for (int k = 0; k < 4; k++) {
        trm_options o =
            rig_fixed(TRM_INTEGRATOR_HEUN,
                      k == 0 ? TRM_STABILIZATION_PLAIN : TRM_STABILIZATION_BAUMGARTE, 0.01);
        trm_error err;
        if (k > 0) {
            o.baumgarte.alpha1 = alphas[k][0];
            o.baumgarte.alpha0 = alphas[k][1];
        }
        rig r = rig_equations(&(trm_equations){.name = "narrow",
                                               .nq = 2,
                                               .nv = 2,
                                               .nc = 2,
                                               .q0 = q0,
                                               .v0 = v0,
                                               .M = narrow_M,
                                               .f = narrow_f,
                                               .g = narrow_g,
                                               .G = narrow_G,
                                               .g_t = narrow_g_t,
                                               .gamma = narrow_gamma});
        double z[4] = {dq[0], 1.0 + dq[1], 1.0 + dv[0], dv[1]}, stage[4], a[2], b[2], lambda[2];
        rig_start(&r, o);
        rig_ok(trm_sim_perturb(r.sim, dq, dv, &err), &err);
        narrow_a(&o, 0.0, z, a, lambda);
        for (int j = 0; j < 2; j++) {
            stage[j] = z[j] + o.h * z[2 + j];
            stage[2 + j] = z[2 + j] + o.h * a[j];
        }
        narrow_a(&o, o.h, stage, b, lambda);
        for (int j = 0; j < 2; j++) {
            z[j] += 0.5 * o.h * (z[2 + j] + stage[2 + j]);
            z[2 + j] += 0.5 * o.h * (a[j] + b[j]);
        }
        narrow_a(&o, o.h, z, a, lambda);
        rig_run(&r, o.h);
        const trm_state s = trm_sim_state(r.sim);
        for (int j = 0; j < 2; j++) {
            near("q", s.q[j], z[j], 1e-14);
            near("v", s.v[j], z[2 + j], 1e-14);
            near("a", s.a[j], a[j], eps / (e * e));
            near("lambda", s.lambda[j], lambda[j],
                 k == 0 ? 0.2 * eps / (e * e) : eps / (e * e * e));
        }
        rig_close(&r);
    }
}

// --------------------------------------------------------------------------------- many rows

/// The widest gaps after one step of Heun's method, against the gaps without correction. S-both
/// corrects the velocities of where the step ended, and then moves the positions.
CLAIM(corrections_close_many_rows)
{
    static const struct {
        trm_stabilization stabilization;
        double position, velocity; ///< what is left, at most
    } kinds[] = {
        {TRM_STABILIZATION_S_BOTH, 1e-3, INFINITY},  {TRM_STABILIZATION_S_BOTH2, 1e-3, 1e-3},
        {TRM_STABILIZATION_S_FULL, 1e-3, 1e-3},      {TRM_STABILIZATION_PROJECTION, 1e-3, 1e-3},
        {TRM_STABILIZATION_STATE_SPACE, 1e-3, 1e-3}, {TRM_STABILIZATION_S_POS, 1e-3, INFINITY},
        {TRM_STABILIZATION_S_VEL, INFINITY, 1e-3}};
    rig r = rig_load("double_four_bar", NULL);
    assert_true(trm_model_sizes(r.model).nc > 8);
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_PLAIN, 1e-2));
    rig_run(&r, 1e-2);
    const trm_drift open = trm_sim_drift(r.sim);
    assert_true(open.position > 1e-12 && open.velocity > 1e-9);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        for (int metric = 0; metric < 2; metric++) {
            trm_options o = rig_fixed(TRM_INTEGRATOR_HEUN, kinds[i].stabilization, 1e-2);
            o.mass_metric =
                kinds[i].stabilization == TRM_STABILIZATION_S_FULL ? o.mass_metric : metric;
            rig_start(&r, o);
            rig_run(&r, 1e-2);
            const trm_drift left = trm_sim_drift(r.sim);
            below("gap in velocity", left.velocity, kinds[i].velocity * open.velocity);
        }
    }
    rig_close(&r);
}
