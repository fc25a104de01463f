// Cylindrical joint: b slides along an axis of a and turns about it.
//
//   0 = axis_a . side1_b,   0 = axis_a . side2_b,
//   0 = side1_a . (r_b - r_a),   0 = side2_a . (r_b - r_a)
//
// Screw joint: the same, and 0 = slide - slide_0 - lead angle/(2 pi), the constraint `screw`
// between both freedoms, NAME.thread (constraints/transmissions/screw.c), which the reader adds.

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
    TRM_JOINT_PART_KEY("slide", "The displacement of b's point from a's along the axis"),
    TRM_JOINT_PART_KEY("angle", "The angle of b relative to a about the axis"),
    {.name = NULL},
};

static const trm_joint_part parts[] = {
    {"slide", &trm_joint_slide, TRM_PART_AXIS},
    {"angle", &trm_joint_angle, TRM_PART_AXIS},
    {NULL, NULL, TRM_PART_AXIS},
};

const trm_joint_kind trm_joint_cylindrical = {
    .name = "cylindrical",
    .dimension = 3,
    .doc = "A shaft in a sleeve: b slides along an axis of a and turns about it.",
    .keys = keys,
    .freedom = TRM_FREEDOM_NONE,
    .parts = parts,
    .symbol = TRM_JOINT_SYMBOL_SLEEVE,
    .rows = rows,
    .dofs = "PR",
};

static const trm_key screw_keys[] = {
    TRM_JOINT_AXIS_KEY(0, "Direction of the axis in the initial pose, world axes."),
    TRM_KEY("lead", NUMBER, trm_scene_joint, lead,
            "How far b moves along the axis at one turn relative to a; negative: a left thread.",
            .required = 1, .range = TRM_NOT_ZERO, .unit = "m"),
    TRM_KEY("thread_friction", NUMBER, trm_scene_joint, thread_friction,
            "Coulomb's coefficient of the thread, as `friction` of the constraint `screw`.",
            .range = TRM_NOT_NEGATIVE, .fallback = "0"),
    TRM_KEY("radius", NUMBER, trm_scene_joint, radius, "Mean radius of the thread.",
            .range = TRM_POSITIVE, .unit = "m", .needs = "thread_friction"),
    TRM_JOINT_PART_KEY("slide", "The displacement of b's point from a's along the axis"),
    TRM_JOINT_PART_KEY("angle", "The angle of b relative to a about the axis"),
    {.name = NULL},
};

const trm_joint_kind trm_joint_screw = {
    .name = "screw",
    .dimension = 3,
    .doc = "A nut on a thread: b moves along an axis of a as it turns about it.",
    .keys = screw_keys,
    .freedom = TRM_FREEDOM_NONE,
    .parts = parts,
    .symbol = TRM_JOINT_SYMBOL_NUT,
    .rows = rows,
    .dofs = "PR",
};
