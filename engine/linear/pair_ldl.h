/// The kernels of block_ldl.h for patterns whose blocks all have two rows: planar mechanisms of
/// pins and sliders.
#pragma once

#include "base/lane.h"
#include "engine/linear/constraint_pattern.h"

void trm_pairs_factor(const trm_pattern *pattern, trm_lane *A, trm_lane *pivot,
                      trm_lane *inverse_pivot, trm_lane *y);
void trm_pairs_forward(const trm_pattern *pattern, const trm_lane *A, const trm_lane *inverse_pivot,
                       trm_lane *x);
void trm_pairs_backward(const trm_pattern *pattern, const trm_lane *A, trm_lane *x);
/// Forward and backward for x and y, which do not wait for each other.
void trm_pairs_solve_two(const trm_pattern *pattern, const trm_lane *A,
                         const trm_lane *inverse_pivot, trm_lane *x, trm_lane *y);
