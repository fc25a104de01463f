#include "engine/rank/row_rank.h"
#include "base/linear/qr.h"
#include "base/linear/sums.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// C_k solves R11 c = R12_k, R[i + j*columns] the entries of R.
static void combinations(int rows, size_t columns, const double *R, trm_row_basis *out)
{
    const int rank = out->rank;
    for (int k = 0; k < rows - rank; k++) {
        double *const c = out->C + (size_t)k * (size_t)rank;
        for (int i = rank - 1; i >= 0; i--) {
            const double *const r = R + i;
            double sum = r[(size_t)(rank + k) * columns];
            for (int j = i + 1; j < rank; j++) {
                sum -= r[(size_t)j * columns] * c[j];
            }
            c[i] = sum / r[(size_t)i * columns];
        }
    }
}

static int count_pivots(int rows, int columns, const double *A, double tolerance)
{
    const int most = rows < columns ? rows : columns;
    int rank = 0;
    while (rank < most && fabs(A[(size_t)rank * (size_t)columns + (size_t)rank]) > tolerance) {
        rank++;
    }
    return rank;
}

static void factor(int rows, int columns, double *A, double tolerance, trm_row_basis *out,
                   double *tau, double *work)
{
    trm_qr(columns, rows, A, out->order, tau, work);
    out->rank = count_pivots(rows, columns, A, tolerance);
    out->rank = out->most > 0 && out->most < out->rank ? out->most : out->rank;
    out->left = out->rank < rows && out->rank < columns
                    ? fabs(A[(size_t)out->rank * (size_t)columns + (size_t)out->rank])
                    : 0;
    if (out->C) {
        combinations(rows, (size_t)columns, A, out);
    }
    if (out->Q && out->rank > 0) {
        trm_qr_form(columns, out->rank, out->rank, A, tau);
        memcpy(out->Q, A, (size_t)out->rank * (size_t)columns * sizeof(double));
    }
}

// --------------------------------------------------------------------------------- many, sparse

/// Beyond these multiplications, seconds, the search for dependent rows keeps to their entries.
static const double most = 1e9;

/// By reflections likewise; but of all rows that have at least half the longest remainder, the one
/// with fewest entries is next, and what is rounding of unit rows is no entry.
typedef struct elimination {
    int rows, columns;
    double *A, *left; ///< [rows] the remainders' lengths
    int *entries;     ///< [rows] of them
    int *pivot;       ///< [rows] column that the k-th independent row removed
    int *list, *gone; ///< [columns] of one remainder; removed
} elimination;

static double *row_of(const elimination *e, int j)
{
    return e->A + (size_t)j * (size_t)e->columns;
}

/// What is left of row j, its columns to the list.
static void look(elimination *e, int j)
{
    double *const x = row_of(e, j);
    double sum = 0;
    int n = 0;
    for (int i = 0; i < e->columns; i++) {
        if (x[i] != 0 && !e->gone[i]) {
            x[i] = fabs(x[i]) > DBL_EPSILON ? x[i] : 0;
            sum += x[i] * x[i];
            e->list[n] = i;
            n += x[i] != 0;
        }
    }
    e->entries[j] = n;
    e->left[j] = sqrt(sum);
}

/// The row to come first of those from `k` on; *longest: of their remainders.
static int choose(const elimination *e, const int *order, int k, double *longest)
{
    *longest = 0;
    for (int l = k; l < e->rows; l++) {
        *longest = fmax(*longest, e->left[order[l]]);
    }
    int best = -1;
    for (int l = k; l < e->rows; l++) {
        if (e->left[order[l]] >= *longest / 2 &&
            (best < 0 || e->entries[order[l]] < e->entries[order[best]])) {
            best = l;
        }
    }
    return best;
}

/// The k-th independent row reflects those behind it: w = x - beta e_p removes column p.
static void eliminate(elimination *e, const int *order, int k)
{
    look(e, order[k]);
    double *const x = row_of(e, order[k]);
    const int n = e->entries[order[k]], p = e->list[0];
    const double beta = -copysign(e->left[order[k]], x[p]), scale = beta * (beta - x[p]);
    x[p] -= beta;
    int *const list = e->list + e->columns; // look writes the other
    memcpy(list, e->list, (size_t)n * sizeof *list);
    e->pivot[k] = p;
    e->gone[p] = 1;
    for (int l = k + 1; l < e->rows; l++) {
        double *const y = row_of(e, order[l]);
        double sum = 0;
        for (int i = 0; i < n; i++) {
            sum += x[list[i]] * y[list[i]];
        }
        if (fabs(sum) > DBL_EPSILON * fabs(beta)) {
            for (int i = 0; i < n; i++) {
                y[list[i]] -= sum / scale * x[list[i]];
            }
            look(e, order[l]);
        }
    }
    for (int i = 0; i < n; i++) {
        x[list[i]] = 0;
    }
    x[p] = beta;
}

static void combine(const elimination *e, trm_row_basis *out)
{
    for (int k = out->rank; k < e->rows; k++) {
        double *const x = row_of(e, out->order[k]);
        double *const c = out->C + (size_t)(k - out->rank) * (size_t)out->rank;
        for (int j = out->rank - 1; j >= 0; j--) {
            const double *const r = row_of(e, out->order[j]);
            c[j] = x[e->pivot[j]] / r[e->pivot[j]];
            for (int i = 0; i < e->columns && fabs(c[j]) > DBL_EPSILON; i++) {
                x[i] -= c[j] * r[i];
            }
        }
    }
}

static int sparse(int rows, int columns, double *A, double tolerance, trm_row_basis *out)
{
    const size_t n = (size_t)rows, m = (size_t)columns;
    double *const left = calloc(n + n + 2 * m, sizeof *left); // ints take half of the rest
    if (!left) {
        return 0;
    }
    int *const ints = (int *)(left + n);
    elimination e = {rows, columns, A, left, ints, ints + n, ints + 2 * n, ints + 2 * n + 2 * m};
    for (int j = 0; j < rows; j++) {
        out->order[j] = j;
        look(&e, j);
    }
    const int end = out->most > 0 && out->most < rows ? out->most : rows;
    for (int k = 0; k < end; k++) {
        const int best = choose(&e, out->order, k, &out->left);
        if (!(out->left > tolerance)) {
            break;
        }
        const int row = out->order[best];
        out->order[best] = out->order[k];
        out->order[k] = row;
        eliminate(&e, out->order, k);
        out->rank = k + 1;
    }
    if (out->C) {
        combine(&e, out);
    }
    free(left);
    return 1;
}

size_t trm_row_rank_work(int rows)
{
    return 3 * (size_t)rows;
}

int trm_row_rank(int rows, int columns, double *A, double tolerance, trm_row_basis *out)
{
    out->rank = 0;
    out->left = 0;
    if (rows == 0 || columns == 0) {
        for (int i = 0; i < rows; i++) {
            out->order[i] = i;
        }
        return 1;
    }
    if (!out->Q && !out->work && (double)rows * rows * columns > most) {
        return sparse(rows, columns, A, tolerance, out);
    }
    double *const work = out->work ? out->work : malloc(trm_row_rank_work(rows) * sizeof *work);
    if (!work) {
        return 0;
    }
    factor(rows, columns, A, tolerance, out, work, work + rows);
    if (!out->work) {
        free(work);
    }
    return 1;
}

void trm_row_basis_remove(const trm_row_basis *basis, int columns, double *x)
{
    for (int i = 0; i < basis->rank; i++) {
        const double *const q = basis->Q + (size_t)i * (size_t)columns;
        const double sum = trm_dot(columns, q, x);
        for (int j = 0; j < columns; j++) {
            x[j] -= sum * q[j];
        }
    }
}

/// Q^T = Q1 R with Q1 square: its columns behind the first `rank` are the complement.
int trm_row_basis_complement(const trm_row_basis *basis, int columns, double *out)
{
    const size_t n = (size_t)columns, rank = (size_t)basis->rank;
    double *const A = malloc((n * n + 3 * n) * sizeof *A);
    if (!A) {
        return 0;
    }
    double *const tau = A + n * n, *const work = tau + n;
    memset(A, 0, n * n * sizeof *A);
    for (size_t i = 0; rank == 0 && i < n; i++) {
        A[i * n + i] = 1;
    }
    if (rank > 0) {
        memcpy(A, basis->Q, rank * n * sizeof *A);
        trm_qr(columns, basis->rank, A, NULL, tau, work);
        trm_qr_form(columns, columns, basis->rank, A, tau);
    }
    memcpy(out, A + rank * n, (n - rank) * n * sizeof *A);
    free(A);
    return 1;
}
