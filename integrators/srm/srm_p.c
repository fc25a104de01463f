/// SRM-P: sequential regularization in the limit epsilon -> 0 of [AL95 (5.5)-(5.6)], by splitting.
/// The reaction acceleration lambda-hat = M^-1 G^T lambda is predicted from its own past, the
/// prediction is projected by P = B (GB)^-1 G, B = M^-1 G^T, and its error is corrected once at the
/// end of the step, since the stiff terms of (5.5)-(5.6) have the corrections below as limit:
///
///     history  (tau_j, L_j): L_j the mean of lambda-hat over step j, tau_j = t_j + h_j/2
///     Lp(t)    the polynomial of degree k through the last k + 1 of them
///     z*       a Runge-Kutta step of  q' = N v,  v' = M^-1 f - P(q) Lp(t)
///     q^+  = q* - N B (GB)^-1 g(q*)
///     dv   = B (GB)^-1 (G v* + g_t) at q^+,    v^+ = v* - dv
///     q_m  = (q + q^+)/2 + h/8 (N v - N v^+)
///     L    = P(q_m) (Lp(t + h/2) + dv/h), appended to the history
///
/// A second pass takes L as one more node and repeats the step. The first node is exact, tau = t_0;
/// the first k steps take lambda-hat from the index-1 form at each stage, so that the method starts
/// by itself. After them no second derivative of g enters. The projection P(q_m) keeps tangential
/// errors from accumulating in the history; without it a run ends in NaN.
///
/// Without a reliable history - nodes so uneven that extrapolation would magnify their errors,
/// a second rejection in a row, a step that is not finite - a step is taken like the first k,
/// and counted (trm_stats.fallbacks).
///
/// Order 4 with k = 2: Lp has an error of O(h^3). Its part that P(q(s)) turns away from the
/// direction P(q^+) of the correction by the end of the step is tangential, h^2/2 P' O(h^3). Two
/// passes keep the order and reduce the constant about tenfold; k = 1 has order 3, k = 0 order 2.
///
/// Step-size control (with dopri5): the estimate of the embedded pair, and the estimate of the
/// splitting: the change by the second pass, or with a single pass SPLIT_SHARE of dv.
#include "base/status.h"
#include "integrators/rk/dormand_prince.h"
#include "integrators/trajectory/stabilization.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NODES = 3, STAGES = 7 }; // k + 1 at most; with the stage at the end of dopri5

static const double most_magnified = 25; // sum |l_i|; equal steps have 11.5 at k = 2
static const double split_share = 0.1;

// clang-format off
static const trm_embedded classical = {
    .stages = 4, .c = {0, 1.0/2, 1.0/2, 1},
    .a = {[1] = {1.0/2}, [2] = {0, 1.0/2}, [3] = {0, 0, 1}, [4] = {1.0/6, 1.0/3, 1.0/3, 1.0/6}},
};
// clang-format on

/// A mean of lambda-hat over a step.
typedef struct node {
    double tau; ///< s
    double *L;  ///< [nv]
} node;

typedef struct srm_p_memory {
    const trm_embedded *pair;
    node past[NODES];               ///< the newest first
    int count;                      ///< of them that exist
    node made;                      ///< L of the step being tried
    node first;                     ///< L of its first pass
    const node *through[NODES + 1]; ///< the nodes of Lp
    int used;                       ///< how many
    double *stage;                  ///< [n]
    double *k[STAGES];              ///< [n]
    double *first_end;              ///< [n] where the first pass ended
    double *dv;                     ///< [nv]
    double *hat;   ///< [nv] Lp(t), or the mean of the stages' lambda-hat in a one-step step
    double *spare; ///< [nc]
    double err_old;
    int rejections; ///< in a row
    int tiny_steps; ///< in a row, of the adaptive method
} srm_p_memory;

static void layout(trm_run *run, const trm_embedded *pair, trm_arena *arena)
{
    srm_p_memory counted, *memory = trm_arena_struct(arena, sizeof counted, &counted, &run->method);
    const int nv = run->system->nv;
    memory->pair = pair;
    for (int i = 0; i < NODES; i++) {
        memory->past[i].L = trm_arena_doubles(arena, nv);
        memory->through[i] = &memory->past[i];
    }
    memory->through[NODES] = &memory->first;
    memory->made.L = trm_arena_doubles(arena, nv);
    memory->first.L = trm_arena_doubles(arena, nv);
    memory->stage = trm_arena_doubles(arena, run->n);
    for (int i = 0; i < STAGES; i++) {
        memory->k[i] = trm_arena_doubles(arena, run->n);
    }
    memory->first_end = trm_arena_doubles(arena, run->n);
    memory->dv = trm_arena_doubles(arena, nv);
    memory->hat = trm_arena_doubles(arena, nv);
    memory->spare = trm_arena_doubles(arena, run->system->nc);
}

static void layout_4(trm_run *run, trm_arena *arena)
{
    layout(run, &classical, arena);
}

static void layout_5(trm_run *run, trm_arena *arena)
{
    layout(run, &trm_embedded_5, arena);
}

// --------------------------------------------------------------------------------------- history

/// The Lagrange polynomial of node i through the nodes in use, at t.
static double lagrange(const srm_p_memory *memory, int i, double t)
{
    const double tau = memory->through[i]->tau;
    double l = 1;
    for (int j = 0; j < memory->used; j++) {
        if (j != i) {
            l *= (t - memory->through[j]->tau) / (tau - memory->through[j]->tau);
        }
    }
    return l;
}

/// hat = Lp(t)
static void predict(const trm_run *run, double t)
{
    const srm_p_memory *memory = run->method;
    const int nv = run->system->nv;
    memset(memory->hat, 0, (size_t)nv * sizeof(double));
    for (int i = 0; i < memory->used; i++) {
        const double l = lagrange(memory, i, t);
        for (int j = 0; j < nv; j++) {
            memory->hat[j] += l * memory->through[i]->L[j];
        }
    }
}

/// Let Lp go through the newest nodes. Returns zero when there are not enough of them, or when
/// extrapolation to t magnifies their errors too much.
static int use_history(trm_run *run, double t)
{
    srm_p_memory *memory = run->method;
    const int wanted = run->options.srm_p.degree + 1;
    double sum = 0;
    memory->used = memory->count < wanted ? memory->count : wanted;
    for (int i = 0; i < memory->used; i++) {
        memory->through[i] = &memory->past[i];
    }
    for (int i = 0; i < memory->used; i++) {
        sum += fabs(lagrange(memory, i, t));
    }
    return memory->used == wanted && sum <= most_magnified;
}

/// `made` becomes the newest node.
static void append(srm_p_memory *memory)
{
    const node oldest = memory->past[NODES - 1];
    for (int i = NODES - 1; i > 0; i--) {
        memory->past[i] = memory->past[i - 1];
    }
    memory->past[0] = memory->made;
    memory->made = oldest;
    memory->count = memory->count < NODES ? memory->count + 1 : NODES;
}

// ---------------------------------------------------------------------------------------- stages

/// x := P x at the current point, factored; w[nc] = (GB)^-1 G x.
static void project(trm_run *run, double *x, double *w)
{
    trm_system_multiply_G(run->system, x, w);
    trm_system_solve_S(run->system, w);
    trm_system_spread(run->system, TRM_METRIC_MASS, w, x);
}

/// q' = N v, v' = M^-1 f - P(q) Lp(t)
static int predicted_rates(trm_run *run, double t, const double *z, double *dz, double *lambda)
{
    trm_system *system = run->system;
    srm_p_memory *memory = run->method;
    const double *v = z + system->nq;
    double *a = dz + system->nq;
    int code = trm_system_position(system, t, z);
    code = code ? code : trm_system_force(system, v, a, &dz[run->n - 1]);
    code = code ? code : trm_system_factor(system, TRM_METRIC_MASS);
    if (code) {
        return code;
    }
    trm_system_solve_M(system, a);
    trm_system_rates(system, z, v, dz);
    predict(run, t);
    project(run, memory->hat, lambda);
    for (int i = 0; i < system->nv; i++) {
        a[i] -= memory->hat[i];
    }
    for (int i = 0; i < system->nc; i++) {
        dz[run->n - 1] += lambda[i] * system->g_t[i];
    }
    return 0;
}

/// out = z + h sum_j row_j k_j
static void combine(const trm_run *run, const double *z, double h, const double *row, double *out)
{
    const srm_p_memory *memory = run->method;
    memcpy(out, z, (size_t)run->n * sizeof(double));
    for (int j = 0; j < memory->pair->stages; j++) {
        for (int i = 0; row[j] != 0 && i < run->n; i++) {
            out[i] += h * row[j] * memory->k[j][i];
        }
    }
}

/// z* into before.z by the predicted lambda-hat; k[0] is there.
static int predicted_step(trm_run *run, double t, double h)
{
    srm_p_memory *memory = run->method;
    const trm_embedded *pair = memory->pair;
    for (int s = 1; s < pair->stages; s++) {
        combine(run, run->now.z, h, pair->a[s], memory->stage);
        const int code =
            predicted_rates(run, t + pair->c[s] * h, memory->stage, memory->k[s], memory->spare);
        if (code) {
            return code;
        }
    }
    combine(run, run->now.z, h, pair->a[pair->stages], run->before.z);
    return 0;
}

/// The same by the index-1 form; hat = sum b_i lambda-hat_i.
static int one_step(trm_run *run, double t, double h)
{
    srm_p_memory *memory = run->method;
    const trm_embedded *pair = memory->pair;
    const double *b = pair->a[pair->stages];
    const int nv = run->system->nv;
    memset(memory->hat, 0, (size_t)nv * sizeof(double));
    for (int s = 0; s < pair->stages; s++) {
        combine(run, run->now.z, h, pair->a[s], memory->stage);
        const int code =
            trm_index1_rates(run, t + pair->c[s] * h, memory->stage, memory->k[s], memory->spare);
        if (code) {
            return code;
        }
        trm_system_spread(run->system, TRM_METRIC_MASS, memory->spare, run->work_v);
        for (int i = 0; i < nv; i++) {
            memory->hat[i] += b[s] * run->work_v[i];
        }
    }
    combine(run, run->now.z, h, b, run->before.z);
    return 0;
}

// ----------------------------------------------------------------------------- end of the step

/// Make (t, q) the current point and factor there.
static int arrive(trm_run *run, double t, const double *q)
{
    const int code = trm_system_position(run->system, t, q);
    return code ? code : trm_system_factor(run->system, TRM_METRIC_MASS);
}

/// q^+, dv and v^+ from z*.
static int correct(trm_run *run, double t, double *q, double *v)
{
    trm_system *system = run->system;
    srm_p_memory *memory = run->method;
    int code = arrive(run, t, q);
    if (code) {
        return code;
    }
    for (int i = 0; i < system->nc; i++) {
        run->work_c[i] = -system->g[i];
    }
    trm_system_solve_S(system, run->work_c);
    trm_system_spread(system, TRM_METRIC_MASS, run->work_c, run->work_v);
    trm_system_move(system, run->work_v, q);
    code = arrive(run, t, q);
    if (code) {
        return code;
    }
    trm_system_velocity_residual(system, v, run->work_c);
    trm_system_solve_S(system, run->work_c);
    trm_system_spread(system, TRM_METRIC_MASS, run->work_c, memory->dv);
    for (int i = 0; i < system->nv; i++) {
        v[i] -= memory->dv[i];
    }
    return 0;
}

/// made = (t + h/2, P(q_m)(hat + dv/h)), hat the mean that the step was taken with.
static int make_node(trm_run *run, double t, double h)
{
    trm_system *system = run->system;
    srm_p_memory *memory = run->method;
    const double *z = run->now.z;
    const double *end = run->before.z;
    double *rate = memory->k[STAGES - 1]; // free until the stage at the end
    double *q = memory->stage;
    trm_system_rates(system, z, z + system->nq, q);
    trm_system_rates(system, end, end + system->nq, rate);
    for (int i = 0; i < system->nq; i++) {
        q[i] = (z[i] + end[i]) / 2 + h / 8 * (q[i] - rate[i]);
    }
    trm_system_normalize(system, q);
    for (int i = 0; i < system->nv; i++) {
        memory->made.L[i] = memory->hat[i] + memory->dv[i] / h;
    }
    memory->made.tau = t + h / 2;
    const int code = arrive(run, t + h / 2, q);
    if (!code) {
        project(run, memory->made.L, run->work_c);
    }
    return code;
}

/// From z* to the end of a pass.
static int finish_pass(trm_run *run, double t, double h)
{
    double *end = run->before.z;
    if (!trm_all_finite(run->n, end)) {
        return 1;
    }
    trm_system_normalize(run->system, end);
    const int code = correct(run, t + h, end, end + run->system->nq);
    trm_system_normalize(run->system, end);
    return code ? code : make_node(run, t, h);
}

/// One pass with the nodes in use.
static int predicted_pass(trm_run *run, double t, double h)
{
    int code = predicted_step(run, t, h);
    predict(run, t + h / 2);
    return code ? code : finish_pass(run, t, h);
}

/// One pass or both, as the options say. Leaves the end in before.z and its node in `made`.
static int predicted_passes(trm_run *run, double t, double h)
{
    srm_p_memory *memory = run->method;
    memcpy(memory->k[0], run->now.dz, (size_t)run->n * sizeof(double));
    int code = predicted_pass(run, t, h);
    if (code || run->options.srm_p.passes < 2) {
        return code;
    }
    memcpy(memory->first_end, run->before.z, (size_t)run->n * sizeof(double));
    const node spare = memory->first;
    memory->first = memory->made;
    memory->made = spare;
    memory->through[memory->used++] = &memory->first;
    code = predicted_rates(run, t, run->now.z, memory->k[0], memory->spare);
    return code ? code : predicted_pass(run, t, h);
}

/// A step of size h from now, by the history if `trusted`; its end in before.z.
static int try_step(trm_run *run, double h, int trusted)
{
    const double t = run->now.t;
    int code = trusted ? predicted_passes(run, t, h) : one_step(run, t, h);
    if (!trusted) {
        code = code ? code : finish_pass(run, t, h);
    }
    const srm_p_memory *memory = run->method;
    return code ? code
                : !(trm_all_finite(run->n, run->before.z) &&
                    trm_all_finite(run->system->nv, memory->made.L));
}

// ------------------------------------------------------------------------------------------ step

/// dz and lambda at a mesh point, by the history there if it can be trusted.
static int arrive_with_rates(trm_run *run, double t, trm_point_of_run *point)
{
    if (use_history(run, t)) {
        return predicted_rates(run, t, point->z, point->dz, point->lambda);
    }
    return trm_index1_rates(run, t, point->z, point->dz, point->lambda);
}

/// After now.z was moved: the history stays, it is of the same motion, apart from the shift.
static trm_status renew_rates(trm_run *run, trm_error *err)
{
    if (!run->shifted) {
        return TRM_OK;
    }
    const int code = arrive_with_rates(run, run->now.t, &run->now);
    run->shifted = code != 0;
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}

/// before becomes the new point, its node joins the history.
static trm_status accept(trm_run *run, double t_next, int trusted, trm_error *err)
{
    const int before = ((const srm_p_memory *)run->method)->count;
    append(run->method);
    const int code = arrive_with_rates(run, t_next, &run->before);
    if (code) {
        return trm_run_fail_code(run, code, err);
    }
    if (!trm_all_finite(run->n, run->before.dz)) {
        return trm_run_fail(run, TRM_ERR_DIVERGED, "the state is not finite after the step", err);
    }
    run->stats.fallbacks += !trusted && before >= run->options.srm_p.degree + 1;
    trm_run_advance(run);
    return TRM_OK;
}

static trm_status start(trm_run *run, trm_error *err)
{
    srm_p_memory *memory = run->method;
    trm_point_of_run *now = &run->now;
    const int code = trm_index1_rates(run, now->t, now->z, now->dz, now->lambda);
    if (code) {
        return trm_run_fail_code(run, code, err);
    }
    trm_system_spread(run->system, TRM_METRIC_MASS, now->lambda, memory->past[0].L);
    memory->past[0].tau = now->t;
    memory->count = 1;
    memory->rejections = 0;
    return TRM_OK;
}

static trm_status step_fixed(trm_run *run, double t_limit, trm_error *err)
{
    double h;
    TRM_TRY(renew_rates(run, err));
    const double t_next = trm_run_next(run, t_limit, &h);
    int trusted = use_history(run, t_next);
    int code = try_step(run, h, trusted);
    if (code > 0 && trusted) {
        trusted = 0;
        code = try_step(run, h, trusted);
    }
    if (code) {
        return code > 0 && !run->system->failed
                   ? trm_run_fail(run, TRM_ERR_DIVERGED, "the state is not finite after the step",
                                  err)
                   : trm_run_fail_code(run, code, err);
    }
    TRM_TRY(accept(run, t_next, trusted, err));
    trm_run_land(run, t_next);
    return TRM_OK;
}

// ------------------------------------------------------------------------------------- step size

/// Root mean square of x - y in units of the tolerances; x[0] belongs to z[first], y may be NULL.
static double scaled(const trm_run *run, const double *x, const double *y, int first, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        const double size = fmax(fabs(run->now.z[first + i]), fabs(run->before.z[first + i]));
        const double e = (x[i] - (y ? y[i] : 0)) / (run->options.atol + run->options.rtol * size);
        sum += e * e;
    }
    return sqrt(sum / (run->n - 1));
}

/// Error of the embedded pair, with the stage at the end.
static int embedded_error(trm_run *run, double t_next, double h, int trusted, double *error)
{
    srm_p_memory *memory = run->method;
    const trm_embedded *pair = memory->pair;
    double *last = memory->k[pair->stages];
    const int code = trusted ? predicted_rates(run, t_next, run->before.z, last, memory->spare)
                             : trm_index1_rates(run, t_next, run->before.z, last, memory->spare);
    memset(memory->stage, 0, (size_t)run->n * sizeof(double));
    for (int s = 0; s <= pair->stages; s++) {
        for (int i = 0; i < run->n; i++) {
            memory->stage[i] += h * pair->e[s] * memory->k[s][i];
        }
    }
    *error = scaled(run, memory->stage, NULL, 0, run->n - 1);
    return code;
}

/// Error of the splitting.
static double split_error(const trm_run *run)
{
    const srm_p_memory *memory = run->method;
    if (run->options.srm_p.passes > 1) {
        return scaled(run, run->before.z, memory->first_end, 0, run->n - 1);
    }
    return split_share * scaled(run, memory->dv, NULL, run->system->nq, run->system->nv);
}

/// A trial of size h; its error in units of the tolerance, INFINITY when it has no end.
static int measured_step(trm_run *run, double t_next, double h, int trusted, double *error)
{
    *error = INFINITY;
    int code = try_step(run, h, trusted);
    code = code ? code : embedded_error(run, t_next, h, trusted, error);
    if (!code && trusted) {
        *error = hypot(*error, split_error(run));
    }
    return code;
}

/// The factor of h after a step of this error, by the PI control of an error of order h^4, with
/// exponents 0.7/4 and 0.4/4 [Hairer, Wanner, IV.2]. The history needs steps that change slowly,
/// and a step without history tells nothing about the size of a step with it.
static double growth(const srm_p_memory *memory, double error, int trusted)
{
    const double most = trusted && memory->rejections == 0 ? 1.5 : 1;
    return fmin(most, fmax(0.2, 0.85 * pow(error, -0.175) * pow(memory->err_old, 0.1)));
}

static trm_status start_adaptive(trm_run *run, trm_error *err)
{
    TRM_TRY(start(run, err));
    memcpy(run->before.z, run->now.z, (size_t)run->n * sizeof(double));
    const double size = scaled(run, run->now.z, NULL, 0, run->n - 1);
    const double speed = scaled(run, run->now.dz, NULL, 0, run->n - 1);
    const double guess = size > 1e-5 && speed > 1e-5 ? 0.01 * size / speed : 1e-6;
    run->h_next = run->options.h > 0 ? run->options.h : guess;
    ((srm_p_memory *)run->method)->err_old = 1e-4;
    ((srm_p_memory *)run->method)->tiny_steps = 0;
    return TRM_OK;
}

/// Restore the step size from before the step, so that another call can try the same.
static trm_status give_up(trm_run *run, double h_next, int code, trm_error *err)
{
    run->h_next = h_next;
    ((srm_p_memory *)run->method)->rejections = 0;
    return code < 0 || (code && run->system->failed) ? trm_run_fail_code(run, code, err)
                                                     : trm_run_fail_step_size(run, err);
}

static trm_status step_adaptive(trm_run *run, double t_limit, trm_error *err)
{
    srm_p_memory *memory = run->method;
    const double h_next = run->h_next;
    int code = 0;
    TRM_TRY(renew_rates(run, err));
    for (;;) {
        const double t = run->now.t;
        const double left = t_limit - t;
        const double next_h = trm_run_finite_step(run);
        const int last = left <= 1.01 * next_h;
        const double h = last ? left : next_h;
        const double least = last ? DBL_MIN : 16 * DBL_EPSILON * fmax(fabs(t), 1e-3);
        if (!(h >= least)) { // or not a number
            return give_up(run, h_next, code, err);
        }
        if (trm_run_is_zeno(run, t_limit, h, &memory->tiny_steps)) {
            run->h_next = h_next;
            return trm_run_fail_zeno(run, t_limit, h,
                                     " (too stiff for an explicit method, or locked)", err);
        }
        const double t_next = last ? t_limit : t + h;
        const int trusted = use_history(run, t_next) && memory->rejections < 2;
        double error;
        code = measured_step(run, t_next, h, trusted, &error);
        if (code < 0) {
            return give_up(run, h_next, code, err);
        }
        if (!code && error <= 1) {
            TRM_TRY(accept(run, t_next, trusted, err));
            const double next = h * growth(memory, error, trusted);
            memory->err_old = fmax(error, 1e-4);
            // a step cut short to land on t_limit says nothing about how long the next may be
            run->h_next = h < run->h_next ? fmax(run->h_next, next) : next;
            memory->rejections = 0;
            run->now.t = t_next;
            run->stats.steps++;
            run->stats.h = h;
            return TRM_OK;
        }
        memory->rejections++;
        run->stats.rejected++;
        run->h_next =
            code || !isfinite(error) ? 0.25 * h : h * fmin(growth(memory, error, trusted), 0.9);
    }
}

/// Its own integrator and stabilization: one row of the list.
static const trm_stabilization_ops *const partners[] = {&trm_srm_p_entry, NULL};

const trm_stabilization_ops trm_srm_p_entry = {
    .id = TRM_STABILIZATION_SRM_P,
    .name = "srm-p",
    .doc = "its limit for epsilon -> 0, reactions predicted",
    .source = "AL95 (5.5)-(5.6), epsilon -> 0",
    .parameters = "passes degree",
};

const trm_method_ops trm_srm_p_rk4 = {
    .integrator = TRM_INTEGRATOR_RK4,
    .name = "rk4",
    .doc = "classical Runge-Kutta",
    .order = 4,
    .adaptive = 0,
    .partners = partners,
    .layout = layout_4,
    .start = start,
    .step = step_fixed,
    .dense = trm_run_hermite,
};

const trm_method_ops trm_srm_p_dopri5 = {
    .integrator = TRM_INTEGRATOR_DOPRI5,
    .name = "dopri5",
    .doc = "Dormand-Prince 5(4)",
    .order = 4,
    .adaptive = 1,
    .partners = partners,
    .layout = layout_5,
    .start = start_adaptive,
    .step = step_adaptive,
    .dense = trm_run_hermite,
};
