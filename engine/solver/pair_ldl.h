/// The kernels of block_ldl.h for patterns whose blocks all have two rows: planar mechanisms of
/// pins and sliders.
#ifndef TRM_PAIR_LDL_H
#define TRM_PAIR_LDL_H

#include "engine/solver/constraint_pattern.h"

void trm_pairs_factor(const trm_pattern *pattern, double *A, double *pivot, double *inverse_pivot,
                      double *y);
void trm_pairs_forward(const trm_pattern *pattern, const double *A, const double *inverse_pivot,
                       double *x);
void trm_pairs_backward(const trm_pattern *pattern, const double *A, double *x);
/// Forward and backward for x and y, which do not wait for each other.
void trm_pairs_solve_two(const trm_pattern *pattern, const double *A, const double *inverse_pivot,
                         double *x, double *y);

#endif
