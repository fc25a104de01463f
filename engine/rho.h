/// What the monitor of singular positions measures, see singularity.h: rho, of a factorization and between points.
#ifndef TRM_RHO_H
#define TRM_RHO_H

#include "engine/singularity.h"

/// rho below this part of its maximum counts as a drop of rank, above the next as its end, above
/// that one as far from it.
static const double trm_rho_singular = 1e-6;
static const double trm_rho_regular = 1e-4;
static const double trm_rho_far = 0.01;
static const double trm_rho_dependent =
    1e-5; // ten times trm_rho_singular: rows that take part in a drop

// ---------------------------------------------------------------------------------------- of a factorization

/// rho of a factorization at t may be the smallest of the run.
void trm_rho_note(trm_monitor *monitor, double rho, double t);
/// run->now, factored last, lies T behind the point before. Where no row is redundant, and none will be, nobody asks.
void trm_rho_learn_usual(trm_monitor *monitor, const trm_run *run, double T);
/// The pivots of the last factorization, to be measured again.
void trm_rho_keep(const trm_monitor *monitor, const trm_solver *solver, trm_seen *seen);
/// rho of a point in the units of today: what is compared must be measured alike.
void trm_rho_measure(const trm_monitor *monitor, int nc, trm_seen *seen);
/// rho of the last factorization, at t.
double trm_rho_of(trm_monitor *monitor, const trm_system *system, double t);

// ---------------------------------------------------------------------------------------- between points

/// Make t, within the last two steps, the current point of the system.
int trm_rho_go_to(trm_monitor *monitor, trm_run *run, double t);
/// rho at t, within the last two steps.
double trm_rho_at(trm_monitor *monitor, trm_run *run, double t);
/// Minimum of rho in the bracket (t, r), within the last two steps: parabolas, and a point well inside where
/// the parabola proposes one that we know, or creeps along a flat bottom far from one end. Returns rho, t[1] is its
/// place.
double trm_rho_minimize(trm_monitor *monitor, trm_run *run, double t[3], double r[3]);

#endif
