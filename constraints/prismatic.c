// Prismatic joint: b slides along an axis fixed in a and does not turn.
//
//   planar    0 = angle_b - angle_a - constant,   0 = n_a . (r_b - r_a)
//   spatial   0 = side1_a . side2_b,   0 = side2_a . axis_b,   0 = axis_a . side1_b,
//             0 = side1_a . (r_b - r_a),   0 = side2_a . (r_b - r_a)
//
// n is perpendicular to the axis.

#include "constraints/joint.h"
#include "program/view.h"

static void planar(const trm_joint_frame *frame, trm_row_list *out)
{
    trm_rows_angle(frame, "angle", out);
    trm_rows_in_plane(frame, frame->side[0][0], "n", out);
}

static void spatial(const trm_joint_frame *frame, trm_row_list *out)
{
    trm_rows_perpendicular(frame, frame->side[0][0], frame->side[1][1], "turn", out);
    trm_rows_perpendicular(frame, frame->side[0][1], frame->axis[1], "tilt_1", out);
    trm_rows_perpendicular(frame, frame->axis[0], frame->side[1][0], "tilt_2", out);
    trm_rows_in_plane(frame, frame->side[0][0], "side_1", out);
    trm_rows_in_plane(frame, frame->side[0][1], "side_2", out);
}

static void rows(const trm_joint_frame *frame, trm_row_list *out)
{
    if (frame->dimension == 2) {
        planar(frame, out);
    } else {
        spatial(frame, out);
    }
}

static const trm_key keys[] = {
    TRM_JOINT_AXIS_KEY(0, "Direction of sliding in the initial pose, world axes; it moves with a."),
    TRM_JOINT_DRIVE_KEYS,
    {.name = NULL},
};

const trm_joint_kind trm_joint_prismatic = {
    .name = "prismatic",
    .doc = "A slider: b moves along an axis of a without turning.",
    .keys = keys,
    .freedom = TRM_FREEDOM_DISTANCE,
    .symbol = TRM_JOINT_SYMBOL_SLIDER,
    .rows = rows,
    .dofs = "P",
};
