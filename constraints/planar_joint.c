// Planar joint: a plane of b stays in a plane of a.
//
//   0 = normal_a . side1_b,   0 = normal_a . side2_b,   0 = normal_a . (r_b - r_a)

#include "constraints/joint.h"
#include "program/view.h"

static void rows(const trm_joint_frame *frame, trm_row_list *out)
{
    trm_rows_aligned(frame, out);
    trm_rows_in_plane(frame, frame->axis[0], "n", out);
}

static const trm_key keys[] = {
    TRM_JOINT_AXIS_KEY(0, "Normal of the plane in the initial pose, world axes."),
    {.name = NULL},
};

const trm_joint_kind trm_joint_planar = {
    .name = "planar",
    .dimension = 3,
    .doc = "b slides in a plane of a and turns about the normal of that plane.",
    .keys = keys,
    .freedom = TRM_FREEDOM_NONE,
    .symbol = TRM_JOINT_SYMBOL_PUCK,
    .rows = rows,
    .steps = "XYR",
};
