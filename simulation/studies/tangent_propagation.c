/// How the errors of the steps grow: a small disturbance of the run, stepped beside it.
///
///     y = x + eps (dq, dv),    dv' = (a(y) - a(x))/eps,    dq' = dv    (variation.h)
///     dv := dv + 0.1 (atol + rtol |v|) s,    s of any sign, at the start and in every own period,
///
/// of dv at most what moves q by its tolerance within a step. The disturbance (dq, dv) solves the
/// variational equation. It stands for the sum of all errors that the steps may have made so far,
/// each grown since its own time: an error made late, or while earlier errors grow, is in it. The
/// tolerances hold for ten own periods, and shrink with the number of periods (duration.c): each
/// period commits a tenth of them.
///
/// Cost. The run knows x, v and a at the end of a step, so a look takes one evaluation, a(y); a
/// step of a pair of order eight takes twelve. Adams' formulas of order four on the mesh of the run
/// predict v, correct q by it, and correct both by a(y), which is not evaluated again. From time to
/// time y is brought to the constraints, as the end of a step is.
///
/// Shifts of the time. Where nothing depends on the time, x' solves the variational equation too: a
/// shift of the time, which does not grow. The formula turns a part e of a shift into a change of
/// energy, and a change of energy makes the shift grow: together they would grow exponentially, at
/// a rate of the order of the root of e. So the part along x' is taken out of the stepped vector
/// once in an own period. It is kept beside the vector as a shift in s, which is exact.
///
/// Stability. Adams' formulas are unstable where fast motion is damped, or turns, within a step of
/// the run. Where predicted and corrected values differ much, the step is made again by the
/// exponential function on the span of the last disturbances (krylov_exponential.h), and the result
/// is taken if it is smaller.
///
/// Error of the estimate. In a step the formula errs by a part r of the disturbance: r by Milne's
/// device, or all growth in the step where r is large. What r adds grows on as in regular motion,
/// by 1 + omega (t - s) from s to t:
///
///     u(t) = 1 + int r (1 + omega (t - s)) u(s) ds
///
/// The disturbance is known up to a factor u, which is large where the run takes long steps.
/// Nothing is known where switches of the state or contacts make motions jump, or where motions
/// cross in a singular position. The disturbance ends where u exceeds the digits of double
/// precision and may be the whole growth.
#include "base/status.h"
#include "simulation/studies/krylov_exponential.h"
#include "simulation/studies/tangent_numbers.h"
#include "simulation/studies/tangent_sums.h"
#include "simulation/studies/variation.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double diverged = 0.1; ///< of a size, or rad: errors do not shrink again from here on
static const double gone = 1e3; ///< of a size, or rad: three digits more than any accuracy asks for
static const double largest_factor = 1e150;
/// Milne's device: the error of the corrected value over the difference of predicted and corrected
/// value, by the order of the predictor, for steps of up to a radian: h^3/12 over h^2/2, h^4/24
/// over 5 h^3/12, and 19/270 for order four; the ratio of order three is not larger.
static const double milne[] = {1.0 / 6, 1.0 / 10, 19.0 / 270, 19.0 / 270};

enum {
    ORDER = TRM_ADAMS, // as many vectors as krylov_exponential.h takes
    LAST = ORDER - 1,  // the place of the newest
    CLOSING = 32,      // looks from one closing to the next
    ANEW = 3,          // evaluations: two of a closing, and rates there
    BEHIND = 2         // evaluations: accelerations behind a switch, and a new beginning
};
_Static_assert((int)ORDER == (int)TRM_KRYLOV_VECTORS, "the disturbances kept are the span");

/// Vectors have n numbers and zeros up to m, a multiple of four; pairs (dq, dv) [2m].
struct trm_tangent_propagation {
    const trm_method_ops *method; ///< of the run; another one ends it
    trm_variation x;              ///< the motion
    int n, m, autonomous, adaptive;
    int ended;             ///< nonzero: nothing more can be told, see says_no_more
    const char *broken;    ///< why it can no longer be followed; NULL: it can
    int rough;             ///< the steps of the run are too long here
    double *d;             ///< [2m] now
    double *before;        ///< [2m] at the last look
    double *p;             ///< [2m] room
    double *z, *dz;        ///< [nq + m + 1] of y
    double *lambda;        ///< [nc]
    double t[ORDER];       ///< s: times of the disturbances kept, the latest last
    double *at[ORDER];     ///< [2m] the disturbances kept
    double *rate[ORDER];   ///< [2m] their rates dq', dv'
    int kept, known;       ///< how many of the last are kept, and how many the formula may use
    double tolerance;      ///< atol + rtol
    double log_scale;      ///< ln of the number that d, shift, most and last are divided by
    double shift;          ///< s: the disturbance is d + shift x'
    double v2, a2, seen;   ///< integrals of |v|^2, |a|^2, 1 over the run so far
    double omega;          ///< rad/s: frequency of the motion so far
    double parts2;         ///< 1/s: integral of sum (v_i/size_i)^2
    double t_turned;       ///< s: when the part along x' was taken out
    double used;           ///< the part of the tolerances of v at the last commitment
    int settled;           ///< nonzero: the first steps, which grow, are over
    double committed;      ///< 1/s: sum of the largest parts of sizes by which velocities may err
    double log_most;       ///< ln of the largest part of a size by which a coordinate has been off
    double most;           ///< the largest part since the last division by a scale
    double last;           ///< the largest part now
    double own;            ///< integral of r: e-folds of growth that may be errors of the formula
    double fed, fed_phase; ///< int r u and int omega fed: u = 1 + fed + fed_phase
    double granted;        ///< evaluations that may be spent so far
    long looks, spent, mode_changes; ///< looks, evaluations spent, changes of switches, so far
};

static double squares(const trm_tangent_propagation *g, const double *x)
{
    return trm_sum_products(g->m, x, x);
}

/// rad/s: the frequency of the motion, at least one radian in the time so far. A straight motion
/// has no frequency but roundoff; an error of a velocity has then moved coordinates during all of
/// that time.
static double frequency(const trm_tangent_propagation *g)
{
    const double own = g->v2 > 0 && g->a2 > 0 ? sqrt(g->a2 / g->v2) : 0;
    return g->seen > 0 ? trm_larger(own, 1 / g->seen) : own;
}

void trm_tangent_propagation_destroy(trm_tangent_propagation *propagation)
{
    free(propagation);
}

static trm_tangent_propagation *allocate(int nq, int n, int nc, int nbody)
{
    const int m = (n + 3) / 4 * 4, nz = nq + m + 1;
    const size_t numbers = (size_t)(2 * m * (4 + 2 * ORDER) + 2 * m + 2 * nz + nc + 9 * nbody);
    trm_tangent_propagation *const g = calloc(1, sizeof *g + numbers * sizeof(double));
    if (!g) {
        return NULL;
    }
    double *at = (double *)(g + 1);
    double **const pairs[] = {&g->d, &g->p, &g->before, &g->x.V};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++, at += 2 * m) {
        *pairs[i] = at;
    }
    for (int k = 0; k < ORDER; k++, at += 4 * m) {
        g->at[k] = at;
        g->rate[k] = at + 2 * m;
    }
    g->x.A = g->x.V + m;
    g->x.part = at;
    g->x.room = at + m;
    g->z = g->x.room + m;
    g->dz = g->z + nz;
    g->lambda = g->dz + nz;
    g->x.R = g->lambda + nc;
    g->n = g->x.n = n;
    g->m = g->x.m = m;
    g->x.nq = nq;
    return g;
}

trm_status trm_tangent_propagation_create(const trm_sim *sim, trm_tangent_propagation **out,
                                          trm_error *err)
{
    if (!sim || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, sim ? "out" : "sim",
                        "expected a run and a place for its disturbance, got NULL");
    }
    *out = NULL;
    TRM_TRY(trm_sim_check_ready(sim, err));
    const trm_run *const run = &sim->run;
    const trm_system *const system = run->system;
    const trm_reduced_ops *const reduced = run->stabilization ? run->stabilization->reduced : NULL;
    trm_tangent_propagation *const g =
        reduced ? allocate(system->nu, system->nu, 0, 0)
                : allocate(system->nq, system->nv, system->nc, sim->model->sizes.nbody);
    if (!g) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "no memory for a disturbance");
    }
    g->x.reduced = reduced;
    g->x.model = sim->model;
    g->method = run->method_ops;
    g->autonomous = !sim->drives_of_time && sim->locator.nsignals == 0 &&
                    !trm_sim_input_coverage(sim).user_forces;
    g->broken = sim->locator.nstate > 0 || sim->model->ncontacts > 0
                    ? "switches and contacts make jumps"
                : !trm_variation_is_known(sim->model) ? "N is given by the user"
                                                      : NULL;
    g->adaptive = trm_run_is_adaptive(run);
    g->t_turned = run->now.t;
    g->tolerance = run->options.atol + run->options.rtol;
    g->log_scale = log(g->tolerance);
    g->log_most = -INFINITY;
    double *const part = g->x.room - g->m;
    for (int i = 0; i < g->n; i++) { // angles where coordinates are independent
        part[i] = reduced ? 1 : 1 / run->extent.v[i];
    }
    *out = g;
    return TRM_OK;
}

// ----------------------------------------------------------------------------------- the motion

/// y of the disturbance d[2m] in g->z.
static void set_beside(trm_tangent_propagation *g, const double *d)
{
    trm_variation_set(&g->x, TRM_PROPAGATION_AMPLITUDE, d, d + g->m, g->z);
}

/// rate[m..2m]: dv' of the disturbance d[2m]. Returns a system's code.
TRM_INLINE int rates(trm_tangent_propagation *g, trm_sim *sim, const double *d, double *rate)
{
    trm_run *const run = &sim->run;
    const trm_reduced_ops *const reduced = g->x.reduced;
    const trm_stabilization_ops *const ops = run->stabilization;
    const double t = run->now.t;
    set_beside(g, d);
    trm_sim_remember(sim);
    const int code = reduced             ? reduced->rates(run, t, g->z, g->dz)
                     : ops && ops->rates ? ops->rates(run, t, g->z, g->dz, g->lambda)
                                         : trm_index1_rates(run, t, g->z, g->dz, g->lambda);
    trm_sim_recall(sim);
    g->spent++;
    trm_variation_rates(&g->x, TRM_PROPAGATION_AMPLITUDE, d, d + g->m, g->dz, rate + g->m);
    return code;
}

/// The disturbance onto the constraints. Returns a system's code.
static int close_up(trm_tangent_propagation *g, trm_sim *sim)
{
    trm_run *const run = &sim->run;
    if (g->x.reduced || !run->stabilization || run->system->nc == 0) {
        return 0;
    }
    set_beside(g, g->d);
    trm_sim_remember(sim);
    const int code = trm_run_correct(run, run->now.t, g->z);
    trm_sim_recall(sim);
    g->spent += 2; // positions of both passes of a correction
    if (!code) {
        trm_variation_of(&g->x, TRM_PROPAGATION_AMPLITUDE, g->z, g->d, g->d + g->m);
    }
    return code;
}

/// The largest error of a coordinate over its size: of the disturbance, with what its velocities
/// move in the time of a radian, and a shift of the time by `shift` s.
static double largest(const trm_tangent_propagation *g, double shift)
{
    const double radian = g->omega > 0 ? 1 / g->omega : 0;
    return trm_largest_part(g->m, g->d, shift, g->x.V, radian, g->x.part);
}

/// Multiplies the disturbance, and the disturbances kept with their rates, by f.
static void scale(trm_tangent_propagation *g, double f)
{
    trm_combine(2 * g->m, f, g->d, 0, g->d);
    for (int k = ORDER - g->kept; k < ORDER; k++) {
        trm_combine(2 * g->m, f, g->at[k], 0, g->at[k]);
        trm_combine(2 * g->m, f, g->rate[k], 0, g->rate[k]);
    }
    g->log_most = fmax(g->log_most, g->log_scale + log(g->most));
    g->most = 0;
    g->last *= f;
    g->shift *= f;
    g->log_scale -= log(f);
}

/// Scales the disturbance so that its coordinates are near their sizes; variation.h multiplies them
/// by TRM_PROPAGATION_AMPLITUDE. Nonzero where they are not finite.
static int rescale(trm_tangent_propagation *g)
{
    const double most = largest(g, 0);
    if (most > 0 && (most > 10 || most < 0.1)) {
        scale(g, 1 / most);
    }
    return !(most < INFINITY);
}

/// m/s or rad/s: length of the disturbance d[2m].
static double length(const trm_tangent_propagation *g, const double *d)
{
    return trm_pair_length(g->m, g->omega, d);
}

static void rotate(double **x)
{
    double *const first = x[0];
    TRM_UNROLL
    for (int k = 0; k < LAST; k++) {
        x[k] = x[k + 1];
    }
    x[LAST] = first;
}

/// The place of the oldest disturbance becomes the place of the newest, at t.
TRM_INLINE void take_place(trm_tangent_propagation *g, double t)
{
    TRM_UNROLL
    for (int k = 0; k < LAST; k++) {
        g->t[k] = g->t[k + 1];
    }
    g->t[LAST] = t;
    rotate(g->at);
    rotate(g->rate);
    g->kept += g->kept < ORDER;
    g->known += g->known < ORDER;
}

static void copy(const trm_tangent_propagation *g, double *to, const double *from)
{
    memcpy(to, from, (size_t)(2 * g->m) * sizeof *to);
}

/// Starts the formula again, at order one, from here. Returns a system's code.
static int begin(trm_tangent_propagation *g, trm_sim *sim)
{
    if (rescale(g)) {
        return 1;
    }
    take_place(g, sim->run.now.t);
    g->known = 1;
    copy(g, g->at[LAST], g->d);
    const int code = rates(g, sim, g->d, g->rate[LAST]);
    memcpy(g->rate[LAST], g->d + g->m, (size_t)g->m * sizeof *g->d);
    return code ? code : !trm_all_finite(g->n, g->rate[LAST] + g->m);
}

/// The same with the disturbance brought to the constraints. A part that opens the mechanism would
/// go straight ahead, and would take one of the few vectors of the span.
static int begin_closed(trm_tangent_propagation *g, trm_sim *sim)
{
    const int code = close_up(g, sim);
    return code ? code : begin(g, sim);
}

/// The span of the vectors kept, the newest first; q' of a vector is its v.
static void span_of_kept(trm_tangent_propagation *g, trm_krylov *span)
{
    span->n = g->m;
    span->m = g->kept;
    span->omega = g->omega;
    for (int k = 0; k < g->kept; k++) {
        span->at[k] = g->at[LAST - k];
        span->image[k] = g->rate[LAST - k];
        memcpy(span->image[k], span->at[k] + g->m, (size_t)g->m * sizeof *g->d);
    }
    trm_krylov_orthonormalize(span);
    for (int k = 0; k < g->kept; k++) {
        g->at[LAST - k] = span->at[k];
        g->rate[LAST - k] = span->image[k];
    }
    g->kept = span->m;
}

/// Steps again from the last look to now, by the rates of the newest disturbance kept (at now), of
/// the newest two, and so on. Adams' formula makes the disturbance too long where h is long for
/// damped motion; a span does where rates have changed since its vectors were known, the more the
/// older they are. So of all results the second shortest is taken. The shortest would hide growth
/// where rates change within h (Duffing's oscillator at A = 1e-3, docs/validation/campaign.md).
static void step_in_span(trm_tangent_propagation *g, double h)
{
    trm_krylov span;
    span_of_kept(g, &span);
    double least = length(g, g->d), next = INFINITY;
    double weight[ORDER + 1][ORDER];
    int of_least = 0, of_next = 0; // vectors of the span; none: Adams' formula
    trm_krylov_project(&span, g->before);
    for (int m = 1; m <= g->kept; m++) {
        trm_krylov_weights(&span, m, h, weight[m]);
        const double l = trm_krylov_step(&span, weight[m], g->before, g->p);
        if (l < least) {
            next = least, of_next = of_least;
            least = l, of_least = m;
        } else if (l < next) {
            next = l, of_next = m;
        }
    }
    if (of_next > 0) {
        trm_krylov_step(&span, weight[of_next], g->before, g->d);
    }
}

/// The formula has erred by r e-folds in a step of h: by a part e^r - 1 of the disturbance where
/// steps are long. Elsewhere r is at most 0.02, and e^r - 1 is larger than r by one per cent.
static void note_error(trm_tangent_propagation *g, double r, double h)
{
    const double u = 1 + g->fed + g->fed_phase;
    g->own += r;
    g->fed = trm_lesser(g->fed + (g->rough ? expm1(r) : r) * u, largest_factor);
    g->fed_phase = trm_lesser(g->fed_phase + g->omega * h * g->fed, largest_factor);
}

/// e-folds that the disturbance, its length now given by its square, has grown by since the last
/// look.
static double folds(const trm_tangent_propagation *g, double square)
{
    const double times = sqrt(square) / length(g, g->before);
    return times > 1 ? log(times) : 0;
}

/// Steps by Adams' formulas from the last look to now. *square: of the length of the disturbance
/// there. *off := |v_c - v_p| over that length. A part `m` of the difference is the error by
/// Milne's device, and is taken out. Returns a system's code.
static int step_by_formulas(trm_tangent_propagation *g, trm_sim *sim, double m, double *off,
                            double *square)
{
    trm_adams formulas;
    double *const before = g->d;
    trm_adams_weigh(g->t, g->known, sim->run.now.t, &formulas);
    trm_adams_predict(g->m, &formulas, g->rate, before, g->at[0]);
    take_place(g, sim->run.now.t);
    const double *const p = g->at[LAST];
    const int code = rates(g, sim, p, g->rate[LAST]);
    trm_adams_error error;
    trm_adams_correct(g->m, &formulas, g->rate, m, before, p, g->before, &error);
    g->d = g->before;
    g->before = before;
    *square = g->omega * g->omega * error.q + error.v;
    *off = error.off > 0 ? sqrt(error.off / *square) : 0;
    return code ? code : !(error.off < INFINITY);
}

/// From the last look to now. Returns a system's code.
static int step(trm_tangent_propagation *g, trm_sim *sim)
{
    const int order = g->known;
    const double h = sim->run.now.t - g->t[LAST], m = milne[order - 1];
    double r, square;
    const int code = step_by_formulas(g, sim, m, &r, &square);
    const int rough = r > TRM_PROPAGATION_ROUGH;
    g->rough = rough || (g->rough && order < ORDER); // until the order is full again
    const int anew = rough && !code && (double)(g->spent + ANEW) <= g->granted;
    if (anew) {
        step_in_span(g, h);
        square = length(g, g->d) * length(g, g->d);
    } else if (rough) {
        g->known = 1;
    }
    note_error(g, g->rough ? m * r + folds(g, square) : m * r, h);
    return anew ? begin_closed(g, sim) : code;
}

/// Moves the part of the disturbance that is a shift of the time to g->shift.
static void stay_beside(trm_tangent_propagation *g)
{
    const double w2 = g->omega * g->omega;
    const double *const V = g->x.V, *const A = g->x.A;
    const double along =
        (trm_sum_products(g->m, g->d, V) + trm_sum_products(g->m, g->d + g->m, A) / w2) /
        (squares(g, V) + squares(g, A) / w2);
    trm_combine(2 * g->m, 1, g->d, -along, V);
    g->shift += along;
}

// ------------------------------------------------------------------------------------------ a look

static void measure(trm_tangent_propagation *g, const trm_run *run)
{
    const double h = run->now.t - run->before.t;
    double sum[3];
    trm_variation_look(&g->x, run);
    trm_sum_motion(g->m, g->x.V, g->x.part, sum);
    g->v2 += h * sum[0];
    g->a2 += h * sum[1];
    g->parts2 += h * sum[2];
    g->seen += h;
    g->omega = frequency(g);
}

/// ln of the largest part of a size by which a coordinate has been off.
static double largest_so_far(const trm_tangent_propagation *g)
{
    return fmax(g->log_most, g->log_scale + log(g->most));
}

/// The same over the growth of all committed errors in regular motion, by 1 + omega t.
static double beyond_regular(const trm_tangent_propagation *g)
{
    return largest_so_far(g) - log(g->committed / g->omega) - log(1 + g->omega * g->seen);
}

static void keep(trm_tangent_propagation *g)
{
    g->looks++;
    g->last = largest(g, g->shift);
    g->most = trm_larger(g->last, g->most);
}

/// What a step may err by in v_i.
static double may_err(const trm_tangent_propagation *g, const trm_run *run, int i)
{
    return run->options.atol + run->options.rtol * fabs(g->x.V[i]);
}

/// The part of the tolerances of v that a step h uses up. Errors e of v are errors of h e in q,
/// which has tolerances too: those of v say nothing of a motion that is slow against 1 m/s.
static double part_used(const trm_tangent_propagation *g, const trm_run *run)
{
    const trm_options *const o = &run->options;
    const double h = run->now.t - run->before.t;
    double in_q = 0, in_v = 0;
    for (int i = 0; i < g->n; i++) {
        in_q = fmax(in_q, o->atol * g->x.part[i]);
        in_v = fmax(in_v, may_err(g, run, i) * g->x.part[i]);
    }
    in_q += o->rtol * trm_extents_away(&run->extent, run->system->nq, run->now.z);
    return h * in_v > in_q ? in_q / (h * in_v) : 1;
}

/// Adds the errors that the steps of an own period may make, in another direction each time.
static void commit(trm_tangent_propagation *g, const trm_run *run)
{
    const double now = exp(-g->log_scale);
    double most = 0;
    g->used = part_used(g, run);
    for (int i = 0; i < g->n && g->omega > 0; i++) {
        const double e = TRM_PROPAGATION_COMMITTED * g->used * may_err(g, run, i);
        g->d[g->m + i] += sin(2 + 2.3 * i + (double)g->looks) < 0 ? -now * e : now * e;
        most = fmax(most, e * g->x.part[i]);
    }
    g->committed += most;
}

/// The first steps of a run are shorter than tolerances allow, and err by less. The first
/// disturbance counts as an error of the latest of them, as long as the next step is to be much
/// longer.
static void leave_first_steps(trm_tangent_propagation *g, const trm_run *run)
{
    if (g->looks == 0 || g->settled) {
        return;
    }
    const double used = part_used(g, run), part = used / g->used;
    if (part < 1) {
        g->log_scale += log(part);
        g->log_most += log(part);
        g->committed *= part;
        g->used = used;
    }
    const double h = run->now.t - run->before.t;
    g->settled = !(g->adaptive && run->h_next > TRM_PROPAGATION_FIRST * h);
}

/// Whether a switch has changed since the last look.
static int mode_has_changed(const trm_tangent_propagation *g, const trm_sim *sim)
{
    return sim->locator.mode_changes != g->mode_changes;
}

/// Where a step ends on a switch, the accelerations at hand are those before it, while beside the
/// motion they are found behind it: their difference is a jump, and none of the disturbance. A :=
/// those behind it, from the rates of a disturbance of zero. Returns a system's code.
static int rates_after_event(trm_tangent_propagation *g, trm_sim *sim)
{
    memset(g->before, 0, (size_t)(2 * g->m) * sizeof *g->before); // which nobody reads any more
    const int code = rates(g, sim, g->before, g->p);
    trm_combine(g->m, 1, g->x.A, TRM_PROPAGATION_AMPLITUDE, g->p + g->m);
    return code;
}

/// Steps from the last look to now; commits errors, takes out shifts and closes the disturbance
/// when that is due. Returns a system's code.
static int advance(trm_tangent_propagation *g, trm_sim *sim)
{
    const double t = sim->run.now.t;
    const int jumped = mode_has_changed(g, sim);
    int code = jumped ? rates_after_event(g, sim) : 0;
    if (code) {
        return code;
    }
    if (g->known > 0) {
        code = step(g, sim);
    } else {
        commit(g, &sim->run);
        code = begin_closed(g, sim);
    }
    g->mode_changes = sim->locator.mode_changes;
    if (code) {
        return code;
    }
    if ((t - g->t_turned) * g->omega > 2 * pi) {
        g->t_turned = t;
        if (g->autonomous) {
            stay_beside(g);
        }
        commit(g, &sim->run);
        g->settled = 1;
        return begin(g, sim);
    }
    if (jumped) {
        g->kept = 0;
        return begin(g, sim);
    }
    if (g->looks % CLOSING != CLOSING - 1) {
        return 0;
    }
    return rescale(g) ? 1 : close_up(g, sim);
}

/// Whether nothing more can be told: errors are far beyond the size of the motion, and the whole
/// growth, more than the digits of double precision, may be an error of the formula.
static int says_no_more(const trm_tangent_propagation *g)
{
    return g->adaptive && g->fed + g->fed_phase > 1 / DBL_EPSILON &&
           largest_so_far(g) > log(gone) && beyond_regular(g) < g->own;
}

int trm_tangent_propagation_step(trm_tangent_propagation *g, trm_sim *sim)
{
    if (!g || !sim || g->broken) {
        return 0;
    }
    if (g->ended) {
        return 1;
    }
    measure(g, &sim->run);
    leave_first_steps(g, &sim->run);
    g->granted = TRM_PROPAGATION_SHARE * (double)sim->run.system->force_evals;
    // a new beginning may spend more than is granted; the next looks make up for it
    const int jumped = mode_has_changed(g, sim);
    if ((double)(g->spent + 1 + (g->rough ? ANEW : 0) + (jumped ? BEHIND : 0)) > g->granted) {
        return 1;
    }
    g->broken = sim->run.method_ops != g->method ? "the method has changed"
                : sim->monitor.record.count > 0  ? "motions cross in a singular position"
                : advance(g, sim)                ? "accelerations beside it are not known"
                                                 : NULL;
    if (!g->broken) {
        keep(g);
        g->ended = g->known == 1 && says_no_more(g);
    }
    return !g->broken;
}

int trm_tangent_propagation_growth(const trm_tangent_propagation *g, trm_growth *out)
{
    const double omega = g ? g->omega : 0;
    if (!g || !out || g->broken || g->looks < 2 || !(omega > 0) ||
        !(sqrt(g->parts2 / g->seen) > omega * g->tolerance)) { // nothing moves
        return 0;
    }
    const double most = largest_so_far(g);
    *out = (trm_growth){
        .digits = fmax((beyond_regular(g) - g->own) / log(10), 0),
        .error = exp(most) >= diverged ? exp(most) : exp(g->log_scale + log(g->last)),
        .unseen =
            g->fed + g->fed_phase < largest_factor ? log10(1 + g->fed + g->fed_phase) : INFINITY,
        .evaluations = g->spent,
    };
    return isfinite(out->digits) && !isnan(out->error);
}

const char *trm_tangent_propagation_obstacle(const trm_tangent_propagation *g)
{
    return g ? g->broken : NULL;
}
