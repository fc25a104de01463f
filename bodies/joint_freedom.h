/// A freedom x of a joint, with its rate and its gradient: what springs, drives, limits, friction,
/// sensors and formulas act on.
///
///   slider           x = n . (r_b - r_a),   n = R_a axis_a
///   hinge, planar    x = angle_b - angle_a, zero in the initial pose, any number of turns
///   hinge, spatial   x = atan2(s, c),   c = w . sa,   s = w . pa,   w = R_a^T R_b sb
///   twist            the same with c = w . sa + q . pa,   s = w . pa - q . sa,   q = R_a^T R_b pb
///   swing            x = atan2(|n x m|, n . m),   m = R_b axis_b: 0 to pi
///
/// pa = axis_a x sa, and pb likewise. Swing turns axis_a into axis_b the short way, twist about
/// axis_b what is left: R_a^T R_b = exp(swing) exp(twist). Where axis_b stands against axis_a there
/// is no twist, and where both are one the swing has no gradient; it then counts as 0.
///
/// Turns. atan2 lies in (-pi, pi]; x is the angle, equal to it up to whole turns, that is nearest
/// to where the hinge would be if it went on as fast as at pose->turn[joint]. trm_joints_wind sets
/// this reference at the points that a run accepts; so every angle less than half a turn from there
/// is counted right, and any of a tree (more). Where pose->turn is NULL x is atan2.
#pragma once

#include "bodies/pose.h"

#include <stddef.h>

typedef enum trm_freedom {
    TRM_FREEDOM_NONE,
    TRM_FREEDOM_ANGLE,    ///< rad, of b relative to a about the axis
    TRM_FREEDOM_DISTANCE, ///< m, of b's point from a's along the axis
    TRM_FREEDOM_SWING,    ///< rad, between both axes
    TRM_FREEDOM_TWIST     ///< rad, about the axis, without the swing
} trm_freedom;

/// Whether it is counted in rad.
static inline int trm_turns(trm_freedom freedom)
{
    return freedom != TRM_FREEDOM_NONE && freedom != TRM_FREEDOM_DISTANCE;
}

/// A joint as compiled for these functions (bodies/forces/joint_axis.c).
typedef struct trm_joint_axis {
    trm_freedom freedom;
    int turn; ///< a spatial hinge or twist: the index of its pose->turn, that of the joint; else -1
    int a, b;
    int alone[2];       ///< of a tree, if x is one of its coordinates: 1 + dof, and that; else 0
    double point[2][3]; ///< m, in a and in b
    double axis[3];     ///< unit, in a
    double sa[3];       ///< unit, in a, perpendicular to the axis
    double pa[3];       ///< axis x sa
    double sb[3];       ///< unit, in b, equal to sa in the initial pose; swing: the axis in b
    double pb[3];       ///< twist: in b, equal to pa in the initial pose; else zero
    double zero;        ///< rad, planar: angle_b - angle_a in the initial pose
} trm_joint_axis;

/// x, x' and the parts of grad x.
typedef struct trm_joint_motion {
    double x, rate;
    double s, c;                 ///< hinge, spatial
    double n[3];                 ///< slider: the axis in the world
    double contact[3];           ///< m, slider: b's point in the frame of a
    double grad_a[3], grad_b[3]; ///< hinge: dx/d omega, body axes; planar: of V
} trm_joint_motion;

/// x of a motion in which a law finds all but x.
double trm_joint_coordinate(const trm_joint_axis *joint, const trm_pose *pose,
                            const trm_joint_motion *motion);

/// x, and with V (not NULL) also x', 0 without; where pose->tree has it, no part of grad x.
void trm_joint_measure(const trm_joint_axis *joint, const trm_pose *pose, const double *V,
                       trm_joint_motion *out);

/// out[3] = (x, x', x'') along the motion with velocities V, accelerations taken as zero.
void trm_joint_jet(const trm_joint_axis *joint, const trm_pose *pose, const double *V,
                   double out[3]);

/// c and s of a spatial hinge or a twist, likewise.
void trm_joint_direction(const trm_joint_axis *joint, const trm_pose *pose, const double *V,
                         double c[3], double s[3]);

/// dx/dv of both bodies: a[width] and b[width] of the pose.
void trm_joint_gradient(const trm_joint_axis *joint, const trm_pose *pose,
                        const trm_joint_motion *motion, double *a, double *b);

/// Every spatial hinge of joints[n] is at this pose, with these velocities (NULL: at rest):
/// pose->turn follows.
void trm_joints_wind(const trm_joint_axis *joints, int n, const double *V, trm_pose *pose);

/// F += T grad x: T drives b against a.
void trm_joint_drive(const trm_joint_axis *joint, const trm_pose *pose,
                     const trm_joint_motion *motion, double T, double *F);

/// T of an element whose first member is its trm_joint_axis: N m or N, positive where x grows. A
/// law that wants x calls trm_joint_coordinate: no other pays for it.
typedef double trm_joint_law(const void *element, const trm_pose *pose, const double *V,
                             const trm_joint_motion *motion);

/// The same for elements[n] of `size` bytes each: F += T grad x, as trm_force_kind.apply wants it;
/// the sum of T x', W; and T of one element.
int trm_joint_apply(trm_joint_law *law, size_t size, const void *elements, int n,
                    const trm_pose *pose, const double *V, double *F);
double trm_joint_power(trm_joint_law *law, size_t size, const void *elements, int n,
                       const trm_pose *pose, const double *V);
double trm_joint_effort(trm_joint_law *law, const void *element, const trm_pose *pose,
                        const double *V);
