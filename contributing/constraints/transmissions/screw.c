// A screw and its nut: 0 = x - x_0 - lead phi/(2 pi). lambda is the force along the screw.

#include "constraints/transmissions/relation.h"

#include <stddef.h>

static void write(trm_relation *relation)
{
    static const double turn = 6.283185307179586477;
    relation->unit = "m";
    trm_put_coordinate(relation, 1);
    trm_put_term(relation, 0, -relation->def->lead / turn, 0);
    trm_put_constant(relation, relation->x0[1]);
}

static const trm_key keys[] = {
    {.name = "joints",
     .type = TRM_KEY_JOINTS,
     .offset = offsetof(trm_scene_constraint, joints),
     .required = 1,
     .schema = "{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":2,\"maxItems\":2,"
               "\"uniqueItems\":true}",
     .doc = "The revolute joint of the screw and the prismatic joint of the nut."},
    {.name = "lead",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_scene_constraint, lead),
     .required = 1,
     .range = TRM_NOT_ZERO,
     .unit = "m",
     .doc = "How far the nut moves along its axis at one turn of the screw; negative: backwards."},
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
