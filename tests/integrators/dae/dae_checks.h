/// Assertions about runs of DAEs.
#pragma once

#include "tests/near.h"
#include "trammel/trammel_dae.h"

static inline void assert_done(trm_status status, const trm_error *err)
{
    if (status != TRM_OK) {
        print_error("%s: %s (%s, t = %g)\n", trm_status_name(status), err->message, err->where,
                    err->t);
    }
    assert_int_equal(status, TRM_OK);
}

static inline double largest_difference(int n, const double *a, const double *b)
{
    double largest = 0;
    for (int i = 0; i < n; i++) {
        const double difference = fabs(a[i] - b[i]);
        largest = difference > largest || isnan(difference) ? difference : largest;
    }
    return largest;
}
