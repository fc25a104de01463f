/// A kind of force: a term of f in [EOM]. One file each; bodies/forces/registry.c lists them.
#pragma once

#include "base/scene/scene.h"
#include "bodies/bodies.h"
#include "bodies/formulas/variable.h"
#include "bodies/point.h"

/// What a kind may use to compile its elements: the compiled geometry of the scene.
typedef struct trm_force_site {
    const trm_scene *scene;
    trm_freedom joint_freedom; ///< joint forces: of the joint's kind
    int ground;                ///< body index of the ground (= number of moving bodies)
    const trm_function *value; ///< [TRM_FORCE_VALUES] its compiled formulas
    const double (
        *joint_local)[3]; ///< [4] joint forces: point in a, point in b, axis in a, axis in b
    const double (
        *joint_side)[3];   ///< [2] joint forces, spatial: a direction perpendicular to the axis,
                           ///< the same in the initial pose, in the frame of a and of b
    const int (*alone)[2]; ///< [joints] as of trm_joint_axis; NULL: there is no tree
    double joint_angle;    ///< rad, joint forces, planar: angle of b minus angle of a, initially
    const double *mass; ///< [ground+1] kg, ground 0; as in trm_bodies, lives as long as the model
} trm_force_site;

typedef struct trm_force_kind {
    const char *name;            ///< "spring_damper"
    const char *doc;             ///< one sentence for scene_format.md
    const trm_key *keys;         ///< beyond name and type
    const trm_key_group *groups; ///< NULL: none
    size_t size;   ///< bytes of one compiled element; elements of a kind lie in one array
    int of_frames; ///< nonzero: `joint` gives frames, and needs no coordinate
    int constant;  ///< nonzero: F is the same everywhere, at all times (and has a potential)
    /// The force of an element on its joint, as one formula: its keys are names followed by a dot
    /// ("kp."), the joint's coordinate and rate are "x." and "rate.". It becomes value[0]; there is
    /// no other value. NULL: values are as read.
    const char *(*formula)(const trm_scene_force *def);

    void (*compile)(const trm_scene_force *def, const trm_force_site *site, void *element);

    /// F[slots] += generalized forces of elements[n]. Returns 0, or 1 + the index of the element
    /// whose value is not finite.
    int (*apply)(const void *elements, int n, const trm_pose *pose, const double *V, double *F);
    /// J, of all n elements; NULL when the kind has no potential.
    double (*potential)(const void *elements, int n, const trm_pose *pose);
    /// W, power of the part that has no potential; NULL where there is none, or no potential:
    /// then it is F . V.
    double (*power)(const void *elements, int n, const trm_pose *pose, const double *V);
    int passive; ///< nonzero: no drive; its effort is read, and in no recording
    /// N m or N, what one element exerts on its joint, of a kind with `directions` its tension;
    /// NULL when it has neither.
    double (*effort)(const void *element, const trm_pose *pose, const double *V);
    /// d[k][3] m := from one end to the other, of each line of one element along which a force acts
    /// that does not vanish with d. d NULL: these are counted. Returns how many. NULL: none.
    int (*directions)(const void *element, const trm_pose *pose, double (*d)[3]);
} trm_force_kind;

/// All kinds, in the order of scene_format.md; ends with NULL. Those without keys have no `type` in
/// a scene: the first, gravity, with one element where scene->gravity is not zero, and the rates of
/// states, which the reader adds to scene->forces.
extern const trm_force_kind *const trm_force_kinds[];

extern const trm_force_kind trm_force_gravity, trm_force_spring_damper, trm_force_torque;
extern const trm_force_kind trm_force_point_gravity;
extern const trm_force_kind trm_force_tendon;   ///< the reader writes its formulas
extern const trm_force_kind trm_force_servo;    ///< the reader refuses it beside a motor
extern const trm_force_kind trm_force_dc_motor; ///< likewise
extern const trm_force_kind trm_force_state;    ///< the reader makes it of `states`
