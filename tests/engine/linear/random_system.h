/// Random systems S x = r, S = G G^T, on the patterns of mechanisms: chains, loops, stars, one
/// dense block; and dense algebra in long double as their reference.
#pragma once

#include "base/linear/dense.h"
#include "engine/linear/constraint_solver.h"
#include "engine/rank/row_rank.h"
#include "tests/near.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BLOCKS = 48, MAX_ROWS = 160, MAX_BODIES = 50, WIDTH = 3, MAX_USES = 8 };

// --------------------------------------------------------------------------- random mechanisms

static unsigned long long seed;

/// Uniform in -1 ... 1.
static inline double uniform(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(long long)(seed >> 11) / 4503599627370496.0 - 1.0;
}

static inline int below(int n)
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

static inline void append_block(problem *p, int rows, int nuses, const int *uses)
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
static inline void add_chain(problem *p, int n, int from)
{
    for (int k = 0; k < n; k++) {
        const int uses[2] = {from + k, from + k - 1};
        append_block(p, 1 + below(2), k == 0 ? 1 : 2, uses);
    }
}

static inline void chain(problem *p)
{
    add_chain(p, 40, 0);
}

static inline void loops(problem *p)
{
    add_chain(p, 12, 0);
    append_block(p, 1, 1, (const int[]){11});
    append_block(p, 1, 2, (const int[]){2, 7});
    add_chain(p, 6, 12);
    append_block(p, 1, 2, (const int[]){17, 4});
}

static inline void star(problem *p)
{
    for (int k = 0; k < 20; k++) {
        append_block(p, 2, 2, (const int[]){0, k + 1});
    }
}

/// Two rows each, as of pins: loops in a row, and some blocks that tie them together.
static inline void pins(problem *p)
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
static inline void sliders(problem *p)
{
    for (int k = 0; k < 24; k++) {
        append_block(p, 1 + (k % 3 > 0), k % 6 == 0 ? 1 : 2, (const int[]){k, (k + 1) % 24});
    }
    append_block(p, 1, 2, (const int[]){3, 14});
    append_block(p, 2, 2, (const int[]){6, 19});
}

static inline void one_block(problem *p)
{
    append_block(p, 20, MAX_USES, (const int[]){0, 1, 2, 3, 4, 5, 6, 7});
}

/// Blocks of every size, 1 to 7, the specialized ones among them.
static inline void all_sizes(problem *p)
{
    for (int k = 0; k < 14; k++) {
        append_block(p, k % 7 + 1, 4, (const int[]){2 * k, 2 * k + 1, 2 * k + 2, 2 * k + 3});
    }
}

/// Blocks of 5 and of 6 rows, as of hinges and welds: in loops, so that columns have several blocks
/// below, and with others among them.
static inline void hinges(problem *p)
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
static inline void universals(problem *p)
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
static inline void scattered(problem *p)
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
static inline void pieces(problem *p)
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

static inline void random_G(problem *p)
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

static inline void multiply_out(problem *p)
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

static inline int touch(const problem *p, int i, int j)
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

static inline problem *open_problem(int shape, double delta)
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

static inline void close_problem(problem *p)
{
    trm_arena_close(&p->arena);
    trm_pattern_destroy(p->pattern);
    free(p);
}

static inline void write_S(problem *p)
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
static inline int factor_solve(problem *p, int which, double *x)
{
    int code = TRM_SOLVER_AGAIN;
    for (int tries = 0; code == TRM_SOLVER_AGAIN && tries < 2; tries++) {
        write_S(p);
        code = trm_solver_factor(&p->solver, which, p->solver.delta, tries || damped_always, x);
    }
    assert_int_not_equal(code, TRM_SOLVER_AGAIN);
    return code;
}

static inline int factor(problem *p, int which)
{
    return factor_solve(p, which, NULL);
}

/// Row r of G := combination of rows of its own block's bodies, so that S has the same pattern: the
/// row before it in the same block, or a row of a block over the same bodies, `off` beside it.
static inline void make_dependent(problem *p, int row, int on, double off)
{
    for (int c = 0; c < WIDTH * MAX_BODIES; c++) {
        p->G[row][c] = 0.7 * p->G[on][c] + (p->G[row][c] != 0 ? off * uniform() : 0);
    }
}

/// Every second row of each block repeats the first, up to `off`. Returns how many.
static inline int make_rank_deficient(problem *p, double off)
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
static inline void right_hand_side(const problem *p, double *r)
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
static inline void dense_factor(int n)
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

static inline void dense_solve(int n, long double *x)
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
static inline void proximal_solve(const problem *p, const double *D, const double *r,
                                  long double *x)
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

/// T = D^-1/2 S D^-1/2, D the diagonal of S, and by Jacobi's method T = V^T diag(T) V.
static long double T[MAX_ROWS][MAX_ROWS], V[MAX_ROWS][MAX_ROWS];

static inline void turn(int n, int a, int b)
{
    const long double theta = (T[b][b] - T[a][a]) / (2 * T[a][b]);
    const long double t = (theta >= 0 ? 1 : -1) / (fabsl(theta) + sqrtl(theta * theta + 1));
    const long double c = 1 / sqrtl(t * t + 1), s = t * c;
    T[a][a] -= t * T[a][b];
    T[b][b] += t * T[a][b];
    T[a][b] = T[b][a] = 0;
    for (int i = 0; i < n; i++) {
        const long double u = T[a][i], w = T[b][i], f = V[a][i], g = V[b][i];
        T[a][i] = T[i][a] = i == a || i == b ? u : c * u - s * w;
        T[b][i] = T[i][b] = i == a || i == b ? w : s * u + c * w;
        V[a][i] = c * f - s * g;
        V[b][i] = s * f + c * g;
    }
}

static inline void find_eigenvalues(const problem *p)
{
    const int n = p->n;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            T[i][j] = p->S[i][j] / sqrtl((long double)p->S[i][i] * p->S[j][j]);
            V[i][j] = i == j;
        }
    }
    for (int sweep = 0, turned = 1; sweep < 14 && turned; sweep++) {
        turned = 0;
        for (int a = 0; a < n; a++) {
            for (int b = a + 1; b < n; b++) {
                if (fabsl(T[a][b]) >= 1e-24L) { // turns a vector by 1e-18 at a gap of 1e-6
                    turn(n, a, b);
                    turned = 1;
                }
            }
        }
    }
}

/// The smallest solution of S x = r in the norm x^T D x: x = D^-1/2 T^+ D^-1/2 r, T^+ by
/// eigenvalues above `cut`.
static inline void smallest_solution(const problem *p, const double *r, double cut, double *x)
{
    const int n = p->n;
    find_eigenvalues(p);
    memset(x, 0, (size_t)n * sizeof *x);
    for (int k = 0; k < n; k++) {
        long double along = 0;
        for (int i = 0; i < n; i++) {
            along += V[k][i] * r[i] / sqrtl(p->S[i][i]);
        }
        for (int i = 0; T[k][k] > cut && i < n; i++) {
            x[i] += (double)(V[k][i] * along / T[k][k] / sqrtl(p->S[i][i]));
        }
    }
}

static inline double largest(int n, const double *x)
{
    double max = 0;
    for (int i = 0; i < n; i++) {
        max = fmax(max, fabs(x[i]));
    }
    return max;
}

/// max |S x - r|
static inline double residual(const problem *p, const double *x, const double *r)
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

static inline void solve(const problem *p, const double *r, double *x)
{
    memcpy(x, r, (size_t)p->n * sizeof *x);
    trm_solver_solve(&p->solver, x);
}
