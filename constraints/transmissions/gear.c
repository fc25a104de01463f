// Two gears on a carrier c.
//
//   0 = r_1 w_1 + s r_2 w_2,   w_i the rate of gear i relative to the carrier, about one direction
//   external  s = 1     the axes are r_1 + r_2 apart
//   internal  s = -1    the axes are |r_1 - r_2| apart
//   bevel     s = 1     the directions both point away from where the axes meet
//
// The two pitch circles have one velocity where they touch. g is in metres, lambda is the force of
// the teeth along the circles.

#include "base/accuracy_policy.h"
#include "bodies/vector.h"
#include "constraints/transmissions/relation.h"

#include <math.h>
#include <stddef.h>

static void check_distance(trm_relation *relation, double distance)
{
    const trm_scene_constraint *def = relation->def;
    const double r1 = def->radii.item[0], r2 = def->radii.item[1];
    const double needed = def->mesh == TRM_MESH_EXTERNAL ? r1 + r2 : fabs(r1 - r2);
    if (fabs(needed - distance) > TRM_FIT * fmax(r1, r2)) {
        trm_relation_refuse(
            relation, "radii",
            "the axes of \"%.40s\" and \"%.40s\" are %.9g m apart, but these radii %s to %.9g m",
            trm_relation_joint(relation, 0)->name, trm_relation_joint(relation, 1)->name, distance,
            def->mesh == TRM_MESH_EXTERNAL ? "add" : "differ", needed);
    }
}

/// The point where the axes meet: side[i] = 1 when gear i lies ahead of it along its axis, else -1.
static void meet(trm_relation *relation, double side[2])
{
    double n[2][3], d[3], square[3], off[3];
    const double *p[2] = {relation->point[0], relation->point[1]};
    for (int i = 0; i < 2; i++) {
        trm_relation_axis(relation, i, n[i]);
    }
    subtract(p[1], p[0], d);
    cross(n[0], n[1], square);
    const double area = dot(square, square), size = sqrt(dot(d, d));
    if (area <= TRM_FIT * TRM_FIT || fabs(dot(d, square)) > TRM_FIT * size * sqrt(area)) {
        trm_relation_refuse(relation, "joints",
                            "the axes of bevel gears meet, those of \"%.64s\" and \"%.64s\" do not",
                            trm_relation_joint(relation, 0)->name,
                            trm_relation_joint(relation, 1)->name);
        return;
    }
    for (int i = 0; i < 2; i++) {
        // p_0 + s_0 n_0 = p_1 + s_1 n_1
        cross(d, n[1 - i], off);
        const double s = dot(off, square) / area;
        side[i] = s > 0 ? -1.0 : 1.0;
        if (fabs(s) <= TRM_FIT * size) {
            trm_relation_refuse(
                relation, "joints",
                "\"%.64s\" stands where the axes meet; its point must be at the gear, "
                "or the ratio be given",
                trm_relation_joint(relation, i)->name);
        }
    }
}

static void write_radii(trm_relation *relation)
{
    const trm_scene_constraint *def = relation->def;
    double sign[2], side[2] = {1.0, 1.0}, distance = 0.0;
    if (def->radii.n != 2) {
        trm_relation_refuse(relation, "radii", "expected the radii of 2 gears, got %d",
                            def->radii.n);
        return;
    }
    if (!trm_relation_carrier(relation, sign)) {
        return;
    }
    if (def->mesh == TRM_MESH_BEVEL) {
        meet(relation, side);
    } else {
        const int along = trm_relation_parallel(relation, &distance);
        side[1] = def->mesh == TRM_MESH_EXTERNAL ? along : -along;
        if (along != 0) {
            check_distance(relation, distance);
        }
    }
    relation->unit = "m";
    trm_put_term(relation, 1, def->radii.item[0] * sign[0] * side[0], 0);
    trm_put_term(relation, 0, def->radii.item[1] * sign[1] * side[1], 1);
}

static void write(trm_relation *relation)
{
    const trm_scene_constraint *def = relation->def;
    if (!def->ratio_given) {
        write_radii(relation);
        return;
    }
    relation->unit = "rad";
    trm_put_coordinate(relation, 1);
    trm_put_term(relation, 0, -def->ratio, 0);
}

static const trm_key keys[] = {
    TRM_TWO_JOINTS(
        "The two revolute joints of the gears; with radii both on one body, the carrier."),
    TRM_KEY("radii", NUMBERS, trm_scene_constraint, radii,
            "Of the pitch circles; checked against the distance of the axes. The sign follows from "
            "the mesh and the directions of the axes; this or `ratio`.",
            .range = TRM_POSITIVE, .unit = "m",
            .schema =
                "{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/positive\"},\"minItems\":2,"
                "\"maxItems\":2}"),
    TRM_KEY("ratio", NUMBER, trm_scene_constraint, ratio,
            "The angle of the second joint is this times that of the first; negative for external "
            "gears with axes of one direction.",
            .given = offsetof(trm_scene_constraint, ratio_given), .range = TRM_NOT_ZERO),
    TRM_KEY("mesh", CHOICE, trm_scene_constraint, mesh,
            "How they meet. Bevel gears stand where the points of their joints are.",
            .fallback = "external", .choices = "external|internal|bevel"),
    TRM_LOOSE_KEYS("backlash|friction", "backlash"),
    {.name = NULL},
};

static const trm_key_group groups[] = {
    {1, {"radii", "ratio"}},
    {0, {"mesh", "ratio"}},
    {0, {NULL}},
};

const trm_relation_kind trm_relation_gear = {
    .name = "gear",
    .doc =
        "Two gears whose pitch circles roll on each other; the reaction is the force of the teeth.",
    .keys = keys,
    .groups = groups,
    .of = {TRM_FREEDOM_ANGLE, TRM_FREEDOM_ANGLE},
    .joints = 2,
    .write = write,
};
