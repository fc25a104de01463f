/// Forces or impulses p of rows that press, stick and slide in the plane, with w = b + W p:
///
///   a box            lo <= p <= hi     as in complementarity.h; 0 is in it, and it is [lo, inf),
///                                      (-inf, hi] or [-t, t]
///   friction         abs(p) <= mu N    of the row `kin`, N = abs(p_kin); w against p where it is
///                                      equal
///   sliding          p = -s mu N       of the row `kin`
///
/// As a linear complementarity problem [Stewart, Trinkle, Int. J. Numer. Meth. Engng 39 (1996)]:
/// p = b1 - b2 of friction, and with g, the rate at which it slides,
///
///   0 <= b1 _|_ w + g >= 0,    0 <= b2 _|_ -w + g >= 0,    0 <= g _|_ mu N - b1 - b2 >= 0.
///
/// Its matrix is copositive where nothing slides, since W is positive semidefinite and mu N g >= 0:
/// Lemke's method then finds a solution if there is a solution (lemke.h). With sliding rows there
/// may be no solution, or several: Painleve's paradox.
#pragma once

#include "engine/contact/lemke.h"

/// Rows that pivots solve for: 3 n variables take some 3 n pivots of 9 n^2 numbers, as much as 27 n
/// sweeps of projected.h. Above 740 rows sweeps reach the 20000 at which they end before.
enum { TRM_CONTACT_PIVOTS = 740 };

typedef struct trm_coulomb_row {
    double lo, hi;
    int kin;     ///< the row that presses it; -1: a box
    double mu;   ///< of `kin`
    int slip;    ///< of `kin`: s; 0: friction that may stick
    double way;  ///< of `kin`, sliding: s, in space a component of the direction of sliding
    int mate;    ///< of friction in space: the other row (projected.h); else -1
    double unit; ///< of its w, where changes of several are compared; 0: 1
} trm_coulomb_row;

typedef struct trm_coulomb {
    trm_lemke lemke;
    int checks;           ///< nonzero: where several forces fit, others than usual
    int pivots;           ///< rows for which there is room
    trm_coulomb_row *row; ///< [n]
    double *scale, *unit; ///< [n] N by unit variable; p by one variable
    int *of, *kind;       ///< [3*n] row of a variable, and which it is
} trm_coulomb;

/// n rows, of which `room` at once are solved, by pivots no more than TRM_CONTACT_PIVOTS; any:
/// nonzero where complementarity problems will be
/// solved, not single rows only.
void trm_coulomb_layout(trm_coulomb *c, int n, int room, int any, trm_arena *arena);

/// p[n] of c->row[n]; noise[n]: the roundoff of b. Returns nonzero where what was found does not
/// meet its conditions, or rows are too many.
int trm_coulomb_solve(trm_coulomb *c, int n, const double *W, const double *b, const double *noise,
                      double *p);
