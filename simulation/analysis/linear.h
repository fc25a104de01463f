/// Parts of a linearization (trammel_query.h): the field, its derivatives, its eigenvalues.
#pragma once

#include "simulation/analysis/query.h"
#include "simulation/run/sensor.h"

/// A linearization and the working memory for it.
typedef struct trm_linear_work {
    trm_linear found; ///< first: what the caller sees
    trm_query *query;
    trm_tangent tangent; ///< what x is written in
    trm_tangent free;    ///< the motions allowed, in the mass metric
    trm_linear_task task;
    int nq, nv;
    double *q, *v;         ///< [nq], [nv] the state
    double *A, *B, *C, *D; ///< as in trm_linear
    double *E;             ///< [n*n] estimated errors of the entries of A
    double *drift;
    double *WP;  ///< [p*nq]
    int *turned; ///< [nturned] coordinates at which a quaternion begins
    int nturned;
    double force;            ///< sqrt(kg) m/s^2, |M^-1 f| in the mass metric
    double fastest, omega;   ///< 1/s, the size of A, and that of its stiffness
    double *dx;              ///< [2*nv] displacement, change of the velocity
    double *qdot;            ///< [nq]
    double *J;               ///< [6*nv]
    double *lambda;          ///< [nc]
    trm_sensor_state sensed; ///< with room of its own
    trm_pool kept;           ///< memory of what the caller sees
    trm_pool pool;           ///< of the rest
} trm_linear_work;

/// y[] := what the sensors read at (q, v), with `force` (NULL: none) beside the forces. Returns a
/// system's code.
int trm_linear_read(trm_linear_work *work, const double *q, const double *v, const double *force,
                    double *y);

/// m/s, the largest of: the speed of the mechanism, its speed after a fall by the length of a body,
/// and its speed when it swings so far with its stiffness, once that is known.
double trm_linear_speed(trm_linear_work *work);

/// row[nv] := axis . J of an output in the state itself.
void trm_linear_output_row(trm_linear_work *work, const trm_output *output, double *row);

/// A, E, C and drift. Errors: SINGULAR, CALLBACK, MEMORY.
trm_status trm_linear_differences(trm_linear_work *work, trm_error *err);
/// The columns of B and D that belong to inputs of the scene. Errors: OPTIONS, CALLBACK, MEMORY.
trm_status trm_linear_input_columns(trm_linear_work *work, trm_error *err);

/// D[n] := the derivative of (omega y', w') along a direction[n] of (omega y, w), by differences
/// from steps as long as a body: it is one on which the motion does not seem to depend. *error: of
/// its norm. Returns nonzero where it is not found, below zero without memory.
int trm_linear_along(trm_linear_work *work, const double *direction, double *D, double *error);

/// As trm_eigen of the scaled A[n*n], with the errors E of its entries; A becomes more exact along
/// its free motions. error[n] of the eigenvalues.
int trm_linear_eigen(trm_linear_work *work, double *A, const double *E, double *re, double *im,
                     double *X, double *error);
/// found.zeros. Errors: DIVERGED, MEMORY.
trm_status trm_linear_zeros(trm_linear_work *work, trm_error *err);
/// Eigenvalues, modes and the stability that follows. Errors: DIVERGED, MEMORY.
trm_status trm_linear_modes(trm_linear_work *work, trm_error *err);
