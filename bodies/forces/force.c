// A force given by formulas, at a marker and, opposite, at the marker that takes the reaction.
//
//   F += f at x,   F += -f at x_r
//   f = value (world axes) or R value (axes of the body that carries the marker)

#include <math.h>
#include <string.h>

#include "bodies/forces/force.h"
#include "bodies/vector.h"
#include "program/view.h"

typedef struct force {
    int body, reaction; ///< reaction < 0: none
    double local[3], reaction_local[3];
    int in_body_axes;
    trm_function value[3];
} force;

static int place(const trm_scene *scene, int marker, int ground, double local[3])
{
    const trm_scene_marker *m = &scene->markers[marker];
    memcpy(local, m->local, sizeof m->local);
    return m->body == TRM_INDEX_GROUND ? ground : m->body;
}

static void compile(const trm_scene_force *def, const trm_force_site *site, void *element)
{
    force *e = element;
    *e = (force){.reaction = TRM_INDEX_NONE, .in_body_axes = def->axes};
    e->body = place(site->scene, def->marker[0], site->ground, e->local);
    if (def->marker[1] != TRM_INDEX_NONE) {
        e->reaction = place(site->scene, def->marker[1], site->ground, e->reaction_local);
    }
    memcpy(e->value, site->value, sizeof e->value);
}

/// f in world axes; returns nonzero when it is finite.
static int evaluate(const force *e, const trm_pose *pose, const double *V, double f[3])
{
    double value[3];
    for (int k = 0; k < 3; k++) {
        value[k] = trm_function_value(&e->value[k], pose, V);
    }
    if (e->in_body_axes) {
        trm_to_world(pose, e->body, value, f);
    } else {
        memcpy(f, value, sizeof value);
    }
    return isfinite(f[0]) && isfinite(f[1]) && isfinite(f[2]);
}

static int apply(const void *elements, int n, const trm_pose *pose, const double *V, double *F)
{
    const force *e = elements;
    for (int i = 0; i < n; i++) {
        double f[3];
        if (!evaluate(&e[i], pose, V, f)) {
            return 1 + i;
        }
        trm_push(pose, e[i].body, e[i].local, f, F);
        if (e[i].reaction >= 0) {
            trm_push(pose, e[i].reaction, e[i].reaction_local, scale(-1.0, f, f), F);
        }
    }
    return 0;
}

static const trm_key keys[] = {
    TRM_KEY("marker", MARKER, trm_scene_force, marker, "Where the force acts.", .required = 1),
    TRM_KEY("value", FORMULA_VECTOR, trm_scene_force, value, "Its components.", .required = 1,
            .unit = "N"),
    TRM_KEY("axes", CHOICE, trm_scene_force, axes,
            "Axes of the components: the world's, or those of the body that carries the marker.",
            .fallback = "world", .choices = "world|body"),
    TRM_KEY("reaction", MARKER, trm_scene_force, marker[1],
            "Marker where the opposite force acts; without it the force comes from outside."),
    {.name = NULL},
};

const trm_force_kind trm_force_force = {
    .name = "force",
    .doc = "A force given by formulas, at a marker of a body or between two markers.",
    .keys = keys,
    .size = sizeof(force),
    .compile = compile,
    .apply = apply,
};
