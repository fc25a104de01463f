/// Sums and the like over n numbers, one after the other: where a mechanism is symmetric its terms
/// cancel in pairs.
#ifndef TRM_SUMS_H
#define TRM_SUMS_H

#include <math.h>

static inline double trm_dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

static inline double trm_length(int n, const double *x)
{
    return sqrt(trm_dot(n, x, x));
}

/// The largest |x_i|; 0 of none.
static inline double trm_max_norm(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

#endif
