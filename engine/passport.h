/// What a run remembers of the singular positions that it passed: the last of them, in a ring.
#ifndef TRM_PASSPORT_H
#define TRM_PASSPORT_H

#include "engine/system.h"

enum { TRM_CROSSINGS_KEPT = 100 };

typedef struct trm_passport {
    trm_crossing *kept; ///< [TRM_CROSSINGS_KEPT]
    int *rows;          ///< [TRM_CROSSINGS_KEPT*nc]
    double *weight, *y; ///< [nc]
    long count;
    long bifurcations;
    double first_bifurcation;
    double energy_lost, t_energy_lost; ///< J, s: the largest |energy_lost| of one crossing
} trm_passport;

void trm_passport_layout(trm_passport *passport, int nc, trm_arena *arena);
void trm_passport_start(trm_passport *passport);

/// A crossing at t, where the system has just been factored: its rank and the rows involved.
/// pivot_max[nc]: the largest ratio that each row ever had; a row belongs to the dip when its ratio is
/// below `low` times that, and is redundant everywhere when pivot_max is below `redundant`.
void trm_passport_note(trm_passport *passport, const trm_system *system, double t,
                       const double *pivot_max, double redundant, double low);
/// The rows involved in the last one: rows[nrows].
const int *trm_passport_rows(const trm_passport *passport, int *nrows);
/// How the last one was met: the size of the step, and whether the bodies involved are at rest there.
void trm_passport_met(trm_passport *passport, double h, int at_rest);
/// What lies behind a crossing; see trm_crossing.
typedef struct trm_verdict {
    int resolved, branch_changed;
    int rank_before, rank_after;
    double energy_lost; ///< J
} trm_verdict;

/// What lies behind the last one.
void trm_passport_judge(trm_passport *passport, const trm_verdict *verdict);

#endif
