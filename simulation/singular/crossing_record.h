/// What a run remembers of the singular positions that it passed: the last of them, in a ring.
#ifndef TRM_RECORD_H
#define TRM_RECORD_H

#include "engine/rank/null_directions.h"
#include "simulation/singular/null_continuation.h"

enum { TRM_CROSSINGS_KEPT = 100 };

typedef struct trm_record {
    trm_crossing *kept; ///< [TRM_CROSSINGS_KEPT], and one that is gone
    int *rows;          ///< [nc] of each
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

/// Another crossing, the last so far: number record->count. trm_record_describe says where.
trm_crossing *trm_record_new(trm_record *record);
/// Of this number, 1 the first. Parts cross independently: one that is near its position goes on
/// with its own crossing when others have had theirs. After TRM_CROSSINGS_KEPT others it is gone,
/// and what is written here is not kept.
trm_crossing *trm_record_of(const trm_record *record, long number);
/// `crossing` is at the system's current point, factored: time, rank of all rows, the rows
/// involved, sigma. `d` is the direction there; directions whose sigma is below `low` have lost
/// their rank.
void trm_record_describe(trm_record *record, const trm_model *model, trm_system *system,
                         const trm_parts *parts, int p, const trm_direction *d, double low,
                         trm_crossing *crossing);
trm_crossing *trm_record_last(const trm_record *record);
/// Crossings that the run has come to.
long trm_record_reached(const trm_record *record);
/// s: the first undecided one, judged or not; NAN when there was none.
double trm_record_met_undecided(const trm_record *record);
/// This one was met at rest.
void trm_record_bifurcation(trm_record *record, trm_crossing *crossing);
/// This one is judged: its fields say how.
void trm_record_judged(trm_record *record, trm_crossing *crossing);

#endif
