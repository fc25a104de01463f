// A servo: proportional and derivative control of the freedom x of a joint.
//
//   T = kp (target - x) + kd (target_rate - x') + feedforward,   |T| <= limit
//   generalized force T grad x on both bodies,   power = T x'
//
// x as in bodies/joint_freedom.h, any number of turns. All of it counts as work, none as potential:
// the target moves. Where the limit sets in, T has a kink, and a step across it the
// order that the kink leaves; adaptive integrators shorten the step there.

#include <math.h>

#include "bodies/forces/joint_axis.h"

typedef struct servo {
    trm_joint_axis joint;
    double kp, kd; ///< N m/rad, N m s/rad; or N/m, N s/m
    double limit;  ///< N m or N; INFINITY without one
    trm_function target, target_rate, feedforward;
} servo;

static void compile(const trm_scene_force *def, const trm_force_site *site, void *element)
{
    servo *e = element;
    *e = (servo){
        .kp = def->stiffness,
        .kd = def->damping,
        .limit = def->limit_given ? def->limit : INFINITY,
        .target = site->value[0],
        .target_rate = site->value[1],
        .feedforward = site->value[2],
    };
    trm_joint_axis_compile(&site->scene->joints[def->joint], site, &e->joint);
}

static double torque(const void *element, const trm_pose *pose, const double *V,
                     const trm_joint_motion *motion)
{
    const servo *e = element;
    const double error = trm_function_value(&e->target, pose, V) - motion->x;
    const double rate_error = trm_function_value(&e->target_rate, pose, V) - motion->rate;
    const double T =
        e->kp * error + e->kd * rate_error + trm_function_value(&e->feedforward, pose, V);
    // a T that is no number stays one
    return T > e->limit ? e->limit : T < -e->limit ? -e->limit : T;
}

static int apply(const void *elements, int n, const trm_pose *pose, const double *V, double *F)
{
    return trm_joint_apply(torque, sizeof(servo), elements, n, pose, V, F);
}

static double power(const void *elements, int n, const trm_pose *pose, const double *V)
{
    return trm_joint_power(torque, sizeof(servo), elements, n, pose, V);
}

static double effort(const void *element, const trm_pose *pose, const double *V)
{
    return trm_joint_effort(torque, element, pose, V);
}

static const trm_key keys[] = {
    {.name = "joint",
     .type = TRM_KEY_JOINT,
     .offset = offsetof(trm_scene_force, joint),
     .required = 1,
     .doc =
         "A revolute joint (its coordinate x is the angle of b relative to a) or a prismatic one "
         "(the displacement along its axis); zero in the initial pose, as for motors."},
    {.name = "target",
     .type = TRM_KEY_FORMULA,
     .offset = offsetof(trm_scene_force, value[0]),
     .required = 1,
     .unit = "rad or m",
     .doc = "Where x should be; it may jump."},
    {.name = "target_rate",
     .type = TRM_KEY_FORMULA,
     .offset = offsetof(trm_scene_force, value[1]),
     .unit = "rad/s or m/s",
     .fallback = "0",
     .doc = "How fast it should move there: the derivative of `target`, if it is to be followed "
            "without a lag."},
    {.name = "feedforward",
     .type = TRM_KEY_FORMULA,
     .offset = offsetof(trm_scene_force, value[2]),
     .unit = "N m or N",
     .fallback = "0",
     .doc = "What is added, before the limit: a weight to be carried, say."},
    {.name = "kp",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_scene_force, stiffness),
     .range = TRM_NOT_NEGATIVE,
     .required = 1,
     .unit = "N m/rad or N/m",
     .doc = "Torque per angle that is missing, or force per displacement."},
    {.name = "kd",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_scene_force, damping),
     .range = TRM_NOT_NEGATIVE,
     .unit = "N m s/rad or N s/m",
     .fallback = "0",
     .doc = "Torque per rate that is missing, or force per speed."},
    {.name = "limit",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_scene_force, limit),
     .given = offsetof(trm_scene_force, limit_given),
     .range = TRM_POSITIVE,
     .unit = "N m or N",
     .doc = "The torque or force is cut off there, either way; a kink in the motion."},
    {.name = NULL},
};

const trm_force_kind trm_force_servo = {
    .name = "servo",
    .doc = "A PD-controlled joint: kp (target - x) + kd (target_rate - x') + feedforward, within a "
           "limit.",
    .keys = keys,
    .size = sizeof(servo),
    .compile = compile,
    .apply = apply,
    .power = power,
    .effort = effort,
};
