// Distance rod: a massless rod of length L with a ball (in the plane: a pin) at each end.
//
//   0 = (|r_b - r_a|^2 - L^2)/(2 L)
//
// Divided by 2 L, g is the change of length in metres and lambda the force in the rod.

#include "constraints/joint.h"
#include "program/view.h"

static void rows(const trm_joint_frame *frame, trm_row_list *out)
{
    trm_rows_distance(frame, out);
}

static const trm_key keys[] = {
    TRM_KEY("length", NUMBER, trm_scene_joint, length, "Distance of the two points.",
            .given = offsetof(trm_scene_joint, length_given), .range = TRM_POSITIVE, .unit = "m",
            .fallback = "the distance in the initial pose"),
    {.name = NULL},
};

const trm_joint_kind trm_joint_rod = {
    .name = "rod",
    .doc = "Keeps a point of a and a point of b at a constant distance.",
    .keys = keys,
    .freedom = TRM_FREEDOM_NONE,
    .symbol = TRM_JOINT_SYMBOL_ROD,
    .seats = 1 | 2,
    .apart = 1,
    .rows = rows,
};
