/// Where a mechanism stays at rest:  0 = g(t,q),  v = 0,  r(q) = W a = Z^T f = 0.
///
///   K = -dr/dy by central differences,   K_s its symmetric part, U^T K_s U = diag(k)
///   downhill   s = U (|k| + mu)^-1 U^T r         accepted when f does work on the way
///   nearest    s = (K^T K + mu^2)^-1 K^T r       accepted when |r| falls
///
/// mu grows until the step is no longer than the radius. The work of f from q0 to q1, which
/// constraint forces do not change, is (f0 + f1) . (q1 - q0)/2.
#include "base/linear/dense.h"
#include "base/linear/sums.h"
#include "base/sized.h"
#include "base/status.h"
#include "simulation/analysis/query.h"
#include "simulation/analysis/rest.h"
#include "trammel/trammel_equations.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
    trm_query *query;
    trm_equilibrium_options options;
    double *q;      ///< [nq] where it stands
    double *trial;  ///< [nq]
    double *start;  ///< [nq]
    double *f, *f1; ///< [nv] forces there
    double *dx;     ///< [nv]
    double *rest;   ///< [nv] acceleration there
    double *states; ///< [states] of the scene
    double *r;      ///< [d]
    double *plus;   ///< [d]
    double *s;      ///< [d] a step
    double *K, *U;  ///< [d*d]
    double *k, *c;  ///< [d]
    int room;       ///< d that there is room for
    trm_tangent tangent;
    double residual; ///< |r|
    double scale;    ///< largest force met, in the metric of M^-1
    int downhill;    ///< nonzero: the next step is one
    double radius;   ///< m, how far a step may go
    trm_pool pool;
    trm_pool local; ///< of one position
} search;

static trm_equilibrium_options default_equilibrium_options(void)
{
    return (trm_equilibrium_options){.stable = 1,
                                     .iterations = 200,
                                     .tolerance = 1e-9,
                                     .struct_size = sizeof(trm_equilibrium_options)};
}

void trm_get_default_equilibrium_options(trm_equilibrium_options *out, size_t size)
{
    const trm_equilibrium_options known = default_equilibrium_options();
    trm_hand_out(out, size, &known, sizeof known);
}

// ------------------------------------------------------------------------------------ one position

/// v := at rest, with the states.
static void stand_still(const search *s, double *v)
{
    const trm_system *const system = s->query->conditioning.system;
    const size_t motions = (size_t)trm_system_motions(system);
    memset(v, 0, motions * sizeof *v);
    if (system->states > 0) {
        memcpy(v + motions, s->states, (size_t)system->states * sizeof *v);
    }
}

/// The acceleration from rest at q, which becomes the current point, and f there.
static int pull(search *s, const double *q, double *a, double *f)
{
    trm_query *const query = s->query;
    const trm_system *const system = query->conditioning.system;
    const size_t motions = (size_t)trm_system_motions(system);
    stand_still(s, query->v);
    const trm_terms wanted = {.a = a, .f = f};
    const int code = trm_terms_at(query->conditioning.system, s->options.t, q, query->v, NULL,
                                  &wanted, &query->work);
    for (int i = 0; i < system->states; i++) { // their rates are no forces
        a[motions + (size_t)i] = f[motions + (size_t)i] = 0;
    }
    return code;
}

/// q := the closed position next to q + N dx.
static int displace(search *s, const double *dx, double *q)
{
    trm_system *const system = s->query->conditioning.system;
    trm_system_move(system, dx, q);
    trm_system_normalize(system, q);
    return trm_query_snap(s->query, s->options.t, q, NULL);
}

/// The same for a long step, which may need to be closed bit by bit.
static int displace_far(search *s, const double *dx, double *q)
{
    trm_query *const query = s->query;
    trm_system *const system = query->conditioning.system;
    memcpy(s->start, q, (size_t)system->nq * sizeof *q);
    if (displace(s, dx, q) == 0) {
        return 0;
    }
    memcpy(q, s->start, (size_t)system->nq * sizeof *q);
    trm_system_move(system, dx, q);
    trm_system_normalize(system, q);
    memset(query->v, 0, (size_t)system->nv * sizeof(double));
    const int code = trm_close(system, &query->closing, s->options.t, q, query->v);
    return code ? code : trm_query_snap(query, s->options.t, q, NULL);
}

static double in_metric_of_M(trm_query *query, const double *a)
{
    memcpy(query->v, a, (size_t)query->conditioning.nv * sizeof *a);
    trm_system_multiply_M(query->conditioning.system, query->v);
    return sqrt(fmax(0, trm_dot(query->conditioning.nv, query->v, a)));
}

static double in_metric_of_inverse_M(trm_query *query, const double *f)
{
    memcpy(query->v, f, (size_t)query->conditioning.nv * sizeof *f);
    trm_system_solve_M(query->conditioning.system, query->v);
    return sqrt(fmax(0, trm_dot(query->conditioning.nv, query->v, f)));
}

static int take_square(search *s, int d)
{
    const size_t n = (size_t)d;
    if (d <= s->room && s->K) {
        return 1;
    }
    double *next = trm_pool_take(&s->pool, 2 * n * n + 5 * n + 1, sizeof *next);
    if (!next) {
        return 0;
    }
    s->room = d;
    s->K = next, next += n * n;
    s->U = next, next += n * n;
    s->r = next, next += n;
    s->plus = next, next += n;
    s->s = next, next += n;
    s->k = next, next += n;
    s->c = next;
    return 1;
}

/// Z, r, the residual and the largest force met, at s->q.
static trm_status stand(search *s, trm_error *err)
{
    trm_query *const query = s->query;
    TRM_TRY(trm_query_at(query, s->options.t, s->q, err));
    trm_system_wind(query->conditioning.system, NULL);
    trm_pool_close(&s->local);
    TRM_TRY(trm_tangent_take(query, &s->local, &s->tangent, err));
    if (!take_square(s, s->tangent.d)) {
        return trm_query_no_memory(err);
    }
    const int code = pull(s, s->q, s->rest, s->f);
    if (code) {
        return trm_query_fail(query, s->options.t, code, err);
    }
    trm_rows_multiply(s->tangent.d, query->conditioning.nv, s->tangent.W, s->rest, s->r);
    s->residual = sqrt(trm_dot(s->tangent.d, s->r, s->r));
    s->scale = fmax(s->scale, in_metric_of_inverse_M(query, s->f));
    return TRM_OK;
}

/// Column j of K by a step h. Returns nonzero where the mechanism cannot be moved by h both ways.
static int column_by_step(search *s, int j, double h)
{
    trm_query *const query = s->query;
    const int nv = query->conditioning.nv, d = s->tangent.d;
    const double *const z = s->tangent.Z + (size_t)j * (size_t)nv;
    for (int sign = 1; sign >= -1; sign -= 2) {
        memcpy(s->trial, s->q, (size_t)query->conditioning.nq * sizeof *s->q);
        for (int i = 0; i < nv; i++) {
            s->dx[i] = sign * h * z[i];
        }
        TRM_TRY(displace(s, s->dx, s->trial));
        TRM_TRY(pull(s, s->trial, query->a, s->f1));
        trm_rows_multiply(d, nv, s->tangent.W, query->a, sign > 0 ? s->plus : s->c);
        s->scale = fmax(s->scale, in_metric_of_inverse_M(query, s->f1));
    }
    for (int i = 0; i < d; i++) {
        s->K[(size_t)i * (size_t)d + (size_t)j] = -(s->plus[i] - s->c[i]) / (2 * h);
    }
    return 0;
}

/// Column j of K, by smaller steps where a step is too large.
static int column_of_K(search *s, int j)
{
    const trm_query *const query = s->query;
    const double *const z = s->tangent.Z + (size_t)j * (size_t)query->conditioning.nv;
    double h = 1e-4 * query->conditioning.grain / trm_query_distance(query, z);
    int code = column_by_step(s, j, h);
    for (int k = 0; code && k < 4; k++) {
        h /= 16;
        code = column_by_step(s, j, h);
    }
    return code;
}

static trm_status stiffness(search *s, trm_error *err)
{
    int code = 0;
    for (int j = 0; !code && j < s->tangent.d; j++) {
        code = column_of_K(s, j);
    }
    return code ? trm_query_fail(s->query, s->options.t, code, err) : TRM_OK;
}

// ------------------------------------------------------------------------------------------- steps

/// U := eigenvectors (row by row) of K_s or of K^T K, k the eigenvalues, c = U r or U K^T r.
static int decompose(search *s)
{
    const size_t d = (size_t)s->tangent.d;
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < d; j++) {
            double sum = (s->K[i * d + j] + s->K[j * d + i]) / 2;
            if (!s->downhill) {
                sum = 0;
                for (size_t l = 0; l < d; l++) {
                    sum += s->K[l * d + i] * s->K[l * d + j];
                }
            }
            s->U[i * d + j] = sum;
        }
    }
    const int failed = trm_eigen_symmetric((int)d, s->U, s->k);
    const double *right = s->r;
    if (!s->downhill) {
        trm_rows_spread((int)d, (int)d, s->K, s->r, s->plus); // K^T r
        right = s->plus;
    }
    trm_rows_multiply((int)d, (int)d, s->U, right, s->c);
    return failed;
}

/// The step s for one mu; returns how far it moves the mechanism, m. A direction with neither
/// stiffness nor force is left alone.
static double step_of(search *s, double mu, double stiffest)
{
    const int d = s->tangent.d;
    double *const part = s->plus;
    for (int i = 0; i < d; i++) {
        const double k = fabs(s->k[i]) + mu;
        const int nothing =
            fabs(s->k[i]) <= 1e-9 * stiffest &&
            fabs(s->c[i]) <= (s->downhill ? 1 : stiffest) * s->options.tolerance * s->scale;
        part[i] = nothing || !(k > 0) ? 0 : s->c[i] / k;
    }
    trm_rows_spread(d, d, s->U, part, s->s);
    trm_rows_spread(d, s->query->conditioning.nv, s->tangent.Z, s->s, s->dx);
    return trm_query_distance(s->query, s->dx);
}

/// The least mu of a geometric sequence that keeps the step within the radius.
static void bounded_step(search *s)
{
    const double most = trm_max_norm(s->tangent.d, s->k);
    double mu = most > 0 ? 1e-14 * most : 1e-14;
    for (int k = 0; k < 400 && !(step_of(s, mu, most) <= s->radius); k++) {
        mu *= 2;
    }
}

/// On a saddle or a summit: along the steepest descent, a tenth of the radius.
static int leave(search *s)
{
    const int d = s->tangent.d, nv = s->query->conditioning.nv;
    if (!s->options.stable || d == 0 || !(s->k[0] < -1e-6 * fmax(fabs(s->k[d - 1]), -s->k[0]))) {
        return 0;
    }
    memcpy(s->s, s->U, (size_t)d * sizeof *s->s);
    trm_rows_spread(d, nv, s->tangent.Z, s->s, s->dx);
    const double h = 0.1 * s->query->conditioning.grain / trm_query_distance(s->query, s->dx);
    for (int i = 0; i < nv; i++) {
        s->dx[i] *= h;
    }
    return 1;
}

/// The work (f0 + f1) . (q1 - q0)/2. Differences of quaternions become angles by N at the start.
static double work_of(search *s)
{
    trm_query *const query = s->query;
    trm_system *const system = query->conditioning.system;
    double *const N = query->work.a;
    double sum = 0;
    if (query->model->from_equations && query->model->equations.N) {
        for (int j = 0; j < system->nv; j++) { // columns of N need not be orthogonal to each other
            sum += (s->f[j] + s->f1[j]) / 2 * s->dx[j];
        }
        return sum;
    }
    for (int j = 0; j < system->nv; j++) {
        memset(query->v, 0, (size_t)system->nv * sizeof(double));
        query->v[j] = 1;
        trm_system_rates(system, s->q, query->v, N);
        double moved = 0, square = 0;
        for (int i = 0; i < system->nq; i++) {
            moved += N[i] * (s->trial[i] - s->q[i]);
            square += N[i] * N[i];
        }
        sum += (s->f[j] + s->f1[j]) / 2 * (square > 0 ? moved / square : 0);
    }
    return sum;
}

/// Whether the trial is better than where the search stands.
static int improves(search *s)
{
    trm_query *const query = s->query;
    const int code = pull(s, s->trial, query->a, s->f1);
    if (code) {
        return 0;
    }
    const double residual = in_metric_of_M(query, query->a);
    const int small = residual < s->residual;
    if (!s->downhill) {
        return small;
    }
    const int convex = s->k[0] >= 0 && residual < 0.5 * s->residual;
    return convex || work_of(s) > 0;
}

/// Go one step. Returns 0 when no step is an improvement.
static int go(search *s, int leaving)
{
    trm_query *const query = s->query;
    const double size = query->conditioning.size;
    for (int k = 0; k < 60 && s->radius > 1e-13 * size; k++) {
        if (!leaving) {
            bounded_step(s);
        }
        memcpy(s->trial, s->q, (size_t)query->conditioning.nq * sizeof *s->q);
        if (displace_far(s, s->dx, s->trial) == 0 && improves(s)) {
            memcpy(s->q, s->trial, (size_t)query->conditioning.nq * sizeof *s->q);
            s->radius = fmin(2 * s->radius, 0.5 * size);
            return 1;
        }
        const double went = trm_query_distance(query, s->dx);
        s->radius = 0.25 * (leaving ? s->radius : fmin(s->radius, went));
        for (int i = 0; leaving && i < query->conditioning.nv; i++) {
            s->dx[i] /= 2;
        }
    }
    return 0;
}

/// Within the tolerance of the largest force met, or of the stiffness times the length of a body.
static int settled(search *s)
{
    const int d = s->tangent.d;
    double stiff = 0;
    for (int i = 0; i < d; i++) {
        const double *const z = s->tangent.Z + (size_t)i * (size_t)s->query->conditioning.nv;
        const double length = s->query->conditioning.grain / trm_query_distance(s->query, z);
        for (int j = 0; j < d; j++) {
            stiff = fmax(stiff, fabs(s->K[(size_t)j * (size_t)d + (size_t)i]) * length);
        }
    }
    s->scale = fmax(s->scale, stiff);
    return s->residual <= s->options.tolerance * s->scale;
}

// ------------------------------------------------------------------------------------------ search

/// K and its eigenvalues where the search stands.
static trm_status look_around(search *s, trm_error *err)
{
    TRM_TRY(stiffness(s, err));
    const int failed = decompose(s);
    if (failed) {
        return failed < 0 ? trm_query_no_memory(err)
                          : TRM_FAIL(err, TRM_ERR_DIVERGED, NULL,
                                     "the eigenvalues of the stiffness were not found");
    }
    return TRM_OK;
}

/// A step towards the nearest equilibrium that gained less than a tenth is followed by one
/// downhill: |r| may be least where it is not zero. Returns 0 when neither can be made.
static int advance(search *s, double *before, int leaving)
{
    const double residual = s->residual;
    const int poor = residual > 0.9 * *before;
    s->downhill = s->options.stable || poor;
    *before = s->downhill ? INFINITY : residual;
    if (!s->options.stable && poor && decompose(s)) {
        return 0;
    }
    int went = go(s, leaving);
    if (!went && !s->downhill) {
        s->downhill = 1;
        *before = INFINITY;
        s->radius = fmax(s->radius, 0.1 * s->query->conditioning.grain);
        went = decompose(s) == 0 && go(s, 0);
    }
    s->downhill = s->options.stable;
    return went;
}

/// Newton's method until it gains nothing more. *found: whether it converged.
static trm_status iterate(search *s, trm_equilibrium *out, int *found, trm_error *err)
{
    enum { POLISH = 2 };
    int left = POLISH;
    double before = INFINITY;
    s->downhill = s->options.stable;
    *found = 0;
    for (out->iterations = 0;; out->iterations++) {
        TRM_TRY(stand(s, err));
        if (s->tangent.d == 0) {
            *found = 1; // nothing can move
            return TRM_OK;
        }
        TRM_TRY(look_around(s, err));
        const int here = settled(s), leaving = here && leave(s);
        *found = here && !leaving;
        if ((*found && left-- == 0) || out->iterations == s->options.iterations) {
            return TRM_OK;
        }
        s->radius = fmax(s->radius, leaving ? 0.1 * s->query->conditioning.grain : 0);
        before = *found ? INFINITY : before;
        if (!(*found ? go(s, 0) : advance(s, &before, leaving))) {
            return TRM_OK;
        }
    }
}

/// The body that is still pushed hardest, relative to its mass.
static void name_rest(search *s, trm_equilibrium *out)
{
    trm_query *const query = s->query;
    const trm_model *const model = query->model;
    double *const force = query->v, most = 0;
    out->residual = s->residual;
    out->relative = s->scale > 0 ? s->residual / s->scale : 0;
    out->body = -1;
    out->component = -1;
    memcpy(force, s->rest, (size_t)query->conditioning.nv * sizeof *force);
    trm_system_multiply_M(query->conditioning.system, force);
    for (int i = 0; i < query->conditioning.nv; i++) {
        const double share = force[i] * s->rest[i];
        if (share > most) {
            most = share;
            out->component = i;
            out->force = force[i];
        }
    }
    for (int b = 0; !model->from_equations && out->component >= 0 && b < model->sizes.nbody; b++) {
        const trm_body_info *const info = &model->body_info[b];
        out->body =
            out->component >= info->v0 && out->component < info->v0 + info->nv ? b : out->body;
    }
}

static trm_status refuse(const search *s, const trm_equilibrium *out, trm_error *err)
{
    const trm_model *const model = s->query->model;
    if (out->body < 0) {
        return TRM_FAIL(err, TRM_ERR_DIVERGED, NULL,
                        "no equilibrium found in %d iterations: %.3g of the largest force is left",
                        out->iterations, out->relative);
    }
    const trm_body_info *const info = &model->body_info[out->body];
    const int linear = model->bodies.dimension;
    const int turns = out->component - info->v0 >= linear;
    return TRM_FAIL(
        err, TRM_ERR_DIVERGED, info->name,
        "no equilibrium found in %d iterations: '%s' is still pushed by %.3g %s, %.3g of "
        "the largest force met%s",
        out->iterations, info->name, out->force, turns ? "N m" : "N", out->relative,
        model->ncontacts > 0 ? "; contacts and ropes are left out: let it come to rest by a run"
        : s->options.stable  ? "; a place that a controller holds: --nearest"
                             : "");
}

/// A motor that moves, or is about to, leaves no rest: g_t and g_tt = -gamma at v = 0 vanish.
static trm_status check_still(search *s, trm_error *err)
{
    trm_query *const query = s->query;
    trm_system *const system = query->conditioning.system;
    TRM_TRY(trm_query_at(query, s->options.t, s->q, err));
    stand_still(s, query->v);
    const int code = system->nc > 0 ? trm_system_gamma(system, query->v, query->work.gamma) : 0;
    if (code) {
        return trm_query_fail(query, s->options.t, code, err);
    }
    const double least = 1e-12 * query->conditioning.size;
    for (int i = 0; i < system->nc; i++) {
        const double row = query->conditioning.row[i], change = query->work.gamma[i];
        const int rate = fabs(row * system->g_t[i]) > least;
        if (rate || fabs(row * change) > least) {
            const trm_row_info *const info = query->model->row_info;
            return TRM_FAIL(err, TRM_ERR_INCONSISTENT, info ? info[i].where : NULL,
                            "nothing is at rest: '%s' is driven at %.6g %s/s%s at t = %.9g",
                            info ? info[i].name : "g", rate ? -system->g_t[i] : change,
                            info ? info[i].unit : "1", rate ? "" : "^2", s->options.t);
        }
    }
    return TRM_OK;
}

static int take_memory(search *s)
{
    const size_t nq = (size_t)s->query->conditioning.nq, nv = (size_t)s->query->conditioning.nv;
    double *const x = trm_pool_take(&s->pool, 3 * nq + 6 * nv, sizeof *x);
    if (!x) {
        return 0;
    }
    s->q = x;
    s->trial = x + nq;
    s->start = x + 2 * nq;
    s->f = x + 3 * nq;
    s->f1 = s->f + nv;
    s->dx = s->f1 + nv;
    s->rest = s->dx + nv;
    s->states = s->rest + nv + trm_system_motions(s->query->conditioning.system);
    trm_model_initial_state(s->query->model, s->trial, s->rest + nv);
    if (s->options.states) {
        memcpy(s->states, s->options.states,
               (size_t)s->query->conditioning.system->states * sizeof *s->states);
    }
    return 1;
}

/// Stability by the eigenvalues of the linearized motion; unknown where it cannot be linearized.
static trm_status tell_stability(search *s, trm_equilibrium *out, trm_error *err)
{
    trm_linear *linear = NULL;
    trm_error ignored = {.status = TRM_OK};
    stand_still(s, s->rest);
    const trm_status status =
        trm_query_linearize(s->query, s->options.t, s->q, s->rest, NULL, &linear, &ignored);
    if (status == TRM_ERR_MEMORY || status == TRM_ERR_CALLBACK) {
        if (err) {
            *err = ignored;
        }
        return status;
    }
    out->stability = linear ? linear->stability : TRM_STABILITY_UNKNOWN;
    out->growth = linear ? linear->growth : NAN;
    trm_linear_destroy(linear);
    return TRM_OK;
}

static trm_status find(search *s, double *q, double *lambda, trm_equilibrium *out, trm_error *err)
{
    trm_query *const query = s->query;
    int found = 0;
    if (!take_memory(s)) {
        return trm_query_no_memory(err);
    }
    memcpy(s->q, q, (size_t)query->conditioning.nq * sizeof *q);
    if (trm_query_rests_by_rates(query)) {
        TRM_TRY(trm_query_rest(query, s->options.t, s->options.iterations, s->q, s->states, err));
    }
    TRM_TRY(check_still(s, err));
    TRM_TRY(trm_query_close(query, s->options.t, s->q, s->rest, err));
    s->radius = 0.2 * query->conditioning.size;
    trm_status status = iterate(s, out, &found, err);
    const int states = query->conditioning.system->states;
    if (states > 0 && !found) {
        memcpy(s->q, q, (size_t)query->conditioning.nq * sizeof *q);
    }
    if (status == TRM_OK && (states > 0 || (found && trm_query_rests_by_rates(query)))) {
        status = trm_query_rest(query, s->options.t, s->options.iterations, s->q, s->states, err);
        if (status == TRM_OK && states > 0) { // the steps above see forces alone
            TRM_TRY(stand(s, err));
            found = s->residual <= s->options.tolerance * s->scale;
        }
    }
    memcpy(q, s->q, (size_t)query->conditioning.nq * sizeof *q);
    TRM_TRY(status);
    const int code = pull(s, s->q, s->rest, s->f);
    if (code) {
        return trm_query_fail(query, s->options.t, code, err);
    }
    name_rest(s, out);
    if (!found) {
        return refuse(s, out, err);
    }
    if (s->options.states && states > 0) {
        memcpy(s->options.states, s->states, (size_t)states * sizeof *s->states);
    }
    if (lambda && query->conditioning.nc > 0) {
        memcpy(lambda, query->work.lambda, (size_t)query->conditioning.nc * sizeof *lambda);
    }
    return tell_stability(s, out, err);
}

/// The same; where nothing is found, the query counts turns from where it did before.
static trm_status find_from_here(search *s, double *q, double *lambda, trm_equilibrium *out,
                                 trm_error *err)
{
    size_t bytes;
    void *const turns = trm_system_winding(s->query->conditioning.system, &bytes);
    void *const kept = turns ? trm_pool_take(&s->pool, bytes, 1) : NULL;
    if (turns && !kept) {
        return trm_query_no_memory(err);
    }
    if (turns) {
        memcpy(kept, turns, bytes);
    }
    const trm_status status = find(s, q, lambda, out, err);
    if (turns && status != TRM_OK) {
        memcpy(turns, kept, bytes);
    }
    return status;
}

trm_status trm_query_equilibrium(trm_query *query, const trm_equilibrium_options *options,
                                 double *q, double *lambda, trm_equilibrium *out, trm_error *err)
{
    const trm_equilibrium_options defaults = trm_default_equilibrium_options();
    const trm_equilibrium_options *const o = options ? options : &defaults;
    TRM_TRY(trm_query_check(query, o->t, q, NULL, err));
    TRM_TRY(trm_query_needs_lapack(err));
    TRM_TRY(trm_query_check_held(query, "an equilibrium is looked for without it", err));
    if (o->struct_size != sizeof *o) {
        return TRM_FAIL(
            err, TRM_ERR_OPTIONS, "options",
            "start from trm_default_equilibrium_options: these are not of this version");
    }
    if (!out || o->iterations < 1 || !(o->tolerance > 0)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, out ? "options" : "out",
                        "expected a place for the result, iterations >= 1 and tolerance > 0");
    }
    *out = (trm_equilibrium){
        .stability = TRM_STABILITY_UNKNOWN, .growth = NAN, .body = -1, .component = -1};
    search s = {.query = query, .options = *o};
    trm_status status = find_from_here(&s, q, lambda, out, err);
    if (status == TRM_OK) {
        status = trm_query_check_limits(query, o->t, q, 0,
                                        "the equilibrium found without it is none", err);
    }
    trm_pool_close(&s.local);
    trm_pool_close(&s.pool);
    return status;
}
