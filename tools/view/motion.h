/// A motion as a list of states at equal intervals, for drawing.
#pragma once

#include "trammel/trammel_model.h"

typedef struct trm_motion {
    int n, nq;
    double interval; ///< s
    double *q;       ///< [n*nq] m, rad; row i belongs to t = i * interval
    double *v;       ///< [nv] m/s, rad/s, at the start
    int complete;    ///< nonzero: the run reached its end
} trm_motion;

/// Run `sim` to `end` and keep its state n times, t = 0 and t = end included. A run that fails on
/// the way leaves the part before it. Errors: MEMORY, or what the run failed with.
trm_status trm_motion_record(trm_sim *sim, trm_sizes sizes, double end, int n, trm_motion *out,
                             trm_error *err);
void trm_motion_destroy(trm_motion *motion);

const double *trm_motion_at(const trm_motion *motion, int i);
