/// Predicted sequential regularization: the limit epsilon -> 0 of [AL95 (5.5)-(5.6)] by splitting,
/// with lambda-hat_0 = P (W f - nu), W = M^-1, B = W G^T, P = B (GB)^-1 G. nu = P a is the normal
/// acceleration. It is predicted by the polynomial nu_p whose means over the last k steps are those
/// that the motion had. Then it is iterated once with the constraint of accelerations (alpha1 = 1
/// in [AL95 (2.5)], E = (GB)^-1), as far as S = GB is regular:
///
///     nu     = nu_p + B (GB)^-1 (gamma - G nu_p)   where S is regular, else P nu_p
///     rates  q' = N v,  v' = W f - P W f + nu
///     z_p    = z + h sum w_j z'_j,    z* = z + h (sum w*_j z'_j + w* z'_p)     (Adams, PECE)
///     q^+    = q* - N B (GB)^-1 g(q*)
///     v^+    = v* - dv,    dv = B (GB)^-1 (G v* + g_t) at q^+
///     mean   = sum w*_j nu(t_j) - dv/h                       of nu over the step
///
/// In a singular position gamma through (GB)^-1 is 0/0, P nu_p is not: predicted points are closed
/// near it, nothing else is done. Why means, and why nu: docs/explanation.
///
/// The error of a step is the difference of the correctors of order k + 1 and k. Where nu is
/// predicted also the tangential part of dv seen from one step away, where it is one order smaller
/// than dv: that of the dv of the step before, seen from the end of this one, as long as dv is now.
///
/// Where S is regular, nu is what index 1 has, and the run keeps none: at the first point that is
/// not regular, nu = P a of the points of the past is found once, and its means by the polynomial
/// through them.
///
/// A step by dop853 of index 1 begins the history: at the start, where forces or motions jump, and
/// where steps are refused in a row. Its dense output has the PARTS points of the past.
#include "base/accuracy_policy.h"
#include "base/quad.h"
#include "base/rank_numbers.h"
#include "base/status.h"
#include "integrators/rk/stage_sum.h"
#include "integrators/srm/past.h"
#include "integrators/stabilization/post.h"
#include "trammel/trammel_methods.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
    PARTS = 8,       ///< a step of dop853 is about as long as so many of these, at equal error
    MOST_ORDER = 8,  ///< points of the predictor
    KEPT = PARTS + 2 ///< points: those in use, the one of a step taken back, the next
};

#define MOST_GROWTH 1.5 ///< of a step
#define SAFETY 0.8
/// Over those of dop853, for an error: so much less may roundoff be in each.
#define MORE_STEPS ((double)TRM_ACCURACY_STEPS_MULTISTEP / TRM_ACCURACY_STEPS)

/// A point of the past.
typedef struct past_point {
    double t, h;    ///< s, and the size of the step that ends here
    double *z, *dz; ///< [n]
    double *nu;     ///< [nv] P nu_p there
    double *mean;   ///< [nv] of nu over the step that ends here; both where knows_nu
} past_point;

typedef struct adams_memory {
    void *starter; ///< memory of dop853
    past_point past[KEPT];
    int newest, count;
    int by_starter;                   ///< the last step was one of dop853
    int begins;                       ///< and has no history yet
    int knows_nu;                     ///< of the past, and its means, for so many more steps
    int order;                        ///< k
    int since;                        ///< steps of this order
    int tiny_steps;                   ///< in a row
    int cut;                          ///< the step is shorter than the controller has chosen
    int unwatched;                    ///< steps since stiffness was looked at
    double *end, *predicted, *dz, *k; ///< [n] of the try
    double *nu, *mean, *dv, *last_dv; ///< [nv]
    double *lambda, *r, *normal;      ///< [nc] the last: G nu, of nu_p or gamma
    double *unit;                     ///< [n]
    double *off;                      ///< [n] dz less the polynomial of the predictor
    double x[MOST_ORDER];             ///< (t - t_n)/h of the points that `weights` are through
    int through;                      ///< how many
    trm_past_adams weights;
    double *interpolant; ///< [n] the defect of the dense output
    int dense;           ///< it is known
} adams_memory;

static void layout(trm_run *run, trm_arena *arena)
{
    trm_dop853.layout(run, arena);
    void *const starter = run->method;
    adams_memory counted, *memory;
    run->method = NULL;
    memory = trm_arena_struct(arena, sizeof counted, &counted, &run->method);
    const int nv = run->system->nv, n = run->n;
    memory->starter = starter;
    for (int i = 0; i < KEPT; i++) {
        TRM_ARENA_DOUBLES(arena, n, &memory->past[i].z, &memory->past[i].dz);
        TRM_ARENA_DOUBLES(arena, nv, &memory->past[i].nu, &memory->past[i].mean);
    }
    memory->last_dv = trm_arena_doubles(arena, nv);
    TRM_ARENA_DOUBLES(arena, n, &memory->unit, &memory->interpolant);
    const size_t workspace = arena->used;
    TRM_ARENA_DOUBLES(arena, n, &memory->end, &memory->predicted, &memory->dz, &memory->k,
                      &memory->off);
    TRM_ARENA_DOUBLES(arena, nv, &memory->nu, &memory->mean, &memory->dv);
    TRM_ARENA_DOUBLES(arena, run->system->nc, &memory->lambda, &memory->r, &memory->normal);
    trm_arena_workspace(arena, workspace);
}

// --------------------------------------------------------------------------------------- history

static int most_order(const trm_run *run)
{
    return run->options.srm.order > 0 ? run->options.srm.order : MOST_ORDER;
}

/// Point i of the past, 0 the latest.
static past_point *past(adams_memory *memory, int i)
{
    const int place = memory->newest - i;
    return &memory->past[place < 0 ? place + KEPT : place < KEPT ? place : place - KEPT];
}

static past_point *next_point(adams_memory *memory)
{
    return past(memory, -1);
}

/// The next point, written, joins the past.
static void append(adams_memory *memory)
{
    memory->newest = (memory->newest + 1) % KEPT;
    memory->count += memory->count < KEPT - 1;
}

/// out[n] = z + h sum_j w_j x_j of `count` points of the past, x at `of` in each; out may be z.
static void add_past(const trm_run *run, size_t of, int n, int count, double h, const double *w,
                     const double *z, double *out)
{
    double *x[KEPT];
    trm_stage_weights weights;
    for (int j = 0; j < count; j++) {
        x[j] = *(double **)(void *)((char *)past(run->method, j) + of);
    }
    trm_stage_weights_set(&weights, count, w);
    trm_stage_sum(&weights, 0, n, z, h, x, out);
}

static void add_rates(const trm_run *run, int count, double h, const double *w, const double *z,
                      double *out)
{
    add_past(run, offsetof(past_point, dz), run->n, count, h, w, z, out);
}

/// out[nv] := nu_p at t, after now, by the means of `count` steps.
static void predict(const trm_run *run, int count, double t, double *out)
{
    double edge[TRM_PAST_MOST + 1] = {0}, w[TRM_PAST_MOST];
    for (int i = 0; i <= count; i++) {
        edge[i] = (past(run->method, i)->t - t) / (t - run->now.t);
    }
    trm_past_by_means(count, edge, 0, w);
    memset(out, 0, (size_t)run->system->nv * sizeof *out);
    add_past(run, offsetof(past_point, mean), run->system->nv, count, 1, w, out, out);
}

/// Where S does not exceed this, in units of D, nu is predicted: there a refined acceleration loses
/// eps/sqrt(S), as much as a plain one where S is TRM_REGULAR (index1.c).
static int is_near_singular(const trm_run *run)
{
    return run->system->solver.ratio_min < TRM_REGULAR * TRM_REGULAR;
}

/// So often is solved with S where damping, or what S is in some direction, loses what counts.
static int passes(const trm_run *run)
{
    const trm_solver *const solver = &run->system->solver;
    return solver->damped || solver->ratio_min < TRM_REGULAR ? 2 : 1;
}

/// x -= B y, lambda += y, so that G x is memory->normal; at the current point, factored.
static void impose_normal(trm_run *run, double *x, double *lambda)
{
    trm_system *const system = run->system;
    adams_memory *const memory = run->method;
    for (int pass = passes(run); pass > 0; pass--) {
        trm_system_multiply_G(system, x, memory->r);
        for (int i = 0; i < system->nc; i++) {
            memory->r[i] -= memory->normal[i];
        }
        trm_system_solve_S(system, memory->r);
        for (int i = 0; i < system->nc; i++) {
            lambda[i] += memory->r[i];
        }
        trm_system_subtract_spread(system, TRM_METRIC_MASS, memory->r, x);
    }
}

/// nu := B S^-1 memory->normal
static void find_normal(trm_run *run, double *nu)
{
    adams_memory *const memory = run->method;
    memset(nu, 0, (size_t)run->system->nv * sizeof *nu);
    impose_normal(run, nu, memory->lambda);
}

/// a := W f - P (W f - nu) of W f, by nu_p or gamma, and lambda. nu := P nu where it is known.
static int split(trm_run *run, double t, const double *v, double *nu, double *a, double *lambda)
{
    trm_system *const system = run->system;
    adams_memory *const memory = run->method;
    int code = 0;
    if (!memory->knows_nu && passes(run) == 1) {
        code = trm_system_acceleration_residual(system, v, a, lambda);
        trm_system_solve_S(system, lambda);
        trm_system_subtract_spread(system, TRM_METRIC_MASS, lambda, a);
        return code;
    }
    if (memory->knows_nu && is_near_singular(run)) {
        predict(run, memory->order, t, nu);
        trm_system_multiply_G(system, nu, memory->normal);
    } else {
        code = trm_system_gamma(system, v, memory->normal);
    }
    if (memory->knows_nu) {
        find_normal(run, nu);
    }
    memset(lambda, 0, (size_t)system->nc * sizeof *lambda);
    impose_normal(run, a, lambda);
    return code;
}

/// dz and lambda at z, the current point, factored, and nu = P nu where it is known.
static int rates_with(trm_run *run, double t, const double *z, double *nu, double *dz,
                      double *lambda)
{
    trm_system *const system = run->system;
    const double *const v = z + system->nq;
    double *const a = dz + system->nq, *const power = &dz[run->n - 1];
    TRM_TRY(trm_system_free_acceleration(system, v, a, power));
    TRM_TRY(split(run, t, v, nu, a, lambda));
    trm_system_rates(system, z, v, dz);
    for (int i = 0; system->moving && i < system->nc; i++) {
        *power += lambda[i] * system->g_t[i];
    }
    return run->contact ? trm_contact_rates(run->contact, system, t, z, dz, lambda) : 0;
}

/// Make (t, z) the current point and factor there.
static int arrive(trm_run *run, double t, const double *z)
{
    const int code = trm_system_position(run->system, t, z);
    return code ? code : trm_system_factor(run->system, TRM_METRIC_MASS);
}

// ------------------------------------------------------------------------------------- the start

/// Ops of dop853, with its memory.
static trm_status start(trm_run *run, trm_error *err)
{
    adams_memory *const memory = run->method;
    run->method = memory->starter;
    const trm_status status = trm_dop853.start(run, err);
    run->method = memory;
    memory->begins = 0;
    return status;
}

static void note(const trm_run *run, const trm_point_of_run *known, past_point *point)
{
    const size_t size = (size_t)run->n * sizeof(double);
    point->t = known->t;
    memcpy(point->z, known->z, size);
    memcpy(point->dz, known->dz, size);
}

static trm_status starter_step(trm_run *run, double t_limit, trm_error *err)
{
    adams_memory *const memory = run->method;
    memory->count = 0;
    memory->dense = 0;
    run->method = memory->starter;
    const trm_status status = trm_dop853.step(run, t_limit, err);
    run->method = memory;
    memory->begins = memory->by_starter = status == TRM_OK;
    note(run, &run->now, past(memory, 0));
    return status;
}

static int starter_dense(trm_run *run, double t, double *z)
{
    adams_memory *const memory = run->method;
    run->method = memory->starter;
    const int code = trm_dop853.dense(run, t, z);
    run->method = memory;
    return code;
}

/// Point i of the parts of the starter's step.
static int make_point(trm_run *run, int i)
{
    adams_memory *const memory = run->method;
    const trm_point_of_run *const from = &run->before, *const to = &run->now;
    const trm_point_of_run *const known = i == 0 ? from : i == PARTS ? to : NULL;
    past_point *const point = next_point(memory);
    int code = 0;
    point->h = (to->t - from->t) / PARTS;
    if (known) {
        note(run, known, point);
    } else {
        point->t = from->t + (to->t - from->t) * i / PARTS;
        code = starter_dense(run, point->t, point->z);
        code = code ? code : trm_run_rates(run, point->t, point->z, point->dz, memory->lambda);
    }
    if (!code) {
        append(memory);
    }
    return code;
}

/// The means of nu over the steps between the points of the past, by the polynomial through it.
static void make_means(trm_run *run)
{
    adams_memory *const memory = run->method;
    const int nv = run->system->nv, n = memory->count;
    double x[KEPT] = {0}, w[KEPT];
    for (int i = 0; i < n; i++) {
        x[i] = (past(memory, i)->t - past(memory, 0)->t) / past(memory, 0)->h;
    }
    for (int step = 0; step + 1 < n; step++) {
        double *const mean = past(memory, step)->mean;
        trm_past_integral(n, x, x[step + 1], x[step], w);
        memset(mean, 0, (size_t)nv * sizeof *mean);
        add_past(run, offsetof(past_point, nu), nv, n, 1 / (x[step] - x[step + 1]), w, mean, mean);
    }
}

/// nu = P a of the points of the past, and its means. Leaves another current point.
static int find_nu(trm_run *run)
{
    adams_memory *const memory = run->method;
    for (int i = 0; i < memory->count; i++) {
        past_point *const point = past(memory, i);
        TRM_TRY(arrive(run, point->t, point->z));
        trm_system_multiply_G(run->system, point->dz + run->system->nq, memory->normal);
        find_normal(run, point->nu);
    }
    make_means(run);
    memory->knows_nu = KEPT;
    return 0;
}

/// The past by the dense output of the starter's last step. Where it has none it steps on.
static void begin_history(trm_run *run)
{
    adams_memory *const memory = run->method;
    int code = 0;
    memory->begins = memory->count = memory->knows_nu = 0;
    for (int i = 0; i <= PARTS && !code; i++) {
        code = make_point(run, i);
    }
    if (code) {
        memory->count = 0;
        (void)arrive(run, run->now.t, run->now.z); // where it succeeded before
        return;
    }
    memory->order = most_order(run);
    memory->since = 0;
    memset(memory->last_dv, 0, (size_t)run->system->nv * sizeof(double));
}

// ------------------------------------------------------------------------------------------ a try

/// The errors that steps of one order would have, in units of their tolerances.
typedef struct errors {
    double now, lower; ///< of order k and of k - 1
} errors;

/// The weights of a step of h. They are those of the last one where steps have kept their size.
static void find_weights(adams_memory *memory, double h)
{
    const int k = memory->order;
    double x[MOST_ORDER] = {0};
    for (int i = 1; i < k; i++) {
        x[i] = x[i - 1] - past(memory, i - 1)->h / h;
    }
    if (memory->through != k || memcmp(x, memory->x, sizeof x) != 0) {
        memcpy(memory->x, x, sizeof x);
        memory->through = k;
        trm_past_adams_find(k, x, &memory->weights);
    }
}

/// q^+ from q*, the current point afterwards.
static int close_positions(trm_run *run, double t, double *z)
{
    adams_memory *const memory = run->method;
    trm_system *const system = run->system;
    TRM_TRY(arrive(run, t, z));
    for (int i = 0; i < system->nc; i++) {
        memory->r[i] = -system->g[i];
    }
    const double gap = trm_extents_gap(&run->extent, system->nc, system->g);
    trm_system_solve_S(system, memory->r);
    trm_system_spread(system, TRM_METRIC_MASS, memory->r, run->work_v);
    trm_system_move(system, run->work_v, z);
    trm_system_normalize(system, z);
    const int code = trm_system_position(system, t, z);
    if (!code && system->solver.ratio_min < TRM_TANGENT * gap) {
        return trm_system_factor(system, TRM_METRIC_MASS); // S has turned by as much as it has
    }
    return code;
}

/// The rates of z_p, by index 1 where S is regular.
static int predicted_rates(trm_run *run, double t)
{
    adams_memory *const memory = run->method;
    int code = 0;
    if (!memory->knows_nu) {
        code = trm_run_rates(run, t, memory->predicted, memory->dz, memory->lambda);
        if (code || !is_near_singular(run)) {
            return code;
        }
        code = find_nu(run);
    }
    code = code ? code : close_positions(run, t, memory->predicted);
    code =
        code ? code : rates_with(run, t, memory->predicted, memory->nu, memory->dz, memory->lambda);
    return code;
}

/// z_p, its rates and P nu_p, and z* in memory->end.
static int predict_and_correct(trm_run *run, double t_next, double h)
{
    adams_memory *const memory = run->method;
    trm_system *const system = run->system;
    const trm_past_adams *const weights = &memory->weights;
    const int k = memory->order, nq = system->nq, n = run->n;
    find_weights(memory, h);
    add_rates(run, k, h, weights->predictor, run->now.z, memory->end);
    memcpy(memory->predicted, memory->end, (size_t)n * sizeof(double));
    trm_system_normalize(system, memory->predicted);
    TRM_TRY(predicted_rates(run, t_next));
    add_rates(run, k, -1, weights->last[0], memory->dz, memory->off);
    for (int i = nq; i < n; i++) {
        memory->end[i] += h * weights->end[0] * memory->off[i];
    }
    trm_system_rates(system, memory->predicted, memory->end + nq, memory->k);
    for (int i = 0; i < nq; i++) {
        memory->off[i] += memory->k[i] - memory->dz[i];
        memory->dz[i] = memory->k[i];
        memory->end[i] += h * weights->end[0] * memory->off[i];
    }
    return 0;
}

/// v -= B (GB)^-1 (G v + g_t), and dv += the same. It is what the reactions' impulse was off by,
/// whose work at moving constraints is missing likewise.
static void correct_velocities(trm_run *run, double *v, double *dv, double *work)
{
    adams_memory *const memory = run->method;
    trm_system *const system = run->system;
    trm_system_velocity_residual(system, v, memory->r);
    trm_system_solve_S(system, memory->r);
    trm_system_spread(system, TRM_METRIC_MASS, memory->r, run->work_v);
    for (int i = 0; i < system->nv; i++) {
        v[i] -= run->work_v[i];
        dv[i] += run->work_v[i];
    }
    for (int i = 0; i < system->nc; i++) {
        *work += memory->r[i] * system->g_t[i];
    }
}

/// z^+ and dv from z*; leaves z^+ the current point. A second correction of velocities takes what
/// damping leaves, and the factors of q* where S turns fast.
static int close_end(trm_run *run, double t_next)
{
    adams_memory *const memory = run->method;
    trm_system *const system = run->system;
    double *const z = memory->end;
    memset(memory->dv, 0, (size_t)system->nv * sizeof(double));
    int code = close_positions(run, t_next, z);
    for (int pass = code ? 0 : passes(run); pass > 0; pass--) {
        correct_velocities(run, z + system->nq, memory->dv, &z[run->n - 1]);
    }
    return code || !run->contact ? code : trm_contact_correct(run->contact, system, t_next, z);
}

/// mean := of nu over the step.
static void make_mean(const trm_run *run, double h)
{
    adams_memory *const memory = run->method;
    const trm_past_adams *const weights = &memory->weights;
    double w[MOST_ORDER];
    for (int i = 0; i < run->system->nv; i++) {
        memory->mean[i] = weights->end[0] * memory->nu[i] - memory->dv[i] / h;
    }
    for (int j = 0; j < memory->order; j++) {
        w[j] = weights->predictor[j] - weights->end[0] * weights->last[0][j];
    }
    add_past(run, offsetof(past_point, nu), run->system->nv, memory->order, 1, w, memory->mean,
             memory->mean);
}

// ----------------------------------------------------------------------------------------- errors

static void find_units(trm_run *run, double h)
{
    adams_memory *const memory = run->method;
    const trm_options *const o = &run->options;
    if (o->by_motion) {
        trm_motion_range_units(&run->range, &run->extent, MORE_STEPS * o->rtol, PARTS * h,
                               memory->end, memory->unit);
        for (int i = 0; i < run->n - 1; i++) {
            memory->unit[i] /= MORE_STEPS;
        }
    } else {
        for (int i = 0; i < run->n - 1; i++) {
            const double size = trm_larger(fabs(run->now.z[i]), fabs(memory->end[i]));
            memory->unit[i] = o->atol + o->rtol * size;
        }
    }
    memory->unit[run->n - 1] = run->work_scale > 0 ? o->rtol * run->work_scale : INFINITY;
}

/// Root mean square of x[count] in units of the components from `first` on.
TRM_WIDE static double scaled(const trm_run *run, int first, int count, const double *x)
{
    const double *const unit = ((const adams_memory *)run->method)->unit + first;
    trm_quad sum = {0};
    double rest = 0;
    int i = 0;
    for (; i + 4 <= count; i += 4) {
        const trm_quad part = *trm_quad_at(x + i) / *trm_quad_at(unit + i);
        sum += part * part;
    }
    for (; i < count; i++) {
        rest += x[i] / unit[i] * (x[i] / unit[i]);
    }
    return sqrt(((sum[0] + sum[1]) + (sum[2] + sum[3]) + rest) / count);
}

/// The difference of the correctors through k - `less` points and one fewer, whose off is given.
static double adams_difference(const trm_run *run, double h, int less, const double *off)
{
    const double *const end = &((const adams_memory *)run->method)->weights.end[less];
    return fabs(h * (end[0] - end[1])) * scaled(run, 0, run->n, off);
}

/// x -= P x
static void make_tangential(trm_run *run, double *x)
{
    adams_memory *const memory = run->method;
    memset(memory->normal, 0, (size_t)run->system->nc * sizeof(double));
    impose_normal(run, x, memory->lambda);
}

/// The tangential part of dv from one step to the next.
static double tangential(trm_run *run)
{
    adams_memory *const memory = run->method;
    const int nq = run->system->nq, nv = run->system->nv;
    const double before = scaled(run, nq, nv, memory->last_dv);
    const double now = scaled(run, nq, nv, memory->dv);
    if (!(before > 0)) {
        return 0;
    }
    memcpy(memory->k, memory->last_dv, (size_t)nv * sizeof(double));
    make_tangential(run, memory->k);
    return fmin(1, scaled(run, nq, nv, memory->k) / before) * now;
}

/// The difference of the correctors. The end takes what is normal out of velocities, and near a
/// singular position roundoff is normal: where that alone is too much, the step is taken, and tells
/// of the next one that it may be as long.
static double error_of(trm_run *run, double h)
{
    adams_memory *const memory = run->method;
    const double error = adams_difference(run, h, 0, memory->off);
    if (error <= 1 || passes(run) == 1) {
        return error;
    }
    make_tangential(run, memory->off + run->system->nq);
    return fmax(adams_difference(run, h, 0, memory->off), pow(SAFETY, memory->order + 1));
}

/// A try of size h: its end, its errors.
static int try_step(trm_run *run, double t_next, double h, errors *out)
{
    adams_memory *const memory = run->method;
    *out = (errors){INFINITY, INFINITY};
    int code = predict_and_correct(run, t_next, h);
    code = code ? code : close_end(run, t_next);
    if (code || !trm_all_finite(run->n, memory->end)) {
        return code ? code : 1;
    }
    if (memory->knows_nu) {
        make_mean(run, h);
    }
    find_units(run, h);
    const double turned = is_near_singular(run) ? tangential(run) : 0;
    out->now = fmax(turned, error_of(run, h));
    if (memory->order > 1 && memory->since > 1) { // choose_next looks at it from the third step on
        add_rates(run, memory->order - 1, -1, memory->weights.last[1], memory->dz, memory->k);
        out->lower = fmax(turned, adams_difference(run, h, 1, memory->k));
    }
    return memory->knows_nu && !trm_all_finite(run->system->nv, memory->mean);
}

// ------------------------------------------------------------------------------------------- step

/// The end of the try becomes a point of the past and run->before. Returns a system's code.
static int finish(trm_run *run, double t_next, double h)
{
    adams_memory *const memory = run->method;
    const int nv = run->system->nv;
    const int newest = memory->newest, count = memory->count;
    past_point *const point = next_point(memory);
    trm_point_of_run *const end = &run->before;
    point->t = t_next;
    point->h = h;
    memcpy(point->z, memory->end, (size_t)run->n * sizeof(double));
    if (memory->knows_nu) {
        memcpy(point->mean, memory->mean, (size_t)nv * sizeof(double));
    }
    append(memory);
    const int code = rates_with(run, t_next, point->z, point->nu, point->dz, end->lambda);
    if (code || !trm_all_finite(run->n, point->dz)) {
        memory->newest = newest;
        memory->count = count;
        return code ? code : 1;
    }
    memcpy(end->z, point->z, (size_t)run->n * sizeof(double));
    memcpy(end->dz, point->dz, (size_t)run->n * sizeof(double));
    memcpy(memory->last_dv, memory->dv, (size_t)nv * sizeof(double));
    return 0;
}

/// The steps between the points of the past are those that the controller has chosen: a step much
/// shorter than its neighbours, up to an event or the end, magnifies roundoff. It is united with
/// the one before.
static void unite_short(trm_run *run, double h)
{
    adams_memory *const memory = run->method;
    past_point *const last = past(memory, 0);
    if (memory->count <= memory->order + 1 || !(last->t - past(memory, 1)->t < h / PARTS)) {
        return;
    }
    const past_point gone = *past(memory, 1);
    const double a = last->h, b = gone.h;
    last->h = a + b;
    for (int i = 0; memory->knows_nu && i < run->system->nv; i++) {
        last->mean[i] = (a * last->mean[i] + b * gone.mean[i]) / (a + b);
    }
    for (int i = 1; i + 1 < memory->count; i++) {
        *past(memory, i) = *past(memory, i + 1);
    }
    *past(memory, memory->count - 1) = gone;
    memory->count--;
}

/// Order and size of the next step by the errors of one that is accepted.
static void choose_next(trm_run *run, double h, const errors *found)
{
    adams_memory *const memory = run->method;
    const int k = memory->order;
    const double same = SAFETY * pow(fmax(found->now, 1e-30), -1.0 / (k + 1));
    const double lower = k > 1 ? SAFETY * pow(fmax(found->lower, 1e-30), -1.0 / k) : 0;
    double factor = same;
    memory->since++;
    if (lower > same && memory->since > 2) {
        memory->order--;
        memory->since = 0;
        factor = lower;
    } else if (k < most_order(run) && k + 1 < memory->count && memory->since > k &&
               lower < 0.95 * same) {
        memory->order++;
        memory->since = 0;
    }
    const double grown = factor > 1.2    ? fmin(factor, MOST_GROWTH)
                         : factor < 0.95 ? fmax(0.5, factor)
                                         : 1;
    const double next = PARTS * h * grown;
    // a step cut short to land on t_limit says nothing about how long the next may be
    run->h_next = memory->cut ? fmax(run->h_next, next) : next;
}

/// The points that stiffness is seen by are as far apart as those of dop853: PARTS times as many
/// steps, for about as many evaluations.
static void watch_stiffness(trm_run *run, double h)
{
    adams_memory *const memory = run->method;
    const trm_options *const o = &run->options;
    const trm_point_of_run *const end = &run->before;
    memory->unwatched += !memory->cut;
    if (memory->unwatched < PARTS) {
        return;
    }
    memory->unwatched = 0;
    if (!trm_stiffness_is_due(&run->stiffness)) {
        return;
    }
    trm_stiffness_note(&run->stiffness, run->now.t + h, run->n - 1, end->z, memory->unit, o->rtol,
                       o->atol);
    if (run->stiffness.found) {
        const trm_stage_twins twins = {.n = run->n - 1,
                                       .y = end->z,
                                       .y_star = memory->predicted,
                                       .k = end->dz,
                                       .k_star = memory->dz};
        trm_stiffness_measure(&run->stiffness, &twins);
    }
}

static void accept(trm_run *run, double t_next, double h, const errors *found)
{
    adams_memory *const memory = run->method;
    watch_stiffness(run, h);
    choose_next(run, h, found);
    // kept for as long as it takes to find it again
    memory->knows_nu = is_near_singular(run) && memory->knows_nu ? KEPT
                       : memory->knows_nu > 0                    ? memory->knows_nu - 1
                                                                 : 0;
    memory->dense = 0;
    memory->by_starter = 0;
    if (run->options.by_motion) {
        trm_motion_range_accept(&run->range, NULL);
    }
    trm_run_advance(run);
    run->now.t = t_next;
    run->shifted = 0;
    run->stats.steps++;
    run->stats.h = h;
}

static void reject(trm_run *run, double h, int code, const errors *found)
{
    adams_memory *const memory = run->method;
    const double wanted = SAFETY * pow(found->now, -1.0 / (memory->order + 1));
    const double shorter = code || !isfinite(found->now) ? 0.25 : fmax(0.3, fmin(0.9, wanted));
    run->stats.rejected++;
    run->h_next = PARTS * h * (is_near_singular(run) ? 1 : shorter);
}

/// Whether the run is there, with the same rates.
static int is_same(const trm_run *run, const past_point *point)
{
    const size_t size = (size_t)run->n * sizeof(double);
    return point->t == run->now.t && memcmp(point->z, run->now.z, size) == 0 &&
           memcmp(point->dz, run->now.dz, size) == 0;
}

/// Returns nonzero where the past goes on from now; a step that was taken back is forgotten. Where
/// a contact opens or closes, the force is the same and its slope is not.
static int has_history(trm_run *run)
{
    adams_memory *const memory = run->method;
    const int first = run->shifted; // at the end of a step that stays, something has changed
    if (memory->begins && !first && is_same(run, past(memory, 0))) {
        begin_history(run);
    }
    memory->begins = 0;
    for (int i = first; i < 2; i++) {
        if (memory->count > i + 1 && is_same(run, past(memory, i))) {
            memory->newest = (memory->newest - i + KEPT) % KEPT;
            memory->count -= i;
            memory->order = memory->order < memory->count ? memory->order : memory->count - 1;
            return 1;
        }
    }
    return 0;
}

/// The longest step that the past leads to: polynomials over distances much longer than between
/// their points magnify roundoff, which no estimate sees.
static double longest(trm_run *run)
{
    adams_memory *const memory = run->method;
    const int k = memory->order;
    const double last = run->now.t - past(memory, 1)->t;
    const double mean = (run->now.t - past(memory, k)->t) / k;
    return MOST_GROWTH * fmax(last, mean);
}

/// The tries of a step of the past, PATIENCE at most. *taken: one is accepted. Shorter ones would
/// only come nearer to a singular position, where roundoff grows: dop853 steps over it.
static trm_status try_steps(trm_run *run, double t_limit, int *taken, trm_error *err)
{
    enum { PATIENCE = 3 };
    adams_memory *const memory = run->method;
    for (int k = 0; k < PATIENCE && !*taken && (k == 0 || !is_near_singular(run)); k++) {
        const double wanted = fmin(trm_run_finite_step(run) / PARTS, longest(run));
        const trm_try next = trm_run_plan(run, t_limit, wanted, 1.05);
        if (!trm_run_is_resolved(run, &next)) {
            return TRM_OK; // dop853 finds the reason
        }
        TRM_TRY(trm_run_makes_headway(run, t_limit, next.h, &memory->tiny_steps, err));
        errors found;
        memory->cut = next.h < wanted;
        unite_short(run, next.h);
        int code = try_step(run, next.t_next, next.h, &found);
        code = code || !(found.now <= 1) ? code : finish(run, next.t_next, next.h);
        *taken = !code && found.now <= 1;
        if (*taken) {
            accept(run, next.t_next, next.h, &found);
        } else if (code < 0) {
            return trm_run_fail_try(run, code, err);
        } else {
            reject(run, next.h, code, &found);
            TRM_TRY(trm_run_is_interrupted(run) ? TRM_STOPPED : TRM_OK);
        }
    }
    return TRM_OK;
}

static trm_status step(trm_run *run, double t_limit, trm_error *err)
{
    const double h_next = run->h_next;
    int taken = 0;
    const trm_status status = has_history(run) ? try_steps(run, t_limit, &taken, err) : TRM_OK;
    if (status != TRM_OK) {
        run->h_next = h_next; // another call can try the same
    }
    return status != TRM_OK || taken ? status : starter_step(run, t_limit, err);
}

// ---------------------------------------------------------------------------------- dense output

/// z[n] := the integral of the polynomial through the rates, from the step's beginning to x.
static void integrate_to(trm_run *run, double x, double *z)
{
    adams_memory *const memory = run->method;
    const int most = memory->order + 1 < memory->count ? memory->order + 1 : memory->count;
    const double t0 = past(memory, 1)->t, h = past(memory, 0)->t - t0;
    double at[TRM_PAST_MOST] = {0}, w[TRM_PAST_MOST];
    for (int i = 0; i < most; i++) {
        at[i] = (past(memory, i)->t - t0) / h;
    }
    trm_past_integral(most, at, 0, x, w);
    add_rates(run, most, h, w, past(memory, 1)->z, memory->k); // the caller's z ends at n
    memcpy(z, memory->k, (size_t)run->n * sizeof(double));
}

static int dense(trm_run *run, double t, double *z)
{
    adams_memory *const memory = run->method;
    if (memory->by_starter) {
        return starter_dense(run, t, z);
    }
    if (!memory->dense) {
        integrate_to(run, 1, memory->interpolant);
        for (int i = 0; i < run->n; i++) {
            memory->interpolant[i] = past(memory, 0)->z[i] - memory->interpolant[i];
        }
        memory->dense = 1;
    }
    const double t0 = past(memory, 1)->t, x = (t - t0) / (past(memory, 0)->t - t0);
    integrate_to(run, x, z);
    for (int i = 0; i < run->n; i++) {
        z[i] += x * x * (3 - 2 * x) * memory->interpolant[i];
    }
    trm_system_normalize(run->system, z);
    return 0;
}

static int correct(trm_run *run, double t, double *z)
{
    return trm_s_both2.correct(run, t, z);
}

/// What its steps by dop853, and all that looks at a point between steps, take.
static const trm_stabilization_ops predicted = {
    .id = TRM_STABILIZATION_SRM,
    .name = "srm",
    .doc = "sequential regularization, epsilon -> 0, nu predicted",
    .source = "AL95 (5.5)-(5.6), epsilon -> 0",
    .parameters = "order",
    .takes_contacts = 1,
    .rates = trm_index1_rates,
    .correct = correct,
    .closes = 1,
};

static const trm_stabilization_ops *const partners[] = {&predicted, NULL};

const trm_method_ops trm_adams = {
    .integrator = TRM_INTEGRATOR_ADAMS,
    .name = "adams",
    .doc = "Adams, order and step by the error",
    .order = 9,
    .adaptive = 1,
    .parts = PARTS,
    .takes_contacts = 1,
    .partners = partners,
    .layout = layout,
    .start = start,
    .step = step,
    .dense = dense,
};
