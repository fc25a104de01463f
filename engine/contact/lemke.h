/// Linear complementarity problems whose matrix need not be symmetric: friction makes it so.
///
///   w = q + M z,    0 <= w  _|_  z >= 0
///
/// Lemke's method [Cottle, Pang, Stone, The Linear Complementarity Problem (1992), 4.4]: q is
/// covered by d z0, z0 goes to zero along complementary pivots. Ties are broken lexicographically,
/// so that no basis comes twice. The method ends in a solution or in a ray. A ray proves that there
/// is no solution where M is copositive and q^T z >= 0 for all z >= 0 with M z >= 0, z^T M z = 0;
/// elsewhere a solution may exist nevertheless.
#pragma once

#include "base/arena.h"

typedef struct trm_lemke {
    int room;
    double *T;         ///< [room*(room + 2)] rows: M, d, q
    int *basic, *free; ///< [room], [room + 1] w_i is i, z_i is room of the problem + i
    int *place;        ///< [2*room + 1] where a variable is: its column, or ~row
    double *z;         ///< [room] the solution
} trm_lemke;

void trm_lemke_layout(trm_lemke *l, int room, trm_arena *arena);

/// The room for row i of a problem of size n: M_i, then d_i, then q_i.
static inline double *trm_lemke_row(const trm_lemke *l, int n, int i)
{
    return l->T + (long)i * (n + 2);
}

/// z of the problem of size n whose rows have been written; q below -noise counts as negative. On a
/// ray, or where numbers are not finite, it is no solution: the caller checks. So does rounding: z0
/// may stay in the basis, with some roundings.
void trm_lemke_solve(trm_lemke *l, int n, double noise);
