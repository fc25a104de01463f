/// Where two shapes come nearest, and the rows of their contact.
///
/// A pair gives the gap, the contact point P and the unit normal n, from side 1 towards side 0,
/// with the rates of P and n along the motion. With the velocity u(P) of the matter of either body
/// there, of a belt that of its surface, and the tangents t_1, t_2,
///
///     the gap        x' = n . (u_0(P) - u_1(P))
///     along, across  x' = t_i . (u_0(P) - u_1(P))            no coordinate: x = 0
///     rolls, spins   x' = d . (omega_0 - omega_1)            d = t_1, t_2, n; likewise
///     tips           the same of a face that lies flat, x its tilt
///     x'' = d' . (u_0 - u_1) + d . (omega_0 x (P' - v_0) - omega_1 x (P' - v_1)) + d . (a_0 - a_1)
///
/// d one of n, t_1, t_2; v_i and omega_i of the body's frame.
#pragma once

#include "bodies/shapes/side.h"

/// V (slots) as in bodies/pose.h; NULL: at rest.
void trm_touch_measure(const trm_touch_pair *pair, const trm_pose *pose, const double *V,
                       trm_touch *out);

/// out[3] = (x, x', x'') of row `axis` along the motion with velocities V,
/// accelerations zero.
void trm_touch_jet(const trm_touch_pair *pair, int axis, const trm_pose *pose, const double *V,
                   double out[3]);

/// G[side][width] := dx'/dv of row `axis`. Returns what of x' is not linear in v: that of a belt.
double trm_touch_gradient(const trm_touch_pair *pair, int axis, const trm_pose *pose,
                          const double *V, double G[2][6]);
