/// Three numbers, and matrices of three columns, in quads whose fourth number is 0: vectors of
/// world axes of the tree in space. Arguments are addresses of numbers; results may be arguments.
#pragma once

#include "base/pair.h"
#include "base/quad.h"

/// The sum of all four.
TRM_INLINE double trm_quad_sum(const trm_quad *x)
{
    const trm_pair sum =
        __builtin_shufflevector(*x, *x, 0, 1) + __builtin_shufflevector(*x, *x, 2, 3);
    return sum[0] + sum[1];
}

/// a x b
TRM_INLINE trm_quad *trm_quad_cross(const double *a, const double *b, trm_quad *out)
{
    const trm_quad x = *trm_quad_at(a), y = *trm_quad_at(b);
    const trm_quad next = __builtin_shufflevector(x, x, 1, 2, 0, 3);
    const trm_quad z = x * __builtin_shufflevector(y, y, 1, 2, 0, 3) - next * y;
    *out = __builtin_shufflevector(z, z, 1, 2, 0, 3);
    return out;
}

/// The columns of A, one after the other, times the three numbers x.
TRM_INLINE trm_quad *trm_columns_times(const double *A, const double *x, trm_quad *out)
{
    *out = *trm_quad_at(A) * x[0] + *trm_quad_at(A + 4) * x[1] + *trm_quad_at(A + 8) * x[2];
    return out;
}

/// The columns of A turned over: its rows.
TRM_INLINE void trm_turn_over(const double *A, double *rows)
{
    const trm_quad a = *trm_quad_at(A), b = *trm_quad_at(A + 4), c = *trm_quad_at(A + 8);
    const trm_quad none = {0, 0, 0, 0};
    const trm_quad x = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    const trm_quad y = __builtin_shufflevector(c, none, 0, 4, 2, 6);
    *trm_quad_to(rows) = __builtin_shufflevector(x, y, 0, 1, 4, 5);
    *trm_quad_to(rows + 8) = __builtin_shufflevector(x, y, 2, 3, 6, 7);
    *trm_quad_to(rows + 4) =
        __builtin_shufflevector(__builtin_shufflevector(a, b, 1, 5, 3, 7),
                                __builtin_shufflevector(c, none, 1, 5, 3, 7), 0, 1, 4, 5);
}

/// The columns of A, each with x.
TRM_INLINE trm_quad *trm_columns_dot(const double *A, const double *x, trm_quad *out)
{
    double part[12], rows[12];
    TRM_UNROLL
    for (int c = 0; c < 3; c++) {
        *trm_quad_to(part + 4 * c) = *trm_quad_at(A + 4 * c) * *trm_quad_at(x);
    }
    trm_turn_over(part, rows);
    *out = *trm_quad_at(rows) + *trm_quad_at(rows + 4) + *trm_quad_at(rows + 8);
    return out;
}

/// The three numbers alone.
TRM_INLINE void trm_quad_to_three(const double *x, double *out)
{
    trm_pair_store(trm_pair_load(x), out);
    out[2] = x[2];
}
