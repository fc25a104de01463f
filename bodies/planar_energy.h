/// Energies of planar bodies (planar.c, gravity.c); `n` bodies, arrays as in trm_bodies and
/// trm_pose.
#pragma once

#include "base/lane.h"

/// J, sum (m (vx^2 + vy^2) + I rate^2)/2; V in slots.
trm_lane trm_planar_kinetic(int n, const trm_lane *mass, const trm_lane *inertia,
                            const trm_lane *V);
/// J, -sum m field . p, the ground behind the bodies; field[2] in m/s^2
trm_lane trm_planar_height(int n, const trm_lane *mass, const trm_lane *field, const trm_lane *x,
                           const trm_lane *y);
