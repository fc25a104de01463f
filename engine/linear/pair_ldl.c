/// A 2 by 2 block X is held by its columns, X = [x_0, x_1]; with the diagonal block [d, l; l, c] of
/// its column of blocks, d_1 = det/d, and i_0 = 1/d, i_1 = d/det,
///
///     x_1 := x_1 - (l/d) x_0,   Z = [i_0 x_0, i_1 x_1],
///     T := T - Z X'^T = T - z_0 x'_0^T - z_1 x'_1^T
///
/// for every block T that X and another block X' below the same diagonal meet in. Columns with at
/// most two blocks, most of those of mechanisms, keep them in registers.
///
/// (Functions with TRM_WIDE are static: others would be visible outside of the library.)
#include "engine/linear/pair_ldl.h"
#include "base/loops.h"
#include "base/pair.h"

typedef struct columns {
    trm_pair x0, x1;
} columns;

static inline columns load_block(const trm_lane *B)
{
    const trm_pair above = trm_pair_load(B);
    const trm_pair below = trm_pair_load(B + 2);
    return (columns){trm_pair_of(trm_first(above), trm_first(below)),
                     trm_pair_of(trm_second(above), trm_second(below))};
}

static inline void store_block(columns X, trm_lane *B)
{
    trm_pair_store(trm_pair_of(trm_first(X.x0), trm_first(X.x1)), B);
    trm_pair_store(trm_pair_of(trm_second(X.x0), trm_second(X.x1)), B + 2);
}

/// y -= X (a, b)
static inline void subtract_product(columns X, trm_lane a, trm_lane b, trm_lane *y)
{
    const trm_pair product = trm_plus(trm_scaled(a, X.x0), trm_scaled(b, X.x1));
    trm_pair_store(trm_minus(trm_pair_load(y), product), y);
}

/// T -= Z X^T
static inline void update(columns Z, columns X, trm_lane *T)
{
    subtract_product(X, trm_first(Z.x0), trm_first(Z.x1), T);
    subtract_product(X, trm_second(Z.x0), trm_second(Z.x1), T + 2);
}

// ---------------------------------------------------------------------------- the factorization

/// The factors of a diagonal block, for the blocks below it.
typedef struct diagonal {
    trm_lane l;       ///< of L
    trm_pair inverse; ///< 1/d_0, 1/d_1
} diagonal;

/// The divisions do not wait for each other.
static inline diagonal factor_diagonal(trm_lane *D, trm_lane *pivot, trm_lane *inverse_pivot)
{
    const trm_lane d = D[0];
    const trm_lane det = d * D[3] - D[2] * D[2];
    const trm_lane inverse = 1 / d;
    const trm_pair both = trm_pair_of(inverse, d / det);
    const trm_lane l = D[2] * inverse;
    trm_pair_store(trm_pair_of(d, det * inverse), pivot);
    trm_pair_store(both, inverse_pivot);
    D[2] = l;
    return (diagonal){l, both};
}

static inline columns divide(columns X, const diagonal *d)
{
    X.x1 = trm_minus(X.x1, trm_scaled(d->l, X.x0));
    return X;
}

static inline columns scale(columns X, const diagonal *d)
{
    return (columns){trm_scaled(trm_first(d->inverse), X.x0),
                     trm_scaled(trm_second(d->inverse), X.x1)};
}

/// A column of m <= 2 blocks, m literal.
static inline void eliminate(const trm_pair_column *col, int m, trm_lane *A, trm_lane *pivot,
                             trm_lane *inverse, trm_lane *y)
{
    const int *target = col->target;
    trm_lane *D = A + col->values;
    columns X[2], Z[2];
    const diagonal d = factor_diagonal(D, pivot + col->first, inverse + col->first);
    for (int e = 0; e < m; e++) {
        X[e] = divide(load_block(D + 4 + 4 * e), &d);
        Z[e] = scale(X[e], &d);
        store_block(Z[e], D + 4 + 4 * e);
        for (int f = 0; f <= e; f++) {
            update(Z[e], X[f], A + *target++);
        }
    }
    if (y) {
        trm_lane *own = y + col->first;
        const trm_lane y0 = own[0];
        const trm_lane y1 = own[1] - d.l * y0;
        for (int e = 0; e < m; e++) {
            subtract_product(Z[e], y0, y1, y + col->row[e]);
        }
        trm_pair_store(trm_times(trm_pair_of(y0, y1), d.inverse), own);
    }
}

/// Column k, with any number of blocks: T_ef -= X_e Z_f^T. X_e is read in place until Z_e
/// overwrites it.
static inline void eliminate_many(const trm_pattern *p, int k, trm_lane *A, trm_lane *pivot,
                                  trm_lane *inverse)
{
    const int *target = p->target + p->targets[k];
    const int m = p->column[k + 1] - p->column[k];
    const int first = p->first[k];
    trm_lane *B = A + p->diagonal[k] + 4;
    const diagonal d = factor_diagonal(A + p->diagonal[k], pivot + first, inverse + first);
    for (int f = 0; f < m; f++) {
        const columns X = divide(load_block(B + 4 * f), &d);
        const columns Z = scale(X, &d);
        update(Z, X, A + target[f * (f + 1) / 2 + f]);
        for (int e = f + 1; e < m; e++) {
            const columns other = divide(load_block(B + 4 * e), &d);
            update(other, Z, A + target[e * (e + 1) / 2 + f]);
        }
        store_block(Z, B + 4 * f);
    }
}

enum { MOST_SIDES = 2 };

/// A column of y := diag(1/d) L^-1 y, with rows of its m blocks, for w right-hand sides y, literal,
/// which do not wait for each other.
TRM_INLINE void forward(const trm_pair_column *col, int m, const int *row, int w, const trm_lane *A,
                        const trm_lane *inverse, trm_lane *const y[])
{
    const trm_lane *D = A + col->values;
    const trm_pair own = trm_pair_load(inverse + col->first);
    trm_lane y0[MOST_SIDES], y1[MOST_SIDES];
    for (int i = 0; i < w; i++) {
        y0[i] = y[i][col->first];
        y1[i] = y[i][col->first + 1] - D[2] * y0[i];
    }
    for (int e = 0; e < m; e++) {
        const columns X = load_block(D + 4 + 4 * e);
        for (int i = 0; i < w; i++) {
            subtract_product(X, y0[i], y1[i], y[i] + row[e]);
        }
    }
    for (int i = 0; i < w; i++) {
        trm_pair_store(trm_times(trm_pair_of(y0[i], y1[i]), own), y[i] + col->first);
    }
}

/// The number of blocks below the diagonal of a column, where it is not a literal.
enum { ANY = -1 };

/// Call f for the stretch s with their number, literal.
#define BY_BLOCKS(f, ...)                                                                          \
    switch (s->blocks - 1) {                                                                       \
    case 0:                                                                                        \
        f(p, s, 0, __VA_ARGS__);                                                                   \
        break;                                                                                     \
    case 1:                                                                                        \
        f(p, s, 1, __VA_ARGS__);                                                                   \
        break;                                                                                     \
    case 2:                                                                                        \
        f(p, s, 2, __VA_ARGS__);                                                                   \
        break;                                                                                     \
    default:                                                                                       \
        f(p, s, ANY, __VA_ARGS__);                                                                 \
    }

/// m is literal, or ANY.
static inline void factor(const trm_pattern *p, const trm_stretch *s, int m, trm_lane *A,
                          trm_lane *pivot, trm_lane *inverse, trm_lane *y)
{
    const trm_pair_column *col = p->pairs + s->begin;
    for (int k = s->begin, end = s->end; k < end; k++, col++) {
        if (m != ANY) {
            eliminate(col, m, A, pivot, inverse, y);
            continue;
        }
        const int blocks = p->column[k];
        eliminate_many(p, k, A, pivot, inverse);
        if (y) {
            forward(col, p->column[k + 1] - blocks, p->row + blocks, 1, A, inverse, &y);
        }
    }
}

TRM_WIDE static void factor_columns(const trm_pattern *p, trm_lane *A, trm_lane *pivot,
                                    trm_lane *inverse, trm_lane *y)
{
    const trm_stretch *const end = p->stretches + p->nstretches;
    for (const trm_stretch *s = p->stretches; s < end; s++) {
        BY_BLOCKS(factor, A, pivot, inverse, y)
    }
}

void trm_pairs_factor(const trm_pattern *p, trm_lane *A, trm_lane *pivot, trm_lane *inverse,
                      trm_lane *y)
{
    factor_columns(p, A, pivot, inverse, y);
}

// ------------------------------------------------------------------------------------ the solve

/// m is literal, or ANY; w literal.
TRM_INLINE void forward_all(const trm_pattern *p, const trm_stretch *s, int m, int w,
                            const trm_lane *A, const trm_lane *inverse, trm_lane *const y[])
{
    const trm_pair_column *col = p->pairs + s->begin;
    for (int k = s->begin, end = s->end; k < end; k++, col++) {
        const int blocks = m == ANY ? p->column[k] : 0;
        forward(col, m == ANY ? p->column[k + 1] - blocks : m,
                m == ANY ? p->row + blocks : col->row, w, A, inverse, y);
    }
}

TRM_INLINE void forward_stretches(const trm_pattern *p, int w, const trm_lane *A,
                                  const trm_lane *inverse, trm_lane *const y[])
{
    const trm_stretch *const end = p->stretches + p->nstretches;
    for (const trm_stretch *s = p->stretches; s < end; s++) {
        BY_BLOCKS(forward_all, w, A, inverse, y)
    }
}

/// A column of y := L^-T y, with rows of its m blocks, for w right-hand sides.
TRM_INLINE void backward(const trm_pair_column *col, int m, const int *row, int w,
                         const trm_lane *A, trm_lane *const y[])
{
    const trm_lane *D = A + col->values;
    trm_pair x[MOST_SIDES];
    for (int i = 0; i < w; i++) {
        x[i] = trm_pair_load(y[i] + col->first);
    }
    for (int e = 0; e < m; e++) {
        const trm_pair above = trm_pair_load(D + 4 + 4 * e), below = trm_pair_load(D + 6 + 4 * e);
        for (int i = 0; i < w; i++) {
            const trm_lane *z = y[i] + row[e];
            x[i] = trm_minus(x[i], trm_plus(trm_scaled(z[0], above), trm_scaled(z[1], below)));
        }
    }
    for (int i = 0; i < w; i++) {
        const trm_lane x1 = trm_second(x[i]);
        trm_pair_store(trm_pair_of(trm_first(x[i]) - D[2] * x1, x1), y[i] + col->first);
    }
}

/// m is literal, or ANY; w literal.
TRM_INLINE void backward_all(const trm_pattern *p, const trm_stretch *s, int m, int w,
                             const trm_lane *A, trm_lane *const y[])
{
    const trm_pair_column *col = p->pairs + s->end - 1;
    for (int k = s->end - 1, begin = s->begin; k >= begin; k--, col--) {
        const int blocks = m == ANY ? p->column[k] : 0;
        backward(col, m == ANY ? p->column[k + 1] - blocks : m,
                 m == ANY ? p->row + blocks : col->row, w, A, y);
    }
}

TRM_INLINE void backward_stretches(const trm_pattern *p, int w, const trm_lane *A,
                                   trm_lane *const y[])
{
    for (const trm_stretch *s = p->stretches + p->nstretches; s-- > p->stretches;) {
        BY_BLOCKS(backward_all, w, A, y)
    }
}

TRM_WIDE static void forward_columns(const trm_pattern *p, const trm_lane *A,
                                     const trm_lane *inverse, trm_lane *y)
{
    forward_stretches(p, 1, A, inverse, &y);
}

void trm_pairs_forward(const trm_pattern *p, const trm_lane *A, const trm_lane *inverse,
                       trm_lane *y)
{
    forward_columns(p, A, inverse, y);
}

TRM_WIDE static void backward_columns(const trm_pattern *p, const trm_lane *A, trm_lane *y)
{
    backward_stretches(p, 1, A, &y);
}

void trm_pairs_backward(const trm_pattern *p, const trm_lane *A, trm_lane *y)
{
    backward_columns(p, A, y);
}

TRM_WIDE static void solve_two(const trm_pattern *p, const trm_lane *A, const trm_lane *inverse,
                               trm_lane *y, trm_lane *z)
{
    trm_lane *const both[MOST_SIDES] = {y, z};
    forward_stretches(p, 2, A, inverse, both);
    backward_stretches(p, 2, A, both);
}

void trm_pairs_solve_two(const trm_pattern *p, const trm_lane *A, const trm_lane *inverse,
                         trm_lane *y, trm_lane *z)
{
    solve_two(p, A, inverse, y, z);
}
