// The kernels of ldl_kernels.h with four matrices side by side: each lane factors and solves its
// own system, to the bits of the library with one.

typedef double four __attribute__((vector_size(4 * sizeof(double))));
#define TRM_LANE four
#include "engine/linear/ldl_kernels.h"

#include "engine/linear/block_ldl.h"
#include "tests/near.h"

#include <string.h>

enum { LANES = 4, MOST = 600 };

static unsigned long long seed;

/// Uniform in -1 ... 1.
static double uniform(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(long long)(seed >> 11) / 4503599627370496.0 - 1.0;
}

/// Values of a symmetric matrix on the pattern with a diagonal of 4 and more; large entries there
/// make it positive definite (Gershgorin).
static void fill(const trm_pattern *p, double *A)
{
    for (int i = 0; i < p->values; i++) {
        A[i] = 0.1 * uniform();
    }
    for (int k = 0; k < p->nblocks; k++) {
        const int n = p->size[k];
        double *D = A + p->diagonal[k];
        for (int a = 0; a < n; a++) {
            for (int b = 0; b < a; b++) {
                D[b * n + a] = D[a * n + b];
            }
            D[a * n + a] = 4 + uniform();
        }
    }
}

/// Factor and solve all four lanes at once; sizes looked up.
static void solve_lanes(const trm_pattern *p, four *A, four *x)
{
    static four pivot[MOST], inverse[MOST];
    for (const trm_stretch *s = p->stretches; s < p->stretches + p->nstretches; s++) {
        trm_ldl_factor_stretch(p, s, 0, 0, 0, A, pivot, inverse, x);
    }
    for (const trm_stretch *s = p->stretches + p->nstretches; s-- > p->stretches;) {
        trm_ldl_backward_stretch(p, s, 0, 0, 0, A, x);
    }
}

/// r -= block x' and its mirror image, of the block that begins at B.
static void subtract_block(const double *B, int rows, int columns, const double *x, double *r)
{
    for (int a = 0; a < rows; a++) {
        for (int c = 0; c < columns; c++) {
            r[a] -= B[a * columns + c] * x[c];
        }
    }
}

static void subtract_mirrored(const double *B, int rows, int columns, const double *x, double *r)
{
    for (int a = 0; a < rows; a++) {
        for (int c = 0; c < columns; c++) {
            r[c] -= B[a * columns + c] * x[a];
        }
    }
}

/// r -= S x
static void subtract(const trm_pattern *p, const double *S, const double *x, double *r)
{
    for (int k = 0; k < p->nblocks; k++) {
        const int n = p->size[k], at = p->first[k];
        subtract_block(S + p->diagonal[k], n, n, x + at, r + at);
        for (int e = p->column[k]; e < p->column[k + 1]; e++) {
            const int rows = p->size[p->block[e]], below = p->row[e];
            subtract_block(S + p->offset[e], rows, n, x + at, r + below);
            subtract_mirrored(S + p->offset[e], rows, n, x + below, r + at);
        }
    }
}

static void compare(const trm_pattern *p)
{
    static double A[LANES][MOST], x[LANES][MOST], S[MOST], r[MOST], pivot[MOST], inverse[MOST];
    static four wide[MOST], y[MOST];
    assert_true(p->values <= MOST);
    for (int l = 0; l < LANES; l++) {
        fill(p, A[l]);
        for (int i = 0; i < p->values; i++) {
            wide[i][l] = A[l][i];
        }
        for (int i = 0; i < p->n; i++) {
            y[i][l] = x[l][i] = uniform();
        }
    }
    solve_lanes(p, wide, y);
    for (int l = 0; l < LANES; l++) {
        memcpy(S, A[l], sizeof S);
        memcpy(r, x[l], sizeof r);
        trm_ldl_factor(p, A[l], pivot, inverse, x[l]);
        trm_ldl_backward(p, A[l], x[l]);
        subtract(p, S, x[l], r);
        for (int i = 0; i < p->n; i++) {
            assert_true(y[i][l] == x[l][i]);
            assert_near(r[i], 0, 1e-14); // a matrix of norm 5 on x below 1: 20 roundoffs of 5 eps
        }
    }
}

static void on_chain(int n, const int *size)
{
    int pairs[2 * 16];
    for (int i = 0; i + 1 < n; i++) {
        pairs[2 * i] = i;
        pairs[2 * i + 1] = i + 1;
    }
    trm_pattern *p = trm_pattern_create(n, size, n - 1, pairs);
    assert_non_null(p);
    compare(p);
    trm_pattern_destroy(p);
}

CLAIM(four_lanes_are_four_solutions)
{
    static const int balls[] = {3, 3, 3, 3, 3, 3}, mixed[] = {1, 3, 1, 3, 2, 3, 1};
    seed = 1;
    on_chain(6, balls);
    on_chain(7, mixed);
}
