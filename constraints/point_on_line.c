// Point on line: a point of b stays on a line of a.
//
//   0 = side1_a . (r_b - r_a),   0 = side2_a . (r_b - r_a)

#include "constraints/joint.h"
#include "program/view.h"

static void rows(const trm_joint_frame *frame, trm_row_list *out)
{
    trm_rows_in_plane(frame, frame->side[0][0], "side_1", out);
    trm_rows_in_plane(frame, frame->side[0][1], "side_2", out);
}

static const trm_key keys[] = {
    TRM_JOINT_AXIS_KEY(
        0, "Direction of the line in the initial pose, world axes; it moves with the first body."),
    TRM_JOINT_BALL_KEYS,
    TRM_JOINT_PART_KEY("slide", "The displacement of b's point from a's along the axis"),
    {.name = NULL},
};

static const trm_joint_part parts[] = {
    {"slide", &trm_joint_slide, TRM_PART_AXIS},
    TRM_JOINT_BALL_PARTS,
};

const trm_joint_kind trm_joint_point_on_line = {
    .name = "point_on_line",
    .dimension = 3,
    .doc = "A point of the second body stays on a line of the first.",
    .keys = keys,
    .freedom = TRM_FREEDOM_NONE,
    .parts = parts,
    .symbol = TRM_JOINT_SYMBOL_TRACK,
    .seats = 2,
    .rows = rows,
    .dofs = "PB",
};
