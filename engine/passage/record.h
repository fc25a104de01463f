/// What a run remembers of the singular positions that it passed: the last of them, in a ring.
#ifndef TRM_RECORD_H
#define TRM_RECORD_H

#include "engine/passage/direction.h"
#include "engine/passage/lost.h"

enum { TRM_CROSSINGS_KEPT = 100 };

typedef struct trm_record {
    trm_crossing *kept; ///< [TRM_CROSSINGS_KEPT]
    int *rows;          ///< [TRM_CROSSINGS_KEPT*nc]
    double *weight;     ///< [nc]
    trm_lost *lost;     ///< of the run
    char *involved;     ///< [nv] nonzero: of a body that the rows of the last crossing hold
    int ahead;          ///< nonzero: the last crossing is near, but not reached yet
    long count, resolved, undecided, branch_changes, bifurcations;
    double first_undecided, first_branch_change, first_bifurcation;
    double energy_lost, t_energy_lost; ///< J, s: the largest |energy_lost| of one crossing
} trm_record;

void trm_record_layout(trm_record *record, const trm_system *system, trm_arena *arena);
void trm_record_start(trm_record *record);

/// A crossing of part p; trm_record_describe says where.
trm_crossing *trm_record_new(trm_record *record);
/// The last one is at the system's current point, factored: time, rank of all rows, the rows
/// involved, sigma. `d` is the direction there; directions whose sigma is below `low` have lost
/// their rank.
void trm_record_describe(trm_record *record, const trm_model *model, trm_system *system,
                         const trm_parts *parts, int p, const trm_direction *d, double low);
trm_crossing *trm_record_last(const trm_record *record);
/// Crossings that the run has come to.
long trm_record_reached(const trm_record *record);
/// s: the first undecided one, judged or not; NAN when there was none.
double trm_record_met_undecided(const trm_record *record);
/// The last one was met at rest.
void trm_record_bifurcation(trm_record *record);
/// The last one is judged: its fields say how.
void trm_record_judged(trm_record *record);

#endif
