// Cylindrical joint: b slides along an axis of a and turns about it.
//
//   0 = axis_a . side1_b,   0 = axis_a . side2_b,
//   0 = side1_a . (r_b - r_a),   0 = side2_a . (r_b - r_a)

#include "constraints/joint.h"
#include "program/view.h"

static void rows(const trm_joint_frame *frame, trm_row_list *out)
{
    trm_rows_aligned(frame, out);
    trm_rows_in_plane(frame, frame->side[0][0], "side_1", out);
    trm_rows_in_plane(frame, frame->side[0][1], "side_2", out);
}

static const trm_key keys[] = {
    TRM_JOINT_AXIS_KEY(0, "Direction of the axis in the initial pose, world axes."),
    {.name = NULL},
};

const trm_joint_kind trm_joint_cylindrical = {
    .name = "cylindrical",
    .dimension = 3,
    .doc = "A shaft in a sleeve: b slides along an axis of a and turns about it.",
    .keys = keys,
    .freedom = TRM_FREEDOM_NONE,
    .symbol = TRM_JOINT_SYMBOL_SLEEVE,
    .rows = rows,
    .steps = "PR",
};
