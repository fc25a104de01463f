/// Rows that are dependent everywhere: their directions are left out of every solve and kept
/// current, and the distance of the next direction is known.
#include "tests/engine/linear/random_system.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/// The smallest eigenvalue of T above `cut`; after smallest_solution.
static double smallest_eigenvalue(const problem *p, double cut)
{
    double least = 1;
    for (int k = 0; k < p->n; k++) {
        least = T[k][k] > cut && T[k][k] < least ? (double)T[k][k] : least;
    }
    return least;
}

// ---------------------------------------------------------------------- rows dependent everywhere

/// Row b follows from row a, b = 0.7 a, in every second block: w = e_b - 0.7 e_a. In two parts,
/// blocks before and from `border` on, that need not touch; the second may have no such row.
/// Directions as they are known from a look at the mechanism: turned by `off` from where they are.
typedef struct left_out {
    trm_arena arena;
    trm_null_space room;
} left_out;

static int count_dependent(const problem *p, int from, int to)
{
    int count = 0;
    for (int k = from; k < to; k++) {
        for (int r = p->first[k] + 1; k % 2 == 0 && r < p->first[k + 1]; r += 3) {
            count++;
        }
    }
    return count;
}

static void put_directions(problem *p, trm_null_space *null, int from, int to, double factor,
                           double off)
{
    trm_null_component *component = &null->component[null->used.components];
    const int rows = p->first[to] - p->first[from];
    int column = 0;
    *component = (trm_null_component){null->used.rows, rows, count_dependent(p, from, to),
                                      null->used.values, .all = 0};
    for (int i = 0; i < rows; i++) {
        null->row[component->first + i] = p->pattern->place_of[p->first[from] + i];
    }
    for (int i = 0; i < rows * component->nullity; i++) {
        null->accepted[component->W + i] = off * uniform();
    }
    for (int k = from; k < to; k++) {
        for (int r = p->first[k] + 1; k % 2 == 0 && r < p->first[k + 1]; r += 3, column++) {
            double *w = null->accepted + component->W + column * rows;
            w[r - p->first[from]] += 1;
            w[p->first[k] - p->first[from]] -= factor;
        }
    }
    null->used.components++;
    null->nullity += component->nullity;
    null->used.rows += rows;
    null->used.values += rows * component->nullity;
    null->most = component->nullity > null->most ? component->nullity : null->most;
}

static left_out leave_out(problem *p, int border, double factor, double off)
{
    left_out out = {.arena = {0}};
    const int second = count_dependent(p, border, p->nblocks) > 0;
    const int rows[2] = {p->first[border], p->n - p->first[border]};
    const int end = second ? p->nblocks : border;
    const int values = rows[0] * count_dependent(p, 0, border) +
                       second * rows[1] * count_dependent(p, border, end);
    const trm_null_size size = {
        .components = 1 + second, .rows = rows[0] + second * rows[1], .values = values};
    trm_null_layout(&out.room, size, &out.arena);
    assert_true(trm_arena_open(&out.arena));
    trm_null_layout(&out.room, size, &out.arena);
    put_directions(p, &out.room, 0, border, factor, off);
    if (second) {
        put_directions(p, &out.room, border, end, factor, off);
    }
    p->solver.null = out.room;
    return out;
}

static void put_back(problem *p, left_out *out)
{
    p->solver.null = (trm_null_space){.most = 0};
    trm_arena_close(&out->arena);
}

/// Rows that depend: row b := factor a, and beside it `open` of the row it was.
static void tie_rows(problem *p, double factor, double open)
{
    for (int k = 0; k < p->nblocks; k += 2) {
        for (int r = p->first[k] + 1; r < p->first[k + 1]; r += 3) {
            for (int c = 0; c < WIDTH * MAX_BODIES; c++) {
                const double other = p->G[r][c] != 0 ? open * sin(1.0 + r + 7.0 * c) : 0;
                p->G[r][c] = factor * p->G[p->first[k]][c] + other;
            }
        }
    }
    multiply_out(p);
}

/// What a solution may differ by, in units of itself: roundoff of n sums over the smallest
/// eigenvalue, and the damping that one proximal step leaves.
static double may_differ(const problem *p, double eigenvalue)
{
    const double damped = p->solver.delta / eigenvalue;
    return 10 * p->n * DBL_EPSILON / eigenvalue + damped * damped;
}

static void check_solution(const problem *p, const double *x, const double *expected, double may)
{
    const double size = largest(p->n, expected);
    for (int i = 0; i < p->n; i++) {
        if (!(fabs(x[i] - expected[i]) <= may * size)) {
            fail_msg("%s, delta %g: x[%d] = %.15g, expected %.15g, may differ by %g", p->name,
                     p->solver.delta, i, x[i], expected[i], may * size);
        }
    }
}

/// Directions known to 1e-3 are brought along once and once more; their part of a right-hand side,
/// here as large as all others, does not count: the solution is T^+ of it, for every delta.
CLAIM(rows_dependent_everywhere_are_left_out)
{
    const double deltas[] = {1e-8, 1e-10, 1e-12};
    for (int shape = 0; shape < 3 * SHAPES; shape++) {
        problem *p = open_problem(shape / 3, deltas[shape % 3]);
        double r[MAX_ROWS], x[MAX_ROWS], expected[MAX_ROWS];
        tie_rows(p, 0.7, 0);
        left_out out = leave_out(p, p->nblocks, 0.7, 1e-3);
        for (int i = 0; i < p->n; i++) {
            r[i] = uniform();
        }
        for (int k = 0; k < 2; k++) {
            assert_int_equal(factor(p, 0), 0);
            trm_null_accept(&p->solver.null);
        }
        solve(p, r, x);
        smallest_solution(p, r, 1e-12, expected);
        check_solution(p, x, expected, may_differ(p, smallest_eigenvalue(p, 1e-12)));
        put_back(p, &out);
        close_problem(p);
    }
}

/// The rows turn from matrix to matrix, and with them the directions, by 1/20 each time; in between
/// nothing is looked up.
CLAIM(directions_are_brought_along)
{
    rig_figures();
    for (int shape = 0; shape < SHAPES; shape++) {
        problem *p = open_problem(shape, 1e-10);
        double r[MAX_ROWS], x[MAX_ROWS], expected[MAX_ROWS];
        left_out out = leave_out(p, p->nblocks, 0.7, 0);
        for (int step = 0; step < 40; step++) {
            tie_rows(p, 0.7 + 0.05 * step, 0);
            right_hand_side(p, r);
            assert_int_equal(factor(p, 0), 0);
            solve(p, r, x);
            trm_null_accept(&p->solver.null);
            if (step % 10 == 9) {
                smallest_solution(p, r, 1e-12, expected);
                const double eigenvalue = smallest_eigenvalue(p, 1e-12);
                const double turned = 0.05 * p->solver.delta / eigenvalue; // what is left of 1/20
                check_solution(p, x, expected, may_differ(p, eigenvalue) + turned / eigenvalue);
            }
        }
        put_back(p, &out);
        close_problem(p);
    }
}

/// Directions that have become orthogonal to the known ones, up to 1e-4. One step of inverse
/// iteration leaves delta/(eigenvalue 1e-4) of others in them, and solutions would hold 1/delta
/// times the square of that. A second step leaves nothing; where 60 degrees are not reached, there
/// is none.
CLAIM(directions_that_have_turned_far_are_brought_twice)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        problem *p = open_problem(shape, 1e-10);
        double r[MAX_ROWS], x[MAX_ROWS], expected[MAX_ROWS];
        tie_rows(p, 0.7, 0);
        left_out out = leave_out(p, p->nblocks, -0.7 * (1 + 1e-4), 0);
        for (int i = 0; i < p->n; i++) {
            r[i] = uniform();
        }
        assert_int_equal(factor(p, 0), 0);
        solve(p, r, x);
        smallest_solution(p, r, 1e-12, expected);
        const double eigenvalue = smallest_eigenvalue(p, 1e-12);
        const double turned = 2 * p->solver.delta / eigenvalue; // what is left of 60 degrees
        check_solution(p, x, expected, may_differ(p, eigenvalue) + turned / eigenvalue);
        put_back(p, &out);
        close_problem(p);
    }
}

/// As at a stage that is open by e: the rows depend up to e, the solution of full rank is of order
/// 1/e. What counts is T^+ of the rank that the mechanism has.
CLAIM(off_the_constraints_the_rank_is_kept)
{
    rig_figures();
    const double open[] = {1e-12, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4};
    for (int shape = 0; shape < SHAPES; shape++) {
        for (size_t k = 0; k < sizeof open / sizeof *open; k++) {
            problem *p = open_problem(shape, 1e-10);
            double r[MAX_ROWS], x[MAX_ROWS], expected[MAX_ROWS];
            tie_rows(p, 0.7, open[k]);
            left_out out = leave_out(p, p->nblocks, 0.7, 0);
            right_hand_side(p, r);
            assert_int_equal(factor(p, 0), 0);
            solve(p, r, x);
            smallest_solution(p, r, 1e-6, expected); // squares of e are below, all others above
            const double eigenvalue = smallest_eigenvalue(p, 1e-6);
            // the directions are off by e, of which inverse iteration leaves (delta +
            // e^2)/eigenvalue
            const double e = open[k] / eigenvalue;
            const double turned = e * (p->solver.delta + e * open[k]) / eigenvalue;
            check_solution(p, x, expected, may_differ(p, eigenvalue) + turned / eigenvalue);
            put_back(p, &out);
            close_problem(p);
        }
    }
}

/// Pivots of what is left out are its damping, and tell of nothing else: the smallest of the others
/// tells how near S is to a loss of rank. A direction that is lost as well, and not left out, is
/// seen.
CLAIM(pivots_of_what_is_left_out_do_not_count)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        problem *p = open_problem(shape, 1e-10);
        double r[MAX_ROWS] = {0}, x[MAX_ROWS];
        tie_rows(p, 0.7, 0);
        left_out out = leave_out(p, p->nblocks, 0.7, 0);
        smallest_solution(p, r, 1e-12, x);
        assert_int_equal(factor(p, 0), 0);
        assert_true(p->solver.ratio_min >= smallest_eigenvalue(p, 1e-12) / 10);
        p->solver.null.component->nullity--;
        p->solver.null.nullity--;
        assert_int_equal(factor(p, 0), 0);
        assert_true(p->solver.ratio_min <= 10 * p->solver.delta);
        put_back(p, &out);
        close_problem(p);
    }
}

/// Two parts that do not touch, with different numbers of such rows, or none in the second: what
/// acts on one changes no bit of the other.
CLAIM(parts_do_not_touch)
{
    const int border = 4; // "pieces": four blocks, then the rest over other bodies
    for (int alone = 0; alone < 2; alone++) {
        problem *p = open_problem(PIECES, 1e-10);
        double r[MAX_ROWS], x[MAX_ROWS], x2[MAX_ROWS], expected[MAX_ROWS];
        tie_rows(p, 0.7, 0);
        left_out out = leave_out(p, border, 0.7, 1e-6);
        assert_int_equal(out.room.used.components, 2);
        assert_true(out.room.component[0].nullity != out.room.component[1].nullity);
        for (int i = 0; i < p->n; i++) {
            r[i] = uniform();
        }
        for (int k = 0; k < 2; k++) {
            assert_int_equal(factor(p, 0), 0);
            trm_null_accept(&p->solver.null);
        }
        solve(p, r, x);
        smallest_solution(p, r, 1e-12, expected);
        check_solution(p, x, expected, may_differ(p, smallest_eigenvalue(p, 1e-12)));
        const int first = alone ? p->first[border] : 0, last = alone ? p->n : p->first[border];
        for (int i = first; i < last; i++) {
            r[i] += 1 + uniform();
        }
        solve(p, r, x2);
        for (int i = 0; i < p->n; i++) {
            assert_true(i >= first && i < last ? x2[i] != x[i] : x2[i] == x[i]);
        }
        put_back(p, &out);
        close_problem(p);
    }
}

/// At once, and two at once, give the bits of one after the other; a reset forgets all directions.
CLAIM(what_is_left_out_is_left_out_of_every_solve)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        problem *p = open_problem(shape, 1e-10);
        double r[MAX_ROWS], x[MAX_ROWS], y[MAX_ROWS], at_once[MAX_ROWS], y2[MAX_ROWS];
        tie_rows(p, 0.7, 0);
        left_out out = leave_out(p, p->nblocks, 0.7, 1e-3);
        for (int i = 0; i < p->n; i++) {
            r[i] = uniform();
            y[i] = uniform();
        }
        memcpy(at_once, r, sizeof r);
        assert_int_equal(factor_solve(p, 0, at_once), 0);
        solve(p, r, x);
        assert_memory_equal(at_once, x, (size_t)p->n * sizeof *x);
        memcpy(at_once, r, sizeof r);
        memcpy(y2, y, sizeof y);
        trm_solver_solve_two(&p->solver, at_once, y2);
        trm_solver_solve(&p->solver, y);
        assert_memory_equal(at_once, x, (size_t)p->n * sizeof *x);
        assert_memory_equal(y2, y, (size_t)p->n * sizeof *y);
        trm_solver_reset(&p->solver);
        assert_int_equal(factor(p, 0), 0);
        solve(p, r, x);
        assert_true(largest(p->n, x) >
                    1e3 * largest(p->n, at_once)); // what r holds of them, over delta
        put_back(p, &out);
        close_problem(p);
    }
}
