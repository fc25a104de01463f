/// One run: a system, a method, the state, and the three checks on it. What the files that work on a run
/// share.
#ifndef TRM_SIMULATION_H
#define TRM_SIMULATION_H

#include "engine/measure.h"
#include "engine/model.h"
#include "engine/saved_state.h"
#include "engine/singularity.h"

#include <stdatomic.h>

struct trm_sim {
    const trm_model *model;
    trm_run run;
    trm_closing closing;
    trm_measure measure;
    trm_monitor monitor;
    double size;             ///< m, of the mechanism at the start, see tear.h
    double gap_closed;       ///< relative, the largest that was found to be drift
    int ready;               ///< zero after a start that failed: there is no state to step from
    trm_point_of_run sample; ///< what trm_sim_sample computed last
    trm_solver_memory remembered;
    long counted[3]; ///< evaluations, likewise
    trm_arena arena;
    trm_pointer_map pointers; ///< into the arena
    atomic_flag busy;         ///< a call is at work on this run
    int observing;            ///< trm_sim_run has handed it to the observer
};

/// Enter before any work on a run, leave with the status of that work. Two calls that work on one run at
/// the same time - a second thread, or a function of the user that calls back into its own run - would ruin
/// it. Neither waits: the second is refused, and so is an observer that would move its run.
/// Errors: OPTIONS.
trm_status trm_sim_check(const trm_sim *sim, trm_error *err);
trm_status trm_sim_enter(const trm_sim *sim, trm_error *err);
trm_status trm_sim_enter_to_move(const trm_sim *sim, trm_error *err);
trm_status trm_sim_leave(const trm_sim *sim, trm_status status);
/// Errors: INCONSISTENT. The last start failed.
trm_status trm_sim_check_ready(const trm_sim *sim, trm_error *err);

/// All that a run remembers is what stands before its arena, and what stands in it.
trm_state_blocks trm_sim_blocks(trm_sim *sim);

/// Everything that a run at (now.t, now.z) needs before its first step. Errors: as trm_sim_set_state.
trm_status trm_sim_begin(trm_sim *sim, trm_error *err);
/// Close the mechanism a little off its start, in the direction of this number, into sim->sample.z. Returns
/// nonzero if it is closed, and the current point of the system.
int trm_sim_close_nearby(trm_sim *sim, int number);

/// Rows whose pivots are roundoff at all positions close by are idle from the start on, under methods that
/// correct what they leave open. Returns a system's code.
int trm_sim_choose_idle(trm_sim *sim);
/// At the end of a step: wake the rows that the others do not keep closed, and those that have got a pivot,
/// damping left aside. Returns how many.
int trm_sim_wake(trm_sim *sim);

/// Go on from the inputs set since the last step. After a failure the accelerations are those of the last
/// accepted step, and the next call tries again.
trm_status trm_sim_take_up_inputs(trm_sim *sim, trm_error *err);

/// Whether the motions that are given leave no closed position at run->now: asked when its gaps grow beyond those
/// that could be closed. Then the system is at the nearest position that there is; refuse it, naming those
/// motions and the time in the last step at which it begins. Errors: DIVERGED.
int trm_sim_contradicts(trm_sim *sim);
/// The same after a step that failed or tore the mechanism: whether it had begun before.
int trm_sim_has_parted(trm_sim *sim);
trm_status trm_sim_refuse_contradiction(trm_sim *sim, trm_error *err);

/// What the monitor needs to know of the point just measured.
void trm_sim_note_balance(trm_sim *sim);

trm_state trm_sim_state_of(const trm_run *run, const trm_point_of_run *point);

/// What is looked at between these two is forgotten again: a run, its counters among it, must not depend on
/// where it was sampled.
void trm_sim_remember(trm_sim *sim);
void trm_sim_recall(trm_sim *sim);

#endif
