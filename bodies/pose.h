/// The poses of all bodies at one (t, q): arrays by kind. The ground follows the last body as a
/// body of infinite mass, so that no loop over elements branches.
///
/// Slots. Inside the assembler every body, the ground included, owns `width` velocity
/// components, 3 planar (vx, vy, rate) or 6 spatial (v in world axes, omega in body axes),
/// point masses too (their rotations stay zero). Arrays over slots are named V
/// (velocities) and F (generalized forces). The states of the scene have the slots behind the
/// ground's, state k the slot trm_state_slot.
#pragma once

#include "base/lane.h"

#include <stdint.h>

/// The reference of a spatial hinge: its angle, any number of turns, and how fast it turned at t.
typedef struct trm_turn {
    double x;       ///< rad
    double rate, t; ///< rad/s, s; at rest both are 0
    double more;    ///< rad, so much farther it is now, by the coordinates of a tree
    double known;   ///< above 0: x is where it was
} trm_turn;

/// Coordinates and velocities of a spanning tree, and forces along them, while it asks for forces:
/// a joint of one dof needs no bodies.
typedef struct trm_tree_dofs {
    const double *q, *u;
    double *f;
    int n;
} trm_tree_dofs;

typedef struct trm_pose {
    int nbody; ///< moving bodies; the ground is body `nbody`
    int width; ///< 3 planar, 6 spatial
    double t;  ///< s

    // Places from an origin, from which the ground has its own: 0, or that of a tree.
    trm_lane *x, *y; ///< [nbody+1] m, planar: centre of mass
    trm_lane *angle; ///< [nbody+1] rad, planar
    trm_lane *c, *s; ///< [nbody+1] cosine and sine of angle

    double *p; ///< [3*(nbody+1)] m, spatial: centre of mass
    double *R; ///< [9*(nbody+1)] spatial: body to world, row-major

    trm_turn *turn; ///< [joints + guides] of every spatial hinge, and where points were along
                    ///< their curves; NULL: nothing is kept

    double *input; ///< [3*ninput] every input at t, with its two derivatives in time

    double *reading; ///< [nreading] what sensors read here; NaN: not known

    const int64_t *mode; ///< of all switches of the model (base/expression/switching.h) while a
                         ///< step holds them; NULL: the branches follow from their functions
    struct trm_guide_memory *guided; ///< [guides] as last measured (guide.h); NULL: not kept
    const trm_tree_dofs *tree;       ///< NULL: none
    double *scratch;                 ///< workspace of the formula being evaluated
    double *room;                    ///< of the curve that one of its variables looks at
} trm_pose;

static inline int trm_state_slot(const trm_pose *pose, int state)
{
    return pose->width * (pose->nbody + 1) + state;
}
