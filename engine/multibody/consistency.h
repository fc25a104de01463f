/// Initial states: how far from 0 = g and 0 = G v + g_t, and how to close them.
#pragma once

#include "engine/multibody/extent.h"

typedef struct trm_residual {
    double position, velocity;      ///< max |g_i| and max |(G v + g_t)_i|
    int position_row, velocity_row; ///< where; -1 without constraints
} trm_residual;

/// Residuals of the current point and v. work[nc] := G v + g_t.
trm_residual trm_residual_of(trm_system *system, const double *v, double *work);
/// Residuals of the current point and v, rows divided by unit[nc] (trm_units_of_rows).
trm_residual trm_residual_in(trm_system *system, const double *v, const double *unit, double *work);

/// Workspace of trm_close, and where rows are measured.
typedef struct trm_closing {
    double *q;    ///< [nq] trial position
    double *dx;   ///< [nv]
    double *c;    ///< [nc]
    double *unit; ///< [nc] |g| is the length of g_i/unit_i (trm_units_of_rows); NULL: 1
} trm_closing;

/// The current point := one beside (t, q), not closed. Uses work->q and dx. Returns a system's
/// code.
int trm_go_beside(trm_system *system, const trm_extents *extents, double t, const double *q,
                  const trm_closing *work);

/// size[nc] := lengths of the rows of unknown unit, coordinates in units of their extents, or of
/// `least` where these are less; 0 for others. At (t, q), the current point, and beside it
/// (row_length.h). Returns a system's code.
int trm_lengths_of_rows(trm_system *system, const trm_model *model, const trm_extents *extents,
                        double t, const double *q, double least, const trm_closing *work,
                        double *size);

/// unit[nc]: what the residual of a row is measured in at the start, (t, q), the current point: m
/// and rad. An expression may have any unit and any factor, so its unit is what it changes by when
/// coordinates change by 1 m, by the size of a larger mechanism, or by 1 rad: its gap is then the
/// distance from a closed position, and a position of n digits leaves 10^-n of it. Where its row of
/// G vanishes here and beside, it counts as a length. `extents` are measured. Returns a system's
/// code.
int trm_units_of_rows(trm_system *system, const trm_model *model, const trm_extents *extents,
                      double t, const double *q, const trm_closing *work, double *unit);

/// Numbers of `room` for the same at q, where nothing has been measured.
size_t trm_units_room(const trm_model *model);
int trm_units_at(trm_system *system, const trm_model *model, double t, const double *q,
                 double *room, double *unit);

/// Returns nonzero if the velocities of the start satisfy [VEL]. A row of [VEL] is a sum, and a
/// description of n digits leaves 10^-n of its terms: |(G v + g_t)_i| may be `tolerance` units, and
/// that times sum_j |G_ij v_j| where the sum is above a unit: a wheel of 1e4 rad/s given with 12
/// digits leaves 1e-8 rad/s in its hinge. `residual`: `work` of trm_residual_in. unit[nc]: of
/// trm_units_of_rows. work[nc], row[nv]: workspace.
int trm_velocities_fit(trm_system *system, const double *v, const double *residual,
                       const double *unit, double tolerance, double *work, double *row);

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

/// Constraint violation beyond drift: after such a step a joint is open by about the size of the
/// mechanism, and the state is no point to continue from.
/// Row with the largest violation, or -1: of the residuals g[nc], rows in m beyond half of `size`
/// (trm_model_size), rows in rad beyond 1, others, whose unit is not known, beyond any number that
/// means something.
int trm_violation_row(const trm_model *model, const double *g, double size);

/// Gap of a joint: the norm over those of its rows that have the unit of `row`.
double trm_violation_gap(const trm_model *model, const double *g, int row);
