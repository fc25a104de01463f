/// Boundary values of x' = f - B y, 0 = g by collocation: [AL93 section 4.1], its Tables 5.1
/// and 5.2.
#pragma once

#include "validation/papers/boundary/band.h"
#include "validation/papers/boundary/collocation.h"

/// [AL93 (2.2)]: B0 x(t0) + B1 x(tf) = beta, nx - ny rows; 0 = g(x(t0), t0) is added to them.
typedef struct trm_dae_boundary {
    double t0, tf;      ///< tf > t0
    int steps;          ///< N >= 1 steps of h = (tf - t0)/N
    const double *B0;   ///< [(nx-ny)*nx]
    const double *B1;   ///< [(nx-ny)*nx]
    const double *beta; ///< [nx-ny]
    trm_dae_points points;
    int npoints;        ///< of a step, 1 to 3; 0 means 1
    const double *mesh; ///< [steps+1] from t0 to tf, growing; NULL: steps of equal length
    trm_dae_fn *guess;  ///< out[nx] := x(t), from which Newton's method begins in a nonlinear
                        ///< problem (`x` of it is not set); NULL: 0. Of linear ones not used
} trm_dae_boundary;

/// A boundary value problem by collocation [AL93 section 4.1], as a rule the midpoint scheme: of a
/// nonlinear one each iterate by Newton's method. With B1 = 0 and Radau points it is an initial
/// value problem by a method for stiff ones [AL93 (4.8)], at any epsilon.
typedef struct trm_dae_bvp trm_dae_bvp;

/// options->method is SRM, SRM_SINGULAR or BAUMGARTE, which needs one iterate; y_0(t) = options.y0
/// whatever `start` says, because the exact one is not known; h, integrator, iterations and shift
/// are not used.
/// Errors: OPTIONS, CALLBACK, MEMORY.
trm_status trm_dae_bvp_create(const trm_dae_problem *problem, const trm_dae_options *options,
                              const trm_dae_boundary *boundary, trm_dae_bvp **out, trm_error *err);
void trm_dae_bvp_destroy(trm_dae_bvp *bvp);

/// One more SRM iterate over the whole interval: one banded system. Errors: SINGULAR (the boundary
/// values do not fix the solution, or GB vanishes at a point), CALLBACK, DIVERGED (Newton's
/// method).
trm_status trm_dae_bvp_iterate(trm_dae_bvp *bvp, trm_error *err);

/// Shooting back [AL93 section 4.1]: take By at the last point as By_0, and as terminal values
/// those nx - ny components of x(tf) that g(x(tf), tf) = 0 leaves best determined together with
/// that equation; then `sweeps` iterates with the sign of BEC reversed. The result replaces x and
/// By, and is what a later trm_dae_bvp_iterate starts from. Errors as of trm_dae_bvp_iterate;
/// OPTIONS before the first iterate, and with Radau points, which damp in one direction.
trm_status trm_dae_bvp_shoot_back(trm_dae_bvp *bvp, int sweeps, trm_error *err);

/// Mesh point i = 0..N: x, g and drift there; y and By belong to the last point of the step before
/// (of the first step for i = 0), its midpoint as a rule, whose time is trm_dae_bvp_midpoint(bvp,
/// i). All NULL for another i and before the first iterate.
trm_dae_state trm_dae_bvp_state(const trm_dae_bvp *bvp, int i);
double trm_dae_bvp_midpoint(const trm_dae_bvp *bvp, int i);

// What follows is for the files of this folder.

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
    double steepest;                  ///< entry of |J| since it was set to 0
    double *last;                     ///< [nr] the reaction at the last point
    const double *constant; ///< last, where that is the iterate before at every point; else NULL
};

/// One iterate with bvp->rows and 0 = g as conditions and law.epsilon of either sign.
trm_status trm_dae_box(trm_dae_bvp *bvp, trm_error *err);

/// The row of g(x(t), t) = 0 near x[nx], which is x_0 or, at_end, x_N: rows nx-ny.. of bvp->rows.
trm_dae_code trm_dae_constraint_rows(trm_dae_bvp *bvp, const double *x);
