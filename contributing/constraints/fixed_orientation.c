// Fixed orientation: b does not turn relative to a.
//
//   planar    0 = angle_b - angle_a - constant
//   spatial   0 = x_a . y_b,   0 = y_a . z_b,   0 = z_a . x_b

#include "constraints/joint.h"

static void rows(const trm_joint_frame *frame, trm_row_list *out)
{
    if (frame->dimension == 2) {
        trm_rows_angle(frame, "angle", out);
        return;
    }
    trm_rows_perpendicular(frame, frame->side[0][0], frame->side[1][1], "turn_z", out);
    trm_rows_perpendicular(frame, frame->side[0][1], frame->axis[1], "turn_x", out);
    trm_rows_perpendicular(frame, frame->axis[0], frame->side[1][0], "turn_y", out);
}

static const trm_key keys[] = {{.name = NULL}};

const trm_joint_kind trm_joint_fixed_orientation = {
    .name = "fixed_orientation",
    .doc = "b keeps its orientation relative to a; its place is free.",
    .keys = keys,
    .freedom = TRM_FREEDOM_NONE,
    .rows = rows,
};
