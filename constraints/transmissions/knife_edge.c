// A blade, skate or sharp wheel on its body: the marker does not
// move along the normal of the blade.
//
//   0 = n . u,   n fixed in the body of the marker, u the marker's velocity

#include "bodies/rotation.h"
#include "constraints/transmissions/relation.h"

#include <math.h>
#include <stddef.h>

static void write(trm_relation *relation)
{
    static const char velocity[] = "uvw";
    const trm_scene_constraint *def = relation->def;
    double n[3], world[3];
    if (!trm_relation_turns(relation, 0)) {
        trm_relation_refuse(relation, "marker", "a blade needs a body that turns; %s does not",
                            trm_relation_place(relation, 0));
        return;
    }
    const double length =
        sqrt(def->direction[0] * def->direction[0] + def->direction[1] * def->direction[1] +
             def->direction[2] * def->direction[2]);
    for (int k = 0; k < 3; k++) {
        world[k] = def->direction[k] / length;
    }
    trm_rotate_back(relation->axes[0], world, n);
    relation->unit = "m";
    trm_begin_row(relation, "across", "n . u", 1);
    trm_text_buffer *g = &relation->rows[0].g;
    if (relation->scene->dimension == 2) {
        trm_putf(g, "(cos(_q)*(%.17g)-sin(_q)*(%.17g))*_u+(sin(_q)*(%.17g)+cos(_q)*(%.17g))*_v",
                 n[0], n[1], n[0], n[1]);
        return;
    }
    for (int k = 0; k < 3; k++) {
        trm_putf(g, "%s(_R%d0*(%.17g)+_R%d1*(%.17g)+_R%d2*(%.17g))*_%c", k ? "+" : "", k, n[0], k,
                 n[1], k, n[2], velocity[k]);
    }
}

static const trm_key keys[] = {
    TRM_KEY("marker", MARKER, trm_scene_constraint, markers, "Where the blade touches.",
            .required = 1),
    TRM_KEY(
        "normal", VECTOR, trm_scene_constraint, direction,
        "Across the blade, in the world while the body is in its initial pose; it turns with the "
        "body.",
        .required = 1, .range = TRM_NOT_ZERO),
    {.name = NULL},
};

const trm_relation_kind trm_relation_knife_edge = {
    .name = "knife_edge",
    .doc = "A blade or skate: its point moves along the blade and not across.",
    .keys = keys,
    .write = write,
};
