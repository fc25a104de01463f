/// Characteristic lengths of coordinates, velocities and rows: the size of each mechanism,
/// independent of its place and of the rest of the scene.
#pragma once

#include "engine/multibody/model.h"

typedef struct trm_extents {
    double *q;    ///< [nq] m: the size of the mechanism of that body; 1 for angles and quaternions
    double *v;    ///< [nv] the same, for the coordinate whose rate is v_i; 1 for states
    double *g;    ///< [nc] the same for rows: m, 1 for rad, see trm_extents_set_rows for others
    double *size; ///< [bodies] m: the size of the mechanism of each
    double least_g; ///< the smallest of g, or less
    int known;      ///< 0: free point masses at the origin have no length; theirs is 1 m by default
    double weight;  ///< m/s^2: accelerations that a floor cancels
} trm_extents;

void trm_extents_layout(trm_extents *extents, int nq, int nv, int nc, trm_arena *arena);

/// At q of the bodies. Where all points of a mechanism coincide, the size is that of the model; if
/// this is zero too, and for equations of the user, that of the largest coordinate; else 1.
void trm_extents_measure(trm_extents *extents, const trm_model *model, const double *q);

/// m: `size` of the model, never 0: of one body at one point its radius of gyration, or how far
/// away it is.
double trm_extents_whole(const trm_extents *extents, const trm_model *model, double size);

/// m: the largest radius of gyration of body b; 0 of a point mass.
double trm_extents_gyration(const trm_bodies *bodies, int b);
/// m: that of all bodies.
double trm_extents_arm(const trm_bodies *bodies);

/// Returns nonzero if the unit of row i is not known: an expression may have any unit and any
/// factor.
int trm_extents_is_unknown(const trm_model *model, int i);
int trm_extents_any_unknown(const trm_model *model);

/// The extent of a row of unknown unit is its length at the start, with coordinates in units of
/// their extents: what g changes by when they change by theirs. length[nc]: trm_lengths_of_rows; 0:
/// the extent stays.
void trm_extents_set_rows(trm_extents *extents, int nc, const double *length);

/// max |g_i|/extent of rows.
double trm_extents_gap(const trm_extents *extents, int nc, const double *g);
/// max |v_i|/extent: how fast bodies move, in units of the mechanism or rad.
double trm_extents_speed(const trm_extents *extents, int nv, const double *v);
/// 1/s: how fast a motion with rates q' and v' changes, max(|q'_i|/extent, sqrt(|v'_i|/extent)).
double trm_extents_rate(const trm_extents *extents, int nq, int nv, const double *dq,
                        const double *dv);
/// max |q_i|/extent, at least 1: how far away a mechanism is, and how far it has turned.
double trm_extents_away(const trm_extents *extents, int nq, const double *q);

/// m: the longest of the diagonal of the box around the bodies, joints and markers at
/// q, the longest rod, and twice the longest arm of a joint. 0 when all points
/// coincide, and for equations of the user.
double trm_model_size(const trm_model *model, const double *q);

/// most[2]: the largest numbers that gaps are made of: a length, m, and an angle, rad: 1, of sines,
/// or that length over the arm (m) of what turns about it.
void trm_extents_largest(const trm_model *model, const trm_pose *pose, const double *z, double arm,
                         double most[2]);
