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
    TRM_JOINT_SIDE_KEY,
    TRM_JOINT_PART_KEY("slide", "The displacement of b's point from a's along `axis2`"),
    TRM_JOINT_PART_KEY("slide_2", "That along the second side, axis x axis2"),
    TRM_JOINT_PART_KEY("angle", "The angle of b relative to a about the axis"),
    {.name = NULL},
};

static const trm_joint_part parts[] = {
    {"slide", &trm_joint_slide, TRM_PART_SIDE},
    {"slide_2", &trm_joint_slide, TRM_PART_ACROSS},
    {"angle", &trm_joint_angle, TRM_PART_AXIS},
    {NULL, NULL, TRM_PART_AXIS},
};

const trm_joint_kind trm_joint_planar = {
    .name = "planar",
    .dimension = 3,
    .doc = "b slides in a plane of a and turns about the normal of that plane.",
    .keys = keys,
    .freedom = TRM_FREEDOM_NONE,
    .parts = parts,
    .symbol = TRM_JOINT_SYMBOL_PUCK,
    .rows = rows,
    .dofs = "XYR",
};
