/// The factorization runs column by column over dense blocks (right-looking). Its kernels are
/// written once for any block size n and instantiated for the sizes of joints, so that loops over
/// n unroll: 1 and 2 for planar joints, 3, 5 and 6 for spatial ones.
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
    solver->damped = 0;
    solver->ratio_min[0] = 0;
    solver->ratio_min[1] = 0;
    solver->S = trm_arena_doubles(arena, pattern->values);
    solver->L = delta > 0 ? trm_arena_doubles(arena, pattern->values) : solver->S;
    solver->inverse_pivot = trm_arena_doubles(arena, pattern->n);
    solver->ratio = trm_arena_doubles(arena, pattern->n);
    solver->D[0] = trm_arena_doubles(arena, pattern->n);
    solver->D[1] = trm_arena_doubles(arena, pattern->n);
    solver->work = trm_arena_doubles(arena, 2 * pattern->n);
}

void trm_solver_reset(trm_solver *solver)
{
    memset(solver->D[0], 0, (size_t)solver->n * sizeof(double));
    memset(solver->D[1], 0, (size_t)solver->n * sizeof(double));
    solver->ratio_min[0] = 0;
    solver->ratio_min[1] = 0;
}

void trm_solver_remember(const trm_solver *solver, trm_solver_memory *memory)
{
    for (int which = 0; which < 2; which++) {
        memcpy(memory->D[which], solver->D[which], (size_t)solver->n * sizeof(double));
        memory->ratio_min[which] = solver->ratio_min[which];
    }
}

void trm_solver_recall(trm_solver *solver, const trm_solver_memory *memory)
{
    for (int which = 0; which < 2; which++) {
        memcpy(solver->D[which], memory->D[which], (size_t)solver->n * sizeof(double));
        solver->ratio_min[which] = memory->ratio_min[which];
    }
}

void trm_solver_clear(trm_solver *solver)
{
    memset(solver->S, 0, (size_t)solver->values * sizeof(double));
}

// ---------------------------------------------------------------------------- the factorization

/// A = L diag(d) L^T of a dense block, in place: unit lower L below the diagonal, d on it.
/// Returns the smallest pivot, NaN if one is not finite.
static inline double factor_diagonal(int n, double *A, double *inverse_pivot)
{
    double smallest = INFINITY;
    for (int j = 0; j < n; j++) {
        double d = A[j * n + j];
        for (int c = 0; c < j; c++) {
            d -= A[j * n + c] * A[j * n + c] * A[c * n + c];
        }
        smallest = !isfinite(d) ? NAN : d < smallest ? d : smallest;
        A[j * n + j] = d;
        inverse_pivot[j] = 1 / d;
        for (int i = j + 1; i < n; i++) {
            double l = A[i * n + j];
            for (int c = 0; c < j; c++) {
                l -= A[i * n + c] * A[j * n + c] * A[c * n + c];
            }
            A[i * n + j] = l * inverse_pivot[j];
        }
    }
    return smallest;
}

/// x := x L^-T for one row of an off-diagonal block.
static inline void divide_row(int n, const double *L, double *x)
{
    for (int c = 1; c < n; c++) {
        for (int b = 0; b < c; b++) {
            x[c] -= L[c * n + b] * x[b];
        }
    }
}

/// T -= X diag(1/d) Y^T.
static inline void update_block(int rows, int columns, int n, const double *X, const double *Y,
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

/// Column k, a block of n rows; `same` says that all its blocks have n rows. Off-diagonal blocks keep
/// X = L_ik diag(d), which saves a scaling here and costs one in a solve.
static inline double eliminate_column(trm_solver *solver, int k, int n, int same)
{
    const trm_pattern *p = solver->pattern;
    double *inverse_pivot = solver->inverse_pivot + p->first[k];
    double *diagonal = solver->L + p->diagonal[k];
    const double smallest = factor_diagonal(n, diagonal, inverse_pivot);
    const int *target = p->target + p->targets[k];
    for (int e = p->column[k]; e < p->column[k + 1]; e++) {
        const int rows = same ? n : p->size[p->block[e]];
        double *X = solver->L + p->offset[e];
        for (int a = 0; a < rows; a++) {
            divide_row(n, diagonal, X + a * n);
        }
        for (int f = p->column[k]; f <= e; f++) {
            const int columns = same ? n : p->size[p->block[f]];
            update_block(rows, columns, n, X, solver->L + p->offset[f], inverse_pivot,
                         solver->L + *target++);
        }
    }
    return smallest;
}

static double eliminate(trm_solver *solver, int k)
{
    switch (solver->pattern->uniform[k]) {
    case 1:
        return eliminate_column(solver, k, 1, 1);
    case 2:
        return eliminate_column(solver, k, 2, 1);
    case 3:
        return eliminate_column(solver, k, 3, 1);
    case 5:
        return eliminate_column(solver, k, 5, 1);
    case 6:
        return eliminate_column(solver, k, 6, 1);
    default:
        return eliminate_column(solver, k, solver->pattern->size[k], 0);
    }
}

/// A row that is nothing but roundoff has no scale of its own: the least D, against the largest.
static const double least = 1e-12;

/// D_i := the largest S_ii so far. Returns the largest of all.
static double update_scale(const trm_solver *solver, double *D)
{
    const trm_pattern *p = solver->pattern;
    double largest = 0;
    for (int k = 0; k < p->nblocks; k++) {
        const double *S = solver->S + p->diagonal[k];
        for (int i = p->first[k]; i < p->first[k + 1]; i++, S += p->size[k] + 1) {
            D[i] = *S > D[i] ? *S : D[i];
            largest = D[i] > largest ? D[i] : largest;
        }
    }
    return largest;
}

/// D of the matrix that stands in S, none of its entries next to nothing.
static void scale_rows(const trm_solver *solver, double *D)
{
    const double floor_of_D = least * update_scale(solver, D);
    for (int i = 0; i < solver->n; i++) {
        D[i] = D[i] > floor_of_D ? D[i] : floor_of_D;
    }
}

/// L := S + delta D.
static void damp(trm_solver *solver, double delta, const double *D)
{
    const trm_pattern *p = solver->pattern;
    memcpy(solver->L, solver->S, (size_t)solver->values * sizeof(double));
    for (int k = 0; delta > 0 && k < p->nblocks; k++) {
        double *entry = solver->L + p->diagonal[k];
        for (int i = p->first[k]; i < p->first[k + 1]; i++, entry += p->size[k] + 1) {
            *entry += delta * D[i];
        }
    }
}

/// L diag(d) L^T of what stands in L. Returns the smallest pivot, NaN if one is not finite.
static double factor(trm_solver *solver)
{
    double smallest = INFINITY;
    for (int k = 0; k < solver->pattern->nblocks; k++) {
        const double pivot = eliminate(solver, k);
        smallest = pivot < smallest || isnan(pivot) ? pivot : smallest;
    }
    return smallest;
}

/// ratio = d/D - delta, in the order of g. Returns the smallest.
static double compare_pivots(trm_solver *solver, double delta, const double *D)
{
    const trm_pattern *p = solver->pattern;
    double smallest = INFINITY;
    for (int i = 0; i < p->n; i++) {
        const double ratio = D[i] > 0 ? 1 / (solver->inverse_pivot[i] * D[i]) - delta : 0;
        solver->ratio[p->row_of[i]] = ratio;
        smallest = ratio < smallest ? ratio : smallest;
    }
    return smallest;
}

/// A matrix is regular when its smallest ratio exceeds the first, and is tried without damping when
/// that of the last one exceeded the second. There the proximal step would change x by less than
/// (delta/ratio)^2, and it costs as much as the solve itself.
static const double regular = 1e-3;
static const double surely_regular = 1e-2;

static double factor_damped(trm_solver *solver, int which)
{
    double *D = solver->D[which];
    scale_rows(solver, D);
    double smallest = NAN;
    solver->damped = solver->ratio_min[which] < surely_regular;
    if (!solver->damped) {
        damp(solver, 0, D);
        smallest = factor(solver);
        solver->ratio_min[which] = compare_pivots(solver, 0, D);
        solver->damped = !(smallest > 0 && solver->ratio_min[which] > regular);
    }
    if (solver->damped) {
        damp(solver, solver->delta, D);
        smallest = factor(solver);
        solver->ratio_min[which] = compare_pivots(solver, solver->delta, D);
    }
    return smallest;
}

int trm_solver_factor(trm_solver *solver, int which)
{
    const double smallest = solver->delta > 0 ? factor_damped(solver, which) : factor(solver);
    return solver->n > 0 && !(smallest > 0 && isfinite(smallest));
}

// ------------------------------------------------------------------------------------ the solve

/// Column k of y := L^-1 y, followed by x_k := diag(1/d) x_k.
static inline void forward_column(const trm_solver *solver, int k, int n, int same, double *y)
{
    const trm_pattern *p = solver->pattern;
    const double *inverse_pivot = solver->inverse_pivot + p->first[k];
    double *x = y + p->first[k];
    divide_row(n, solver->L + p->diagonal[k], x);
    for (int c = 0; c < n; c++) {
        x[c] *= inverse_pivot[c];
    }
    for (int e = p->column[k]; e < p->column[k + 1]; e++) {
        const double *X = solver->L + p->offset[e];
        const int rows = same ? n : p->size[p->block[e]];
        double *z = y + p->row[e];
        for (int a = 0; a < rows; a++) {
            double sum = 0;
            for (int c = 0; c < n; c++) {
                sum += X[a * n + c] * x[c];
            }
            z[a] -= sum;
        }
    }
}

/// Column k of y := L^-T y.
static inline void backward_column(const trm_solver *solver, int k, int n, int same, double *y)
{
    const trm_pattern *p = solver->pattern;
    const double *L = solver->L + p->diagonal[k];
    const double *inverse_pivot = solver->inverse_pivot + p->first[k];
    double *x = y + p->first[k];
    for (int e = p->column[k]; e < p->column[k + 1]; e++) {
        const double *X = solver->L + p->offset[e];
        const int rows = same ? n : p->size[p->block[e]];
        const double *z = y + p->row[e];
        for (int a = 0; a < rows; a++) {
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

static void forward(const trm_solver *solver, int k, double *y)
{
    switch (solver->pattern->uniform[k]) {
    case 1:
        forward_column(solver, k, 1, 1, y);
        break;
    case 2:
        forward_column(solver, k, 2, 1, y);
        break;
    case 3:
        forward_column(solver, k, 3, 1, y);
        break;
    case 5:
        forward_column(solver, k, 5, 1, y);
        break;
    case 6:
        forward_column(solver, k, 6, 1, y);
        break;
    default:
        forward_column(solver, k, solver->pattern->size[k], 0, y);
    }
}

static void backward(const trm_solver *solver, int k, double *y)
{
    switch (solver->pattern->uniform[k]) {
    case 1:
        backward_column(solver, k, 1, 1, y);
        break;
    case 2:
        backward_column(solver, k, 2, 1, y);
        break;
    case 3:
        backward_column(solver, k, 3, 1, y);
        break;
    case 5:
        backward_column(solver, k, 5, 1, y);
        break;
    case 6:
        backward_column(solver, k, 6, 1, y);
        break;
    default:
        backward_column(solver, k, solver->pattern->size[k], 0, y);
    }
}

/// y := (L diag(d) L^T)^-1 y.
static void solve_once(const trm_solver *solver, double *y)
{
    const int nblocks = solver->pattern->nblocks;
    for (int k = 0; k < nblocks; k++) {
        forward(solver, k, y);
    }
    for (int k = nblocks - 1; k >= 0; k--) {
        backward(solver, k, y);
    }
}

/// y -= A x for one stored block, and for its mirror image when it is off the diagonal.
static inline void subtract_block(int rows, int columns, const double *A, const double *x,
                                  double *y)
{
    for (int a = 0; a < rows; a++) {
        double sum = 0;
        for (int b = 0; b < columns; b++) {
            sum += A[a * columns + b] * x[b];
        }
        y[a] -= sum;
    }
}

static inline void subtract_mirrored(int rows, int columns, const double *A, const double *x,
                                     double *y)
{
    for (int a = 0; a < rows; a++) {
        for (int b = 0; b < columns; b++) {
            y[b] -= A[a * columns + b] * x[a];
        }
    }
}

/// r -= S x, both in elimination order.
static void subtract_product(const trm_solver *solver, const double *x, double *r)
{
    const trm_pattern *p = solver->pattern;
    for (int k = 0; k < p->nblocks; k++) {
        const int n = p->size[k];
        const int column = p->first[k];
        subtract_block(n, n, solver->S + p->diagonal[k], x + column, r + column);
        for (int e = p->column[k]; e < p->column[k + 1]; e++) {
            const double *A = solver->S + p->offset[e];
            const int row = p->row[e];
            const int rows = p->size[p->block[e]];
            subtract_block(rows, n, A, x + column, r + row);
            subtract_mirrored(rows, n, A, x + row, r + column);
        }
    }
}

void trm_solver_solve(const trm_solver *solver, double *x)
{
    const int n = solver->n;
    const int *row_of = solver->pattern->row_of;
    double *x0 = solver->work;
    double *r = solver->work + n;
    for (int i = 0; i < n; i++) {
        x0[i] = x[row_of[i]];
    }
    memcpy(r, x0, (size_t)n * sizeof(double));
    solve_once(solver, x0); // x_0 = (S + delta D)^-1 r
    if (solver->damped) {
        subtract_product(solver, x0, r);
        solve_once(solver, r); // (S + delta D)^-1 (r - S x_0)
        for (int i = 0; i < n; i++) {
            x0[i] += r[i];
        }
    }
    for (int i = 0; i < n; i++) {
        x[row_of[i]] = x0[i];
    }
}

/// y = L^-T e_k is that combination: y^T S y = d_k, and y^T D y = 1 after scaling, so that
/// d_k / (y^T D y) bounds the smallest eigenvalue of D^-1/2 S D^-1/2 from above, and equals it to
/// first order where it vanishes.
void trm_solver_dependence(const trm_solver *solver, int which, int row, double *y, double *sigma)
{
    const trm_pattern *p = solver->pattern;
    const double *D = solver->D[which];
    double *x = solver->work;
    int at = 0;
    for (int i = 0; i < solver->n; i++) {
        x[i] = p->row_of[i] == row;
        at = p->row_of[i] == row ? i : at;
    }
    for (int k = p->nblocks - 1; k >= 0; k--) {
        backward(solver, k, x);
    }
    double length = 0;
    for (int i = 0; i < solver->n; i++) {
        length += D[i] * x[i] * x[i];
    }
    for (int i = 0; i < solver->n; i++) {
        y[p->row_of[i]] = x[i] * sqrt(D[i] / length);
    }
    const double ratio = solver->ratio[row];
    *sigma = ratio > 0 ? sqrt(ratio * D[at] / length) : 0;
}
