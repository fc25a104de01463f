// 0 = an expression of the file, linear in velocities and not the
// derivative of a position equation.

#include "constraints/transmissions/relation.h"

#include <stddef.h>

static const trm_key keys[] = {
    TRM_KEY("expression", FORMULA, trm_scene_constraint, expression,
            "What is held at zero: an expression of velocities of markers, rates of bodies and "
            "joints, in which it is linear, and of what constraints may use.",
            .required = 1, .schema = "{\"type\":\"string\"}"),
    {.name = NULL},
};

const trm_relation_kind trm_relation_velocity = {
    .name = "velocity",
    .doc = "0 = an expression linear in velocities: a nonholonomic constraint, 0 = b(q, t) . v + "
           "c(q, t).",
    .keys = keys,
    .of_velocity = 1,
};
