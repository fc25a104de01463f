// Weld: b is fixed to a.
//
//   planar    0 = r_b - r_a,   0 = angle_b - angle_a - constant
//   spatial   0 = r_b - r_a,   0 = x_a . y_b,   0 = y_a . z_b,   0 = z_a . x_b
//
// x, y, z: the world's axes in the initial pose, carried along by a and by b.

#include "constraints/joint.h"
#include "program/view.h"

static void rows(const trm_joint_frame *frame, trm_row_list *out)
{
    trm_rows_coincident(frame, out);
    if (frame->dimension == 2) {
        trm_rows_angle(frame, "angle", out);
    } else {
        trm_rows_perpendicular(frame, frame->side[0][0], frame->side[1][1], "turn_z", out);
        trm_rows_perpendicular(frame, frame->side[0][1], frame->axis[1], "turn_x", out);
        trm_rows_perpendicular(frame, frame->axis[0], frame->side[1][0], "turn_y", out);
    }
}

static const trm_key keys[] = {{.name = NULL}};

const trm_joint_kind trm_joint_weld = {
    .name = "weld",
    .doc = "Fixes b to a.",
    .keys = keys,
    .freedom = TRM_FREEDOM_NONE,
    .symbol = TRM_JOINT_SYMBOL_WELD,
    .rows = rows,
    .dofs = "",
};
