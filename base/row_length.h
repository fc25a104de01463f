/// The length of a row of G from which its scale in a run is taken.
#pragma once

#include "base/rank_numbers.h"

/// A row may vanish in the start, as that of a curve does where the curve crosses itself. Where it
/// is near that, `here`, its length is what it changes by over the extents of its mechanism, by its
/// length `beside` the start, TRM_BESIDE of them away: then a row of unit length changes by about
/// one, as others do (TRM_REACH).
static inline double trm_row_length(double here, double beside)
{
    const double change = (beside - here) / TRM_BESIDE;
    return here < TRM_NEAR * change ? change : here;
}
