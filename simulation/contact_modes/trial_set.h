/// The parts of settling: one try on the equations (trial_set.c), the complementarity problem
/// (candidates.c), shares of friction of several points in space (shared_friction.c). Begin with
/// active_set.h.
#ifndef TRM_ATTEMPT_H
#define TRM_ATTEMPT_H

#include "simulation/contact_modes/active_set.h"

/// What a try has shown.
typedef struct trm_outcome {
    int code;    ///< a system's
    int fits;    ///< as all is held now
    int paradox; ///< with a determinant that Painleve's cases have
    int worst;   ///< else the row that fits worst; -1: no forces at all
} trm_outcome;

/// Where row k is held, m or rad, as `as`.
double trm_held_at(const trm_contact *contact, int k, int as);
/// What of x'' of row k is roundoff.
double trm_contact_noise(const trm_contact *contact, const trm_run *run, int k);
/// Accelerations and forces at now with the rows as they are held.
trm_outcome trm_try_now(trm_run *run, const int *as);
/// Whether x of row k can only move where one of the held rows does.
int trm_contact_is_dependent(trm_contact *contact, trm_run *run, int k);
/// contact->rests of what is free and does not move.
void trm_contact_note_rests(trm_run *run, const int *as);

/// The complementarity problem of all candidates, with accelerations that none of them presses.
/// *n: its rows, those of contact->list. Returns a system's code.
int trm_pose_problem(trm_run *run, const int *as, int *n);
/// Forces contact->p of its n rows, and accelerations contact->u with them. Returns nonzero where
/// none are found.
int trm_solve_problem(trm_contact *contact, int n);
/// Rows i and j of the problem, friction in space, both set as held, stick or slide.
void trm_adopt_pair(trm_contact *contact, int i, int j);
/// All candidates as the problem says. *broken: friction that holds more than it slides with has
/// broken loose. Returns a system's code, or 1: it has no solution.
int trm_propose(trm_run *run, const int *as, int loose, int *broken);

/// contact->stays of all candidates, as they are held now.
void trm_note_stays(trm_contact *contact, const int *as);
/// Shares of friction by which contact->stays fits. bound: what holds without shares is at its
/// bound, and does not count.
trm_outcome trm_spread(trm_run *run, const int *as, int bound);
/// What begins to slide, by the forces that press in the last try; these follow from that in turn.
trm_outcome trm_slide_in_turn(trm_run *run, const int *as);
/// Row `loose`, a pair, has come to the bound of its friction: the other points may take more, or
/// slide with it. Nothing is changed where that does not fit.
trm_outcome trm_others_take_more(trm_run *run, const int *as, int loose);

#endif
