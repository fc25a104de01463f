/// Dense Cholesky factors, against products of known matrices.
#include "base/linear/lapack.h"
#include "base/linear/qr.h"
#include "tests/engine/linear/random_system.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

// --------------------------------------------------------------------------------------- Cholesky

CLAIM(cholesky_solves_positive_definite_systems)
{
    enum { N = 40 };
    static double B[N][N], A[N * N], L[N * N];
    double x[N], y[N];

    seed = 7;
    for (int i = 0; i < N; i++) {
        x[i] = uniform();
        for (int j = 0; j < N; j++) {
            B[i][j] = uniform();
        }
    }
    for (int n = 1; n <= N; n += 13) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                A[i * n + j] = i == j ? 1.0 : 0.0;
                for (int c = 0; c < n; c++) {
                    A[i * n + j] += B[i][c] * B[j][c];
                }
            }
        }
        memcpy(L, A, sizeof A);
        for (int i = 0; i < n; i++) {
            y[i] = 0;
            for (int j = 0; j < n; j++) {
                y[i] += A[i * n + j] * x[j];
            }
        }
        assert_int_equal(trm_cholesky(n, L), 0);
        trm_cholesky_solve(n, L, y);
        for (int i = 0; i < n; i++) {
            assert_near(y[i], x[i], 1e-12);
        }
    }
}

CLAIM(cholesky_refuses_the_rest)
{
    double indefinite[4] = {1, 2, 2, 1}, singular[4] = {1, 1, 1, 1}, zero[1] = {0};
    double no_number[4] = {1, 0, 0, NAN};

    assert_int_not_equal(trm_cholesky(2, indefinite), 0);
    assert_int_not_equal(trm_cholesky(2, singular), 0);
    assert_int_not_equal(trm_cholesky(1, zero), 0);
    assert_int_not_equal(trm_cholesky(2, no_number), 0);
}

// -------------------------------------------------------------------------- factors with exchanges

enum { MOST = 24 };

static void fill(int n, double *A)
{
    for (int i = 0; i < n; i++) {
        A[i] = uniform();
    }
}

CLAIM(lu_solves_what_needs_exchanges)
{
    double A[MOST * MOST], x[MOST], y[MOST];
    int pivots[MOST];
    seed = 3;
    for (int n = 1; n <= MOST; n++) {
        fill(n * n, A);
        fill(n, x);
        A[0] = n > 1 ? 0 : A[0];
        for (int i = 0; i < n; i++) {
            y[i] = 0;
            for (int j = 0; j < n; j++) {
                y[i] += A[i * n + j] * x[j];
            }
        }
        trm_lu(n, A, pivots);
        trm_lu_solve(n, A, pivots, y);
        for (int i = 0; i < n; i++) {
            assert_near(y[i], x[i], 1e-9);
        }
    }
    double singular[4] = {1, 2, 2, 4};
    trm_lu(2, singular, pivots);
    assert_true(singular[3] == 0); // the pivots stand in the diagonal
}

/// Q^T Q = 1, Q R = A P, |R_kk| falls.
CLAIM(qr_gives_its_matrix_back)
{
    double A[MOST * MOST], R[MOST * MOST], Q[MOST * MOST], tau[MOST], work[2 * MOST];
    int order[MOST];
    seed = 11;
    for (int m = 1; m <= MOST; m++) {
        const int n = 1 + below(m);
        fill(m * n, A);
        memcpy(R, A, sizeof R);
        trm_qr(m, n, R, order, tau, work);
        memcpy(Q, R, sizeof Q);
        trm_qr_form(m, m, n, Q, tau);
        for (int j = 0; j < m; j++) {
            for (int k = 0; k < m; k++) {
                double sum = 0;
                for (int i = 0; i < m; i++) {
                    sum += Q[j * m + i] * Q[k * m + i];
                }
                assert_near(sum, j == k, 1e-14 * MOST);
            }
        }
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < m; i++) {
                double sum = 0;
                for (int k = 0; k <= j; k++) {
                    sum += Q[k * m + i] * R[j * m + k];
                }
                assert_near(sum, A[order[j] * m + i], 1e-14 * MOST);
            }
            assert_true(j == 0 || fabs(R[j * m + j]) <= fabs(R[(j - 1) * m + j - 1]) * (1 + 1e-12));
        }
    }
}

/// Entries of /proc/self/task; -1 where there is no such folder.
static int threads(void)
{
    DIR *const tasks = opendir("/proc/self/task");
    int n = tasks ? 0 : -1;
    for (const struct dirent *e; tasks && (e = readdir(tasks)) != NULL;) {
        n += e->d_name[0] != '.';
    }
    if (tasks) {
        closedir(tasks);
    }
    return n;
}

/// What is loaded late has no threads, also behind a product large enough for several.
CLAIM(lapack_computes_in_one_thread)
{
    enum { N = 300 };
    const int before = threads();
    const trm_lapack *const lapack = trm_lapack_open();
    assert_int_equal(threads(), before);
    if (!lapack || before < 0) {
        skip();
    }
    double *const A = calloc((size_t)N * N, sizeof *A);
    int *const pivots = calloc(N, sizeof *pivots), n = N, info = 1;
    assert_true(A && pivots);
    for (int i = 0; i < N * N; i++) {
        A[i] = sin(i) + (i % (N + 1) == 0) * N;
    }
    lapack->dgetrf(&n, &n, A, &n, pivots, &info);
    assert_int_equal(info, 0);
    assert_int_equal(threads(), before);
    free(A);
    free(pivots);
}
