/// What the errors of steps grow to, followed beside the whole run at the ends of its steps.
///
///     y = x + eps (dq, dv),    dv' = (a(y) - a(x))/eps,    dq' = (N(y) v_y - N(x) v_x)/eps
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
#include "engine/run/simulation.h"
#include "integrators/trajectory/stabilization.h"

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
    ORDER = 4,
    CLOSING = 32 // looks from one closing to the next
};

struct trm_disturbance {
    const trm_method_ops *method;   ///< of the run; another one ends it
    const trm_reduced_ops *reduced; ///< q, v are independent coordinates and their rates; or NULL
    const double *x, *x_rate;       ///< [nq + nv] of the run, at now
    int nq, nv, autonomous, broken;
    int rough;                ///< the steps of the run are too long here
    double *dq, *dv;          ///< [nq], [nv] now
    double *p, *pv, *rate;    ///< [nq], [nv], [nq] predicted
    double *z, *dz, *lambda;  ///< [nq + nv + 1], the same, [nc] of y
    double *here, *here_rate; ///< [nq + nv + 1] room for x, x_rate
    double *size;             ///< [nq + nv] m or rad
    double t[ORDER];          ///< the latest last
    double *q_rate[ORDER], *v_rate[ORDER];
    int known;             ///< of them
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

static trm_disturbance *allocate(int nq, int nv, int nc)
{
    const int n = nq + nv + 1;
    const size_t numbers = (size_t)((2 + ORDER) * (nq + nv) + nq + 5 * n + nc);
    trm_disturbance *const g = calloc(1, sizeof *g + numbers * sizeof(double));
    double *at = (double *)(g + 1);
    if (!g) {
        return NULL;
    }
    double **const places[] = {&g->dq, &g->p,  &g->rate, &g->dv,        &g->pv,
                               &g->z,  &g->dz, &g->here, &g->here_rate, &g->size};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        *places[i] = at;
        at += i < 3 ? nq : i < 5 ? nv : n;
    }
    for (int k = 0; k < ORDER; k++, at += nq + nv) {
        g->q_rate[k] = at;
        g->v_rate[k] = at + nq;
    }
    g->lambda = at;
    g->nq = nq;
    g->nv = nv;
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
    g->reduced = reduced;
    g->method = run->method_ops;
    g->autonomous = !sim->drives_of_time && trm_sim_report(sim).inputs == TRM_INPUTS_NONE;
    g->broken = sim->ahead.nstate > 0 || sim->model->ncontacts > 0;
    g->t_turned = run->now.t;
    g->tolerance = run->options.atol + run->options.rtol;
    g->log_scale = log(g->tolerance);
    g->most = -INFINITY;
    for (int i = 0; i < g->nq + g->nv; i++) { // angles where coordinates are independent
        g->size[i] = reduced ? 1 : i < g->nq ? run->extent.q[i] : run->extent.v[i - g->nq];
    }
    *out = g;
    return TRM_OK;
}

// ----------------------------------------------------------------------------------- the motion

static void take_place(trm_disturbance *g, const trm_run *run)
{
    g->x = run->now.z;
    g->x_rate = run->now.dz;
    if (g->reduced) {
        g->reduced->select(run, run->now.z, g->here);
        g->reduced->select(run, run->now.dz, g->here_rate);
        g->x = g->here;
        g->x_rate = g->here_rate;
    }
}

/// y of the disturbance (dq, dv) in g->z.
static void set_beside(trm_disturbance *g, const double *dq, const double *dv)
{
    const double *const v = g->x + g->nq;
    double *const y = g->z, *const y_v = g->z + g->nq;
    for (int i = 0; i < g->nq; i++) {
        y[i] = g->x[i] + TRM_DISTURBANCE * dq[i];
    }
    for (int i = 0; i < g->nv; i++) {
        y_v[i] = v[i] + TRM_DISTURBANCE * dv[i];
    }
    y_v[g->nv] = 0;
}

/// rate[nq] = (N(y) v_y - N(x) v_x)/eps of the disturbance (dq, dv).
static void rates_of_q(trm_disturbance *g, const trm_run *run, const double *dq, const double *dv,
                       double *rate)
{
    if (g->reduced) {
        memcpy(rate, dv, (size_t)g->nv * sizeof *dv);
        return;
    }
    set_beside(g, dq, dv);
    trm_system_rates(run->system, g->z, g->z + g->nq, rate);
    for (int i = 0; i < g->nq; i++) {
        rate[i] = (rate[i] - g->x_rate[i]) / TRM_DISTURBANCE;
    }
}

/// v_rate[nv] = (a(y) - a(x))/eps of y in g->z. Returns a system's code.
static int rates_of_v(trm_disturbance *g, trm_sim *sim, double *v_rate)
{
    trm_run *const run = &sim->run;
    const trm_stabilization_ops *const ops = run->stabilization;
    const double t = run->now.t;
    trm_sim_remember(sim);
    const int code = g->reduced          ? g->reduced->rates(run, t, g->z, g->dz)
                     : ops && ops->rates ? ops->rates(run, t, g->z, g->dz, g->lambda)
                                         : trm_index1_rates(run, t, g->z, g->dz, g->lambda);
    trm_sim_recall(sim);
    g->spent++;
    for (int i = 0; i < g->nv; i++) {
        v_rate[i] = (g->dz[g->nq + i] - g->x_rate[g->nq + i]) / TRM_DISTURBANCE;
    }
    return code ? code : !trm_all_finite(g->nv, v_rate);
}

/// (dq, dv) onto the constraints. Returns a system's code.
static int close_up(trm_disturbance *g, trm_sim *sim)
{
    trm_run *const run = &sim->run;
    if (g->reduced || !run->stabilization || run->system->nc == 0) {
        return 0;
    }
    set_beside(g, g->dq, g->dv);
    trm_sim_remember(sim);
    const int code = trm_run_correct(run, run->now.t, g->z);
    trm_sim_recall(sim);
    g->spent++;
    for (int i = 0; !code && i < g->nq; i++) {
        g->dq[i] = (g->z[i] - g->x[i]) / TRM_DISTURBANCE;
    }
    for (int i = 0; !code && i < g->nv; i++) {
        g->dv[i] = (g->z[g->nq + i] - g->x[g->nq + i]) / TRM_DISTURBANCE;
    }
    return code;
}

/// All kept rates and the disturbance times f.
static void scale(trm_disturbance *g, double f)
{
    for (int i = 0; i < g->nq; i++) {
        g->dq[i] *= f;
        for (int k = 0; k < g->known; k++) {
            g->q_rate[k][i] *= f;
        }
    }
    for (int i = 0; i < g->nv; i++) {
        g->dv[i] *= f;
        for (int k = 0; k < g->known; k++) {
            g->v_rate[k][i] *= f;
        }
    }
    g->shift *= f;
    g->log_scale -= log(f);
}

/// The largest part of its size by which a coordinate is off, in the time of a radian; `shift` s of
/// time beside it.
static double largest(const trm_disturbance *g, double shift)
{
    const double omega = frequency(g);
    double most = 0;
    for (int i = 0; i < g->nq; i++) {
        most = fmax(most, fabs(g->dq[i] + shift * g->x_rate[i]) / g->size[i]);
    }
    for (int i = g->nq; omega > 0 && i < g->nq + g->nv; i++) {
        const double dv = g->dv[i - g->nq] + shift * g->x_rate[i];
        most = fmax(most, fabs(dv) / (g->size[i] * omega));
    }
    return most;
}

/// m/s or rad/s
static double length(const trm_disturbance *g)
{
    const double omega = frequency(g);
    return sqrt(omega * omega * squares(g->nq, g->dq) + squares(g->nv, g->dv));
}

/// A history of one point, here. Returns a system's code.
static int begin(trm_disturbance *g, trm_sim *sim)
{
    const double most = largest(g, 0);
    if (!(most < INFINITY)) {
        return 1;
    }
    g->known = 0;
    if (most > 0) {
        scale(g, 1 / most);
    }
    rates_of_q(g, &sim->run, g->dq, g->dv, g->q_rate[0]);
    set_beside(g, g->dq, g->dv);
    g->t[0] = sim->run.now.t;
    g->known = 1;
    return rates_of_v(g, sim, g->v_rate[0]);
}

/// w[n]: the integral from t0 to t1 of the polynomial through values at s[n], of degree 3 at most:
/// Gauss' formula of two points.
static void weights(int n, const double *s, double t0, double t1, double *w)
{
    const double middle = 0.5 * (t0 + t1), off = (t1 - t0) / sqrt(12);
    for (int k = 0; k < n; k++) {
        double one = 1, other = 1, whole = 1;
        for (int j = 0; j < n; j++) {
            if (j != k) {
                one *= middle - off - s[j];
                other *= middle + off - s[j];
                whole *= s[k] - s[j];
            }
        }
        w[k] = 0.5 * (t1 - t0) * (one + other) / whole;
    }
}

/// x[m] := base + sum of w_k rate_k, n of the history.
static void sum_up(int m, double *x, const double *base, double *const *rate, int n,
                   const double *w)
{
    memmove(x, base, (size_t)m * sizeof *x);
    for (int k = 0; k < n; k++) {
        const double *const r = rate[k];
        for (int i = 0; i < m; i++) {
            x[i] += w[k] * r[i];
        }
    }
}

/// rate[0] and rate[k].
static void exchange(double **rate, int k)
{
    double *const first = rate[0];
    rate[0] = rate[k];
    rate[k] = first;
}

/// A place in the history for now: that of the oldest where it is full.
static void remember(trm_disturbance *g, double t)
{
    if (g->known == ORDER) {
        double *const q = g->q_rate[0], *const v = g->v_rate[0];
        g->known--;
        memmove(g->t, g->t + 1, (ORDER - 1) * sizeof *g->t);
        memmove(g->q_rate, g->q_rate + 1, (ORDER - 1) * sizeof *g->q_rate);
        memmove(g->v_rate, g->v_rate + 1, (ORDER - 1) * sizeof *g->v_rate);
        g->q_rate[ORDER - 1] = q;
        g->v_rate[ORDER - 1] = v;
    }
    g->t[g->known] = t;
}

/// Predict p and pv at now, q with the corrector. `back` points of the history, and now, are the
/// corrector's, weights c.
static void predict(trm_disturbance *g, trm_run *run, int back, double *c)
{
    const double t0 = g->t[g->known - 1];
    double w[ORDER], at[ORDER];
    memcpy(at, g->t + g->known - back, (size_t)back * sizeof *at);
    at[back] = run->now.t;
    weights(g->known, g->t, t0, run->now.t, w);
    weights(back + 1, at, t0, run->now.t, c);
    sum_up(g->nv, g->pv, g->dv, g->v_rate, g->known, w);
    if (!g->reduced) { // N depends on q
        sum_up(g->nq, g->p, g->dq, g->q_rate, g->known, w);
    }
    rates_of_q(g, run, g->p, g->pv, g->rate);
    sum_up(g->nq, g->p, g->dq, g->q_rate + g->known - back, back, c);
    for (int i = 0; i < g->nq; i++) {
        g->p[i] += c[back] * g->rate[i];
    }
}

/// |v_c - v_p| over the length of the disturbance, the new rates in the history's next place. `m`
/// of the difference is known to be an error, and taken out.
static double correct(trm_disturbance *g, const trm_run *run, int back, double m, const double *c)
{
    double *const q_rate = g->q_rate[g->known];
    double off = 0;
    sum_up(g->nv, g->dv, g->dv, g->v_rate + g->known - back, back + 1, c);
    for (int i = 0; i < g->nv; i++) {
        const double e = g->dv[i] - g->pv[i];
        off += e * e;
        g->dv[i] -= m * e;
    }
    rates_of_q(g, run, g->p, g->dv, q_rate);
    for (int i = 0; i < g->nq; i++) {
        g->dq[i] = g->p[i] + c[back] * (q_rate[i] - g->rate[i]);
    }
    return off > 0 ? sqrt(off) / length(g) : 0;
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
    double c[ORDER];
    predict(g, &sim->run, back, c);
    set_beside(g, g->p, g->pv);
    remember(g, sim->run.now.t);
    const int code = rates_of_v(g, sim, g->v_rate[g->known]);
    const double m = milne[order - 1], h = sim->run.now.t - sim->run.before.t;
    const double before = length(g), r = correct(g, &sim->run, back, m, c);
    const int rough = r > TRM_DISTURBANCE_ROUGH;
    g->rough = rough || (g->rough && order < ORDER); // until the order is full again
    note_error(g, g->rough ? m * r + fmax(log(length(g) / before), 0) : m * r, h);
    if (rough) { // begin anew from here
        exchange(g->q_rate, g->known);
        exchange(g->v_rate, g->known);
        g->t[0] = sim->run.now.t;
        g->known = 0;
    }
    g->known++;
    return code;
}

/// Take out what is a shift of the time.
static void stay_beside(trm_disturbance *g)
{
    const double w2 = frequency(g) * frequency(g);
    const double *const rate = g->x_rate, *const a = rate + g->nq;
    double along = 0;
    for (int i = 0; i < g->nq; i++) {
        along += g->dq[i] * rate[i];
    }
    for (int i = 0; i < g->nv; i++) {
        along += g->dv[i] * a[i] / w2;
    }
    along /= squares(g->nq, rate) + squares(g->nv, a) / w2;
    for (int i = 0; i < g->nq; i++) {
        g->dq[i] -= along * rate[i];
    }
    for (int i = 0; i < g->nv; i++) {
        g->dv[i] -= along * a[i];
    }
    g->shift += along;
}

// ------------------------------------------------------------------------------------------ a look

static void measure(trm_disturbance *g, const trm_run *run)
{
    const double h = run->now.t - run->before.t;
    take_place(g, run);
    g->v2 += h * squares(g->nv, g->x + g->nq);
    g->a2 += h * squares(g->nv, g->x_rate + g->nq);
    for (int i = g->nq; i < g->nq + g->nv; i++) {
        g->parts2 += h * (g->x[i] / g->size[i]) * (g->x[i] / g->size[i]);
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
    const double *const v = g->x + g->nq;
    const double omega = frequency(g), now = exp(-g->log_scale);
    double most = 0;
    for (int i = 0; i < g->nv && omega > 0; i++) {
        const double e = TRM_DISTURBANCE_COMMITTED * (o->atol + o->rtol * fabs(v[i]));
        g->dv[i] += sin(2 + 2.3 * i + (double)g->looks) < 0 ? -now * e : now * e;
        most = fmax(most, e / g->size[g->nq + i]);
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
        code = close_up(g, sim);
        code = code ? code : begin(g, sim);
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
    const double granted = TRM_DISTURBANCE_SHARE * (double)sim->run.system->force_evals;
    if ((double)g->spent + 1 > granted) {
        return 1;
    }
    g->broken =
        sim->run.method_ops != g->method || sim->watch.record.count > 0 || advance(g, sim) != 0;
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
