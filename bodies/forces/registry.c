// The kinds of forces. A new kind takes one file and one line here.

#include "bodies/forces/force.h"

extern const trm_force_kind trm_force_joint_spring_damper, trm_force_joint_force, trm_force_force,
    trm_force_bushing, trm_force_point_gravity;

const trm_force_kind *const trm_force_kinds[] = {
    &trm_force_gravity,
    &trm_force_spring_damper,
    &trm_force_joint_spring_damper,
    &trm_force_servo,
    &trm_force_dc_motor,
    &trm_force_joint_force,
    &trm_force_force,
    &trm_force_torque,
    &trm_force_tendon,
    &trm_force_bushing,
    &trm_force_point_gravity,
    &trm_force_state,
    NULL,
};
