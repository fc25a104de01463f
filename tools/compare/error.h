/// The distance of two states of one model, and the size of a motion.
#pragma once

#include "tools/compare/compare.h"

/// From (q, v) to (q2, v2), the largest of all bodies; `scale` (NULL: leave `relative` zero) are
/// the units of `relative`.
trm_distance trm_compare_distance(const trm_scene *scene, const trm_model *model,
                                  const trm_distance *scale, const double *q, const double *v,
                                  const double *q2, const double *v2);

/// Component by component the larger one.
trm_distance trm_distance_max(trm_distance a, trm_distance b);

/// The units of `relative`: how far a centre of mass comes from its start, m; how
/// far a body turns, but at most 1 rad; the largest speed, m/s; the largest rate,
/// rad/s. Zero: nothing moves that way.
trm_distance trm_compare_scale(const trm_scene *scene, const trm_model *model,
                               const trm_reference *reference);
