// A DC motor behind a gear: x of its joint, n its ratio, i its current.
//
//   L i' = u - R i - k n x',     T = n (k i - b n x'),     |u| <= voltage_limit
//
// The rotor turns by n x: the reader adds n^2 J to the armature of the joint. A drive that limits
// the current lowers its voltage: at |i| = current_limit i stays while u would push it on. These
// are switches of formulas, on which steps end. With L = 0 the current is that at which i' = 0,
// within its limit. Torque and voltage constant are one number in SI units.

#include "bodies/forces/joint_force.h"

#define VOLTAGE "clamp(voltage., -voltage_limit., voltage_limit.)"
#define INDUCED "constant.*ratio.*rate."
#define TORQUE(current) "ratio.*(constant.*(" current ") - damping.*ratio.*rate.)"
#define STILL(u) "(" u " - " INDUCED ")/resistance."
#define RATE(u) "(" u " - resistance.*current. - " INDUCED ")/inductance."
#define BELOW(i) "clamp(" i ", -current_limit., current_limit.)"
// Away from a bound its branch is one more than the rate: a kink of the rate at 0 in a branch that
// is not taken would end steps, too.
#define FROM_ABOVE(rate) "min(" rate ", if(current. >= current_limit., 0, " rate " + 1))"
#define FROM_BELOW(rate) "max(" rate ", if(current. <= -current_limit., 0, " rate " - 1))"
#define WITHIN(rate) FROM_BELOW(FROM_ABOVE(rate))

static const char *formula(const trm_scene_force *def)
{
    static const char *const still[] = {TORQUE(STILL("voltage.")), TORQUE(STILL(VOLTAGE)),
                                        TORQUE(BELOW(STILL("voltage."))),
                                        TORQUE(BELOW(STILL(VOLTAGE)))};
    return def->lag > 0 ? TORQUE("current.") : trm_law_within(def, still);
}

const char *trm_dc_motor_rate(const trm_scene_force *def)
{
    static const char *const rates[] = {RATE("voltage."), RATE(VOLTAGE), WITHIN(RATE("voltage.")),
                                        WITHIN(RATE(VOLTAGE))};
    return trm_law_within(def, rates);
}

static const trm_key keys[] = {
    TRM_KEY("joint", JOINT, trm_scene_force, joint,
            "A revolute or a prismatic joint; a positive current drives its coordinate up.",
            .required = 1),
    TRM_KEY("voltage", FORMULA, trm_scene_force, value[0],
            "What the drive asks for; a control law may read `NAME.current`.", .required = 1,
            .unit = "V"),
    TRM_KEY("resistance", NUMBER, trm_scene_force, stiffness, "R of the winding.",
            .range = TRM_POSITIVE, .required = 1, .unit = "ohm"),
    TRM_KEY("inductance", NUMBER, trm_scene_force, lag,
            "L of the winding: the current is then the state `NAME.current`, from 0. 0: it follows "
            "at once, and has no name.",
            .range = TRM_NOT_NEGATIVE, .unit = "H", .fallback = "0"),
    TRM_KEY("constant", NUMBER, trm_scene_force, gain,
            "k, torque per current, and volts per rad/s.", .range = TRM_POSITIVE, .required = 1,
            .unit = "N m/A"),
    TRM_KEY("ratio", NUMBER, trm_scene_force, preload,
            "n, of the gear: how far the rotor turns for the joint's coordinate.",
            .range = TRM_POSITIVE, .unit = "rad/rad or rad/m", .fallback = "1"),
    TRM_KEY("inertia", NUMBER, trm_scene_force, mu,
            "J of the rotor: n^2 J beside the `armature` of the joint.", .range = TRM_NOT_NEGATIVE,
            .unit = "kg m^2", .fallback = "0"),
    TRM_KEY("damping", NUMBER, trm_scene_force, damping,
            "b of the rotor. Its dry friction is `friction` of the joint, n times that of the "
            "rotor.",
            .range = TRM_NOT_NEGATIVE, .unit = "N m s/rad", .fallback = "0"),
    TRM_KEY("voltage_limit", NUMBER, trm_scene_force, integral_limit,
            "The voltage is cut off there, either way.", .range = TRM_POSITIVE, .unit = "V"),
    TRM_KEY("current_limit", NUMBER, trm_scene_force, limit,
            "The drive lowers the voltage so that the current stays there, either way.",
            .given = offsetof(trm_scene_force, limit_given), .range = TRM_POSITIVE, .unit = "A"),
    {.name = NULL},
};

const trm_force_kind trm_force_dc_motor = {
    .name = "dc_motor",
    .doc = "A DC motor with a gear: L i' = u - R i - k n x', which exerts n (k i - b n x').",
    .keys = keys,
    .size = sizeof(trm_joint_force),
    .formula = formula,
    .compile = trm_joint_force_compile,
    .apply = trm_joint_force_apply,
    .effort = trm_joint_force_effort,
};
