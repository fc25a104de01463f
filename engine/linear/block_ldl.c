/// Which kernel each stretch of columns takes. Where all blocks have two rows: pair_ldl.h.
#include "engine/linear/block_ldl.h"
#include "engine/linear/large_ldl.h"
#include "engine/linear/ldl_kernels.h"
#include "engine/linear/pair_ldl.h"

// clang-format off
/// n, h and m + 1 that have kernels of their own, see trm_stretch: 1 and 2 for planar joints, 3 for
/// spherical ones, 4 to 6 for others beside blocks of other sizes.
#define TRM_LDL_KERNELS(X) \
    X(1, 1, 0) X(1, 1, 1) X(1, 1, 2) X(1, 1, 3) X(1, 2, 2) X(1, 2, 3) \
    X(2, 2, 0) X(2, 2, 1) X(2, 2, 2) X(2, 2, 3) X(2, 1, 2) X(2, 1, 3) \
    X(3, 3, 0) X(3, 3, 1) X(3, 3, 2) X(3, 3, 3) \
    X(3, 0, 0) X(4, 0, 0) X(5, 0, 0) X(6, 0, 0) X(0, 0, 0)
// clang-format on

/// Call KERNEL of the stretch's size for each stretch, from the first or from the last on.
#define TRM_LDL_CASE(n, h, m)                                                                      \
    case 100 * n + 10 * h + m:                                                                     \
        TRM_LDL_CALL(n, h, m);                                                                     \
        break;
#define TRM_LDL_SWITCH(s)                                                                          \
    switch (100 * (s)->size + 10 * (s)->rows + (s)->blocks) {                                      \
        TRM_LDL_KERNELS(TRM_LDL_CASE)                                                              \
    case 440:                                                                                      \
        TRM_LARGE_CALL(4);                                                                         \
        break;                                                                                     \
    case 550:                                                                                      \
        TRM_LARGE_CALL(5);                                                                         \
        break;                                                                                     \
    case 660:                                                                                      \
        TRM_LARGE_CALL(6);                                                                         \
        break;                                                                                     \
    }

TRM_WIDE static void factor_all(const trm_pattern *p, double *A, double *pivot, double *inverse,
                                double *y)
{
#define TRM_LDL_CALL(n, h, m) trm_ldl_factor_stretch(p, s, n, h, m, A, pivot, inverse, y)
#define TRM_LARGE_CALL(n) trm_large_factor(p, s, n, A, pivot, inverse, y)
    for (const trm_stretch *s = p->stretches; s < p->stretches + p->nstretches; s++) {
        TRM_LDL_SWITCH(s)
    }
#undef TRM_LDL_CALL
#undef TRM_LARGE_CALL
}

void trm_ldl_factor(const trm_pattern *p, double *A, double *pivot, double *inverse_pivot,
                    double *y)
{
    if (p->pairs) {
        trm_pairs_factor(p, A, pivot, inverse_pivot, y);
    } else {
        factor_all(p, A, pivot, inverse_pivot, y);
    }
}

TRM_WIDE static void forward_all(const trm_pattern *p, const double *A, const double *inverse,
                                 double *x)
{
#define TRM_LDL_CALL(n, h, m) trm_ldl_forward_stretch(p, s, n, h, m, A, inverse, x)
#define TRM_LARGE_CALL(n) trm_large_forward(p, s, n, A, inverse, x)
    for (const trm_stretch *s = p->stretches; s < p->stretches + p->nstretches; s++) {
        TRM_LDL_SWITCH(s)
    }
#undef TRM_LDL_CALL
#undef TRM_LARGE_CALL
}

void trm_ldl_forward(const trm_pattern *p, const double *A, const double *inverse_pivot, double *x)
{
    if (p->pairs) {
        trm_pairs_forward(p, A, inverse_pivot, x);
    } else {
        forward_all(p, A, inverse_pivot, x);
    }
}

TRM_WIDE static void backward_all(const trm_pattern *p, const double *A, double *x)
{
#define TRM_LDL_CALL(n, h, m) trm_ldl_backward_stretch(p, s, n, h, m, A, x)
#define TRM_LARGE_CALL(n) trm_large_backward(p, s, n, A, x)
    for (const trm_stretch *s = p->stretches + p->nstretches; s-- > p->stretches;) {
        TRM_LDL_SWITCH(s)
    }
#undef TRM_LDL_CALL
#undef TRM_LARGE_CALL
}

void trm_ldl_backward(const trm_pattern *p, const double *A, double *x)
{
    if (p->pairs) {
        trm_pairs_backward(p, A, x);
    } else {
        backward_all(p, A, x);
    }
}

/// x := A^-1 x of a matrix that is one block.
TRM_INLINE void solve_one(int n, const double *A, const double *inverse, double *x)
{
    double y[TRM_LDL_LARGEST];
    trm_ldl_copy(n, x, y);
    trm_ldl_divide_row(n, A, y);
    for (int c = n - 1; c >= 0; c--) {
        y[c] *= inverse[c];
        for (int b = n - 1; b > c; b--) {
            y[c] -= A[b * n + c] * y[b];
        }
        x[c] = y[c];
    }
}

TRM_WIDE static void solve_block(int n, const double *A, const double *inverse, double *x)
{
#define TRM_SOLVE_CASE(size)                                                                       \
    case size:                                                                                     \
        solve_one(size, A, inverse, x);                                                            \
        break;
    switch (n) {
        TRM_SOLVE_CASE(1)
        TRM_SOLVE_CASE(2)
        TRM_SOLVE_CASE(3)
        TRM_SOLVE_CASE(4)
        TRM_SOLVE_CASE(5)
        TRM_SOLVE_CASE(6)
    }
#undef TRM_SOLVE_CASE
}

void trm_ldl_solve(const trm_pattern *p, const double *A, const double *inverse_pivot, double *x)
{
    const trm_stretch *s = p->stretches;
    if (!p->pairs && p->nstretches == 1 && s->size == p->n) {
        solve_block(p->n, A + p->diagonal[s->begin], inverse_pivot, x);
    } else {
        trm_ldl_forward(p, A, inverse_pivot, x);
        trm_ldl_backward(p, A, x);
    }
}
