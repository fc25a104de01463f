// A servo: proportional and derivative control of the freedom x of a joint.
//
//   T = kp (target - x) + kd (target_rate - x') + feedforward,   |T| <= limit
//   generalized force T grad x on both bodies,   power = T x'
//
// x as in bodies/joint_freedom.h, any number of turns. The target moves, so T counts as work
// and has no potential. Where the limit sets in, T has a kink: a switch of its formula, like
// the switches of any other formula.

#include "bodies/forces/joint_force.h"

static const char *formula(const trm_scene_force *def)
{
    return def->limit_given ? "clamp(kp.*(target. - x.) + kd.*(target_rate. - rate.) + "
                              "feedforward., -limit., limit.)"
                            : "kp.*(target. - x.) + kd.*(target_rate. - rate.) + feedforward.";
}

static const trm_key keys[] = {
    {.name = "joint",
     .type = TRM_KEY_JOINT,
     .offset = offsetof(trm_scene_force, joint),
     .required = 1,
     .doc =
         "A revolute joint (its coordinate x is the angle of b relative to a) or a prismatic one "
         "(the displacement of b's point from a's along its axis), as for motors."},
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
     .needs = "kd",
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
     .doc = "The torque or force is cut off there, either way: a switch, on which steps end."},
    {.name = NULL},
};

const trm_force_kind trm_force_servo = {
    .name = "servo",
    .doc = "A PD-controlled joint: kp (target - x) + kd (target_rate - x') + feedforward, within a "
           "limit.",
    .keys = keys,
    .size = sizeof(trm_joint_force),
    .formula = formula,
    .compile = trm_joint_force_compile,
    .apply = trm_joint_force_apply,
    .power = trm_joint_force_power,
    .effort = trm_joint_force_effort,
};
