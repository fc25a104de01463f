/// Kernels of block_ldl.h for columns of blocks of 4 to 6 rows, all alike: universals, revolutes,
/// prismatics and driven revolutes, welds. Their blocks below the diagonal are stored transposed:
/// then every step adds multiples of rows of 4 to 6 numbers, four of them at once.
#ifndef TRM_LARGE_LDL_H
#define TRM_LARGE_LDL_H

#include "engine/solver/constraint_pattern.h"

/// The stretch of such columns in trm_ldl_factor, trm_ldl_forward, trm_ldl_backward,
/// trm_blocks_subtract.
void trm_large_factor(const trm_pattern *pattern, const trm_stretch *s, double *A, double *pivot,
                      double *inverse_pivot, double *y);
void trm_large_forward(const trm_pattern *pattern, const trm_stretch *s, const double *A,
                       const double *inverse_pivot, double *x);
void trm_large_backward(const trm_pattern *pattern, const trm_stretch *s, const double *A,
                        double *x);
void trm_large_subtract(const trm_pattern *pattern, const trm_stretch *s, const double *A,
                        const double *x, double *r);

#endif
