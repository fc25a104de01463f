/// A row of 4 to 6 numbers: a vector of four, and the rest. n is literal. Rows are passed by
/// address, since the registers in which vectors are returned depend on the processor.
#pragma once

#include "base/pair.h"
#include "base/quad.h"

typedef struct trm_large_row {
    trm_quad four;
    trm_pair two; ///< n = 6
    double fifth; ///< n = 5
} trm_large_row;

TRM_INLINE void trm_large_load(int n, const double *x, trm_large_row *row)
{
    row->four = *trm_quad_at(x);
    if (n == 6) {
        row->two = trm_pair_load(x + 4);
    } else if (n == 5) {
        row->fifth = x[4];
    }
}

/// Every stride-th number of x, stride > 1. The first four are loaded as a vector, so that gcc sees
/// that all are set.
TRM_INLINE void trm_large_gather(int n, const double *x, int stride, trm_large_row *row)
{
    trm_large_load(n, x, row);
    row->four[1] = x[stride];
    row->four[2] = x[2 * stride];
    row->four[3] = x[3 * stride];
    if (n == 6) {
        row->two = (trm_pair){x[4 * stride], x[5 * stride]};
    } else if (n == 5) {
        row->fifth = x[4 * stride];
    }
}

TRM_INLINE void trm_large_store(int n, const trm_large_row *row, double *x)
{
    *trm_quad_to(x) = row->four;
    if (n == 6) {
        trm_pair_store(row->two, x + 4);
    } else if (n == 5) {
        x[4] = row->fifth;
    }
}

/// out := factor x
TRM_INLINE void trm_large_scale(int n, double factor, const trm_large_row *x, trm_large_row *out)
{
    out->four = factor * x->four;
    if (n == 6) {
        out->two = factor * x->two;
    } else if (n == 5) {
        out->fifth = factor * x->fifth;
    }
}

/// out -= factor x
TRM_INLINE void trm_large_subtract_from(int n, double factor, const trm_large_row *x,
                                        trm_large_row *out)
{
    out->four -= factor * x->four;
    if (n == 6) {
        out->two -= factor * x->two;
    } else if (n == 5) {
        out->fifth -= factor * x->fifth;
    }
}

/// out += factor x
TRM_INLINE void trm_large_add_to(int n, double factor, const trm_large_row *x, trm_large_row *out)
{
    out->four += factor * x->four;
    if (n == 6) {
        out->two += factor * x->two;
    } else if (n == 5) {
        out->fifth += factor * x->fifth;
    }
}

/// The product of two rows.
TRM_INLINE double trm_large_dot(int n, const trm_large_row *x, const trm_large_row *y)
{
    const trm_quad four = x->four * y->four;
    const double sum = (four[0] + four[2]) + (four[1] + four[3]);
    if (n == 6) {
        const trm_pair two = x->two * y->two;
        return sum + (two[0] + two[1]);
    }
    return n == 5 ? sum + x->fifth * y->fifth : sum;
}
