#include "base/linear/dense.h"
#include "base/linear/lapack.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/// Row-major A is A^T = P L U to the columns of LAPACK, which counts pivots from 1.
void trm_lu(int n, double *A, int *pivots)
{
    const trm_lapack *const lapack = n > TRM_LAPACK_FROM ? trm_lapack_open() : NULL;
    if (lapack) {
        int info = 0;
        lapack->dgetrf(&n, &n, A, &n, pivots, &info);
        return;
    }
    for (int k = 0; k < n; k++) {
        double *const restrict pivot = A + k * n;
        int best = k;
        for (int i = k + 1; i < n; i++) {
            best = fabs(pivot[i]) > fabs(pivot[best]) ? i : best;
        }
        pivots[k] = best + 1;
        for (int j = 0; best != k && j < n; j++) {
            const double kept = A[j * n + k];
            A[j * n + k] = A[j * n + best];
            A[j * n + best] = kept;
        }
        for (int i = k + 1; pivot[k] != 0 && i < n; i++) {
            pivot[i] /= pivot[k];
        }
        for (int j = k + 1; j < n; j++) {
            double *const restrict x = A + j * n;
            for (int i = k + 1; i < n; i++) {
                x[i] -= x[k] * pivot[i];
            }
        }
    }
}

/// A x = U^T L^T P^T x.
void trm_lu_solve(int n, const double *A, const int *pivots, double *x)
{
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < j; i++) {
            x[j] -= A[j * n + i] * x[i];
        }
        x[j] /= A[j * n + j];
    }
    for (int j = n - 1; j >= 0; j--) {
        for (int i = j + 1; i < n; i++) {
            x[j] -= A[j * n + i] * x[i];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        const double kept = x[k];
        x[k] = x[pivots[k] - 1];
        x[pivots[k] - 1] = kept;
    }
}

/// A = U^T U, U in the upper triangle, row by row.
int trm_cholesky(int n, double *A)
{
    for (int k = 0; k < n; k++) {
        double *restrict row = A + k * n;
        if (!(row[k] > 0) || !isfinite(row[k])) {
            return 1;
        }
        row[k] = sqrt(row[k]);
        for (int j = k + 1; j < n; j++) {
            row[j] /= row[k];
        }
        for (int i = k + 1; i < n; i++) {
            double *restrict below = A + i * n;
            for (int j = i; j < n; j++) {
                below[j] -= row[i] * row[j];
            }
        }
    }
    return 0;
}

/// U^T y = x, U x = y
void trm_cholesky_solve(int n, const double *A, double *x)
{
    for (int i = 0; i < n; i++) {
        x[i] /= A[i * n + i];
        for (int j = i + 1; j < n; j++) {
            x[j] -= A[i * n + j] * x[i];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) {
            x[i] -= A[i * n + j] * x[j];
        }
        x[i] /= A[i * n + i];
    }
}

int trm_eigen(int n, double *A, double *re, double *im, double *X, double *Y)
{
    const int length = 10 * n + 1;
    int info = 0;
    double *const work = malloc(((size_t)n * (size_t)n + (size_t)length) * sizeof *work);
    if (!work) {
        return -1;
    }
    const trm_lapack *const lapack = trm_lapack_open();
    double *const T = work + length; // LAPACK counts column by column
    for (size_t i = 0; i < (size_t)n; i++) {
        for (size_t j = 0; j < (size_t)n; j++) {
            T[j * (size_t)n + i] = A[i * (size_t)n + j];
        }
    }
    info = !lapack;
    if (lapack && n > 0) {
        lapack->dgeev("V", "V", &n, T, &n, re, im, Y, &n, X, &n, work, &length, &info, 1, 1);
    }
    free(work);
    return info != 0;
}

int trm_eigen_symmetric(int n, double *A, double *values)
{
    const int length = 34 * n + 1;
    int info = 0;
    double *const work = malloc((size_t)length * sizeof *work);
    if (!work) {
        return -1;
    }
    const trm_lapack *const lapack = trm_lapack_open();
    info = !lapack;
    if (lapack && n > 0) {
        lapack->dsyev("V", "L", &n, A, &n, values, work, &length, &info, 1, 1);
    }
    free(work);
    return info != 0;
}

int trm_least_norm(int m, int n, const double *A, const double *b, double *x)
{
    const int one = 1, length = 8 * (m + n) + 64;
    const double everything = -1; // singular values down to roundoff
    int rank = 0, info = 0;
    double *const T = malloc(((size_t)m * (size_t)n + (size_t)m + (size_t)length) * sizeof *T);
    if (!T) {
        return -1;
    }
    double *const s = T + (size_t)m * (size_t)n, *const work = s + m;
    for (size_t i = 0; i < (size_t)m; i++) {
        for (size_t j = 0; j < (size_t)n; j++) {
            T[j * (size_t)m + i] = A[i * (size_t)n + j];
        }
        x[i] = b[i];
    }
    const trm_lapack *const lapack = trm_lapack_open();
    info = !lapack;
    if (lapack && m > 0) {
        lapack->dgelss(&m, &n, &one, T, &m, x, &n, s, &everything, &rank, work, &length, &info);
    }
    free(T);
    return info != 0;
}
