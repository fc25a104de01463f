/// The scales D of the rows of S, and the size of S in units of D by its pivots d.
#pragma once

#include "base/lane.h"
#include "engine/linear/constraint_pattern.h"

/// D[n] := S_ii, or the scale of the row where it is larger.
void trm_pivots_scale(const trm_pattern *pattern, const trm_lane *S, const trm_lane *scale,
                      trm_lane *D);

/// max D/d from inverse[n], 1/d; infinite where a pivot d is no positive number, as where D is 0.
trm_lane trm_pivots_decide(int n, const trm_lane *inverse, const trm_lane *D);
