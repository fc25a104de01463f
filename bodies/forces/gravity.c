// Gravity.
//
//   F = m gamma on every body,   V = -sum m gamma . p     (gamma: field strength, m/s^2)

#include <string.h>

#include "bodies/forces/force.h"
#include "bodies/forces/gravity.h"
#include "bodies/planar_energy.h"
#include "bodies/vector.h"

static void compile(const trm_scene_force *def, const trm_force_site *site, void *element)
{
    (void)def;
    trm_gravity *e = element;
    memcpy(e->field, site->scene->gravity, sizeof e->field);
    e->mass = site->mass;
}

/// `dimension` and `width` are literal where it is called.
static inline void add_weights(const trm_gravity *e, int nbody, int dimension, int width,
                               double *restrict F)
{
    const double *mass = e->mass;
    const double field[3] = {e->field[0], e->field[1], e->field[2]};
    for (int i = 0; i < nbody; i++) {
        for (int k = 0; k < dimension; k++) {
            F[width * i + k] += mass[i] * field[k];
        }
    }
}

static int apply(const void *elements, int n, const trm_pose *pose, const double *V, double *F)
{
    (void)V;
    for (const trm_gravity *e = elements; e < (const trm_gravity *)elements + n; e++) {
        if (pose->width == 3) {
            add_weights(e, pose->nbody, 2, 3, F);
        } else {
            add_weights(e, pose->nbody, 3, 6, F);
        }
    }
    return 0;
}

static double potential(const void *elements, int n, const trm_pose *pose)
{
    double sum = 0.0;
    for (const trm_gravity *e = elements; e < (const trm_gravity *)elements + n; e++) {
        for (int i = 0; i < pose->nbody && pose->width == 6; i++) {
            double p[3];
            subtract(&pose->p[3 * i], &pose->p[3 * pose->nbody], p);
            sum -= e->mass[i] * dot(e->field, p);
        }
        if (pose->width == 3) {
            sum += trm_planar_height(pose->nbody, e->mass, e->field, pose->x, pose->y);
        }
    }
    return sum;
}

const trm_force_kind trm_force_gravity = {
    .name = "gravity",
    .doc = "The weight of every body; from the scene's `gravity`.",
    .size = sizeof(trm_gravity),
    .constant = 1,
    .compile = compile,
    .apply = apply,
    .potential = potential,
};
