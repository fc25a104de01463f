// A linear or polynomial relation between coordinates of joints.
//
//   0 = sum c_i x_i - constant        differentials, planetary sets, mimic joints
//   0 = x_0 - (a_0 + a_1 x_1 + a_2 x_1^2 + ...)
//
// Without a constant the relation holds in the initial pose.

#include "constraints/transmissions/relation.h"

#include <stddef.h>
#include <string.h>

static const char *unit_of(const trm_relation *relation)
{
    const trm_freedom of = trm_relation_joint(relation, 0)->kind->freedom;
    for (int i = 1; i < relation->def->joints.n; i++) {
        if (trm_relation_joint(relation, i)->kind->freedom != of) {
            return "";
        }
    }
    return trm_turns(of) ? "rad" : "m";
}

static void write_linear(trm_relation *relation)
{
    const trm_scene_constraint *def = relation->def;
    double constant = 0.0, largest = 0.0;
    if (def->coefficients.n != def->joints.n) {
        trm_relation_refuse(relation, "coefficients",
                            "expected %d coefficients, one of each joint, got %d", def->joints.n,
                            def->coefficients.n);
        return;
    }
    for (int i = 0; i < def->joints.n; i++) {
        const double c = def->coefficients.item[i];
        trm_put_term(relation, i == 0, c, i);
        constant += c * relation->x0[i];
        largest = c != 0.0 ? 1.0 : largest;
    }
    if (largest == 0.0) {
        trm_relation_refuse(relation, "coefficients", "coefficients must not all be zero");
    }
    trm_put_constant(relation, def->constant_given ? def->constant : constant);
}

/// a_0 + x (a_1 + x (a_2 + ...))
static void write_polynomial(trm_relation *relation)
{
    const trm_number_list *a = &relation->def->polynomial;
    if (relation->def->joints.n != 2) {
        trm_relation_refuse(relation, "joints", "a polynomial relates 2 joints, got %d",
                            relation->def->joints.n);
        return;
    }
    trm_put_coordinate(relation, 0);
    trm_put_relation(relation, " - (");
    for (int i = 0; i < a->n; i++) {
        trm_put_factor(relation, a->item[i]);
        if (i + 1 < a->n) {
            trm_put_relation(relation, " + ");
            trm_put_coordinate(relation, 1);
            trm_put_relation(relation, "*(");
        }
    }
    for (int i = 0; i < a->n; i++) {
        trm_put_relation(relation, ")");
    }
}

static void write(trm_relation *relation)
{
    relation->unit = unit_of(relation);
    if (relation->def->polynomial.n > 0) {
        relation->unit = trm_turns(trm_relation_joint(relation, 0)->kind->freedom) ? "rad" : "m";
        write_polynomial(relation);
    } else {
        write_linear(relation);
    }
}

static const trm_key keys[] = {
    TRM_KEY("joints", JOINTS, trm_scene_constraint, joints,
            "Revolute joints (their angles) and prismatic ones (their displacements).",
            .required = 1),
    TRM_KEY("coefficients", NUMBERS, trm_scene_constraint, coefficients,
            "One of each joint: the sum of coefficient times coordinate is constant."),
    TRM_KEY("constant", NUMBER, trm_scene_constraint, constant, "The value of the sum.",
            .given = offsetof(trm_scene_constraint, constant_given),
            .fallback = "what the sum is in the initial pose"),
    TRM_KEY(
        "polynomial", NUMBERS, trm_scene_constraint, polynomial,
        "Of two joints: a0, a1, a2 ...; the first coordinate is a0 + a1 x + a2 x^2 + ... of the "
        "second one, x."),
    TRM_LOOSE_KEYS("backlash|friction|one_way|polynomial", "backlash|teeth"),
    TRM_KEY("one_way", BOOLEAN, trm_scene_constraint, one_way,
            "true: a freewheel. The sum may grow, and is held where it would fall.",
            .fallback = "false", .excludes = "backlash|friction|constant"),
    TRM_KEY("teeth", NUMBER, trm_scene_constraint, teeth,
            "Of a ratchet: what the sum grows by from tooth to tooth; it falls back to the last "
            "one. The initial pose is at a tooth.",
            .range = TRM_POSITIVE, .unit = "m or rad", .needs = "one_way"),
    {.name = NULL},
};

static const trm_key_group groups[] = {
    {1, {"coefficients", "polynomial"}},
    {0, {"constant", "polynomial"}},
    {0, {NULL}},
};

const trm_relation_kind trm_relation_coupling = {
    .name = "coupling",
    .doc = "A linear or polynomial relation of joint coordinates: differentials, planetary sets.",
    .keys = keys,
    .groups = groups,
    .write = write,
};
