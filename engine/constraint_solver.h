/// S = G M^-1 G^T: sparse, symmetric, positive semidefinite, of a pattern known beforehand.
///
/// A redundant or singular mechanism makes S singular; that is normal. What is factored is
///
///     S + delta D = L diag(d) L^T,    D_i = the largest S_ii met since the start,
///
/// and every solve takes exactly one proximal step, the linear-algebra twin of sequential
/// regularization:
///
///     x_0 = (S + delta D)^-1 r,    x = x_0 + (S + delta D)^-1 (r - S x_0).
///
/// For r in the range of S the error is O(delta^2) in the regular directions, and the components
/// that S cannot see stay zero. D_i does not vanish with a row that vanishes at a singular position.
///
/// The matrix is made of dense blocks, one per joint; blocks are eliminated in the order of AMD,
/// the pattern of L is computed once and nothing is allocated later.
#ifndef TRM_CONSTRAINT_SOLVER_H
#define TRM_CONSTRAINT_SOLVER_H

#include "engine/arena.h"

/// The immutable part: order and pattern. Lives in a model and serves many factorizations.
typedef struct trm_pattern trm_pattern;

/// Blocks of size[nblocks] rows; pairs[2*npairs] lists the blocks that touch (i != j, repeats
/// allowed). NULL when memory is short.
trm_pattern *trm_pattern_create(int nblocks, const int *size, int npairs, const int *pairs);
void trm_pattern_destroy(trm_pattern *pattern);

/// Where the entries of block (i, j) begin in trm_solver.S, row-major with `size` of the second
/// block as row length. Only the order in which *transposed is 0 is stored: with *transposed = 1
/// the stored block is (j, i).
int trm_pattern_offset(const trm_pattern *pattern, int i, int j, int *transposed);

/// One factorization.
typedef struct trm_solver {
    const trm_pattern *pattern;
    int n;                 ///< rows
    int values;            ///< length of S and L
    double delta;          ///< relative damping
    double *S;             ///< [values] lower blocks, written by the assembler
    double *L;             ///< [values] factors
    double *inverse_pivot; ///< [n] 1/d, in elimination order
    double
        *ratio; ///< [n] (d_i - delta D_i) / D_i by row of g: 0 where row i depends on earlier ones
    double *D[2]; ///< [n] in elimination order, the running maximum of the diagonal of each of the
                  ///< two matrices that may be factored in turn
    double *work; ///< [3*n]
} trm_solver;

void trm_solver_layout(trm_solver *solver, const trm_pattern *pattern, double delta,
                       trm_arena *arena);
/// Forget D: a new run begins.
void trm_solver_reset(trm_solver *solver);
/// S := 0.
void trm_solver_clear(trm_solver *solver);
/// Factor what stands in S, with the scale D[which]. Returns nonzero when a pivot is not positive
/// and finite.
int trm_solver_factor(trm_solver *solver, int which);
/// x[n] := S^+ x by the two solves above.
void trm_solver_solve(const trm_solver *solver, double *x);

/// Rank of a dense symmetric positive semidefinite A[n*n] with unit diagonal, by pivoted Cholesky
/// (LAPACK dpstrf). On return order[n] lists the rows, independent ones first, and A holds for
/// each dependent row order[rank + k] its combination of independent ones: A[(rank + k)*n + i] is
/// the coefficient of row order[i], i < rank. Returns the rank, or -1 without memory.
int trm_rank(int n, double *A, double tolerance, int *order);

/// Dense symmetric positive definite A[n*n]: factor in place, then solve. For M of models from
/// equations. Factoring returns nonzero when A is not positive definite.
int trm_cholesky(int n, double *A);
void trm_cholesky_solve(int n, const double *A, double *x);

#endif
