/// How a small disturbance grows, followed beside the whole run at the ends of its steps.
///
///     y = x + eps (dq, dv),    dv' = (a(y) - a(x))/eps,    dq' = (N(y) v_y - N(x) v_x)/eps
///
/// x, v and a of the run are there: a look takes one evaluation, of the dozen that a step of a
/// pair of order eight takes. dv and dq are stepped by Adams' formulas of order four on the mesh of
/// the run: v is predicted, q corrected with it, both corrected with a(y), which is not evaluated
/// again. From time to time y is closed like the end of a step.
///
/// Where nothing depends on the time, x' is a disturbance too, a shift in time, and stays one. A
/// formula turns a little of it into another energy, and that grows by the shift: the square root
/// of its errors would grow exponentially. So once in an own period of the motion the part along x'
/// is taken out, which is exact; the phase, which is late or early by so much, does not count then.
///
/// The relative errors of all looks, by Milne's device, may have grown as much as they are: growth
/// by their sum is none. Where steps of the run are long it is large, and much is unseen. Where
/// switches of the state or contacts make motions jump, nothing is known.
#include "engine/base/status.h"
#include "engine/reruns/disturbance_numbers.h"
#include "engine/run/simulation.h"
#include "integrators/trajectory/stabilization.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
/// The error of corrected values over that of predicted ones, by order of the predictor, for steps
/// of up to a radian: h^3/12 over h^2/2, h^4/24 over 5 h^3/12, and Milne's 19/270 of order four,
/// which that of order three does not exceed.
static const double milne[] = {1.0 / 6, 1.0 / 10, 19.0 / 270, 19.0 / 270};

enum {
    ORDER = 4,
    KEPT = 512,  // moments; every other one is dropped when there are more
    CLOSING = 32 // looks from one closing to the next
};

/// Squares at a moment, to be put together when the frequency is known.
typedef struct moment {
    double log_scale, dq2, dv2, v2, a2;
} moment;

struct trm_disturbance {
    const trm_method_ops *method;   ///< of the run; another one ends it
    const trm_reduced_ops *reduced; ///< q, v are independent coordinates and their rates; or NULL
    const double *x, *x_rate;       ///< [nq + nv] of the run, at now
    int nq, nv, autonomous, broken;
    double *dq, *dv;          ///< [nq], [nv] now
    double *p, *pv, *rate;    ///< [nq], [nv], [nq] predicted
    double *z, *dz, *lambda;  ///< [nq + nv + 1], the same, [nc] of y
    double *here, *here_rate; ///< [nq + nv + 1] room for x, x_rate
    double *size;             ///< [nq + nv] m or rad
    double t[ORDER];          ///< the latest last
    double *q_rate[ORDER], *v_rate[ORDER];
    int known;                          ///< of them
    double log_scale;                   ///< ln of what dq, dv have been divided by
    double v2, a2, seen;                ///< integrals of |v|^2, |a|^2, 1
    double own;                         ///< e-folds that errors of the formula may be
    double t_turned;                    ///< s: when the part along x' was taken out
    long looks, spent, switched, every; ///< every: looks from one kept moment to the next
    int n;
    moment kept[KEPT];
};

static double squares(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * x[i];
    }
    return sum;
}

/// rad/s
static double frequency(const trm_disturbance *g)
{
    return g->v2 > 0 && g->a2 > 0 ? sqrt(g->a2 / g->v2) : 0;
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
    g->every = 4;
    g->t_turned = run->now.t;
    for (int i = 0; i < g->nq + g->nv; i++) { // angles where coordinates are independent
        g->size[i] = reduced ? 1 : i < g->nq ? run->extent.q[i] : run->extent.v[i - g->nq];
    }
    for (int i = 0; i < g->nv; i++) { // another direction for each coordinate
        g->dv[i] = g->size[g->nq + i] * sin(2 + 2.3 * i);
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
    g->log_scale -= log(f);
}

/// The largest part of its size by which a coordinate is off, in the time of a radian.
static double largest(const trm_disturbance *g)
{
    const double omega = frequency(g);
    double most = 0;
    for (int i = 0; i < g->nq; i++) {
        most = fmax(most, fabs(g->dq[i]) / g->size[i]);
    }
    for (int i = 0; omega > 0 && i < g->nv; i++) {
        most = fmax(most, fabs(g->dv[i]) / (g->size[g->nq + i] * omega));
    }
    return most;
}

/// A history of one point, here. Returns a system's code.
static int begin(trm_disturbance *g, trm_sim *sim)
{
    const double most = largest(g);
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

/// |v_c - v_p|/|v_c|, the new rates in the history's next place.
static double correct(trm_disturbance *g, const trm_run *run, int back, const double *c)
{
    double *const q_rate = g->q_rate[g->known];
    double corrected = 0, whole = 0;
    sum_up(g->nv, g->dv, g->dv, g->v_rate + g->known - back, back + 1, c);
    for (int i = 0; i < g->nv; i++) {
        corrected += (g->dv[i] - g->pv[i]) * (g->dv[i] - g->pv[i]);
        whole += g->dv[i] * g->dv[i];
    }
    rates_of_q(g, run, g->p, g->dv, q_rate);
    for (int i = 0; i < g->nq; i++) {
        g->dq[i] = g->p[i] + c[back] * (q_rate[i] - g->rate[i]);
    }
    return corrected > 0 ? sqrt(corrected / whole) : 0;
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
    const double r = correct(g, &sim->run, back, c);
    g->own += milne[order - 1] * r;
    if (r > TRM_DISTURBANCE_ROUGH) { // begin anew from here
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
}

// ------------------------------------------------------------------------------------------ a look

static void measure(trm_disturbance *g, const trm_run *run)
{
    const double h = run->now.t - run->before.t;
    take_place(g, run);
    g->v2 += h * squares(g->nv, g->x + g->nq);
    g->a2 += h * squares(g->nv, g->x_rate + g->nq);
    g->seen += h;
}

static void keep(trm_disturbance *g)
{
    if (g->looks++ % g->every != 0) {
        return;
    }
    if (g->n == KEPT) { // every other one
        g->n /= 2;
        g->every *= 2;
        for (int i = 0; i < g->n; i++) {
            g->kept[i] = g->kept[2 * i];
        }
    }
    g->kept[g->n++] = (moment){g->log_scale, squares(g->nq, g->dq), squares(g->nv, g->dv),
                               squares(g->nv, g->x + g->nq), squares(g->nv, g->x_rate + g->nq)};
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
        code = close_up(g, sim);
        code = code ? code : begin(g, sim);
    }
    g->switched = sim->ahead.switched;
    if (code) {
        return code;
    }
    if (g->autonomous && (t - g->t_turned) * omega > 2 * pi) {
        g->t_turned = t;
        stay_beside(g);
        return begin(g, sim);
    }
    if (jumped) {
        return begin(g, sim);
    }
    if (g->looks % CLOSING != CLOSING - 1) {
        return 0;
    }
    const double most = largest(g);
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
    g->broken = sim->run.method_ops != g->method || advance(g, sim) != 0;
    if (!g->broken) {
        keep(g);
    }
    return !g->broken;
}

/// ln of the distance in radians of the motion.
static double log_distance(const moment *m, double omega, double usual)
{
    const double w2 = omega * omega;
    return m->log_scale + log(omega * sqrt(m->dq2 + m->dv2 / w2)) -
           log(fmax(sqrt(m->v2 + m->a2 / w2), usual));
}

int trm_disturbance_digits(const trm_disturbance *g, double *digits, double *unseen)
{
    const double omega = g ? frequency(g) : 0;
    if (!g || !digits || !unseen || g->broken || g->n < 2 || !(omega > 0)) {
        return 0;
    }
    const double usual = sqrt((g->v2 + g->a2 / (omega * omega)) / g->seen);
    const double first = log_distance(&g->kept[0], omega, usual);
    double most = first;
    for (int i = 1; i < g->n; i++) {
        most = fmax(log_distance(&g->kept[i], omega, usual), most);
    }
    *unseen = g->own / log(10);
    *digits = fmax((most - first - log(1 + omega * g->seen) - g->own) / log(10), 0);
    return isfinite(*digits) && isfinite(*unseen);
}
