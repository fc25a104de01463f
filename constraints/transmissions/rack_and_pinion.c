// A pinion that rolls on a rack: 0 = x - x_0 - r phi. lambda is the force of the teeth.

#include "constraints/transmissions/relation.h"

#include <stddef.h>

static void write(trm_relation *relation)
{
    relation->unit = "m";
    trm_put_coordinate(relation, 1);
    trm_put_term(relation, 0, -relation->def->radius, 0);
    trm_put_constant(relation, relation->x0[1]);
}

static const trm_key keys[] = {
    TRM_TWO_JOINTS("The revolute joint of the pinion and the prismatic joint of the rack."),
    TRM_KEY("radius", NUMBER, trm_scene_constraint, radius,
            "Of the pitch circle; positive where the rack's displacement grows with the pinion's "
            "angle.",
            .required = 1, .range = TRM_NOT_ZERO, .unit = "m"),
    TRM_LOOSE_KEYS("backlash|friction", "backlash"),
    {.name = NULL},
};

const trm_relation_kind trm_relation_rack_and_pinion = {
    .name = "rack_and_pinion",
    .doc = "A rack that moves by the radius times the angle of its pinion.",
    .keys = keys,
    .of = {TRM_FREEDOM_ANGLE, TRM_FREEDOM_DISTANCE},
    .joints = 2,
    .write = write,
};
