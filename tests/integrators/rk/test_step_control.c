/// The step-size control of the Dormand-Prince pairs, step by step against its formulas (those at
/// the head of dormand_prince.c), written here for a disturbed Kepler problem without constraints;
/// then what the control promises.
#include "integrators/rk/dormand_prince.h"
#include "tests/rig.h"

enum { N = 4, MOST = 33, ROOM = N * MOST, STAGES = TRM_EMBEDDED_STAGES };

/// Bodies, each with an orbit of its own: all positions, then all velocities.
static int bodies = 1;

// ------------------------------------------------------------------------------------ the problem

/// q'' = -q/|q|^3 + (0.1 cos 3t, 0)
static void dy_of(double t, const double *y, double *dy)
{
    for (int b = 0; b < bodies; b++) {
        const double *q = y + 2 * b, *v = y + 2 * bodies + 2 * b;
        double *dq = dy + 2 * b, *dv = dy + 2 * bodies + 2 * b;
        const double r = hypot(q[0], q[1]), r3 = r * r * r;
        dq[0] = v[0];
        dq[1] = v[1];
        dv[0] = -q[0] / r3 + 0.1 * cos(3.0 * t);
        dv[1] = -q[1] / r3;
    }
}

static int attraction(const trm_model *model, double t, const double *q, const double *v, double *f,
                      void *user)
{
    (void)model, (void)user;
    double y[ROOM], dy[ROOM];
    memcpy(y, q, 2 * (size_t)bodies * sizeof *y);
    memcpy(y + 2 * bodies, v, 2 * (size_t)bodies * sizeof *y);
    dy_of(t, y, dy);
    memcpy(f, dy + 2 * bodies, 2 * (size_t)bodies * sizeof *f);
    return 0;
}

/// The perihelion of an orbit of eccentricity 0.6.
static const double start[N] = {0.4, 0.0, 0.0, 2.0};

/// The same of several bodies, body b larger by 1 + b/10, and that of the first turned.
static void start_of(double *y)
{
    for (int b = 0; b < bodies; b++) {
        const double size = 1.0 + 0.1 * b, turn = 0.2 * b;
        y[2 * b] = size * start[0] * cos(turn);
        y[2 * b + 1] = size * start[0] * sin(turn);
        y[2 * bodies + 2 * b] = -start[3] / sqrt(size) * sin(turn);
        y[2 * bodies + 2 * b + 1] = start[3] / sqrt(size) * cos(turn);
    }
}

static rig open_orbit(void)
{
    double y[ROOM];
    start_of(y);
    return rig_equations(&(trm_equations){.name = "orbit",
                                          .nq = 2 * bodies,
                                          .nv = 2 * bodies,
                                          .q0 = y,
                                          .v0 = y + 2 * bodies,
                                          .M = rig_unit_M,
                                          .f = attraction});
}

// ------------------------------------------------------------------------------------ the control

/// What Hairer's codes DOPRI5 and DOP853 take, apart from safety and memory of the second, which
/// come from the sweeps of docs/validation/speed.md.
typedef struct control {
    const trm_embedded *pair; ///< its order conditions: test_tableaux.c
    double exponent, beta, safety, slowest, fastest;
} control;

static const control of_5 = {&trm_embedded_5, 0.2, 0.04, 0.9, 0.2, 10.0};
static const control of_8 = {&trm_embedded_8, 0.125, 0.03, 0.8, 0.333, 6.0};

typedef struct stepper {
    const control *c;
    trm_options o;
    double t, end, y[ROOM], h_next, err_old, h_last;
    int rejected; ///< the last try
    long steps, refused;
} stepper;

/// h sum_i w_i k_i over atol + rtol max(|y0|, |y1|), or over the larger of both: sum of squares.
static double squares(const stepper *s, double h, const double *w, double k[STAGES][ROOM],
                      const double *y1)
{
    double sum = 0.0;
    for (int j = 0; j < N * bodies; j++) {
        const double size = s->o.rtol * fmax(fabs(s->y[j]), fabs(y1[j]));
        const double unit =
            s->o.step_control == TRM_STEP_CONTROL_ACPR ? fmax(s->o.atol, size) : s->o.atol + size;
        double e = 0.0;
        for (int i = 0; i <= s->c->pair->stages; i++) {
            e += h * w[i] * k[i][j] / unit;
        }
        sum += e * e;
    }
    return sum;
}

/// y1 after a step of size h; returns the estimate of its error.
static double try_step(const stepper *s, double h, double *y1)
{
    const trm_embedded *pair = s->c->pair;
    double k[STAGES][ROOM], third[STAGES];
    for (int i = 0; i <= pair->stages; i++) {
        for (int j = 0; j < N * bodies; j++) {
            y1[j] = s->y[j];
            for (int l = 0; l < i; l++) {
                y1[j] += h * pair->a[i][l] * k[l][j];
            }
        }
        dy_of(s->t + pair->c[i] * h, y1, k[i]);
    }
    if (pair->order == 5) {
        return sqrt(squares(s, h, pair->e, k, y1) / (N * bodies));
    }
    for (int i = 0; i < STAGES; i++) {
        third[i] = pair->a[pair->stages][i] - pair->b3[i];
    }
    const double err5 = squares(s, h, pair->e, k, y1), err3 = squares(s, h, third, k, y1);
    if (s->rejected && !(s->h_last > 0.0)) { // the first step again: both estimates count
        return sqrt((err5 + err3 / 100.0) / (N * bodies));
    }
    const double least = cbrt(s->o.rtol * pow(err5 / (N * bodies), 2.0)); // C h^8 of C h^6
    return fmax(err5 / sqrt((err5 + err3 / 100.0) * N * bodies), least);
}

/// The factor of h after a try with this error.
static double factor_of(const stepper *s, double err)
{
    const control *c = s->c;
    if (s->o.step_control == TRM_STEP_CONTROL_ACPR) {
        return fmin(5.0, fmax(0.2, pow(0.25 / err, 0.2)));
    }
    const double factor =
        c->safety * pow(err, -(c->exponent - 0.75 * c->beta)) * pow(s->err_old, c->beta);
    return fmin(c->fastest, fmax(c->slowest, factor));
}

static void accept(stepper *s, double h, double err, const double *y1)
{
    const control *c = s->c;
    const int acpr = s->o.step_control == TRM_STEP_CONTROL_ACPR;
    double factor = factor_of(s, err);
    if (!acpr && s->h_last > 0.0) {
        const double foreseen =
            c->safety * h / s->h_last * pow(s->err_old / err, c->exponent) * pow(err, -c->exponent);
        factor = fmin(factor, fmax(c->slowest, foreseen));
    }
    if (s->rejected && !acpr) {
        factor = fmin(factor, 1.0);
    }
    s->h_next = h < s->h_next ? fmax(s->h_next, h * factor) : h * factor;
    s->err_old = fmax(err, 1e-4);
    s->h_last = h;
    s->rejected = 0;
    s->steps++;
    memcpy(s->y, y1, sizeof s->y);
}

/// One accepted step, at most to t_end, which is taken when it is not much farther than planned.
static void step(stepper *s, double t_end)
{
    const double stretch = s->o.step_control == TRM_STEP_CONTROL_ACPR ? 1.01 : 1.05;
    for (;;) {
        double y1[ROOM];
        const int last = t_end - s->t <= stretch * s->h_next;
        const double h = last ? t_end - s->t : s->h_next;
        const double err = try_step(s, h, y1);
        if (err <= 1.0) {
            accept(s, h, err, y1);
            s->t = last ? t_end : s->t + h;
            return;
        }
        s->h_next = h * fmin(0.9, factor_of(s, err));
        s->rejected = 1;
        s->refused++;
    }
}

// -------------------------------------------------------------------------------------- the claims

static trm_integrator integrator_of(const control *c)
{
    return c->pair->order == 5 ? TRM_INTEGRATOR_DOPRI5 : TRM_INTEGRATOR_DOP853;
}

/// Compares a step of the run with that of the formulas. The first estimates are 1e-12 before they
/// are divided by the tolerance, rounded by 1e-4 of themselves: sizes agree to that.
static int compare(trm_sim *sim, void *user)
{
    stepper *s = user;
    const trm_stats stats = trm_sim_stats(sim);
    const trm_state state = trm_sim_state(sim);
    const double before = s->t;
    step(s, s->end);
    near("t", state.t, s->t, 1e-4 * s->t);
    near("h", stats.h, s->t - before, 1e-4 * (s->t - before));
    assert_int_equal(stats.steps, s->steps);
    assert_int_equal(stats.rejected, s->refused);
    for (int j = 0; j < 2 * bodies; j++) {
        near("q", state.q[j], s->y[j], 1e-3);
        near("v", state.v[j], s->y[2 * bodies + j], 1e-3);
    }
    return 0;
}

/// From the perihelion around and past it again, landing on twenty ends.
static stepper follow(const control *c, double rtol, double atol, double h, trm_step_control kind)
{
    stepper s = {.c = c,
                 .o = rig_adaptive(integrator_of(c), TRM_STABILIZATION_PLAIN, rtol, atol),
                 .err_old = 1e-4};
    rig r = open_orbit();
    s.o.step_control = kind;
    s.o.h = s.h_next = h;
    start_of(s.y);
    rig_start(&r, s.o);
    for (int k = 1; k <= 20; k++) {
        s.end = 0.37 * k + 0.05 * sin(k);
        rig_observe(&r, s.end, compare, &s);
    }
    rig_close(&r);
    return s;
}

CLAIM(dopri5_steps_as_its_formulas_say)
{
    for (int k = 0; k < 4; k++) {
        const double tolerance = pow(10.0, -4 - k);
        follow(&of_5, tolerance, 0.1 * tolerance, 1e-3, TRM_STEP_CONTROL_PI);
        const stepper s = follow(&of_5, 0.1 * tolerance, tolerance, 1.0, TRM_STEP_CONTROL_PI);
        assert_true(s.refused > 0);
    }
}

CLAIM(dop853_steps_as_its_formulas_say)
{
    for (int k = 0; k < 4; k++) {
        const double tolerance = pow(10.0, -3 - k);
        follow(&of_8, tolerance, 0.1 * tolerance, 1e-3, TRM_STEP_CONTROL_PI);
        const stepper s = follow(&of_8, 0.1 * tolerance, tolerance, 1.0, TRM_STEP_CONTROL_PI);
        assert_true(s.refused > 0);
    }
}

/// As many components as the norm takes in two pieces, and some that fill no four of them.
CLAIM(many_components_have_one_norm)
{
    static const int counts[] = {2, MOST};
    for (int k = 0; k < 2; k++) {
        bodies = counts[k];
        follow(&of_5, 1e-5, 1e-6, 0.1, TRM_STEP_CONTROL_PI);
        follow(&of_8, 1e-5, 1e-6, 0.1, TRM_STEP_CONTROL_PI);
        bodies = 1;
    }
}

/// [ACPR95 section 6]: of both kinds of tolerance the larger counts.
CLAIM(the_control_of_acpr_steps_as_its_formulas_say)
{
    for (int k = 0; k < 4; k++) {
        const double tolerance = pow(10.0, -4 - k);
        follow(&of_5, tolerance, 0.6 * tolerance, 1e-3, TRM_STEP_CONTROL_ACPR);
        const stepper s = follow(&of_5, 0.6 * tolerance, tolerance, 1.0, TRM_STEP_CONTROL_ACPR);
        assert_true(s.refused > 0);
    }
}

// ---------------------------------------------------------------------------------- the first step

static int no_force(const trm_model *model, double t, const double *q, const double *v, double *f,
                    void *user)
{
    (void)model, (void)t, (void)q, (void)v, (void)user;
    f[0] = f[1] = 0.0;
    return 0;
}

static int constant_pull(const trm_model *model, double t, const double *q, const double *v,
                         double *f, void *user)
{
    (void)model, (void)t, (void)q, (void)v, (void)user;
    f[0] = 1.0;
    f[1] = -2.0;
    return 0;
}

/// No acceleration at q0 = 1, t = 1, and an acceleration that grows by its own: cubic and less in a
/// step.
static int twist(const trm_model *model, double t, const double *q, const double *v, double *f,
                 void *user)
{
    (void)model, (void)v, (void)user;
    f[0] = 0.0;
    f[1] = 1e3 * (q[0] * q[0] - 1.0 + t * t - 1.0);
    return 0;
}

typedef enum force { NONE, PULL, TWIST, ATTRACTION } force;

static trm_velocity_fn *const forces[] = {no_force, constant_pull, twist, attraction};

static void dy_by(force by, double t, const double *y, double *dy)
{
    if (by == ATTRACTION) {
        dy_of(t, y, dy);
        return;
    }
    dy[0] = y[2], dy[1] = y[3];
    forces[by](NULL, t, y, y + 2, dy + 2, NULL);
}

/// Root mean square of x/(atol + rtol |y|).
static double scaled(const double *x, const double *y, double rtol, double atol)
{
    double sum = 0.0;
    for (int j = 0; j < N; j++) {
        const double part = x[j] / (atol + rtol * fabs(y[j]));
        sum += part * part / N;
    }
    return sqrt(sum);
}

/// [Hairer, Norsett, Wanner, II.4] with at most 30 h0, and the largest coordinate, or 1, as the
/// size of all.
static double first_of(const control *c, double t, const double *y, force by, double rtol,
                       double atol)
{
    const double largest = fmax(fabs(y[0]), fabs(y[1])), size = largest > 0.0 ? largest : 1.0;
    const double sizes[N] = {size, size, y[2], y[3]};
    double dy[N], next[N], ddy[N];
    dy_by(by, t, y, dy);
    const double d0 = scaled(sizes, y, rtol, atol), d1 = scaled(dy, y, rtol, atol);
    const double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    for (int j = 0; j < N; j++) {
        next[j] = y[j] + h0 * dy[j];
    }
    dy_by(by, t + h0, next, ddy);
    for (int j = 0; j < N; j++) {
        ddy[j] = (ddy[j] - dy[j]) / h0;
    }
    const double d2 = fmax(d1, scaled(ddy, y, rtol, atol));
    const double h1 = d2 <= 1e-15 ? 1e-6 : pow(0.01 / d2, 1.0 / c->pair->order);
    return fmin(30.0 * h0, h1);
}

static void check_first(const control *c, const double *y, force by, double rtol, double atol)
{
    rig r = rig_equations(&(trm_equations){
        .name = "first", .nq = 2, .nv = 2, .q0 = y, .v0 = y + 2, .M = rig_unit_M, .f = forces[by]});
    trm_error err;
    rig_start(&r, rig_adaptive(integrator_of(c), TRM_STABILIZATION_PLAIN, rtol, atol));
    const double t = by == TWIST ? 1.0 : 0.0;
    rig_ok(trm_sim_set_state(r.sim, t, y, y + 2, &err), &err);
    rig_ok(trm_sim_step(r.sim, &err), &err);
    const double h = first_of(c, t, y, by, rtol, atol);
    assert_int_equal(trm_sim_stats(r.sim).rejected, 0);
    near("first step", trm_sim_stats(r.sim).h, h, 1e-8 * h);
    rig_close(&r);
}

/// Around the borders 1e-5 of d0 and d1 and 1e-15 of d2 too: a tenth above and below each.
CLAIM(the_first_step_is_that_of_hairer_norsett_and_wanner)
{
    const control *const both[] = {&of_5, &of_8};
    const double far[N] = {3.0, -1.0, 0.2, 0.1}, rest[N] = {1.0, 0.0, 0.0, 0.0}, atol = 1e-2;
    const double close[N] = {0.05, 0.01, 0.3, 5.0};
    for (int i = 0; i < 2; i++) {
        check_first(both[i], start, ATTRACTION, 1e-6, 1e-7);
        check_first(both[i], far, ATTRACTION, 1e-3, 1e-5);
        check_first(both[i], close, ATTRACTION, 1e-3, 1e-4);
        check_first(both[i], (double[N]){1.0, 0.0, 1.0, 0.0}, TWIST, 1e-6, 1e-6);
        check_first(both[i], far, NONE, 1e-3, 1e-5);
        check_first(both[i], rest, NONE, 1e-12, atol);
        for (int k = 0; k < 2; k++) {
            const double about = k == 0 ? 0.9 : 1.1;
            const double slow[N] = {1.0, 0.0, about * 1e-5 * 2.0 * atol, 0.0};
            const double slower[N] = {1.0, 0.0, about * 1e-15 * 2.0 * atol, 0.0};
            const double small[N] = {about * 1e-5 * sqrt(2.0) * atol, 0.0, 0.0, 0.0};
            check_first(both[i], slow, NONE, 1e-12, atol);
            check_first(both[i], slower, NONE, 1e-12, atol);
            check_first(both[i], small, PULL, 1e-12, atol);
        }
    }
}

/// An error of 0 lets steps grow by the largest factor.
CLAIM(steps_at_rest_grow_by_the_largest_factor)
{
    const control *const both[] = {&of_5, &of_8};
    for (int i = 0; i < 2; i++) {
        double h = 1e-3;
        trm_error err;
        rig r = rig_equations(&(trm_equations){
            .name = "rest", .nq = 2, .nv = 2, .q0 = start, .M = rig_unit_M, .f = no_force});
        trm_options o = rig_adaptive(integrator_of(both[i]), TRM_STABILIZATION_PLAIN, 1e-6, 1e-6);
        o.h = h;
        rig_start(&r, o);
        for (int k = 0; k < 6; k++) {
            rig_ok(trm_sim_step(r.sim, &err), &err);
            near("h", trm_sim_stats(r.sim).h, h, 1e-12 * h);
            h *= both[i]->fastest;
        }
        rig_close(&r);
    }
}

/// A sample after a restart is of the restart.
CLAIM(a_restart_has_no_last_step)
{
    rig r = open_orbit();
    trm_sample sample;
    trm_error err;
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PLAIN, 1e-6, 1e-6));
    rig_run(&r, 1.0);
    rig_ok(trm_sim_sample(r.sim, 0.99, &sample, &err), &err);
    rig_ok(trm_sim_set_state(r.sim, 0.0, start, start + 2, &err), &err);
    rig_ok(trm_sim_sample(r.sim, 0.0, &sample, &err), &err);
    for (int j = 0; j < 2; j++) {
        assert_true(sample.state.q[j] == start[j] && sample.state.v[j] == start[2 + j]);
    }
    rig_close(&r);
}

// ------------------------------------------------------------------------------------ no way to go

static int fails_after_the_start(const trm_model *model, double t, const double *q, const double *v,
                                 double *f, void *user)
{
    (void)model, (void)q, (void)v, (void)user;
    f[0] = f[1] = 0.0;
    return t > 0.0;
}

/// A try that cannot be evaluated is followed by a quarter of it, down to 16 eps max(|t|, 1e-3):
/// from 4^k times just more than that k + 1 tries are refused.
CLAIM(a_step_is_quartered_down_to_the_rounding_of_time)
{
    const double least = 16.0 * 2.220446049250313e-16 * 1e-3;
    for (int k = 5; k < 7; k++) {
        for (int above = 0; above < 2; above++) {
            rig r = rig_equations(&(trm_equations){.name = "wall",
                                                   .nq = 2,
                                                   .nv = 2,
                                                   .q0 = start,
                                                   .M = rig_unit_M,
                                                   .f = fails_after_the_start});
            trm_options o =
                rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_PLAIN, 1e-6, 1e-6);
            trm_error err;
            o.h = least * pow(4.0, k) * (above ? 1.05 : 0.95);
            rig_start(&r, o);
            assert_int_equal(trm_sim_run(r.sim, 1.0, NULL, NULL, &err), TRM_ERR_CALLBACK);
            assert_int_equal(trm_sim_stats(r.sim).rejected, above ? k + 1 : k);
            assert_int_equal(trm_sim_stats(r.sim).steps, 0);
            rig_close(&r);
        }
    }
}

// --------------------------------------------------------------------------------- what is
// promised

/// R(z) of the pair: the step of y' = z y from y = 1.
static double stability(const trm_embedded *pair, double z)
{
    double k[STAGES], y = 1.0;
    for (int i = 0; i <= pair->stages; i++) {
        y = 1.0;
        for (int j = 0; j < i; j++) {
            y += pair->a[i][j] * k[j];
        }
        k[i] = z * y;
    }
    return y;
}

/// The stability regions end where Hairer, Norsett, Wanner say, within 5 %.
CLAIM(the_border_is_that_of_the_stability_region)
{
    const trm_embedded *const pairs[] = {&trm_embedded_3, &trm_embedded_5, &trm_embedded_8};
    static const double border[] = {2.51, 3.25, 6.1};
    for (int i = 0; i < 3; i++) {
        below("inside", fabs(stability(pairs[i], -border[i])), 1.0);
        assert_true(fabs(stability(pairs[i], -1.05 * border[i])) > 1.0);
    }
}

static int damped_evaluations;

/// q'' = -1001 q' - 1000 q: rates of 1 and 1000.
static int damped(const trm_model *model, double t, const double *q, const double *v, double *f,
                  void *user)
{
    (void)model, (void)t, (void)user;
    damped_evaluations++;
    f[0] = -1001.0 * v[0] - 1000.0 * q[0];
    f[1] = -1001.0 * v[1] - 1000.0 * q[1];
    return 0;
}

static double damped_off(double t, const double *v)
{
    return fabs(v[0] - (exp(-t) - exp(-1000.0 * t)));
}

/// Samples between the ends of steps err no more than three times as much as the ends, and cost
/// three evaluations a step, and one each for its forces.
CLAIM(samples_are_as_exact_as_steps_near_the_border)
{
    static const double q0[] = {1e-3 - 1.0, 1e-3 - 1.0};
    for (double tolerance = 1e-6; tolerance > 1e-11; tolerance /= 10.0) {
        rig r = rig_equations(&(trm_equations){
            .name = "damped", .nq = 2, .nv = 2, .q0 = q0, .M = rig_unit_M, .f = damped});
        double ends = 0.0, samples = 0.0;
        trm_error err;
        trm_sample sample;
        rig_start(
            &r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PLAIN, tolerance, tolerance));
        for (double t0 = 0.0; t0 < 1.0; t0 = trm_sim_state(r.sim).t) {
            rig_ok(trm_sim_step(r.sim, &err), &err);
            const trm_state end = trm_sim_state(r.sim);
            ends = fmax(ends, damped_off(end.t, end.v));
            damped_evaluations = 0;
            for (int j = 1; j < 8; j++) {
                const double t = t0 + (end.t - t0) * j / 8;
                rig_ok(trm_sim_sample(r.sim, t, &sample, &err), &err);
                samples = fmax(samples, damped_off(t, sample.state.v));
            }
            assert_int_equal(damped_evaluations, 3 + 7);
        }
        below("samples over ends", samples / ends, 3.0);
        rig_close(&r);
    }
}

/// Each step errs by at most its tolerance, and the work grows no faster than
/// tolerance^(-1/order): a factor 1e4 takes 10^(4/5) and 10^(4/8) as many steps at most.
CLAIM(steps_err_by_less_than_the_tolerance_and_work_by_its_root)
{
    const control *const both[] = {&of_5, &of_8};
    for (int i = 0; i < 2; i++) {
        double steps[2];
        for (int k = 0; k < 2; k++) {
            const double tolerance = k == 0 ? 1e-8 : 1e-12;
            rig r = open_orbit(), exact = open_orbit();
            trm_error err;
            rig_start(&r, rig_adaptive(integrator_of(both[i]), TRM_STABILIZATION_PLAIN, tolerance,
                                       tolerance));
            rig_start(&exact,
                      rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PLAIN, 1e-14, 1e-14));
            while (trm_sim_state(r.sim).t < 6.0) {
                const trm_state from = trm_sim_state(r.sim);
                rig_ok(trm_sim_set_state(exact.sim, from.t, from.q, from.v, &err), &err);
                rig_ok(trm_sim_step(r.sim, &err), &err);
                const trm_state s = trm_sim_state(r.sim);
                rig_run(&exact, s.t);
                const trm_state e = trm_sim_state(exact.sim);
                double sum = 0.0;
                for (int j = 0; j < 2; j++) {
                    sum += pow((s.q[j] - e.q[j]) / (1.0 + fabs(e.q[j])), 2.0) +
                           pow((s.v[j] - e.v[j]) / (1.0 + fabs(e.v[j])), 2.0);
                }
                below("error of a step over the tolerance", sqrt(sum / N) / tolerance, 1.0);
            }
            steps[k] = (double)trm_sim_stats(r.sim).steps;
            rig_close(&r);
            rig_close(&exact);
        }
        below("growth of the work", log10(steps[1] / steps[0]), 4.0 / (both[i]->pair->order - 0.3));
    }
}
