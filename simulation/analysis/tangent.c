/// The motions that the constraints allow, and whether they form a surface:
///
///   J = R G C (conditioning.h),   J N = 0,  N^T N = I,   Z = C N L^-T,   L L^T = (C N)^T M (C N)
#include "base/linear/dense.h"
#include "base/status.h"
#include "engine/rank/closing.h"
#include "simulation/analysis/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// K[d*d] = Z^T M Z with W := M Z, its factor L in place; Z := L^-1 Z row by row. K = L L^T lies
/// column by column: L_ij at K[j*d + i].
static int orthonormalize(trm_system *system, const trm_tangent *T, double *K)
{
    const size_t d = (size_t)T->d, nv = (size_t)system->nv;
    memcpy(T->W, T->Z, d * nv * sizeof(double));
    for (size_t k = 0; k < d; k++) {
        trm_system_multiply_M(system, T->W + k * nv);
    }
    for (size_t k = 0; k < d; k++) {
        trm_rows_multiply(T->d, system->nv, T->Z, T->W + k * nv, K + k * d);
    }
    if (trm_cholesky(T->d, K)) {
        return 0;
    }
    for (size_t i = 0; i < d; i++) {
        double *const z = T->Z + i * nv, *const w = T->W + i * nv;
        for (size_t j = 0; j <= i; j++) {
            const double l = K[j * d + i];
            for (size_t c = 0; c < nv; c++) {
                z[c] = j < i ? z[c] - l * T->Z[j * nv + c] : z[c] / l;
                w[c] = j < i ? w[c] - l * T->W[j * nv + c] : w[c] / l;
            }
        }
    }
    return 1;
}

trm_status trm_tangent_take(trm_query *query, trm_pool *pool, trm_tangent *out, trm_error *err)
{
    trm_conditioning *const p = &query->conditioning;
    const size_t nv = (size_t)p->nv;
    if (!trm_conditioning_rank(p)) {
        return trm_query_no_memory(err);
    }
    const size_t d = (size_t)trm_conditioning_freedoms(p);
    const size_t all = d + (size_t)p->system->states; // no row sees these, and they come last
    *out = (trm_tangent){.d = (int)d,
                         .p = (int)d,
                         .Z = trm_pool_take(pool, all * nv, sizeof(double)),
                         .W = trm_pool_take(pool, d * nv, sizeof(double))};
    double *const K = malloc((d * d + 1) * sizeof *K);
    if (!out->Z || !out->W || !K || !trm_row_basis_complement(&p->basis, p->nv, out->Z)) {
        free(K);
        return trm_query_no_memory(err);
    }
    for (size_t i = 0; i < d * nv; i++) {
        out->Z[i] *= p->column[i % nv];
    }
    // once more, for masses of very different size
    const int ok =
        d == 0 || (orthonormalize(p->system, out, K) && orthonormalize(p->system, out, K));
    free(K);
    return ok ? TRM_OK
              : TRM_FAIL(err, TRM_ERR_SINGULAR, NULL, "the mass matrix is not positive definite");
}

/// out[nv*d] := the transpose of rows[d*nv].
static void transpose(int d, int nv, const double *rows, double *out)
{
    for (size_t k = 0; k < (size_t)d; k++) {
        for (size_t i = 0; i < (size_t)nv; i++) {
            out[i * (size_t)d + k] = rows[k * (size_t)nv + i];
        }
    }
}

trm_status trm_query_motions(trm_query *query, double t, const double *q, int *d, double *Z,
                             double *W, trm_error *err)
{
    TRM_TRY(trm_query_check(query, t, q, NULL, err));
    TRM_TRY(trm_query_at(query, t, q, err));
    const int nv = query->conditioning.nv;
    trm_pool pool = {NULL};
    trm_tangent tangent;
    const trm_status status = trm_tangent_take(query, &pool, &tangent, err);
    if (status == TRM_OK) {
        if (d) {
            *d = tangent.d;
        }
        if (Z) {
            transpose(tangent.d, nv, tangent.Z, Z);
        }
        if (W) {
            memcpy(W, tangent.W, (size_t)tangent.d * (size_t)nv * sizeof *W);
        }
    }
    trm_pool_close(&pool);
    return status;
}

// ------------------------------------------------------------------------------ singular positions

/// An arbitrary motion of Z that moves the mechanism by `distance`.
static void any_motion(trm_query *query, const trm_tangent *tangent, double distance, double *dx)
{
    const int nv = query->conditioning.nv;
    memset(dx, 0, (size_t)nv * sizeof *dx);
    for (int k = 0; k < tangent->d; k++) {
        const double part = trm_conditioning_chance(&query->conditioning);
        for (int i = 0; i < nv; i++) {
            dx[i] += part * tangent->Z[(size_t)k * (size_t)nv + (size_t)i];
        }
    }
    const double most = trm_query_distance(query, dx);
    for (int i = 0; i < nv; i++) {
        dx[i] *= most > 0 ? distance / most : 0;
    }
}

/// q := the closed position next to q + N dx, which must be near. Returns the part
/// of dx reached: 0 none, 1 all of it.
static double follow(trm_query *query, double t, const double *dx, double *q)
{
    trm_conditioning *const p = &query->conditioning;
    double *const z = query->v; // what closing takes back
    trm_system_move(p->system, dx, q);
    trm_system_normalize(p->system, q);
    const trm_closing_task task = {.t = t};
    if (trm_conditioning_close_rows(p, &task, q, z) > TRM_CLOSED) {
        return 0;
    }
    double along = 0, length = 0;
    for (int i = 0; i < p->nv; i++) {
        const double x = dx[i] / p->column[i];
        along += x * (x + z[i]);
        length += x * x;
    }
    return length > 0 ? along / length : 0;
}

/// A row that depends on others in the position itself and not nearby.
static int freed_row(const trm_conditioning *p, const int *dependent, int n)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < p->basis.rank; k++) {
            if (p->basis.order[k] == dependent[i]) {
                return dependent[i];
            }
        }
    }
    return dependent[0];
}

static trm_status refuse_singular(const trm_query *query, int row, trm_error *err)
{
    if (query->model->from_equations) {
        return TRM_FAIL(err, TRM_ERR_SINGULAR, NULL,
                        "the position is singular: row %d of G depends on others here and not "
                        "nearby, so the motions do not form a surface",
                        row);
    }
    const trm_row_info info = query->model->row_info[row];
    return TRM_FAIL(
        err, TRM_ERR_SINGULAR, info.where,
        "the position is singular: '%s' depends on other joints here and not nearby, so "
        "the motions do not form a surface",
        info.name);
}

trm_status trm_query_check_regular(trm_query *query, double t, const double *q,
                                   const trm_tangent *tangent, trm_error *err)
{
    enum { SAMPLES = 5 };
    trm_conditioning *const p = &query->conditioning;
    const int rank = trm_system_motions(p->system) - tangent->d;
    const int ndependent = p->nc - rank;
    if (ndependent == 0 || tangent->d == 0) {
        return TRM_OK;
    }
    int *const dependent = malloc((size_t)ndependent * sizeof *dependent);
    double *const dx = malloc((size_t)p->nv * sizeof *dx);
    trm_status status = dependent && dx ? TRM_OK : trm_query_no_memory(err);
    if (status == TRM_OK) {
        memcpy(dependent, p->basis.order + rank, (size_t)ndependent * sizeof *dependent);
    }
    for (int k = 0; status == TRM_OK && k < SAMPLES; k++) {
        memcpy(query->q, q, (size_t)p->nq * sizeof(double));
        any_motion(query, tangent, 0.02 * p->grain, dx);
        const double came = follow(query, t, dx, query->q);
        if (trm_conditioning_at(p, t, query->q)) {
            continue;
        }
        if (!trm_conditioning_rank(p)) {
            status = trm_query_no_memory(err);
        } else if (p->basis.rank > rank || came < 0.3) {
            status = refuse_singular(query, freed_row(p, dependent, ndependent), err);
        }
    }
    free(dependent);
    free(dx);
    return status;
}
