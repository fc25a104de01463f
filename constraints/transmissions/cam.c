// A cam and its follower, held together both ways: 0 = x - f(cam).
//
// x is the coordinate of the follower's joint, or n . r of a marker; f is a formula of the
// cam's coordinate, or table(name, cam).

#include "constraints/transmissions/relation.h"
#include "program/view.h"

#include <math.h>
#include <stddef.h>

/// n . r / |n| of the marker.
static void put_displacement(trm_relation *relation)
{
    static const char *const axis[] = {"_x", "_y", "_z"};
    const trm_scene_constraint *def = relation->def;
    const double *n = def->direction;
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(length > 0)) {
        trm_relation_refuse(relation, "marker",
                            "the displacement of a marker needs a \"direction\"");
        return;
    }
    for (int k = 0; k < relation->scene->dimension; k++) {
        trm_put_relation(relation, k ? " + " : "");
        trm_put_factor(relation, n[k] / length);
        trm_putf(&relation->rows[0].g, "*%s", axis[k]);
        trm_putf(&relation->rows[0].shown, "*%s.%s", relation->scene->markers[def->marker].name,
                 axis[k] + 1);
    }
}

static int follows_something(const trm_formula *profile)
{
    for (int i = 0; i < profile->nvariables; i++) {
        const trm_variable_kind kind = profile->variables[i].kind;
        if (kind != TRM_VARIABLE_TIME && kind != TRM_VARIABLE_INPUT) {
            return 1;
        }
    }
    return 0;
}

static void write(trm_relation *relation)
{
    const trm_scene_constraint *def = relation->def;
    relation->unit = "m";
    if (!follows_something(&def->profile)) {
        trm_relation_refuse(relation, "profile",
                            "the profile depends on no coordinate of the cam, as \"C.angle\"");
        return;
    }
    if (def->joint != TRM_INDEX_NONE) {
        const int turns = trm_turns(relation->scene->joints[def->joint].kind->freedom);
        relation->unit = turns ? "rad" : "m";
        trm_put_coordinate(relation, 0);
    } else {
        put_displacement(relation);
    }
    trm_put_relation(relation, " - (");
    trm_put(&relation->rows[0].g, "_p");
    trm_put(&relation->rows[0].shown, def->profile.text);
    trm_put_relation(relation, ")");
}

static const trm_key keys[] = {
    TRM_KEY("follower", JOINT, trm_scene_constraint, joint,
            "The joint whose angle or displacement the cam gives; this or `marker`."),
    TRM_KEY("marker", MARKER, trm_scene_constraint, marker,
            "The point whose place along `direction` the cam gives."),
    TRM_KEY("direction", VECTOR, trm_scene_constraint, direction,
            "With `marker`: a direction of the world, of any length.", .range = TRM_NOT_ZERO),
    TRM_KEY(
        "profile", FORMULA, trm_scene_constraint, profile,
        "What that is, as a formula of the cam's coordinate: \"0.01*(1 - cos(C.angle))\", or of "
        "a smooth table: \"table(lift, C.angle)\". It must hold at the start.",
        .required = 1, .unit = "m or rad"),
    {.name = NULL},
};

static const trm_key_group groups[] = {
    {1, {"follower", "marker"}},
    {0, {"follower", "direction"}},
    {0, {NULL}},
};

const trm_relation_kind trm_relation_cam = {
    .name = "cam",
    .doc = "A follower displaced by a function of the cam's coordinate, held on both sides as in a "
           "groove.",
    .keys = keys,
    .groups = groups,
    .write = write,
};
