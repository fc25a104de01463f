/// A linear boundary value problem on a fixed mesh.
#ifndef TRM_DAE_BOUNDARY_H
#define TRM_DAE_BOUNDARY_H

#include "base/linear/dense.h"
#include "integrators/dae/dae_collocation.h"

struct trm_dae_bvp {
    trm_arena arena;
    trm_dae_law law;
    double t0, h;
    int N;
    int midpoints; ///< nonzero: the midpoint scheme; rule.k is 1 then and nothing else of it is
                   ///< used
    trm_dae_collocation rule;
    trm_dae_points points;
    double *B0, *B1, *beta;           ///< [(nx-ny)*nx], [(nx-ny)*nx], [nx-ny]
    int solved;                       ///< nonzero after the first iterate
    double *x, *x_next;               ///< [(N+1)*nx]
    double *g, *g_next;               ///< [(N+1)*ny] at mesh points
    double *reaction, *reaction_next; ///< [N*k*nr] at the k points of each step
    double *By, *By_next;             ///< [N*k*nx]
    trm_band band;                    ///< [(N+1)*nx]
    double *midpoint;                 ///< [nx] x at a midpoint
    double *dx;                       ///< [nx]
    double *rows;                     ///< [nx*(2*nx+1)] conditions R0 x_0 + R1 x_N = b, as R0 R1 b
    int *taken;                       ///< [nx]
    double *last;                     ///< [nr] the reaction at the last point
    const double *constant; ///< last, where that is the iterate before at every point; else NULL
};

/// Errors: OPTIONS. NULL.
trm_status trm_dae_check_bvp(const trm_dae_bvp *bvp, trm_error *err);

/// One iterate with bvp->rows as conditions and law.epsilon of either sign.
trm_status trm_dae_box(trm_dae_bvp *bvp, trm_error *err);

/// The row of g(x(t), t) = 0 for x_0 or, at_end, x_N: rows nx-ny.. of bvp->rows.
trm_dae_code trm_dae_constraint_rows(trm_dae_bvp *bvp, int at_end);

#endif
