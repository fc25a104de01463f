/// When contacts change in a run: impacts, rows that are caught, rows that are let go, by the files
/// of this folder. See docs/explanation/contact.md. What of it the run calls stands in
/// simulation/run/simulation.h.
#ifndef TRM_CONTACT_CHANGES_H
#define TRM_CONTACT_CHANGES_H

#include "simulation/contact_modes/active_set.h"
#include "simulation/run/simulation.h"

/// The limit that row k touches now. A free row touches its limit if it is there within roundoff
/// and a slack of the time.
int trm_contact_limit_touched(const trm_sim *sim, int k);
/// The sign of the force of a row that may be held so.
int trm_contact_side_of(int as);
/// Impulses of all rows that touch, block by block; as[n] := how each row may be held. Returns 0;
/// or a row plus TRM_ACTIVE_SET_NO_FORCES (no impulses fit) or TRM_ACTIVE_SET_GAINS (they would add
/// energy).
int trm_sim_strike_contacts(trm_sim *sim, int *as);
/// Rows with friction whose rate an impact has changed.
void trm_contact_restart_slip(trm_contact *contact, int *as);
/// Whether friction slides at a rate that cannot be told from zero, and sticks with no more than it
/// slides with: forces decide which way it goes, not the sign of its rate. Once for a pair.
int trm_sim_slips_slowly(const trm_sim *sim, int k);
/// What slides slowly where another contact closes may stick; what leaves its limit was[k] does
/// not: it comes back (flights).
void trm_sim_stop_slow_rows(const trm_sim *sim, const int *was, int *as);
/// Whether the run may go on at the impulse level (simulation/studies/projected_steps.c).
int trm_sim_may_project(const trm_sim *sim);
/// The error for a code of the search for modes, or the hand-over to the impulse level.
trm_status trm_sim_fail_contacts(trm_sim *sim, int code, trm_error *err);
/// Handles all rows that touch now, among them row `closed` (-1: none) at its limit `at`: impacts
/// first, then the choice of the rows to be held.
trm_status trm_sim_resolve_contacts(trm_sim *sim, int closed, int at, trm_error *err);

#endif
