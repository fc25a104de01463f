/// A body while it is being read: what was given, before it becomes a trm_scene_body.
#ifndef TRM_BODY_DRAFT_H
#define TRM_BODY_DRAFT_H

#include "scenes/reading/reader.h"

typedef struct trm_body_draft {
    trm_scene_body body;
    const trm_node *node;
    double density; ///< kg/m^3; in the plane kg/m of a rod, kg/m^2 else
    double rpy[3], matrix[9];
    double rate_world[3];
    double length; ///< m, distance of the two "ends"; 0 without them
    int mass_given, rpy_given, matrix_given, rate_world_given;
} trm_body_draft;

/// Position, orientation and rates, from whichever keys were given.
trm_status trm_finish_pose(trm_reader *reader, trm_body_draft *draft);
/// Shape; needs draft->length.
trm_status trm_read_shape(trm_reader *reader, trm_body_draft *draft);
/// Mass and inertia; needs the shape.
trm_status trm_finish_inertia(trm_reader *reader, trm_body_draft *draft);

#endif
