// A servo: proportional, integral and derivative control of the freedom x of a joint.
//
//   u = kp e + kd (target_rate - x') + I + feedforward,   e = target - x,   T = u, |T| <= limit
//   I' = ki (e + (T - u)/kp),                             I starts at 0
//   generalized force T grad x on both bodies,            power = T x'
//
// x as in bodies/joint_freedom.h, any number of turns. The target moves, so T counts as work
// and has no potential. Where the limit sets in, T has a kink: a switch of its formula, like
// the switches of any other formula. There I follows the limit with the time kp/ki of the integral
// instead of running on (tracking; Astrom and Hagglund, Advanced PID Control, 3.5). With
// `integral_limit` the part of I that acts is within it, and I follows that likewise. With `lag`
// T is a state, lag T' = u within the limit - T. I and T are states of the scene.

#include "bodies/forces/joint_force.h"

#define WANTED "kp.*(target. - x.) + kd.*(target_rate. - rate.) + feedforward."
#define PART "clamp(integral., -integral_limit., integral_limit.)"
#define LIMITED(u) "clamp(" u ", -limit., limit.)"
#define RATE(within) "ki.*(target. - x. + (" within ")/kp.)"
#define FREE WANTED " + integral."
#define HELD WANTED " + " PART

static const char *formula(const trm_scene_force *def)
{
    static const char *const laws[] = {FREE, HELD, LIMITED(FREE), LIMITED(HELD)};
    const char *const proportional = def->limit_given ? LIMITED(WANTED) : WANTED;
    return def->gain > 0 ? trm_law_within(def, laws) : proportional;
}

const char *trm_servo_integral_rate(const trm_scene_force *def)
{
    static const char *const rates[] = {"ki.*(target. - x.)", RATE(PART " - integral."),
                                        RATE(LIMITED(FREE) " - (" WANTED ") - integral."),
                                        RATE(LIMITED(HELD) " - (" WANTED ") - integral.")};
    return trm_law_within(def, rates);
}

static const trm_key keys[] = {
    TRM_KEY(
        "joint", JOINT, trm_scene_force, joint,
        "A revolute joint (its coordinate x is the angle of b relative to a) or a prismatic one "
        "(the displacement of b's point from a's along its axis), as for motors.",
        .required = 1),
    TRM_KEY("target", FORMULA, trm_scene_force, value[0], "Where x should be; it may jump.",
            .required = 1, .unit = "rad or m"),
    TRM_KEY("target_rate", FORMULA, trm_scene_force, value[1],
            "How fast it should move there: the derivative of `target`, if it is to be followed "
            "without a lag.",
            .unit = "rad/s or m/s", .fallback = "0", .needs = "kd"),
    TRM_KEY("feedforward", FORMULA, trm_scene_force, value[2],
            "What is added, before the limit: a weight to be carried, say.", .unit = "N m or N",
            .fallback = "0"),
    TRM_KEY("kp", NUMBER, trm_scene_force, stiffness,
            "Torque per angle that is missing, or force per displacement.", TRM_VARIES(3),
            .range = TRM_NOT_NEGATIVE, .required = 1, .unit = "N m/rad or N/m"),
    TRM_KEY("kd", NUMBER, trm_scene_force, damping,
            "Torque per rate that is missing, or force per speed.", TRM_VARIES(4),
            .range = TRM_NOT_NEGATIVE, .unit = "N m s/rad or N s/m", .fallback = "0"),
    TRM_KEY("ki", NUMBER, trm_scene_force, gain,
            "Torque or force per integral of what is missing. Its part is the state "
            "`NAME.integral`, which starts at 0, and at a limit follows it with the time kp/ki.",
            TRM_VARIES(5), .range = TRM_NOT_NEGATIVE, .unit = "N m/(rad s) or N/(m s)",
            .fallback = "0"),
    TRM_KEY("integral_limit", NUMBER, trm_scene_force, integral_limit,
            "What the part of `ki` contributes at most, either way.", .range = TRM_POSITIVE,
            .unit = "N m or N", .needs = "ki"),
    TRM_KEY(
        "lag", NUMBER, trm_scene_force, lag,
        "The torque or force follows what the control asks for with this time constant, from 0: "
        "the state `NAME.lagged`.",
        .range = TRM_POSITIVE, .unit = "s"),
    TRM_KEY("limit", NUMBER, trm_scene_force, limit,
            "The torque or force is cut off there, either way: a switch, on which steps end.",
            .given = offsetof(trm_scene_force, limit_given), TRM_VARIES(6), .range = TRM_POSITIVE,
            .unit = "N m or N"),
    {.name = NULL},
};

const trm_force_kind trm_force_servo = {
    .name = "servo",
    .doc =
        "A PID-controlled joint: kp (target - x) + kd (target_rate - x') + integral + feedforward.",
    .keys = keys,
    .size = sizeof(trm_joint_force),
    .formula = formula,
    .compile = trm_joint_force_compile,
    .apply = trm_joint_force_apply,
    .effort = trm_joint_force_effort,
};
