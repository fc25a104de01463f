/// Embedded pairs 3(2), 5(4), and 8(5,3): adaptive, with dense output.
///
///     k_i = z'(t + c_i h, z + h sum_j a_ij k_j),    z := z + h sum_i a_si k_i
///     err = rms of (h sum_i e_i k_i) / (atol + rtol max(|z_old|, |z_new|)) over q and v,
///           and the work where time alone moves the mechanism (trm_run.work_scale)
///     h  := h * safety err^-(exponent - 0.75 beta) err_old^beta,  accepted when err <= 1
///
/// and after an accepted step h is bounded, assuming that the constant of the error,
/// err/h^(1/exponent), grows again by the factor since the step before [Hairer, Wanner, Solving
/// Ordinary Differential Equations II, IV.8, after Gustafsson]:
///
///     h  <= h * safety (h/h_old) (err_old/err)^exponent err^-exponent
///
/// or, with TRM_STEP_CONTROL_ACPR, in units of max(atol, rtol max(|z_old|, |z_new|)),
///
///     h  := h * min(5, max(1/5, (1/4 / err)^(1/5)))
///
/// The stabilization corrects z before the last stage, so that this stage, the error estimate of
/// the 5(4) pair, and the next step see the corrected point. The 8(5,3) pair weighs two estimates,
/// err = err5^2 / sqrt(err5^2 + err3^2/100), which takes the ratio of err5 to err3 for that of the
/// true error to err5. A motor that goes by a polynomial of few terms, from rest to rest within the
/// step, has a large err3 and no err5: the rest is hidden. err5 alone is rtol err5 = C h^6 in parts
/// of the motion, of which the power 4/3, C^(4/3) h^8, is 1.8 times the error of z' = lambda z or
/// more, up to |h lambda| = 4: err is at least err5 (rtol err5)^(1/3). The first step after a start
/// or a switch may begin at a root (a force of max(0, x)^1.5), where neither holds. err5 goes
/// through zero there at some h, to which rejections lead: where such a step is tried again, err =
/// sqrt(err5^2 + err3^2/100). A step is also refused when its correction goes far beyond the
/// tolerances.
///
/// A run that is stepped from outside over spans far below h pays all 12 evaluations of the pair
/// 8(5,3) for each. The pair 3(2) covers the span instead where it takes fewer,
///
///     stages_3 ceil(span/h_3) < stages_8,    span <= h_8
///
/// h_8 is what the error of the last step of the pair 8(5,3) asks for. Of the pair 3(2), the errors
/// of all steps over h_8 add up to the one tolerance that a step of the other may err by,
///
///     err_3 h_8/h <= 1,    err_3 = C h^3    so that    h_3^2 = 1/(C h_8)
///
/// The stages of the pair 8(5,3) tell C: err_3 is h^3 z'''/48, a second difference of z'. Where C
/// has fallen since then, the motion is slower, and h_8 longer, by the cube root at most; where C
/// has risen, the motion is larger, and h_8 shorter, by the eighth root at least.
#include "integrators/rk/dormand_prince.h"
#include "base/accuracy_policy.h"
#include "base/loops.h"
#include "base/quad.h"
#include "base/rank_numbers.h"
#include "base/status.h"
#include "base/together.h"
#include "integrators/rk/stage_closing.h"
#include "integrators/rk/trial.h"
#include "integrators/trajectory/stabilization.h"
#include "trammel/trammel_methods.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// The tries of a step. One whose error is at most 1 is taken; refused, it is followed by
///
///     FIRST        the planned size                           AGAIN
///     AGAIN        shorter; or beside a crossing with closed  AGAIN, or NOISE where its error is
///                  stages (run->closes_stages) and placed     no series in h
///     NOISE        the try before that one once more: taken   AFTER_NOISE
///     AFTER_NOISE  as AGAIN                                   AFTER_NOISE
typedef enum step_try { FIRST, AGAIN, NOISE, AFTER_NOISE } step_try;

typedef struct dp_memory {
    const trm_embedded *pairs[2];   ///< that of the method; that for short spans, or NULL
    int low;                        ///< the second one is on
    double h_high, h_low;           ///< s, steps of each; h_low while the first is on
    double bend;                    ///< s^-3, C of the last step of the first
    int n;                          ///< entries of z
    double *y0, *y1;                ///< [n] z at the ends of the step
    double *stage;                  ///< [n] argument of a stage
    double *k[TRM_EMBEDDED_STAGES]; ///< [n] each; the first and that at the end are the run's dz
    trm_stage_weights row[TRM_EMBEDDED_STAGES];
    trm_stage_weights estimate[3]; ///< of the error, two of 8(5,3); last what 3(2) would err by
    double *taken[2];              ///< [nv] of each what the correction of the end takes out
    double *interpolant[7];        ///< [n] each
    double *middle;                ///< [n] of the last step, for choose_interpolant
    double *spare_lambda;          ///< [nc] of stages, unused
    double h;                      ///< s, size of the last step
    double err_old;
    double h_last;         ///< s, of the step of err_old; 0: no step yet
    double open;           ///< the widest gap of a stage, before it is closed
    double gap, gap_end;   ///< max |g_i|/extent at the start and at the end of the step
    step_try state;        ///< of the step that is tried
    double tried, h_tried; ///< error and size of the last try of this step with closed stages
    double along, h_along; ///< first estimate and size of that try, without what is taken out
    double *unit;          ///< [n] tolerances by the motion
    double first, h_first; ///< error over size, and size of a try that roundoff is told from
    int dense;             ///< the interpolant is ready
    int tiny_steps;        ///< in a row
    trm_handed handed;
} dp_memory;

/// The pair that is on.
TRM_INLINE const trm_embedded *pair_of(const dp_memory *memory)
{
    return memory->pairs[memory->low];
}

/// z at the ends of a step, from run->now to run->before, and the derivatives.
static void set_ends(trm_run *run, dp_memory *memory)
{
    memory->y0 = run->now.z;
    memory->y1 = run->before.z;
    memory->k[0] = run->now.dz;
    memory->k[pair_of(memory)->stages] = run->before.dz;
}

/// The rows of the tableau as weights of sums. The second estimate of the pair 8(5,3) is the
/// difference from a solution of third order.
static void set_weights(dp_memory *memory)
{
    const trm_embedded *pair = pair_of(memory);
    double third[TRM_EMBEDDED_STAGES];
    for (int s = 1; s < pair->extended; s++) {
        trm_stage_weights_set(&memory->row[s], s, pair->a[s]);
    }
    for (int s = 0; s < pair->stages; s++) {
        third[s] = pair->a[pair->stages][s] - pair->b3[s];
    }
    trm_stage_weights_set(&memory->estimate[0], pair->stages + 1, pair->e);
    trm_stage_weights_set(&memory->estimate[1], pair->stages, third);
    trm_stage_weights_set(&memory->estimate[2], pair->stages + 1, pair->lower);
}

/// Turn to the other pair. The room of the stage that is the end of the pair for short spans is
/// kept where the end of the other is.
static void turn_pair(trm_run *run)
{
    dp_memory *memory = run->method;
    double **const stage = &memory->k[memory->pairs[1]->stages];
    double **const end = &memory->k[memory->pairs[0]->stages];
    if (memory->low) {
        *stage = *end;
    } else {
        *end = *stage;
    }
    memory->low = !memory->low;
    run->h_next = memory->low ? memory->h_low : memory->h_high;
    set_ends(run, memory);
    set_weights(memory);
}

static void layout_pair(trm_run *run, const trm_embedded *pair, const trm_embedded *low,
                        trm_arena *arena)
{
    dp_memory counted, *memory = trm_arena_struct(arena, sizeof counted, &counted, &run->method);
    const int n = memory->n = run->n;
    memory->pairs[0] = pair;
    memory->pairs[1] = low;
    memory->low = 0;
    const size_t workspace = arena->used;
    memory->stage = trm_arena_doubles(arena, n);
    trm_arena_workspace(arena, workspace);
    for (int i = 1; i < pair->extended; i++) {
        memory->k[i] = i == pair->stages ? NULL : trm_arena_doubles(arena, n);
    }
    set_ends(run, memory);
    set_weights(memory);
    for (int i = 0; i < 3 + pair->interpolants; i++) {
        memory->interpolant[i] = trm_arena_doubles(arena, n);
    }
    TRM_ARENA_DOUBLES(arena, n, &memory->middle, &memory->unit);
    const size_t spare = arena->used;
    memory->spare_lambda = trm_arena_doubles(arena, run->system->nc);
    for (int e = 0; e < 2; e++) {
        memory->taken[e] = trm_arena_doubles(arena, run->system->nv);
    }
    trm_arena_workspace(arena, spare);
}

static void layout_5(trm_run *run, trm_arena *arena)
{
    layout_pair(run, &trm_embedded_5, NULL, arena);
}

static void layout_8(trm_run *run, trm_arena *arena)
{
    layout_pair(run, &trm_embedded_8, run->options.hand_over ? &trm_embedded_3 : NULL, arena);
}

// ---------------------------------------------------------------------------------------- stages

/// dy at (t, y).
static int rates(trm_run *run, double t, const double *y, double *dy)
{
    const dp_memory *memory = run->method;
    return trm_run_rates(run, t, y, dy, memory->spare_lambda);
}

/// Stages first ... last-1 of the step from t0 of size h.
static int stages(trm_run *run, double t0, double h, int first, int last)
{
    dp_memory *memory = run->method;
    const trm_embedded *pair = pair_of(memory);
    for (int s = first; s < last; s++) {
        trm_stage_sum(&memory->row[s], 0, memory->n, memory->y0, h, memory->k, memory->stage);
        const double t = t0 + pair->c[s] * h;
        TRM_TRY(run->closes_stages ? trm_stage_closing_close(run, t, memory->stage, &memory->open)
                                   : 0);
        TRM_TRY(rates(run, t, memory->stage, memory->k[s]));
    }
    return 0;
}

/// The end of a trial step, z corrected, and its derivative in run->before.
static int end_full(trm_run *run, double t_next)
{
    dp_memory *memory = run->method;
    trm_point_of_run *end = &run->before;
    trm_system_normalize(run->system, memory->stage);
    memcpy(end->z, memory->stage, (size_t)run->n * sizeof(double));
    int code = trm_run_correct(run, t_next, end->z);
    code = code || !trm_stage_closing_closes_end(run)
               ? code
               : trm_stage_closing_close_end(run, t_next, end->z, memory->open);
    code = code ? code : trm_run_rates(run, t_next, end->z, end->dz, end->lambda);
    if (!code) {
        memory->gap_end = trm_extents_gap(&run->extent, run->system->nc, run->system->g);
    }
    return code;
}

/// The end is in run->before; the system comes there, and has its factors.
static void adopt_end(trm_run *run, double t_next)
{
    dp_memory *memory = run->method;
    trm_system_arrive(run->system, t_next);
    memory->gap_end = run->system->found.gap;
}

/// A trial step: y1 and its derivative.
static int try_step(trm_run *run, double t_next, double h)
{
    dp_memory *memory = run->method;
    const trm_embedded *pair = pair_of(memory);
    const trm_handed known = trm_handed_take(&memory->handed, h, run->system);
    const int first = known.stages > 0 ? known.stages : 1;
    memory->open = 0;
    TRM_TRY(stages(run, run->now.t, h, first, pair->stages));
    if (known.end) {
        adopt_end(run, t_next);
        return 0;
    }
    trm_stage_sum(&memory->row[pair->stages], 0, memory->n, memory->y0, h, memory->k,
                  memory->stage);
    if (!trm_all_finite(memory->n, memory->stage)) {
        return 1;
    }
    TRM_TRY(end_full(run, t_next));
    return !(trm_all_finite(memory->n, memory->y1) &&
             trm_all_finite(memory->n, memory->k[pair->stages]));
}

static void last_stage(const trm_run *run, double t, double *z)
{
    const dp_memory *memory = run->method;
    const double h = t - run->now.t;
    trm_stage_sum(&memory->row[pair_of(memory)->stages - 1], 0, memory->n, memory->y0, h, memory->k,
                  z);
}

// ------------------------------------------------------------------------------------- step size

/// The tolerance of a component that goes from y0 to y1.
TRM_INLINE double tolerance(const trm_options *o, double y0, double y1)
{
    const double size = o->rtol * trm_larger(fabs(y0), fabs(y1));
    return o->step_control == TRM_STEP_CONTROL_ACPR ? trm_larger(o->atol, size) : o->atol + size;
}

/// The tolerances of n components.
TRM_WIDE static void tolerances(int n, const trm_options *o, const double *restrict y0,
                                const double *restrict y1, double *restrict out)
{
    for (int i = 0; i < n; i++) {
        out[i] = tolerance(o, y0[i], y1[i]);
    }
}

/// The tolerances of a trial step of h, by the motion.
static void find_units(trm_run *run, double h)
{
    dp_memory *memory = run->method;
    const double part = run->options.rtol;
    if (run->options.by_motion) {
        trm_motion_range_units(&run->range, &run->extent, part, h, memory->y1, memory->unit);
    }
}

/// sum += (x/unit)^2 of x[n], four at a time; padding of the last four counts as zero.
TRM_WIDE static void add_squares(int n, double *x, double *unit, trm_quad *sum)
{
    for (int i = n; i % 4 != 0; i++) {
        x[i] = 0;
        unit[i] = 1;
    }
    for (int i = 0; i < n; i += 4) {
        const trm_quad part = *trm_quad_at(x + i) / *trm_quad_at(unit + i);
        *sum += part * part;
    }
}

/// (x/unit)^2 of the work, where it counts.
static double work_square(const trm_run *run, double h, const trm_stage_weights *estimate)
{
    const dp_memory *memory = run->method;
    double error = 0;
    for (int s = 0; run->work_scale > 0 && s < estimate->count; s++) {
        error += h * estimate->weight[s] * memory->k[estimate->stage[s]][memory->n - 1];
    }
    const double part = error != 0 ? error / (run->options.rtol * run->work_scale) : 0;
    return part * part;
}

/// error[n] -= taken, of velocities, from component `first` of both on.
static void leave(const trm_run *run, const double *taken, int first, int n, double *error)
{
    const int nq = run->system->nq;
    for (int i = first < nq ? nq - first : 0; taken && i < n; i++) {
        error[i] -= taken[first + i - nq];
    }
}

/// Sums of squares of the estimates h sum_s weight_s k_s less what is taken out of each, or NULL,
/// each component in units of its tolerance: of the motion, and of the work.
static void error_squares(const trm_run *run, double h, const trm_stage_weights *estimate,
                          int count, double *const *taken, double square[][2])
{
    enum { PIECE = 128 };
    static const double zero[PIECE] = {0};
    const dp_memory *memory = run->method;
    const int n = memory->n - 1;
    double unit[PIECE], error[PIECE];
    trm_quad sum[2] = {{0}, {0}};
    for (int first = 0; first < n; first += PIECE) {
        const int here = n - first < PIECE ? n - first : PIECE;
        if (run->options.by_motion) {
            memcpy(unit, memory->unit + first, (size_t)here * sizeof *unit);
        } else {
            tolerances(here, &run->options, memory->y0 + first, memory->y1 + first, unit);
        }
        for (int e = 0; e < count; e++) {
            trm_stage_sum(&estimate[e], first, here, zero, h, memory->k, error);
            leave(run, taken ? taken[e] : NULL, first, here, error);
            add_squares(here, error, unit, &sum[e]);
        }
    }
    for (int e = 0; e < count; e++) {
        square[0][e] = (sum[e][0] + sum[e][1]) + (sum[e][2] + sum[e][3]);
        square[1][e] = work_square(run, h, &estimate[e]);
    }
}

/// The widest gap at the end of the step, relative to its tolerance.
static double gap_left(const trm_run *run, double slack)
{
    const trm_system *system = run->system;
    double widest = 0;
    for (int i = 0; i < system->nc; i++) {
        const double may = slack + run->options.rtol * run->extent.g[i];
        widest = trm_larger(fabs(system->g[i]) / may, widest);
    }
    return widest;
}

/// How far the correction moved the positions, relative to its bound. A correction removes the
/// error normal to the constraints, an initial gap, and disturbances, which are magnified near a
/// singular position. A correction beyond the bound has found another assembly of the mechanism; a
/// correction that leaves a wider gap than before has found none.
static double correction(const trm_run *run)
{
    const double part = 1e-3; // of the mechanism, or rad
    const dp_memory *memory = run->method;
    const double slack = 2 * run->options.atol + 100 * run->options.tolerance;
    const int nq = run->system->nq;
    double largest = 0;
    if (!run->stabilization->correct) {
        return 0;
    }
    for (int i = 0; i < nq; i++) {
        const double moved = fabs(run->before.z[i] - memory->stage[i]);
        const double may = slack + (run->options.rtol + part) * run->extent.q[i];
        largest = trm_larger(moved / may, largest);
    }
    return memory->gap_end > memory->gap ? fmax(largest, gap_left(run, slack)) : largest;
}

/// The error of the pair for short spans, of all its steps over one of the other.
static double spread(const trm_run *run, double h, double err)
{
    const dp_memory *memory = run->method;
    const double least = fmax(err, DBL_MIN); // a divisor
    const double fallen = memory->bend * h * h * h / least;
    const double longer = pow(fallen, fallen > 1 ? 1.0 / 3 : memory->pairs[0]->exponent);
    return least * fmax(memory->h_high * longer / h, 1);
}

/// The error of eighth order by two estimates, sums of squares, of orders five and three; INFINITY
/// where these are beyond all numbers: the quotient of two of them is none. Both are of one
/// quantity: the work of a motion that is a polynomial of few terms has larger first ones. 0.01 is
/// of the pair [Hairer, Norsett, Wanner 1993, II.10]. The work, one number, hides nothing: rtol 0.
static double by_two(const double square[2], int n, double rtol, int first)
{
    const double denominator = square[0] + 0.01 * square[1], err5 = sqrt(square[0] / n);
    const double least = err5 * cbrt(rtol * err5);
    return !isfinite(denominator) ? INFINITY
           : first                ? sqrt(denominator / n)
           : denominator > 0      ? fmax(square[0] / sqrt(denominator * n), least)
                                  : 0;
}

static double error_norm(const trm_run *run, double h, double *const *taken)
{
    const dp_memory *memory = run->method;
    const int two = pair_of(memory)->order == 8;
    const int first = memory->state != FIRST && (run->rates_changed || !(memory->h_last > 0));
    double square[2][2] = {{0}};
    error_squares(run, h, memory->estimate, 1 + two, taken, square);
    const int n = memory->n - 1;
    const double part = run->options.rtol;
    if (two) {
        return hypot(by_two(square[0], n, part, first), by_two(square[1], n, 0, first));
    }
    const double err = sqrt((square[0][0] + square[1][0]) / n);
    return memory->low ? spread(run, h, err) : err;
}

/// Of the error, for h; errors over a given time are of one order less.
TRM_INLINE double exponent_of(const dp_memory *memory)
{
    return memory->low ? 1.0 / (pair_of(memory)->order - 1) : pair_of(memory)->exponent;
}

/// The factor of h after a step of error err.
static double growth(const trm_run *run, double err)
{
    const dp_memory *memory = run->method;
    const trm_embedded *pair = pair_of(memory);
    if (run->options.step_control == TRM_STEP_CONTROL_ACPR) {
        return fmin(5, fmax(0.2, pow(0.25 / err, 0.2)));
    }
    const double shrink = pow(err, exponent_of(memory) - 0.75 * pair->beta);
    const double divisor = shrink / pow(memory->err_old, pair->beta) / pair->safety;
    return 1 / fmin(1 / pair->slowest, fmax(1 / pair->fastest, divisor));
}

/// The largest factor of h after an accepted step, so that a growing error leads to a
/// shorter step and not to a rejected step.
static double foreseen_growth(const trm_run *run, double h, double err)
{
    const dp_memory *memory = run->method;
    const trm_embedded *pair = pair_of(memory);
    if (run->options.step_control == TRM_STEP_CONTROL_ACPR || !(memory->h_last > 0)) {
        return INFINITY;
    }
    const double same = pair->safety * pow(err, -exponent_of(memory));
    const double less = h / memory->h_last * pow(memory->err_old / err, exponent_of(memory));
    return fmax(pair->slowest, same * less);
}

/// Root mean square of x in units of the tolerances at the start.
static double scaled(const trm_run *run, const double *x)
{
    const dp_memory *memory = run->method;
    const int n = memory->n - 1;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        const double scale = run->options.atol + run->options.rtol * fabs(memory->y0[i]);
        sum += x[i] / scale * (x[i] / scale);
    }
    return sqrt(sum / n);
}

/// The first step where errors are measured by the motion. Its rate omega, 1/s, is that of changes
/// of q in units of the size, and of v in units of what the acceleration makes of it in that size;
/// and the square root of that of changes of a. At order p the step errs by (h omega)^p. 0 at rest.
static double first_step_by_motion(trm_run *run)
{
    dp_memory *memory = run->method;
    const int n = run->system->nq;
    const double *const y = memory->y0, *const dy = memory->k[0];
    double changes = 0;
    const double omega = trm_extents_rate(&run->extent, n, run->system->nv, dy, dy + n);
    if (!(omega > 0)) {
        return 0;
    }
    const double h0 = 0.01 / omega;
    for (int i = 0; i < memory->n; i++) {
        memory->stage[i] = y[i] + h0 * dy[i];
    }
    if (rates(run, run->now.t + h0, memory->stage, memory->k[1])) {
        return h0;
    }
    for (int i = n; i < memory->n - 1; i++) {
        changes = fmax(changes, fabs(memory->k[1][i] - dy[i]) / (h0 * run->extent.v[i - n]));
    }
    const int e = ilogb(omega); // roots of other exponents round otherwise
    const double all = fmax(omega, scalbn(cbrt(scalbn(changes, -3 * e)), e));
    return fmin(30 * h0, pow(run->options.rtol, 1.0 / pair_of(memory)->order) / all);
}

/// A first step whose Euler error would be small [Hairer, Norsett, Wanner, II.4]; the size of the
/// positions is that of the mechanism, wherever it lies, which is more than theirs: hence 30 h0 at
/// most, not 100. Given tolerances have units, and so have the numbers of the book: here 1e-6 s.
static double first_step(trm_run *run)
{
    dp_memory *memory = run->method;
    if (run->options.by_motion) {
        return first_step_by_motion(run);
    }
    const double *y = memory->y0, *dy = memory->k[0];
    double *sizes = run->before.z; // there is no point before this one yet
    memcpy(sizes, run->now.z, (size_t)run->n * sizeof(double));
    memcpy(sizes, run->extent.q, (size_t)run->system->nq * sizeof(double));
    const double d0 = scaled(run, sizes);
    const double d1 = scaled(run, dy);
    const double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    for (int i = 0; i < memory->n; i++) {
        memory->stage[i] = y[i] + h0 * dy[i];
    }
    if (rates(run, run->now.t + h0, memory->stage, memory->k[1])) {
        return h0;
    }
    for (int i = 0; i < memory->n; i++) {
        memory->k[1][i] = (memory->k[1][i] - dy[i]) / h0;
    }
    const double d2 = fmax(d1, scaled(run, memory->k[1]));
    const double h1 = d2 <= 1e-15 ? h0 : pow(0.01 / d2, 1.0 / pair_of(memory)->order);
    return fmin(30 * h0, h1);
}

// ------------------------------------------------------------------------------------------ step

/// Near a singular position steps close their stages from where one is refused, or where they
/// would not come there, until they are past it.
static void decide_closing(trm_run *run)
{
    const dp_memory *memory = run->method;
    run->closes_stages =
        trm_stage_closing_closes(run) && trm_stage_closing_is_near(run, run->h_next) &&
        (run->closes_stages || trm_stage_closing_is_out_of_reach(run, memory->h_last)) &&
        trm_stage_closing_is_one(run);
}

/// The pair that covers the span to t_limit in fewer evaluations, where that is one from outside.
static void choose_pair(trm_run *run, double t_limit)
{
    const dp_memory *memory = run->method;
    if (!memory->pairs[1] || !(run->outside || memory->low)) {
        return;
    }
    const double span = t_limit - run->now.t;
    const double h_low = memory->low ? run->h_next : memory->h_low;
    const int low = run->outside && span <= memory->h_high &&
                    memory->pairs[1]->stages * ceil(span / h_low) < memory->pairs[0]->stages;
    if (low != memory->low) {
        turn_pair(run);
    }
}

/// A step from run->now to t_limit at most begins.
static void set_out(trm_run *run, double t_limit)
{
    run->h_next = run->h_next > 0 ? run->h_next : trm_run_little_while(run);
    choose_pair(run, t_limit);
    decide_closing(run);
    set_ends(run, run->method);
}

static trm_status start(trm_run *run, trm_error *err)
{
    dp_memory *memory = run->method;
    trm_point_of_run *now = &run->now;
    const int code = trm_run_rates(run, now->t, now->z, now->dz, now->lambda);
    if (code) {
        return trm_run_fail_code(run, code, err);
    }
    memory->gap = trm_extents_gap(&run->extent, run->system->nc, run->system->g);
    memory->err_old = 1e-4;
    memory->h_last = 0;
    memory->tiny_steps = 0;
    memory->handed.stages = 0;
    run->closes_stages = 0;
    trm_stiffness_forget(&run->stiffness);
    memory->h_high = memory->h_low = 0;
    set_out(run, INFINITY);
    run->h_next = run->options.h > 0 ? run->options.h : first_step(run);
    return TRM_OK;
}

/// The rate and the direction of stiffness, from the two last stages of the step, both at its end;
/// the argument of the former goes to memory->stage.
static void measure_stiffness(const dp_memory *memory, double h, trm_stiffness *out)
{
    const int last = pair_of(memory)->stages;
    trm_stage_sum(&memory->row[last - 1], 0, memory->n, memory->y0, h, memory->k, memory->stage);
    const trm_stage_twins twins = {.n = memory->n - 1,
                                   .y = memory->y1,
                                   .y_star = memory->stage,
                                   .k = memory->k[last],
                                   .k_star = memory->k[last - 1]};
    trm_stiffness_measure(out, &twins);
}

/// A step that the controller has not chosen says nothing, nor does one with closed stages, which
/// differ by roundoff (stage_closing.h): an implicit method has no remedy for that.
static void watch_stiffness(trm_run *run, double t_next, double h)
{
    dp_memory *const memory = run->method;
    const trm_options *const o = &run->options;
    if (h < run->h_next || memory->low || run->closes_stages ||
        !trm_stiffness_is_due(&run->stiffness)) {
        return;
    }
    const int n = memory->n - !(o->by_motion && run->work_scale > 0);
    memory->unit[memory->n - 1] = o->rtol * run->work_scale;
    trm_stiffness_note(&run->stiffness, t_next, n, memory->y1, o->by_motion ? memory->unit : NULL,
                       o->rtol, o->atol);
    if (run->stiffness.found) {
        measure_stiffness(run->method, h, &run->stiffness);
    }
}

/// What each pair may step from here, by a step of the first.
static void measure_pairs(trm_run *run, double h, double err)
{
    dp_memory *memory = run->method;
    double square[2][2] = {{0}};
    if (!memory->pairs[1] || !run->outside || memory->low) {
        return;
    }
    error_squares(run, h, &memory->estimate[2], 1, NULL, square);
    const double low = sqrt((square[0][0] + square[1][0]) / (memory->n - 1));
    const double high = pow(fmax(err, DBL_MIN), -memory->pairs[0]->exponent);
    memory->h_high = h * memory->pairs[0]->safety * high;
    memory->bend = low / (h * h * h);
    memory->h_low = h * memory->pairs[1]->safety / sqrt(spread(run, h, low));
}

static void accept(trm_run *run, double t_next, double h, double err)
{
    dp_memory *memory = run->method;
    watch_stiffness(run, t_next, h);
    measure_pairs(run, h, err);
    const double factor = fmin(growth(run, err), foreseen_growth(run, h, err));
    const int may_grow =
        memory->state == FIRST || run->options.step_control == TRM_STEP_CONTROL_ACPR;
    // a step cut short to land on t_limit says nothing about how long the next may be
    const double proposed = h * (may_grow ? factor : fmin(factor, 1));
    run->h_next = h < run->h_next ? fmax(run->h_next, proposed) : proposed;
    memory->gap = memory->gap_end;
    memory->err_old = fmax(err, 1e-4);
    memory->h_last = h;
    memory->dense = 0;
    memory->h = h;
    if (run->options.by_motion) {
        trm_motion_range_accept(&run->range, NULL);
    }
    trm_run_advance(run);
    run->now.t = t_next;
    run->stats.steps++;
    run->stats.h = h;
}

/// The size of the next try. A step near a singular position at which motions cross is taken again
/// with closed stages and with the position between two of them, of about the same size where that
/// can be; then shorter. Where a shorter step errs by more than its square would, the error is
/// roundoff of closed stages, eps h/s^3 (stage_closing.h), which shorter steps bring nearer to the
/// position, where it is more: the step before is taken. The same holds of what closed stages turn
/// by at a hidden corner.
static double next_try(trm_run *run, double h, int code, double err)
{
    dp_memory *memory = run->method;
    const double least = 0.9; // of a step that is refused, at most
    const int may_be_noise = memory->state < NOISE;
    memory->state = may_be_noise ? AGAIN : AFTER_NOISE;
    if (code || !isfinite(err)) {
        return 0.25 * h;
    }
    const double shorter = h * fmin(growth(run, err), least);
    if (!trm_stage_closing_closes(run) || !trm_stage_closing_is_near(run, h) ||
        !trm_stage_closing_is_one(run)) {
        return shorter;
    }
    const trm_embedded *pair = pair_of(memory);
    if (!run->closes_stages) {
        run->closes_stages = 1;
        return trm_stage_closing_postpone(run, pair->stages, pair->c, h, least);
    }
    const int n = pair->stages;
    const double part = h / memory->h_tried;
    const int falls = err <= part * part * memory->tried;
    if (may_be_noise && !falls &&
        memory->tried <= trm_stage_closing_may_err(run, n, pair->c, memory->h_tried)) {
        memory->state = NOISE;
        return memory->h_tried;
    }
    memory->tried = err;
    memory->h_tried = h;
    const double placed = trm_stage_closing_place(run, n, pair->c, least * h);
    if (run->meeting == TRM_MEETING_HIDDEN && !(placed > 0) && correction(run) <= 1 &&
        err <= trm_stage_closing_may_err(run, n, pair->c, h)) {
        memory->state = NOISE; // no shorter step leads over it; it is taken (is_noise)
        return h;
    }
    return fmax(shorter, placed);
}

/// The error of a step with closed stages that is above 1, without what the correction of the end
/// takes out of its velocities: roundoff of closed stages lies across the motion (stage_closing.h).
/// Roundoff is no series in h, and two estimates do not make an error of eighth order of what it
/// leaves along the motion: that is the first estimate, or what it differs by, h^6, from the try
/// before.
static double error_along(trm_run *run, double h)
{
    dp_memory *memory = run->method;
    const int two = pair_of(memory)->order == 8, nv = run->system->nv;
    for (int e = 0; e < 1 + two; e++) {
        memset(memory->taken[e], 0, (size_t)nv * sizeof(double));
        trm_stage_sum(&memory->estimate[e], run->system->nq, nv, memory->taken[e], h, memory->k,
                      memory->taken[e]);
    }
    double *const *const taken = memory->taken;
    const double series = trm_stage_closing_take(run, memory->open, 1 + two, memory->taken)
                              ? INFINITY
                              : error_norm(run, h, taken);
    // the try before NOISE, shorter, was worse
    if (!two || memory->state == NOISE || !isfinite(series)) {
        return series;
    }
    double square[2][2] = {{0}};
    error_squares(run, h, memory->estimate, 1, taken, square);
    const double first = sqrt((square[0][0] + square[1][0]) / (memory->n - 1));
    const double noise = fmin(first, fabs(first - pow(h / memory->h_along, 6) * memory->along));
    memory->along = first;
    memory->h_along = h;
    return fmax(series, noise);
}

/// Whether the error of a try is roundoff of velocities, that of places over the step: over a part
/// of the step it falls by less than its square, where the lowest estimate falls by its cube. They
/// may have it from now on; the first such step is taken again, in halves: it may be that of the
/// run to be checked, and one step twice checks nothing.
static int shows_roundoff(trm_run *run, double h)
{
    const double over = 0.25; // half and twice of it give the same verdicts (`numbers`)
    dp_memory *const memory = run->method;
    if (!run->options.by_motion || !run->range.bounded) {
        return 0;
    }
    run->range.rough = 1;
    find_units(run, h);
    const double err = error_norm(run, h, NULL) / h, part = h / memory->h_first;
    run->range.rough = part > 0 && part <= over && err > part * part * memory->first;
    if (!run->range.rough && err * h <= 1 && part <= over) {
        memory->first = err;
        memory->h_first = h;
    }
    return run->range.rough;
}

static void reject(trm_run *run, double h, int code, double err)
{
    const dp_memory *const memory = run->method;
    const int is_rough = !code && isfinite(err) && shows_roundoff(run, h);
    run->h_next = is_rough ? memory->h_first / 2 : next_try(run, h, code, err);
    run->stats.rejected++;
}

/// Whether this try, whose error is above 1, is taken, once in a step: it has the error that has
/// turned out to be roundoff, and its correction is within its bound.
static int is_noise(const trm_run *run, double error)
{
    const dp_memory *memory = run->method;
    return memory->state == NOISE && error <= memory->tried && correction(run) <= 1;
}

/// How much longer than planned a step may be where this saves the last step: safety leaves room
/// for it, since safety^-order is more than stretch^order.
static double stretch(const trm_run *run)
{
    return run->options.step_control == TRM_STEP_CONTROL_ACPR ? 1.01 : 1.05;
}

static trm_try planned(const trm_run *run, double t_limit)
{
    return trm_run_plan(run, t_limit, trm_run_finite_step(run), stretch(run));
}

/// How many tolerances a step may err by. Where rows are damped against play (play.c) the motion is
/// known to the misfit, as to an accuracy elsewhere: finer steps would turn into its corner.
static double may_err(const trm_run *run)
{
    const double delta = run->system->solver.delta;
    const int damped = run->system->play && delta > run->options.damping;
    return damped ? fmax(sqrt(delta / TRM_GAPS) / TRM_ACCURACY_STEPS / run->options.rtol, 1) : 1;
}

/// A try, and its error; INFINITY where it has no end.
static double error_of_try(trm_run *run, const trm_try *next, int *code)
{
    *code = try_step(run, next->t_next, next->h);
    if (*code) {
        return INFINITY;
    }
    find_units(run, next->h);
    const double may = may_err(run);
    const double error = fmax(error_norm(run, next->h, NULL), correction(run)) / may;
    return error > 1 && run->closes_stages ? fmax(error_along(run, next->h), correction(run)) / may
                                           : error;
}

/// The tries of a step, up to the one that is accepted.
static trm_status try_steps(trm_run *run, double t_limit, trm_error *err)
{
    dp_memory *memory = run->method;
    for (int code = 0;;) {
        const trm_try next = planned(run, t_limit);
        if (code < 0 || !trm_run_is_resolved(run, &next)) {
            if (code || run->range.rough || memory->h_first == INFINITY) {
                return trm_run_fail_try(run, code, err);
            }
            run->range.rough = 1; // no shorter step tells
            run->h_next = memory->h_first / 2;
            continue;
        }
        TRM_TRY(trm_run_makes_headway(run, t_limit, next.h, &memory->tiny_steps, err));
        const double error = error_of_try(run, &next, &code);
        if (error <= 1 || (!code && is_noise(run, error))) {
            accept(run, next.t_next, next.h, fmin(error, 1)); // noise says nothing of the next step
            return TRM_OK;
        }
        if (code >= 0) {
            reject(run, next.h, code, error);
            TRM_TRY(trm_run_is_interrupted(run) ? TRM_STOPPED : TRM_OK);
        }
    }
}

static trm_status step(trm_run *run, double t_limit, trm_error *err)
{
    dp_memory *memory = run->method;
    const double h_next = run->h_next;
    if (memory->handed.stages == 0) { // or it has set out already
        set_out(run, t_limit);
    }
    memory->tried = INFINITY;
    memory->h_tried = h_next;
    memory->along = 0;
    memory->h_along = memory->h_first = INFINITY;
    memory->state = FIRST;
    const trm_status status = try_steps(run, t_limit, err);
    if (status != TRM_OK) {
        run->h_next = h_next; // another call can try the same
    }
    return status;
}

static void trial(trm_run *run, double t_limit, trm_trial *out)
{
    dp_memory *memory = run->method;
    set_out(run, t_limit);
    const trm_try next = planned(run, t_limit);
    *out = (trm_trial){.t = run->now.t,
                       .t_end = next.t_next,
                       .h = next.h,
                       .n = memory->n,
                       .stages = pair_of(memory)->stages,
                       .y = memory->y0,
                       .end = memory->y1,
                       .k = memory->k,
                       .row = memory->row,
                       .c = pair_of(memory)->c,
                       .argument = memory->stage,
                       .rates = rates,
                       .handed = &memory->handed};
}

static int seen(const trm_run *run, double *places, int *more)
{
    const trm_embedded *pair = pair_of(run->method);
    int n = 0;
    for (int s = 0; s < pair->stages; s++) {
        if (pair->e[s] != 0) {
            places[n++] = pair->c[s];
        }
    }
    *more = 0;
    for (int s = pair->stages + 1; s < pair->extended; s++) {
        places[n + (*more)++] = pair->c[s];
    }
    return n;
}

// ---------------------------------------------------------------------------------- dense output

/// out[n] := h sum_s d_s k_s, term by term; past the end of arrays as the arena hands them out.
TRM_WIDE static void weigh(int n, double h, int count, const double *d, double *const *k,
                           double *out)
{
    for (int i = 0; i < n; i += TRM_TOGETHER) {
        trm_together sum = {0};
        for (int s = 0; s < count; s++) {
            sum += d[s] * *trm_together_at(k[s] + i);
        }
        *trm_together_to(out + i) = h * sum;
    }
}

/// The polynomial through both ends.
static void by_ends(trm_run *run)
{
    const dp_memory *memory = run->method;
    for (int r = TRM_BY_ENDS; r < 3 + pair_of(memory)->interpolants; r++) {
        memset(memory->interpolant[r], 0, (size_t)memory->n * sizeof(double));
    }
    trm_run_by_ends(run, 1, 1, memory->stage, memory->interpolant);
}

/// The middle of the step by the interpolant, closed, into z. *open: how far it was open, in
/// mechanisms or radians. Returns a system's code.
static int find_middle(trm_run *run, double *z, double *open)
{
    const dp_memory *memory = run->method;
    const trm_system *system = run->system;
    const double t = run->before.t + memory->h / 2;
    trm_run_interpolate(memory->n, 0.5, 3 + pair_of(memory)->interpolants, memory->interpolant,
                        memory->y0, z);
    trm_system_normalize(run->system, z);
    const int code = trm_system_position(run->system, t, z);
    *open = trm_extents_gap(&run->extent, system->nc, system->g);
    return code ? code : trm_run_correct(run, t, z);
}

/// Near the border of stability the last stage magnifies what the step lets die out. It enters the
/// highest term, which is O(h^7), and each other one: multiples of that one take it out of all, and
/// leave a polynomial of order 6. Of x' = lambda x, z = h lambda, the polynomials with and without
/// it, a step of its own to the same time, and the estimate of the step err at most by
///
///     z          -3       -4      -4.5   -5     -5.5   -6
///     with       0.0030   0.051   0.22   0.87   3.2    10.5
///     without    0.00018  0.0055  0.020  0.067  0.20   0.52
///     own step   0.0001   0.0049  0.019  0.064  0.19   0.49
///     estimate   0.0059   0.035   0.059  0.073  0.024  0.13
///
/// so that it is taken out from -4 on. The polynomial of 5(4) errs by 1.1 estimates at most.
static void leave_last_stage(trm_run *run)
{
    dp_memory *memory = run->method;
    const trm_embedded *pair = pair_of(memory);
    trm_stiffness here = {.direction = memory->stage};
    if (!(pair->inside > 0) || run->closes_stages) {
        return;
    }
    measure_stiffness(memory, memory->h, &here);
    if (!(memory->h * here.rate > pair->inside)) {
        return;
    }
    const int last = pair->extended - 1, top = pair->interpolants - 1;
    double *const highest = memory->interpolant[3 + top];
    for (int r = 0; r <= top; r++) {
        const double part = pair->d[r][last] / pair->d[top][last];
        for (int i = 0; i < memory->n; i++) {
            memory->interpolant[3 + r][i] -= part * highest[i];
        }
    }
}

/// The interpolant by the stages.
static void by_stages(trm_run *run)
{
    const dp_memory *memory = run->method;
    const trm_embedded *pair = pair_of(memory);
    for (int r = 0; r < pair->interpolants; r++) {
        weigh(memory->n, memory->h, pair->extended, pair->d[r], memory->k,
              memory->interpolant[3 + r]);
    }
    leave_last_stage(run);
}

/// What the polynomial by the ends errs by in the middle, over lengths. There the straight line
/// errs by h^2 q''/8 and the cubic by h^4 q^(4)/384, about what F1 and F2, F3 and F4 add. The next
/// of the series, h^6 q^(6)/46080, is less than half of the square of the second over the first,
/// where derivatives grow evenly.
static double ends_err(const trm_run *run)
{
    const dp_memory *memory = run->method;
    double *const *F = memory->interpolant;
    double line = 0, cubic = 0;
    for (int i = 0; i < run->system->nq; i++) {
        line = fmax(line, fabs(F[1][i] / 4 + F[2][i] / 8) / run->extent.q[i]);
        cubic = fmax(cubic, fabs(F[3][i] / 16 + F[4][i] / 32) / run->extent.q[i]);
    }
    return cubic > 0 ? cubic * (cubic / line) : 0;
}

/// A stage of the dense output, off by y at the distance s from a position at which motions meet,
/// errs by y/s^2 (stage_closing.h), and no error control refuses it. What that leaves across the
/// motion is closed in samples; what it leaves along it shows in the closed middle, by more than
/// the polynomial by the ends errs by (TRM_GAPS times that, for derivatives that grow unevenly).
/// Velocities by the ends are cubics, so that it is taken there and nowhere else: not where it is
/// the more open one.
static void choose_interpolant(trm_run *run)
{
    const dp_memory *memory = run->method;
    double off = 0, open[2];
    int code = find_middle(run, memory->middle, &open[0]);
    by_ends(run);
    const double may = run->options.rtol + TRM_GAPS * ends_err(run);
    code = code ? code : find_middle(run, memory->stage, &open[1]);
    for (int i = 0; i < run->system->nq; i++) {
        off = fmax(off, fabs(memory->stage[i] - memory->middle[i]) / run->extent.q[i]);
    }
    if (code || !(off > may && open[1] < open[0])) {
        by_stages(run);
    }
}

/// The stages of the dense output. *near: one of them is near a singular position.
static int dense_stages(trm_run *run, int *near)
{
    const dp_memory *memory = run->method;
    const trm_embedded *pair = pair_of(memory);
    const int closes = run->system->nc > 0;
    int code = 0;
    for (int s = pair->stages + 1; !code && s < pair->extended; s++) {
        code = stages(run, run->before.t, memory->h, s, s + 1);
        *near |= closes && run->system->solver.ratio_min < TRM_REGULAR;
    }
    return code;
}

/// The interpolation polynomial, in the form z = z0 + x(F0 + (1-x)(F1 + x(F2 + (1-x)(F3 + ...)))).
static int prepare_dense(trm_run *run)
{
    dp_memory *memory = run->method;
    const double h = memory->h;
    const double *dy0 = memory->k[0], *dy1 = memory->k[pair_of(memory)->stages];
    int near = 0;
    const int code = dense_stages(run, &near);
    for (int i = 0; !code && i < memory->n; i++) {
        const double difference = memory->y1[i] - memory->y0[i];
        memory->interpolant[0][i] = difference;
        memory->interpolant[1][i] = h * dy0[i] - difference;
        memory->interpolant[2][i] = 2 * difference - h * (dy0[i] + dy1[i]);
    }
    if (!code) {
        by_stages(run);
    }
    if (!code && near) {
        choose_interpolant(run);
    }
    memory->dense = !code;
    return code;
}

static int dense(trm_run *run, double t, double *z)
{
    dp_memory *memory = run->method;
    TRM_TRY(memory->dense ? 0 : prepare_dense(run));
    const double x = memory->h > 0 ? (t - run->before.t) / memory->h : 1;
    trm_run_interpolate(memory->n, x, 3 + pair_of(memory)->interpolants, memory->interpolant,
                        memory->y0, z);
    trm_system_normalize(run->system, z);
    return 0;
}

static int dense_part(trm_run *run, double t, int first, int n, double *z)
{
    dp_memory *memory = run->method;
    double *F[sizeof memory->interpolant / sizeof *memory->interpolant];
    if (!memory->dense && prepare_dense(run)) {
        return 1;
    }
    const int count = 3 + pair_of(memory)->interpolants;
    for (int r = 0; r < count; r++) {
        F[r] = memory->interpolant[r] + first;
    }
    const double x = memory->h > 0 ? (t - run->before.t) / memory->h : 1;
    trm_run_interpolate(n, x, count, F, memory->y0 + first, z + first);
    return 0;
}

static int terms(trm_run *run, double *const **F, const double **z0)
{
    dp_memory *const memory = run->method;
    *F = memory->interpolant;
    *z0 = memory->y0;
    return memory->dense || !prepare_dense(run) ? 3 + pair_of(memory)->interpolants : 0;
}

/// The work at the end is W: the interpolant, whose rates at the ends stay, is led there.
static void take_work(trm_run *run, double W)
{
    dp_memory *memory = run->method;
    const int i = memory->n - 1;
    const double added = W - memory->y1[i];
    memory->y1[i] = run->now.z[run->n - 1] = W;
    memory->interpolant[0][i] += added;
    memory->interpolant[1][i] -= added;
    memory->interpolant[2][i] += 2 * added;
}

#define PAIR(method, id, word, sentence, its_order, its_layout, reads)                             \
    const trm_method_ops method = {.integrator = id,                                               \
                                   .name = word,                                                   \
                                   .doc = sentence,                                                \
                                   .order = its_order,                                             \
                                   .adaptive = 1,                                                  \
                                   .takes_contacts = 1,                                            \
                                   .layout = its_layout,                                           \
                                   .start = start,                                                 \
                                   .step = step,                                                   \
                                   .trial = trial,                                                 \
                                   .dense = dense,                                                 \
                                   .dense_part = dense_part,                                       \
                                   .terms = terms,                                                 \
                                   .seen = seen,                                                   \
                                   .take_work = take_work,                                         \
                                   .last_stage = last_stage,                                       \
                                   .parameters = reads}

PAIR(trm_dopri5, TRM_INTEGRATOR_DOPRI5, "dopri5", "Dormand-Prince 5(4)", 5, layout_5, "control");
PAIR(trm_dop853, TRM_INTEGRATOR_DOP853, "dop853", "Dormand-Prince 8(5,3)", 8, layout_8, NULL);
