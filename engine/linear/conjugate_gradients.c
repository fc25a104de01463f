/// Hestenes and Stiefel's recurrences: with the residual r and z = P r,
///
///     a = r.z/(p.K p),  y += a p,  r -= a K p,  z = P r,  p = z + (r.z)_new/(r.z)_old p
///
/// Where the null vector of K is known, all vectors stay in its orthogonal complement.
#include "engine/linear/conjugate_gradients.h"
#include "base/linear/sums.h"

#include <math.h>
#include <string.h>

void trm_project_out(int n, const double *z, double *v)
{
    const double c = trm_dot(n, z, v);
    for (int i = 0; i < n; i++) {
        v[i] -= c * z[i];
    }
}

static int precondition(const trm_cg *cg, const double *r, double *z)
{
    int failed = 0;
    if (cg->precondition) {
        failed = cg->precondition(cg->user, r, z);
    } else {
        memcpy(z, r, (size_t)cg->n * sizeof(double));
    }
    if (cg->null) {
        trm_project_out(cg->n, cg->null, z);
    }
    return failed;
}

/// residual := r - K y in the complement of the null vector; returns its length, or -1.
static double begin(const trm_cg *cg, const double *r, double *y, double *residual)
{
    if (cg->null) {
        trm_project_out(cg->n, cg->null, y);
    }
    if (cg->multiply(cg->user, y, residual)) {
        return -1;
    }
    for (int i = 0; i < cg->n; i++) {
        residual[i] = r[i] - residual[i];
    }
    if (cg->null) {
        trm_project_out(cg->n, cg->null, residual);
    }
    return sqrt(trm_dot(cg->n, residual, residual));
}

/// The length of r in the complement of the null vector.
static double length_of(const trm_cg *cg, const double *r)
{
    const double along = cg->null ? trm_dot(cg->n, cg->null, r) : 0;
    return sqrt(fmax(trm_dot(cg->n, r, r) - along * along, 0));
}

trm_cg_result trm_cg_solve(const trm_cg *cg, const double *r, double *y)
{
    const int n = cg->n;
    double *const left = cg->work, *const z = left + n, *const p = z + n, *const Kp = p + n;
    const double scale = length_of(cg, r);
    trm_cg_result result = {.end = TRM_CG_FAILED};
    double size = begin(cg, r, y, left);
    double rz_old = 1;
    if (scale == 0 && size >= 0) { // y = 0 is exact
        memset(y, 0, (size_t)n * sizeof(double));
        return (trm_cg_result){.end = TRM_CG_DONE};
    }
    for (;; result.iterations++) {
        result.residual = size / scale;
        if (size >= 0 && size <= cg->tolerance * scale) {
            result.end = TRM_CG_DONE;
            return result;
        }
        if (!(size >= 0) || result.iterations == cg->most) {
            result.end = size >= 0 ? TRM_CG_SLOW : TRM_CG_FAILED;
            return result;
        }
        if (precondition(cg, left, z)) {
            return result;
        }
        const double rz = trm_dot(n, left, z);
        for (int i = 0; i < n; i++) {
            p[i] = z[i] + (result.iterations > 0 ? rz / rz_old * p[i] : 0);
        }
        if (cg->multiply(cg->user, p, Kp)) {
            return result;
        }
        const double pKp = trm_dot(n, p, Kp);
        result.curvature = pKp / trm_dot(n, p, p);
        if (!(pKp > 0 && rz > 0)) {
            result.end = TRM_CG_NEGATIVE;
            return result;
        }
        for (int i = 0; i < n; i++) {
            y[i] += rz / pKp * p[i];
            left[i] -= rz / pKp * Kp[i];
        }
        if (cg->null) {
            trm_project_out(n, cg->null, left);
        }
        size = sqrt(trm_dot(n, left, left));
        rz_old = rz;
    }
}
