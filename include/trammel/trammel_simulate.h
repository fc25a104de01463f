/// @file
/// Trammel: a whole run, as `trammel run` makes it: method, tolerances, stiffness, recording, and a
/// second run that tells how far the motion is known.
///
/// @code
///     trm_result *result = NULL;
///     if (!trm_simulate(model, 2.0, 1e-6, NULL, &result, &err)) {
///         const trm_accuracy known = trm_result_accuracy(result);
///         printf("differs by %g: %s\n", known.differs, trm_verdict_name(known.rating));
///         printf("%g\n", trm_sim_state(trm_result_sim(result)).q[0]);
///     }
///     trm_result_destroy(result);
/// @endcode
#ifndef TRAMMEL_SIMULATE_H
#define TRAMMEL_SIMULATE_H

#include "trammel_report.h"
#include "trammel_simulation.h"

TRM_API_BEGIN

/// In which coordinates runs of a model are made. What they show are coordinates of bodies.
typedef enum trm_coordinates {
    TRM_COORDINATES_AUTO,     ///< joint for open trees in space, else absolute
    TRM_COORDINATES_JOINT,    ///< of the joints of a spanning tree; other joints are rows
    TRM_COORDINATES_ABSOLUTE, ///< of the bodies; all joints are rows
} trm_coordinates;

/// The coordinates of models built from now on, as the file's "coordinates" says them. Errors:
/// OPTIONS.
trm_status trm_scene_set_coordinates(trm_scene *scene, trm_coordinates coordinates, trm_error *err);

/// A run is about to take its first step; it may be sampled, and a state may be imported. `number`:
/// 0 for the first run; from 1 on better ones, which are recorded in place of those before. What it
/// returns other than OK ends trm_simulate with that status and *err.
typedef trm_status trm_begin_fn(trm_sim *sim, int number, void *user, trm_error *err);

/// A line of the recording: at the start, at the multiples of `every`, at the end. Return nonzero
/// to stop the run.
typedef int trm_crossing_record_fn(trm_sim *sim, const trm_sample *sample, void *user);

/// A run that began has ended, with its last line: the time to read a clock.
typedef void trm_finish_fn(int number, void *user);

/// The run before is to be checked, which takes about `times` as long: 10^(1/p) at order p. Asked
/// again before each further run. Return zero to leave it.
typedef int trm_may_verify_fn(double times, void *user);

/// Return nonzero to stop the run that is under way.
typedef int trm_is_stopped_fn(void *user);

/// From trm_default_simulate_options.
typedef struct trm_simulate_options {
    size_t struct_size;             ///< set by trm_default_simulate_options; leave it alone
    const trm_options *method;      ///< NULL: that of trm_choose_options for the accuracy
    double every;                   ///< s between recorded times; 0: the ends of steps
    int verify;                     ///< nonzero: check by a second run; the default
    int keep_first;                 ///< nonzero: the first run stays the result, however it differs
    trm_begin_fn *begin;            ///< or NULL, as all that follow
    trm_crossing_record_fn *record; ///< of the runs that are recorded
    trm_observer_fn *observe;       ///< after each of their accepted steps; nonzero stops the run
    trm_finish_fn *finish;          ///< after each of them
    trm_may_verify_fn *may_verify;  ///< NULL: it always is, if `verify` says so
    trm_is_stopped_fn *is_stopped;  ///< asked after each step of every run
    trm_is_stopped_fn *takes_long;  ///< of a run that checks, or is to be better: it is given up
    void *user;                     ///< for all of them
} trm_simulate_options;

void trm_get_default_simulate_options(trm_simulate_options *out, size_t size);
/// As a value.
static inline trm_simulate_options trm_default_simulate_options(void)
{
    trm_simulate_options out;
    trm_get_default_simulate_options(&out, sizeof out);
    return out;
}

/// What is known of the motion. Differences are relative to the motion: to the largest range
/// through which a body of the same connected part moves; lengths, angles, velocities and rates
/// each by their own range (rates: about rest).
typedef struct trm_accuracy {
    double asked;           ///< 0: fixed steps, or given tolerances of none
    int runs;               ///< that were compared; below 2: not checked
    double differs;         ///< of the last two, the largest difference at the times compared
    double known_until;     ///< s: up to here they differ by at most `asked`
    int body;               ///< with the largest difference; -1: none
    double position, angle; ///< m, rad: the largest at the end
    trm_verdict rating;     ///< good up to `asked`, fair up to ten times that; 1e-6 and 1e-3 where
                            ///< none was; poor where no second run gets to the end
    const char *unchecked;  ///< why it was not checked, a clause; NULL where it was
    const char *limit;      ///< that roundoff is as large, a clause; NULL: it is not
} trm_accuracy;

/// A run and what is known of it.
typedef struct trm_result trm_result;

/// From the model's start to `end` (s) with the method for `accuracy`, or that of the options. A
/// second run with a tenth of the error checks it at the ends of steps and the multiples of
/// `every`, whether they are recorded or not. Where it differs by more than the accuracy, the
/// second is the better one: it is the result, recorded again from its start, and is checked in
/// turn, two more times at most. Inputs keep their initial values in the runs that check, and
/// events that end a run do not end these. *out is to be destroyed, after errors too: it has the
/// run up to there, if there was one. Returns OK also where an event of the scene has ended the
/// run, STOPPED where a callback has. Errors: OPTIONS, INCONSISTENT, MEMORY, and those of
/// trm_sim_step of the run that is the result.
trm_status trm_simulate(const trm_model *model, double end, double accuracy,
                        const trm_simulate_options *options, trm_result **out, trm_error *err);
void trm_result_destroy(trm_result *result);

trm_sim *trm_result_sim(const trm_result *result); ///< at its end; NULL: its start was refused
trm_sim *trm_result_take_sim(trm_result *result);  ///< the same, to be destroyed by the caller
int trm_result_ended_by(const trm_result *result); ///< the event that ended the run; -1: none
void trm_result_get_accuracy(const trm_result *result, trm_accuracy *out, size_t size);
/// As a value.
static inline trm_accuracy trm_result_accuracy(const trm_result *result)
{
    trm_accuracy out;
    trm_result_get_accuracy(result, &out, sizeof out);
    return out;
}
/// At the end, of one body; zeros where the run was not checked.
trm_difference trm_result_difference(const trm_result *result, int body);

TRM_API_END

#endif
