/// @file
/// Trammel: what independent checks say of a run: drift, energy,
/// branch, crossings, inputs, accuracy.
///
/// @code
///     const trm_report report = trm_sim_report(sim);
///     printf("largest gap %g m, energy off by %g\n", report.position_drift,
///            report.energy_error_relative);
///     trm_crossing crossing;
///     for (long i = 0; i < report.crossings; i++) {
///         if (trm_sim_crossing(sim, i, &crossing)) {
///             printf("singular at %g s\n", crossing.t);
///         }
///     }
/// @endcode
#ifndef TRAMMEL_REPORT_H
#define TRAMMEL_REPORT_H

#include "trammel_simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#pragma GCC visibility push(default) // all that the shared library shows
#endif

// ---------------------------------------------------------------------------------------- verdicts

/// How a run followed what changes with the time: formulas of t,
/// inputs, tables, functions of the user.
typedef enum trm_inputs_covered {
    TRM_INPUTS_NONE,    ///< nothing changes with the time by itself
    TRM_INPUTS_PROVED,  ///< no change can have been missed: steps end on switches, intervals cover
                        ///< the rest
    TRM_INPUTS_SAMPLED, ///< functions of the user: evaluated at the stages of steps, at least every
                        ///< max_step
    TRM_INPUTS_UNCHECKED ///< formulas of the time or the state, evaluated at the stages of steps
                         ///< alone: a short pulse or peak may be missed
} trm_inputs_covered;

/// What independent checks say of the run so far, taken at every accepted step.
typedef struct trm_report {
    double position_drift, velocity_drift; ///< largest so far; see trm_drift
    int worst_row;                ///< where position_drift was attained; -1 without constraints
    double energy_initial;        ///< J, kinetic + potential at the start
    double energy_error;          ///< J, max |kinetic + potential - work - energy_initial|
    double energy_error_relative; ///< energy_error over the largest kinetic energy; over
                                  ///< energy_scale at rest
    double energy_scale; ///< J, what energy_error is compared with: the largest kinetic energy,
                         ///< change of potential energy or work so far, and at least 1e-6 of the
                         ///< potential energy and of what forces would do over the sizes of
                         ///< bodies; more where dampers take what drives give, see
                         ///< docs/recordings.md
    long branch_changes; ///< times the velocity jumped at a rank drop of G
    double first_branch_change; ///< s; NAN when there was none
    long crossings; ///< times the rank of G dropped and came back; a passage may be counted one
                    ///< step late
    long resolved;  ///< of these, nearly singular positions; see trm_crossing
    long undecided; ///< of these, positions that double precision does not decide; see
                    ///< trm_crossing
    double first_undecided;        ///< s; NAN when there was none
    double crossing_energy_lost;   ///< J, the largest |energy_lost| of a crossing
    double t_crossing_energy_lost; ///< s: when; NAN when there was none
    double rcond_min; ///< smallest pivot of G M^-1 G^T relative to its diagonal entry, without rows
                      ///< that are dependent everywhere; 1 without constraints
    double t_rcond_min;       ///< s: when
    long bifurcations;        ///< crossings where the velocity did not say which motion to continue
    double first_bifurcation; ///< s; NAN when there was none
    double position_drift_relative; ///< largest |g_i| over the size of its mechanism, or in rad
    double between_relative;        ///< the same within the steps, of the dense output before it is
                                    ///< brought to the
    ///< constraints: at every sample, and at three points of each step where rows move
    ///< with the time; what a recording invents there shows here
    double between;   ///< m or rad: that |g_i|
    int between_row;  ///< where; -1: nowhere
    double t_between; ///< s: when; NAN: never
    double misfit;    ///< largest play of redundant rows so far, or length of what they do not
                      ///< repeat at the start, over the size of the mechanism or in rad
    trm_inputs_covered inputs;
    double motion_error; ///< the part of its size, or rad, by which a coordinate has been off so
                         ///< far, or its velocity by so much in the time of a radian, at least: as
                         ///< gaps beyond that of the start show, or the error of the energy without
                         ///< what gaps and roundoff explain of it
    double motion_error_grown; ///< what it may be at the end, by the order: an error of the energy
                               ///< puts the phase off with every radian
    double velocity_drift_relative; ///< largest |(G v + g_t)_i| so far, over the size of its
                                    ///< mechanism or in rad, over the largest speed of a body so
                                    ///< far in such units; what is below 1e-12 counts as 0
    int velocity_row;               ///< where; -1: nowhere
} trm_report;

trm_report trm_sim_report(const trm_sim *sim);

/// Good, fair or POOR: what the checks of a run come to. docs/recordings.md has the table.
typedef enum trm_verdict { TRM_VERDICT_GOOD, TRM_VERDICT_FAIR, TRM_VERDICT_POOR } trm_verdict;

const char *trm_verdict_name(trm_verdict verdict); ///< "good", "fair", "POOR"

/// What a run asks for, as the ratings take it: `accuracy` where the tolerances were chosen for it,
/// else a hundred times rtol, as in trm_choose_options; 0 for fixed steps.
double trm_accuracy_asked_for(const trm_options *options, double accuracy);

/// Verdict of an error over the size of the mechanism or in rad, or of energy over the exchanged
/// energy, where no accuracy is known: good up to 1e-6, fair up to 1e-3; what is no number is poor.
trm_verdict trm_verdict_of(double error);
/// Verdict of a gap, over the size of the mechanism. Where less than the usual bound was asked for,
/// a gap of more than 10 A is not good: a body is off by half of it at least.
trm_verdict trm_verdict_of_gap(double relative, double accuracy);
/// Verdict of the constraints, the worst of: gaps at step ends and samples, gaps between samples
/// before projection, velocity residuals, and of velocities. `accuracy` asked for, 0 where none
/// was: the motion between two steps and velocities may err by 10 A of the size and be what was
/// asked for; that is fair, where it is more than the usual bound.
trm_verdict trm_verdict_of_constraints(const trm_report *report, double accuracy);
trm_verdict trm_verdict_between(const trm_report *report, double accuracy);
trm_verdict trm_verdict_of_velocities(const trm_report *report, double accuracy);
/// Verdict of a loss of energy, which may err by twice that, since it goes with the square of the
/// motion. A loss is over the exchanged energy.
trm_verdict trm_verdict_of_loss(double relative, double accuracy);
trm_verdict trm_verdict_of_energy(const trm_report *report, double accuracy);
/// energy_error over what moved; the error itself where nothing did and nothing bears a load.
double trm_energy_relative(const trm_report *report);
/// A change of assembly, or a bifurcation, is POOR; what double precision does not decide is fair.
trm_verdict trm_verdict_of_branch(const trm_report *report);
/// POOR where gaps and energy show that the motion is off by more than 10 A; else good.
trm_verdict trm_verdict_of_motion(const trm_report *report, double accuracy);
/// The worst of these.
trm_verdict trm_verdict_of_report(const trm_report *report, double accuracy);
/// Verdict of the error of an end state (trm_verification.relative): good up to the accuracy asked
/// for, fair up to ten times that; as trm_verdict_of where none was.
trm_verdict trm_verdict_of_end(double relative, double accuracy);

/// Names of ratings; NULL where there is nothing to judge.
typedef struct trm_verdicts {
    const char *constraints; ///< NULL without constraints
    const char *energy;      ///< NULL for equations whose energy is not known
    const char *branch;      ///< NULL where the constraints do not hold: it can be told only of a
                             ///< mechanism that holds together
    const char *motion;      ///< "POOR" where gaps and energy show that the motion is off by more
                             ///< than 10 A (trm_report.motion_error); NULL where they do not: an
                             ///< error that does not show there is only found by trm_verify
} trm_verdicts;

/// m or rad: the largest play of row `row` so far, and when, in s (t may be NULL). Rows that repeat
/// others but for a misfit (trm_options.misfit) count as redundant; what they leave open is play
/// that they share out. 0 where no row is redundant.
double trm_sim_misfit(const trm_sim *sim, int row, double *t);

/// Verdicts of the run so far; all are NULL before the first step, and for NULL.
trm_verdicts trm_sim_verdicts(const trm_sim *sim, double accuracy);

// ---------------------------------------------------------------------- singular positions, events

/// Passage through a position where G loses rank. What follows t is known when the mechanism is far
/// from this position again (`judged`).
typedef struct trm_crossing {
    double t;     ///< s
    double h;     ///< s, size of the step that passed it
    double sigma; ///< smallest singular value of D^-1/2 G M^-1/2 that is not zero everywhere; D:
                  ///< the largest diagonal entries of G M^-1 G^T so far
    int rank_before, rank_at,
        rank_after; ///< of G; before is 0 when the run starts there, after is 0
                    ///< until judged
    int nrows;
    const int *rows; ///< [nrows] the rows that depend on each other there; where more than 64 rows
                     ///< lose their rank at once, the list is not complete, and sigma is a bound
    int bifurcation; ///< nonzero: (almost) at rest there, so that several motions continue this one
    int judged;
    int resolved;  ///< nonzero: only nearly singular (nearly equal bars), and the steps show a
                   ///< regular motion
    int undecided; ///< nonzero: the motions that meet there miss each other by more than the
                   ///< roundoff of g, and the steps could not resolve it: which of them goes on,
                   ///< double precision does not decide
    int branch_changed; ///< nonzero: the velocity jumped
    double energy_lost; ///< J, of kinetic + potential - work, from before to after the position
} trm_crossing;

/// Crossing i, 0 <= i < report.crossings. Returns 0 when it is no longer kept: the last 100 are.
int trm_sim_crossing(const trm_sim *sim, long i, trm_crossing *out);

/// A condition of the scene began to hold, or held at the start.
typedef struct trm_event {
    double t;            ///< s
    int event;           ///< which, as in trm_model_event_info
    const double *q, *v; ///< [nq], [nv] the state there; borrowed until the next call
} trm_event;

/// The number of events so far, and event i, 0 <= i. Returns 0 when it
/// is no longer kept: the last 100 are.
long trm_sim_events(const trm_sim *sim);
int trm_sim_event(const trm_sim *sim, long i, trm_event *out);

/// How the run has followed formulas of t, docs/events.md.
typedef struct trm_input_coverage {
    trm_inputs_covered inputs;
    double missed; ///< fixed steps: the largest part of the range of a formula that a step may have
                   ///< missed
    long unproved; ///< steps for which there was no proof
    long mode_changes; ///< mode changes of formulas
    int user_forces;   ///< nonzero: the model has functions of the user, which are sampled
    int unsearched; ///< equations of kinds of constraints (rolling, belts) and tensions of ropes,
                    ///< of which peaks between the stages of a step are not looked for
} trm_input_coverage;

trm_input_coverage trm_sim_input_coverage(const trm_sim *sim);

/// The number of independent rows of G: the rank at the present point, by the rule of trm_check;
/// where this point is singular, the higher rank that the pivots of the run have shown before.
/// There are nv - rank degrees of freedom. With redundant rows it takes a dense factorization and
/// memory of its own: not for every step. (Beyond 1000 rows only the pivots count; they see no row
/// that is within 1e-3 of the others.) 0 for NULL.
int trm_sim_rank(const trm_sim *sim);

/// *sigma := the smallest singular value of D^-1/2 G M^-1/2 at t (s) within the last accepted
/// step, D and what is left out as in trm_crossing; from above, y^T S y/(y^T D y) of the
/// smallest pivot's y: exact to first order where it vanishes. 1 where the joints form a
/// tree. Costs a factorization; the run goes on as if it had not been asked. Errors: OPTIONS
/// (NULL, t outside the step), CALLBACK.
trm_status trm_sim_singular_value(trm_sim *sim, double t, double *sigma, trm_error *err);

// --------------------------------------------------------------------------------------- stiffness

/// What limits the steps of an explicit pair (DOPRI5, DOP853) by stability, not by accuracy.
typedef struct trm_stiff {
    double rate;        ///< 1/s: the largest eigenvalue, as the stages show it
    const char *source; ///< the force with the largest share in it, borrowed from the model; ""
                        ///< where none has half
    double
        share_rate; ///< 1/s: coefficient/inertia of a damper, sqrt(coefficient/inertia) of a spring
    double coefficient; ///< N s/m or N/m (N m s/rad or N m/rad where it turns), along the stiff
                        ///< direction
    double inertia;     ///< kg or kg m^2, likewise
    int is_rotation;    ///< nonzero: the stiff direction is mostly a rotation
    int is_spring;      ///< nonzero: by position; else by velocity
} trm_stiff;

/// Nonzero when the steps of the run are limited by stability now; *out says why. No allocation.
int trm_sim_stiff(trm_sim *sim, trm_stiff *out);

/// The default method changes to ida where a run is stiff, and back where ida is slower. The
/// measure is simulated time per evaluation of the forces: an explicit pair at its stability
/// limit has a known pace; ida is tried for some steps and stays as long as it is faster.
/// The first members are for reading.
typedef struct trm_stiff_switching {
    int may_change;            ///< nonzero: it may change, and ida is there
    trm_options of_choice;     ///< the explicit pair
    trm_options implicit;      ///< ida
    int found, method_changes; ///< whether the run was stiff; how often the method changed
    int in_ida, change_wanted; ///< nonzero: ida is the method now; nonzero: the method is to change
    double t_found;            ///< s: when first
    trm_stiff stiff;           ///< as it was then
    double pace;               ///< s per evaluation of the explicit pair
    double t_mark, t_retry, t_entered;
    long step_mark, evals_mark, step_entered, probe, ida_steps;
} trm_stiff_switching;

/// `chosen`: nonzero when the method was the engine's choice.
void trm_stiff_switching_start(trm_stiff_switching *change, const trm_model *model,
                               const trm_options *options, int chosen);
/// After an accepted step; then ->wanted says whether trm_stiff_switching_apply is to be called.
void trm_stiff_switching_observe(trm_stiff_switching *change, trm_sim *sim);
/// *sim becomes the same run by the other method, unless the other method refuses. Errors: MEMORY.
trm_status trm_stiff_switching_apply(trm_stiff_switching *change, trm_sim **sim, trm_error *err);

/// Unit of the stiff coefficient: "N s/m".
const char *trm_stiff_unit(const trm_stiff *stiff);

// ------------------------------------------------------------------------------------ a second run

/// How far two runs are apart at their end, for one body.
typedef struct trm_difference {
    double position; ///< m, of the centre of mass
    double angle;    ///< rad; in space, of the rotation from one to the other
    double velocity; ///< m/s
    double rate;     ///< rad/s
} trm_difference;

/// What a second run says of the first.
typedef struct trm_verification {
    int body;        ///< the body with the largest error; -1: there are no bodies
    double relative; ///< its error, over the size of the mechanism or in rad
    double position; ///< m: largest error of a position
    double angle;    ///< rad: largest error of an angle
    double ratio;    ///< of the errors of the second run to those of the first: 0.1 or 10
    long steps;      ///< of the second run
    double shared;   ///< what the second run may be off by at its end, of the size, as its gaps and
                     ///< energy show; where it is above `relative` both may have lost as much
} trm_verification;

/// A second run from the model's initial state to end->t, compared with `end`, the end of a run
/// with `options`. The second run has a tenth of the tolerances, or fixed steps so short that their
/// error is a tenth. The difference of the runs is then 0.9 of the error of the first:
/// bodies[nbody] (NULL: not wanted) and *out hold the error. Where the runs differ by a tenth of
/// the size or more, they hold the difference. Where double precision has no finer tolerance, the
/// second run is ten times as coarse, and the error is a ninth of the difference. Inputs keep their
/// initial values; events that stop a run do not stop the second, which goes to end->t. Errors:
/// OPTIONS, MEMORY, and those of the second run.
trm_status trm_verify(const trm_model *model, const trm_options *options, const trm_state *end,
                      trm_difference *bodies, trm_verification *out, trm_error *err);

// --------------------------------------------------------------------------- a small disturbance

/// A small disturbance of a run, followed beside the whole of it for a tenth of its evaluations.
typedef struct trm_tangent_propagation trm_tangent_propagation;

/// From where `sim` is. Errors: OPTIONS, MEMORY, INCONSISTENT (a start that failed).
trm_status trm_tangent_propagation_create(const trm_sim *sim, trm_tangent_propagation **out,
                                          trm_error *err);
void trm_tangent_propagation_destroy(trm_tangent_propagation *propagation);
/// After every accepted step; zero where it can no longer be followed. The run goes on as if it had
/// not been asked. No allocation. Where nothing more can be told, since errors are above a thousand
/// sizes and errors of the formula may be all of that, what trm_tangent_propagation_growth tells
/// stays.
int trm_tangent_propagation_step(trm_tangent_propagation *propagation, trm_sim *sim);
/// What the errors of steps may have grown to.
typedef struct trm_growth {
    double
        error; ///< the end state may be off by so much, of the size of a body's mechanism or rad;
               ///< for methods that hold atol and rtol. The largest so far where it was above 0.1
    double
        digits; ///< log10 of the largest sum of errors so far over what regular motion makes of
                ///< them, 1 + 2 pi N in N own periods, which trm_options_for_duration makes up for
    double unseen;    ///< log10 of a factor that may be errors of the formula that follows them
    long evaluations; ///< spent on it
} trm_growth;

/// Returns zero where nothing is known: where switches of the state or contacts make jumps,
/// motions cross in a singular position, the method has changed, or nothing moves.
int trm_tangent_propagation_growth(const trm_tangent_propagation *propagation, trm_growth *out);
/// Why it is no longer followed, a clause: "motions cross in a singular position"; NULL where it
/// is.
const char *trm_tangent_propagation_obstacle(const trm_tangent_propagation *propagation);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
