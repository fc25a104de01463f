// One freedom of a joint that has several: a coordinate between its bodies, without rows. What
// drives, limits, rubs or measures finds it as a joint of its own, by the name JOINT.FREEDOM.

#include "constraints/joint.h"
#include "program/view.h"

static void rows(const trm_joint_frame *frame, trm_row_list *out)
{
    (void)frame, (void)out;
}

static const trm_key none[] = {{.name = NULL}};
static const trm_key keys[] = {TRM_JOINT_DRIVE_KEYS, {.name = NULL}};

const trm_joint_kind trm_joint_slide = {
    .name = "slide",
    .doc = "The displacement of b's point from a's, along the axis.",
    .keys = keys,
    .freedom = TRM_FREEDOM_DISTANCE,
    .rows = rows,
};

const trm_joint_kind trm_joint_angle = {
    .name = "angle",
    .doc = "The angle of b relative to a about the axis, zero in the initial pose.",
    .keys = keys,
    .freedom = TRM_FREEDOM_ANGLE,
    .rows = rows,
};

const trm_joint_kind trm_joint_swing = {
    .name = "swing",
    .dimension = 3,
    .doc = "The angle between the axis in a and the axis in b, 0 to pi.",
    .keys = none,
    .freedom = TRM_FREEDOM_SWING,
    .rows = rows,
};

const trm_joint_kind trm_joint_twist = {
    .name = "twist",
    .dimension = 3,
    .doc = "The angle of b about the axis, beside the swing, zero in the initial pose.",
    .keys = keys,
    .freedom = TRM_FREEDOM_TWIST,
    .rows = rows,
};
