/// Elements that drive a joint by the value of one formula: joint_force, servo and dc_motor.
/// Members as in trm_force_kind.
#pragma once

#include "bodies/forces/joint_axis.h"

typedef struct trm_joint_force {
    trm_joint_axis joint;
    trm_function value; ///< N m, or N
} trm_joint_force;

/// Of a law without limits, with `integral_limit`, with `limit` and with both, that of the element.
static inline const char *trm_law_within(const trm_scene_force *def, const char *const laws[4])
{
    return laws[(def->integral_limit > 0) + 2 * (def->limit_given != 0)];
}
/// The rate of the integral of a servo, as trm_force_kind.formula.
const char *trm_servo_integral_rate(const trm_scene_force *def);
/// That of the current of a DC motor.
const char *trm_dc_motor_rate(const trm_scene_force *def);

void trm_joint_force_compile(const trm_scene_force *def, const trm_force_site *site, void *element);
int trm_joint_force_apply(const void *elements, int n, const trm_pose *pose, const double *V,
                          double *F);
double trm_joint_force_effort(const void *element, const trm_pose *pose, const double *V);
