/// Runs of one structure, one to a lane, whose next trials are computed together.
#pragma once

#include "integrators/lanes/shape.h"
#include "integrators/rk/trial.h"

/// One lane.
typedef struct trm_lane_slot {
    const trm_model *model; ///< NULL: it is empty
    const trm_stabilization_ops *stabilization;
    trm_lane_shape shape;
    trm_run *run;          ///< of this round; NULL: none
    const double *weakest; ///< [nc] as in trm_lane_rider
    trm_trial trial;
    int known;       ///< stages that are found
    int alone;       ///< of them by the run itself
    long counted[3]; ///< evaluations of the run before
} trm_lane_slot;

typedef struct trm_lane_slots {
    const trm_lane_ops *ops; ///< of the width that was chosen
    trm_lane_group *group;   ///< of the structure of those that sit
    trm_lane_slot slot[TRM_MOST_LANES];
    // of this round
    unsigned absent; ///< bit l: lane l takes no part
    trm_lane_arrays at[TRM_LANE_PLACES];
} trm_lane_slots;

/// A run that takes a step in this round.
typedef struct trm_lane_rider {
    trm_run *run;          ///< NULL: none
    double t_limit;        ///< s, where the step ends at the latest
    const double *weakest; ///< [nc] w of the only direction that is followed, at the beginning of
                           ///< the step (simulation/singular/null_continuation.h); NULL: others
                           ///< cannot follow it
} trm_lane_rider;

/// The widest kernels of this processor with at most `width` lanes (0: any number); NULL: one lane.
const trm_lane_ops *trm_lane_ops_of(int width);

/// Seat a run, or empty the slot (model NULL). Returns NULL, or why the run is computed alone: a
/// clause.
const char *trm_lane_slots_take(trm_lane_slots *slots, int slot, const trm_model *model,
                                const trm_run *run);
/// Compute the next trials of rider[ops->width], by slot. The step that follows has the bits it
/// would have without.
void trm_lane_slots_prepare(trm_lane_slots *slots, const trm_lane_rider *rider);
void trm_lane_slots_close(trm_lane_slots *slots);
