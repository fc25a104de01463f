/// Event location in a run: the times at which formulas change their mode, and how far a step may
/// go. A formula is smooth in a mode; its switching functions tell the mode (switching.h).
///
/// A step ends at the next change of a switching function of the time, at the next time that a
/// user's force names, and where a signal could no longer be followed (follow.h). Within a step all
/// modes are held. Where a switching function of the state has left its mode in the step, the step
/// is rejected and repeated up to that time; so every mode change lies at the end of a step.
#pragma once

#include "engine/enclosure/follow.h"
#include "engine/multibody/model.h"
#include "integrators/trajectory/integrator.h"
#include "trammel/trammel_simulation.h"

enum { TRM_EVENT_SUBSTEPS = 8 }; ///< of a step, at whose ends switching functions are evaluated

/// State of a root (inactive_roots.c).
typedef enum trm_root_state {
    TRM_ROOT_ACTIVE,   ///< mode changes are located
    TRM_ROOT_INACTIVE, ///< g stays within its dead band; the mode is that of the edge
    TRM_ROOT_LEAVING,  ///< active, but g may still be within what the motion errs by of its edge
} trm_root_state;

/// A formula at an edge of its function, as its values tell.
typedef enum trm_edge_kind {
    TRM_EDGE_UNKNOWN, ///< as the word says
    TRM_EDGE_KINK,    ///< one value, and a slope on either side
    TRM_EDGE_STEEP,   ///< a jump, or a slope that has no bound
} trm_edge_kind;

/// A root of a switching function of the state.
typedef struct trm_root {
    double largest_distance;      ///< largest distance of g from the nearest edge so far
    double distance_since_change; ///< largest distance since the last mode change
    double rounding_band;  ///< rounding band of the edge crossed last; 0 once |g| has left it
    int rounding_changes;  ///< mode changes in a row between which g stayed within rounding
    int tolerance_changes; ///< mode changes in a row between which g stayed within the tolerance
    trm_edge_kind kind;    ///< of the edge crossed last
    int change_is_shown;   ///< nonzero: a step has shown that the mode changes at now
    trm_root_state state;
    trm_root_state state_shown; ///< state that the step just tried has shown from its beginning on;
                                ///< ACTIVE: it has shown none
    trm_switching_mode mode_shown; ///< mode in the state shown
    double t_shown;                ///< s, end of the step that has shown it
    double t_leaving;              ///< s, of TRM_ROOT_LEAVING: the mode is known up to here
} trm_root;

/// Variables of all formulas that may peak at the ends of the last steps.
typedef struct trm_step_history {
    int count;                            ///< ends of steps that are known, the last ones of three
    double t[3];                          ///< s
    double (*x)[TRM_TIME_PATH_PARTS + 1]; ///< of every variable; then in the middle of the step
    double *z;                            ///< [n] the last of them
} trm_step_history;
enum { TRM_STEP_HISTORY_MIDDLE = 3 };

/// What is known of the modes at the beginning of the next step, beside inputs that were set.
typedef enum trm_modes_now {
    TRM_MODES_FOLLOW, ///< they are in mode_after: those of the last step and their changes
    TRM_MODES_JUMP,   ///< an impact has changed velocities: they are found anew
    TRM_MODES_START,  ///< there was no step: they are found from g alone
} trm_modes_now;

typedef enum trm_samples {
    TRM_SAMPLES_NOT_EVALUATED,
    TRM_SAMPLES_KNOWN,
    TRM_SAMPLES_FAILED ///< the dense output has no value there
} trm_samples;

/// Values of the switching functions in the step at hand.
typedef struct trm_step_values {
    double *g0, *g1;                         ///< [nfunctions] at the ends of the step
    double (*path)[TRM_TIME_PATH_PARTS + 1]; ///< of every variable of every formula, in their order
    double *path_sample;                     ///< workspace, of the variables of one formula
    int path_parts;                          ///< its degree in the step at hand; 0: not fitted yet
    double *g_middle;                        ///< [nfunctions] about the middle of the step
    double *g_before; ///< [nfunctions] at the beginning of the step before it
    double *g_inside; ///< [nfunctions] workspace
    double *bands;    ///< [nswitching_functions] of the formula that was asked for last
    const trm_switching_formula *at_rest; ///< these are its bands at rest at the end of the step
    double *g_samples;   ///< [TRM_EVENT_SUBSTEPS - 1][nfunctions] within the step, where a function
                         ///< is looked at closer; between steps workspace
    trm_samples samples; ///< what g_samples are
} trm_step_values;

/// The guard against infinitely many mode changes in a finite time.
typedef struct trm_zeno_guard {
    long changes;       ///< number of mode changes
    double t_last;      ///< s, of the last of them
    int at_one_time;    ///< number of mode changes at that time
    int last;           ///< the switching function whose mode has changed last
    long mark;          ///< changes at the last check
    double t_mark;      ///< s, time of that check
    double t_burst;     ///< s, begin of an interval too short to be resolved (TRM_EVENT_CLOSE)
    int burst_changes;  ///< mode changes of switching functions of the time since then
    int burst_function; ///< the last of these functions
} trm_zeno_guard;

/// How closely steps follow formulas of the time (time_events.c).
typedef struct trm_following {
    trm_signal_range *range; ///< [2*signals] of phi, and of phi'' where it is driven
    trm_series *series;      ///< as many as one formula has signals, or results that may peak
    double *hull;            ///< [2] of each such result
    trm_step_history history;
    int nvariables;               ///< of all formulas
    trm_interval *variable_range; ///< of the variables of one formula, between the ends of the step
    int npeaking;                 ///< of all formulas
    void *room;
    double start, horizon; ///< s, ranges and mode changes are known in between
    double t_run_end;      ///< s, the end of the run, noted by the caller
    double h_shortened;    ///< s, of the last step that was shortened; INFINITY
    double t_proved;       ///< s, up to here a step is proved to follow all signals
    double t_user;         ///< s, the next one that a force of the user names
    long unproved;    ///< steps in which a formula was not followed, or may have peaked unseen, or
                      ///< a search got too long
    double deviation; ///< fixed steps: largest part of a signal's range that a step may have missed
} trm_following;

/// The modes of a run, and where the step at hand changes them.
typedef struct trm_locator {
    const trm_model *model;
    int active;          ///< nonzero: the run has something to locate
    int adaptive, order; ///< of the method
    int nstate;          ///< switching functions of the state, and functions of contacts
    int nfunctions;      ///< switching functions, then functions of contacts
    int nsignals;        ///< of all formulas

    trm_switching_mode *mode;        ///< [nswitching_functions] in force
    trm_switching_mode *mode_after;  ///< [nswitching_functions] from the end of the last step on
    trm_switching_mode *saved_modes; ///< [2*nswitching_functions] workspace: mode and mode_after
                                     ///< while other modes are tried
    trm_root *saved_roots;           ///< [nswitching_functions] workspace: the roots meanwhile
    unsigned char *is_of_time; ///< [nswitching_functions] nonzero: a switching function of the time
    double *next_change; ///< [nswitching_functions] s, of a switching function of the time: its
                         ///< next change
    double *t_leaves; ///< [nswitching_functions] s, of the state: when it has left its mode in the
                      ///< step just taken; INFINITY
    trm_modes_now modes_now;
    int modes_changed; ///< nonzero: the next step has other modes than the last one, or velocities
    int time_mode_changed; ///< nonzero: a switching function of the time has another mode just
                           ///< after now

    trm_root *root;    ///< [nswitching_functions] of switching functions of the state
    trm_drift gap;     ///< the largest in the run, noted by the caller, and that at now
    int gap_known;     ///< nonzero: the gap at now is included
    double noise;      ///< rounding of accelerations at now, largest of all
    double *rows;      ///< [nc] workspace
    double band;       ///< tolerance band: so far outside g still counts as inside; 0 for active
                       ///< roots
    double h_before;   ///< s, size of the step before; 0: not known
    int undefined;     ///< nonzero: a switching function is not a number at the end of the step
    int never_defined; ///< one that is none at either end, in a branch that is not taken; -1
    double *z;         ///< [n] workspace
    double t_expected; ///< s, the time at which a mode change of the state is located; in the past:
                       ///< none
    double h_tried;    ///< s, size of the step that has shown that change
    int steps_without_change; ///< steps in a row that ended at t_expected without a mode change:
                              ///< within rounding of its edge g does not move in so short a step
    double t_flight_ends;     ///< s, latest end of the shortest flight after an impact

    trm_step_values values;
    trm_zeno_guard zeno;
    trm_following following;
} trm_locator;

void trm_locator_layout(trm_locator *locator, const trm_model *model, const trm_run *run,
                        trm_arena *arena);
/// Start location for a run that begins at now.
void trm_locator_start(trm_locator *locator, const trm_run *run);

/// An impact has changed velocities.
static inline void trm_locator_velocities_jump(trm_locator *locator)
{
    if (locator->model->nswitching_functions > 0) {
        locator->modes_changed = 1;
        locator->modes_now =
            locator->modes_now == TRM_MODES_FOLLOW ? TRM_MODES_JUMP : locator->modes_now;
    }
}

/// Latest end of the next step; sets the modes of switching functions of the time for it.
double trm_locator_step_limit(trm_locator *locator, trm_run *run, double t_limit);

/// Set the modes of switching functions of the state from the motion at now.
void trm_locator_set_modes(trm_locator *locator, trm_run *run);
/// First time in the step just taken at which a switching function of the state leaves its mode, to
/// rounding; INFINITY: none does. *which is its number.
double trm_locator_find_first(trm_locator *locator, trm_run *run, int *which);
/// Time in the step just taken at which a formula of the state has a peak between the stages
/// (peak.h); INFINITY: no peak was found. Where one may have been missed, the step counts as
/// unproved. *moved: the system's current point is another one.
double trm_locator_find_peak(trm_locator *locator, trm_run *run, int *moved);
/// Tolerance bands of the switching functions of a formula at `at`, until the next call: half the
/// width of g when each variable errs by +-part of itself, or of the terms that it is a sum of, by
/// +-gap (NULL: 0), and the time by its tolerance. 0 where it is not bounded. `still`: nothing
/// moves by more than the rounding of the size of its mechanism.
const double *trm_locator_tolerance_bands(trm_locator *locator, trm_run *run,
                                          const trm_switching_formula *formula,
                                          const trm_point_of_run *at, double part,
                                          const trm_drift *gap, int still);
/// Number of the contact that function `which` belongs to; -1: a formula's.
int trm_locator_contact_of(const trm_locator *locator, int which);
/// s, length of the interval in which mode changes are known.
double trm_locator_horizon(const trm_locator *locator);
/// z at the fraction s of the step just taken, by cubic Hermite interpolation of its ends.
void trm_locator_hermite_state(trm_run *run, double s, double *z);
/// Accept the step, which ends where function `which` (-1: none) leaves its mode.
void trm_locator_accept_step(trm_locator *locator, trm_run *run, int which);
/// End the run with the step just accepted: functions of the state that cross their edges there, to
/// rounding, change their modes.
void trm_locator_end_run(trm_locator *locator, trm_run *run);
/// Begin the next step with the modes at the end of the last one.
void trm_locator_apply_modes(trm_locator *locator);
/// Change the modes of switching functions of the time whose change lies at now.
void trm_locator_apply_time_modes(trm_locator *locator, const trm_run *run);
/// Event iteration: the mode of function `which`, or a contact, changes at now, with all modes that
/// follow from it; into locator->mode_after.
void trm_locator_iterate_event(trm_locator *locator, trm_run *run, int which);
/// s, two times closer than this count as one.
double trm_locator_time_tolerance(const trm_run *run);

/// Distance of g from the ends of the interval of its mode; negative outside, NaN where g is NaN.
double trm_locator_margin(const trm_locator *locator, int which, double g);
/// Mode of switching function k at the value g.
trm_switching_mode trm_locator_mode_of(const trm_locator *locator, int k, double g);
/// Switching function k at the end of substep i of the step just taken, on the dense output; NaN
/// where it fails. Evaluated for all functions at the first request.
double trm_locator_sampled_value(trm_locator *locator, trm_run *run, int k, int i);
/// Returns nonzero if switching function k is on an edge, to rounding and gaps, with the values
/// `now` and, a short time later, `later`; *mode is the edge's.
int trm_locator_is_on_edge(trm_locator *locator, trm_run *run, int k, double now, double later,
                           trm_switching_mode *mode);
/// State that the step just taken shows of root k, also in root->state_shown; sets locator->band.
trm_root_state trm_locator_show_root(trm_locator *locator, trm_run *run, int k);
/// Returns nonzero if that step shows that the mode of root k changes at its beginning.
static inline int trm_locator_changes_at_start(const trm_locator *locator, int k)
{
    const trm_root *root = &locator->root[k];
    return root->state_shown != TRM_ROOT_ACTIVE && root->mode_shown != locator->mode[k];
}
/// Returns nonzero if the mode of root k is known from a step that has shown it to leave its edge.
static inline int trm_locator_is_leaving(const trm_locator *locator, const trm_run *run, int k)
{
    const trm_root *root = &locator->root[k];
    return root->state == TRM_ROOT_LEAVING && run->now.t < root->t_leaving;
}
/// Change the modes of inactive roots that have left their band, one of each formula, in
/// locator->mode_after. Returns how many.
int trm_locator_release_inactive(trm_locator *locator);

/// Extrapolate the state by `delta` s with the accelerations at now, into locator->z.
void trm_locator_extrapolate(trm_locator *locator, trm_run *run, double delta);

/// dg/dt of function `which` at now, with the rates of now.
double trm_locator_function_rate(trm_locator *locator, trm_run *run, int which);

/// Set mode_after to the modes that formulas of events have at the instant of now, between those
/// before and after it; at the start those of all such formulas. Returns the number of formulas. A
/// condition that holds at an instant alone is seen by no step: p.x == 1, mod(p.x, 1) == 0,
/// abs(p.x) <= 0.
int trm_locator_enter_instant(trm_locator *locator, trm_run *run, int at_start);
/// Set mode_after back to the modes after the instant.
void trm_locator_leave_instant(trm_locator *locator);

/// Name of function `which` for messages: "'<' in the formula of 'f'".
void trm_locator_describe(const trm_locator *locator, int which, char *out, size_t size);
/// A switching function by its formula and its number in it.
typedef struct trm_switching_place {
    const trm_switching_formula *formula;
    int k;
} trm_switching_place;
/// Switching function `which` of all.
trm_switching_place trm_locator_function_of(const trm_locator *locator, int which);
/// Returns nonzero if function `which` is an angle held by a constraint and at pi, at the beginning
/// of the step just taken or at its end.
int trm_locator_is_at_branch_cut(const trm_locator *locator, int which, int beginning);
