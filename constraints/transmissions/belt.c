// A belt, chain or timing belt over two pulleys on a carrier, without slip or stretch.
//
//   open      0 = r_1 w_1 - r_2 w_2       crossed   0 = r_1 w_1 + r_2 w_2
//
// w_i is the rate of pulley i relative to the carrier, both about one direction. lambda is the
// difference of the forces in the two strands.

#include "constraints/transmissions/relation.h"

#include <math.h>
#include <stddef.h>

static void check_distance(trm_relation *relation, double distance)
{
    const trm_scene_constraint *def = relation->def;
    const double r1 = def->radii.item[0], r2 = def->radii.item[1];
    const double least = def->crossed ? r1 + r2 : fabs(r1 - r2);
    if (!(distance > least)) {
        trm_relation_refuse(
            relation, "radii",
            "%s belt over these pulleys needs axes more than %.9g m apart, those of "
            "\"%.40s\" and \"%.40s\" are %.9g m apart",
            def->crossed ? "a crossed" : "an open", least, trm_relation_joint(relation, 0)->name,
            trm_relation_joint(relation, 1)->name, distance);
    }
}

static void write(trm_relation *relation)
{
    const trm_scene_constraint *def = relation->def;
    double sign[2], distance;
    if (def->radii.n != 2) {
        trm_relation_refuse(relation, "radii", "expected the radii of 2 pulleys, got %d",
                            def->radii.n);
        return;
    }
    if (!trm_relation_carrier(relation, sign)) {
        return;
    }
    const int along = trm_relation_parallel(relation, &distance);
    if (along != 0) {
        check_distance(relation, distance);
    }
    relation->unit = "m";
    trm_put_term(relation, 1, def->radii.item[0] * sign[0], 0);
    trm_put_term(relation, 0, def->radii.item[1] * sign[1] * (def->crossed ? along : -along), 1);
}

static const trm_key keys[] = {
    TRM_TWO_JOINTS("The two revolute joints of the pulleys, both on one body, the carrier."),
    TRM_KEY("radii", NUMBERS, trm_scene_constraint, radii,
            "Of the circles that the belt's neutral line runs on.", .required = 1,
            .range = TRM_POSITIVE, .unit = "m",
            .schema =
                "{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/positive\"},\"minItems\":2,"
                "\"maxItems\":2}"),
    TRM_KEY("crossed", BOOLEAN, trm_scene_constraint, crossed,
            "true: the belt is crossed and the pulleys turn against each other.",
            .fallback = "false"),
    TRM_LOOSE_KEYS("backlash|friction", "backlash"),
    {.name = NULL},
};

const trm_relation_kind trm_relation_belt = {
    .name = "belt",
    .doc = "A belt or chain over two pulleys, open or crossed, without slip or stretch.",
    .keys = keys,
    .of = {TRM_FREEDOM_ANGLE, TRM_FREEDOM_ANGLE},
    .joints = 2,
    .strands = 1,
    .write = write,
};
