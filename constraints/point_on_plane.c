// Point on plane: a point of b stays in a plane of a.
//
//   0 = normal_a . (r_b - r_a)

#include "constraints/joint.h"
#include "program/view.h"

static void rows(const trm_joint_frame *frame, trm_row_list *out)
{
    trm_rows_in_plane(frame, frame->axis[0], "n", out);
}

static const trm_key keys[] = {
    TRM_JOINT_AXIS_KEY(
        0, "Normal of the plane in the initial pose, world axes; it moves with the first body."),
    TRM_JOINT_BALL_KEYS,
    TRM_JOINT_PART_KEY("slide", "The displacement of b's point from a's along `axis2`"),
    TRM_JOINT_PART_KEY("slide_2", "That along the second side, axis x axis2"),
    {.name = NULL},
};

static const trm_joint_part parts[] = {
    {"slide", &trm_joint_slide, TRM_PART_SIDE},
    {"slide_2", &trm_joint_slide, TRM_PART_ACROSS},
    TRM_JOINT_BALL_PARTS,
};

const trm_joint_kind trm_joint_point_on_plane = {
    .name = "point_on_plane",
    .dimension = 3,
    .doc = "A point of the second body stays in a plane of the first.",
    .keys = keys,
    .freedom = TRM_FREEDOM_NONE,
    .parts = parts,
    .symbol = TRM_JOINT_SYMBOL_POINT,
    .seats = 2,
    .rows = rows,
    .dofs = "XYB",
};
