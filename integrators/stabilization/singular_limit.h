/// Accelerations in a singular position, where [ACC] lacks a row.
///
/// Near it the row w^T G, |w^T G| = sigma, is known up to the gap e of the point, and so is a in
/// its direction up to e/sigma. But along a smooth motion w^T (G a - gamma) = 0 holds before and
/// behind as well, so its derivative along the motion, w kept, vanishes, too. Where w^T G = 0 that
/// is (l'Hopital; G', gamma' with v kept, from q moved by +-tau N v and t by +-tau)
///
///     3 w^T g_qq(v, a) = -w^T g_qqq(v, v, v),   that is   h a = w^T gamma'/3,   h = w^T G'
///
/// and the reaction is G^T lambda + h^T mu, lambda without w: the other rows as usual, h in the
/// place of w^T G. Beside the position, or open by e, this errs by sigma + e: it is better than
/// [ACC] where sigma < sqrt(e). Nearly equal bars turn there, and [ACC] says so: w^T (G a - gamma),
/// other rows kept, is then no product of sigma.
///
/// Time-dependent rows need nothing else: gamma = -(g_qq(v, v) + 2 g_qt v + g_tt), and its
/// derivative by v in the direction a is -2 w^T G' a, G' with the time.
#pragma once

#include "engine/rank/null_directions.h"
#include "integrators/trajectory/integrator.h"

typedef struct trm_limit {
    trm_rank_loss loss;
    long step; ///< the last step that was counted as limited
    double *h, *p,
        *y;       ///< [room*nv], [room*nv], [room*nc] of each direction: h, M^-1 (h^T - G^T y), y
    double *c;    ///< [room] w^T gamma'/3
    double *rate; ///< [room] w^T g_t'
    double *K;    ///< [room*room]
    double *right, *mu;
    int *row, *column;               ///< [room]
    double *q;                       ///< [nq] beside the point
    double *a, *free;                ///< [nv] with the other rows, and without any
    double *lambda, *gamma, *gamma2; ///< [nc]
} trm_limit;

/// Layout for a run whose rank may drop.
trm_limit *trm_limit_layout(const trm_run *run, trm_arena *arena);

/// dz and lambda of [EOM] and [ACC] at (t, z), the system's current point, factored;
/// limit->free[nv] = M^-1 f, and its power. Where the position is singular they become those of the
/// limit. Returns a system's code.
int trm_run_limit(trm_run *run, double t, const double *z, double free_power, double *dz,
                  double *lambda);
