// Spring and damper on the freedom x of a joint: torsion spring, slider spring, viscous friction.
//
//   T = T0 - c x' - k (x - rest),   generalized force T grad x on both bodies
//   V = k (x - rest)^2/2 - T0 x,   power = -c x'^2
//
// Where k, c or rest is a formula, V has T0 x alone, and power = (T - T0) x'.
// x as in bodies/joint_freedom.h, any number of turns.

#include "bodies/forces/joint_axis.h"

typedef struct joint_spring_damper {
    trm_joint_axis joint;
    double now[3];  ///< k, c, rest: N/m, N s/m, m; or N m/rad, N m s/rad, rad
    double preload; ///< T0, N or N m
    const trm_function *varying;
} joint_spring_damper;

static void compile(const trm_scene_force *def, const trm_force_site *site, void *element)
{
    joint_spring_damper *e = element;
    *e = (joint_spring_damper){.now = {def->stiffness, def->damping, def->rest},
                               .preload = def->preload,
                               .varying = trm_varying_of(site->value, 3)};
    trm_joint_axis_compile(&site->scene->joints[def->joint], site, &e->joint);
}

/// T - T0, or without V of the spring the damper alone.
static double law(const joint_spring_damper *e, const trm_pose *pose, const double *V,
                  const trm_joint_motion *motion, int spring)
{
    double now[3] = {e->now[0], e->now[1], e->now[2]};
    trm_varying_find(e->varying, 3, pose, V, now);
    const double damper = -now[1] * motion->rate;
    return spring ? damper - now[0] * (trm_joint_coordinate(&e->joint, pose, motion) - now[2])
                  : damper;
}

static double torque(const void *element, const trm_pose *pose, const double *V,
                     const trm_joint_motion *motion)
{
    const joint_spring_damper *e = element;
    return e->preload + law(e, pose, V, motion, 1);
}

/// What has no potential.
static double loose(const void *element, const trm_pose *pose, const double *V,
                    const trm_joint_motion *motion)
{
    const joint_spring_damper *e = element;
    return law(e, pose, V, motion, e->varying != NULL);
}

static int apply(const void *elements, int n, const trm_pose *pose, const double *V, double *F)
{
    return trm_joint_apply(torque, sizeof(joint_spring_damper), elements, n, pose, V, F);
}

static double effort(const void *element, const trm_pose *pose, const double *V)
{
    return trm_joint_effort(torque, element, pose, V);
}

static double potential(const void *elements, int n, const trm_pose *pose)
{
    const joint_spring_damper *e = elements;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        trm_joint_motion f;
        trm_joint_measure(&e[i].joint, pose, NULL, &f);
        const double stretch = f.x - e[i].now[2], k = e[i].varying ? 0 : e[i].now[0];
        sum += 0.5 * k * stretch * stretch - e[i].preload * f.x;
    }
    return sum;
}

static double power(const void *elements, int n, const trm_pose *pose, const double *V)
{
    return trm_joint_power(loose, sizeof(joint_spring_damper), elements, n, pose, V);
}

static const trm_key keys[] = {
    TRM_KEY("joint", JOINT, trm_scene_force, joint,
            "A revolute joint (the angle of b relative to a) or a prismatic one (the displacement "
            "along its axis).",
            .required = 1),
    TRM_KEY("stiffness", NUMBER, trm_scene_force, stiffness,
            "Torque per angle, or force per displacement.", TRM_VARIES(0),
            .range = TRM_NOT_NEGATIVE, .unit = "N m/rad or N/m", .fallback = "0"),
    TRM_KEY("damping", NUMBER, trm_scene_force, damping,
            "Torque per rate, or force per speed: viscous friction.", TRM_VARIES(1),
            .range = TRM_NOT_NEGATIVE, .unit = "N m s/rad or N s/m", .fallback = "0"),
    TRM_KEY("rest", NUMBER, trm_scene_force, rest,
            "Where the spring is slack: an angle counted from the initial pose, or a displacement "
            "of b's point from a's.",
            TRM_VARIES(2), .unit = "rad or m", .fallback = "0", .needs = "stiffness"),
    TRM_KEY("preload", NUMBER, trm_scene_force, preload,
            "What it exerts where it is slack, positive where the coordinate grows; constant.",
            .unit = "N m or N", .fallback = "0"),
    {.name = NULL},
};

static const trm_key_group groups[] = {{TRM_SOME, {"stiffness", "damping", "preload"}},
                                       {0, {NULL}}};

const trm_force_kind trm_force_joint_spring_damper = {
    .name = "joint_spring_damper",
    .doc = "A linear spring and damper about a revolute joint, any number of turns, or along a "
           "prismatic one.",
    .keys = keys,
    .groups = groups,
    .size = sizeof(joint_spring_damper),
    .compile = compile,
    .apply = apply,
    .potential = potential,
    .power = power,
    .passive = 1,
    .effort = effort,
};
