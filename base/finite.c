#include "base/finite.h"
#include "base/loops.h"

#include <stdint.h>

TRM_WIDE static int all_finite(int n, const double *x)
{
    int64_t finite = 1; // as wide as a double, for the sake of vectors
    for (int i = 0; i < n; i++) {
        finite &= x[i] * 0 == 0;
    }
    return finite != 0;
}

int trm_all_finite(int n, const double *x)
{
    return all_finite(n, x);
}
