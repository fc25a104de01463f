/// @file
/// Trammel: many runs of one model side by side, for model-predictive control and learning.
///
/// @code
///     trm_batch *batch = NULL;
///     if (!trm_batch_create(model, &options, 64, 0, &batch, &err)) {
///         double *const u = trm_batch_inputs(batch); // [64*ninput]
///         for (int k = 1; k <= 100; k++) {
///             u[0] = 0.1 * k;
///             trm_batch_step_by(batch, 0.01, &err);
///             printf("%g\n", trm_batch_q(batch)[0]);
///         }
///     }
///     trm_batch_destroy(batch);
/// @endcode
#ifndef TRAMMEL_BATCH_H
#define TRAMMEL_BATCH_H

#include "trammel_simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#pragma GCC visibility push(default) // all that the shared library shows
#endif

/// n runs of one model and method, numbered from 0: each has its own time, state and inputs.
/// Borrows its model. A batch serves one thread at a time; it has threads of its own, and user
/// functions of the model are called by them. Every run takes the steps, to the last bit, that it
/// would take alone. It belongs to the process that made it: behind fork() a child can but destroy
/// it; every other call is an error (OPTIONS).
typedef struct trm_batch trm_batch;

/// All runs at the start of the model. `threads` work at the same time, the caller's included; 0:
/// one for each processor. Errors: OPTIONS (n < 1, threads < 0), and those of trm_sim_create.
trm_status trm_batch_create(const trm_model *model, const trm_options *options, int n, int threads,
                            trm_batch **out, trm_error *err);
void trm_batch_destroy(trm_batch *batch);

int trm_batch_size(const trm_batch *batch); ///< n

/// Run number `run` back at t (s), q[nq], v[nv], as trm_sim_set_state; q and v NULL: at the start
/// of the model, t = 0, without a search for it. Its inputs have the values of the model's start
/// again. Errors: OPTIONS, INCONSISTENT; the run is then not stepped until another reset.
trm_status trm_batch_reset(trm_batch *batch, int run, double t, const double *q, const double *v,
                           trm_error *err);

/// Choose the sensors of trm_batch_sensor_values, one after the other. An earlier choice is
/// replaced. Errors: OPTIONS (a sensor of another model), MEMORY; the batch is then as it was.
trm_status trm_batch_set_sensors(trm_batch *batch, int n, const trm_sensor *sensors,
                                 trm_error *err);

/// Every run on by dt (s) > 0, landing on its t + dt exactly, with the inputs of
/// trm_batch_inputs. A run that has failed, or that an event of the scene has ended, stays where
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
int trm_batch_left(const trm_batch *batch); ///< runs that are not there yet
/// Go on with what was begun. Errors: as trm_batch_step_by.
trm_status trm_batch_go_on(trm_batch *batch, trm_error *err);

/// Arrays of the batch, at fixed addresses for its life; they show all
/// runs after create, reset and step_by.
double *trm_batch_inputs(trm_batch *batch);        ///< [n*ninput] to be written
const double *trm_batch_t(const trm_batch *batch); ///< [n] s
const double *trm_batch_q(const trm_batch *batch); ///< [n*nq]
const double *trm_batch_v(const trm_batch *batch); ///< [n*nv]
const int *
trm_batch_status(const trm_batch *batch); ///< [n] trm_status of each: OK, STOPPED or why it failed
/// [n*trm_batch_sensor_width(batch)] as trm_batch_set_sensors has chosen, until it is called again;
/// NULL: nothing chosen. NAN of a run that was refused its start.
const double *trm_batch_sensor_values(const trm_batch *batch);
int trm_batch_sensor_width(const trm_batch *batch); ///< numbers of each run among the readings

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
