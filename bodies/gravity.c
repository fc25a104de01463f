// Gravity.
//
//   F = m gamma on every body,   V = -sum m gamma . p     (gamma: field strength, m/s^2)

#include <string.h>

#include "bodies/force.h"

typedef struct gravity {
    double field[3];    ///< m/s^2
    const double *mass; ///< [nbody+1] kg, owned by the model
} gravity;

static void compile(const trm_scene_force *def, const trm_force_site *site, void *element)
{
    (void)def;
    gravity *e = element;
    memcpy(e->field, site->scene->gravity, sizeof e->field);
    e->mass = site->mass;
}

static int apply(const void *elements, int n, const trm_pose *pose, const double *V, double *F)
{
    (void)V;
    const int width = pose->width, dimension = width == 3 ? 2 : 3;
    for (const gravity *e = elements; e < (const gravity *)elements + n; e++) {
        for (int i = 0; i < pose->nbody; i++) {
            for (int k = 0; k < dimension; k++) {
                F[width * i + k] += e->mass[i] * e->field[k];
            }
        }
    }
    return 0;
}

static double potential(const void *elements, int n, const trm_pose *pose)
{
    double sum = 0.0;
    for (const gravity *e = elements; e < (const gravity *)elements + n; e++) {
        for (int i = 0; i < pose->nbody; i++) {
            double p[3];
            trm_point(pose, i, (const double[3]){0.0, 0.0, 0.0}, NULL, p, NULL);
            sum -= e->mass[i] * (e->field[0] * p[0] + e->field[1] * p[1] + e->field[2] * p[2]);
        }
    }
    return sum;
}

const trm_force_kind trm_force_gravity = {
    .name = "gravity",
    .doc = "The weight of every body; from the scene's `gravity`.",
    .size = sizeof(gravity),
    .compile = compile,
    .apply = apply,
    .potential = potential,
};
