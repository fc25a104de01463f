/// A boundary value problem on a fixed mesh.
#pragma once

#include "base/linear/dense.h"
#include "integrators/dae/dae_collocation.h"

struct trm_dae_bvp {
    trm_arena arena;
    trm_dae_law law;
    int N;
    int at_end;    ///< 0 = g holds for x_N, else for x_0
    double *mesh;  ///< [N+1]
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
    double *at;                       ///< [N*k*nx] x at the points, near which the law is affine
    int placed;                       ///< they belong to x
    double *dx;                       ///< [nx]
    double *rows;                     ///< [nx*(2*nx+1)] conditions R0 x_0 + R1 x_N = b, as R0 R1 b
    int *taken;                       ///< [nx]
    double *last;                     ///< [nr] the reaction at the last point
    const double *constant; ///< last, where that is the iterate before at every point; else NULL
};

/// Errors: OPTIONS. NULL.
trm_status trm_dae_check_bvp(const trm_dae_bvp *bvp, trm_error *err);

/// One iterate with bvp->rows and 0 = g as conditions and law.epsilon of either sign.
trm_status trm_dae_box(trm_dae_bvp *bvp, trm_error *err);

/// The row of g(x(t), t) = 0 near x[nx], which is x_0 or, at_end, x_N: rows nx-ny.. of bvp->rows.
trm_dae_code trm_dae_constraint_rows(trm_dae_bvp *bvp, const double *x);
