/// Looking ahead in a run: times at which formulas change their
/// branch, and how far they can be followed.
///
/// Before a step: it ends at the next change of a switch of the time, at the next time that a
/// user's force names, and where a signal could no longer be followed (engine/enclosure/follow.h).
/// Within a step all switches are held. After a step: where a switch of the state has left its
/// branch on the way, the step is taken back and done again up to there; so a change lies at the
/// end of a step.
#ifndef TRM_AHEAD_H
#define TRM_AHEAD_H

#include "engine/enclosure/follow.h"
#include "engine/multibody/model.h"
#include "integrators/trajectory/integrator.h"

#include <math.h>

enum { TRM_SWITCH_TRIES = 5 }; ///< parts of a step that are tried one after the other

/// The i-th of them: 0, then from the first on, each so many times the last.
static inline double trm_try(int i, double first, double ratio)
{
    return i > 0 ? first * pow(ratio, i - 1) : 0;
}

enum { TRM_STEP_PARTS = 8 }; ///< of a step, at whose ends functions of switches are looked at

/// How a switch of the state lies about its edges.
typedef struct trm_hover {
    double reach;   ///< its largest distance from the nearest edge so far
    double strayed; ///< the same since its last change
    double through; ///< as wide as rounding makes its edge where it has gone through last, until it
                    ///< has strayed by more; 0
    double t_left;  ///< s, when a step has shown last that it leaves its edge at once
    int count;      ///< changes in a row between which it has strayed by rounding only
    int within;     ///< the same, by less than the tolerance
    int rests;      ///< nonzero: at rest on an edge, with the branch of the edge
    double t_away;  ///< s, when it has left for certain: the end of the step that has shown it
    int stays;      ///< nonzero: in the step just taken it rests
    int turns;      ///< nonzero: it goes over to another branch at the beginning of that step
    trm_branch to;  ///< which
    double t_shown; ///< s, the end of that step
} trm_hover;

/// What a function that rests on its edge, or may, has done in the step just taken.
typedef enum trm_rest {
    TRM_REST_NONE,  ///< it is looked at as any other; trm_ahead.given is what it is given
    TRM_REST_STAYS, ///< it rests
    TRM_REST_TURNS, ///< its branch is another one from the beginning of the step on
} trm_rest;

/// Variables of all formulas that may peak at the ends of the last steps.
typedef struct trm_trail {
    int count;                            ///< ends that are known, the last ones of three
    double t[3];                          ///< s
    double (*x)[TRM_TIME_PATH_PARTS + 1]; ///< of every variable; then in the middle of the step
    double *z;                            ///< [n] the last of them
} trm_trail;
enum { TRM_TRAIL_MIDDLE = 3 };

typedef struct trm_ahead {
    const trm_model *model;
    int active;          ///< nonzero: there is something to look for
    int adaptive, order; ///< of the method
    int nstate;          ///< switches of the state, and functions of contacts
    int nall;            ///< switches, then functions of contacts
    int nsignals;        ///< of all formulas

    trm_branch *branch;    ///< [nswitches] in force
    trm_branch *then;      ///< [nswitches] from the end of the last step on
    trm_branch *kept;      ///< [2*nswitches] workspace: both, while others are tried
    trm_hover *kept_hover; ///< [nswitches] likewise
    unsigned char *timed;  ///< [nswitches] nonzero: of the time
    double *next;          ///< [nswitches] s, of a switch of the time: its next change
    double *leaves;        ///< [nswitches] s, of the state: when it has left its branch in the
                           ///< step just taken; INFINITY
    int unsettled;         ///< branches are to be found anew
    int changed;           ///< the step to come has other branches than the last one
    int passed;            ///< a switch of the time has another branch behind now than at now

    double *g0, *g1;                         ///< [nall] at the ends of the step
    double (*path)[TRM_TIME_PATH_PARTS + 1]; ///< of every variable of every formula, in their order
    double *path_sample;                     ///< workspace, of the variables of one formula
    int path_parts;                          ///< its degree in the step at hand; 0: not fitted yet
    double *g_middle;                        ///< [nall] about the middle of the step
    double *g_left;                          ///< [nall] at the beginning of the step before it
    double *g_inside;                        ///< [nall] workspace
    double *g_parts;  ///< [TRM_STEP_PARTS - 1][nall] within the step, where a function is looked at
                      ///< closer; between steps workspace
    int parted;       ///< nonzero: they are known, 2: or cannot be
    trm_hover *hover; ///< [nswitches] of switches of the state
    trm_drift gap;    ///< the largest in the run, noted by the caller, and that at now
    int gap_seen;     ///< nonzero: the latter is in it
    double *rows;     ///< [nc] workspace
    double given;     ///< so far outside a function still counts as inside: 0 but beside rest
    double h_before;  ///< s, size of the step before; 0: not known
    int undefined;    ///< nonzero: at the end of the step a function of a switch is no number
    double *z;        ///< [n] workspace
    double expected;  ///< s, when a switch of the state is about to change, if ahead
    double tried;     ///< s, size of the step that has shown this
    int missed;       ///< steps in a row that have ended there, and it has not changed: within
                      ///< rounding of its edge its function does not move in so short a step
    double landing;   ///< s, when the shortest flight that an impact has left is over for certain
    int jumped;       ///< an impact has changed velocities: branches are to be found anew
    long switched;    ///< times that a switch has changed
    double t_stuck;   ///< s, where switches have changed last
    int stuck;        ///< how often there
    int latest;       ///< the switch that has changed last
    long mark;        ///< switched, when the pace of changes was looked at last
    double t_mark;    ///< s: when
    double t_crowd;   ///< s, begin of a while too short to be resolved (TRM_SWITCH_CLOSE)
    int crowd;        ///< changes of switches of the time since
    int crowded;      ///< the last of them

    trm_signal_range *range; ///< [2*signals] of phi, and of phi'' where it is driven
    trm_series *series;      ///< as many as one formula has signals, or results that may peak
    double *hull;            ///< [2] of each such result
    trm_trail trail;
    int nvariables;      ///< of all formulas
    trm_interval *reach; ///< of the variables of one formula, between the ends of the step
    int npeaking;        ///< of all formulas
    void *room;
    double start, horizon; ///< s, ranges and changes are known in between
    double until;          ///< s, the end of the run, noted by the caller
    double length;         ///< s, of the last step that was shortened; INFINITY
    double proved;         ///< s, up to here a step follows
    double user_time;      ///< s, the next one that a force of the user names
    long unproved;    ///< steps in which a formula was not followed, or may have peaked unseen, or
                      ///< a search got too long
    double deviation; ///< fixed steps: largest part of a signal's range that a step may have missed
} trm_ahead;

void trm_ahead_layout(trm_ahead *ahead, const trm_model *model, const trm_run *run,
                      trm_arena *arena);
/// A run begins at now.
void trm_ahead_start(trm_ahead *ahead, const trm_run *run);

/// Where the step to come has to end at the latest; its branches of the time are set.
double trm_ahead_stop(trm_ahead *ahead, trm_run *run, double t_limit);

/// Set the branches of switches of the state from the motion at now.
void trm_ahead_settle(trm_ahead *ahead, trm_run *run);
/// Of the step just taken: when a switch of the state leaves its branch first, within `slack` of
/// it; INFINITY: in none. Its number goes to *which.
double trm_ahead_locate(trm_ahead *ahead, trm_run *run, int *which);
/// When switch k of a formula leaves its branch on the motion of the step just taken as it is
/// sampled, before `to`: INFINITY: it does not.
double trm_ahead_hidden(trm_ahead *ahead, trm_run *run, const trm_changing *formula, int k,
                        double to);
/// When a formula of the state peaks in the step just taken, and the step has not seen it
/// (engine/enclosure/peak.h); INFINITY: in none that was found; where one may have been missed the
/// step counts as unproved. *moved: the system's current point is another one.
double trm_ahead_peak(trm_ahead *ahead, trm_run *run, int *moved);
/// Half the width of the function of switch k over the state at `at` with each variable +-part of
/// itself, or of the terms that it is a sum of, and +-gap (NULL: 0), over `slack` of the time: what
/// rounding makes of it. 0 where it is not bounded. `still`: nothing moves by more than the
/// rounding of the size of its mechanism.
double trm_ahead_blur(trm_ahead *ahead, trm_run *run, const trm_changing *formula, int k,
                      const trm_point_of_run *at, double part, const trm_drift *gap, int still);
/// The contact whose function that is; -1: a switch.
int trm_ahead_contact_of(const trm_ahead *ahead, int which);
/// s: the time looked ahead, in all.
double trm_ahead_time(const trm_ahead *ahead);
/// z at the part s of the step just taken, of the cubic through its ends with their rates.
void trm_ahead_between(trm_run *run, double s, double *z);
/// The step is accepted, and ends where switch `which` (-1: none) leaves its branch.
void trm_ahead_accept(trm_ahead *ahead, trm_run *run, int which);
/// The step just accepted ends the run: switches of the state that are on their edges there, to
/// rounding, and go through them, change at the end.
void trm_ahead_end(trm_ahead *ahead, trm_run *run);
/// The step to come begins with the branches that the last one has ended with.
void trm_ahead_turn(trm_ahead *ahead);
/// Switches of the time that change at now have their next branches from here on.
void trm_ahead_arrive(trm_ahead *ahead, const trm_run *run);
/// Switch `which`, or a contact, changes at now, before the step, and what does so too: in
/// ahead->then.
void trm_ahead_flip(trm_ahead *ahead, trm_run *run, int which);
/// How close two times are when they count as one, s.
double trm_ahead_slack(const trm_run *run);

/// How far inside the interval of its branch g lies; negative outside, NaN where g is NaN.
double trm_ahead_inside(const trm_ahead *ahead, int which, double g);
/// The branch of switch k where its function is g.
trm_branch trm_ahead_branch_of(const trm_ahead *ahead, int k, double g);
/// The function of switch k at the end of part i of the step just taken, on its dense output; NaN
/// where it is not known. Computed for all switches at the first request.
double trm_ahead_part(trm_ahead *ahead, trm_run *run, int k, int i);
/// Whether switch k is on an edge, to rounding and gaps, where its function is `now`, and a little
/// later; the branch of that edge to *branch.
int trm_ahead_on_edge(trm_ahead *ahead, trm_run *run, int k, double now, double later,
                      trm_branch *branch);
/// Where it is, switch k rests from now on.
void trm_ahead_lay_down(trm_ahead *ahead, trm_run *run, int k, double now, double later);
/// What switch k, of the state, has done in the step just taken; ahead->given is set.
trm_rest trm_ahead_rest(trm_ahead *ahead, trm_run *run, int k);
/// Switches that turn so, one of each formula, have their branches in ahead->then: how many.
int trm_ahead_turn_resting(trm_ahead *ahead);

/// The state `delta` s later on the parabola of now, in ahead->z.
void trm_ahead_later(trm_ahead *ahead, trm_run *run, double delta);

/// 1/s times the unit of its function: how fast that of switch `which`
/// moves at now, with the rates of now.
double trm_ahead_rate(trm_ahead *ahead, trm_run *run, int which);

/// Branches of the moment now, in which switches go from branch to then: in then those that
/// formulas of events have right there; at the start those of all such formulas. Returns the number
/// of formulas. What holds there holds for no time, so no step sees it: p.x == 1, mod(p.x, 1) == 0,
/// abs(p.x) <= 0.
int trm_ahead_enter_moment(trm_ahead *ahead, trm_run *run, int at_start);
/// And behind it again.
void trm_ahead_leave_moment(trm_ahead *ahead);

/// "the switch '<' in force 'f'".
void trm_ahead_name(const trm_ahead *ahead, int which, char *out, size_t size);
/// The formula of switch `which`, and *k, its number there.
const trm_changing *trm_ahead_formula(const trm_ahead *ahead, int which, int *k);
/// Whether it is an angle that a constraint holds, at pi: at the beginning of the step just taken,
/// or at its end.
int trm_ahead_at_cut(const trm_ahead *ahead, int which, int beginning);

#endif
