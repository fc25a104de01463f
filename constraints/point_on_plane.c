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
    {.name = NULL},
};

const trm_joint_kind trm_joint_point_on_plane = {
    .name = "point_on_plane",
    .dimension = 3,
    .doc = "A point of the second body stays in a plane of the first.",
    .keys = keys,
    .freedom = TRM_FREEDOM_NONE,
    .symbol = TRM_JOINT_SYMBOL_POINT,
    .seats = 2,
    .rows = rows,
    .steps = "XYB",
};
