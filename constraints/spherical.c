// Spherical joint: a point of b stays on a point of a.
//
//   0 = r_b - r_a

#include "constraints/joint.h"
#include "program/view.h"

static void rows(const trm_joint_frame *frame, trm_row_list *out)
{
    trm_rows_coincident(frame, out);
}

static const trm_key keys[] = {{.name = NULL}};

const trm_joint_kind trm_joint_spherical = {
    .name = "spherical",
    .dimension = 3,
    .doc = "A ball and socket: b turns relative to a about a point.",
    .keys = keys,
    .freedom = TRM_FREEDOM_NONE,
    .seats = 1 | 2,
    .symbol = TRM_JOINT_SYMBOL_BALL,
    .rows = rows,
    .steps = "B",
};
