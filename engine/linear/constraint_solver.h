/// S = G M^-1 G^T: sparse, symmetric, positive semidefinite, of a pattern known beforehand.
///
/// A redundant or singular mechanism makes S singular; that is normal. What is factored is
///
///     S + delta D = L diag(d) L^T,    D_i = the largest S_ii met since the start,
///
/// and every solve takes exactly one proximal step, the linear-algebra
/// twin of sequential regularization:
///
///     x_0 = (S + delta D)^-1 r,    delta D x_0 = r - S x_0,
///     x = x_0 + (S + delta D)^-1 delta D x_0.
///
/// For r in the range of S the error is O(delta^2) in the regular directions, and the components
/// that S cannot see stay zero. D_i does not vanish with a row that vanishes at a singular
/// position: it is the larger of S_ii and the scale of the row at the start of the run, and at
/// least what a row of roundoff has (trm_pattern.least).
///
/// S itself is factored first. Where all pivots exceed TRM_WELL delta in units of D, S is not
/// damped. The choice is made anew for each matrix.
///
/// Rows that are dependent everywhere (engine/rank) are left out of every solve by their null
/// directions, or masked, see null_space.h. delta = 0 states that S is regular (a tree of joints).
///
/// The matrix is made of dense blocks, one per joint; blocks are eliminated in the order of AMD,
/// the pattern of L is computed once and nothing is allocated later.
#pragma once

#include "base/arena.h"
#include "engine/linear/constraint_pattern.h"
#include "engine/linear/null_space.h"

enum { TRM_SOLVER_AGAIN = 2 };

/// One factorization.
typedef struct trm_solver {
    const trm_pattern *pattern;
    int n;        ///< rows of g
    int values;   ///< length of S and L
    double delta; ///< relative damping, the least that pivots of a singular S need; 0: S is regular
    double *S;    ///< [values] lower blocks, written by the assembler; then the factors
    double *pivot;         ///< [pattern->n] d
    double *inverse_pivot; ///< [pattern->n] 1/d
    double *D;             ///< [pattern->n] of the last factorization
    double *scale[2]; ///< [pattern->n] the least D of each of the two matrices that may be factored
    int noted[2];     ///< nonzero: the scale was
    double ratio_min; ///< of the last factorization: min d/D, directions left out aside
    int damped;       ///< nonzero: the last factorization was
    double damping;   ///< relative, if so
    int light;        ///< axes of light bodies that it leaves to B C B^T, by masses alone
    trm_null_space null; ///< what is left out
    double *work;        ///< [2*pattern->n]
} trm_solver;

void trm_solver_layout(trm_solver *solver, const trm_pattern *pattern, double delta,
                       trm_arena *arena);
/// Forget scales: the next factorization follows from its position alone.
void trm_solver_forget_scales(trm_solver *solver);
/// Forget scales and null directions: a new run begins.
void trm_solver_reset(trm_solver *solver);
/// D of the last factorization of `of`, of the same pattern, becomes the scale of matrix `which`.
void trm_solver_note_scale(trm_solver *solver, int which, const trm_solver *of);
/// The last factorization was that of a position beside the start, where that scale was noted: it
/// tells the scale of rows that vanish in the start (row_length.h).
void trm_solver_note_beside(trm_solver *solver, int which, const trm_solver *of);
/// S := 0.
void trm_solver_clear(trm_solver *solver);
/// Factor what stands in S, with scale[which], damped by delta or not. Returns nonzero when a pivot
/// is not positive and finite, TRM_SOLVER_AGAIN when S turns out to need damping: the caller writes
/// S once more. On success, with x[n] not NULL, x := S^+ x with the bits of trm_solver_solve.
int trm_solver_factor(trm_solver *solver, int which, double delta, int damped, double *x);
/// x[n] := S^+ x by the two solves above.
void trm_solver_solve(const trm_solver *solver, double *x);
/// x[n] := (S + delta D)^-1 x, null directions left out: a step of inverse iteration, not refined.
void trm_solver_iterate(const trm_solver *solver, double *x);
/// x[n] := the part of x without null directions, as solutions have it.
void trm_solver_leave_out_of_solution(const trm_solver *solver, double *x);
/// b[n] := the part of a right-hand side that solves see, b - D W W^T b.
void trm_solver_leave_out(const trm_solver *solver, double *b);
/// Returns nonzero if damping leaves less than TRM_SHARE^4 of a solution after two steps,
/// (delta/rho)^2: then two corrections with trm_solver_iterate leave as much as one with
/// trm_solver_solve, and of what is not linear what two leave.
int trm_solver_is_damped_little(const trm_solver *solver);
/// x[n] := L^-T e_i of the last factorization, i by row of S.
void trm_solver_column(const trm_solver *solver, int i, double *x);
/// x[n] := the k-th of the directions that are left out, of all parts at once.
void trm_solver_left_out(const trm_solver *solver, int k, double *x);
/// trm_solver_solve for x and for y, with the same bits, in less time than two calls.
void trm_solver_solve_two(const trm_solver *solver, double *x, double *y);
