#include "engine/rank/row_rank.h"
#include "base/linear/qr.h"
#include "base/linear/sums.h"

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
