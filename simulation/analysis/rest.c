/// Where constraints on velocities and states x of the scene let a mechanism rest:
/// 0 = b(q).v + c(q,t) with v = 0, and x' = 0, so
///
///     R(y,x) = (Z^T f, x', c) = 0,   y: along all motions that positions may take
///
/// which are more than velocities may, by as many as there are such rows. Newton's method with the
/// step of least length where rows repeat each other; J = dR/dy by central differences.
#include "simulation/analysis/rest.h"
#include "base/linear/dense.h"
#include "base/linear/sums.h"
#include "base/status.h"
#include "trammel/trammel_equations.h"

#include <math.h>
#include <string.h>

typedef struct rest {
    trm_query *query;
    double t;
    trm_tangent tangent;      ///< at the position where it stands
    int n;                    ///< rows of R
    int m;                    ///< columns: p of the tangent, then the states
    double *q, *trial;        ///< [nq]
    double *x, *moved;        ///< [states] where it stands; at a trial
    double *dx, *whole, *v;   ///< [nv]
    double *J;                ///< [n*m], rows scaled to unit length
    double *R, *other, *plus; ///< [n]
    double *scale;            ///< [n] of the rows
    double *y;                ///< [m]
} rest;

static int is_rate(const trm_system *system, int row)
{
    return system->speed && system->speed[row];
}

/// v := at rest, with these states.
static void at_rest(const trm_system *system, const double *x, double *v)
{
    const size_t motions = (size_t)trm_system_motions(system);
    memset(v, 0, motions * sizeof *v);
    if (system->states > 0) {
        memcpy(v + motions, x, (size_t)system->states * sizeof *v);
    }
}

/// R at q and x.
static int values(rest *s, const double *q, const double *x, double *out)
{
    trm_query *const query = s->query;
    const trm_system *const system = query->conditioning.system;
    const int nv = query->conditioning.nv;
    at_rest(system, x, s->v);
    const trm_terms wanted = {.a = query->a};
    const int code =
        trm_terms_at(query->conditioning.system, s->t, q, s->v, NULL, &wanted, &query->work);
    if (code) {
        return code;
    }
    trm_rows_multiply(s->tangent.d, nv, s->tangent.W, query->a, out);
    for (int i = 0, k = s->tangent.d; i < system->nc; i++) {
        if (is_rate(system, i)) {
            out[k++] = system->g_t[i];
        }
    }
    return 0;
}

/// trial := the closed position next to q + N dx.
static int displaced(rest *s)
{
    trm_system *const system = s->query->conditioning.system;
    memcpy(s->trial, s->q, (size_t)system->nq * sizeof *s->q);
    trm_system_move(system, s->dx, s->trial);
    trm_system_normalize(system, s->trial);
    return trm_query_snap(s->query, s->t, s->trial, NULL);
}

static int column(rest *s, int j)
{
    const int nv = s->query->conditioning.nv, of_state = j - s->tangent.p;
    const double *const z = s->tangent.Z + (size_t)j * (size_t)nv;
    const double h =
        1e-5 * (of_state >= 0 ? fmax(1, fabs(s->x[of_state]))
                              : s->query->conditioning.grain / trm_query_distance(s->query, z));
    for (int sign = -1; sign <= 1; sign += 2) {
        double *const out = sign < 0 ? s->other : s->plus;
        int code = 0;
        if (of_state >= 0) {
            const double kept = s->x[of_state];
            s->x[of_state] += sign * h;
            code = values(s, s->q, s->x, out);
            s->x[of_state] = kept;
        } else {
            for (int i = 0; i < nv; i++) {
                s->dx[i] = sign * h * z[i];
            }
            code = displaced(s);
            code = code ? code : values(s, s->trial, s->x, out);
        }
        if (code) {
            return code;
        }
    }
    for (int i = 0; i < s->n; i++) {
        s->J[i * s->m + j] = (s->plus[i] - s->other[i]) / (2 * h);
    }
    return 0;
}

/// Rows of unit length: R then tells how far it is to where a row vanishes.
static void scale_rows(rest *s)
{
    const int m = s->m;
    for (int i = 0; i < s->n; i++) {
        const double length =
            sqrt(trm_dot(m, s->J + (size_t)i * (size_t)m, s->J + (size_t)i * (size_t)m));
        s->scale[i] = length > 0 ? 1 / length : 1;
        for (int j = 0; j < m; j++) {
            s->J[i * m + j] *= s->scale[i];
        }
    }
}

static double size_of(const rest *s, const double *R)
{
    double sum = 0;
    for (int i = 0; i < s->n; i++) {
        sum += R[i] * s->scale[i] * R[i] * s->scale[i];
    }
    return sqrt(sum);
}

/// The tangent, J and R at q. Errors: those of the system, SINGULAR, MEMORY.
static trm_status look(rest *s, trm_pool *pool, trm_error *err)
{
    trm_query *const query = s->query;
    const trm_system *const system = query->conditioning.system;
    TRM_TRY(trm_query_at(query, s->t, s->q, err));
    trm_system_wind(query->conditioning.system, NULL);
    at_rest(system, s->x, s->v);
    TRM_TRY(trm_tangent_take(query, pool, &s->tangent, err));
    TRM_TRY(trm_tangent_of_state(query, pool, s->v, &s->tangent, err));
    s->n = s->tangent.d;
    for (int i = 0; i < system->nc; i++) {
        s->n += is_rate(system, i);
    }
    s->m = s->tangent.p + system->states;
    const size_t n = (size_t)s->n, m = (size_t)s->m;
    double *const x = trm_pool_take(pool, n * m + 4 * n + m + 1, sizeof *x);
    if (!x) {
        return trm_query_no_memory(err);
    }
    s->J = x;
    s->R = x + n * m;
    s->other = s->R + n;
    s->plus = s->other + n;
    s->scale = s->plus + n;
    s->y = s->scale + n;
    int code = values(s, s->q, s->x, s->R);
    for (int j = 0; !code && j < s->m; j++) {
        code = column(s, j);
    }
    if (code) {
        return trm_query_fail(query, s->t, code, err);
    }
    scale_rows(s);
    return TRM_OK;
}

/// The largest change of a state that the step asks for, of max(1, |x|).
static double change_of_states(const rest *s)
{
    double most = 0;
    for (int i = s->tangent.p; i < s->m; i++) {
        most = fmax(most, fabs(s->y[i]) / fmax(1, fabs(s->x[i - s->tangent.p])));
    }
    return most;
}

/// One step. *wanted: its length, of the size; *far: how much of it was gone, 0 where nothing is an
/// improvement.
static trm_status step(rest *s, double *far, double *wanted, trm_error *err)
{
    trm_query *const query = s->query;
    const int nv = query->conditioning.nv, p = s->tangent.p, m = s->m;
    const double size = query->conditioning.size, now = size_of(s, s->R);
    for (int i = 0; i < s->n; i++) {
        s->other[i] = -s->R[i] * s->scale[i];
    }
    *far = 0;
    const int failed = trm_least_norm(s->n, m, s->J, s->other, s->y);
    if (failed) {
        return failed < 0 ? trm_query_no_memory(err)
                          : TRM_FAIL(err, TRM_ERR_DIVERGED, NULL, "no step to a rest was found");
    }
    trm_rows_spread(p, nv, s->tangent.Z, s->y, s->whole);
    const double length = trm_query_distance(query, s->whole), changes = change_of_states(s);
    *wanted = fmax(length / size, changes);
    double part = length > 0.2 * size ? 0.2 * size / length : 1;
    for (int k = 0; k < 30; k++, part /= 2) {
        for (int i = 0; i < nv; i++) {
            s->dx[i] = part * s->whole[i];
        }
        for (int i = p; i < m; i++) {
            s->moved[i - p] = s->x[i - p] + part * s->y[i];
        }
        int code = displaced(s);
        code = code ? code : values(s, s->trial, s->moved, s->plus);
        if (!code && (size_of(s, s->plus) < now || part * *wanted <= 1e-12)) {
            memcpy(s->q, s->trial, (size_t)query->conditioning.nq * sizeof *s->q);
            memcpy(s->x, s->moved, (size_t)(m - p) * sizeof *s->x);
            *far = part * *wanted;
            return TRM_OK;
        }
    }
    return TRM_OK;
}

/// How far a rest may be away, of the model's size and of states.
static const double small = 1e-6;

/// Found: the last step asked for less than a millionth, so that the next one is of its square; or
/// little is left to push at all, where a direction has no stiffness to speak of (a double root is
/// nearer than the root of what is left). And no state changes, whatever is done, by a millionth of
/// its scale in a second.
static trm_status check_states(const rest *s, double wanted, trm_error *err)
{
    double rate = 0;
    for (int i = s->tangent.p; i < s->m; i++) {
        rate = fmax(rate, fabs(s->R[i]));
    }
    if (rate >= small) {
        return TRM_FAIL(err, TRM_ERR_DIVERGED, NULL,
                        "no equilibrium with the states at rest was found: one still changes by "
                        "%.3g of its scale in a second; run the scene until it rests, and "
                        "linearize there",
                        rate);
    }
    return wanted < small || size_of(s, s->R) < small * small
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_DIVERGED, NULL,
                          "no equilibrium with the states at rest was found: the last step still "
                          "moves by %.3g of the size of the mechanism; start nearer by",
                          wanted);
}

int trm_query_rests_by_rates(const trm_query *query)
{
    const trm_system *const system = query->conditioning.system;
    for (int i = 0; i < system->nc; i++) {
        if (is_rate(system, i)) {
            return 1;
        }
    }
    return 0;
}

trm_status trm_query_rest(trm_query *query, double t, int iterations, double *q, double *states,
                          trm_error *err)
{
    TRM_TRY(trm_query_needs_lapack(err));
    trm_pool pool = {NULL}, local = {NULL};
    const size_t nq = (size_t)query->conditioning.nq, nv = (size_t)query->conditioning.nv;
    rest s = {.query = query, .t = t, .q = q, .x = states};
    double *const x = trm_pool_take(&pool, nq + 4 * nv + 1, sizeof *x);
    trm_status status = x ? TRM_OK : trm_query_no_memory(err);
    double far = INFINITY, wanted = INFINITY;
    s.trial = x;
    s.dx = x ? x + nq : NULL;
    s.whole = x ? s.dx + nv : NULL;
    s.v = x ? s.whole + nv : NULL;
    s.moved = x ? s.v + nv : NULL;
    for (int k = 0; status == TRM_OK && k < iterations && far > 1e-13; k++) {
        trm_pool_close(&local);
        status = look(&s, &local, err);
        status = status == TRM_OK ? step(&s, &far, &wanted, err) : status;
    }
    if (status == TRM_OK && query->conditioning.system->states > 0) {
        status = check_states(&s, wanted, err);
    }
    trm_pool_close(&local);
    trm_pool_close(&pool);
    return status;
}
