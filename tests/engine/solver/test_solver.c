// The solver of S = G M^-1 G^T and the dense algebra beside it, against dense linear algebra in
// long double: random matrices on the patterns of chains, loops, stars, one dense block; regular,
// rank deficient, nearly so, and with a row that vanishes.

#include "engine/base/dense.h"
#include "engine/rank/row_rank.h"
#include "engine/solver/constraint_solver.h"
#include "tests/near.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BLOCKS = 48, MAX_ROWS = 160, MAX_BODIES = 50, WIDTH = 3, MAX_USES = 8 };

// --------------------------------------------------------------------------- random mechanisms

static unsigned long long seed;

/// Uniform in -1 ... 1.
static double uniform(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(long long)(seed >> 11) / 4503599627370496.0 - 1.0;
}

static int below(int n)
{
    return (int)((uniform() + 1.0) / 2.0 * n) % n;
}

/// Blocks of rows over a few bodies each, G dense, S = G G^T, and the solver's copy of it.
typedef struct problem {
    const char *name;
    int nblocks, n;
    int size[MAX_BLOCKS], first[MAX_BLOCKS + 1];
    int nuses[MAX_BLOCKS], uses[MAX_BLOCKS][MAX_USES];
    double G[MAX_ROWS][WIDTH * MAX_BODIES];
    double S[MAX_ROWS][MAX_ROWS];
    trm_pattern *pattern;
    trm_solver solver;
    trm_arena arena;
} problem;

static void append_block(problem *p, int rows, int nuses, const int *uses)
{
    const int k = p->nblocks++;
    p->size[k] = rows;
    p->first[k + 1] = p->first[k] + rows;
    p->n = p->first[k + 1];
    p->nuses[k] = nuses;
    for (int u = 0; u < nuses; u++) {
        p->uses[k][u] = uses[u];
    }
}

/// Bodies 0, 1, ... held together by block k between body k-1 and body k; the first one to ground.
static void add_chain(problem *p, int n, int from)
{
    for (int k = 0; k < n; k++) {
        const int uses[2] = {from + k, from + k - 1};
        append_block(p, 1 + below(2), k == 0 ? 1 : 2, uses);
    }
}

static void chain(problem *p)
{
    add_chain(p, 40, 0);
}

static void loops(problem *p)
{
    add_chain(p, 12, 0);
    append_block(p, 1, 1, (const int[]){11});
    append_block(p, 1, 2, (const int[]){2, 7});
    add_chain(p, 6, 12);
    append_block(p, 1, 2, (const int[]){17, 4});
}

static void star(problem *p)
{
    for (int k = 0; k < 20; k++) {
        append_block(p, 2, 2, (const int[]){0, k + 1});
    }
}

/// Two rows each, as of pins: loops in a row, and some blocks that tie them together.
static void pins(problem *p)
{
    for (int k = 0; k < 9; k++) {
        if (k % 3 == 0) {
            append_block(p, 2, 1, (const int[]){2 * k});
        }
        append_block(p, 2, 2, (const int[]){2 * k, 2 * k + 1});
        append_block(p, 2, 2, (const int[]){2 * k + 1, 2 * k + 2});
    }
    for (int k = 0; k < 4; k++) {
        append_block(p, 2, 3, (const int[]){k, 2 * k + 5, 19 + k});
    }
}

/// Pins, and sliders of one row.
static void sliders(problem *p)
{
    for (int k = 0; k < 24; k++) {
        append_block(p, 1 + (k % 3 > 0), k % 6 == 0 ? 1 : 2, (const int[]){k, (k + 1) % 24});
    }
    append_block(p, 1, 2, (const int[]){3, 14});
    append_block(p, 2, 2, (const int[]){6, 19});
}

static void one_block(problem *p)
{
    append_block(p, 20, MAX_USES, (const int[]){0, 1, 2, 3, 4, 5, 6, 7});
}

/// Blocks of every size, 1 to 7, the specialized ones among them.
static void all_sizes(problem *p)
{
    for (int k = 0; k < 14; k++) {
        append_block(p, k % 7 + 1, 4, (const int[]){2 * k, 2 * k + 1, 2 * k + 2, 2 * k + 3});
    }
}

/// Blocks of 5 and of 6 rows, as of hinges and welds: in loops, so that columns have several blocks
/// below, and with others among them.
static void hinges(problem *p)
{
    for (int k = 0; k < 5; k++) {
        append_block(p, 5, 4, (const int[]){2 * k, 2 * k + 1, 2 * k + 2, 2 * k + 3});
        append_block(p, 6, 4, (const int[]){2 * k + 12, 2 * k + 13, 2 * k + 14, 2 * k + 15});
    }
    append_block(p, 5, 4, (const int[]){0, 6, 11, 30});
    append_block(p, 5, 4, (const int[]){2, 9, 31, 32});
    append_block(p, 4, 3, (const int[]){4, 5, 33});
    append_block(p, 6, 4, (const int[]){12, 18, 23, 34});
    append_block(p, 6, 4, (const int[]){14, 21, 35, 36});
    append_block(p, 3, 3, (const int[]){16, 37, 38});
    append_block(p, 5, 3, (const int[]){24, 25, 39});
    append_block(p, 5, 4, (const int[]){24, 26, 40, 41});
    append_block(p, 5, 4, (const int[]){24, 27, 42, 43});
    append_block(p, 6, 4, (const int[]){26, 27, 28, 29});
    append_block(p, 6, 3, (const int[]){28, 44, 45});
    append_block(p, 6, 3, (const int[]){29, 44, 46});
}

/// Blocks of 4 rows, as of universals, in loops, and some beside them.
static void universals(problem *p)
{
    for (int k = 0; k < 8; k++) {
        append_block(p, 4, 3, (const int[]){2 * k, 2 * k + 1, 2 * k + 2});
    }
    append_block(p, 4, 3, (const int[]){0, 7, 20});
    append_block(p, 4, 3, (const int[]){3, 12, 21});
    append_block(p, 3, 3, (const int[]){5, 22, 23});
    append_block(p, 5, 3, (const int[]){22, 24, 25});
    append_block(p, 6, 3, (const int[]){24, 26, 27});
}

/// Pieces that do not touch, and blocks that touch many.
static void scattered(problem *p)
{
    for (int k = 0; k < 30; k++) {
        int uses[3];
        uses[0] = below(40);
        uses[1] = (uses[0] + 1 + below(38)) % 40;
        append_block(p, 1 + below(2), 2, uses);
    }
    append_block(p, 1, MAX_USES, (const int[]){0, 5, 10, 15, 20, 25, 30, 35});
}

/// Four blocks, and others that share nothing with them.
static void pieces(problem *p)
{
    for (int k = 0; k < 9; k++) {
        append_block(p, k < 4 ? 2 : 3, 2,
                     (const int[]){k < 4 ? k : k + 10, k < 4 ? k + 1 : k + 11});
    }
}

typedef void shape_fn(problem *p);

static const struct {
    const char *name;
    shape_fn *shape;
} shapes[] = {{"chain", chain},     {"loops", loops},           {"star", star},
              {"pins", pins},       {"one block", one_block},   {"all sizes", all_sizes},
              {"hinges", hinges},   {"universals", universals}, {"scattered", scattered},
              {"sliders", sliders}, {"pieces", pieces}};

enum { SHAPES = sizeof shapes / sizeof *shapes, PIECES = SHAPES - 1 };

static void random_G(problem *p)
{
    memset(p->G, 0, sizeof p->G);
    for (int k = 0; k < p->nblocks; k++) {
        for (int r = p->first[k]; r < p->first[k + 1]; r++) {
            for (int u = 0; u < p->nuses[k]; u++) {
                for (int c = 0; c < WIDTH; c++) {
                    p->G[r][WIDTH * p->uses[k][u] + c] = uniform();
                }
            }
        }
    }
}

static void multiply_out(problem *p)
{
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j < p->n; j++) {
            double sum = 0;
            for (int c = 0; c < WIDTH * MAX_BODIES; c++) {
                sum += p->G[i][c] * p->G[j][c];
            }
            p->S[i][j] = sum;
        }
    }
}

static int touch(const problem *p, int i, int j)
{
    for (int a = 0; a < p->nuses[i]; a++) {
        for (int b = 0; b < p->nuses[j]; b++) {
            if (p->uses[i][a] == p->uses[j][b]) {
                return 1;
            }
        }
    }
    return 0;
}

static problem *open_problem(int shape, double delta)
{
    problem *p = calloc(1, sizeof *p);
    int pairs[2 * MAX_BLOCKS * MAX_BLOCKS];
    int npairs = 0;

    assert_non_null(p);
    seed = 20240607 + (unsigned long long)shape;
    p->name = shapes[shape].name;
    shapes[shape].shape(p);
    random_G(p);
    multiply_out(p);
    for (int i = 0; i < p->nblocks; i++) {
        for (int j = 0; j < p->nblocks; j++) {
            if (i != j && touch(p, i, j)) {
                pairs[2 * npairs] = i;
                pairs[2 * npairs++ + 1] = j;
            }
        }
    }
    p->pattern = trm_pattern_create(p->nblocks, p->size, npairs, pairs);
    assert_non_null(p->pattern);
    assert_int_equal(p->pattern->rows, p->n);
    trm_solver_layout(&p->solver, p->pattern, delta, &p->arena);
    assert_true(trm_arena_open(&p->arena));
    trm_solver_layout(&p->solver, p->pattern, delta, &p->arena);
    return p;
}

static void close_problem(problem *p)
{
    trm_arena_close(&p->arena);
    trm_pattern_destroy(p->pattern);
    free(p);
}

static void write_S(problem *p)
{
    trm_solver_clear(&p->solver);
    for (int i = 0; i < p->nblocks; i++) {
        for (int j = 0; j <= i; j++) {
            if (i != j && !touch(p, i, j)) {
                continue;
            }
            int transposed = 0;
            const int offset = trm_pattern_offset(p->pattern, i, j, &transposed);
            const int stride = p->pattern->size[p->pattern->place[transposed ? i : j]];
            for (int a = 0; a < p->size[i]; a++) {
                for (int b = 0; b < p->size[j]; b++) {
                    const int place = transposed ? b * stride + a : a * stride + b;
                    p->solver.S[offset + place] = p->S[p->first[i] + a][p->first[j] + b];
                }
            }
        }
    }
}

/// Nonzero: damp where a plain solve would do.
static int damped_always;

/// Write S into the stored blocks and factor, as often as asked to; the code of trm_solver_factor.
static int factor_solve(problem *p, int which, double *x)
{
    int code = TRM_SOLVER_AGAIN;
    for (int tries = 0; code == TRM_SOLVER_AGAIN && tries < 2; tries++) {
        write_S(p);
        code = trm_solver_factor(&p->solver, which, p->solver.delta, tries || damped_always, x);
    }
    assert_int_not_equal(code, TRM_SOLVER_AGAIN);
    return code;
}

static int factor(problem *p, int which)
{
    return factor_solve(p, which, NULL);
}

/// Row r of G := combination of rows of its own block's bodies, so that S has the same pattern: the
/// row before it in the same block, or a row of a block over the same bodies, `off` beside it.
static void make_dependent(problem *p, int row, int on, double off)
{
    for (int c = 0; c < WIDTH * MAX_BODIES; c++) {
        p->G[row][c] = 0.7 * p->G[on][c] + (p->G[row][c] != 0 ? off * uniform() : 0);
    }
}

/// Every second row of each block repeats the first, up to `off`. Returns how many.
static int make_rank_deficient(problem *p, double off)
{
    int count = 0;
    for (int k = 0; k < p->nblocks; k += 2) {
        for (int r = p->first[k] + 1; r < p->first[k + 1]; r += 3, count++) {
            make_dependent(p, r, p->first[k], off);
        }
    }
    multiply_out(p);
    return count;
}

/// x[n] random, r = S x: a right-hand side in the range of S.
static void right_hand_side(const problem *p, double *r)
{
    double y[WIDTH * MAX_BODIES];
    for (int c = 0; c < WIDTH * MAX_BODIES; c++) {
        y[c] = uniform();
    }
    for (int i = 0; i < p->n; i++) {
        r[i] = 0;
        for (int c = 0; c < WIDTH * MAX_BODIES; c++) {
            r[i] += p->G[i][c] * y[c];
        }
    }
}

// -------------------------------------------------------------------- dense algebra in long double

static long double dense[MAX_ROWS][MAX_ROWS];

/// dense := L L^T.
static void dense_factor(int n)
{
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            long double sum = dense[i][j];
            for (int c = 0; c < j; c++) {
                sum -= dense[i][c] * dense[j][c];
            }
            dense[i][j] = i == j ? sqrtl(sum) : sum / dense[j][j];
        }
    }
}

static void dense_solve(int n, long double *x)
{
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < i; c++) {
            x[i] -= dense[i][c] * x[c];
        }
        x[i] /= dense[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int c = i + 1; c < n; c++) {
            x[i] -= dense[c][i] * x[c];
        }
        x[i] /= dense[i][i];
    }
}

/// x = x_0 + (S + delta D)^-1 (r - S x_0), x_0 = (S + delta D)^-1 r. D NULL: the diagonal of S.
static void proximal_solve(const problem *p, const double *D, const double *r, long double *x)
{
    long double rest[MAX_ROWS];
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j <= i; j++) {
            dense[i][j] = p->S[i][j];
        }
        dense[i][i] += (long double)p->solver.delta * (D ? D[i] : p->S[i][i]);
        x[i] = r[i];
    }
    dense_factor(p->n);
    dense_solve(p->n, x);
    for (int i = 0; i < p->n; i++) {
        rest[i] = r[i];
        for (int j = 0; j < p->n; j++) {
            rest[i] -= p->S[i][j] * x[j];
        }
    }
    dense_solve(p->n, rest);
    for (int i = 0; i < p->n; i++) {
        x[i] += rest[i];
    }
}

/// T = D^-1/2 S D^-1/2, D the diagonal of S, and by Jacobi's method T = V diag(T) V^T.
static long double T[MAX_ROWS][MAX_ROWS], V[MAX_ROWS][MAX_ROWS];

static void turn(int n, int a, int b)
{
    const long double theta = (T[b][b] - T[a][a]) / (2 * T[a][b]);
    const long double t = (theta >= 0 ? 1 : -1) / (fabsl(theta) + sqrtl(theta * theta + 1));
    const long double c = 1 / sqrtl(t * t + 1), s = t * c;
    for (int i = 0; i < n; i++) {
        const long double u = T[i][a], w = T[i][b];
        T[i][a] = c * u - s * w;
        T[i][b] = s * u + c * w;
    }
    for (int i = 0; i < n; i++) {
        const long double u = T[a][i], w = T[b][i], f = V[i][a], g = V[i][b];
        T[a][i] = c * u - s * w;
        T[b][i] = s * u + c * w;
        V[i][a] = c * f - s * g;
        V[i][b] = s * f + c * g;
    }
}

static void find_eigenvalues(const problem *p)
{
    const int n = p->n;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            T[i][j] = p->S[i][j] / sqrtl((long double)p->S[i][i] * p->S[j][j]);
            V[i][j] = i == j;
        }
    }
    for (int sweep = 0; sweep < 14; sweep++) {
        for (int a = 0; a < n; a++) {
            for (int b = a + 1; b < n; b++) {
                if (fabsl(T[a][b]) >= 1e-30L) {
                    turn(n, a, b);
                }
            }
        }
    }
}

/// The smallest solution of S x = r in the norm x^T D x: x = D^-1/2 T^+ D^-1/2 r, T^+ by
/// eigenvalues above `cut`.
static void smallest_solution(const problem *p, const double *r, double cut, double *x)
{
    const int n = p->n;
    find_eigenvalues(p);
    memset(x, 0, (size_t)n * sizeof *x);
    for (int k = 0; k < n; k++) {
        long double along = 0;
        for (int i = 0; i < n; i++) {
            along += V[i][k] * r[i] / sqrtl(p->S[i][i]);
        }
        for (int i = 0; T[k][k] > cut && i < n; i++) {
            x[i] += (double)(V[i][k] * along / T[k][k] / sqrtl(p->S[i][i]));
        }
    }
}

/// The smallest eigenvalue of T above `cut`; after smallest_solution.
static double smallest_eigenvalue(const problem *p, double cut)
{
    double least = 1;
    for (int k = 0; k < p->n; k++) {
        least = T[k][k] > cut && T[k][k] < least ? (double)T[k][k] : least;
    }
    return least;
}

static double largest(int n, const double *x)
{
    double max = 0;
    for (int i = 0; i < n; i++) {
        max = fmax(max, fabs(x[i]));
    }
    return max;
}

/// max |S x - r|
static double residual(const problem *p, const double *x, const double *r)
{
    double max = 0;
    for (int i = 0; i < p->n; i++) {
        double sum = -r[i];
        for (int j = 0; j < p->n; j++) {
            sum += p->S[i][j] * x[j];
        }
        max = fmax(max, fabs(sum));
    }
    return max;
}

static void solve(const problem *p, const double *r, double *x)
{
    memcpy(x, r, (size_t)p->n * sizeof *x);
    trm_solver_solve(&p->solver, x);
}

// ------------------------------------------------------------------------------- regular systems

static void sparse_equals_dense(void **state)
{
    (void)state;
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

static void without_damping_it_is_a_plain_solve(void **state)
{
    (void)state;
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
static void one_proximal_step_leaves_delta_squared(void **state)
{
    (void)state;
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

static void factoring_and_solving_at_once_gives_the_same_bits(void **state)
{
    (void)state;
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

static void a_new_matrix_is_factored_in_the_same_memory(void **state)
{
    (void)state;
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
static void a_singular_system_gets_its_smallest_solution(void **state)
{
    (void)state;
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

static void the_default_damping_solves_singular_systems_to_1e_10(void **state)
{
    (void)state;
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
static void a_nearly_singular_system_is_solved_at_every_distance(void **state)
{
    (void)state;
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
static void the_smallest_ratio_tells_singular_matrices(void **state)
{
    (void)state;
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
    trm_null_part *part = &null->part[null->used.parts];
    const int rows = p->first[to] - p->first[from];
    int column = 0;
    *part = (trm_null_part){null->used.rows, rows, count_dependent(p, from, to), null->used.values};
    for (int i = 0; i < rows; i++) {
        null->row[part->first + i] = p->pattern->place_of[p->first[from] + i];
    }
    for (int i = 0; i < rows * (part->nullity + 1); i++) { // the next one is any
        null->W[part->V + i] = (i < rows * part->nullity ? off : 1) * uniform();
    }
    for (int k = from; k < to; k++) {
        for (int r = p->first[k] + 1; k % 2 == 0 && r < p->first[k + 1]; r += 3, column++) {
            double *w = null->W + part->V + column * rows;
            w[r - p->first[from]] += 1;
            w[p->first[k] - p->first[from]] -= factor;
        }
    }
    null->used.parts++;
    null->used.rows += rows;
    null->used.values += rows * (part->nullity + 1);
    null->most = part->nullity > null->most ? part->nullity : null->most;
}

static left_out leave_out(problem *p, int border, double factor, double off)
{
    left_out out = {.arena = {0}};
    const int second = count_dependent(p, border, p->nblocks) > 0;
    const int rows[2] = {p->first[border], p->n - p->first[border]};
    const int end = second ? p->nblocks : border;
    const int values = rows[0] * (1 + count_dependent(p, 0, border)) +
                       second * rows[1] * (1 + count_dependent(p, border, end));
    const trm_null_size size = {1 + second, rows[0] + second * rows[1], values};
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
    p->solver.null = (trm_null_space){.next = 1};
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

/// Directions known to 1e-3 are brought along once and once more; what a right-hand side holds of
/// them, here as much as of all others, does not count: the solution is T^+ of it, whatever delta.
static void rows_dependent_everywhere_are_left_out(void **state)
{
    (void)state;
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
static void directions_are_brought_along(void **state)
{
    (void)state;
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

/// As at a stage that is open by e: the rows depend up to e, the solution of full rank is of order
/// 1/e. What counts is T^+ of the rank that the mechanism has.
static void off_the_constraints_the_rank_is_kept(void **state)
{
    (void)state;
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

/// The direction that is followed beside those left out tells the smallest other eigenvalue: never
/// less, and after some matrices no more.
static void the_next_direction_tells_how_near_it_is(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++) {
        problem *p = open_problem(shape, 1e-10);
        double r[MAX_ROWS] = {0}, x[MAX_ROWS];
        tie_rows(p, 0.7, 0);
        left_out out = leave_out(p, p->nblocks, 0.7, 0);
        smallest_solution(p, r, 1e-12, x);
        const double eigenvalue = smallest_eigenvalue(p, 1e-12);
        for (int k = 0; k < 200; k++) {
            assert_int_equal(factor(p, 0), 0);
            assert_true(p->solver.ratio_min >= eigenvalue * (1 - 1e-6));
            trm_null_accept(&p->solver.null);
        }
        assert_true(p->solver.ratio_min <= eigenvalue * 1.01);
        put_back(p, &out);
        close_problem(p);
    }
}

/// Two parts that do not touch, with different numbers of such rows, or none in the second: what
/// acts on one changes no bit of the other.
static void parts_do_not_touch(void **state)
{
    (void)state;
    const int border = 4; // "pieces": four blocks, then the rest over other bodies
    for (int alone = 0; alone < 2; alone++) {
        problem *p = open_problem(PIECES, 1e-10);
        double r[MAX_ROWS], x[MAX_ROWS], x2[MAX_ROWS], expected[MAX_ROWS];
        tie_rows(p, 0.7, 0);
        left_out out = leave_out(p, border, 0.7, 1e-6);
        assert_int_equal(out.room.used.parts, 2);
        assert_true(out.room.part[0].nullity != out.room.part[1].nullity);
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
static void what_is_left_out_is_left_out_of_every_solve(void **state)
{
    (void)state;
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

// -------------------------------------------------------------------------------- vanishing rows

static double old_row[WIDTH * MAX_BODIES];

static void scale_row(problem *p, int row, double factor_of_row)
{
    for (int c = 0; c < WIDTH * MAX_BODIES; c++) {
        p->G[row][c] = factor_of_row * old_row[c];
    }
    multiply_out(p);
}

/// Two right-hand sides at once, with damping and without, give the bits of one after the other.
static void two_at_once_are_the_same(void **state)
{
    (void)state;
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

/// A row that shrinks to nothing after it has been seen: its multiplier goes to zero, the others
/// solve the system without it, and when it comes back all is as before.
static void a_row_may_vanish(void **state)
{
    (void)state;
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
static void a_row_may_be_absent_from_the_start(void **state)
{
    (void)state;
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

/// What is noted of one of the two matrices is the least D of that one, until a reset. Nothing else
/// is remembered.
static void a_scale_counts_where_it_was_noted(void **state)
{
    (void)state;
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

static void what_cannot_be_factored_is_refused(void **state)
{
    (void)state;
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

// ---------------------------------------------------------------------------------------- pattern

static void a_chain_has_no_fill(void **state)
{
    (void)state;
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

static void rows_and_blocks_are_numbered_once(void **state)
{
    (void)state;
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

/// Pins with a slider here and there get a filler for each slider, sliders with a pin here and
/// there none.
static void few_single_rows_are_filled(void **state)
{
    (void)state;
    const int pins_and_slider[] = {2, 1, 2}, sliders_and_pin[] = {1, 2, 1}, hinge[] = {2, 1, 2, 5};
    const int chain_of_four[] = {0, 1, 1, 2, 2, 3};
    trm_pattern *filled = trm_pattern_create(3, pins_and_slider, 2, chain_of_four);
    trm_pattern *plain = trm_pattern_create(3, sliders_and_pin, 2, chain_of_four);
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

static void no_blocks_at_all(void **state)
{
    (void)state;
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

// ------------------------------------------------------------------------------------------- rank

/// Rows of a rank-5 matrix: nearly all are combinations of several others; large enough for
/// LAPACK's blocked code. In `L` a row's coordinates in a basis of five rows.
static void rank_of_a_large_dense_matrix(void **state)
{
    (void)state;
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

/// The same by the squares, which takes over for many rows where Q is not asked for.
static void rank_of_many_rows(void **state)
{
    (void)state;
    enum { N = 450, M = 90, R = 40 };
    static double A[N * M], factored[N * M], C[N * N / 4 + N];
    static int order[N], seen[N];
    trm_row_basis basis = {.order = order, .C = C};

    seed = 7;
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < N; i++) {
        double square = 0;
        for (int j = 0; j < M;
             j++) { // each row is the sum of two of R, which stand in the first R places
            A[i * M + j] = i < R ? (j / 2 == i ? 1 + uniform() / 2 : 0)
                                 : A[i % R * M + j] + (1 + i / R) * A[(7 * i + 3) % R * M + j];
            square += A[i * M + j] * A[i * M + j];
        }
        for (int j = 0; i >= R && j < M; j++) {
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
        for (int j = 0; j < M; j++) {
            double sum = 0;
            for (int i = 0; i < R; i++) {
                sum += C[k * R + i] * A[order[i] * M + j];
            }
            assert_near(sum, A[order[R + k] * M + j], 1e-9);
        }
    }
}

/// Two rows at an angle: dependent up to the tolerance and not beyond, alone and among many.
static void rank_draws_the_line_at_its_tolerance(void **state)
{
    (void)state;
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

static void rank_of_nothing_and_of_zero(void **state)
{
    (void)state;
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_equals_dense),
        cmocka_unit_test(without_damping_it_is_a_plain_solve),
        cmocka_unit_test(one_proximal_step_leaves_delta_squared),
        cmocka_unit_test(factoring_and_solving_at_once_gives_the_same_bits),
        cmocka_unit_test(a_new_matrix_is_factored_in_the_same_memory),
        cmocka_unit_test(a_singular_system_gets_its_smallest_solution),
        cmocka_unit_test(the_default_damping_solves_singular_systems_to_1e_10),
        cmocka_unit_test(a_nearly_singular_system_is_solved_at_every_distance),
        cmocka_unit_test(the_smallest_ratio_tells_singular_matrices),
        cmocka_unit_test(rows_dependent_everywhere_are_left_out),
        cmocka_unit_test(directions_are_brought_along),
        cmocka_unit_test(off_the_constraints_the_rank_is_kept),
        cmocka_unit_test(the_next_direction_tells_how_near_it_is),
        cmocka_unit_test(parts_do_not_touch),
        cmocka_unit_test(what_is_left_out_is_left_out_of_every_solve),
        cmocka_unit_test(two_at_once_are_the_same),
        cmocka_unit_test(a_row_may_vanish),
        cmocka_unit_test(a_row_may_be_absent_from_the_start),
        cmocka_unit_test(a_scale_counts_where_it_was_noted),
        cmocka_unit_test(what_cannot_be_factored_is_refused),
        cmocka_unit_test(a_chain_has_no_fill),
        cmocka_unit_test(rows_and_blocks_are_numbered_once),
        cmocka_unit_test(few_single_rows_are_filled),
        cmocka_unit_test(no_blocks_at_all),
        cmocka_unit_test(rank_of_a_large_dense_matrix),
        cmocka_unit_test(rank_of_many_rows),
        cmocka_unit_test(rank_draws_the_line_at_its_tolerance),
        cmocka_unit_test(rank_of_nothing_and_of_zero),
        cmocka_unit_test(cholesky_solves_positive_definite_systems),
        cmocka_unit_test(cholesky_refuses_the_rest),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]); // by name, with * and ?
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
