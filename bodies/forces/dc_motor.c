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
#define WITHIN(rate)                                                                               \
    "if(current. >= current_limit., min(0, " rate "), "                                            \
    "if(current. <= -current_limit., max(0, " rate "), " rate "))"

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
    {.name = "joint",
     .type = TRM_KEY_JOINT,
     .offset = offsetof(trm_scene_force, joint),
     .required = 1,
     .doc = "A revolute or a prismatic joint; a positive current drives its coordinate up."},
    {.name = "voltage",
     .type = TRM_KEY_FORMULA,
     .offset = offsetof(trm_scene_force, value[0]),
     .required = 1,
     .unit = "V",
     .doc = "What the drive asks for; a control law may read `NAME.current`."},
    {.name = "resistance",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_scene_force, stiffness),
     .range = TRM_POSITIVE,
     .required = 1,
     .unit = "ohm",
     .doc = "R of the winding."},
    {.name = "inductance",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_scene_force, lag),
     .range = TRM_NOT_NEGATIVE,
     .unit = "H",
     .fallback = "0",
     .doc = "L of the winding: the current is then the state `NAME.current`, from 0. 0: it follows "
            "at once, and has no name."},
    {.name = "constant",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_scene_force, gain),
     .range = TRM_POSITIVE,
     .required = 1,
     .unit = "N m/A",
     .doc = "k, torque per current, and volts per rad/s."},
    {.name = "ratio",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_scene_force, preload),
     .range = TRM_POSITIVE,
     .unit = "rad/rad or rad/m",
     .fallback = "1",
     .doc = "n, of the gear: how far the rotor turns for the joint's coordinate."},
    {.name = "inertia",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_scene_force, mu),
     .range = TRM_NOT_NEGATIVE,
     .unit = "kg m^2",
     .fallback = "0",
     .doc = "J of the rotor: n^2 J beside the `armature` of the joint."},
    {.name = "damping",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_scene_force, damping),
     .range = TRM_NOT_NEGATIVE,
     .unit = "N m s/rad",
     .fallback = "0",
     .doc = "b of the rotor. Its dry friction is `friction` of the joint, n times that of the "
            "rotor."},
    {.name = "voltage_limit",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_scene_force, integral_limit),
     .range = TRM_POSITIVE,
     .unit = "V",
     .doc = "The voltage is cut off there, either way."},
    {.name = "current_limit",
     .type = TRM_KEY_NUMBER,
     .offset = offsetof(trm_scene_force, limit),
     .given = offsetof(trm_scene_force, limit_given),
     .range = TRM_POSITIVE,
     .unit = "A",
     .doc = "The drive lowers the voltage so that the current stays there, either way."},
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
    .power = trm_joint_force_power,
    .effort = trm_joint_force_effort,
};
