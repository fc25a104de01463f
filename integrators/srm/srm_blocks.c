/// E, and what it is applied to. E = the inverse of the diagonal blocks of GB, one block a joint,
/// takes no factorization of GB.
///
/// rho(GBE) is at most the number of joints on one body, wherever the run goes: GB = sum over
/// bodies b of G_b W_b G_b^T, and |sum_j W_b^1/2 G_bj^T x_j|^2 <= n_b sum_j |W_b^1/2 G_bj^T x_j|^2
/// over its n_b joints, whose sums over b are x_j^T (GB)_jj x_j. Units of rows cancel.
#include "integrators/srm/srm_heun.h"

#include <math.h>
#include <string.h>

/// Of a pivot, below which a row repeats others of its joint: the direction is left alone.
static const double least_pivot = 1e-12;

/// A[n*n] := L D L^T of its lower half, 1/d or 0 on the diagonal.
static void factor(int n, double *A)
{
    for (int j = 0; j < n; j++) {
        const double whole = A[j * n + j];
        for (int k = 0; k < j; k++) {
            A[j * n + j] -= A[j * n + k] * A[j * n + k] / A[k * n + k];
        }
        const int free = !(A[j * n + j] > least_pivot * whole);
        A[j * n + j] = free ? INFINITY : A[j * n + j];
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++) {
                A[i * n + j] -= A[i * n + k] * A[j * n + k] / A[k * n + k];
            }
        }
    }
}

static void solve(int n, const double *A, double *x)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            x[i] -= A[i * n + k] / A[k * n + k] * x[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        x[i] /= A[i * n + i];
        for (int k = i + 1; k < n; k++) {
            x[i] -= A[k * n + i] / A[i * n + i] * x[k];
        }
    }
}

void trm_srm_form_blocks(trm_system *system)
{
    trm_solver *const solver = &system->solver;
    const trm_pattern *const p = solver->pattern;
    const int light = solver->null.used.light;
    trm_solver_clear(solver);
    solver->null.used.light = 0; // S, not S_0
    system->ops->form_S(system, TRM_METRIC_MASS, solver->S);
    solver->null.used.light = light;
    for (int k = 0; k < p->nblocks; k++) {
        factor(p->size[k], solver->S + p->diagonal[k]);
    }
}

void trm_srm_solve_blocks(trm_system *system, double *x)
{
    const trm_solver *const solver = &system->solver;
    const trm_pattern *const p = solver->pattern;
    double *const y = solver->work;
    memset(y, 0, (size_t)p->n * sizeof *y);
    for (int i = 0; i < p->rows; i++) {
        y[p->place_of[i]] = x[i];
    }
    for (int k = 0; k < p->nblocks; k++) {
        solve(p->size[k], solver->S + p->diagonal[k], y + p->first[k]);
    }
    for (int i = 0; i < p->rows; i++) {
        x[i] = y[p->place_of[i]];
    }
}

void trm_srm_multiply_GB(trm_run *run, trm_metric metric, double *x)
{
    trm_system_spread(run->system, metric, x, run->work_v);
    trm_system_multiply_G(run->system, run->work_v, x);
}

void trm_srm_apply_E(trm_run *run, trm_srm_matrix E, trm_metric metric, double *x)
{
    if (E == TRM_SRM_MATRIX_GB_TRANSPOSED) { // GB is symmetric here
        trm_srm_multiply_GB(run, metric, x);
    } else if (E == TRM_SRM_MATRIX_GB_INVERSE) {
        trm_system_solve_S(run->system, x);
    } else if (E == TRM_SRM_MATRIX_BLOCKS) {
        trm_srm_solve_blocks(run->system, x);
    }
}

void trm_srm_positions(trm_run *run, trm_srm_matrix E, const double *q, const double *v,
                       double *qdot)
{
    trm_system *system = run->system;
    for (int i = 0; i < system->nc; i++) {
        run->work_c[i] = system->g[i] / -run->stats.epsilon;
    }
    trm_srm_apply_E(run, E, TRM_METRIC_MASS, run->work_c);
    trm_system_spread(system, TRM_METRIC_MASS, run->work_c, run->work_v);
    for (int i = 0; i < system->nv; i++) {
        run->work_v[i] += v[i];
    }
    trm_system_rates(system, q, run->work_v, qdot);
}
