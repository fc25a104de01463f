/// The next mode change of a switching function of the time. Intervals prove that no change comes
/// earlier.
///
/// The times ahead are halved, the earlier half first, until an interval is settled: all values of
/// the function g in it mean the same mode, or g is monotone, or convex or concave, so that its
/// values at the ends and at the extremum decide. A change is then enclosed by halving down to two
/// neighbouring numbers.
#pragma once

#include "engine/enclosure/time_formula.h"

typedef struct trm_mode_change {
    double before,
        after;  ///< the last time in the old mode, the first time in another; INFINITY: none
    int proved; ///< zero where the search was cut short, and values at some times decided
} trm_mode_change;

/// Next mode change of switching function k in (from, to]. Two changes within 1e-13 (to - from) may
/// be missed.
trm_mode_change trm_next_mode_change(const trm_time_formula *formula, int k, double from, double to,
                                     const trm_time_context *context);
