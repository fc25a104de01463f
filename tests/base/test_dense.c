/// Dense Cholesky factors, against products of known matrices.
#include "tests/engine/linear/random_system.h"

#include <string.h>

// --------------------------------------------------------------------------------------- Cholesky

static void cholesky_solves_positive_definite_systems(void **state)
{
    (void)state;
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

static void cholesky_refuses_the_rest(void **state)
{
    (void)state;
    double indefinite[4] = {1, 2, 2, 1}, singular[4] = {1, 1, 1, 1}, zero[1] = {0};
    double no_number[4] = {1, 0, 0, NAN};

    assert_int_not_equal(trm_cholesky(2, indefinite), 0);
    assert_int_not_equal(trm_cholesky(2, singular), 0);
    assert_int_not_equal(trm_cholesky(1, zero), 0);
    assert_int_not_equal(trm_cholesky(2, no_number), 0);
}

int test_dense(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cholesky_solves_positive_definite_systems),
        cmocka_unit_test(cholesky_refuses_the_rest),
    };
    return cmocka_run_group_tests_name("dense", tests, NULL, NULL);
}
