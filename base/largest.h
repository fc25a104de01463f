/// The largest of several numbers, and where.
#pragma once

#include "base/lane.h"
#include "base/loops.h"

/// max |x_i| of x[n], the last one that is no number, if any, or what follows it; *where: its i, -1
/// without any.
TRM_INLINE trm_lane trm_largest(int n, const trm_lane *x, trm_lane *where)
{
    trm_lane most = {0}, at = trm_lane_of(n > 0 ? 0 : -1);
    for (int i = 0; i < n; i++) {
        const trm_lane size = trm_lane_magnitude(x[i]);
        const trm_lane_truth less = size <= most;
        at = trm_lane_choose(less, at, trm_lane_of(i));
        most = trm_lane_choose(less, most, size);
    }
    *where = at;
    return most;
}
