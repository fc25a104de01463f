// A state of the scene: a first-order equation beside the mechanism.
//
//   z' = rate(t, q, v, z)
//
// z/scale is a velocity with mass 1 to which no coordinate belongs, and the rate its force:
//
//   1 (z/scale)' = rate/scale
//
// So every method steps it with the velocities, its Jacobian is that of forces, and it has no
// energy. In units of its scale its errors count as those of a velocity.

#include "bodies/forces/force.h"

#include <math.h>

typedef struct state {
    int index;
    double scale; ///< a value of z that counts as 1
    trm_function rate;
} state;

static void compile(const trm_scene_force *def, const trm_force_site *site, void *element)
{
    const int index = (int)(def - site->scene->forces) - site->scene->first_state;
    *(state *)element =
        (state){.index = index, .scale = site->scene->states[index].scale, .rate = site->value[0]};
}

static int apply(const void *elements, int n, const trm_pose *pose, const double *V, double *F)
{
    const state *const e = elements;
    for (int i = 0; i < n; i++) {
        const double rate = trm_function_value(&e[i].rate, pose, V) / e[i].scale;
        if (!isfinite(rate)) {
            return i + 1;
        }
        F[trm_state_slot(pose, e[i].index)] += rate;
    }
    return 0;
}

const trm_force_kind trm_force_state = {
    .name = "state",
    .doc = "The rate of a state; from the scene's `states`.",
    .size = sizeof(state),
    .compile = compile,
    .apply = apply,
};
