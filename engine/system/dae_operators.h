/// B and G of a large problem, as products or compressed rows, and solutions with c0 I + c1 GB.
///
/// A product or solution that fails leaves its code in system->trouble, where the evaluation of the
/// rates finds it; until then its result is not used.
#pragma once

#include "engine/linear/conjugate_gradients.h"
#include "engine/linear/sparse.h"
#include "engine/system/dae_system.h"

/// A matrix c0 I + c1 A with A = GB or L, and its factors.
typedef struct trm_dae_shifted {
    trm_sparse K;       ///< of a pattern of its own
    trm_factor *factor; ///< NULL: none
    double c0, c1;
    long stamp;       ///< of the point of K; -1: none
    double *diagonal; ///< [n] of K, for conjugate gradients
} trm_dae_shifted;

/// The matrix of a step of backward Euler (dae_saddle.c), and its factors.
typedef struct trm_dae_saddle {
    trm_sparse K; ///< [nx+ny square] start = NULL: not made yet
    trm_factor *factor;
    double *work;      ///< [2*(nx+ny)]
    double h, epsilon; ///< of the factors
    long stamp;        ///< of the point of the factors; -1: none
} trm_dae_saddle;

typedef struct trm_dae_operators {
    trm_dae_large given;
    trm_sparse B, G, L; ///< patterns borrowed, values ours; start = NULL: not rows
    int symmetric;      ///< nonzero: GB is symmetric, by a test with two vectors
    int symmetric_L;
    double norm;  ///< near the largest eigenvalue of GB at the start
    double *null; ///< [ny] of unit length, or NULL
    int pinned;   ///< the entry of y held while factors of a singular GB are made
    trm_dae_shifted GB, implicit;
    trm_dae_saddle saddle;
    trm_dae_solver solver; ///< CG or FACTORS
    double tolerance;
    int most;
    double c0, c1; ///< of the solution in progress
    double *v;     ///< [nx] work of the products
    double *cg;    ///< [4*max(nx, ny)]
    double *r;     ///< [max(nx, ny)] right sides
    double *fill;  ///< [max(nx, ny)]
    double *guess; ///< [ny]
    double *block; ///< the block of all these arrays
    long stamp;    ///< counts the points at which B and G were evaluated
    long solves, iterations;
} trm_dae_operators;

/// OPTIONS unless `large` is complete and its rows are in order. File: dae_operators.c.
trm_status trm_dae_check_large(const trm_dae_problem *problem, trm_error *err);
/// The operators of the problem into system->large. Errors: MEMORY.
trm_status trm_dae_operators_create(trm_dae_system *system, const trm_dae_options *options,
                                    trm_error *err);
void trm_dae_operators_destroy(trm_dae_system *system);
/// Values of rows at the current point, as `what` asks.
trm_dae_code trm_dae_operators_at(trm_dae_system *system, unsigned what);
/// out := B v, G v, B^T v, G^T v at the current point.
void trm_dae_product_B(trm_dae_system *system, const double *v, double *out);
void trm_dae_product_G(trm_dae_system *system, const double *v, double *out);
void trm_dae_product_Bt(trm_dae_system *system, const double *v, double *out);
void trm_dae_product_Gt(trm_dae_system *system, const double *v, double *out);

/// y[ny] := (c0 I + c1 GB)^-1 r, in the complement of the null vector if there is one; y holds a
/// guess. File: dae_solve.c.
trm_dae_code trm_dae_solve_shifted(trm_dae_system *system, double c0, double c1, const double *r,
                                   double *y);
/// x[nx] := (I - c L)^-1 x.
trm_dae_code trm_dae_solve_implicit(trm_dae_system *system, double c, double *x);

/// OPTIONS when products disagree with each other, with g, with the flags of the problem, or with
/// the needs of the method. Sets `symmetric`, `norm` and `solver`. File: dae_check_large.c.
trm_status trm_dae_check_operators(trm_dae_system *system, const trm_dae_options *options, double t,
                                   const double *x, int needs_solver, int needs_GB_inverse,
                                   trm_error *err);
