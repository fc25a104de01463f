/// @file
/// Trammel: many runs of one model side by side, for model-predictive control and learning.
///
/// @code
///     trm_batch *batch = NULL;
///     if (!trm_batch_create(model, &options, 64, 0, &batch, &err)) {
///         const trm_batch_arrays at = trm_batch_arrays_of(batch);
///         for (int k = 1; k <= 100; k++) {
///             at.inputs[0] = 0.1 * k; // [64*ninput]
///             trm_batch_step_by(batch, 0.01, &err);
///             printf("%g\n", at.q[0]);
///         }
///     }
///     trm_batch_destroy(batch);
/// @endcode
#ifndef TRAMMEL_BATCH_H
#define TRAMMEL_BATCH_H

#include "trammel_simulation.h"

TRM_API_BEGIN

/// n runs of one model and method, numbered from 0: each has its own time, state and inputs.
/// Borrows its model. A batch serves one thread at a time; it has threads of its own, and user
/// functions of the model are called by them. Every run takes the steps, to the last bit, that it
/// would take alone. It belongs to the process that made it: after fork() a child can but destroy
/// it; every other call is an error (OPTIONS).
typedef struct trm_batch trm_batch;

/// All runs at the start of the model. `threads` work at the same time, the caller's included; 0:
/// one for each processor. Errors: OPTIONS (n < 1, threads < 0), and those of trm_sim_create.
trm_status trm_batch_create(const trm_model *model, const trm_options *options, int n, int threads,
                            trm_batch **out, trm_error *err);
void trm_batch_destroy(trm_batch *batch);

/// Run number `run` back at t (s), q[nq], v[nv], as trm_sim_set_state; q and v NULL: at the start
/// of the model, t = 0, without a search for it. Its inputs have the values of the model's start
/// again. Errors: OPTIONS, INCONSISTENT; the run is then not stepped until another reset.
trm_status trm_batch_reset(trm_batch *batch, int run, double t, const double *q, const double *v,
                           trm_error *err);

/// Choose the sensors of trm_batch_arrays, one after the other. An earlier choice is
/// replaced. Errors: OPTIONS (a sensor of another model), MEMORY; the batch is then as it was.
trm_status trm_batch_set_sensors(trm_batch *batch, int n, const trm_sensor *sensors,
                                 trm_error *err);

/// Every run on by dt (s) > 0, landing on its t + dt exactly, with the inputs of
/// trm_batch_arrays. A run that has failed, or that an event of the scene has ended, stays where
/// it is until it is reset. Returns OK when all runs are well; else the status of the first run
/// that has failed, or TRM_STOPPED where none has failed; err->where begins with "run 3". Errors:
/// OPTIONS, and those of trm_sim_step_to.
trm_status trm_batch_step_by(trm_batch *batch, double dt, trm_error *err);

/// Step all runs on to t (s); a run that is there already, or beyond, stays. After a reset of some
/// runs to other times all are at one time again.
trm_status trm_batch_step_to(trm_batch *batch, double t, trm_error *err);

/// For a caller that looks up in between: step_by and step_to return after `most` steps of each run
/// (0: when all are there). Errors: OPTIONS (most < 0).
trm_status trm_batch_set_most(trm_batch *batch, long most, trm_error *err);
/// Go on with what was begun. Errors: as trm_batch_step_by.
trm_status trm_batch_go_on(trm_batch *batch, trm_error *err);

/// Arrays of the batch: they show all runs after create, reset and step_by, at fixed addresses for
/// its life; those of sensors until trm_batch_set_sensors is called again.
typedef struct trm_batch_arrays {
    int n;                       ///< runs
    int sensor_width;            ///< numbers that the sensors of a run show
    double *inputs;              ///< [n*ninput] to be written
    const double *t;             ///< [n] s
    const double *q, *v;         ///< [n*nq], [n*nv]
    const int *status;           ///< [n] trm_status of each: OK, STOPPED or why it failed
    const double *sensor_values; ///< [n*sensor_width]; NULL: no sensors; NAN of a run that was
                                 ///< refused its start
    int left;                    ///< runs that were not where they are to go, at this call
} trm_batch_arrays;

/// Zeros and NULL without a batch.
trm_batch_arrays trm_batch_arrays_of(trm_batch *batch);

TRM_API_END

#endif
