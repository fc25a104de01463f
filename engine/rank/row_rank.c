#include "engine/rank/row_rank.h"
#include "base/linear/lapack.h"
#include "base/linear/qr.h"
#include "base/linear/sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// C_k solves R11 c = R12_k, R[i*row + j*column] the entries of R.
static void combinations(int rows, size_t row, size_t column, const double *R, trm_row_basis *out)
{
    const int rank = out->rank;
    for (int k = 0; k < rows - rank; k++) {
        double *const c = out->C + (size_t)k * (size_t)rank;
        for (int i = rank - 1; i >= 0; i--) {
            const double *const r = R + (size_t)i * row;
            double sum = r[(size_t)(rank + k) * column];
            for (int j = i + 1; j < rank; j++) {
                sum -= r[(size_t)j * column] * c[j];
            }
            c[i] = sum / r[(size_t)i * column];
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
    const trm_lapack *const lapack = rows > TRM_LAPACK_FROM ? trm_lapack_open() : NULL;
    int info = 0;
    if (lapack) {
        memset(out->order, 0, (size_t)rows * sizeof(int));
        lapack->dgeqp3(&columns, &rows, A, &columns, out->order, tau, work, &length, &info);
        for (int i = 0; i < rows; i++) {
            out->order[i]--; // Fortran counts from 1
        }
    } else {
        trm_qr(columns, rows, A, out->order, tau, work);
    }
    out->rank = count_pivots(rows, columns, A, tolerance);
    out->rank = out->most > 0 && out->most < out->rank ? out->most : out->rank;
    out->left = out->rank < rows && out->rank < columns
                    ? fabs(A[(size_t)out->rank * (size_t)columns + (size_t)out->rank])
                    : 0;
    if (out->C) {
        combinations(rows, 1, (size_t)columns, A, out); // column j begins at A + j*columns
    }
    if (out->Q && out->rank > 0) {
        if (lapack) {
            lapack->dorgqr(&columns, &out->rank, &out->rank, A, &columns, tau, work, &length,
                           &info);
        } else {
            trm_qr_form(columns, out->rank, out->rank, A, tau);
        }
        memcpy(out->Q, A, (size_t)out->rank * (size_t)columns * sizeof(double));
    }
}

// ------------------------------------------------------------------------------- many rows

/// The squared remainder of row k: its pivot if it came next. L is column-major.
static double left_of(int rows, int rank, const double *L, double length2, int k)
{
    double left = length2;
    for (int i = 0; i < rank; i++) {
        const double l = L[(size_t)i * (size_t)rows + (size_t)k];
        left -= l * l;
    }
    return fabs(left);
}

/// S = A A^T, lower triangle of a column-major matrix; joints touch few
/// bodies, so that rows are mostly zero.
static void square_of(int rows, int columns, const double *A, int *nonzero, double *S)
{
    const size_t n = (size_t)rows, m = (size_t)columns;
    for (size_t j = 0; j < n; j++) {
        const double *const a = A + j * m;
        int count = 0;
        for (int k = 0; k < columns; k++) {
            nonzero[count] = k;
            count += a[k] != 0;
        }
        for (size_t i = j; i < n; i++) {
            const double *const b = A + i * m;
            double sum = 0;
            for (int k = 0; k < count; k++) {
                sum += a[nonzero[k]] * b[nonzero[k]];
            }
            S[j * n + i] = sum;
        }
    }
}

/// Factors S = A A^T. Returns whether its pivots are above roundoff.
static int factor_square(const trm_lapack *lapack, int rows, double tolerance, trm_row_basis *out,
                         double *S, double *work)
{
    const double small = fmax(1e-8, tolerance * tolerance); // roundoff is 1e-13
    int info = 0, certain = 1;
    out->left = 0;
    double *const length2 = work + 2 * (size_t)rows;
    for (int i = 0; i < rows; i++) {
        length2[i] = S[(size_t)i * (size_t)rows + (size_t)i];
    }
    lapack->dpstrf("L", &rows, S, &rows, out->order, &out->rank, &small, work, &info, 1);
    for (int i = 0; i < rows; i++) {
        out->order[i]--; // Fortran counts from 1
    }
    for (int k = out->rank; k < rows; k++) {
        const double left = left_of(rows, out->rank, S, length2[out->order[k]], k);
        certain = certain && left <= tolerance * tolerance;
        out->left = fmax(left > 1e-12 ? sqrt(left) : 0, out->left); // else roundoff
    }
    return certain;
}

/// Returns whether that was enough.
static int rank_by_square(const trm_lapack *lapack, int rows, int columns, const double *A,
                          double tolerance, trm_row_basis *out, double *work)
{
    const size_t n = (size_t)rows;
    square_of(rows, columns, A, (int *)(work + n * n + 3 * n), work);
    const int certain = factor_square(lapack, rows, tolerance, out, work, work + n * n);
    if (certain && out->C) {
        combinations(rows, n, 1, work, out); // R = L^T, L column-major
    }
    return certain;
}

/// Of LAPACK, blocks of 32.
static int length_of_work(int rows, int columns)
{
    return 34 * (rows + columns + 1);
}

size_t trm_row_rank_work(int rows, int columns)
{
    const size_t n = (size_t)rows, m = (size_t)columns;
    const size_t square = rows > TRM_LAPACK_FROM ? n * n + 3 * n + m : 0;
    const size_t direct = (size_t)length_of_work(rows, columns) + n;
    return square > direct ? square : direct;
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
    const size_t room = trm_row_rank_work(rows, columns) * sizeof(double);
    double *const work = out->work ? out->work : malloc(room);
    if (!work) {
        return 0;
    }
    const trm_lapack *const lapack = rows > TRM_LAPACK_FROM ? trm_lapack_open() : NULL;
    if (!lapack || out->Q || out->most > 0 ||
        !rank_by_square(lapack, rows, columns, A, tolerance, out, work)) {
        factor(rows, columns, A, tolerance, out, work, work + rows, length_of_work(rows, columns));
    }
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
        const trm_lapack *const lapack = columns > TRM_LAPACK_FROM ? trm_lapack_open() : NULL;
        if (lapack) {
            lapack->dgeqrf(&columns, &basis->rank, A, &columns, tau, work, &length, &info);
            lapack->dorgqr(&columns, &columns, &basis->rank, A, &columns, tau, work, &length,
                           &info);
        } else {
            trm_qr(columns, basis->rank, A, NULL, tau, work);
            trm_qr_form(columns, columns, basis->rank, A, tau);
        }
    }
    memcpy(out, A + rank * n, (n - rank) * n * sizeof *A);
    free(A);
    return 1;
}
