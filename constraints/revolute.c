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
    TRM_JOINT_DRIVE_KEYS,
    {.name = NULL},
};

const trm_joint_kind trm_joint_revolute = {
    .name = "revolute",
    .doc = "A hinge: b turns relative to a about a point, in 3-D about an axis through it.",
    .keys = keys,
    .freedom = TRM_FREEDOM_ANGLE,
    .seats = 1 | 2,
    .rows = rows,
    .dofs = "R",
};
