// A torque given by formulas, on a body and, opposite, on the body that takes the reaction.
//
//   planar    F_rate += T,   F_rate_r += -T,   power = T (rate - rate_r)
//   spatial   F_omega += T_b,   F_omega_r += -R_r^T R_b T_b,   power = F_omega . omega, both bodies
//             T_b = value (body axes) or R_b^T value (world axes)

#include <math.h>
#include <string.h>

#include "bodies/forces/force.h"
#include "bodies/vector.h"

typedef struct torque {
    int body, reaction; ///< reaction < 0: none
    int in_body_axes;
    trm_function value[3]; ///< planar: the first
} torque;

static void compile(const trm_scene_force *def, const trm_force_site *site, void *element)
{
    torque *e = element;
    *e = (torque){
        .body = def->body[0] == TRM_GROUND ? site->ground : def->body[0],
        .reaction = def->body[1] == TRM_GROUND ? site->ground : def->body[1], // or TRM_NONE
        .in_body_axes = def->axes,
    };
    memcpy(e->value, site->value, sizeof e->value);
}

/// Generalized forces on the rotations of body and reaction; returns nonzero when finite.
static int evaluate(const torque *e, const trm_pose *pose, const double *V, double on_body[3],
                    double on_reaction[3])
{
    double value[3], world[3];
    for (int k = 0; k < 3; k++) {
        value[k] = trm_function_value(&e->value[k], pose, V);
    }
    if (pose->width == 3) {
        set3(on_body, 0.0, 0.0, value[0]);
        set3(on_reaction, 0.0, 0.0, -value[0]);
        return isfinite(value[0]);
    }
    if (e->in_body_axes) {
        trm_to_world(pose, e->body, value, world);
    } else {
        memcpy(world, value, sizeof world);
    }
    trm_to_body(pose, e->body, world, on_body);
    if (e->reaction >= 0) {
        trm_to_body(pose, e->reaction, scale(-1.0, world, world), on_reaction);
    }
    return isfinite(world[0]) && isfinite(world[1]) && isfinite(world[2]);
}

static void turn(int width, int body, const double T[3], double *F)
{
    for (int k = width == 3 ? 2 : 0; k < 3; k++) {
        F[width * (body + 1) - 3 + k] += T[k];
    }
}

static double rotation_power(int width, int body, const double T[3], const double *V)
{
    double sum = 0.0;
    for (int k = width == 3 ? 2 : 0; k < 3; k++) {
        sum += T[k] * V[width * (body + 1) - 3 + k];
    }
    return sum;
}

static int apply(const void *elements, int n, const trm_pose *pose, const double *V, double *F)
{
    const torque *e = elements;
    for (int i = 0; i < n; i++) {
        double T[3], T_r[3];
        if (!evaluate(&e[i], pose, V, T, T_r)) {
            return 1 + i;
        }
        turn(pose->width, e[i].body, T, F);
        if (e[i].reaction >= 0) {
            turn(pose->width, e[i].reaction, T_r, F);
        }
    }
    return 0;
}

static double power(const void *elements, int n, const trm_pose *pose, const double *V)
{
    const torque *e = elements;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double T[3], T_r[3];
        evaluate(&e[i], pose, V, T, T_r);
        sum += rotation_power(pose->width, e[i].body, T, V);
        if (e[i].reaction >= 0) {
            sum += rotation_power(pose->width, e[i].reaction, T_r, V);
        }
    }
    return sum;
}

static const trm_key keys[] = {
    {.name = "body",
     .type = TRM_KEY_BODY,
     .offset = offsetof(trm_scene_force, body),
     .required = 1,
     .doc = "What the torque acts on."},
    {.name = "value",
     .type = TRM_KEY_FORMULA,
     .offset = offsetof(trm_scene_force, value),
     .required = 1,
     .dimension = 2,
     .unit = "N m",
     .doc = "The torque."},
    {.name = "value",
     .type = TRM_KEY_FORMULA_VECTOR,
     .offset = offsetof(trm_scene_force, value),
     .required = 1,
     .dimension = 3,
     .unit = "N m",
     .doc = "Its components."},
    {.name = "axes",
     .type = TRM_KEY_CHOICE,
     .offset = offsetof(trm_scene_force, axes),
     .dimension = 3,
     .fallback = "world",
     .choices = "world|body",
     .doc = "Axes of the components: the world's, or those of `body`."},
    {.name = "reaction",
     .type = TRM_KEY_BODY,
     .offset = offsetof(trm_scene_force, body[1]),
     .doc = "Body on which the opposite torque acts; without it the torque comes from outside."},
    {.name = NULL},
};

const trm_force_kind trm_force_torque = {
    .name = "torque",
    .doc = "A torque given by formulas, on a body or between two bodies.",
    .keys = keys,
    .size = sizeof(torque),
    .compile = compile,
    .apply = apply,
    .power = power,
};
