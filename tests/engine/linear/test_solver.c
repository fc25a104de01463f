/// The solver of S = G M^-1 G^T against dense algebra in long double: regular, rank deficient and
/// nearly singular matrices, with and without damping.
#include "tests/engine/linear/random_system.h"

#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------- regular systems

CLAIM(sparse_equals_dense)
{
    damped_always = 1;
    const double deltas[] = {1e-10, 1e-3};

    for (int shape = 0; shape < SHAPES; shape++) {
        for (int k = 0; k < 2; k++) {
            problem *p = open_problem(shape, deltas[k]);
            double r[MAX_ROWS], x[MAX_ROWS];
            long double expected[MAX_ROWS];
            for (int i = 0; i < p->n; i++) {
                r[i] = uniform();
            }
            assert_int_equal(factor(p, 0), 0);
            solve(p, r, x);
            proximal_solve(p, NULL, r, expected);
            const double size = largest(p->n, x);
            for (int i = 0; i < p->n; i++) {
                assert_near(x[i], (double)expected[i], 1e-9 * size);
            }
            close_problem(p);
        }
    }
    damped_always = 0;
}

CLAIM(without_damping_it_is_a_plain_solve)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        problem *p = open_problem(shape, 0.0);
        double r[MAX_ROWS], x[MAX_ROWS];
        right_hand_side(p, r);
        assert_int_equal(factor(p, 0), 0);
        // where delta = 0 the factor may stand in the place of S
        solve(p, r, x);
        assert_true(residual(p, x, r) < 1e-11 * largest(p->n, x));
        assert_int_equal(factor(p, 0), 0);
        solve(p, r, x);
        assert_true(residual(p, x, r) < 1e-11 * largest(p->n, x));
        close_problem(p);
    }
}

/// The error of a regular system falls as delta^2.
CLAIM(one_proximal_step_leaves_delta_squared)
{
    damped_always = 1;
    for (int shape = 0; shape < SHAPES; shape++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            problem *p = open_problem(shape, k == 0 ? 2e-5 : 1e-5);
            double r[MAX_ROWS], x[MAX_ROWS];
            right_hand_side(p, r);
            assert_int_equal(factor(p, 0), 0);
            solve(p, r, x);
            error[k] = residual(p, x, r);
            close_problem(p);
        }
        assert_near(error[0] / error[1], 4.0, 0.4);
    }
    damped_always = 0;
}

CLAIM(factoring_and_solving_at_once_gives_the_same_bits)
{
    for (int shape = 0; shape < 2 * SHAPES; shape++) {
        problem *p = open_problem(shape / 2, 1e-10);
        double r[MAX_ROWS], x[MAX_ROWS], at_once[MAX_ROWS];
        if (shape % 2) {
            make_rank_deficient(p, 0);
        }
        right_hand_side(p, r);
        memcpy(at_once, r, sizeof r);
        assert_int_equal(factor_solve(p, 0, at_once), 0);
        solve(p, r, x);
        assert_memory_equal(at_once, x, (size_t)p->n * sizeof *x);
        close_problem(p);
    }
}

CLAIM(a_new_matrix_is_factored_in_the_same_memory)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        problem *p = open_problem(shape, 1e-10);
        double r[MAX_ROWS], first[MAX_ROWS], x[MAX_ROWS];
        right_hand_side(p, r);
        assert_int_equal(factor(p, 0), 0);
        solve(p, r, first);
        const size_t bytes = sizeof p->S;
        double(*S)[MAX_ROWS] = malloc(bytes);
        assert_non_null(S);
        memcpy(S, p->S, bytes);

        // another matrix of the same pattern, then the first one again
        random_G(p);
        multiply_out(p);
        assert_int_equal(factor(p, 1), 0);
        double r2[MAX_ROWS];
        right_hand_side(p, r2);
        solve(p, r2, x);
        assert_true(residual(p, x, r2) < 1e-9 * largest(p->n, x));
        memcpy(p->S, S, bytes);
        assert_int_equal(factor(p, 0), 0);
        solve(p, r, x);
        for (int i = 0; i < p->n; i++) { // damped the first time, perhaps not the second
            assert_near(x[i], first[i], 1e-9 * largest(p->n, first));
        }
        free(S);
        close_problem(p);
    }
}

// -------------------------------------------------------------------------------- rank deficiency

/// S x = r for r in the range, and of all solutions the smallest in the norm of D.
CLAIM(a_singular_system_gets_its_smallest_solution)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        problem *p = open_problem(shape, 1e-7);
        double r[MAX_ROWS], x[MAX_ROWS], expected[MAX_ROWS];
        assert_true(make_rank_deficient(p, 0.0) > 0);
        right_hand_side(p, r);
        assert_int_equal(factor(p, 0), 0);
        solve(p, r, x);
        smallest_solution(p, r, 1e-12, expected);
        const double size = largest(p->n, expected);
        assert_true(residual(p, x, r) < 1e-9 * size);
        for (int i = 0; i < p->n; i++) {
            // delta^2 over the square of the smallest eigenvalue, or roundoff over delta
            assert_near(x[i], expected[i], 1e-6 * size);
        }
        close_problem(p);
    }
}

CLAIM(the_default_damping_solves_singular_systems_to_1e_10)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        problem *p = open_problem(shape, 1e-10);
        double r[MAX_ROWS], x[MAX_ROWS], expected[MAX_ROWS];
        make_rank_deficient(p, 0.0);
        right_hand_side(p, r);
        assert_int_equal(factor(p, 0), 0);
        solve(p, r, x);
        smallest_solution(p, r, 1e-12, expected);
        assert_true(residual(p, x, r) < 1e-10 * largest(p->n, expected));
        // roundoff in the null space is divided by delta: no more than that
        for (int i = 0; i < p->n; i++) {
            assert_near(x[i], expected[i], 1e-3 * largest(p->n, expected));
        }
        close_problem(p);
    }
}

/// Rows that are parallel up to 1e-9, 1e-7, ... : at every distance from the singular one G^T x
/// stays the reaction, since r = G y is consistent: |S x - r| small, and x bounded.
CLAIM(a_nearly_singular_system_is_solved_at_every_distance)
{
    const double distances[] = {1e-15, 1e-12, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-2};

    for (int shape = 0; shape < SHAPES; shape++) {
        for (size_t k = 0; k < sizeof distances / sizeof *distances; k++) {
            problem *p = open_problem(shape, 1e-10);
            double r[MAX_ROWS], x[MAX_ROWS];
            make_rank_deficient(p, distances[k]);
            right_hand_side(p, r);
            assert_int_equal(factor(p, 0), 0);
            solve(p, r, x);
            // the worst is half the damping in the direction that is nearly lost: sqrt(delta) off
            assert_true(residual(p, x, r) < 1e-4);
            assert_true(isfinite(largest(p->n, x)));
            close_problem(p);
        }
    }
}

/// The smallest pivot in units of D tells a singular matrix, damped by delta, from a regular one.
CLAIM(the_smallest_ratio_tells_singular_matrices)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        problem *p = open_problem(shape, 1e-10);
        assert_int_equal(factor(p, 0), 0);
        assert_true(p->solver.ratio_min > 1e-6 && p->solver.ratio_min <= 1.0 + 1e-9);
        assert_true(make_rank_deficient(p, 0.0) > 0);
        assert_int_equal(factor(p, 0), 0);
        assert_true(p->solver.damped && p->solver.ratio_min < 1e-8);
        close_problem(p);
    }
}

/// Two right-hand sides at once, with damping and without, give the bits of one after the other.
CLAIM(two_at_once_are_the_same)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        problem *p = open_problem(shape, 1e-10);
        for (int k = 0; k < 2; k++) { // the first factorization is damped
            double x[MAX_ROWS], y[MAX_ROWS], x2[MAX_ROWS], y2[MAX_ROWS];
            right_hand_side(p, x);
            right_hand_side(p, y);
            memcpy(x2, x, sizeof x);
            memcpy(y2, y, sizeof y);
            assert_int_equal(factor(p, 0), 0);
            trm_solver_solve(&p->solver, x);
            trm_solver_solve(&p->solver, y);
            trm_solver_solve_two(&p->solver, x2, y2);
            assert_memory_equal(x2, x, (size_t)p->n * sizeof *x);
            assert_memory_equal(y2, y, (size_t)p->n * sizeof *y);
        }
        close_problem(p);
    }
}

CLAIM(what_cannot_be_factored_is_refused)
{
    const double bad[] = {NAN, INFINITY, -1e3};

    for (int shape = 0; shape < SHAPES; shape++) {
        for (size_t k = 0; k < 3; k++) {
            problem *p = open_problem(shape, 1e-10);
            p->S[p->n / 2][p->n / 2] = bad[k];
            assert_int_not_equal(factor(p, 0), 0);
            close_problem(p);
        }
    }
}
