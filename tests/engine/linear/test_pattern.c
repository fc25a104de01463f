/// The pattern of S: fill, the numbers of rows and blocks, systems without rows.
#include "tests/engine/linear/random_system.h"

// ---------------------------------------------------------------------------------------- pattern

CLAIM(a_chain_has_no_fill)
{
    enum { N = 1000 };
    static int size[N], pairs[2 * N];

    for (int k = 0; k < N; k++) {
        size[k] = 2;
        pairs[2 * k] = k;
        pairs[2 * k + 1] = k + 1;
    }
    trm_pattern *pattern = trm_pattern_create(N, size, N - 1, pairs);
    assert_non_null(pattern);
    assert_int_equal(pattern->values, 4 * N + 4 * (N - 1));
    trm_pattern_destroy(pattern);
}

CLAIM(rows_and_blocks_are_numbered_once)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        problem *p = open_problem(shape, 1e-10);
        const trm_pattern *pattern = p->pattern;
        int seen[2 * MAX_ROWS] = {0};
        for (int i = 0; i < pattern->rows; i++) {
            seen[pattern->place_of[i]]++;
        }
        for (int i = 0; i < pattern->n - pattern->rows; i++) {
            seen[pattern->filler[i]]++;
        }
        for (int i = 0; i < pattern->n; i++) {
            assert_int_equal(seen[i], 1);
        }
        for (int k = 0; k < p->nblocks; k++) {
            const int block = pattern->order[k];
            assert_int_equal(pattern->place[block], k);
            assert_true(pattern->size[k] == p->size[block] ||
                        (pattern->pairs && p->size[block] == 1));
            for (int r = 0; r < p->size[block]; r++) {
                assert_int_equal(pattern->place_of[p->first[block] + r], pattern->first[k] + r);
            }
        }
        close_problem(p);
    }
}

/// Pins with a slider here and there get a filler for each slider, beside guides without rows,
/// too; sliders with a pin here and there none.
CLAIM(few_single_rows_are_filled)
{
    const int pins_and_slider[] = {2, 1, 2, 0}, sliders[] = {1, 2, 1}, hinge[] = {2, 1, 2, 5};
    const int chain_of_four[] = {0, 1, 1, 2, 2, 3};
    trm_pattern *filled = trm_pattern_create(4, pins_and_slider, 2, chain_of_four);
    trm_pattern *plain = trm_pattern_create(3, sliders, 2, chain_of_four);
    trm_pattern *large = trm_pattern_create(4, hinge, 3, chain_of_four);
    assert_int_equal(filled->n, 6);
    assert_int_equal(filled->rows, 5);
    assert_int_equal(filled->filler[0], 3);
    assert_non_null(filled->pairs);
    assert_int_equal(plain->n, 4);
    assert_int_equal(large->n, 10);
    trm_pattern_destroy(filled);
    trm_pattern_destroy(plain);
    trm_pattern_destroy(large);
}

CLAIM(no_blocks_at_all)
{
    trm_pattern *pattern = trm_pattern_create(0, NULL, 0, NULL);
    trm_solver solver;
    trm_arena arena = {0};

    assert_non_null(pattern);
    trm_solver_layout(&solver, pattern, 1e-10, &arena);
    assert_true(trm_arena_open(&arena));
    trm_solver_layout(&solver, pattern, 1e-10, &arena);
    trm_solver_clear(&solver);
    assert_int_equal(trm_solver_factor(&solver, 0, solver.delta, 0, NULL), 0);
    trm_solver_solve(&solver, NULL);
    trm_arena_close(&arena);
    trm_pattern_destroy(pattern);
}

/// Whether block i stands in column k of L, numbers in elimination order.
static int is_there(const trm_pattern *p, int k, int i)
{
    for (int e = p->column[k]; e < p->column[k + 1]; e++) {
        if (p->block[e] == i) {
            return 1;
        }
    }
    return 0;
}

/// A square lattice, each point bound to four: L holds what is bound, and of any two blocks of a
/// column the later one stands in the column of the earlier one (fill, [George, Liu 1981]).
CLAIM(a_lattice_is_filled_as_elimination_fills)
{
    enum { SIDE = 20, N = SIDE * SIDE };
    static int size[N], pairs[4 * N];
    int npairs = 0;
    for (int k = 0; k < N; k++) {
        size[k] = 3;
        if (k % SIDE < SIDE - 1) {
            pairs[2 * npairs] = k;
            pairs[2 * npairs++ + 1] = k + 1;
        }
        if (k + SIDE < N) {
            pairs[2 * npairs] = k;
            pairs[2 * npairs++ + 1] = k + SIDE;
        }
    }
    trm_pattern *const p = trm_pattern_create(N, size, npairs, pairs);
    assert_non_null(p);
    for (int i = 0; i < npairs; i++) {
        const int a = p->place[pairs[2 * i]], b = p->place[pairs[2 * i + 1]];
        assert_true(is_there(p, a < b ? a : b, a < b ? b : a));
    }
    for (int k = 0; k < N; k++) {
        for (int e = p->column[k] + 1; e < p->column[k + 1]; e++) {
            assert_true(is_there(p, p->block[p->column[k]], p->block[e]));
        }
    }
    trm_pattern_destroy(p);
}
