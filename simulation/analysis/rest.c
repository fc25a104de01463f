/// Where constraints on velocities let a mechanism rest:  0 = b(q).v + c(q,t) with v = 0, so
///
///     R(y) = (Z^T f, c) = 0,   y: along all motions that positions may take
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
    double *q, *trial;        ///< [nq]
    double *dx, *whole, *v;   ///< [nv]
    double *J;                ///< [n*p], rows scaled to unit length
    double *R, *other, *plus; ///< [n]
    double *scale;            ///< [n] of the rows
    double *y;                ///< [p]
} rest;

static int is_rate(const trm_system *system, int row)
{
    return system->speed && system->speed[row];
}

/// R at q.
static int values(rest *s, const double *q, double *out)
{
    trm_query *const query = s->query;
    const trm_system *const system = query->conditioning.system;
    const int nv = query->conditioning.nv;
    memset(s->v, 0, (size_t)nv * sizeof *s->v);
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
    const int nv = s->query->conditioning.nv;
    const double *const z = s->tangent.Z + (size_t)j * (size_t)nv;
    const double h = 1e-5 * s->query->conditioning.grain / trm_query_distance(s->query, z);
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < nv; i++) {
            s->dx[i] = sign * h * z[i];
        }
        int code = displaced(s);
        code = code ? code : values(s, s->trial, sign < 0 ? s->other : s->plus);
        if (code) {
            return code;
        }
    }
    for (int i = 0; i < s->n; i++) {
        s->J[i * s->tangent.p + j] = (s->plus[i] - s->other[i]) / (2 * h);
    }
    return 0;
}

/// Rows of unit length: R then tells how far it is to where a row vanishes.
static void scale_rows(rest *s)
{
    const int p = s->tangent.p;
    for (int i = 0; i < s->n; i++) {
        const double length =
            sqrt(trm_dot(p, s->J + (size_t)i * (size_t)p, s->J + (size_t)i * (size_t)p));
        s->scale[i] = length > 0 ? 1 / length : 1;
        for (int j = 0; j < p; j++) {
            s->J[i * p + j] *= s->scale[i];
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
static trm_status look(rest *s, trm_memory_pool *pool, trm_error *err)
{
    trm_query *const query = s->query;
    const trm_system *const system = query->conditioning.system;
    TRM_TRY(trm_query_at(query, s->t, s->q, err));
    trm_system_wind(query->conditioning.system, NULL);
    memset(s->v, 0, (size_t)system->nv * sizeof *s->v);
    TRM_TRY(trm_tangent_take(query, pool, &s->tangent, err));
    TRM_TRY(trm_tangent_of_state(query, pool, s->v, &s->tangent, err));
    s->n = s->tangent.d;
    for (int i = 0; i < system->nc; i++) {
        s->n += is_rate(system, i);
    }
    const size_t n = (size_t)s->n, p = (size_t)s->tangent.p;
    double *const x = trm_memory_pool_take(pool, n * p + 4 * n + p + 1, sizeof *x);
    if (!x) {
        return trm_query_no_memory(err);
    }
    s->J = x;
    s->R = x + n * p;
    s->other = s->R + n;
    s->plus = s->other + n;
    s->scale = s->plus + n;
    s->y = s->scale + n;
    int code = values(s, s->q, s->R);
    for (int j = 0; !code && j < s->tangent.p; j++) {
        code = column(s, j);
    }
    if (code) {
        return trm_query_fail(query, s->t, code, err);
    }
    scale_rows(s);
    return TRM_OK;
}

/// One step; *far: how far it went, of the size, 0 where none is an improvement.
static trm_status step(rest *s, double *far, trm_error *err)
{
    trm_query *const query = s->query;
    const int nv = query->conditioning.nv, p = s->tangent.p;
    const double size = query->conditioning.size, now = size_of(s, s->R);
    for (int i = 0; i < s->n; i++) {
        s->other[i] = -s->R[i] * s->scale[i];
    }
    *far = 0;
    const int failed = trm_least_norm(s->n, p, s->J, s->other, s->y);
    if (failed) {
        return failed < 0 ? trm_query_no_memory(err)
                          : TRM_FAIL(err, TRM_ERR_DIVERGED, NULL, "no step to a rest was found");
    }
    trm_rows_spread(p, nv, s->tangent.Z, s->y, s->whole);
    const double length = trm_query_distance(query, s->whole);
    double part = length > 0.2 * size ? 0.2 * size / length : 1;
    for (int k = 0; k < 30; k++, part /= 2) {
        for (int i = 0; i < nv; i++) {
            s->dx[i] = part * s->whole[i];
        }
        int code = displaced(s);
        code = code ? code : values(s, s->trial, s->plus);
        if (!code && (size_of(s, s->plus) < now || part * length <= 1e-12 * size)) {
            memcpy(s->q, s->trial, (size_t)query->conditioning.nq * sizeof *s->q);
            *far = part * length / size;
            return TRM_OK;
        }
    }
    return TRM_OK;
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

trm_status trm_query_rest(trm_query *query, double t, int iterations, double *q, trm_error *err)
{
    TRM_TRY(trm_query_needs_lapack(err));
    trm_memory_pool pool = {NULL}, local = {NULL};
    const size_t nq = (size_t)query->conditioning.nq, nv = (size_t)query->conditioning.nv;
    rest s = {.query = query, .t = t, .q = q};
    double *const x = trm_memory_pool_take(&pool, nq + 3 * nv + 1, sizeof *x);
    trm_status status = x ? TRM_OK : trm_query_no_memory(err);
    double far = INFINITY;
    s.trial = x;
    s.dx = x ? x + nq : NULL;
    s.whole = x ? s.dx + nv : NULL;
    s.v = x ? s.whole + nv : NULL;
    for (int k = 0; status == TRM_OK && k < iterations && far > 1e-13; k++) {
        trm_memory_pool_close(&local);
        status = look(&s, &local, err);
        status = status == TRM_OK ? step(&s, &far, err) : status;
    }
    trm_memory_pool_close(&local);
    trm_memory_pool_close(&pool);
    return status;
}
