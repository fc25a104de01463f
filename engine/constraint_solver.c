#include "engine/constraint_solver.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/amd.h>

// LAPACK, Fortran: column-major, everything by reference
extern void dpotrf_(const char *uplo, const int *n, double *A, const int *lda, int *info,
                    size_t uplo_length);
extern void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *A,
                    const int *lda, double *b, const int *ldb, int *info, size_t uplo_length);
extern void dpstrf_(const char *uplo, const int *n, double *A, const int *lda, int *piv, int *rank,
                    const double *tol, double *work, int *info, size_t uplo_length);

/// Columns of L in elimination order. Column k holds its diagonal block, then one block for every
/// later column that it touches, in ascending order.
struct trm_pattern {
    int nblocks, n, values;
    int *order;    ///< [nblocks] block eliminated k-th
    int *place;    ///< [nblocks] inverse of order
    int *size;     ///< [nblocks] rows, by elimination
    int *first;    ///< [nblocks+1] first row, by elimination
    int *row_of;   ///< [n] row of g of a row in elimination order
    int *diagonal; ///< [nblocks] where the values of a diagonal block begin
    int *column;   ///< [nblocks+1] where the blocks of a column begin in `block` and `offset`
    int *block;    ///< [column[nblocks]] elimination index of the block's row
    int *offset;   ///< [column[nblocks]] where its values begin
    int *
        target; ///< for every column, every pair i >= j of its off-diagonal blocks: values of (i, j)
    int *targets; ///< [nblocks+1] where the targets of a column begin
};

// --------------------------------------------------------------------------------- the pattern

static int *new_ints(int count)
{
    return calloc(count > 0 ? (size_t)count : 1, sizeof(int));
}

/// Neighbours of every block, both directions, without repeats: columns of a sparse matrix.
typedef struct block_graph {
    int n;
    int *start;     ///< [n+1]
    int *neighbour; ///< [start[n]]
} block_graph;

static void graph_destroy(block_graph *graph)
{
    free(graph->start);
    free(graph->neighbour);
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/// Sort each list and drop repeats.
static void graph_tidy(block_graph *graph)
{
    int kept = 0;
    int from = 0;
    for (int i = 0; i < graph->n; i++) {
        const int to = graph->start[i + 1];
        qsort(graph->neighbour + from, (size_t)(to - from), sizeof(int), ascending);
        const int first = kept;
        for (int k = from; k < to; k++) {
            if (kept == first || graph->neighbour[kept - 1] != graph->neighbour[k]) {
                graph->neighbour[kept++] = graph->neighbour[k];
            }
        }
        graph->start[i] = first;
        from = to;
    }
    graph->start[graph->n] = kept;
}

static int graph_create(block_graph *graph, int n, int npairs, const int *pairs)
{
    int *end = new_ints(n);
    *graph = (block_graph){.n = n, .start = new_ints(n + 1), .neighbour = new_ints(2 * npairs)};
    const int ok = end && graph->start && graph->neighbour;
    if (ok) {
        for (int k = 0; k < 2 * npairs; k++) {
            graph->start[pairs[k] + 1]++;
        }
        for (int i = 0; i < n; i++) {
            graph->start[i + 1] += graph->start[i];
            end[i] = graph->start[i];
        }
        for (int k = 0; k < npairs; k++) {
            const int i = pairs[2 * k];
            const int j = pairs[2 * k + 1];
            graph->neighbour[end[i]++] = j;
            graph->neighbour[end[j]++] = i;
        }
        graph_tidy(graph);
    }
    free(end);
    return ok;
}

/// What the symbolic factorization works on: children of a column are linked from `child` through
/// `sibling`; mark[i] == k says that column k has block i already.
typedef struct symbolic {
    trm_pattern *p;
    const block_graph *graph;
    int *child, *sibling, *mark;
    int capacity; ///< of p->block
} symbolic;

static int append_block(symbolic *sy, int *count, int i)
{
    trm_pattern *p = sy->p;
    if (*count == sy->capacity) {
        const int capacity = 2 * sy->capacity + 64;
        int *block = realloc(p->block, (size_t)capacity * sizeof(int));
        if (!block) {
            return 0;
        }
        p->block = block;
        sy->capacity = capacity;
    }
    p->block[(*count)++] = i;
    return 1;
}

/// Column k of L touches its later neighbours and whatever its children touch.
static int column_structure(symbolic *sy, int k, int *count)
{
    trm_pattern *p = sy->p;
    const int first = *count;
    int ok = 1;
    sy->mark[k] = k;
    const int original = p->order[k];
    for (int e = sy->graph->start[original]; ok && e < sy->graph->start[original + 1]; e++) {
        const int i = p->place[sy->graph->neighbour[e]];
        if (i > k && sy->mark[i] != k) {
            sy->mark[i] = k;
            ok = append_block(sy, count, i);
        }
    }
    for (int c = sy->child[k]; ok && c >= 0; c = sy->sibling[c]) {
        for (int e = p->column[c]; ok && e < p->column[c + 1]; e++) {
            const int i = p->block[e];
            if (sy->mark[i] != k) {
                sy->mark[i] = k;
                ok = append_block(sy, count, i);
            }
        }
    }
    if (ok && *count > first) {
        qsort(p->block + first, (size_t)(*count - first), sizeof(int), ascending);
        const int parent = p->block[first];
        sy->sibling[k] = sy->child[parent];
        sy->child[parent] = k;
    }
    return ok;
}

static int symbolic_factorization(trm_pattern *p, const block_graph *graph)
{
    symbolic sy = {.p = p,
                   .graph = graph,
                   .child = new_ints(p->nblocks),
                   .sibling = new_ints(p->nblocks),
                   .mark = new_ints(p->nblocks)};
    int ok = sy.child && sy.sibling && sy.mark;
    for (int k = 0; ok && k < p->nblocks; k++) {
        sy.child[k] = -1;
        sy.mark[k] = -1;
    }
    int count = 0;
    for (int k = 0; ok && k < p->nblocks; k++) {
        ok = column_structure(&sy, k, &count);
        p->column[k + 1] = count;
    }
    free(sy.child);
    free(sy.sibling);
    free(sy.mark);
    return ok;
}

/// Number the values: per column the diagonal block, then its off-diagonal blocks.
static int number_values(trm_pattern *p)
{
    p->offset = new_ints(p->column[p->nblocks]);
    p->diagonal = new_ints(p->nblocks);
    if (!p->offset || !p->diagonal) {
        return 0;
    }
    for (int k = 0; k < p->nblocks; k++) {
        p->diagonal[k] = p->values;
        p->values += p->size[k] * p->size[k];
        for (int e = p->column[k]; e < p->column[k + 1]; e++) {
            p->offset[e] = p->values;
            p->values += p->size[p->block[e]] * p->size[k];
        }
    }
    return 1;
}

/// Offset of block (i, j), i >= j in elimination order.
static int find_block(const trm_pattern *p, int i, int j)
{
    if (i == j) {
        return p->diagonal[j];
    }
    int low = p->column[j];
    int high = p->column[j + 1] - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (p->block[middle] < i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return p->offset[low];
}

/// For every column the places that its elimination updates: all pairs of its blocks.
static int number_targets(trm_pattern *p)
{
    p->targets = new_ints(p->nblocks + 1);
    if (!p->targets) {
        return 0;
    }
    for (int k = 0; k < p->nblocks; k++) {
        const int m = p->column[k + 1] - p->column[k];
        p->targets[k + 1] = p->targets[k] + m * (m + 1) / 2;
    }
    p->target = new_ints(p->targets[p->nblocks]);
    int next = 0;
    for (int k = 0; p->target && k < p->nblocks; k++) {
        for (int e = p->column[k]; e < p->column[k + 1]; e++) {
            for (int f = p->column[k]; f <= e; f++) {
                p->target[next++] = find_block(p, p->block[e], p->block[f]);
            }
        }
    }
    return p->target != NULL;
}

/// Sizes and row numbers in elimination order.
static void number_rows(trm_pattern *p, const int *size)
{
    for (int k = 0; k < p->nblocks; k++) {
        p->size[k] = size[p->order[k]];
        p->place[p->order[k]] = k;
        p->first[k + 1] = p->first[k] + p->size[k];
    }
    int row = 0;
    for (int block = 0; block < p->nblocks; block++) {
        for (int i = 0; i < size[block]; i++) {
            p->row_of[p->first[p->place[block]] + i] = row++;
        }
    }
}

trm_pattern *trm_pattern_create(int nblocks, const int *size, int npairs, const int *pairs)
{
    trm_pattern *p = calloc(1, sizeof *p);
    block_graph graph = {0};
    if (!p) {
        return NULL;
    }
    p->nblocks = nblocks;
    for (int i = 0; i < nblocks; i++) {
        p->n += size[i];
    }
    p->order = new_ints(nblocks);
    p->place = new_ints(nblocks);
    p->size = new_ints(nblocks);
    p->first = new_ints(nblocks + 1);
    p->row_of = new_ints(p->n);
    p->column = new_ints(nblocks + 1);
    int ok = p->order && p->place && p->size && p->first && p->row_of && p->column &&
             graph_create(&graph, nblocks, npairs, pairs);
    if (ok && nblocks > 0) {
        double control[AMD_CONTROL];
        double info[AMD_INFO];
        amd_defaults(control);
        const int status =
            amd_order(nblocks, graph.start, graph.neighbour, p->order, control, info);
        ok = status == AMD_OK || status == AMD_OK_BUT_JUMBLED;
    }
    if (ok) {
        number_rows(p, size);
        ok = symbolic_factorization(p, &graph) && number_values(p) && number_targets(p);
    }
    graph_destroy(&graph);
    if (!ok) {
        trm_pattern_destroy(p);
        p = NULL;
    }
    return p;
}

void trm_pattern_destroy(trm_pattern *p)
{
    if (p) {
        free(p->order);
        free(p->place);
        free(p->size);
        free(p->first);
        free(p->row_of);
        free(p->column);
        free(p->block);
        free(p->offset);
        free(p->diagonal);
        free(p->target);
        free(p->targets);
        free(p);
    }
}

int trm_pattern_offset(const trm_pattern *p, int i, int j, int *transposed)
{
    const int a = p->place[i];
    const int b = p->place[j];
    *transposed = a < b;
    return a < b ? find_block(p, b, a) : find_block(p, a, b);
}

// ---------------------------------------------------------------------------- the factorization

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

// ------------------------------------------------------------------------------- dense matrices

/// Coefficients of the dependent rows: row k of L is c L11 with L11 the factor of the independent
/// ones, so c solves L11^T c = L_k. A holds L column-major, as LAPACK left it.
static void dependence(int n, int rank, double *A, double *c)
{
    for (int k = rank; k < n; k++) {
        for (int i = rank - 1; i >= 0; i--) {
            double sum = A[i * n + k];
            for (int j = i + 1; j < rank; j++) {
                sum -= A[i * n + j] * c[j];
            }
            c[i] = sum / A[i * n + i];
        }
        for (int i = 0; i < rank; i++) {
            A[i * n + k] = c[i];
        }
    }
    // into rows; the upper triangle is not needed any more
    for (int k = rank; k < n; k++) {
        for (int i = 0; i < rank; i++) {
            A[k * n + i] = A[i * n + k];
        }
    }
}

int trm_rank(int n, double *A, double tolerance, int *order)
{
    double *work = malloc(2 * (size_t)(n > 0 ? n : 1) * sizeof(double));
    int rank = 0;
    int info = 0;
    if (!work) {
        return -1;
    }
    if (n > 0) {
        dpstrf_("L", &n, A, &n, order, &rank, &tolerance, work, &info, 1);
        for (int i = 0; i < n; i++) {
            order[i]--; // Fortran counts from 1
        }
        dependence(n, rank, A, work);
    }
    free(work);
    return rank;
}

int trm_cholesky(int n, double *A)
{
    int info = 0;
    dpotrf_("L", &n, A, &n, &info, 1);
    return info != 0;
}

void trm_cholesky_solve(int n, const double *A, double *x)
{
    const int one = 1;
    int info = 0;
    dpotrs_("L", &n, &one, A, &n, x, &n, &info, 1);
}
