/// A table y(x): a piecewise polynomial through given points.
///
/// Every piece is the cubic of its two values and two slopes (Hermite); linear tables use the
/// values alone. The slopes:
///
///   cubic      those of the C2 spline. Its ends: periodic; natural (no curvature) where it is
///              extrapolated by straight lines, so that it is C2 there too; level where it is held;
///              else not-a-knot (the first and the last two pieces are one cubic each)
///   monotone   F. N. Fritsch, J. Butland, SIAM J. Sci. Stat. Comput. 5 (1984) 300-304, with the
///              ends of C. Moler, Numerical Computing with MATLAB, 3.4 (pchip); level where it is
///              held. C1
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef enum trm_interpolation {
    TRM_TABLE_LINEAR,
    TRM_TABLE_CUBIC,
    TRM_TABLE_MONOTONE
} trm_interpolation;

/// What holds left of the first and right of the last point.
typedef enum trm_outside {
    TRM_OUTSIDE_ERROR,       ///< no value: NaN
    TRM_OUTSIDE_HOLD,        ///< the value of the end
    TRM_OUTSIDE_EXTRAPOLATE, ///< a straight line with the slope of the end
    TRM_OUTSIDE_PERIODIC     ///< the first value is the last one, and all repeats
} trm_outside;

/// One block of memory, no pointers inside.
typedef struct trm_table {
    size_t bytes;
    int n; ///< points, 2 or more
    trm_interpolation interpolation;
    trm_outside outside;
    int smoothness;  ///< continuous derivatives: 0, 1 or 2
    double values[]; ///< x[n], rising; y[n]; slope[n]
} trm_table;

size_t trm_table_bytes(int n);

/// The slopes and the smoothness, when all else is set. work[5 n].
void trm_table_finish(trm_table *table, double *work);

/// Number of the piece: j between x[j] and x[j+1], -1 before x[0], n - 1 behind x[n-1]; of a
/// periodic table j + (n - 1) turn, of any turn. INT64_MIN when x is NaN or too far.
int64_t trm_table_piece(const trm_table *table, double x);

/// lo <= x <= hi of a piece.
void trm_table_interval(const trm_table *table, int64_t piece, double *lo, double *hi);

/// out[3] = y, y', y'' at x, on that piece.
void trm_table_value(const trm_table *table, int64_t piece, double x, double out[3]);
