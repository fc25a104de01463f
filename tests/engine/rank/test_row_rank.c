/// The rank of a set of rows, by rows given one after the other, against matrices of known rank.
#include "tests/engine/linear/random_system.h"

#include <string.h>

// ------------------------------------------------------------------------------------------- rank

/// Rows of a rank-5 matrix: nearly all are combinations of several others; large enough for
/// LAPACK's blocked code. In `L` a row's coordinates in a basis of five rows.
CLAIM(rank_of_a_large_dense_matrix)
{
    enum { N = 150, M = 90, R = 5 };
    static double L[N][R], B[R][M], A[N * M], factored[N * M], C[N * N / 4 + N], Q[N * M];
    int order[N], seen[N] = {0};
    trm_row_basis basis = {.order = order, .C = C, .Q = Q};

    seed = 99;
    for (int c = 0; c < R; c++) {
        for (int j = 0; j < M; j++) {
            B[c][j] = uniform();
        }
    }
    for (int i = 0; i < N; i++) {
        double square = 0;
        for (int c = 0; c < R; c++) {
            L[i][c] = uniform();
        }
        for (int j = 0; j < M; j++) {
            A[i * M + j] = 0;
            for (int c = 0; c < R; c++) {
                A[i * M + j] += L[i][c] * B[c][j];
            }
            square += A[i * M + j] * A[i * M + j];
        }
        for (int j = 0; j < M; j++) {
            A[i * M + j] /= sqrt(square);
        }
    }
    memcpy(factored, A, sizeof A);
    assert_true(trm_row_rank(N, M, factored, 1e-6, &basis));
    assert_int_equal(basis.rank, R);
    for (int i = 0; i < N; i++) {
        assert_in_range(order[i], 0, N - 1);
        assert_int_equal(seen[order[i]]++, 0);
    }
    for (int k = 0; k < N - R; k++) {
        double rest[M];
        for (int j = 0; j < M; j++) {
            double sum = 0;
            for (int i = 0; i < R; i++) {
                sum += C[k * R + i] * A[order[i] * M + j];
            }
            assert_near(sum, A[order[R + k] * M + j], 1e-9);
            rest[j] = A[order[R + k] * M + j];
        }
        trm_row_basis_remove(&basis, M, rest); // Q spans the rows
        for (int j = 0; j < M; j++) {
            assert_near(rest[j], 0, 1e-9);
        }
    }
}

/// A chain of many pairs, x_i - x_i+1, with every sum of two neighbours: by the sparse way.
CLAIM(rank_of_many_sparse_rows)
{
    enum { M = 1001, N = M - 1 + (M - 1) / 2 };
    double *const A = calloc((size_t)N * M, sizeof *A), *const C = malloc(N * N / 4 * sizeof *C);
    static int order[N];
    trm_row_basis basis = {.order = order, .C = C};
    for (int i = 0; i < N; i++) {
        const int k = i < M - 1 ? i : 2 * (i - (M - 1)); // a pair, or two in one
        A[i * M + k] = sqrt(0.5);
        A[i * M + k + (i < M - 1 ? 1 : 2)] = -sqrt(0.5);
    }
    double *const factored =
        memcpy(malloc((size_t)N * M * sizeof *A), A, (size_t)N * M * sizeof *A);
    assert_true(trm_row_rank(N, M, factored, 1e-6, &basis));
    assert_int_equal(basis.rank, M - 1);
    for (int k = 0; k < N - basis.rank; k++) {
        double *const rest = A + order[basis.rank + k] * M;
        for (int i = 0; i < basis.rank; i++) {
            const double c = C[k * basis.rank + i];
            for (int j = 0; j < M && c != 0; j++) {
                rest[j] -= c * A[order[i] * M + j];
            }
        }
        for (int j = 0; j < M; j++) {
            assert_near(rest[j], 0, 1e-10);
        }
    }
    free(A), free(C), free(factored);
}

/// Two rows at an angle: dependent up to the tolerance and not beyond, alone and among many.
CLAIM(rank_draws_the_line_at_its_tolerance)
{
    enum { N = 300 };
    static double A[(N + 1) * (N + 1)];
    static int order[N + 1];
    const double angles[] = {1e-9, 0.9e-6, 1.1e-6, 1e-5, 1e-3};
    for (int k = 0; k < 10; k++) {
        const int n = k < 5 ? 1 : N;
        const double angle = angles[k % 5];
        trm_row_basis basis = {.order = order};
        memset(A, 0, sizeof A);
        for (int i = 0; i < n; i++) {
            A[i * (n + 1) + i] = 1;
        }
        A[n * (n + 1)] = cos(angle);
        A[n * (n + 1) + n] = sin(angle);
        assert_true(trm_row_rank(n + 1, n + 1, A, 1e-6, &basis));
        assert_int_equal(basis.rank, angle < 1e-6 ? n : n + 1);
    }
}

CLAIM(rank_of_nothing_and_of_zero)
{
    double zero[4] = {0}, one[1] = {1.0};
    int order[2] = {-1, -1};
    trm_row_basis basis = {.order = order};

    assert_true(trm_row_rank(0, 0, NULL, 1e-6, &basis));
    assert_int_equal(basis.rank, 0);
    assert_true(trm_row_rank(1, 1, one, 1e-6, &basis));
    assert_int_equal(basis.rank, 1);
    assert_int_equal(order[0], 0);
    assert_true(trm_row_rank(2, 2, zero, 1e-6, &basis));
    assert_int_equal(basis.rank, 0);
    assert_int_equal(order[0] + order[1], 1);
    assert_true(trm_row_rank(2, 0, NULL, 1e-6, &basis));
    assert_int_equal(basis.rank, 0);
}
