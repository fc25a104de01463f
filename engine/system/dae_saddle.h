/// The linear system of a step of backward Euler for a large problem.
#pragma once

#include "engine/system/dae_operators.h"

typedef struct trm_dae_saddle_step {
    double h, epsilon, alpha1, alpha2;
} trm_dae_saddle_step;

/// out[nx] := x at t from x[nx] and y_before[ny]; the system is evaluated at (0, t), all of it.
trm_dae_code trm_dae_saddle_solve(trm_dae_system *system, const trm_dae_saddle_step *step,
                                  const double *x, const double *y_before, double *out);
