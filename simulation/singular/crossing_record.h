/// What a run remembers of the singular positions that it passed: the last of them, in a ring.
#pragma once

#include "engine/rank/null_directions.h"
#include "simulation/singular/null_continuation.h"
#include "trammel/trammel_report.h"

enum { TRM_CROSSINGS_KEPT = 100 };

typedef struct trm_crossing_record {
    trm_crossing *kept;   ///< [TRM_CROSSINGS_KEPT], and one that is gone
    int *rows;            ///< [nc] of each
    double *weight;       ///< [nc]
    trm_rank_loss *loss;  ///< of the run
    char *involved;       ///< [nv] nonzero: of a body that the rows of the last crossing hold
    int last_not_reached; ///< nonzero: the last crossing is near, and not reached yet
    long count, resolved, undecided, branch_changes, bifurcations;
    double first_undecided, first_branch_change, first_bifurcation;
    double energy_lost, t_energy_lost; ///< J, s: the largest |energy_lost| of one crossing
} trm_crossing_record;

void trm_crossing_record_layout(trm_crossing_record *record, const trm_system *system,
                                trm_arena *arena);
void trm_crossing_record_start(trm_crossing_record *record);

/// Begin another crossing, number record->count. trm_crossing_record_describe says where.
trm_crossing *trm_crossing_record_new(trm_crossing_record *record);
/// Crossing of this number, from 1. Components cross independently: one that is near its position
/// continues its own crossing when others have had theirs. After TRM_CROSSINGS_KEPT others it is
/// gone, and what is written here is not kept.
trm_crossing *trm_crossing_record_of(const trm_crossing_record *record, long number);
/// `crossing` is at the system's current point, factored: time, rank of all rows, the rows
/// involved, sigma. `d` is the direction there; directions whose sigma is below `low` have lost
/// their rank.
void trm_crossing_record_describe(trm_crossing_record *record, const trm_model *model,
                                  trm_system *system, const trm_connected_components *components,
                                  int p, const trm_direction *d, double low,
                                  trm_crossing *crossing);
trm_crossing *trm_crossing_record_last(const trm_crossing_record *record);
/// Number of crossings that the run has reached.
long trm_crossing_record_reached(const trm_crossing_record *record);
/// s, time of the first undecided crossing, judged or not; NAN when there was none.
double trm_crossing_record_met_undecided(const trm_crossing_record *record);
/// Note that the run met this crossing at rest at t, and moves on.
void trm_crossing_record_bifurcation(trm_crossing_record *record, long number, double t);
/// Note that a step is not followed to its end, from t on.
void trm_crossing_record_untold(trm_crossing_record *record, double t);
/// Note that this crossing is judged: its fields say how.
void trm_crossing_record_judged(trm_crossing_record *record, trm_crossing *crossing);
