/// Torques on bodies (torque.c).
#pragma once

#include "base/lane.h"
#include "bodies/formulas/variable.h"

typedef struct trm_torque {
    int body, reaction; ///< reaction < 0: none
    double constant;    ///< N m, planar: the value, where it is constant; else not a number
    int in_body_axes;
    trm_function value[3]; ///< planar: the first
} trm_torque;

/// What lanes read of a planar torque that is constant: the beginning of the above, in lanes.
typedef struct trm_planar_torque {
    int body, reaction;
    trm_lane constant;
} trm_planar_torque;

/// F[slots] += T on a planar body, and -T on its reaction.
static inline void trm_torque_push(int body, int reaction, trm_lane T, trm_lane *F)
{
    F[3 * body + 2] += T;
    if (reaction >= 0) {
        F[3 * reaction + 2] += -T;
    }
}

/// W, likewise.
static inline trm_lane trm_torque_power(int body, int reaction, trm_lane T, const trm_lane *V)
{
    const trm_lane own = T * V[3 * body + 2];
    return reaction >= 0 ? own + -T * V[3 * reaction + 2] : own;
}
