/// Initial states: how far from 0 = g and 0 = G v + g_t, and how to close them.
#ifndef TRM_CONSISTENCY_H
#define TRM_CONSISTENCY_H

#include "engine/system/system.h"

typedef struct trm_residual {
    double position, velocity;      ///< max |g_i| and max |(G v + g_t)_i|
    int position_row, velocity_row; ///< where; -1 without constraints
} trm_residual;

/// Residuals of the current point and v. work[nc].
trm_residual trm_residual_of(trm_system *system, const double *v, double *work);

/// Whether the velocities of the start fit. A row of [VEL] is a sum, and a description of n digits
/// leaves 10^-n of its terms: |(G v + g_t)_i| may be `tolerance`, and that times sum_j |G_ij v_j|
/// where the sum is above 1: a wheel of 1e4 rad/s given with 12 digits leaves 1e-8 rad/s in its
/// hinge. `residual`: of trm_residual_of, at the current point. unit[nc], row[nv]: workspace.
int trm_velocities_fit(trm_system *system, const double *v, const double *residual,
                       double tolerance, double *unit, double *row);

/// Workspace of trm_close.
typedef struct trm_closing {
    double *q;  ///< [nq] trial position
    double *dx; ///< [nv]
    double *c;  ///< [nc]
} trm_closing;

void trm_closing_layout(trm_closing *closing, const trm_system *system, trm_arena *arena);

/// Close q by damped Gauss-Newton steps in the mass metric,
///     dx = -M^-1 G^T (G M^-1 G^T)^-1 g,    q := q + s N dx,    s halved until |g| falls,
/// then project v once onto [VEL] in the same metric. Leaves (t, q) the current point. Returns 0,
/// or a system's code. trm_residual_of then tells whether it succeeded.
int trm_close(trm_system *system, const trm_closing *closing, double t, double *q, double *v);
/// One step of Gauss and Newton from the current point, at q, damped by delta: directions with
/// sigma^2 below it are left alone. Leaves the current point at q.
int trm_close_once(trm_system *system, const trm_closing *closing, double t, double *q,
                   double delta);
/// Positions alone, until |g| <= enough.
int trm_close_positions(trm_system *system, const trm_closing *closing, double t, double *q,
                        double enough);

#endif
