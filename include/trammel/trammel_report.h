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

#include "trammel_scene.h"

TRM_API_BEGIN

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
                         ///< docs/reference/verdicts.md
    long branch_changes; ///< times the velocity jumped at a rank drop of G
    double first_branch_change; ///< s; NAN when there was none
    long crossings; ///< times the rank of G dropped and came back; a passage may be counted one
                    ///< step late
    long resolved;  ///< of these, nearly singular positions; see trm_crossing
    long undecided; ///< of these, positions that double precision does not decide, see
                    ///< trm_crossing; and steps in which some may not be found
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
    double velocity_drift_relative; ///< largest |(G v + g_t)_i| so far, over the size of its
                                    ///< mechanism or in rad, over the largest speed of a body so
                                    ///< far in such units; what is below 1e-12 counts as 0
    int velocity_row;               ///< where; -1: nowhere
    double accuracy; ///< that verdicts hold the run to, trm_options.accuracy; 0: none was asked for
    int uncounted; ///< 1 + the joint, a twist or tilt of a ball, that has passed first where it has
                   ///< no value, nearer than steps tell the side: whole turns of such angles are
                   ///< not certain from t_uncounted on; 0: there is none
    double t_uncounted; ///< s: when first
} trm_report;

void trm_sim_get_report(const trm_sim *sim, trm_report *out, size_t size);
/// As a value.
static inline trm_report trm_sim_report(const trm_sim *sim)
{
    trm_report out;
    trm_sim_get_report(sim, &out, sizeof out);
    return out;
}

/// Whether what was exerted fits the laws of forces: of contacts at every accepted step, of
/// reactions at the last. Each figure is a part of the forces themselves.
typedef struct trm_forces {
    double friction;  ///< largest excess of friction over its bound or, where it slides, distance
                      ///< from its law against the rate, over the largest bound of that contact
    double contacts;  ///< largest pull of a contact, or force across a gap, over its largest force
    double work;      ///< work of friction and limits booked otherwise than by their laws, over
                      ///< this work; NAN: no step was judged
    double reactions; ///< M a - f + G^T lambda at the end in the mass metric, over its terms, or
                      ///< G a - gamma over the accelerations; NAN where not known: forces that are
                      ///< means of a step (`moreau`), inputs that have changed since the step
    int worst;        ///< the contact with the largest friction or contacts; -1: none
    double t_worst;   ///< s: when
    double t_none; ///< s: no forces were found that fit the contacts, and the run ended; else NAN
} trm_forces;

/// Costs an evaluation of the forces.
void trm_sim_get_forces(const trm_sim *sim, trm_forces *out, size_t size);
/// As a value.
static inline trm_forces trm_sim_forces(const trm_sim *sim)
{
    trm_forces out;
    trm_sim_get_forces(sim, &out, sizeof out);
    return out;
}

/// Good, fair or POOR: what the checks of a run come to. docs/reference/verdicts.md has the table.
typedef enum trm_verdict { TRM_VERDICT_GOOD, TRM_VERDICT_FAIR, TRM_VERDICT_POOR } trm_verdict;

const char *trm_verdict_name(trm_verdict verdict); ///< "good", "fair", "POOR"

/// Names of ratings; NULL where there is nothing to judge.
typedef struct trm_verdicts {
    const char *constraints; ///< NULL without constraints
    const char *energy;      ///< NULL for equations whose energy is not known
    const char *branch;      ///< NULL where the constraints do not hold: it can be told only of a
                             ///< mechanism that holds together
    const char *forces;      ///< NULL where forces are means of a step
} trm_verdicts;

/// Verdicts of the run so far, for the accuracy of its report; all are NULL before the first step,
/// and for NULL.
void trm_sim_get_verdicts(const trm_sim *sim, trm_verdicts *out, size_t size);
/// As a value.
static inline trm_verdicts trm_sim_verdicts(const trm_sim *sim)
{
    trm_verdicts out;
    trm_sim_get_verdicts(sim, &out, sizeof out);
    return out;
}

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
    const char *unit;   ///< of the coefficient, "N s/m"; "" where no source is known
} trm_stiff;

/// What a run has made of stiffness. With trm_options.hand_over its steps are IDA's from there on,
/// as long as these are the faster ones in simulated time per evaluation of the forces.
typedef struct trm_hand_over {
    int available;       ///< nonzero: IDA can take over this run
    int found;           ///< nonzero: stability has limited its steps
    double t;            ///< s: when first
    trm_stiff stiff;     ///< as it was then
    int changes;         ///< how often the method has changed
    int implicit;        ///< nonzero: IDA is the method now
    long implicit_steps; ///< that IDA has taken
} trm_hand_over;

trm_hand_over trm_sim_hand_over(const trm_sim *sim);

// ------------------------------------------------------------------------------------ a second run

/// How far two runs are apart at their end, for one body.
typedef struct trm_difference {
    double position; ///< m, of the centre of mass
    double angle;    ///< rad; in space, of the rotation from one to the other
    double velocity; ///< m/s
    double rate;     ///< rad/s
} trm_difference;

TRM_API_END

#endif
