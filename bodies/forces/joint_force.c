// A force along a prismatic joint, or a torque about a revolute one,
// given by a formula: an ideal actuator.
//
//   T = value,   generalized force T grad x on both bodies
//
// x as in bodies/joint_freedom.h; T > 0 drives b against a in the direction of growing x.

#include "bodies/forces/joint_force.h"

void trm_joint_force_compile(const trm_scene_force *def, const trm_force_site *site, void *element)
{
    trm_joint_force *e = element;
    *e = (trm_joint_force){.value = site->value[0]};
    trm_joint_axis_compile(&site->scene->joints[def->joint], site, &e->joint);
}

static double torque(const void *element, const trm_pose *pose, const double *V,
                     const trm_joint_motion *motion)
{
    (void)motion;
    const trm_joint_force *e = element;
    return trm_function_value(&e->value, pose, V);
}

int trm_joint_force_apply(const void *elements, int n, const trm_pose *pose, const double *V,
                          double *F)
{
    return trm_joint_apply(torque, sizeof(trm_joint_force), elements, n, pose, V, F);
}

double trm_joint_force_effort(const void *element, const trm_pose *pose, const double *V)
{
    return trm_joint_effort(torque, element, pose, V);
}

static const trm_key keys[] = {
    TRM_KEY("joint", JOINT, trm_scene_force, joint, "A revolute joint or a prismatic one.",
            .required = 1),
    TRM_KEY("value", FORMULA, trm_scene_force, value,
            "The torque or force on b, positive where the joint's coordinate grows; a takes the "
            "opposite.",
            .required = 1, .unit = "N m or N"),
    {.name = NULL},
};

const trm_force_kind trm_force_joint_force = {
    .name = "joint_force",
    .doc = "A torque about a revolute joint, or a force along a prismatic one, given by a formula.",
    .keys = keys,
    .size = sizeof(trm_joint_force),
    .compile = trm_joint_force_compile,
    .apply = trm_joint_force_apply,
    .effort = trm_joint_force_effort,
};
