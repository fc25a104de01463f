/// The scales D of the rows of S, and the size of S in units of D by its pivots d.
#ifndef TRM_PIVOTS_H
#define TRM_PIVOTS_H

#include "engine/base/lane.h"
#include "engine/solver/constraint_pattern.h"

/// D[n] := S_ii, or the scale of the row where it is larger; every entry at least TRM_LEAST_SCALE
/// of the largest.
void trm_pivots_scale(const trm_pattern *pattern, const trm_lane *S, const trm_lane *scale,
                      trm_lane *D);

/// *largest := max D/d. Returns whether all 1/d are positive and finite.
trm_lane_truth trm_pivots_judge(int n, const trm_lane *inverse, const trm_lane *D,
                                trm_lane *largest);

#endif
