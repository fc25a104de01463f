/// Where two shapes come nearest, and the rows of their contact.
///
/// A pair gives the gap, the contact point P and the unit normal n, from side 1 towards side 0,
/// with the rates of P and n along the motion. With the velocity u(P) of the matter of either body
/// there, of a belt that of its surface, and the tangents t_1, t_2,
///
///     the gap        x' = n . (u_0(P) - u_1(P))
///     along, across  x' = t_i . (u_0(P) - u_1(P))            no coordinate: x = 0
///     rolls, spins   x' = d . (omega_0 - omega_1)            d = t_1, t_2, n; likewise
///     x'' = d' . (u_0 - u_1) + d . (omega_0 x (P' - v_0) - omega_1 x (P' - v_1)) + d . (a_0 - a_1)
///
/// d one of n, t_1, t_2; v_i and omega_i of the body's frame.
#ifndef TRM_TOUCH_H
#define TRM_TOUCH_H

#include "base/scene/touch_pair.h"
#include "bodies/pose.h"

typedef struct trm_touch {
    double gap;                  ///< m, negative where they overlap
    double normal[3], point[3];  ///< world; m
    double turning[3], going[3]; ///< rates of both with the velocities V; 1/s and m/s
} trm_touch;

/// V (slots) as in bodies/pose.h.
void trm_touch_measure(const trm_touch_pair *pair, const trm_pose *pose, const double *V,
                       trm_touch *out);

/// out[3] = (x, x', x'') of row `axis` along the motion with velocities V,
/// accelerations zero.
void trm_touch_jet(const trm_touch_pair *pair, int axis, const trm_pose *pose, const double *V,
                   double out[3]);

/// F[slots] += dx'/dv of row `axis`. Returns what of x' is not linear in v: that of a belt.
double trm_touch_gradient(const trm_touch_pair *pair, int axis, const trm_pose *pose,
                          const double *V, double *F);

// For the files of the pairs.

/// omega of a body, world axes, rad/s.
void trm_touch_spin(const trm_pose *pose, int body, const double *V, double omega[3]);
/// A point of the world seen from side 1, and its rate: `from` the centre, in the body's axes, of a
/// point x that moves with u.
void trm_touch_look(const trm_touch_pair *pair, const trm_pose *pose, const double *V,
                    const double *x, const double *u, double from[3], double rate[3]);
/// The contact of a ball, side 0, whose centre is at `from` + ... as above: normal[3], at[3] (the
/// point) and their rates are in the axes of side 1, about its centre.
void trm_touch_return(const trm_touch_pair *pair, const trm_pose *pose, const double *V,
                      const trm_touch *local, trm_touch *out);
/// e[3] := d/|d| and its rate, d moving with d'; where d is 0 e is the first axis. Returns |d|.
double trm_touch_direction(const double *d, const double *moving, double e[3], double rate[3]);

typedef void trm_touch_fn(const trm_touch_pair *pair, const trm_pose *pose, const double *V,
                          trm_touch *out);
trm_touch_fn trm_touch_ball_plane, trm_touch_ball_ball, trm_touch_ball_funnel, trm_touch_ball_solid,
    trm_touch_ball_terrain, trm_touch_ellipsoid_plane, trm_touch_rim_plane;

#endif
