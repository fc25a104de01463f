/// Forces p of rows that press, stick or let go: with w = b + W p, W
/// symmetric and positive semidefinite,
///
///   lo <= p <= hi,  w_i = 0 where lo < p < hi,  w_i >= 0 where p_i = lo,  w_i <= 0 where p_i = hi.
///
/// These are the conditions of the minimum of p^T W p/2 + b^T p in the box, found by active sets:
/// from p = 0 towards the minimum over the free p, up to the first bound; at that minimum, the
/// bound with the largest inward gradient w is freed. The sum falls from set to set; there are
/// finitely many sets, and none is met twice. Where rows depend on each other, w is unique and p is
/// not; the smallest free p in units of sqrt(W_ii) is taken.
#pragma once

#include "base/arena.h"

typedef struct trm_complementarity {
    int room;
    int *set;      ///< [room] 0 free, -1 at lo, 1 at hi
    int *list;     ///< [room] the free ones
    double *A, *U; ///< [room*room] their part of W, and its factor
    double *y, *r; ///< [room]
    double *D;     ///< [room] their weights, in units of the diagonal
    double *unit;  ///< those of all, or NULL: 1
} trm_complementarity;

void trm_complementarity_layout(trm_complementarity *c, int room, trm_arena *arena);

/// p[n]; noise[n]: the roundoff of w. lo <= 0 <= hi. Returns nonzero when there are more sets than
/// there can be, or numbers that are not finite: no solution. TRM_CONTRADICTION: the sum falls
/// without end along p, W p = 0 and b . p < 0: no motion keeps all these w from being negative.
int trm_complementarity_solve(trm_complementarity *c, int n, const double *W, const double *b,
                              const double *lo, const double *hi, const double *noise, double *p);

/// x[n] := W^+ x, the least in units of D = `unit` diag(W), for those rows of W[stride*stride] that
/// list[n] names (NULL: the first n). Returns TRM_NO_NUMBERS where x is not finite,
/// TRM_CONTRADICTION where it is outside of the range of W by more than `least`: dependent rows
/// then contradict each other, and x is of that part over a 1e-9th of D.
enum { TRM_CONTRADICTION = 1, TRM_NO_NUMBERS = 2 };
int trm_semidefinite_solve(trm_complementarity *c, int n, const int *list, const double *W,
                           int stride, double least, double *x);
