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
/// that S cannot see stay zero. D_i does not vanish with a row that vanishes at a singular position,
/// and is never less than 1e-12 of the largest: a run may start in such a position.
///
/// Where a pivot is small, but larger than delta, less damping keeps the multipliers exact, if `refines`: there
/// a mechanism turns from one motion to another.
///
/// Rows that seem to be redundant everywhere are idle (trm_solver_set_idle; engine/idle_rows.c says when,
/// and when they wake): where the others hold they hold too, so they get a pivot of their own, and a
/// multiplier of zero but for what they contradict the others: with n^T S = 0, n_k = 1, and slack s in row k,
///
///     n^T (S + s D_k e_k e_k^T) x = s D_k x_k = n^T r.
///
/// Off the constraints, at a stage of a long step, their rest n^T r and their pivot are errors.
///
/// Far from singular positions, told by the smallest pivots, S itself is factored and solved with once.
/// With delta = 0 S is taken to be regular (a tree of joints): one plain solve, no D, no ratio.
///
/// The matrix is made of dense blocks, one per joint; blocks are eliminated in the order of AMD,
/// the pattern of L is computed once and nothing is allocated later.
#ifndef TRM_CONSTRAINT_SOLVER_H
#define TRM_CONSTRAINT_SOLVER_H

#include "engine/arena.h"
#include "engine/constraint_pattern.h"

enum { TRM_SOLVER_AGAIN = 2 };

/// A row whose ratio never exceeded this takes no part in rho.
static const double trm_redundant = 1e-6;
/// One whose ratio exceeds this at a closed position is no combination of others but for roundoff: it may not
/// be idle there. An axis that is tilted by e has a ratio of e^2.
static const double trm_roundoff_ratio = 1e-11;

/// One factorization.
typedef struct trm_solver {
    const trm_pattern *pattern;
    int n;                 ///< rows of g
    int values;            ///< length of S and L
    double delta;          ///< relative damping
    double *S;             ///< [values] lower blocks, written by the assembler; then the factors
    double *kept;          ///< [values] S before it was factored, if that was damped
    double *pivot;         ///< [pattern->n] d
    double *inverse_pivot; ///< [pattern->n] 1/d
    double *ratio; ///< [n] d_i/D_i - delta by row of g: 0 where row i depends on earlier ones
    double *idle;  ///< [n] by row of g: slack of the rows that are idle, else 0
    double *slack; ///< [pattern->n] the same by row of S
    int *idle_row; ///< [nidle] those rows of g, ascending
    int nidle;
    double *D[2];         ///< [pattern->n] the running maximum of the diagonal of each of the
                          ///< two matrices that may be factored in turn
    double *inverse_D[2]; ///< [pattern->n] 1/D
    double ratio_min[2];  ///< of the last factorization of each
    double ratio_best[2]; ///< the largest of those
    int refines;  ///< nonzero: damp less near singular positions, for methods that keep their
                  ///< stages so well closed that the direction of a small pivot is no error
    int in_it[2]; ///< nonzero: in a singular position when last seen near to one
    int damped;   ///< nonzero: the last factorization was
    int corner;   ///< nonzero: the same, near a singular position but not in it
    int again;    ///< the next one is the second try
    double *work; ///< [2*pattern->n]
} trm_solver;

void trm_solver_layout(trm_solver *solver, const trm_pattern *pattern, double delta,
                       trm_arena *arena);
/// Forget D: a new run begins.
void trm_solver_reset(trm_solver *solver);
/// Row `row` of g is left idle, or wakes.
void trm_solver_set_idle(trm_solver *solver, int row, int idle);
/// What factorizations leave behind for later ones; they do not change which rows are idle.
typedef struct trm_solver_memory {
    double *D[2]; ///< [pattern->n], from the caller
    double ratio_min[2], ratio_best[2];
    int in_it[2];
} trm_solver_memory;

void trm_solver_remember(const trm_solver *solver, trm_solver_memory *memory);
void trm_solver_recall(trm_solver *solver, const trm_solver_memory *memory);
/// S := 0.
void trm_solver_clear(trm_solver *solver);
/// Factor what stands in S, with the scale D[which]. Returns nonzero when a pivot is not positive
/// and finite, TRM_SOLVER_AGAIN when S needs damping after all and has to be written once more.
/// If all went well and x[n] is not NULL, x := S^+ x, the same bits as by trm_solver_solve.
int trm_solver_factor(trm_solver *solver, int which, double *x);
/// y[n] by row of g: the combination of row `row` with rows eliminated before it that comes closest to
/// zero, of length one in units of sqrt(D); *sigma its value, see singularity.h. Needs delta > 0.
void trm_solver_dependence(const trm_solver *solver, int which, int row, double *y, double *sigma);
/// x[n] := S^+ x by the two solves above.
void trm_solver_solve(const trm_solver *solver, double *x);
/// The same for x and for y, the same bits in less time.
void trm_solver_solve_two(const trm_solver *solver, double *x, double *y);

#endif
