// Viscous drag on a marker: F = -c u at x, power = -c u . u.

#include "bodies/forces/force.h"
#include "bodies/vector.h"

#include <string.h>

typedef struct drag {
    int body;
    double local[3]; ///< m
    double c;        ///< N s/m
} drag;

static void compile(const trm_scene_force *def, const trm_force_site *site, void *element)
{
    const trm_scene_marker *marker = &site->scene->markers[def->marker[0]];
    drag *e = element;
    *e = (drag){.body = marker->body == TRM_GROUND ? site->ground : marker->body,
                .c = def->damping};
    memcpy(e->local, marker->local, sizeof e->local);
}

static int apply(const void *elements, int n, const trm_pose *pose, const double *V, double *F)
{
    for (const drag *e = elements; e < (const drag *)elements + n; e++) {
        double u[3], f[3];
        trm_point(pose, e->body, e->local, V, NULL, u);
        trm_push(pose, e->body, e->local, scale(-e->c, u, f), F);
    }
    return 0;
}

static double power(const void *elements, int n, const trm_pose *pose, const double *V)
{
    double sum = 0;
    for (const drag *e = elements; e < (const drag *)elements + n; e++) {
        double u[3];
        trm_point(pose, e->body, e->local, V, NULL, u);
        sum -= e->c * dot(u, u);
    }
    return sum;
}

static const trm_key keys[] = {
    {.name = "marker",
     .type = TRM_KEY_MARKER,
     .offset = offsetof(trm_scene_force, marker),
     .required = 1,
     .doc = "Where the drag acts."},
    {.name = "damping",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_scene_force, damping),
     .required = 1,
     .unit = "N s/m",
     .range = TRM_NOT_NEGATIVE,
     .doc = "Force per velocity."},
    {.name = NULL},
};

const trm_force_kind trm_force_drag = {
    .name = "drag",
    .doc = "Viscous drag on a marker, against its velocity.",
    .keys = keys,
    .size = sizeof(drag),
    .compile = compile,
    .apply = apply,
    .power = power,
};
