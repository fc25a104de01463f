// Revolute joint: b turns about a point and, in space, about an axis fixed in a.
//
//   planar    0 = r_b - r_a;   without a motor engine/multibody/pins.c evaluates it
//   spatial   0 = r_b - r_a,   0 = axis_a . side1_b,   0 = axis_a . side2_b

#include "constraints/joint.h"

static void rows(const trm_joint_frame *frame, trm_row_list *out)
{
    trm_rows_coincident(frame, out);
    if (frame->dimension == 3) {
        trm_rows_aligned(frame, out);
    }
}

static const trm_key keys[] = {
    TRM_JOINT_AXIS_KEY(3, "Direction of the axis in the initial pose, world axes."),
    TRM_JOINT_MOTION_KEY,
    {.name = "motor",
     .type = TRM_KEY_FORMULA,
     .offset = offsetof(trm_scene_joint, motor),
     .unit = "rad",
     .doc = "Prescribes, as a formula of t alone, the angle of b relative to a, counted from the "
            "initial pose."},
    {.name = "armature",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_scene_joint, armature),
     .range = TRM_NOT_NEGATIVE,
     .unit = "kg m^2",
     .fallback = "0",
     .doc = "Inertia that turns with the angle of the joint: a motor's rotor behind a gear of "
            "ratio n has n^2 times its own. It appears among the bodies, as `NAME.rotor`."},
    {.name = NULL},
};

const trm_joint_kind trm_joint_revolute = {
    .name = "revolute",
    .doc = "A hinge: b turns relative to a about a point, in 3-D about an axis through it.",
    .keys = keys,
    .freedom = TRM_FREEDOM_ANGLE,
    .seats = 1 | 2,
    .rows = rows,
    .steps = "R",
};
