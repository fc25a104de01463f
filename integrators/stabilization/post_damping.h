/// The damping of corrections, of a run or of several in lanes.
#pragma once

#include "base/lane.h"
#include "base/rank_numbers.h"

#include <float.h>

/// *aside: sigma^2 of directions that belong to the gap, which is relative, and not to the
/// mechanism, at least `least`; a row changes by `size` when bodies turn by a radian. Returns that
/// of directions in which a correction would be noise.
static inline trm_lane trm_post_damping(trm_lane gap, trm_lane size, trm_lane least,
                                        trm_lane *aside)
{
    const trm_lane open = trm_lane_smaller(gap, trm_lane_of(TRM_NEAR));
    const trm_lane part = DBL_EPSILON / trm_lane_larger(open, trm_lane_of(DBL_EPSILON));
    *aside = trm_lane_larger(TRM_GAPS * open * open * size * size, least);
    return trm_lane_smaller(part * part, trm_lane_of(TRM_REGULAR));
}

/// min d/D of S below which the next pass needs S anew. The correction turns rows by its gap e and
/// changes S by e across its weakest direction, where residuals of e have reactions of e/sigma^2:
/// with the S of before e^2/sigma^2 is left, a tenth of e where sigma^2 is 10 e.
static inline trm_lane trm_post_turned(trm_lane gap)
{
    return TRM_TANGENT * gap;
}
