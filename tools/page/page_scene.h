/// What the page knows of a scene: figures of bodies, joints, markers, springs and dampers.
#pragma once

#include "tools/common/json_out.h"
#include "tools/drawing/figure.h"
#include "tools/drawing/lines/lines.h"

/// Members of the object that is open.
void trm_page_scene(trm_json *json, const trm_scene *scene, const trm_model *model,
                    const trm_figure *figure, const trm_lines *lines);

/// The box of equal mass and inertia, size[3] (m) along its own axes, and the unit quaternion wxyz
/// from these to the body's. Returns 0 where no box has this inertia (flat within roundoff counts
/// as one).
int trm_page_inertia_box(double mass, const double inertia[9], double size[3], double turn[4]);
