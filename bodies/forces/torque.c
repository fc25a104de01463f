// A torque given by formulas, on a body and, opposite, on the body that takes the reaction.
//
//   planar    F_rate += T,   F_rate_r += -T,   power = T (rate - rate_r)
//   spatial   F_omega += T_b,   F_omega_r += -R_r^T R_b T_b,   power = F_omega . omega, both bodies
//             T_b = value (body axes) or R_b^T value (world axes)

#include <math.h>
#include <string.h>

#include "bodies/forces/force.h"
#include "bodies/forces/torque.h"
#include "bodies/vector.h"
#include "program/view.h"

/// The value of a formula without variables; not a number where it has some, or is long.
static double constant_of(const trm_function *value)
{
    double work[16];
    const int room = (int)(sizeof work / sizeof *work);
    return trm_expression_is_constant(value->code) && trm_expression_workspace(value->code) <= room
               ? trm_expression_value(value->code, NULL, work)
               : NAN;
}

static void compile(const trm_scene_force *def, const trm_force_site *site, void *element)
{
    trm_torque *e = element;
    *e = (trm_torque){
        .body = def->body[0] == TRM_INDEX_GROUND ? site->ground : def->body[0],
        .reaction =
            def->body[1] == TRM_INDEX_GROUND ? site->ground : def->body[1], // or TRM_INDEX_NONE
        .constant = constant_of(&site->value[0]),
        .in_body_axes = def->axes,
    };
    memcpy(e->value, site->value, sizeof e->value);
}

/// In the plane.
static double value_of(const trm_torque *e, const trm_pose *pose, const double *V)
{
    return isnan(e->constant) ? trm_function_value(&e->value[0], pose, V) : e->constant;
}

/// In space: generalized forces on the rotations of body and reaction; returns nonzero when finite.
static int evaluate(const trm_torque *e, const trm_pose *pose, const double *V, double on_body[3],
                    double on_reaction[3])
{
    double value[3], world[3];
    for (int k = 0; k < 3; k++) {
        value[k] = trm_function_value(&e->value[k], pose, V);
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

static void turn(int body, const double T[3], double *F)
{
    add(&F[6 * body + 3], T, &F[6 * body + 3]);
}

/// In space; returns nonzero when finite.
static int push(const trm_torque *e, const trm_pose *pose, const double *V, double *F)
{
    double T[3], T_r[3];
    if (!evaluate(e, pose, V, T, T_r)) {
        return 0;
    }
    turn(e->body, T, F);
    if (e->reaction >= 0) {
        turn(e->reaction, T_r, F);
    }
    return 1;
}

static int apply(const void *elements, int n, const trm_pose *pose, const double *V, double *F)
{
    const trm_torque *e = elements;
    for (int i = 0; i < n; i++) {
        if (pose->width == 6) {
            if (!push(&e[i], pose, V, F)) {
                return 1 + i;
            }
            continue;
        }
        const double T = value_of(&e[i], pose, V);
        if (!isfinite(T)) {
            return 1 + i;
        }
        trm_torque_push(e[i].body, e[i].reaction, T, F);
    }
    return 0;
}

/// In space.
static double work_rate(const trm_torque *e, const trm_pose *pose, const double *V)
{
    double T[3], T_r[3];
    evaluate(e, pose, V, T, T_r);
    const double own = dot(T, &V[6 * e->body + 3]);
    return e->reaction >= 0 ? own + dot(T_r, &V[6 * e->reaction + 3]) : own;
}

static double power(const void *elements, int n, const trm_pose *pose, const double *V)
{
    const trm_torque *e = elements;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += pose->width == 6
                   ? work_rate(&e[i], pose, V)
                   : trm_torque_power(e[i].body, e[i].reaction, value_of(&e[i], pose, V), V);
    }
    return sum;
}

static const trm_key keys[] = {
    TRM_KEY("body", BODY, trm_scene_force, body, "What the torque acts on.", .required = 1),
    TRM_KEY("value", FORMULA, trm_scene_force, value, "The torque.", .required = 1, .dimension = 2,
            .unit = "N m"),
    TRM_KEY("value", FORMULA_VECTOR, trm_scene_force, value, "Its components.", .required = 1,
            .dimension = 3, .unit = "N m"),
    TRM_KEY("axes", CHOICE, trm_scene_force, axes,
            "Axes of the components: the world's, or those of `body`.", .dimension = 3,
            .fallback = "world", .choices = "world|body"),
    TRM_KEY("reaction", BODY, trm_scene_force, body[1],
            "Body on which the opposite torque acts; without it the torque comes from outside."),
    {.name = NULL},
};

const trm_force_kind trm_force_torque = {
    .name = "torque",
    .doc = "A torque given by formulas, on a body or between two bodies.",
    .keys = keys,
    .size = sizeof(trm_torque),
    .compile = compile,
    .apply = apply,
    .power = power,
};
