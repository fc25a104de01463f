/// Active set of contacts at now: which are held and which slide, with accelerations and forces
/// that fit each other.
#pragma once

#include "engine/contact/contact.h"
#include "integrators/trajectory/integrator.h"

/// Codes beyond those of a system; a refusal names row contact->trial.refused.
enum {
    TRM_ACTIVE_SET_NO_FORCES = 1000,
    TRM_ACTIVE_SET_NO_MOTION, ///< Painleve: no motion exists
    TRM_ACTIVE_SET_SEVERAL_MOTIONS
};

/// Begin of a search, beside the row that has come to a bound of its force.
enum { TRM_ACTIVE_SET_ALL_ANEW = -1, TRM_ACTIVE_SET_AS_NOW = -2 };

/// as[n]: how each row may be held, TRM_HOLD_FREE: not at all. Initial guess: all rows active;
/// TRM_ACTIVE_SET_AS_NOW: the present set; `loose`: the present set without that row, which has
/// come to a bound of its force and slips or opens unless the others hold it. Returns a system's
/// code, or one of those above.
int trm_contact_find_active_set(trm_run *run, int *as, int loose);

/// as[n] := the rows that are held, and those at rest although nothing holds them, as measured.
void trm_contact_candidates(trm_run *run, int *as);

/// contact->driven of limits in as[n], and what is driven out of it: nothing holds it. Rows are
/// looked at, joints factored.
void trm_contact_free_driven(trm_run *run, int *as);
/// The same, and contact->driven of all friction: it slides against its rate, or is undetermined.
void trm_contact_find_driven(trm_run *run, int *as);

/// The same of friction of stops that strike at the current point, and were open: which direction
/// of a pair the joints decide depends on where it strikes.
void trm_contact_renew_driven(trm_run *run, const int *as);
/// Friction that holds, where it keeps with other rows what motions are given to decide, is
/// undetermined. Returns a system's code.
int trm_contact_free_led(trm_run *run, const int *as);
/// contact->x, rate and band of rows that are driven or watched at (t, z), without what z violates
/// the joints and the rows that hold by. Moves the current point. Returns a system's code.
int trm_contact_measure_driven(trm_run *run, double t, const double *z);

/// Hold all rows as as[] says.
void trm_contact_hold_all(trm_contact *contact, const int *as);
/// Hold row k as as[k] says, or free it; friction that it loads goes with it.
void trm_contact_set_held(trm_contact *contact, const int *as, int k, int held);
/// Release row k; it slips in direction `slip`.
void trm_contact_release(trm_contact *contact, int k, int slip);
/// Compute the accelerations at now with the rows as they are held.
int trm_contact_accelerate(trm_run *run);
/// x'' of row k with accelerations a; rows are evaluated.
double trm_contact_moved(const trm_contact *contact, const double *a, int k);
/// d|u|/dt of the pair of row k, whose rate is not 0, likewise.
double trm_contact_slip_grows(const trm_contact *contact, const double *a, int k);
/// x'' of row k with the accelerations at now.
static inline double trm_contact_acceleration(const trm_contact *contact, const trm_run *run, int k)
{
    return trm_contact_moved(contact, run->now.dz + run->system->nq, k);
}
/// Roundoff of the rate of row k, by the terms that it is the sum of.
double trm_contact_rate_noise(const trm_contact *contact, const trm_run *run, int k);
/// contact->unsure, for the step from here.
void trm_contact_note_unsure(trm_run *run);
/// How far the rate of row k, or of its pair, is uncertain by the tolerances of the steps, or of
/// the run. A rate below that says nothing of the direction in which friction slides.
double trm_contact_unresolved(const trm_run *run, int k);
/// Evaluate the system and all rows at (t, z), or at now, the joints factored in the mass metric.
int trm_contact_evaluate_at(trm_run *run, double t, const double *z);
int trm_contact_evaluate_now(trm_run *run);
/// Returns nonzero if x of row k can only move where one of the held rows, limits alone or all,
/// does.
int trm_contact_depends_on(trm_contact *contact, trm_run *run, int k, int limits);
