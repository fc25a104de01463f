#include "engine/row_rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// LAPACK, Fortran: column-major, everything by reference. Row-major A is A^T to it.
extern void dgeqp3_(const int *m, const int *n, double *A, const int *lda, int *jpvt, double *tau,
                    double *work, const int *lwork, int *info);
extern void dorgqr_(const int *m, const int *n, const int *k, double *A, const int *lda,
                    const double *tau, double *work, const int *lwork, int *info);

extern void dgeqrf_(const int *m, const int *n, double *A, const int *lda, double *tau,
                    double *work, const int *lwork, int *info);

/// C_k solves R11 c = R12_k; column j of R begins at A + j*columns.
static void combinations(int rows, int columns, const double *A, trm_row_basis *out)
{
    const int rank = out->rank;
    for (int k = 0; k < rows - rank; k++) {
        double *const c = out->C + (size_t)k * (size_t)rank;
        const double *const r = A + (size_t)(rank + k) * (size_t)columns;
        for (int i = rank - 1; i >= 0; i--) {
            double sum = r[i];
            for (int j = i + 1; j < rank; j++) {
                sum -= A[(size_t)j * (size_t)columns + (size_t)i] * c[j];
            }
            c[i] = sum / A[(size_t)i * (size_t)columns + (size_t)i];
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
                   double *tau, double *work, int length)
{
    int info = 0;
    memset(out->order, 0, (size_t)rows * sizeof(int));
    dgeqp3_(&columns, &rows, A, &columns, out->order, tau, work, &length, &info);
    for (int i = 0; i < rows; i++) {
        out->order[i]--; // Fortran counts from 1
    }
    out->rank = count_pivots(rows, columns, A, tolerance);
    if (out->C) {
        combinations(rows, columns, A, out);
    }
    if (out->Q && out->rank > 0) {
        dorgqr_(&columns, &out->rank, &out->rank, A, &columns, tau, work, &length, &info);
        memcpy(out->Q, A, (size_t)out->rank * (size_t)columns * sizeof(double));
    }
}

int trm_row_rank(int rows, int columns, double *A, double tolerance, trm_row_basis *out)
{
    out->rank = 0;
    if (rows == 0 || columns == 0) {
        for (int i = 0; i < rows; i++) {
            out->order[i] = i;
        }
        return 1;
    }
    const int length = 34 * (rows + columns + 1);
    double *const work = malloc((size_t)(length + rows) * sizeof(double));
    if (!work) {
        return 0;
    }
    factor(rows, columns, A, tolerance, out, work, work + rows, length);
    free(work);
    return 1;
}

void trm_row_basis_remove(const trm_row_basis *basis, int columns, double *x)
{
    for (int i = 0; i < basis->rank; i++) {
        const double *const q = basis->Q + (size_t)i * (size_t)columns;
        double sum = 0;
        for (int j = 0; j < columns; j++) {
            sum += q[j] * x[j];
        }
        for (int j = 0; j < columns; j++) {
            x[j] -= sum * q[j];
        }
    }
}

/// Q^T = Q1 R with Q1 square: its columns behind the first `rank` are the complement.
int trm_row_basis_complement(const trm_row_basis *basis, int columns, double *out)
{
    const size_t n = (size_t)columns, rank = (size_t)basis->rank;
    const int length = 34 * (columns + 1);
    double *const A = malloc((n * n + n + (size_t)length) * sizeof *A);
    int info = 0;
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
        dgeqrf_(&columns, &basis->rank, A, &columns, tau, work, &length, &info);
        dorgqr_(&columns, &columns, &basis->rank, A, &columns, tau, work, &length, &info);
    }
    memcpy(out, A + rank * n, (n - rank) * n * sizeof *A);
    free(A);
    return 1;
}
