#include "engine/constraint_solver.h"

#include <math.h>
#include <string.h>

void trm_solver_layout(trm_solver *solver, const trm_pattern *pattern, double delta,
                       trm_arena *arena)
{
    solver->pattern = pattern;
    solver->n = pattern->n;
    solver->values = pattern->values;
    solver->delta = delta;
    solver->S = trm_arena_doubles(arena, pattern->values);
    solver->L = trm_arena_doubles(arena, pattern->values);
    solver->inverse_pivot = trm_arena_doubles(arena, pattern->n);
    solver->ratio = trm_arena_doubles(arena, pattern->n);
    solver->D[0] = trm_arena_doubles(arena, pattern->n);
    solver->D[1] = trm_arena_doubles(arena, pattern->n);
    solver->work = trm_arena_doubles(arena, 3 * pattern->n);
}

void trm_solver_reset(trm_solver *solver)
{
    memset(solver->D[0], 0, (size_t)solver->n * sizeof(double));
    memset(solver->D[1], 0, (size_t)solver->n * sizeof(double));
}

void trm_solver_clear(trm_solver *solver)
{
    memset(solver->S, 0, (size_t)solver->values * sizeof(double));
}

/// A = L diag(d) L^T of a dense block, in place: unit lower L below the diagonal, d on it.
/// Returns the smallest pivot.
static double factor_diagonal(int n, double *A, double *inverse_pivot)
{
    double smallest = INFINITY;
    for (int j = 0; j < n; j++) {
        double d = A[j * n + j];
        for (int c = 0; c < j; c++) {
            d -= A[j * n + c] * A[j * n + c] * A[c * n + c];
        }
        smallest = d < smallest || isnan(d) ? d : smallest;
        A[j * n + j] = d;
        inverse_pivot[j] = 1 / d;
        for (int i = j + 1; i < n; i++) {
            double l = A[i * n + j];
            for (int c = 0; c < j; c++) {
                l -= A[i * n + c] * A[j * n + c] * A[c * n + c];
            }
            A[i * n + j] = l / d;
        }
    }
    return smallest;
}

/// X := X L^-T for the rows of an off-diagonal block.
static void divide_block(int rows, int n, const double *L, double *X)
{
    for (int a = 0; a < rows; a++) {
        double *x = X + a * n;
        for (int c = 1; c < n; c++) {
            for (int b = 0; b < c; b++) {
                x[c] -= L[c * n + b] * x[b];
            }
        }
    }
}

/// T -= X diag(1/d) Y^T.
static void update_block(int rows, int columns, int n, const double *X, const double *Y,
                         const double *inverse_pivot, double *T)
{
    for (int a = 0; a < rows; a++) {
        for (int b = 0; b < columns; b++) {
            double sum = 0;
            for (int c = 0; c < n; c++) {
                sum += X[a * n + c] * inverse_pivot[c] * Y[b * n + c];
            }
            T[a * columns + b] -= sum;
        }
    }
}

/// Off-diagonal blocks keep X = L_ik diag(d), which saves a scaling here and costs one in a solve.
static double eliminate(trm_solver *solver, int k)
{
    const trm_pattern *p = solver->pattern;
    const int n = p->size[k];
    double *inverse_pivot = solver->inverse_pivot + p->first[k];
    double *diagonal = solver->L + p->diagonal[k];
    const double smallest = factor_diagonal(n, diagonal, inverse_pivot);
    const int *target = p->target + p->targets[k];
    for (int e = p->column[k]; e < p->column[k + 1]; e++) {
        const int rows = p->size[p->block[e]];
        double *X = solver->L + p->offset[e];
        divide_block(rows, n, diagonal, X);
        for (int f = p->column[k]; f <= e; f++) {
            update_block(rows, p->size[p->block[f]], n, X, solver->L + p->offset[f], inverse_pivot,
                         solver->L + *target++);
        }
    }
    return smallest;
}

/// L := S + delta D.
static void damp(trm_solver *solver, int which)
{
    const trm_pattern *p = solver->pattern;
    memcpy(solver->L, solver->S, (size_t)solver->values * sizeof(double));
    for (int k = 0; k < p->nblocks; k++) {
        const int n = p->size[k];
        double *D = solver->D[which] + p->first[k];
        for (int i = 0; i < n; i++) {
            double *entry = solver->L + p->diagonal[k] + i * n + i;
            D[i] = fmax(D[i], *entry);
            *entry += solver->delta * D[i];
        }
    }
}

int trm_solver_factor(trm_solver *solver, int which)
{
    const trm_pattern *p = solver->pattern;
    damp(solver, which);
    double smallest = INFINITY;
    for (int k = 0; k < p->nblocks; k++) {
        const double pivot = eliminate(solver, k);
        smallest = pivot < smallest || isnan(pivot) ? pivot : smallest;
    }
    for (int i = 0; i < p->n; i++) {
        const double D = solver->D[which][i];
        solver->ratio[p->row_of[i]] =
            D > 0 ? 1 / (solver->inverse_pivot[i] * D) - solver->delta : 0;
    }
    return p->n > 0 && !(smallest > 0 && isfinite(smallest));
}

// ------------------------------------------------------------------------------------ the solve

/// y := L^-1 y, then y := diag(1/d) y.
static void solve_forward(const trm_solver *solver, double *y)
{
    const trm_pattern *p = solver->pattern;
    for (int k = 0; k < p->nblocks; k++) {
        const int n = p->size[k];
        const double *L = solver->L + p->diagonal[k];
        const double *inverse_pivot = solver->inverse_pivot + p->first[k];
        double *x = y + p->first[k];
        for (int c = 1; c < n; c++) {
            for (int b = 0; b < c; b++) {
                x[c] -= L[c * n + b] * x[b];
            }
        }
        for (int c = 0; c < n; c++) {
            x[c] *= inverse_pivot[c];
        }
        for (int e = p->column[k]; e < p->column[k + 1]; e++) {
            const double *X = solver->L + p->offset[e];
            double *z = y + p->first[p->block[e]];
            for (int a = 0; a < p->size[p->block[e]]; a++) {
                for (int c = 0; c < n; c++) {
                    z[a] -= X[a * n + c] * x[c];
                }
            }
        }
    }
}

/// y := L^-T y.
static void solve_backward(const trm_solver *solver, double *y)
{
    const trm_pattern *p = solver->pattern;
    for (int k = p->nblocks - 1; k >= 0; k--) {
        const int n = p->size[k];
        const double *L = solver->L + p->diagonal[k];
        const double *inverse_pivot = solver->inverse_pivot + p->first[k];
        double *x = y + p->first[k];
        for (int e = p->column[k]; e < p->column[k + 1]; e++) {
            const double *X = solver->L + p->offset[e];
            const double *z = y + p->first[p->block[e]];
            for (int a = 0; a < p->size[p->block[e]]; a++) {
                for (int c = 0; c < n; c++) {
                    x[c] -= inverse_pivot[c] * X[a * n + c] * z[a];
                }
            }
        }
        for (int c = n - 1; c > 0; c--) {
            for (int b = 0; b < c; b++) {
                x[b] -= L[c * n + b] * x[c];
            }
        }
    }
}

/// y += A x for the rows and columns of one stored block of S.
static void multiply_stored(int rows, int columns, const double *A, const double *x, double *y)
{
    for (int a = 0; a < rows; a++) {
        for (int b = 0; b < columns; b++) {
            y[a] += A[a * columns + b] * x[b];
        }
    }
}

static void multiply_stored_transposed(int rows, int columns, const double *A, const double *x,
                                       double *y)
{
    for (int a = 0; a < rows; a++) {
        for (int b = 0; b < columns; b++) {
            y[b] += A[a * columns + b] * x[a];
        }
    }
}

/// y := S x, both in elimination order.
static void multiply(const trm_solver *solver, const double *x, double *y)
{
    const trm_pattern *p = solver->pattern;
    memset(y, 0, (size_t)p->n * sizeof(double));
    for (int k = 0; k < p->nblocks; k++) {
        const int n = p->size[k];
        const int column = p->first[k];
        multiply_stored(n, n, solver->S + p->diagonal[k], x + column, y + column);
        for (int e = p->column[k]; e < p->column[k + 1]; e++) {
            const double *A = solver->S + p->offset[e];
            const int row = p->first[p->block[e]];
            const int rows = p->size[p->block[e]];
            multiply_stored(rows, n, A, x + column, y + row);
            multiply_stored_transposed(rows, n, A, x + row, y + column);
        }
    }
}

void trm_solver_solve(const trm_solver *solver, double *x)
{
    const int n = solver->n;
    const int *row_of = solver->pattern->row_of;
    double *x0 = solver->work;
    double *r = solver->work + n;
    double *Sx = solver->work + 2 * n;
    for (int i = 0; i < n; i++) {
        r[i] = x[row_of[i]];
        x0[i] = r[i];
    }
    // x_0 = (S + delta D)^-1 r
    solve_forward(solver, x0);
    solve_backward(solver, x0);
    // x = x_0 + (S + delta D)^-1 (r - S x_0)
    multiply(solver, x0, Sx);
    for (int i = 0; i < n; i++) {
        r[i] -= Sx[i];
    }
    solve_forward(solver, r);
    solve_backward(solver, r);
    for (int i = 0; i < n; i++) {
        x[row_of[i]] = x0[i] + r[i];
    }
}
