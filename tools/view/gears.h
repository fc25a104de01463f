/// The pitch circles of gears and the pulleys of belts, as pictures and pages draw them.
#ifndef TRM_VIEW_GEARS_H
#define TRM_VIEW_GEARS_H

#include "engine/trammel_view.h"

/// The joint of a gear, and the side of it that is the gear.
typedef struct trm_pitch_circle {
    int index; ///< of the joint
    trm_joint_view joint;
    int side;
    double r; ///< m
} trm_pitch_circle;

/// The two of a relation by radii. Returns 0 for other relations.
int trm_pitch_circles(const trm_scene *scene, const trm_constraint_view *def,
                      trm_pitch_circle out[2]);

#endif
