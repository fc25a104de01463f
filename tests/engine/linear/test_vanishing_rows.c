/// Rows of G that vanish: the other unknowns keep their accuracy, and the scale of a row is the
/// scale that was noted.
#include "tests/engine/linear/random_system.h"

#include <stdlib.h>
#include <string.h>

// -------------------------------------------------------------------------------- vanishing rows

static double old_row[WIDTH * MAX_BODIES];

static void scale_row(problem *p, int row, double factor_of_row)
{
    for (int c = 0; c < WIDTH * MAX_BODIES; c++) {
        p->G[row][c] = factor_of_row * old_row[c];
    }
    multiply_out(p);
}

/// A row that shrinks to nothing after it has been seen: its multiplier goes to zero, the others
/// solve the system without it, and when it comes back all is as before.
CLAIM(a_row_may_vanish)
{
    damped_always = 1;
    const double factors[] = {1.0, 1e-3, 1e-6, 1e-8, 1e-12, 1e-20, 0.0, 1e-20, 1e-6, 1.0};

    for (int shape = 0; shape < SHAPES; shape++) {
        problem *p = open_problem(shape, 1e-10);
        const int row = p->n / 2;
        double D[MAX_ROWS], r[MAX_ROWS], x[MAX_ROWS];
        for (int i = 0; i < p->n; i++) {
            D[i] = p->S[i][i];
        }
        memcpy(old_row, p->G[row], sizeof old_row);
        for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
            scale_row(p, row, factors[k]);
            right_hand_side(p, r);
            assert_int_equal(factor(p, 0), 0);
            if (k == 0) {
                trm_solver_note_scale(&p->solver, 0);
            }
            solve(p, r, x);
            assert_true(residual(p, x, r) < 1e-4);
            long double expected[MAX_ROWS];
            proximal_solve(p, D, r, expected);
            for (int i = 0; i < p->n; i++) {
                assert_near(x[i], (double)expected[i], 1e-6 * largest(p->n, x));
            }
            if (factors[k] == 0.0) {
                assert_true(x[row] == 0.0);
            }
        }
        close_problem(p);
    }
    damped_always = 0;
}

/// A row of roundoff from the first factorization on, as in a run that starts in a position where a
/// row of G vanishes: its noise must not be divided by its own square.
CLAIM(a_row_may_be_absent_from_the_start)
{
    const double factors[] = {0.0, 1e-16, 1e-20};

    for (int shape = 0; shape < SHAPES; shape++) {
        for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
            problem *p = open_problem(shape, 1e-10);
            const int row = p->n / 2;
            double r[MAX_ROWS], x[MAX_ROWS];
            memcpy(old_row, p->G[row], sizeof old_row);
            scale_row(p, row, factors[k]);
            right_hand_side(p, r);
            r[row] += 1e-16;
            assert_int_equal(factor(p, 0), 0);
            solve(p, r, x);
            assert_true(residual(p, x, r) < 1e-9 * largest(p->n, r));
            assert_near(factors[k] * x[row], 0.0, 1e-4);
            close_problem(p);
        }
    }
}

/// The noted scale of either matrix is its least D, until a reset. Nothing else is stored.
CLAIM(a_scale_counts_where_it_was_noted)
{
    problem *p = open_problem(0, 1e-3);
    double r[MAX_ROWS], fresh[MAX_ROWS], x[MAX_ROWS];

    make_rank_deficient(p, 0.0);
    right_hand_side(p, r);
    assert_int_equal(factor(p, 0), 0);
    solve(p, r, fresh);
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j < p->n; j++) {
            p->S[i][j] *= 16.0;
        }
    }
    assert_int_equal(factor(p, 0), 0);
    trm_solver_note_scale(&p->solver, 0);
    multiply_out(p);
    assert_int_equal(factor(p, 0), 0); // the larger scale
    solve(p, r, x);
    assert_memory_not_equal(x, fresh, (size_t)p->n * sizeof *x);
    assert_int_equal(factor(p, 1), 0); // the other one was not noted
    solve(p, r, x);
    assert_memory_equal(x, fresh, (size_t)p->n * sizeof *x);
    trm_solver_reset(&p->solver);
    assert_int_equal(factor(p, 0), 0);
    solve(p, r, x);
    assert_memory_equal(x, fresh, (size_t)p->n * sizeof *x);
    close_problem(p);
}
