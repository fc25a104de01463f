/// A curve c(s) in the plane or in space, by formulas of s or as a C2 spline through points, with
/// directions beside it.
///
///     c(s), c', c''   exact; a spline has cubic pieces over the lengths of its chords
///     a_1(s), a_2(s)  directions that lean against the curve nowhere: C2 splines of its normals
///                     (in the plane a_1, to the left of c'), which turn about the curve as little
///                     as they can (W. Wang et al., ACM Trans. Graph. 27 (2008) 2: double
///                     reflection); of a closed curve what is left of a turn is shared out evenly
///
/// Behind its ends an open curve goes on as the parabola that has the c, c', c'' of the end, and so
/// do the directions; a closed one repeats.
#pragma once

#include "base/expression/expression.h"

/// One block of memory, no pointers inside.
typedef struct trm_curve {
    size_t bytes;
    int dimension, closed;
    double lo, hi;    ///< of s
    double size;      ///< m, the largest |c|
    int knots;        ///< of the directions; the last is at hi
    size_t form[3];   ///< bytes from here: the expression of a component; 0 for a spline
    size_t spline[3]; ///< likewise: its table
    size_t side[6];   ///< likewise: tables of the components of a_1, then of a_2
    size_t place;     ///< likewise: c at the knots, double[knots*dimension]
} trm_curve;

/// What is known at one s: value and two derivatives, component by component.
typedef struct trm_curve_point {
    double c[3][3];       ///< [derivative][component]
    double side[2][3][3]; ///< [which][derivative][component]; in the plane a_2 is (0, 0, 1)
} trm_curve_point;

/// What a curve is made of: formulas, or points.
typedef struct trm_curve_source {
    int dimension, closed;
    double lo, hi;                 ///< of formulas
    const trm_expression *form[3]; ///< of x[0] = s; NULL: points
    int n;
    const double (*points)[3]; ///< m, [n]; closed: the first one follows the last
} trm_curve_source;

/// What is wrong with it, and where.
typedef enum trm_curve_fault {
    TRM_CURVE_GOOD,
    TRM_CURVE_NO_MEMORY,
    TRM_CURVE_NOT_FINITE, ///< c, c' or c'' is no number at s
    TRM_CURVE_STANDS,     ///< c' is zero there
    TRM_CURVE_SHARP,      ///< it turns by more than a tenth of a radian within 1/8192 of it
    TRM_CURVE_OPEN        ///< c, c' or c'' (which) is not the same at both ends of a closed one
} trm_curve_fault;

/// To be freed by the caller; NULL with *fault. *s: where; *derivative: which one is OPEN.
trm_curve *trm_curve_create(const trm_curve_source *source, trm_curve_fault *fault, double *s,
                            int *derivative);

/// Doubles of workspace for the following.
int trm_curve_workspace(const trm_curve *curve);
void trm_curve_at(const trm_curve *curve, double s, double *work, trm_curve_point *out);
/// c, c', c'' alone, [derivative][component].
void trm_curve_place(const trm_curve *curve, double s, double *work, double c[3][3]);
/// The knot nearest to a point.
double trm_curve_nearest(const trm_curve *curve, const double point[3]);
