// 0 = an expression of the file.

#include "constraints/transmissions/relation.h"

#include <stddef.h>

static const trm_key keys[] = {
    TRM_KEY("expression", FORMULA, trm_scene_constraint, expression,
            "What is held at zero: an expression of t, parameters, coordinates of markers and "
            "angles of bodies.",
            .required = 1, .schema = "{\"type\":\"string\"}"),
    {.name = NULL},
};

const trm_relation_kind trm_relation_expression = {
    .name = "expression",
    .doc = "0 = an expression of t, coordinates of markers, angles of bodies and coordinates of "
           "joints.",
    .keys = keys,
};
