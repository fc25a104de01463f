/// Functions of switches and contacts along a step.
#ifndef TRM_AHEAD_FUNCTIONS_H
#define TRM_AHEAD_FUNCTIONS_H

#include "simulation/events/event_location.h"

/// A switch of a formula.
typedef struct trm_switch_place {
    const trm_changing *formula;
    int k;
} trm_switch_place;

/// By its number among all.
trm_switch_place trm_ahead_place_of(const trm_ahead *ahead, int which);

/// Whether it is the switch of an angle, whose branches overlap.
int trm_ahead_is_angle(const trm_ahead *ahead, int k);
/// The distance of g, of switch k, from the nearest edge of any branch; the branch on that edge to
/// *branch.
double trm_ahead_from_edge(const trm_ahead *ahead, int k, double g, trm_branch *branch);

/// s: a little while after now, before the next step is over, and before a flight that an impact
/// has left is.
double trm_ahead_little(const trm_ahead *ahead, const trm_run *run);
/// The state after that while, in ahead->z, and its time, s: it shows the direction of switches on
/// their edge.
void trm_ahead_a_little_later(trm_ahead *ahead, trm_run *run, double *t);

/// g[nall] at (t, z), or at least that of number k, where only k is needed; k = -1: all. Returns a
/// system's code.
int trm_ahead_functions_at(trm_ahead *ahead, trm_run *run, double t, const double *z, int k,
                           double *g);
/// The same at t on the dense output of the step just taken.
int trm_ahead_switching_at(trm_ahead *ahead, trm_run *run, double t, int k, double *g);

#endif
