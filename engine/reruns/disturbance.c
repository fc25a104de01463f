/// What the errors of steps grow to, followed beside the whole run at the ends of its steps.
///
///     y = x + eps (dq, dv),    dv' = (a(y) - a(x))/eps,    dq' = dv    (variation.h)
///     dv := dv + 0.1 (atol + rtol |v|) s,    s of any sign, at the start and in every own period
///
/// The disturbance (dq, dv) is the sum of all that steps may have erred by so far, each error grown
/// from its own time on: an error committed late, or across the growth of earlier ones, counts too.
/// Tolerances are for ten own periods, and shrink with their number (length.c): a tenth in each.
///
/// x, v and a of the run are there: a look takes one evaluation, of the dozen that a step of a
/// pair of order eight takes. dv and dq are stepped by Adams' formulas of order four on the mesh of
/// the run: v is predicted, q corrected with it, both corrected with a(y), which is not evaluated
/// again. From time to time y is closed like the end of a step.
///
/// Where nothing depends on the time, x' is a disturbance too, a shift in time, and stays one. A
/// formula turns a little of it into another energy, and that grows by the shift: the square root
/// of its errors would grow exponentially. So once in an own period of the motion the part along x'
/// is taken out of what is stepped, and kept beside it as a shift in s, which is exact.
///
/// Adams' formulas grow by themselves where fast motion is damped, or turns, within a step of the
/// run: where predicted and corrected differ much, the step is made by the exponential function in
/// the span of what is known (spanned.h), if less comes of it.
///
/// The formula errs by r of the disturbance in a step, by Milne's device, or by all that it grows
/// by where r is large. What r feeds grows on like regular motion, by 1 + omega (t - s) from s to
/// t:
///
///     u(t) = 1 + int r (1 + omega (t - s)) u(s) ds
///
/// The disturbance is known up to a factor of u. Where steps of the run are long, u is large. Where
/// switches of the state or contacts make motions jump, or motions cross in a singular position,
/// nothing is known.
#include "engine/base/status.h"
#include "engine/reruns/disturbance_numbers.h"
#include "engine/reruns/spanned.h"
#include "engine/reruns/variation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double parted = 0.1; ///< of a size, or rad: errors do not shrink again from here on
static const double largest_factor = 1e150;
/// The error of corrected values over that of predicted ones, by order of the predictor, for steps
/// of up to a radian: h^3/12 over h^2/2, h^4/24 over 5 h^3/12, and Milne's 19/270 of order four,
/// which that of order three does not exceed.
static const double milne[] = {1.0 / 6, 1.0 / 10, 19.0 / 270, 19.0 / 270};

enum {
    ORDER = TRM_SPANNED,
    CLOSING = 32, // looks from one closing to the next
    ANEW = 2      // evaluations: closed, and rates there
};

struct trm_disturbance {
    const trm_method_ops *method; ///< of the run; another one ends it
    trm_variation x;              ///< the motion
    int n, autonomous;
    const char *broken;    ///< why it can no longer be followed; NULL: it can
    int rough;             ///< the steps of the run are too long here
    double *dq, *dv;       ///< [n] now, together
    double *p, *pv;        ///< [n] predicted, together
    double *z, *dz;        ///< [nq + n + 1] of y
    double *lambda;        ///< [nc]
    double *before;        ///< [2n] dq, dv at the last look
    double t[ORDER];       ///< of the disturbances kept, the latest last
    double *at[ORDER];     ///< [2n] they
    double *rate[ORDER];   ///< [2n] dq', dv' of each
    int kept, known;       ///< of them, and how many of the last are the formula's
    double tolerance;      ///< atol + rtol
    double log_scale;      ///< ln of what dq, dv and shift have been divided by
    double shift;          ///< s: beside dq, dv a part shift*x'
    double v2, a2, seen;   ///< integrals of |v|^2, |a|^2, 1
    double parts2;         ///< 1/s: integral of sum (v_i/size_i)^2
    double t_turned;       ///< s: when the part along x' was taken out
    double committed;      ///< 1/s: sum of the largest parts of sizes by which velocities may err
    double most;           ///< ln of the largest part of a size by which a coordinate has been off
    double last;           ///< the same now
    double own;            ///< integral of r: e-folds that errors of the formula may be
    double fed, fed_phase; ///< int r u and int omega fed: u = 1 + fed + fed_phase
    double granted;        ///< evaluations
    long looks, spent, switched;
};

static double squares(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * x[i];
    }
    return sum;
}

/// rad/s: of the motion, at least a radian in the time so far. A straight motion has none apart
/// from roundoff, and what velocities are off by has moved coordinates for that time at most.
static double frequency(const trm_disturbance *g)
{
    const double own = g->v2 > 0 && g->a2 > 0 ? sqrt(g->a2 / g->v2) : 0;
    return g->seen > 0 ? fmax(own, 1 / g->seen) : own;
}

void trm_disturbance_destroy(trm_disturbance *disturbance)
{
    free(disturbance);
}

static trm_disturbance *allocate(int nq, int n, int nc)
{
    const int nz = nq + n + 1;
    const size_t numbers = (size_t)(2 * n * (4 + 2 * ORDER) + n + 4 * nz + nc);
    trm_disturbance *const g = calloc(1, sizeof *g + numbers * sizeof(double));
    if (!g) {
        return NULL;
    }
    double *at = (double *)(g + 1);
    double **const pairs[] = {&g->dq, &g->p, &g->before, &g->x.V};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++, at += 2 * n) {
        *pairs[i] = at;
    }
    for (int k = 0; k < ORDER; k++, at += 4 * n) {
        g->at[k] = at;
        g->rate[k] = at + 2 * n;
    }
    g->dv = g->dq + n;
    g->pv = g->p + n;
    g->x.A = g->x.V + n;
    g->x.part = at;
    g->z = at + n;
    g->dz = g->z + nz;
    g->x.room = g->dz + nz;
    g->lambda = g->x.room + 2 * nz;
    g->n = g->x.n = n;
    g->x.nq = nq;
    return g;
}

trm_status trm_disturbance_create(const trm_sim *sim, trm_disturbance **out, trm_error *err)
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
    trm_disturbance *const g = reduced ? allocate(system->nu, system->nu, 0)
                                       : allocate(system->nq, system->nv, system->nc);
    if (!g) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "no memory for a disturbance");
    }
    g->x.reduced = reduced;
    g->x.model = sim->model;
    g->method = run->method_ops;
    g->autonomous = !sim->drives_of_time && trm_sim_report(sim).inputs == TRM_INPUTS_NONE;
    g->broken = sim->ahead.nstate > 0 || sim->model->ncontacts > 0 ? "switches and contacts jump"
                : !trm_variation_is_known(sim->model)              ? "N is given by the user"
                                                                   : NULL;
    g->t_turned = run->now.t;
    g->tolerance = run->options.atol + run->options.rtol;
    g->log_scale = log(g->tolerance);
    g->most = -INFINITY;
    double *const part = g->z - g->n;
    for (int i = 0; i < g->n; i++) { // angles where coordinates are independent
        part[i] = reduced ? 1 : 1 / run->extent.v[i];
    }
    *out = g;
    return TRM_OK;
}

// ----------------------------------------------------------------------------------- the motion

/// y of the disturbance (dq, dv) in g->z.
static void set_beside(trm_disturbance *g, const double *dq)
{
    trm_variation_set(&g->x, TRM_DISTURBANCE, dq, dq + g->n, g->z);
}

/// rate[2n] of the disturbance dq[2n]. Returns a system's code.
static int rates(trm_disturbance *g, trm_sim *sim, const double *dq, double *rate)
{
    trm_run *const run = &sim->run;
    const trm_reduced_ops *const reduced = g->x.reduced;
    const trm_stabilization_ops *const ops = run->stabilization;
    const double t = run->now.t;
    set_beside(g, dq);
    trm_sim_remember(sim);
    const int code = reduced             ? reduced->rates(run, t, g->z, g->dz)
                     : ops && ops->rates ? ops->rates(run, t, g->z, g->dz, g->lambda)
                                         : trm_index1_rates(run, t, g->z, g->dz, g->lambda);
    trm_sim_recall(sim);
    g->spent++;
    memcpy(rate, dq + g->n, (size_t)g->n * sizeof *rate);
    trm_variation_rates(&g->x, TRM_DISTURBANCE, dq, dq + g->n, g->z, g->dz, rate + g->n);
    return code ? code : !trm_all_finite(g->n, rate + g->n);
}

/// (dq, dv) onto the constraints. Returns a system's code.
static int close_up(trm_disturbance *g, trm_sim *sim)
{
    trm_run *const run = &sim->run;
    if (g->x.reduced || !run->stabilization || run->system->nc == 0) {
        return 0;
    }
    set_beside(g, g->dq);
    trm_sim_remember(sim);
    const int code = trm_run_correct(run, run->now.t, g->z);
    trm_sim_recall(sim);
    g->spent++;
    if (!code) {
        trm_variation_of(&g->x, TRM_DISTURBANCE, g->z, g->dq, g->dv);
    }
    return code;
}

static void multiply(int n, double *x, double f)
{
    for (int i = 0; i < n; i++) {
        x[i] *= f;
    }
}

/// The disturbance, and those kept with their rates, times f.
static void scale(trm_disturbance *g, double f)
{
    multiply(2 * g->n, g->dq, f);
    for (int k = 0; k < g->kept; k++) {
        multiply(2 * g->n, g->at[k], f);
        multiply(2 * g->n, g->rate[k], f);
    }
    g->shift *= f;
    g->log_scale -= log(f);
}

/// The largest part of its size by which a coordinate is off, in the time of a radian; `shift` s of
/// time beside it.
static double largest(const trm_disturbance *g, double shift)
{
    const double omega = frequency(g), radian = omega > 0 ? 1 / omega : 0;
    const double *const dq = g->dq, *const dv = g->dv, *const V = g->x.V, *const A = g->x.A;
    double most = 0;
    for (int i = 0; i < g->n; i++) {
        const double q = fabs(dq[i] + shift * V[i]), v = fabs(dv[i] + shift * A[i]) * radian;
        const double part = (q > v ? q : v) * g->x.part[i];
        most = part > most || isnan(part) ? part : most;
    }
    return most;
}

/// m/s or rad/s, of dq[2n]
static double length(const trm_disturbance *g, const double *dq)
{
    const double omega = frequency(g);
    return sqrt(omega * omega * squares(g->n, dq) + squares(g->n, dq + g->n));
}

/// w[n]: the integral from t0 to t1 of the polynomial through values at s[n], of degree 3 at most:
/// Gauss' formula of two points, neither of them in s.
static void weights(int n, const double *s, double t0, double t1, double *w)
{
    const double middle = 0.5 * (t0 + t1), off = (t1 - t0) / sqrt(12);
    double one = 0.5 * (t1 - t0), other = one, whole[ORDER];
    for (int k = 0; k < n; k++) {
        one *= middle - off - s[k];
        other *= middle + off - s[k];
        whole[k] = 1;
        for (int j = 0; j < k; j++) {
            whole[k] *= s[k] - s[j];
            whole[j] *= s[j] - s[k];
        }
    }
    for (int k = 0; k < n; k++) {
        w[k] = (one / (middle - off - s[k]) + other / (middle + off - s[k])) / whole[k];
    }
}

/// x[m] := base + sum of w_k rate_k, n of the history from `from` on.
static void sum_up(int m, double *x, const double *base, double *const *rate, int from, int n,
                   const double *w)
{
    const double *r[ORDER];
    double f[ORDER];
    for (int k = 0; k < ORDER; k++) {
        r[k] = rate[k < n ? k : 0] + from;
        f[k] = k < n ? w[k] : 0;
    }
    for (int i = 0; i < m; i++) {
        x[i] = base[i] + (f[0] * r[0][i] + f[1] * r[1][i]) + (f[2] * r[2][i] + f[3] * r[3][i]);
    }
}

static void rotate(double **x)
{
    double *const first = x[0];
    memmove(x, x + 1, (ORDER - 1) * sizeof *x);
    x[ORDER - 1] = first;
}

/// The place of dq[2n] at t among those kept: that of the oldest where all are taken.
static int remember(trm_disturbance *g, double t, const double *dq)
{
    if (g->kept == ORDER) {
        memmove(g->t, g->t + 1, (ORDER - 1) * sizeof *g->t);
        rotate(g->at);
        rotate(g->rate);
        g->kept--;
        g->known = g->known < g->kept ? g->known : g->kept;
    }
    g->t[g->kept] = t;
    memcpy(g->at[g->kept], dq, (size_t)(2 * g->n) * sizeof *dq);
    return g->kept;
}

/// The formula begins anew, from here. Returns a system's code.
static int begin(trm_disturbance *g, trm_sim *sim)
{
    const double most = largest(g, 0);
    if (!(most < INFINITY)) {
        return 1;
    }
    if (most > 0) {
        scale(g, 1 / most);
    }
    const int here = remember(g, sim->run.now.t, g->dq);
    g->kept = here + 1;
    g->known = 1;
    return rates(g, sim, g->dq, g->rate[here]);
}

/// The same, closed: what opens the mechanism goes on straight ahead, and would take a place in the
/// span.
static int begin_closed(trm_disturbance *g, trm_sim *sim)
{
    const int code = close_up(g, sim);
    return code ? code : begin(g, sim);
}

/// Predict p and pv at now, p with the corrector. `back` points of the history, and now, are the
/// corrector's, weights c.
static void predict(trm_disturbance *g, double t, int back, double *c)
{
    const int first = g->kept - g->known, later = g->kept - back;
    const double t0 = g->t[g->kept - 1];
    double w[ORDER], at[ORDER];
    memcpy(at, g->t + later, (size_t)back * sizeof *at);
    at[back] = t;
    weights(g->known, g->t + first, t0, t, w);
    weights(back + 1, at, t0, t, c);
    sum_up(g->n, g->pv, g->dv, g->rate + first, g->n, g->known, w);
    sum_up(g->n, g->p, g->dq, g->rate + later, 0, back, c);
    for (int i = 0; i < g->n; i++) {
        g->p[i] += c[back] * g->pv[i];
    }
}

/// |v_c - v_p| over the length of the disturbance, the new rates in place `here`. `m` of the
/// difference is known to be an error, and taken out.
static double correct(trm_disturbance *g, int here, int back, double m, const double *c)
{
    double off = 0;
    sum_up(g->n, g->dv, g->dv, g->rate + here - back, g->n, back + 1, c);
    for (int i = 0; i < g->n; i++) {
        const double e = g->dv[i] - g->pv[i];
        off += e * e;
        g->dv[i] -= m * e;
        g->dq[i] = g->p[i] + c[back] * (g->dv[i] - g->pv[i]);
        g->rate[here][i] = g->dv[i];
    }
    return off > 0 ? sqrt(off) / length(g, g->dq) : 0;
}

/// The vectors kept as a span, the newest first: with v at the place of q'.
static trm_spanned span_of_kept(trm_disturbance *g)
{
    trm_spanned span = {.n = g->n, .m = g->kept, .omega = frequency(g)};
    for (int k = 0; k < g->kept; k++) {
        span.at[k] = g->at[g->kept - 1 - k];
        span.image[k] = g->rate[g->kept - 1 - k];
        memcpy(span.image[k], span.at[k] + g->n, (size_t)g->n * sizeof *g->dq);
    }
    trm_spanned_orthonormalize(&span);
    for (int k = 0; k < g->kept; k++) {
        const int place = k < span.m ? span.m - 1 - k : k; // the newest last
        g->at[place] = span.at[k];
        g->rate[place] = span.image[k];
    }
    g->kept = span.m;
    return span;
}

/// From the last look to now once more, by the rates of the disturbances kept, of which the last is
/// at now: of the newest, of the newest two and so on. Adams' formulas grow by themselves where h
/// is long for damped motion, and a span where rates have changed since it was known, the longer
/// ago the more: of all lengths the least but one is taken. The least of all would make little of
/// growth where rates change within h (Duffing's oscillator at A = 1e-3, docs/campaign.md).
static void step_in_span(trm_disturbance *g, double h)
{
    const size_t bytes = (size_t)(2 * g->n) * sizeof *g->dq;
    trm_spanned span = span_of_kept(g);
    double least = length(g, g->dq), next = INFINITY;
    int of_least = 0, of_next = 0; // vectors of the span; none: Adams' formula
    for (span.m = 1; span.m <= g->kept; span.m++) {
        memcpy(g->p, g->before, bytes);
        trm_spanned_step(&span, h, g->p);
        const double l = length(g, g->p);
        if (l < least) {
            next = least, of_next = of_least;
            least = l, of_least = span.m;
        } else if (l < next) {
            next = l, of_next = span.m;
        }
    }
    span.m = of_next;
    if (of_next > 0) {
        memcpy(g->dq, g->before, bytes);
        trm_spanned_step(&span, h, g->dq);
    }
}

/// The formula has erred by r of the disturbance in a step of h, in e-folds: by e^r - 1 of it where
/// steps are long.
static void note_error(trm_disturbance *g, double r, double h)
{
    const double u = 1 + g->fed + g->fed_phase;
    g->own += r;
    g->fed = fmin(g->fed + expm1(r) * u, largest_factor);
    g->fed_phase = fmin(g->fed_phase + frequency(g) * h * g->fed, largest_factor);
}

/// From the last look to now. Returns a system's code.
static int step(trm_disturbance *g, trm_sim *sim)
{
    const int order = g->known, back = order < ORDER ? order : ORDER - 1;
    const double t = sim->run.now.t, h = t - g->t[g->kept - 1];
    const double m = milne[order - 1];
    double c[ORDER];
    memcpy(g->before, g->dq, (size_t)(2 * g->n) * sizeof *g->dq);
    predict(g, t, back, c);
    const int here = remember(g, t, g->p);
    const int code = rates(g, sim, g->p, g->rate[here]);
    const double r = correct(g, here, back, m, c);
    const int rough = r > TRM_DISTURBANCE_ROUGH;
    g->kept++;
    g->known++;
    g->rough = rough || (g->rough && order < ORDER); // until the order is full again
    const int anew = rough && !code && (double)(g->spent + ANEW) <= g->granted;
    const double before = g->rough ? length(g, g->before) : 0;
    if (anew) {
        step_in_span(g, h);
    } else if (rough) {
        g->known = 1;
    }
    note_error(g, g->rough ? m * r + fmax(log(length(g, g->dq) / before), 0) : m * r, h);
    return anew ? begin_closed(g, sim) : code;
}

/// Take out what is a shift of the time.
static void stay_beside(trm_disturbance *g)
{
    const double w2 = frequency(g) * frequency(g);
    const double *const V = g->x.V, *const A = g->x.A;
    double along = 0;
    for (int i = 0; i < g->n; i++) {
        along += g->dq[i] * V[i] + g->dv[i] * A[i] / w2;
    }
    along /= squares(g->n, V) + squares(g->n, A) / w2;
    for (int i = 0; i < g->n; i++) {
        g->dq[i] -= along * V[i];
        g->dv[i] -= along * A[i];
    }
    g->shift += along;
}

// ------------------------------------------------------------------------------------------ a look

static void measure(trm_disturbance *g, const trm_run *run)
{
    const double h = run->now.t - run->before.t;
    trm_variation_look(&g->x, run);
    g->v2 += h * squares(g->n, g->x.V);
    g->a2 += h * squares(g->n, g->x.A);
    for (int i = 0; i < g->n; i++) {
        g->parts2 += h * (g->x.V[i] * g->x.part[i]) * (g->x.V[i] * g->x.part[i]);
    }
    g->seen += h;
}

static void keep(trm_disturbance *g)
{
    g->looks++;
    g->last = g->log_scale + log(largest(g, g->shift));
    g->most = fmax(g->most, g->last);
}

/// What steps may err by in an own period of the motion, in another direction each time.
static void commit(trm_disturbance *g, const trm_run *run)
{
    const trm_options *const o = &run->options;
    const double *const v = g->x.V;
    const double omega = frequency(g), now = exp(-g->log_scale);
    double most = 0;
    for (int i = 0; i < g->n && omega > 0; i++) {
        const double e = TRM_DISTURBANCE_COMMITTED * (o->atol + o->rtol * fabs(v[i]));
        g->dv[i] += sin(2 + 2.3 * i + (double)g->looks) < 0 ? -now * e : now * e;
        most = fmax(most, e * g->x.part[i]);
    }
    g->committed += most;
}

/// From the last look to now, and what is due from time to time. Returns a system's code.
static int advance(trm_disturbance *g, trm_sim *sim)
{
    const double t = sim->run.now.t, omega = frequency(g);
    const int jumped = sim->ahead.switched != g->switched;
    int code = 0;
    if (g->known > 0) {
        code = step(g, sim);
    } else {
        commit(g, &sim->run);
        code = begin_closed(g, sim);
    }
    g->switched = sim->ahead.switched;
    if (code) {
        return code;
    }
    if ((t - g->t_turned) * omega > 2 * pi) {
        g->t_turned = t;
        if (g->autonomous) {
            stay_beside(g);
        }
        commit(g, &sim->run);
        return begin(g, sim);
    }
    if (jumped) {
        g->kept = 0;
        return begin(g, sim);
    }
    if (g->looks % CLOSING != CLOSING - 1) {
        return 0;
    }
    const double most = largest(g, 0);
    if (most > 10 || most < 0.1) {
        scale(g, 1 / most);
    }
    return close_up(g, sim);
}

int trm_disturbance_look(trm_disturbance *g, trm_sim *sim)
{
    if (!g || !sim || g->broken) {
        return 0;
    }
    measure(g, &sim->run);
    g->granted = TRM_DISTURBANCE_SHARE * (double)sim->run.system->force_evals;
    // what is spent beyond, on a new beginning, is made up for by the looks that follow
    if ((double)(g->spent + (g->rough ? 1 + ANEW : 1)) > g->granted) {
        return 1;
    }
    g->broken = sim->run.method_ops != g->method ? "the method has changed"
                : sim->watch.record.count > 0    ? "motions cross in a singular position"
                : advance(g, sim)                ? "accelerations beside it are not known"
                                                 : NULL;
    if (!g->broken) {
        keep(g);
    }
    return !g->broken;
}

int trm_disturbance_growth(const trm_disturbance *g, trm_growth *out)
{
    const double omega = g ? frequency(g) : 0;
    if (!g || !out || g->broken || g->looks < 2 || !(omega > 0) ||
        !(sqrt(g->parts2 / g->seen) > omega * g->tolerance)) { // nothing moves
        return 0;
    }
    const double regular = log(g->committed / omega) + log(1 + omega * g->seen);
    *out = (trm_growth){
        .digits = fmax((g->most - regular - g->own) / log(10), 0),
        .error = exp(g->most) >= parted ? exp(g->most) : exp(g->last),
        .unseen =
            g->fed + g->fed_phase < largest_factor ? log10(1 + g->fed + g->fed_phase) : INFINITY,
        .evaluations = g->spent,
    };
    return isfinite(out->digits) && !isnan(out->error);
}

const char *trm_disturbance_obstacle(const trm_disturbance *g)
{
    return g ? g->broken : NULL;
}
