/// SRM-P, step by step against its formulas (the head of srm_p.c), written here for two rows and
/// three unknowns: the history, both passes, what is done without a history, the control of steps.
#include "integrators/rk/dormand_prince.h"
#include "tests/integrators/one_step.h"

enum { MOST = 3, STAGES = 7 };

/// A mean of lambda-hat over a step.
typedef struct node {
    double tau, L[NV];
} node;

typedef struct stepper {
    trm_options o;
    int stages;
    double c[STAGES], a[STAGES][STAGES], e[STAGES]; ///< row `stages` of a: b
    node past[MOST];                                ///< the newest first
    int count;
    double t, end, z[NZ], dz[NZ], lambda[NC];
    long steps, refused, fallbacks;
    double h_next, err_old;
    int rejections;
} stepper;

// ---------------------------------------------------------------------------------------- history

static double lagrange(const node *nodes, int n, int i, double t)
{
    double l = 1.0;
    for (int j = 0; j < n; j++) {
        l *= j == i ? 1.0 : (t - nodes[j].tau) / (nodes[i].tau - nodes[j].tau);
    }
    return l;
}

static void predict(const node *nodes, int n, double t, double *L)
{
    L[0] = L[1] = L[2] = 0.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < NV; j++) {
            L[j] += lagrange(nodes, n, i, t) * nodes[i].L[j];
        }
    }
}

static double magnified(const stepper *s, double t)
{
    const int n = s->o.srm_p.degree + 1;
    double sum = 0.0;
    for (int i = 0; i < n && i < s->count; i++) {
        sum += fabs(lagrange(s->past, n, i, t));
    }
    return sum;
}

/// Enough nodes, and errors magnified to 25 times at most.
static int is_trusted(const stepper *s, double t)
{
    return s->count > s->o.srm_p.degree && magnified(s, t) <= 25.0;
}

// ------------------------------------------------------------------------------------------ rates

/// x := P x; w = (GB)^-1 G x
static void project(point *p, double *x, double *w)
{
    double r[NC];
    times_G(p, x, r);
    solve(p->S, r, w);
    times(p->B, w, x);
}

/// By Lp through n nodes; n = 0: the index-1 form, and lambda-hat of it.
static void rates(const node *nodes, int n, double t, const double *z, double *dz, double *lambda,
                  double *hat)
{
    point p = point_at(t, z, 1);
    if (n == 0) {
        index1_of(t, z, 0.0, 0.0, dz, lambda);
        times(p.B, lambda, hat);
        return;
    }
    predict(nodes, n, t, hat);
    project(&p, hat, lambda);
    for (int j = 0; j < NV; j++) {
        dz[j] = z[NV + j];
        dz[NV + j] = p.a[j] - hat[j];
    }
    dz[NZ - 1] = lambda[0] * p.g_t[0] + lambda[1] * p.g_t[1];
}

/// A pass with n nodes, or by the index-1 form: its end, the correction dv, a node, and the
/// embedded error h sum e_i k_i.
static node pass(const stepper *s, const node *nodes, int n, double h, double *end, double *dv,
                 double *error)
{
    double k[STAGES][NZ], mean[NV] = {0.0}, hat[NV], lambda[NC], g[NC], w[NC], dq[NV];
    node made = {.tau = s->t + h / 2.0};
    for (int i = 0; i <= s->stages; i++) {
        double stage[NZ];
        memcpy(stage, s->z, sizeof stage);
        for (int l = 0; l < i * NZ; l++) {
            stage[l % NZ] += h * s->a[i][l / NZ] * k[l / NZ][l % NZ];
        }
        if (i == s->stages) {
            memcpy(end, stage, sizeof stage);
            break;
        }
        rates(nodes, n, s->t + s->c[i] * h, stage, k[i], lambda, hat);
        for (int j = 0; j < NV; j++) {
            mean[j] += s->a[s->stages][i] * hat[j];
        }
    }
    point p = point_at(s->t + h, end, 1);
    solve(p.S, p.g, g);
    times(p.B, g, dq);
    for (int j = 0; j < NV; j++) {
        end[j] -= dq[j];
    }
    p = point_at(s->t + h, end, 1);
    solve(p.S, p.h, w);
    times(p.B, w, dv);
    if (n > 0) {
        predict(nodes, n, s->t + h / 2.0, mean);
    }
    double middle[NZ] = {0.0};
    for (int j = 0; j < NV; j++) {
        end[NV + j] -= dv[j];
        middle[j] = (s->z[j] + end[j]) / 2.0 + h / 8.0 * (s->z[NV + j] - end[NV + j]);
        made.L[j] = mean[j] + dv[j] / h;
    }
    p = point_at(s->t + h / 2.0, middle, 1);
    project(&p, made.L, w);
    rates(nodes, n, s->t + h, end, k[s->stages], lambda, hat);
    for (int l = 0; l < NZ; l++) {
        error[l] = 0.0;
        for (int i = 0; i <= s->stages; i++) {
            error[l] += h * s->e[i] * k[i][l];
        }
    }
    return made;
}

// ------------------------------------------------------------------------------------------ steps

/// The sum of squares of x[count] over the tolerances of z[first ..], of 6 numbers the mean.
static double squares(const stepper *s, const double *end, const double *x, int first, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        const double size = fmax(fabs(s->z[first + i]), fabs(end[first + i]));
        sum += pow(x[i] / (s->o.atol + s->o.rtol * size), 2.0) / (NZ - 1);
    }
    return sum;
}

/// The end and the node of a step; returns the error in units of the tolerances.
static double try_step(const stepper *s, double h, int trusted, double *end, node *made)
{
    double error[NZ], dv[NV], first_end[NZ], difference[NZ];
    node nodes[MOST + 1];
    const int n = trusted ? s->o.srm_p.degree + 1 : 0;
    memcpy(nodes, s->past, sizeof s->past);
    *made = pass(s, nodes, n, h, end, dv, error);
    if (n > 0 && s->o.srm_p.passes == 2) {
        memcpy(first_end, end, sizeof first_end);
        nodes[n] = *made;
        *made = pass(s, nodes, n + 1, h, end, dv, error);
        for (int i = 0; i < NZ; i++) {
            difference[i] = end[i] - first_end[i];
        }
    }
    double sum = squares(s, end, error, 0, NZ - 1);
    if (n > 0) {
        sum += s->o.srm_p.passes == 2 ? squares(s, end, difference, 0, NZ - 1)
                                      : 0.01 * squares(s, end, dv, NV, NV);
    }
    return sqrt(sum);
}

static void accept(stepper *s, double t_next, int trusted, const double *end, const node *made)
{
    double hat[NV];
    s->fallbacks += !trusted && s->count >= s->o.srm_p.degree + 1;
    for (int i = MOST - 1; i > 0; i--) {
        s->past[i] = s->past[i - 1];
    }
    s->past[0] = *made;
    s->count = s->count < MOST ? s->count + 1 : MOST;
    s->t = t_next;
    memcpy(s->z, end, sizeof s->z);
    const int n = is_trusted(s, t_next) ? s->o.srm_p.degree + 1 : 0;
    rates(s->past, n, t_next, end, s->dz, s->lambda, hat);
    s->steps++;
}

static void step_fixed(stepper *s)
{
    const double left = s->end - s->t, h = left < 1.000001 * s->o.h ? left : s->o.h;
    const double t_next = left < 1.000001 * s->o.h ? s->end : s->t + h;
    const int trusted = is_trusted(s, t_next);
    double end[NZ];
    node made;
    try_step(s, h, trusted, end, &made);
    accept(s, t_next, trusted, end, &made);
}

/// The PI control of an error of order h^4, exponents 0.7/4 and 0.4/4; up by a half at most, and
/// not at all after a refusal or without a history.
static double growth(const stepper *s, double error, int trusted)
{
    const double most = trusted && s->rejections == 0 ? 1.5 : 1.0;
    const double factor = 0.85 * pow(error, -0.7 / 4.0) * pow(s->err_old, 0.4 / 4.0);
    return fmin(most, fmax(0.2, factor));
}

static void step_adaptive(stepper *s)
{
    for (;;) {
        const int last = s->end - s->t <= 1.01 * s->h_next;
        const double h = last ? s->end - s->t : s->h_next, t_next = last ? s->end : s->t + h;
        const int trusted = is_trusted(s, t_next) && s->rejections < 2;
        double end[NZ];
        node made;
        const double error = try_step(s, h, trusted, end, &made);
        const double factor = growth(s, error, trusted);
        if (error <= 1.0) {
            accept(s, t_next, trusted, end, &made);
            s->h_next = h < s->h_next ? fmax(s->h_next, h * factor) : h * factor;
            s->err_old = fmax(error, 1e-4);
            s->rejections = 0;
            return;
        }
        s->h_next = h * fmin(0.9, factor);
        s->rejections++;
        s->refused++;
    }
}

// ----------------------------------------------------------------------------------------- claims

static stepper begin(const trm_options *o)
{
    stepper s = {.o = *o, .count = 1, .err_old = 1e-4, .h_next = o->h};
    double hat[NV];
    if (o->integrator == TRM_INTEGRATOR_RK4) {
        s.stages = 4;
        s.c[1] = s.c[2] = s.a[1][0] = s.a[2][1] = 0.5;
        s.c[3] = s.a[3][2] = 1.0;
        s.a[4][0] = s.a[4][3] = 1.0 / 6.0;
        s.a[4][1] = s.a[4][2] = 1.0 / 3.0;
    } else {
        s.stages = trm_embedded_5.stages;
        for (int i = 0; i <= s.stages; i++) {
            s.c[i] = trm_embedded_5.c[i];
            s.e[i] = trm_embedded_5.e[i];
            memcpy(s.a[i], trm_embedded_5.a[i], sizeof s.a[i]);
        }
    }
    start_of(s.z);
    rates(NULL, 0, 0.0, s.z, s.dz, s.lambda, hat);
    memcpy(s.past[0].L, hat, sizeof hat);
    return s;
}

static void compare(const rig *r, const stepper *s, double tolerance)
{
    const trm_state state = trm_sim_state(r->sim);
    const trm_stats stats = trm_sim_stats(r->sim);
    near("t", state.t, s->t, tolerance);
    assert_int_equal(stats.steps, s->steps);
    assert_int_equal(stats.rejected, s->refused);
    assert_int_equal(stats.fallbacks, s->fallbacks);
    for (int j = 0; j < NV; j++) {
        near("q", state.q[j], s->z[j], tolerance);
        near("v", state.v[j], s->z[NV + j], tolerance);
        near("a", state.a[j], s->dz[NV + j], tolerance);
    }
    for (int i = 0; i < NC; i++) {
        near("lambda", state.lambda[i], s->lambda[i], tolerance);
    }
    near("work", trm_sim_energy(r->sim).work, s->z[NZ - 1], tolerance);
}

/// Ends of the run, so uneven that extrapolation of the history is trusted here and not there.
static double end_number(int k)
{
    return 0.1 * k + 0.03 * sin(2.0 * k);
}

static void fixed_steps_are_the_formulas(void **state)
{
    (void)state;
    long fallbacks = 0;
    for (int k = 0; k < 6; k++) {
        trm_options o = rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_SRM_P, 0.05);
        o.srm_p.degree = k / 2;
        o.srm_p.passes = 1 + k % 2;
        rig r = open_bent();
        stepper s = begin(&o);
        rig_start(&r, o);
        compare(&r, &s, 1e-13);
        for (int n = 1; n <= 30; n++) {
            s.end = end_number(n);
            while (s.t < s.end) {
                step_fixed(&s);
            }
            rig_run(&r, s.end);
            compare(&r, &s, 1e-9); // a short step divides dv, which is rounded, by h
        }
        fallbacks += s.fallbacks;
        rig_close(&r);
    }
    assert_in_range(fallbacks, 10, 60);
}

/// A step cut short, of 2 to 98 % of the others: the one behind it magnifies errors to some more or
/// less than 25 times, and is taken with the history or without.
static void the_bound_of_the_history_is_25(void **state)
{
    (void)state;
    int below_25 = 0, above_25 = 0;
    trm_options o = rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_SRM_P, 0.05);
    o.srm_p.degree = 2;
    for (int i = 1; i < 200; i++) {
        const double ends[] = {0.2, 0.2 + 0.05 * (0.005 * i), 0.4};
        rig r = open_bent();
        stepper s = begin(&o);
        rig_start(&r, o);
        for (int n = 0; n < 3; n++) {
            s.end = ends[n];
            while (s.t < s.end) {
                const double sum = n == 2 ? magnified(&s, s.t + o.h) : 0.0;
                below_25 += sum > 24.0 && sum <= 25.0;
                above_25 += sum > 25.0 && sum <= 26.0;
                step_fixed(&s);
            }
            rig_run(&r, s.end);
        }
        compare(&r, &s, 1e-9);
        rig_close(&r);
    }
    print_message("%d steps below 25, %d above\n", below_25, above_25);
    assert_true(below_25 > 0 && above_25 > 0);
}

static int compare_each(trm_sim *sim, void *user)
{
    const rig r = {.sim = sim};
    step_adaptive(user);
    compare(&r, user, 1e-6);
    return 0;
}

static void adaptive_steps_are_the_formulas(void **state)
{
    (void)state;
    long refused = 0;
    for (int k = 0; k < 12; k++) {
        trm_options o = rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_SRM_P, 1e-4, 1e-5);
        o.h = k < 6 ? 0.5 : 1e-3;
        o.srm_p.degree = k % 6 / 2;
        o.srm_p.passes = 1 + k % 2;
        rig r = open_bent();
        stepper s = begin(&o);
        rig_start(&r, o);
        for (int n = 1; n <= 12; n++) {
            s.end = 3.0 * end_number(n);
            rig_observe(&r, s.end, compare_each, &s);
        }
        refused += s.refused;
        rig_close(&r);
    }
    assert_true(refused > 6);
}

/// Without a first step by the user: 1/100 of the time in which the state changes by its size.
static void the_first_step_is_a_hundredth(void **state)
{
    (void)state;
    trm_options o = rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_SRM_P, 1e-3, 1e-4);
    trm_error err;
    rig r = open_bent();
    const stepper s = begin(&o);
    const double size = sqrt(squares(&s, s.z, s.z, 0, NZ - 1));
    const double speed = sqrt(squares(&s, s.z, s.dz, 0, NZ - 1));
    rig_start(&r, o);
    rig_ok(trm_sim_step(r.sim, &err), &err);
    assert_int_equal(trm_sim_stats(r.sim).rejected, 0);
    near("h", trm_sim_stats(r.sim).h, 0.01 * size / speed, 1e-12);
    rig_close(&r);
}

/// A shift costs one evaluation of the forces, in the step that follows.
static void a_shift_is_looked_at_once(void **state)
{
    (void)state;
    static const double dv[NV] = {1e-3, 0.0, 0.0};
    static const trm_integrator both[] = {TRM_INTEGRATOR_RK4, TRM_INTEGRATOR_DOPRI5};
    for (int i = 0; i < 2; i++) {
        trm_options o = rig_adaptive(both[i], TRM_STABILIZATION_SRM_P, 1.0, 1.0);
        trm_error err;
        long before = 0, cost[5];
        rig r = open_bent();
        o.h = 0.05;
        o.rtol = o.atol =
            both[i] == TRM_INTEGRATOR_RK4
                ? trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_SRM_P).rtol
                : 1.0;
        rig_start(&r, o);
        rig_run(&r, 0.2);
        for (int n = 0; n < 5; n++) {
            if (n == 2) {
                rig_ok(trm_sim_perturb(r.sim, NULL, dv, &err), &err);
            }
            before = trm_sim_stats(r.sim).force_evals;
            rig_run(&r, 0.25 + 0.05 * n);
            cost[n] = trm_sim_stats(r.sim).force_evals - before;
        }
        assert_int_equal(cost[2], cost[1] + 1);
        assert_int_equal(cost[3], cost[1]);
        assert_int_equal(cost[4], cost[1]);
        rig_close(&r);
    }
}

static int faults; // of the next calls of f, which fail

static int faulty_f(const trm_model *model, double t, const double *q, const double *v, double *f,
                    void *user)
{
    (void)model, (void)user;
    f_of(t, q, v, f);
    faults -= faults > 0;
    return faults > 0;
}

/// A fixed step of the history that cannot be evaluated is taken once more without it: as the first
/// step of a run that begins there. Where f fails again it is f that is told.
static void a_step_that_fails_with_history_is_taken_without(void **state)
{
    (void)state;
    rig r = open_bent_with(faulty_f), fresh = open_bent_with(faulty_f);
    trm_error err = {.status = TRM_OK};
    const trm_options o = rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_SRM_P, 0.01);
    rig_start(&r, o);
    for (int k = 0; k < 6; k++) {
        rig_ok(trm_sim_step(r.sim, &err), &err);
    }
    const trm_state at = trm_sim_state(r.sim);
    rig_start(&fresh, o);
    rig_ok(trm_sim_set_state(fresh.sim, at.t, at.q, at.v, &err), &err);
    faults = 2; // the next call
    rig_ok(trm_sim_step(r.sim, &err), &err);
    rig_ok(trm_sim_step(fresh.sim, &err), &err);
    for (int i = 0; i < NV; i++) {
        near("q", trm_sim_state(r.sim).q[i], trm_sim_state(fresh.sim).q[i], 1e-15);
        near("v", trm_sim_state(r.sim).v[i], trm_sim_state(fresh.sim).v[i], 1e-14);
    }
    faults = 1000;
    assert_int_equal(trm_sim_step(r.sim, &err), TRM_ERR_CALLBACK);
    faults = 0;
    rig_close(&r);
    rig_close(&fresh);
}

/// q = -1e150 max(t, 0): at rest at the start, 1e150 m/s behind it.
static int kink_g(const trm_model *model, double t, const double *q, double *g, void *user)
{
    (void)model, (void)user;
    g[0] = q[0] + 1e150 * fmax(t, 0.0);
    return 0;
}

static int kink_G(const trm_model *model, double t, const double *q, double *G, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    G[0] = 1.0;
    return 0;
}

static int kink_g_t(const trm_model *model, double t, const double *q, double *g_t, void *user)
{
    (void)model, (void)q, (void)user;
    g_t[0] = t > 0.0 ? 1e150 : 0.0;
    return 0;
}

static int kink_gamma(const trm_model *model, double t, const double *q, const double *v,
                      double *gamma, void *user)
{
    (void)model, (void)t, (void)q, (void)v, (void)user;
    gamma[0] = 0.0;
    return 0;
}

static int no_force(const trm_model *model, double t, const double *q, const double *v, double *f,
                    void *user)
{
    (void)model, (void)t, (void)q, (void)v, (void)user;
    f[0] = 0.0;
    return 0;
}

/// A kink within 1e-160 s: the velocity behind it is finite, the mean of lambda-hat over the step,
/// which the history would keep, is 1e310. The step is refused.
static void a_node_of_the_history_is_finite(void **state)
{
    (void)state;
    rig r = rig_equations(&(trm_equations){.name = "kink",
                                           .nq = 1,
                                           .nv = 1,
                                           .nc = 1,
                                           .M = rig_unit_M,
                                           .f = no_force,
                                           .g = kink_g,
                                           .G = kink_G,
                                           .g_t = kink_g_t,
                                           .gamma = kink_gamma});
    trm_error err = {.status = TRM_OK};
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_SRM_P, 1e-160));
    assert_int_equal(trm_sim_step(r.sim, &err), TRM_ERR_DIVERGED);
    assert_non_null(strstr(err.message, "the state is not finite after the step"));
    assert_true(trm_sim_state(r.sim).t == 0.0);
    rig_close(&r);
}

int test_srm_p_steps(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_steps_are_the_formulas),
        cmocka_unit_test(the_bound_of_the_history_is_25),
        cmocka_unit_test(adaptive_steps_are_the_formulas),
        cmocka_unit_test(a_shift_is_looked_at_once),
        cmocka_unit_test(the_first_step_is_a_hundredth),
        cmocka_unit_test(a_step_that_fails_with_history_is_taken_without),
        cmocka_unit_test(a_node_of_the_history_is_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
