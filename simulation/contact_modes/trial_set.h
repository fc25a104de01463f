/// The parts of settling: one try on the equations (trial_set.c), the complementarity problem
/// (candidates.c). Begin with active_set.h.
#pragma once

#include "simulation/contact_modes/active_set.h"

/// Result of a trial set.
typedef struct trm_active_set_result {
    int code;    ///< a system's
    int fits;    ///< nonzero: forces and accelerations fit the trial set
    int paradox; ///< nonzero: the determinant is that of Painleve's cases
    int worst;   ///< the row that fits worst where the set does not; -1: no forces at all
} trm_active_set_result;

/// Place at which row k is held as `as`, m or rad.
double trm_active_set_place(const trm_contact *contact, int k, int as);
/// contact->stirred at now, and contact->work.f, the free accelerations.
void trm_contact_note_stirred(trm_contact *contact, trm_run *run, const int *as);
/// Roundoff of x'' of row k.
double trm_contact_noise(const trm_contact *contact, const trm_run *run, int k);
/// Compute accelerations and forces at now with the rows as they are held, and check them.
trm_active_set_result trm_active_set_try(trm_run *run, const int *as);
/// Whether the joints decide the rate of the pair of row k, looked at, along a direction aslant to
/// its tangents; the pair is turned so that its second row is along it. W of the pair is then w a
/// a^T: its larger principal axis a lies across.
int trm_contact_turn_to_joints(trm_contact *contact, trm_run *run, int k);
/// How many directions of the pair of row k, looked at, the joints and held rows, limits alone or
/// all, decide where the joints alone do not. Where it is one, the pair is turned so that its
/// second row is along it: the larger principal axis of W without what the held rows move lies
/// across it.
int trm_contact_turn_to_held(trm_contact *contact, trm_run *run, int k, int limits);
/// Set contact->at_rest of what is free and does not move.
void trm_contact_note_at_rest(trm_run *run, const int *as);

/// Set all candidates as the solution of the problem says. Returns a system's code, or 1: it has no
/// solution.
int trm_active_set_propose(trm_run *run, const int *as, int loose);
