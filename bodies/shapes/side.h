/// What the pairs of shapes give, and points and directions of both sides.
#pragma once

#include "base/scene/touch_pair.h"
#include "bodies/pose.h"

typedef struct trm_touch {
    double gap;                           ///< m, negative where they overlap
    double normal[3], point[3];           ///< world; m
    double normal_rate[3], point_rate[3]; ///< rates of both with the velocities V; 1/s and m/s
} trm_touch;

/// Of one pair; V (slots) as in bodies/pose.h.
typedef void trm_touch_fn(const trm_touch_pair *pair, const trm_pose *pose, const double *V,
                          trm_touch *out);
trm_touch_fn trm_touch_ball_plane, trm_touch_ball_ball, trm_touch_ball_funnel, trm_touch_ball_solid,
    trm_touch_ball_terrain, trm_touch_ellipsoid_plane, trm_touch_rim_plane;

/// Whether the state of a rim says that its face lies flat.
int trm_touch_is_flat(const trm_touch_pair *pair);

/// Where the frame of a body is, and how it moves; `plane`: room, in the plane.
const double *trm_touch_place(const trm_pose *pose, int body, double plane[3]);
void trm_touch_frame_velocity(const trm_pose *pose, int body, const double *V, double v[3]);
/// u of the matter of a body at the point x of the world.
void trm_touch_matter(const trm_pose *pose, int body, const double *V, const double *x,
                      double u[3]);
/// omega of a body, world axes, rad/s.
void trm_touch_spin(const trm_pose *pose, int body, const double *V, double omega[3]);
/// A point of the world seen from side 1, and its rate: `from` the centre, in the body's axes, of a
/// point x that moves with u.
void trm_touch_look(const trm_touch_pair *pair, const trm_pose *pose, const double *V,
                    const double *x, const double *u, double from[3], double rate[3]);
/// A half space, side 1, as side 0 sees it: the normal and its rate, out->normal and
/// out->normal_rate in the world, n and n_rate in the axes of side 0. Returns (C - O) . n, m, C the
/// centre of side 0.
double trm_touch_plane_seen(const trm_touch_pair *pair, const trm_pose *pose, const double *V,
                            trm_touch *out, double n[3], double n_rate[3]);
/// The contact of a ball, side 0, whose centre is at `from` + ... as above: normal[3], at[3] (the
/// point) and their rates are in the axes of side 1, about its centre.
void trm_touch_return(const trm_touch_pair *pair, const trm_pose *pose, const double *V,
                      const trm_touch *local, trm_touch *out);
/// e[3] := d/|d| and its rate, d moving with d'; where d is 0 e is the first axis. Returns |d|.
double trm_touch_direction(const double *d, const double *moving, double e[3], double rate[3]);
