/// Intervals of real numbers, rounded outward: every operation encloses the results for all values
/// of its arguments, and the results of a computation in double precision. Sums, products,
/// quotients and square roots are rounded by their exact error (two-sum, fused multiply-add), and
/// are exact where that is zero; functions of the C library are widened by four units in the last
/// place, twice the documented error of the libraries in use.
///
/// An argument outside the domain is cut off (sqrt of [-1, 4] is [0, 2]); for an empty remainder,
/// and for a quotient by an interval with zero, the result is the whole line.
#pragma once

#include "base/expression/expression_tape.h"

typedef struct trm_interval {
    double lo, hi; ///< lo <= hi, either may be infinite
} trm_interval;

trm_interval trm_interval_of(double x);
trm_interval trm_interval_whole(void);
trm_interval trm_interval_hull(trm_interval a, trm_interval b);
int trm_interval_has(trm_interval a, double x);
double trm_interval_magnitude(trm_interval a); ///< largest |x|

trm_interval trm_interval_negate(trm_interval a);
trm_interval trm_interval_add(trm_interval a, trm_interval b);
trm_interval trm_interval_subtract(trm_interval a, trm_interval b);
trm_interval trm_interval_multiply(trm_interval a, trm_interval b);
trm_interval trm_interval_divide(trm_interval a, trm_interval b);
trm_interval trm_interval_square(trm_interval a);
trm_interval trm_interval_scale(double factor, trm_interval a);
trm_interval trm_interval_power(trm_interval a, int n);         ///< n >= 0
trm_interval trm_interval_real_power(trm_interval a, double b); ///< of what of a is not negative

/// A function of one argument, by its operation: sin to log.
trm_interval trm_interval_apply(trm_opcode f, trm_interval a);
trm_interval trm_interval_atan2(trm_interval y, trm_interval x);
trm_interval trm_interval_dircos(trm_interval x, trm_interval y); ///< x/hypot(x, y)
trm_interval trm_interval_abs(trm_interval a);
trm_interval trm_interval_min(trm_interval a, trm_interval b);
trm_interval trm_interval_max(trm_interval a, trm_interval b);
