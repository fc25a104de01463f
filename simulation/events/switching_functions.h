/// Values of switching functions and functions of contacts along a step.
#pragma once

#include "simulation/events/event_location.h"

/// The function behind number k that is looked at, k = -1: the first; locator->nfunctions: none.
static inline int trm_locator_next(const trm_locator *locator, const trm_run *run, int k)
{
    const int n = locator->model->nswitching_functions, i = k + 1 - n;
    return i < 0 || i % TRM_CONTACT_FUNCTIONS != 0 || k + 1 >= locator->nfunctions
               ? k + 1
               : n + TRM_CONTACT_FUNCTIONS * run->contact->near[i / TRM_CONTACT_FUNCTIONS];
}

/// Returns nonzero if function k is an angle, whose modes overlap.
int trm_locator_is_angle(const trm_locator *locator, int k);
/// Distance of the value g of function k from the nearest edge of any mode; *mode is the mode on
/// that edge.
double trm_locator_edge_distance(const trm_locator *locator, int k, double g,
                                 trm_switching_mode *mode);
/// Mode of function k next to the edge nearest to its value g, on the side of `later`.
trm_switching_mode trm_locator_mode_beside(const trm_locator *locator, int k, double g,
                                           double later);
/// The step that has shown the root is accepted.
void trm_locator_accept_root(trm_root *root);
/// What the switching function k errs by at now where its variables have the accuracy asked for.
double trm_locator_errs_by(trm_locator *locator, trm_run *run, int k);

/// Returns nonzero if the formula of function k is continuous across its edges.
int trm_locator_is_kink(const trm_locator *locator, int k);
/// Returns nonzero if function k is a kink that is left free: its mode is that of its value.
static inline int trm_locator_is_free(const trm_locator *locator, int k)
{
    return locator->mode_after[k] == TRM_BRANCH_FREE;
}
/// Returns nonzero if g of function k stays on its edge in the step just taken: within rounding
/// after many changes, or in a step too short to leave the edge just crossed.
int trm_locator_stays_on_edge(const trm_locator *locator, const trm_run *run, int k);
/// Returns nonzero if a contact comes to a halt at function `which` of all: what becomes zero with
/// its slip stays zero.
int trm_locator_is_halt(const trm_locator *locator, int which);

/// s, a short time, within the next step and within a flight after an impact.
double trm_locator_short_time(const trm_locator *locator, const trm_run *run);
/// Extrapolate the state by that time, into locator->z; *t is the time, s. It shows in which
/// direction functions leave their edge.
void trm_locator_extrapolate_shortly(trm_locator *locator, trm_run *run, double *t);

/// g of all formulas at (t, z), with what sensors read there.
void trm_locator_formulas_at(trm_run *run, double t, const double *z, double *g);
/// g[nfunctions] at (t, z), or at least that of number k, where only k is needed; k = -1: all.
/// Returns a system's code.
int trm_locator_values_at(trm_locator *locator, trm_run *run, double t, const double *z, int k,
                          double *g);
/// Of contacts the functions of rates alone, which need no forces.
void trm_locator_rates_at(trm_locator *locator, trm_run *run, double t, const double *z, double *g);
/// All or one at t on the dense output of the step just taken.
int trm_locator_dense_values_at(trm_locator *locator, trm_run *run, double t, int k, double *g);
