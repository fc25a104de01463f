/// Comparison of floating-point numbers, which cmocka 1.1.5 does for float only.
#ifndef NEAR_H
#define NEAR_H

#include "tests/claim.h"

#include <math.h>

/// |value - expected| <= tolerance; a NaN is near nothing.
#define assert_near(value, expected, tolerance)                                                    \
    check_near((value), (expected), (tolerance), #value, __FILE__, __LINE__)

/// The same with a tolerance relative to 1 + |expected|.
#define assert_close(value, expected, tolerance)                                                   \
    check_near((value), (expected), (tolerance) * (1.0 + fabs(expected)), #value, __FILE__,        \
               __LINE__)

static inline void check_near(double value, double expected, double tolerance, const char *text,
                              const char *file, int line)
{
    if (!(fabs(value - expected) <= tolerance)) {
        print_error("%s = %.17g, expected %.17g +- %.3g\n", text, value, expected, tolerance);
        _fail(file, line);
    }
}

#endif
