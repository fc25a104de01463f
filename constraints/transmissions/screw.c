// A screw and its nut: 0 = x - x_0 - lead phi/(2 pi). lambda is the force along the screw.
// Friction of its thread: scenes/reader/scene_contact.c.

#include "base/pi.h"
#include "constraints/transmissions/relation.h"

#include <stddef.h>

static void write(trm_relation *relation)
{
    relation->unit = "m";
    if (relation->def->friction_given && !(relation->def->radius > 0)) {
        trm_relation_refuse(relation, "friction",
                            "missing key \"radius\": friction of a screw acts at its thread");
    }
    trm_put_coordinate(relation, 1);
    trm_put_term(relation, 0, -relation->def->lead / (2 * TRM_PI), 0);
    trm_put_constant(relation, relation->x0[1]);
}

static const trm_key keys[] = {
    TRM_TWO_JOINTS("The revolute joint of the screw and the prismatic joint of the nut."),
    TRM_KEY("lead", NUMBER, trm_scene_constraint, lead,
            "How far the nut moves along its axis at one turn of the screw; negative: backwards.",
            .required = 1, .range = TRM_NOT_ZERO, .unit = "m"),
    TRM_KEY("friction", NUMBER, trm_scene_constraint, friction,
            "Coulomb's coefficient of a square thread; of flanks inclined by b, divided by cos(b). "
            "A screw with more than the thread's slope, lead/(2 pi radius), locks itself.",
            .given = offsetof(trm_scene_constraint, friction_given), .range = TRM_NOT_NEGATIVE,
            .fallback = "0"),
    TRM_KEY("radius", NUMBER, trm_scene_constraint, radius, "Mean radius of the thread.",
            .range = TRM_POSITIVE, .unit = "m", .needs = "friction"),
    {.name = NULL},
};

const trm_relation_kind trm_relation_screw = {
    .name = "screw",
    .doc = "A nut that moves by the lead at each turn of its screw.",
    .keys = keys,
    .of = {TRM_FREEDOM_ANGLE, TRM_FREEDOM_DISTANCE},
    .joints = 2,
    .write = write,
};
