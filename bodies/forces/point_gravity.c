// Gravity towards a point c: a marker, of the ground or of a body.
//
//   F = -mu m d/|d|^3,   d = p - c,   on every body; the body of the marker takes the reaction
//   V = -sum mu m/|d|

#include <math.h>
#include <string.h>

#include "bodies/forces/force.h"
#include "bodies/vector.h"
#include "program/view.h"

typedef struct point_gravity {
    int body;           ///< of the centre
    double local[3];    ///< m
    double mu;          ///< m^3/s^2
    const double *mass; ///< [nbody+1] kg, owned by the model
} point_gravity;

static void compile(const trm_scene_force *def, const trm_force_site *site, void *element)
{
    const trm_scene_marker *marker = &site->scene->markers[def->marker[0]];
    point_gravity *e = element;
    *e = (point_gravity){.body = marker->body == TRM_INDEX_GROUND ? site->ground : marker->body,
                         .mu = def->mu,
                         .mass = site->mass};
    memcpy(e->local, marker->local, sizeof e->local);
}

/// d of a body's centre of mass; returns |d|.
static double away(const trm_pose *pose, int body, const double c[3], double d[3])
{
    static const double centre[3] = {0.0, 0.0, 0.0};
    double p[3];
    trm_point(pose, body, centre, NULL, p, NULL);
    subtract(p, c, d);
    return sqrt(dot(d, d));
}

static int attract(const point_gravity *e, const trm_pose *pose, double *F)
{
    static const double centre[3] = {0.0, 0.0, 0.0};
    double c[3], d[3], force[3], sum[3] = {0.0};
    trm_point(pose, e->body, e->local, NULL, c, NULL);
    for (int i = 0; i < pose->nbody; i++) {
        if (i == e->body) {
            continue;
        }
        const double r = away(pose, i, c, d);
        trm_push(pose, i, centre, scale(-e->mu * e->mass[i] / (r * r * r), d, force), F);
        subtract(sum, force, sum);
    }
    trm_push(pose, e->body, e->local, sum, F);
    return isfinite(dot(sum, sum)); // not where a body is at the centre
}

static int apply(const void *elements, int n, const trm_pose *pose, const double *V, double *F)
{
    (void)V;
    const point_gravity *e = elements;
    for (int i = 0; i < n; i++) {
        if (!attract(&e[i], pose, F)) {
            return 1 + i;
        }
    }
    return 0;
}

static double potential(const void *elements, int n, const trm_pose *pose)
{
    double sum = 0.0, c[3], d[3];
    for (const point_gravity *e = elements; e < (const point_gravity *)elements + n; e++) {
        trm_point(pose, e->body, e->local, NULL, c, NULL);
        for (int i = 0; i < pose->nbody; i++) {
            sum -= i == e->body ? 0.0 : e->mu * e->mass[i] / away(pose, i, c, d);
        }
    }
    return sum;
}

static const trm_key keys[] = {
    TRM_KEY("marker", MARKER, trm_scene_force, marker,
            "The centre. On a body, that body takes the reaction of all others.", .required = 1),
    TRM_KEY("mu", NUMBER, trm_scene_force, mu,
            "Gravitational constant times the mass of the centre: the field at 1 m.", .required = 1,
            .range = TRM_NOT_NEGATIVE, .unit = "m^3/s^2"),
    {.name = NULL},
};

const trm_force_kind trm_force_point_gravity = {
    .name = "point_gravity",
    .doc = "Every body is drawn towards a marker with mu m/r^2, at its centre of mass.",
    .keys = keys,
    .size = sizeof(point_gravity),
    .compile = compile,
    .apply = apply,
    .potential = potential,
};
