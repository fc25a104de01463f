#include "base/dense.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// LAPACK, Fortran: column-major, everything by reference
extern void dgetrf_(const int *m, const int *n, double *A, const int *lda, int *ipiv, int *info);
extern void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *A,
                    const int *lda, const int *ipiv, double *B, const int *ldb, int *info,
                    size_t trans_length);
extern void dgbsv_(const int *n, const int *kl, const int *ku, const int *nrhs, double *AB,
                   const int *ldab, int *ipiv, double *B, const int *ldb, int *info);

extern void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *A, const int *lda,
                   double *wr, double *wi, double *VL, const int *ldvl, double *VR, const int *ldvr,
                   double *work, const int *lwork, int *info, size_t, size_t);
extern void dsyev_(const char *jobz, const char *uplo, const int *n, double *A, const int *lda,
                   double *w, double *work, const int *lwork, int *info, size_t, size_t);
extern void dgelss_(const int *m, const int *n, const int *nrhs, double *A, const int *lda,
                    double *B, const int *ldb, double *s, const double *rcond, int *rank,
                    double *work, const int *lwork, int *info);

void trm_lu(int n, double *A, int *pivots)
{
    int info = 0;
    if (n == 0) { // LAPACK would print an error message for an empty matrix
        return;
    }
    dgetrf_(&n, &n, A, &n, pivots, &info);
}

/// Row-major A is A^T to LAPACK, so A x = b is solved with the transposed factors.
void trm_lu_solve(int n, const double *A, const int *pivots, double *x)
{
    const int one = 1;
    int info = 0;
    if (n == 0) {
        return;
    }
    dgetrs_("T", &n, &one, A, &n, pivots, x, &n, &info, 1);
}

trm_band trm_band_of(int n, int width)
{
    // the band, and `width` more rows that row exchanges fill
    return (trm_band){.n = n, .width = width, .rows = 3 * width + 1};
}

int trm_band_size(const trm_band *band)
{
    return band->rows * band->n;
}

void trm_band_clear(trm_band *band)
{
    memset(band->A, 0, (size_t)band->rows * (size_t)band->n * sizeof(double));
}

double *trm_band_at(const trm_band *band, int i, int j)
{
    return &band->A[j * band->rows + 2 * band->width + i - j];
}

int trm_band_solve(trm_band *band, double *x)
{
    const int one = 1;
    int info = 0;
    dgbsv_(&band->n, &band->width, &band->width, &one, band->A, &band->rows, band->exchanged, x,
           &band->n, &info);
    return info != 0;
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
    double *const T = work + length; // LAPACK counts column by column
    for (size_t i = 0; i < (size_t)n; i++) {
        for (size_t j = 0; j < (size_t)n; j++) {
            T[j * (size_t)n + i] = A[i * (size_t)n + j];
        }
    }
    if (n > 0) {
        dgeev_("V", "V", &n, T, &n, re, im, Y, &n, X, &n, work, &length, &info, 1, 1);
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
    if (n > 0) {
        dsyev_("V", "L", &n, A, &n, values, work, &length, &info, 1, 1);
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
    if (m > 0) {
        dgelss_(&m, &n, &one, T, &m, x, &n, s, &everything, &rank, work, &length, &info);
    }
    free(T);
    return info != 0;
}
