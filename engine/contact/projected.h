/// Forces or impulses p of many rows by the projected form of the sequential regularization step:
///
///   p_s = proj(p_{s-1} - (1/epsilon) E (b + W p_{s-1})),   epsilon = 1, E = diag(W)^-1
///
/// row after row, each with the new p of the rows before it. proj is onto [lo, hi] of a box, and
/// onto [-mu N, mu N] of friction in the plane. Friction in space is two rows that are mates: proj
/// is onto the disc |p| <= mu N, E = 1/(their largest eigenvalue). N is p of the row `kin`.
///
/// It is the augmented Lagrangian method of [AL95 (4.4)-(4.5)] with a multiplier that cannot pull.
/// Without friction by a coefficient it descends on the convex quadratic program of
/// complementarity.h, coordinate by coordinate, and converges linearly even where W is singular
/// [Luo, Tseng, J. Optim. Theory Appl. 72 (1992)]. With such friction the radius of the disc
/// changes from sweep to sweep, and the fixed point iteration need not converge: where one point
/// slides, N moves by -mu W_nt/W_nn of its last change, and diverges where that is above 1. With a
/// part s of each change it moves by 1 - s (1 + mu W_nt/W_nn), and converges for s small.
///
/// What a sweep makes zero is piecewise smooth. Newton's method on it [Alart, Curnier, Comput.
/// Methods Appl. Mech. Eng. 92 (1991)] need not converge; where it does, from where sweeps have
/// come to, it takes some steps in place of many sweeps.
#pragma once

#include "engine/contact/coulomb.h"

/// W of n rows, by those that move each other: those that share a body.
typedef struct trm_projected_rows {
    int n;
    const double *W; ///< [n*n]
    double *own;     ///< [room] W_ii
    int *first;      ///< [room + 1] where a row begins among
    int *column;     ///< [room*room] those that it moves, and
    double *value;   ///< [room*room] by how much
} trm_projected_rows;

void trm_projected_layout(trm_projected_rows *rows, int room, trm_arena *arena);
void trm_projected_link(trm_projected_rows *rows, int n, const double *W);

/// b + W p of row i.
double trm_projected_rate(const trm_projected_rows *W, const double *b, const double *p, int i);

/// One sweep over p[n]; of single rows `part` of the change. Returns the largest change of a row's
/// own w by its p, in its unit; of friction times sqrt(W_nn/W_ii): as of its stop at equal energy.
double trm_projected_sweep(const trm_projected_rows *W, const trm_coulomb_row *rows,
                           const double *b, double part, double *p);

/// Sweeps from p until none changes w by more than `least`, then, in space, from 0 with smaller
/// parts. Returns nonzero where `sweeps` of each were not enough, or numbers are not finite.
int trm_projected_solve(const trm_projected_rows *W, const trm_coulomb_row *rows, const double *b,
                        double least, int sweeps, double *p);

/// Whether impulses p add energy to rates u by more than roundoff; *lost, J: what they take.
int trm_projected_gains(const trm_projected_rows *W, const double *u, const double *p,
                        double *lost);

/// p, which takes energy from rates u, := p + s (bounces - p), the largest s <= 1 that adds none.
void trm_projected_bound(const trm_projected_rows *W, const double *u, double *bounces, double *p);
