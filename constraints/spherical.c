// Spherical joint: a point of b stays on a point of a.
//
//   0 = r_b - r_a

#include "constraints/joint.h"
#include "program/view.h"

static void rows(const trm_joint_frame *frame, trm_row_list *out)
{
    trm_rows_coincident(frame, out);
}

static const trm_key keys[] = {
    TRM_KEY(
        "axis", VECTOR, trm_scene_joint, axis,
        "Direction of an axis of both bodies in the initial pose, world axes. With it the joint "
        "has the freedoms below, without it none has a name.",
        .given = offsetof(trm_scene_joint, axis_given), .range = TRM_NOT_ZERO),
    TRM_JOINT_BALL_KEYS,
    {.name = NULL},
};

static const trm_joint_part parts[] = {TRM_JOINT_BALL_PARTS};

const trm_joint_kind trm_joint_spherical = {
    .name = "spherical",
    .dimension = 3,
    .doc = "A ball and socket: b turns relative to a about a point.",
    .keys = keys,
    .freedom = TRM_FREEDOM_NONE,
    .parts = parts,
    .seats = 1 | 2,
    .symbol = TRM_JOINT_SYMBOL_BALL,
    .rows = rows,
    .dofs = "B",
};
