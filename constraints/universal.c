// Universal joint: b turns relative to a about an axis of a and about an axis of b.
//
//   0 = r_b - r_a,   0 = axis_a . axis2_b

#include "constraints/joint.h"
#include "program/view.h"

static void rows(const trm_joint_frame *frame, trm_row_list *out)
{
    trm_rows_coincident(frame, out);
    trm_rows_perpendicular(frame, frame->axis[0], frame->axis2[1], "square", out);
}

static const trm_key keys[] = {
    TRM_JOINT_AXIS_KEY(
        0, "Direction of the axis that is fixed in a, in the initial pose, world axes."),
    TRM_KEY("axis2", VECTOR, trm_scene_joint, axis2,
            "Direction of the axis that is fixed in b, perpendicular to `axis`.",
            .given = offsetof(trm_scene_joint, axis2_given), .required = 1, .range = TRM_NOT_ZERO),
    TRM_JOINT_PART_KEY("angle", "The angle about `axis`, of the cross relative to a"),
    TRM_JOINT_PART_KEY("angle_2", "The angle about `axis2`, of b relative to the cross"),
    {.name = NULL},
};

static const trm_joint_part parts[] = {
    {"angle", &trm_joint_angle, TRM_PART_AXIS},
    {"angle_2", &trm_joint_angle, TRM_PART_BACKWARDS},
    {NULL, NULL, TRM_PART_AXIS},
};

const trm_joint_kind trm_joint_universal = {
    .name = "universal",
    .dimension = 3,
    .doc = "A Cardan joint: two axes, one fixed in a, one in b, stay square and meet in a point.",
    .keys = keys,
    .freedom = TRM_FREEDOM_NONE,
    .parts = parts,
    .seats = 1 | 2,
    .symbol = TRM_JOINT_SYMBOL_CROSS,
    .rows = rows,
    .dofs = "RU",
};
