/// @file
/// Trammel: a run: stepped, steered by inputs, read by sensors, sampled, saved and restored.
///
/// @code
///     trm_sim *sim = NULL;
///     trm_sensor angle;
///     double phi = 0;
///     if (!trm_sim_create(model, &options, &sim, &err) &&
///         !trm_model_sensor(model, "crank.angle", &angle, &err) &&
///         !trm_sim_run(sim, 2.0, NULL, NULL, &err) && !trm_sim_read(sim, &angle, &phi, &err)) {
///         printf("%g rad at %g s\n", phi, trm_sim_state(sim).t);
///     }
///     trm_sim_destroy(sim);
/// @endcode
#ifndef TRAMMEL_SIMULATION_H
#define TRAMMEL_SIMULATION_H

#include "trammel_model.h"

#include <signal.h>

TRM_API_BEGIN

// -------------------------------------------------------------------------------------------- runs

/// Errors: OPTIONS, INCONSISTENT, MEMORY.
trm_status trm_sim_create(const trm_model *model, const trm_options *options, trm_sim **out,
                          trm_error *err);
void trm_sim_destroy(trm_sim *sim);

/// Restart from t (s), q[nq], v[nv]; counters go back to zero. Errors: INCONSISTENT; the run then
/// has no state to go on from until another is set.
trm_status trm_sim_set_state(trm_sim *sim, double t, const double *q, const double *v,
                             trm_error *err);

/// Give input number `input` a value from now on, until it is set again. At once, or, for an input
/// that is "smooth", within that time: the value then has two continuous derivatives, which motors
/// and constraints need. Work, history of the method and step size go on; the next step begins with
/// the new value, and what was computed before (accelerations, multipliers) stays as it is until
/// then. A restart keeps the values and ends what is on its way. The value an input already has
/// changes nothing. Errors: OPTIONS (no such input, a value that is not finite).
trm_status trm_sim_set_input(trm_sim *sim, int input, double value, trm_error *err);
double trm_sim_input(const trm_sim *sim, int input); ///< As set last; NAN if there is none.

/// Add dq[nq] and dv[nv] (NULL: nothing) to the state between two steps, as noise or a shock would.
/// Nothing is checked or closed, and all counters go on; what was before cannot be sampled any
/// more. With TREE the angles and rates count, and from the next step on the rest follows from
/// them. Not for observers. Errors: OPTIONS (an entry, or a sum, that is not finite), INCONSISTENT
/// (in joint coordinates: a joint of the tree would be open), SINGULAR, CALLBACK; the state is then
/// what it was.
trm_status trm_sim_perturb(trm_sim *sim, const double *dq, const double *dv, trm_error *err);

/// Advance by one accepted step. After a failure the state is the last accepted one: nothing is
/// reset, clamped or repaired behind your back. On x86-64 numbers below 2.2e-308 count as zero
/// during the step, also in functions of yours that it calls. Where an event that stops begins to
/// hold at once, there is no step: the time stays, and trm_sim_events has grown. Errors: SINGULAR,
/// DIVERGED, CALLBACK.
trm_status trm_sim_step(trm_sim *sim, trm_error *err);

/// Rollouts. A state is all that a run remembers: history of the method, counters, checks, options.
/// A run that goes on from it takes the same steps, to the last bit, as if it had not stopped; it
/// may be this run or another one of the same model, method and process. The bytes may be copied
/// and kept anywhere; what user functions remember is not in them. Where another library keeps the
/// history of a method the size is 0, and saving is refused. A run that was handed over to IDA
/// (trm_options.hand_over) is handed back to its own method when it is saved, and when a state is
/// restored: run and restored run go on alike.
size_t trm_sim_state_size(const trm_sim *sim); ///< bytes; the same as long as the run lives
/// Errors: OPTIONS (`size` < trm_sim_state_size, or that is 0),
/// INCONSISTENT (the last restart was refused).
trm_status trm_sim_save(trm_sim *sim, void *buffer, size_t size, trm_error *err);
/// Errors: OPTIONS (bytes that are not a whole state of this model and method; the run is then as
/// it was before). The check finds accidents; a sum that anyone can compute is no signature: bytes
/// that somebody may have made on purpose are not to be restored or imported.
trm_status trm_sim_restore(trm_sim *sim, const void *buffer, size_t size, trm_error *err);

/// Export the state for the disk: bytes, as many as trm_sim_state_size, that a run of another
/// process may go on from: of the same build of the library, a model of the same scene, and the
/// same options. Both take memory for the while. Errors: as trm_sim_save; MEMORY.
trm_status trm_sim_export(trm_sim *sim, void *buffer, size_t size, trm_error *err);
/// Errors: as trm_sim_restore; MEMORY. What of the scene is compared are its sizes, the names of
/// rows and all options.
trm_status trm_sim_import(trm_sim *sim, const void *buffer, size_t size, trm_error *err);

/// Called after each accepted step; return nonzero to stop the run. It may sample, not step.
typedef int trm_observer_fn(trm_sim *sim, void *user);

/// Step until t_end (s) is hit exactly; the last step is shortened. A t_end less than 2.2e-308 s
/// ahead (subnormal) is where the run is. `observe` may be NULL. Returns
/// STOPPED where an event of the scene that stops has begun to hold, or where the observer says so.
trm_status trm_sim_run(trm_sim *sim, double t_end, trm_observer_fn *observe, void *user,
                       trm_error *err);

/// Where *flag (of a handler of signals; NULL: none) is nonzero, trm_sim_step and trm_sim_run end
/// with STOPPED at the last accepted state, also within many changes at one time. The flag must
/// live as long as the run, and as those that go on from it.
void trm_sim_set_interrupt(trm_sim *sim, const volatile sig_atomic_t *flag);

/// For control loops: called with t = k * period after the inputs are set, it lands on t exactly
/// with any integrator; OK and still under way after `most` steps, for a caller that looks up in
/// between. DOP853 as trm_choose_options gives it covers spans far below its own steps by a pair of
/// order 3, as accurate, where that takes fewer evaluations. Errors: as trm_sim_step, OPTIONS (t
/// lies behind).
trm_status trm_sim_steps_to(trm_sim *sim, double t, long most, trm_error *err);
/// All the way.
static inline trm_status trm_sim_step_to(trm_sim *sim, double t, trm_error *err)
{
    return trm_sim_run(sim, t, NULL, NULL, err);
}

// ------------------------------------------------------------------------------------------- state

/// Borrowed pointers, valid until the next call that takes a non-const trm_sim.
typedef struct trm_state {
    double t;             ///< s
    const double *q;      ///< [nq] m, rad
    const double *v;      ///< [nv] m/s, rad/s
    const double *a;      ///< [nv] m/s^2, rad/s^2, from [EOM] at (t, q, v)
    const double *lambda; ///< [nc] N or N m, by row; where G loses rank one solution of many: of
                          ///< rows left idle (closed by others so far) about 0
} trm_state;

typedef struct trm_drift {
    double position; ///< max_i |g_i|, m or rad
    double velocity; ///< max_i |(G v + g_t)_i|, m/s or rad/s
    int row;         ///< where `position` is attained; -1 without constraints
} trm_drift;

/// kinetic + potential - work is constant along the exact motion.
typedef struct trm_energy {
    double kinetic;   ///< J, v^T M v / 2
    double potential; ///< J, gravity and springs
    double work;      ///< J, done since the start by dampers, drives and user forces
} trm_energy;

typedef struct trm_stats {
    long steps, rejected;
    long force_evals;    ///< of f
    long jacobian_evals; ///< of G
    long factorizations; ///< of G M^-1 G^T
    long closed_steps;   ///< that met a singular position: an acceleration is its limit there
    long switches;       ///< times that STATE_SPACE chose another partition on the way
    double epsilon;      ///< s: what SRM really used; 0 otherwise
    double epsilon_safe; ///< s: smallest epsilon that was stable at the start; 0 otherwise
    double row_scales; ///< of SRM with E = I: of the diagonal of GB, largest over smallest; else 0
    double h;          ///< s: size of the last step
} trm_stats;

trm_state trm_sim_state(const trm_sim *sim);
trm_drift trm_sim_drift(const trm_sim *sim);
trm_energy trm_sim_energy(const trm_sim *sim);
void trm_sim_get_stats(const trm_sim *sim, trm_stats *out, size_t size);
/// As a value.
static inline trm_stats trm_sim_stats(const trm_sim *sim)
{
    trm_stats out;
    trm_sim_get_stats(sim, &out, sizeof out);
    return out;
}

// ----------------------------------------------------------------------------------------- sensors

/// out[sensor->size] at the end of the last step; accelerations, forces and multipliers
/// are those with the inputs of that step. No allocation; the run goes on as if it had
/// not been asked. Errors: OPTIONS (NULL, a sensor of another model), INCONSISTENT (the
/// last restart was refused), CALLBACK.
trm_status trm_sim_read(const trm_sim *sim, const trm_sensor *sensor, double *out, trm_error *err);

// -------------------------------------------------------------------- samples within the last step

/// State, drift, energy and counts of a run at a time within the last step.
typedef struct trm_sample {
    trm_state state;
    trm_drift drift;
    trm_energy energy;
    double rcond;                      ///< as trm_report.rcond_min, at this time
    long crossings;                    ///< as in trm_report, up to this time
    long bifurcations, branch_changes; ///< up to the end of the step
} trm_sample;

/// The sample at t (s) within the last accepted step, by the integrator's dense output, near the
/// border of stability of dop853 by a step of its own; a and lambda are evaluated there.
/// Errors: OPTIONS (t outside the step), CALLBACK.
trm_status trm_sim_sample(trm_sim *sim, double t, trm_sample *out, trm_error *err);
/// The lines of a recording: *t, the last one (s), becomes the next one, and nonzero is returned,
/// where the last accepted step holds it. They are at the multiples of every (s), at each end of a
/// step where it is 0, and at the end of the run (s); a multiple nearer to the end than 1e-9 every
/// is none, as it is the end by rounding. Where forces jump at the end of a step, a line there
/// waits for the next step: its sample is after it. Returns 0 where sim or t is NULL.
int trm_sim_next_line(const trm_sim *sim, double every, double end, double *t);

/// What n sensors show in a sample of the last step: out has room for the sum of their sizes, one
/// after the other. All of it belongs to the time of the sample: forces are evaluated in its state,
/// inputs have the value of that time. No allocation; the run goes on as if it had not been asked.
/// Errors: as trm_sim_read.
trm_status trm_sim_read_sample(const trm_sim *sim, const trm_sample *sample, int n,
                               const trm_sensor *sensors, double *out, trm_error *err);

TRM_API_END

#endif
