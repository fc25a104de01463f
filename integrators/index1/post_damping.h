/// The damping of corrections, of a run or of several in lanes.
#ifndef TRM_POST_DAMPING_H
#define TRM_POST_DAMPING_H

#include "engine/base/lane.h"
#include "engine/base/rank_numbers.h"

#include <float.h>

/// *aside: sigma^2 of directions that belong to the gap, which is relative, and not to the
/// mechanism, at least `least`. Returns that of directions in which a correction would be noise.
static inline trm_lane trm_post_damping(trm_lane gap, trm_lane least, trm_lane *aside)
{
    const trm_lane open = trm_lane_smaller(gap, trm_lane_of(TRM_NEAR));
    const trm_lane part = DBL_EPSILON / trm_lane_larger(open, trm_lane_of(DBL_EPSILON));
    *aside = trm_lane_larger(TRM_GAPS * open * open, least);
    return trm_lane_smaller(part * part, trm_lane_of(TRM_REGULAR));
}

#endif
