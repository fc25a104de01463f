/// One run: a system, a method, the state, and the three checks on it.
/// Shared by the files that work on a run.
#pragma once

#include "base/saved_state.h"
#include "engine/joint_coordinates/joint_tree.h"
#include "engine/multibody/measure.h"
#include "engine/multibody/model.h"
#include "integrators/stabilization/singular_limit.h"
#include "simulation/contact_modes/force_check.h"
#include "simulation/events/event_location.h"
#include "simulation/events/turning_ends.h"
#include "simulation/run/events.h"
#include "simulation/singular/singularity_monitor.h"

#include "trammel/trammel_contact.h"
#include "trammel/trammel_methods.h"
#include "trammel/trammel_report.h"
#include "trammel/trammel_simulation.h"

#include <signal.h>
#include <stdatomic.h>

enum { TRM_RETURNS_KEPT = 32 };

/// Changes of contacts at one time that lead back to what was held at this time already.
typedef struct trm_returns {
    double t;     ///< s, of the first of them
    int n, count; ///< ways of holding kept, and how often one of them has come again
    int changes;  ///< of contacts
    int bounces;  ///< the last change was an impact that sends back
    int other;    ///< the contact that has changed before the present one
    uint64_t seen[TRM_RETURNS_KEPT]; ///< sums of ways of holding
} trm_returns;

/// Whether IDA may step a run.
typedef enum trm_ida_use {
    TRM_IDA_ABSENT,   ///< not built, or not for its options
    TRM_IDA_KEPT_OUT, ///< by the user, or it has refused to take over
    TRM_IDA_MAY_STEP
} trm_ida_use;

/// Where a run stands between the chosen method and IDA: the table in
/// simulation/studies/stiff_switching.c.
typedef struct trm_stiff_switching {
    trm_ida_use ida;
    int found;          ///< it was stiff
    int method_changes; ///< how often the method changed
    int in_ida;         ///< nonzero: IDA is the method now
    double t_found;     ///< s: when first
    double pace;        ///< s per evaluation of the explicit pair
    double pace_ida;    ///< of ida, when it was left as slower
    double t_mark, t_retry;
    long step_mark, evals_mark, step_entered, probe, ida_steps;
} trm_stiff_switching;

/// simulation/studies/projected_steps.c has the table.
typedef enum trm_projected_state {
    TRM_LOCATED,
    TRM_PROJECTED_NO_FORCES,
    TRM_PROJECTED_CROWD,
    TRM_PROJECTED
} trm_projected_state;

/// Where a run stands between located events and projected steps.
typedef struct trm_projected {
    trm_projected_state state;
    int mark;        ///< number of the mark that located events are counted from
    long concerned;  ///< contacts that have changed since then
    long set_going;  ///< changes since then that are not on the way to rest
    double fastest;  ///< 1/s: the largest rate of a gap, over its way, since then
    double t_mark;   ///< s, of that mark; in projected steps the begin of the interval
    double lasted;   ///< s: the last interval
    double t_back;   ///< s: when it ended
    double t_failed; ///< s: where a projected step began that found no end
    int jumps;       ///< nonzero: the interval begins where no forces fit
    long quiet;      ///< steps without an impact that end an interval
    long evals_mark, changes_mark, steps_mark, impacts_mark, impacts_begin;
    long steps_begin; ///< of the interval
    trm_projected_told told;
} trm_projected;

/// Whether a run has a state to step from.
///
///   state      entered by                              left by
///   NO_STATE   the beginning of a start, a refusal     a start that succeeds: READY
///   SCOUTING   trm_sim_create, to learn how much room  its end: NO_STATE; READY where none is
///              null directions need                    needed
///   READY      a start                                 the next start
typedef enum trm_sim_phase { TRM_SIM_NO_STATE, TRM_SIM_SCOUTING, TRM_SIM_READY } trm_sim_phase;

/// The rank at the last start.
typedef enum trm_start_rank {
    TRM_START_REGULAR,
    TRM_START_SINGULAR, ///< less than nearby
    TRM_START_UNDECIDED ///< counts rows as independent that damped solves cannot resolve: no step
} trm_start_rank;

struct trm_sim {
    const trm_model *model; ///< whose coordinates the run has
    const trm_model *given; ///< of bodies: what the outside sees; the same, or in other coordinates
    trm_run run;
    trm_closing closing;
    trm_measure measure;
    trm_singularity_monitor monitor;
    trm_rank rank; ///< in use while a start is judged, and where the rank of a run rises
    trm_impacts impacts;
    trm_returns returns;  ///< to ways of holding contacts that have been at one time already
    int ended_by_contact; ///< 1 + the contact function that ended the last step; 0: none did
    trm_locator locator;
    trm_turning_ends turning;
    trm_events events;
    double asked;           ///< the accuracy that verdicts hold the run to; 0: none
    double size;            ///< m, of the mechanism at the start, see trm_violation_row
    double whole;           ///< m, the same for contacts, see trm_extents_whole
    double gap_closed;      ///< relative, the largest gap that was found to be drift
    int drives_of_time;     ///< nonzero: a row moves with the time
    trm_report past;        ///< of the run that this run continues
    trm_force_check forces; ///< at accepted steps
    trm_stiff_switching stiff_switching;
    trm_projected projected;
    double *stiff_room; ///< [4*slots] room for trm_sim_stiff
    int slots;          ///< of bodies, see bodies/pose.h
    trm_sim_phase phase;
    trm_point_of_run sample;     ///< the last result of trm_sim_sample
    trm_point_of_run pressed;    ///< where forces of contacts are read; NULL without
    double *output_room;         ///< [model->output_room]
    trm_absolute_state shown[2]; ///< in joint coordinates: the end of the last step, a sample
    double *shown_of, *showing;  ///< the point that shown[0] is of, and that of the next
    int is_shown;                ///< nonzero: by the rates and inputs of now
    double *sensed_c, *sensed_v; ///< [nc], [nq + nv] of `given`
    double *between;             ///< [n] the dense output before it is brought to the constraints
    int nullity;                 ///< rows that depend on others everywhere
    int rank_rises; ///< the rank at the end of the last step is higher than that of the run
    double t_off;   ///< s: since when rows that are left out do not follow from others; INFINITY
    int uncounted;  ///< as in trm_report
    double t_uncounted; ///< s
    trm_start_rank start_rank;
    double bound;  ///< of sigma at the start: rows that are shorter repeat others
    double misfit; ///< the largest seen so far: play, or sigma of rows left out at the start
    double misfit_of_start;
    double *play, *t_play; ///< [nc given] the largest play of each row so far and when, see play.c
    trm_null_size null_room; ///< for the null directions of redundant rows
    trm_null_size null_size; ///< the size needed by the last start
    long counted[3];         ///< evaluations, see trm_sim_remember
    trm_arena arena;
    trm_pointer_map pointers;    ///< into the arena
    trm_sim *in_bodies;          ///< judges starts in joint coordinates, with loops; NULL
    trm_options chosen;          ///< of the run before it went over to IDA
    size_t size_of_chosen;       ///< of its saved states then
    trm_stiff first_stiffness;   ///< as it was found first
    atomic_flag busy;            ///< a call is at work on this run
    int is_pressed, was_pressed; ///< forces of contacts are those of now: behind, before this call
    const volatile sig_atomic_t *interrupt; ///< trm_sim_set_interrupt
    int observing;                          ///< trm_sim_run has handed it to the observer
};

/// Enter before any work on a run, leave with the status of that work. Two calls that work on one
/// run at the same time - a second thread, or a function of the user that calls back into its own
/// run - would ruin it. Neither waits: the second is refused, and so is an observer that would move
/// its run. Errors: OPTIONS.
trm_status trm_sim_check(const trm_sim *sim, trm_error *err);
/// Errors: OPTIONS, at `where` (no such input) or at the input (a value that is not finite).
trm_status trm_check_input(const trm_model *model, const char *where, int input, double value,
                           trm_error *err);
/// Returns nonzero if the caller wants the run to end.
static inline int trm_sim_is_interrupted(const trm_sim *sim)
{
    return sim->interrupt && *sim->interrupt;
}
trm_status trm_sim_enter(const trm_sim *sim, trm_error *err);
trm_status trm_sim_enter_to_move(const trm_sim *sim, trm_error *err);
trm_status trm_sim_leave(const trm_sim *sim, trm_status status);
/// Errors: INCONSISTENT. The last start failed.
trm_status trm_sim_check_ready(const trm_sim *sim, trm_error *err);

/// The whole memory of a run: its struct up to the arena, and the arena.
trm_state_blocks trm_sim_blocks(trm_sim *sim);

/// A run in the coordinates of `model` just laid out, before its start: its blocks then hold only
/// what the layout sets. NULL when memory is short.
trm_sim *trm_sim_lay_out(const trm_model *model, const trm_options *options, trm_null_size room,
                         trm_error *err);

/// The state and the rank that a run at (now.t, now.z) starts from. Errors: as trm_sim_set_state.
trm_status trm_sim_find_start(trm_sim *sim, trm_error *err);
/// Everything that a run at (now.t, now.z) needs before its first
/// step. Errors: as trm_sim_set_state.
trm_status trm_sim_begin(trm_sim *sim, trm_error *err);
/// The same of a state that another run has left.
trm_status trm_sim_begin_here(trm_sim *sim, trm_error *err);

/// Whether dependent rows are masked: nothing needs their multipliers, as friction by a load does,
/// or directions, as IDA does.
int trm_sim_may_mask(const trm_sim *sim, const trm_rank *rank);
/// Rows that are dependent everywhere, for the solver; their directions are refined at run->now in
/// some passes. Returns a system's code.
int trm_sim_leave_out(trm_sim *sim, const trm_rank *rank);

/// Tells if the motion has left, in the last step, the positions of the rank by which rows are left
/// out: sim->rank_rises tells that the rank at run->now is higher. The system's current point,
/// factored, is run->now.
void trm_sim_rank_rises(trm_sim *sim);
/// Add to the error of a failed step that the motion has left the positions of the rank of its
/// start, if so.
void trm_sim_name_rank(const trm_sim *sim, trm_error *err);
/// Continue from run->now with that rank, closed.
trm_status trm_sim_raise_rank(trm_sim *sim, trm_error *err);

/// One accepted step by the method that the run has, at most to t_limit. Errors: as trm_sim_step.
trm_status trm_sim_advance(trm_sim *sim, double t_limit, trm_error *err);

/// The play: what rows that are left out of every solve leave open (engine/system/system.h).
void trm_play_layout(trm_sim *sim, trm_arena *arena);
/// The largest of the current point, relative to the mechanism, or in rad.
double trm_sim_play(const trm_sim *sim);
/// What it may be on the way.
double trm_play_most(const trm_sim *sim);
/// Where the largest is.
int trm_play_worst(const trm_sim *sim);
/// Of the start; nothing is known of the play before.
void trm_play_start(trm_sim *sim);
/// Of the current point; of one that is accepted, without what drift adds.
void trm_play_note(trm_sim *sim);
void trm_sim_note_play(trm_sim *sim);
/// Returns nonzero if rows that move with the time are among the redundant ones: what they leave
/// open is no play, motions given contradict each other. rate[nc]: the part of g_t that is left
/// out.
int trm_play_of_time(trm_sim *sim, double *rate);
/// Before the next step: a corner ahead that is the misfit's becomes a crossing.
trm_status trm_sim_share_corner(trm_sim *sim, trm_error *err);
/// "A, B, C": the joints of the rows that are left out together with row `worst`, without its own.
void trm_play_name_loop(const trm_sim *sim, int worst, char *names, size_t size);
/// Whether it is above the bound, where drift is closed too: that is the current point then.
int trm_sim_play_passes(trm_sim *sim);
/// It is above the bound. Errors: INCONSISTENT at the start, DIVERGED on the way.
trm_status trm_sim_refuse_play(const trm_sim *sim, trm_error *err);
/// In place of the error of a failed step: misfits turn motions that meet near here into each
/// other, if so. Returns nonzero then.
int trm_sim_name_play(const trm_sim *sim, trm_error *err);

/// Find the active set of contacts at a start: rows that touch are held or released before the
/// first step. Errors: INCONSISTENT (outside its limits).
trm_status trm_sim_begin_contacts(trm_sim *sim, trm_error *err);
/// "contact 'A': what". Errors: SINGULAR.
trm_status trm_sim_refuse_contact(const trm_sim *sim, int row, const char *what, trm_error *err);
/// Friction has no force that fits the load that it changes. Errors: SINGULAR.
trm_status trm_sim_refuse_jam(trm_sim *sim, trm_error *err);
/// Where motions that are given take contacts at now, or `ahead` within the next step, beyond what
/// they allow. Errors: SINGULAR.
trm_status trm_sim_refuse_drives(trm_sim *sim, int ahead, trm_error *err);
/// The first contact whose gap, as measured last, is not a number. Errors: CALLBACK.
trm_status trm_sim_refuse_undefined_gap(trm_sim *sim, trm_error *err);
/// Change contact function `which`, which has left its mode at now, the end of the last step: an
/// impact, a force that would pull, friction that slips or sticks. Errors: SINGULAR (no forces
/// fit).
trm_status trm_sim_change_contact_mode(trm_sim *sim, int which, trm_error *err);
/// Handles all rows that touch now, among them row `closed` (-1: none) at its limit `at`: impacts
/// first, then the choice of the rows to be held. Errors: SINGULAR.
trm_status trm_sim_resolve_contacts(trm_sim *sim, int closed, int at, trm_error *err);
/// The same, until no face is left that tips: those stand on their rims, which may touch anew.
trm_status trm_sim_settle_contacts(trm_sim *sim, int closed, int at, trm_error *err);
/// The rim of row k comes down flat, and its other side strikes. As long as the one that has not
/// struck last closes it strikes in turn. Then the body flies, rolls over the side, or lies.
trm_status trm_sim_land_rim(trm_sim *sim, int k, trm_error *err);
/// Whether friction may stick that slides at a rate which cannot be told from zero. It holds no
/// more than it slides with, so that forces decide its direction, or moves only where held rows do.
/// Once for a pair. Row `with` has come to its halt now (-1: none).
int trm_sim_may_stick(trm_sim *sim, int k, int with);
/// An impact at now has taken `lost` J.
void trm_sim_note_impact(trm_sim *sim, double lost);
/// No forces fit: goes on at the impulse level (simulation/studies/projected_steps.c), if it may.
void trm_sim_go_on_by_impulses(trm_sim *sim);
/// No active set was found (active_set.h), or a system has failed. Errors: SINGULAR, DIVERGED.
trm_status trm_sim_refuse_active_set(trm_sim *sim, int code, trm_error *err);
/// What the inputs of switches say; *any: they let go or hold. Positions are known to the accuracy
/// of the run.
trm_status trm_sim_take_switches(trm_sim *sim, int *any, trm_error *err);
/// Takes up what the inputs of switched joints say, with the impacts that it makes.
trm_status trm_sim_switch_joints(trm_sim *sim, trm_error *err);
/// Sets the inputs of switched joints that are loaded at now above what they break at; *any:
/// whether there were some.
trm_status trm_sim_break_overloaded(trm_sim *sim, int *any, trm_error *err);
/// Errors: DIVERGED where a closed joint has opened, as motors or other joints move its bodies; by
/// more than rounding where steps have vanished: rows of a gap depend on others to its size only.
trm_status trm_sim_refuse_torn(trm_sim *sim, int vanished, trm_error *err);

/// Add the distance of contacts from their limits, or from where they are held, to the constraint
/// violation.
void trm_sim_note_contacts(trm_sim *sim);
/// Check the forces of contacts at the end of a step, which is the current point.
void trm_sim_note_forces(trm_sim *sim);

/// Go on from the inputs set since the last step. After a failure the accelerations are those of
/// the last accepted step, and the next call tries again.
trm_status trm_sim_take_up_inputs(trm_sim *sim, trm_error *err);

/// Returns nonzero if the prescribed motions leave no closed position at run->now; tested when its
/// gaps grow beyond gaps that could be closed. The system is then at the nearest position;
/// trm_sim_refuse_contradiction names these motions and the time in the last step at which the
/// contradiction begins. Errors: DIVERGED.
int trm_sim_contradicts(trm_sim *sim);
/// Returns nonzero if the prescribed motions left no closed position already before a step that
/// failed or violated the constraints.
int trm_sim_had_contradiction(trm_sim *sim);
trm_status trm_sim_refuse_contradiction(trm_sim *sim, trm_error *err);
/// Close the state at t, within the last step or, from now on, as motions that are given alone move
/// it, in sim->sample.z, which becomes the current point. Returns a system's code.
int trm_sim_close_at(trm_sim *sim, double t);

/// Name the formula, with its place, in *err if it is the reason why a step size went to zero or
/// the run made no headway.
void trm_sim_name_steepest(trm_sim *sim, trm_error *err);

/// Behind the name of a formula that jumps or falls: what has ended, if it is a rope's, else "".
const char *trm_sim_end_of_rope(const trm_model *model, const char *name);

/// Refuse a run at t, where the angle of function `which`, held by a constraint, jumps from pi to
/// -pi. Errors: DIVERGED.
trm_status trm_sim_refuse_cut(trm_sim *sim, int which, double t, trm_error *err);

/// Refuse a step on which an angle of a ball joint, with a law, comes to its pole. Errors:
/// DIVERGED.
trm_status trm_sim_refuse_poles(trm_sim *sim, trm_error *err);

/// Continue the checks from now, which was moved by the user. Returns a system's code.
int trm_sim_measure_shifted(trm_sim *sim);

/// Give the singularity monitor the energy balance of the point just measured.
void trm_sim_note_balance(trm_sim *sim);

/// z at t within the last step by the dense output, brought to the constraints like the end of a
/// step, in sim->sample.z; its distance before is noted for the report. Returns a system's code.
int trm_sim_state_within(trm_sim *sim, double t);
/// J: the work at t within the last step, anew. NAN: a rate has no value.
double trm_sim_integrate_power(trm_sim *sim, double t);
/// Where the balance of energy at t within the step just measured is off by more than its limit,
/// at->energy.work := the work anew, if that is nearer. Returns whether the system's current point
/// is another one.
int trm_sim_weigh_work(trm_sim *sim, double t, trm_measure *at);
/// At the end of a step: measure the gaps at some points within it, where rows move with the time.
int trm_sim_look_between(trm_sim *sim);
/// Note which rows of the model depend on the time, for the two checks of this.
void trm_sim_note_inputs(trm_sim *sim);

trm_state trm_sim_state_of(const trm_run *run, const trm_point_of_run *point);

/// In joint coordinates, where rows repeat others: lambda[nc given] of the bodies := the smallest
/// that do the same.
void trm_sim_take_least(const trm_sim *sim, double *lambda);
/// The run's point as the outside sees it: of bodies. Its arrays are those of the point, or
/// sim->shown[place].
trm_state trm_sim_show(const trm_sim *sim, const trm_point_of_run *point, int place);
/// q and behind it v of the bodies at z.
const double *trm_sim_bodies(trm_sim *sim, const double *z);
/// run->now.z := q and v of the bodies. Errors: INCONSISTENT (a joint of the tree is open),
/// OPTIONS.
trm_status trm_sim_take_state(trm_sim *sim, const double *q, const double *v, trm_error *err);
/// The row of `given` that row i of the run is; -1 for -1.
int trm_sim_given_row(const trm_sim *sim, int i);

/// Forces of contacts at a state of the run, in run->contact: others have been evaluated since. The
/// run is entered; counts nothing.
int trm_sim_press(const trm_sim *sim, const trm_state *state);

/// As run->observe.
void trm_sim_observe(trm_run *run, double t, const double *z);
/// Evaluations between trm_sim_remember and trm_sim_recall are not counted.
void trm_sim_remember(trm_sim *sim);
void trm_sim_recall(trm_sim *sim);

// --------------------------------------------- the rank, from closed positions near the start

/// Probe the rank near the start, into sim->rank and sim->monitor. Returns nonzero if the start has
/// less than the rank of its motion.
int trm_rank_probe(trm_sim *sim);
/// Close the mechanism a little off its start, in direction k of TRM_RANK_PROBE_TRIES, into
/// sim->sample.z. Returns nonzero if it is closed, and the current point of the system.
int trm_rank_probe_nearby(trm_sim *sim, int k);
/// Whether rows that are left out open by more than the misfit for each radian, or size of the
/// mechanism, by which their joints move in the motion that they hinder: these dimensions are
/// meant. The system is at run->now, factored.
int trm_rank_probe_is_structure(trm_sim *sim);
/// Whether more rows repeat others within the largest misfit than have been left out, at the start
/// and on the way from it: on a way w a misfit changes by the part w, a row that a singular
/// position at the distance d lacks by w/d. What the run knows of its rank is not used any more.
int trm_rank_probe_loses_freedom(trm_sim *sim);
/// sim->closing.c[nc] := by how much rows that are left out open in the free motion at the start,
/// over its way, in units of the mechanism or rad. Returns the row that opens most; -1: none.
int trm_rank_probe_opening(trm_sim *sim);

enum { TRM_RANK_PROBE_TRIES = 6 };
