/// A joint of a scene, for the elements that act on its coordinate.
#pragma once

#include "bodies/forces/force.h"
#include "bodies/joint_freedom.h"

void trm_joint_axis_compile(const trm_scene_joint *joint, const trm_force_site *site,
                            trm_joint_axis *out);
