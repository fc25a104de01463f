/// Closes a mechanism for the diagnosis: a part of its rows, while a part of its bodies stays
/// fixed.
///
///   minimize |W r(q)|^2,    dz = -J^T (J J^T + mu I)^-1 r,    mu ~ |r|/L     (Levenberg-Marquardt)
///
/// Redundant and singular J are normal here; where no position satisfies
/// the rows it ends at the nearest one.
#pragma once

#include "engine/rank/conditioning.h"

typedef struct trm_closing_task {
    double t;
    const char *row_off;  ///< [nc] nonzero: not asked for; NULL: all rows
    const char *held;     ///< [nv] nonzero: does not move; NULL: all move
    const double *weight; ///< [nc] W; NULL: 1
} trm_closing_task;

/// A largest |r|/L below this is closed.
#define TRM_CLOSED 1e-10

/// Move q to the nearest least residual. moved[nv] (or NULL) is the sum of all z. Returns the
/// largest |r_i|/L of the rows asked for, without weight; INFINITY where the model has no value.
double trm_conditioning_close_rows(trm_conditioning *conditioning, const trm_closing_task *task,
                                   double *q, double *moved);
