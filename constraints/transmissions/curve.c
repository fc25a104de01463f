// A point guided along a curve of another body or of the ground.
//
//   0 = g_1,  in space also 0 = g_2    how far the point is beside the curve (bodies/guide.h)
//
// On the curve the gradients are perpendicular to it, so the reactions are too; lambda is the
// force.

#include "constraints/transmissions/relation.h"

#include <stddef.h>

static void write(trm_relation *relation)
{
    relation->unit = "m";
    if (!trm_relation_check_markers(relation, NULL, "cannot turn a curve")) {
        return;
    }
    const int space = relation->scene->dimension == 3;
    trm_begin_row(relation, space ? "first" : NULL, "beside the curve", 0);
    trm_put(&relation->rows[0].g, "_g1");
    if (space) {
        trm_begin_row(relation, "second", "beside the curve, the other way", 0);
        trm_put(&relation->rows[1].g, "_g2");
    }
}

static const trm_key keys[] = {
    TRM_KEY("markers", MARKER_PAIR, trm_scene_constraint, markers,
            "The guided point, and the point that the curve is measured from, along the axes of "
            "its body (of the ground: the world's).",
            .required = 1),
    TRM_KEY_OWN(
        "formulas",
        "x, y and in space z as formulas of the parameter: [\"cos(s)\", \"sin(s)\"]; this or "
        "`points`.",
        .unit = "m",
        .schema = "{\"type\":\"array\",\"items\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":"
                  "\"number\"}]},\"minItems\":2,\"maxItems\":3}"),
    TRM_KEY("parameter", TEXT, trm_scene_constraint, along, "With `formulas`: its name in them.",
            .fallback = "\"s\""),
    TRM_KEY_OWN(
        "range",
        "With `formulas`: [lo, hi] of the parameter. A run ends where the point leaves an open "
        "curve, at the event NAME.end.",
        .schema = "{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/number\"},\"minItems\":2,"
                  "\"maxItems\":2}"),
    TRM_KEY_OWN(
        "points",
        "Points through which a spline with two continuous derivatives goes; its parameter is "
        "the sum of the chords, from 0 on.",
        .unit = "m",
        .schema = "{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":{\"$ref\":"
                  "\"#/$defs/number\"},\"minItems\":2,\"maxItems\":3},\"minItems\":2}"),
    TRM_KEY("closed", BOOLEAN, trm_scene_constraint, closed,
            "true: it ends where it begins, with the same direction and curvature; the first of "
            "`points` is not repeated.",
            .fallback = "false"),
    {.name = NULL},
};

static const trm_key_group groups[] = {
    {1, {"formulas", "points"}},
    {0, {"range", "points"}},
    {0, {"parameter", "points"}},
    {0, {NULL}},
};

const trm_relation_kind trm_relation_curve = {
    .name = "curve",
    .doc = "A point on a curve of formulas or of a spline: a bead on a wire, a pin in a slot.",
    .keys = keys,
    .groups = groups,
    .write = write,
};
