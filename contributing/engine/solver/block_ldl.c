/// The factorization runs column by column (right-looking). Its kernels are written once for any
/// block size n and any number m of blocks below the diagonal, and instantiated for the sizes of
/// joints, so that loops unroll: 1 and 2 for planar joints, 3 for spherical ones, 4 to 6 for others
/// beside blocks of other sizes; large_ldl.h has those for 4 to 6 among themselves. Columns come in
/// stretches of one n and m, so that nothing is decided within one.
#include "engine/solver/block_ldl.h"
#include "engine/base/loops.h"
#include "engine/base/pair.h"
#include "engine/solver/large_ldl.h"
#include "engine/solver/pair_ldl.h"

/// Column k, n or m zero: look it up.
typedef struct column {
    int n, m;
    int first;    ///< row
    int diagonal; ///< its values begin here
    int blocks;   ///< its blocks in the pattern begin here
} column;

TRM_INLINE column column_of(const trm_pattern *p, int k, int n, int m)
{
    const int blocks = p->column[k];
    return (column){.n = n ? n : p->size[k],
                    .m = m ? m - 1 : p->column[k + 1] - blocks,
                    .first = p->first[k],
                    .diagonal = p->diagonal[k],
                    .blocks = blocks};
}

/// Rows of block e; h if all blocks of the column have as many.
TRM_INLINE int rows_of(const trm_pattern *p, int e, int h)
{
    return h ? h : p->size[p->block[e]];
}

/// memcpy would load pairs of numbers that have just been stored one by one, and wait for them.
TRM_INLINE void copy(int n, const double *from, double *to)
{
    for (int c = 0; c < n; c++) {
        to[c] = from[c];
    }
}

/// x := x L^-T for one row of a block below the diagonal.
TRM_INLINE void divide_row(int n, const double *L, double *x)
{
    for (int c = 1; c < n; c++) {
        for (int b = 0; b < c; b++) {
            x[c] -= L[c * n + b] * x[b];
        }
    }
}

enum { LARGEST = 6 }; // literal n

/// One column of y := diag(1/d) L^-1 y. The entries of the column stay in registers.
TRM_INLINE void forward_column(const trm_pattern *p, const column *col, int n, int h,
                               const double *A, const double *inverse, double *y)
{
    double *own = y + col->first;
    double near[LARGEST];
    double *x = n ? near : own;
    copy(n, own, near);
    divide_row(col->n, A + col->diagonal, x);
    for (int e = 0; e < col->m; e++) {
        const double *L = A + p->offset[col->blocks + e];
        const int rows = rows_of(p, col->blocks + e, h);
        double *z = y + p->row[col->blocks + e];
        for (int a = 0; a < rows; a++) {
            double sum = 0;
            for (int c = 0; c < col->n; c++) {
                sum += L[a * col->n + c] * x[c];
            }
            z[a] -= sum;
        }
    }
    for (int c = 0; c < col->n; c++) {
        own[c] = x[c] * inverse[col->first + c];
    }
}

// ---------------------------------------------------------------------------- the factorization

/// A = L diag(d) L^T of a dense block, in place: what a pivot leaves of the rows below it is
/// subtracted at once, so that the next one does not wait for a sum.
TRM_INLINE void factor_diagonal(int n, double *A, double *pivot, double *inverse_pivot)
{
    for (int j = 0; j < n; j++) {
        const double inverse = 1 / A[j * n + j];
        pivot[j] = A[j * n + j];
        inverse_pivot[j] = inverse;
        for (int i = n - 1; i > j; i--) {
            const double l = A[i * n + j] * inverse;
            for (int k = j + 1; k <= i; k++) {
                A[i * n + k] -= l * A[k * n + j];
            }
            A[i * n + j] = l;
        }
    }
}

/// The same for n = 2 with both divisions at once: d_1 = det/d_0.
TRM_INLINE void factor_pair(double *A, double *pivot, double *inverse_pivot)
{
    const double d = A[0];
    const double l = A[2];
    const double det = d * A[3] - l * l;
    const double inverse = 1 / d;
    inverse_pivot[0] = inverse;
    inverse_pivot[1] = d / det;
    pivot[0] = d;
    pivot[1] = det * inverse;
    A[2] = l * inverse;
}

/// T -= X diag(1/d) Y^T, or T^T.
TRM_INLINE void update_block(int rows, int columns, int n, const double *X, const double *Y,
                             const double *inverse_pivot, int transposed, double *T)
{
    for (int a = 0; a < rows; a++) {
        for (int b = 0; b < columns; b++) {
            double sum = 0;
            for (int c = 0; c < n; c++) {
                sum += X[a * n + c] * inverse_pivot[c] * Y[b * n + c];
            }
            T[transposed ? b * rows + a : a * columns + b] -= sum;
        }
    }
}

/// X := X diag(1/d).
TRM_INLINE void scale_block(int rows, int n, const double *inverse_pivot, double *X)
{
    for (int a = 0; a < rows; a++) {
        for (int c = 0; c < n; c++) {
            X[a * n + c] *= inverse_pivot[c];
        }
    }
}

/// The stretch of columns; n, h and m literal or zero.
TRM_INLINE void eliminate(const trm_pattern *p, const trm_stretch *s, int n, int h, int m,
                          double *A, double *pivot, double *inverse, double *y)
{
    for (int k = s->begin; k < s->end; k++) {
        const column col = column_of(p, k, n, m);
        const int *target = p->target + p->targets[k];
        const double *D = A + col.diagonal;
        double *inverse_pivot = inverse + col.first;
        if (n == 2) {
            factor_pair(A + col.diagonal, pivot + col.first, inverse_pivot);
        } else {
            factor_diagonal(col.n, A + col.diagonal, pivot + col.first, inverse_pivot);
        }
        for (int e = 0; e < col.m; e++) {
            const int rows = rows_of(p, col.blocks + e, h);
            double *X = A + p->offset[col.blocks + e];
            for (int a = 0; a < rows; a++) {
                divide_row(col.n, D, X + a * col.n);
            }
            for (int f = 0; f <= e; f++) {
                const int transposed = h == 0 && f < e && p->large[p->block[col.blocks + f]];
                update_block(rows, rows_of(p, col.blocks + f, h), col.n, X,
                             A + p->offset[col.blocks + f], inverse_pivot, transposed,
                             A + *target++);
            }
        }
        for (int e = 0; e < col.m; e++) {
            scale_block(rows_of(p, col.blocks + e, h), col.n, inverse_pivot,
                        A + p->offset[col.blocks + e]);
        }
        if (y) {
            forward_column(p, &col, n, h, A, inverse, y);
        }
    }
}

// clang-format off
/// n, h and m + 1 that have kernels of their own, see trm_stretch.
#define TRM_LDL_KERNELS(X) \
    X(1, 1, 0) X(1, 1, 1) X(1, 1, 2) X(1, 1, 3) X(1, 2, 2) X(1, 2, 3) \
    X(2, 2, 0) X(2, 2, 1) X(2, 2, 2) X(2, 2, 3) X(2, 1, 2) X(2, 1, 3) \
    X(3, 3, 0) X(3, 3, 1) X(3, 3, 2) X(3, 3, 3) \
    X(3, 0, 0) X(4, 0, 0) X(5, 0, 0) X(6, 0, 0) X(0, 0, 0)

/// And those that large_ldl.h has.
#define TRM_LARGE(KERNEL, ...) \
    case 440: \
    case 550: \
    case 660: \
        KERNEL(__VA_ARGS__); \
        break;
// clang-format on

TRM_WIDE static void factor_all(const trm_pattern *p, double *A, double *pivot,
                                double *inverse_pivot, double *y)
{
#define ELIMINATE(n, h, m)                                                                         \
    case 100 * n + 10 * h + m:                                                                     \
        eliminate(p, s, n, h, m, A, pivot, inverse_pivot, y);                                      \
        break;
    for (const trm_stretch *s = p->stretches; s < p->stretches + p->nstretches; s++) {
        switch (100 * s->size + 10 * s->rows + s->blocks) {
            TRM_LDL_KERNELS(ELIMINATE)
            TRM_LARGE(trm_large_factor, p, s, A, pivot, inverse_pivot, y)
        }
    }
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

// ------------------------------------------------------------------------------------ the solve

/// y := diag(1/d) L^-1 y over the stretch.
TRM_INLINE void forward(const trm_pattern *p, const trm_stretch *s, int n, int h, int m,
                        const double *A, const double *inverse, double *y)
{
    for (int k = s->begin; k < s->end; k++) {
        const column col = column_of(p, k, n, m);
        forward_column(p, &col, n, h, A, inverse, y);
    }
}

/// y := L^-T y over the stretch.
TRM_INLINE void backward(const trm_pattern *p, const trm_stretch *s, int n, int h, int m,
                         const double *A, double *y)
{
    for (int k = s->end - 1; k >= s->begin; k--) {
        const column col = column_of(p, k, n, m);
        const double *D = A + col.diagonal;
        double *own = y + col.first;
        double near[LARGEST];
        double *x = n ? near : own;
        copy(n, own, near);
        for (int e = 0; e < col.m; e++) {
            const double *L = A + p->offset[col.blocks + e];
            const int rows = rows_of(p, col.blocks + e, h);
            const double *z = y + p->row[col.blocks + e];
            for (int a = 0; a < rows; a++) {
                for (int c = 0; c < col.n; c++) {
                    x[c] -= L[a * col.n + c] * z[a];
                }
            }
        }
        for (int c = col.n - 1; c > 0; c--) {
            for (int b = 0; b < c; b++) {
                x[b] -= D[c * col.n + b] * x[c];
            }
        }
        copy(n, x, own);
    }
}

TRM_WIDE static void forward_all(const trm_pattern *p, const double *A, const double *inverse_pivot,
                                 double *x)
{
#define FORWARD(n, h, m)                                                                           \
    case 100 * n + 10 * h + m:                                                                     \
        forward(p, s, n, h, m, A, inverse_pivot, x);                                               \
        break;
    for (const trm_stretch *s = p->stretches; s < p->stretches + p->nstretches; s++) {
        switch (100 * s->size + 10 * s->rows + s->blocks) {
            TRM_LDL_KERNELS(FORWARD)
            TRM_LARGE(trm_large_forward, p, s, A, inverse_pivot, x)
        }
    }
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
#define BACKWARD(n, h, m)                                                                          \
    case 100 * n + 10 * h + m:                                                                     \
        backward(p, s, n, h, m, A, x);                                                             \
        break;
    for (const trm_stretch *s = p->stretches + p->nstretches; s-- > p->stretches;) {
        switch (100 * s->size + 10 * s->rows + s->blocks) {
            TRM_LDL_KERNELS(BACKWARD)
            TRM_LARGE(trm_large_backward, p, s, A, x)
        }
    }
}

void trm_ldl_backward(const trm_pattern *p, const double *A, double *x)
{
    if (p->pairs) {
        trm_pairs_backward(p, A, x);
    } else {
        backward_all(p, A, x);
    }
}

// ---------------------------------------------------------------------------------- the product

/// r -= A x for the columns of the stretch and their mirror images.
TRM_INLINE void subtract(const trm_pattern *p, const trm_stretch *s, int n, int h, int m,
                         const double *A, const double *y, double *r)
{
    for (int k = s->begin; k < s->end; k++) {
        const column col = column_of(p, k, n, m);
        const double *D = A + col.diagonal;
        const double *x = y + col.first;
        double *own = r + col.first;
        for (int a = 0; a < col.n; a++) {
            double sum = own[a];
            for (int c = 0; c < col.n; c++) {
                sum -= D[a * col.n + c] * x[c];
            }
            for (int e = 0; e < col.m; e++) {
                const double *B = A + p->offset[col.blocks + e];
                const int rows = rows_of(p, col.blocks + e, h);
                const double *z = y + p->row[col.blocks + e];
                for (int b = 0; b < rows; b++) {
                    sum -= B[b * col.n + a] * z[b];
                }
            }
            own[a] = sum;
        }
        for (int e = 0; e < col.m; e++) {
            const double *B = A + p->offset[col.blocks + e];
            const int rows = rows_of(p, col.blocks + e, h);
            double *z = r + p->row[col.blocks + e];
            for (int a = 0; a < rows; a++) {
                double sum = 0;
                for (int c = 0; c < col.n; c++) {
                    sum += B[a * col.n + c] * x[c];
                }
                z[a] -= sum;
            }
        }
    }
}

TRM_WIDE static void subtract_all(const trm_pattern *p, const double *A, const double *x, double *r)
{
#define SUBTRACT(n, h, m)                                                                          \
    case 100 * n + 10 * h + m:                                                                     \
        subtract(p, s, n, h, m, A, x, r);                                                          \
        break;
    for (const trm_stretch *s = p->stretches; s < p->stretches + p->nstretches; s++) {
        switch (100 * s->size + 10 * s->rows + s->blocks) {
            TRM_LDL_KERNELS(SUBTRACT)
            TRM_LARGE(trm_large_subtract, p, s, A, x, r)
        }
    }
}

void trm_blocks_subtract(const trm_pattern *p, const double *A, const double *x, double *r)
{
    if (p->pairs) {
        trm_pairs_subtract(p, A, x, r);
    } else {
        subtract_all(p, A, x, r);
    }
}
