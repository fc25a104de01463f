/// A planar scene in space as a scene of the plane.
#pragma once

#include "trammel/trammel_status.h"

/// Writes `to`, a scene in 2-D that moves as `from` does: positions x and y of the plane through
/// the origin, joints and formulas by their names. Errors: as trm_scene_load; SCENE (the mechanism
/// is not planar, or has an element that is not carried over: which, and why), IO.
trm_status trm_plane_write(const char *from, const char *to, trm_error *err);
