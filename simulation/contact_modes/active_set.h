/// Which contacts are held at now, and what slides: accelerations and forces that fit each other.
#ifndef TRM_SETTLE_H
#define TRM_SETTLE_H

#include "engine/contact/contact.h"
#include "integrators/trajectory/integrator.h"

/// Codes behind those of a system; the row is added.
enum {
    TRM_NO_FORCES = 1000,
    TRM_NO_MOTION = 1000000, ///< Painleve's: none
    TRM_SEVERAL_MOTIONS = 2000000,
    TRM_GAINS = 3000000
};

/// Where a search begins, beside the row that has come to a bound of its force.
enum { TRM_ALL_ANEW = -1, TRM_AS_NOW = -2 };

/// as[n]: how each row may be held, TRM_FREE: not at all. Tried first is all held, or, with
/// TRM_AS_NOW or a row `loose`, what is set now; that row has come to a bound of its force and
/// slips or opens unless the others keep it where it is. Returns a system's code, or one of those
/// above.
int trm_contact_settle(trm_run *run, int *as, int loose);

/// as[n] := the rows that are held, and those that rest although nothing holds them, as measured.
void trm_contact_candidates(trm_run *run, int *as);

/// Row k is held as as[k] says, or free; friction that it loads goes with it.
void trm_contact_set_held(trm_contact *contact, const int *as, int k, int held);
/// Row k is free from now on, and slips as it moves.
void trm_contact_let_go(trm_contact *contact, int k, int slip);
/// Accelerations at now with the rows as they are held.
int trm_contact_accelerate(trm_run *run);
/// x'' of row k there, looked at.
double trm_contact_acceleration(const trm_contact *contact, const trm_run *run, int k);
/// What of a rate of row k is roundoff, by the terms that it is the sum of.
double trm_contact_rate_noise(const trm_contact *contact, const trm_run *run, int k);
/// The system at now, the joints factored in the mass metric, rows looked at.
int trm_contact_look_now(trm_run *run);

#endif
