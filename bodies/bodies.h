/// All moving bodies of a model, arrays by kind: M, M^-1, N and the kinematics of [EOM].
///
///   planar    q = (x, y, angle)      v = (vx, vy, rate)           M = diag(m, m, I)
///   spatial   q = (x, y, z, wxyz)    v = (velocity, omega)        M = diag(m, m, m, J)
///   point     q = (x, y [, z])       v = velocity                 M = m
///   state     no q                   v = z/scale                  M = 1
///
/// A state z of the scene is a velocity to which no coordinate belongs (bodies/forces/state.c).
/// omega and J are in body axes; planar files are planar.c, spatial ones spatial.c; a point mass
/// (point_mass.c) is a body whose rotation has no coordinate and no inverse inertia.
#pragma once

#include "bodies/pose.h"

typedef struct trm_bodies {
    int n;         ///< moving bodies
    int dimension; ///< 2 or 3
    int width;     ///< slot components per body, 3 or 6
    int nq, nv;
    int states;         ///< of these velocities the last: states of the scene, with no coordinate
    int points;         ///< the number of point masses; without any, v is laid out like slots
    const int *q0, *v0; ///< [n] first coordinate and velocity of a body in q and v
    const int *point;   ///< [n] nonzero for a point mass
    const double *mass; ///< [n+1] kg, ground 0
    const double *inverse_mass;    ///< [n+1] 1/kg, ground 0
    const double *inertia;         ///< kg m^2: planar [n+1], spatial [9*(n+1)]; points and ground 0
    const double *inverse_inertia; ///< likewise
    int nlight;                    ///< bodies that are light about an axis (TRM_LIGHT), in space
    double least_light;            ///< the least inertia of these, as a part of their largest; or 1
    const int *light;              ///< [n] the body axis nearest to it, 0 ... 2; -1: not light
    const double *inverse_heavy;   ///< W with their largest inertia added about that axis
    int diagonal; ///< nonzero: M is diagonal, in the plane or where all axes are principal axes
    const double *M, *inverse_M; ///< [nv] their diagonals, if both are diagonal
    const double *moves,
        *turns; ///< [n+1] the identity in place of M^-1: 1; ground and rotation of points: 0
} trm_bodies;

/// The pose at (t, q). Quaternions need not be of unit length; R is orthogonal all the same.
void trm_bodies_pose(const trm_bodies *bodies, double t, const double *q, trm_pose *pose);

/// The pose of body i alone, and its slots of V.
void trm_bodies_place(const trm_bodies *bodies, int i, const double *q, const double *v,
                      trm_pose *pose, double *V);
/// Body i alone: its q and v begin at 0. It has no ground behind it.
trm_bodies trm_bodies_one(const trm_bodies *bodies, int i);

/// How many slots there are: those of the bodies, of the ground, of the states.
int trm_bodies_slots(const trm_bodies *bodies);
/// Public v[nv] <-> slots; gather zeroes the slots of points' rotations and ground.
void trm_bodies_gather(const trm_bodies *bodies, const double *v, double *V);
void trm_bodies_scatter(const trm_bodies *bodies, const double *V, double *v);
/// v = M^-1 F, F in slots.
void trm_bodies_scatter_solved(const trm_bodies *bodies, const double *F, double *v);
/// v -= M^-1 F, with room[nv].
void trm_bodies_subtract_solved(const trm_bodies *bodies, const double *F, double *room, double *v);

/// qdot[nq] = N(q) v.   Quaternion: qdot = 1/2 quat * (0, omega).
void trm_bodies_rates(const trm_bodies *bodies, const double *q, const double *v, double *qdot);

/// q := q + N(q) dx, quaternions back to unit length. dx[nv].
void trm_bodies_move(const trm_bodies *bodies, const double *dx, double *q);
/// Quaternions back to unit length.
void trm_bodies_normalize(const trm_bodies *bodies, double *q);

/// x[nv] := M x and x[nv] := M^-1 x.
void trm_bodies_multiply(const trm_bodies *bodies, double *x);
void trm_bodies_solve(const trm_bodies *bodies, double *x);
/// The same with inverse_heavy, in space.
void trm_bodies_solve_heavy(const trm_bodies *bodies, double *x);

/// F -= omega x J omega: the gyroscopic part of f (nothing in the plane).
void trm_bodies_gyroscopic(const trm_bodies *bodies, const double *V, double *F);

/// v^T M v / 2, J.
double trm_bodies_kinetic(const trm_bodies *bodies, const double *V);
