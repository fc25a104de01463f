// Pin in slot: a point of b stays on a line of a.
//
//   0 = n_a . (r_b - r_a),   n perpendicular to the slot

#include "constraints/joint.h"
#include "program/view.h"

static void rows(const trm_joint_frame *frame, trm_row_list *out)
{
    trm_rows_in_plane(frame, frame->side[0][0], "n", out);
}

static const trm_key keys[] = {
    TRM_JOINT_AXIS_KEY(
        0, "Direction of the slot in the initial pose, world axes; it moves with the first body."),
    TRM_JOINT_PART_KEY("slide", "The displacement of b's point from a's along the axis"),
    TRM_JOINT_PART_KEY("angle", "The angle of b relative to a"),
    {.name = NULL},
};

static const trm_joint_part parts[] = {
    {"slide", &trm_joint_slide, TRM_PART_AXIS},
    {"angle", &trm_joint_angle, TRM_PART_AXIS},
    {NULL, NULL, TRM_PART_AXIS},
};

const trm_joint_kind trm_joint_pin_in_slot = {
    .name = "pin_in_slot",
    .dimension = 2,
    .doc = "A pin of the second body slides in a straight slot of the first.",
    .keys = keys,
    .freedom = TRM_FREEDOM_NONE,
    .parts = parts,
    .symbol = TRM_JOINT_SYMBOL_SLOT,
    .seats = 2,
    .rows = rows,
    .dofs = "PR",
};
