/// Four numbers side by side, as vectors of gcc and clang; passed by address, since the registers
/// of a returned vector depend on the processor.
#pragma once

#include "base/loops.h"

#include <stdint.h>

typedef double trm_quad __attribute__((vector_size(4 * sizeof(double))));
/// Four numbers as they lie in an array.
typedef trm_quad trm_quad_there __attribute__((aligned(sizeof(double))));

/// The result of a comparison: all bits or none.
typedef int64_t trm_quad_truth __attribute__((vector_size(4 * sizeof(int64_t))));

/// Four numbers of an array from x on, to be read and to be written.
TRM_INLINE const trm_quad_there *trm_quad_at(const double *x)
{
    return (const trm_quad_there *)x;
}

TRM_INLINE trm_quad_there *trm_quad_to(double *x)
{
    return (trm_quad_there *)x;
}

/// x^T y, four products at once.
TRM_INLINE double trm_product(int n, const double *x, const double *y)
{
    trm_quad sum = {0, 0, 0, 0};
    double rest = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        sum += *trm_quad_at(x + i) * *trm_quad_at(y + i);
    }
    for (; i < n; i++) {
        rest += x[i] * y[i];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest;
}
