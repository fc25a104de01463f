/// Which runs may share lanes, and what the kernels read of their models.
#pragma once

#include "engine/multibody/model.h"
#include "integrators/lanes/width.h"
#include "integrators/trajectory/integrator.h"

/// NULL, or why runs of this model by this method are computed alone: a clause.
const char *trm_lane_refusal(const trm_model *model, const trm_run *run);
/// Of a run that is not refused; valid as long as its model.
trm_lane_shape trm_lane_shape_of(const trm_model *model, const trm_run *run);
/// Passes of the correction after a step of a run that is not refused; < 0: another correction,
/// which the run makes by itself.
int trm_lane_passes(const trm_run *run);
/// Returns nonzero if two runs differ in numbers alone.
int trm_lane_shapes_agree(const trm_lane_shape *a, const trm_lane_shape *b);
