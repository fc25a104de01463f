/// Shooting back [AL93 section 4.1, (4.5)]: near t0 the iterates of a boundary value problem carry
/// a layer, because y(t0) is not known. From the other end, with By_N of the last iterate as By_0
/// and x(tf) as terminal value, the layer would grow; with the sign of BEC reversed it decays:
///
///     x_s' = A x_s + q - By_s,    (By)_s = (By)_{s-1} - (1/epsilon) B E (C x_s + r)
///
/// that is, the same iteration with -epsilon. Of x(tf) only nx - ny components are kept; the others
/// follow from C x + r = 0.
#include "base/status.h"
#include "validation/papers/boundary/boundary_values.h"

#include <math.h>
#include <string.h>

/// The largest entry among rows row.. of A[ny*nx] and columns not taken, the first of equals.
static double largest(const double *A, const int *taken, int ny, int nx, int row, int *at_row,
                      int *at_column)
{
    double found = 0;
    for (int i = row; i < ny; i++) {
        for (int j = 0; j < nx; j++) {
            if (!taken[j] && fabs(A[i * nx + j]) > found) {
                found = fabs(A[i * nx + j]);
                *at_row = i;
                *at_column = j;
            }
        }
    }
    return found;
}

static void exchange_rows(double *A, int nx, int i, int k)
{
    for (int j = 0; j < nx; j++) {
        const double entry = A[i * nx + j];
        A[i * nx + j] = A[k * nx + j];
        A[k * nx + j] = entry;
    }
}

/// Marks the ny components of x that G x = .. determines best: complete pivoting, G is overwritten.
static trm_dae_code choose_components(double *G, int *taken, int ny, int nx)
{
    memset(taken, 0, (size_t)nx * sizeof(int));
    for (int k = 0; k < ny; k++) {
        int row = 0;
        int column = 0;
        if (!(largest(G, taken, ny, nx, k, &row, &column) > 0)) {
            return TRM_DAE_SINGULAR;
        }
        exchange_rows(G, nx, k, row);
        taken[column] = 1;
        for (int i = k + 1; i < ny; i++) {
            const double factor = G[i * nx + column] / G[k * nx + column];
            for (int j = 0; j < nx; j++) {
                G[i * nx + j] -= factor * G[k * nx + j];
            }
        }
    }
    return TRM_DAE_FINE;
}

/// Terminal conditions: g(x_N, tf) = 0 and nx - ny components of x_N as they are.
static trm_dae_code terminal_rows(trm_dae_bvp *bvp)
{
    trm_dae_system *system = &bvp->law.system;
    const int nx = system->problem.nx;
    const int ny = system->problem.ny;
    const int length = 2 * nx + 1;
    bvp->at_end = 1;
    trm_dae_code code = trm_dae_constraint_rows(bvp, bvp->x + bvp->N * nx);
    code = code ? code : choose_components(system->G, bvp->taken, ny, nx);
    int k = 0;
    for (int j = 0; j < nx && !code; j++) {
        if (!bvp->taken[j]) {
            double *row = bvp->rows + k++ * length;
            memset(row, 0, (size_t)length * sizeof(double));
            row[nx + j] = 1;
            row[2 * nx] = bvp->x[bvp->N * nx + j];
        }
    }
    return code;
}

/// By_0(t) := By_N.
static void start_from_last_reaction(trm_dae_bvp *bvp)
{
    const int nr = bvp->law.nr;
    memcpy(bvp->last, bvp->reaction + (bvp->N * bvp->rule.k - 1) * nr, (size_t)nr * sizeof(double));
    bvp->constant = bvp->last;
}

trm_status trm_dae_bvp_shoot_back(trm_dae_bvp *bvp, int sweeps, trm_error *err)
{
    if (!bvp->solved || sweeps < 1) {
        char text[128];
        return TRM_FAIL(err, TRM_ERR_OPTIONS, trm_dae_place(&bvp->law.system.problem, NULL, text),
                        "shooting back needs an iterate to start from, and sweeps >= 1");
    }
    if (!bvp->law.form->iterates) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "options",
                        "shooting back is for methods with iterates");
    }
    if (bvp->points == TRM_DAE_POINTS_RADAU) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "boundary",
                        "shooting back is for Gauss points: Radau points damp in one direction");
    }
    const trm_dae_code code = terminal_rows(bvp);
    if (code) {
        return trm_dae_fail(&bvp->law.system, code, bvp->law.system.t, err);
    }
    start_from_last_reaction(bvp);
    bvp->law.epsilon = -bvp->law.options.epsilon;
    trm_status status = TRM_OK;
    for (int s = 0; s < sweeps && status == TRM_OK; s++) {
        status = trm_dae_box(bvp, err);
    }
    bvp->law.epsilon = bvp->law.options.epsilon;
    bvp->constant = NULL;
    return status;
}
