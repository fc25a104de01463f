/// The next time at which a time switch changes its branch. Intervals prove that no change comes
/// earlier.
///
/// The times ahead are halved, the earlier half first, until an interval is settled: all values of
/// the function g in it mean the same branch, or g is monotone, or convex or concave, so that its
/// values at the ends and at the extremum decide. A change is then enclosed by halving down to two
/// neighbouring numbers.
#ifndef TRM_TIME_SWITCH_H
#define TRM_TIME_SWITCH_H

#include "engine/enclosure/time_formula.h"

typedef struct trm_switch_time {
    double before,
        after;  ///< the last time with the old branch, the first time with another; INFINITY: none
    int proved; ///< zero where the search was cut short, and values at some times decided
} trm_switch_time;

/// Of switch k, in (from, to]. Two changes within 1e-13 (to - from) may be missed.
trm_switch_time trm_next_switch(const trm_time_formula *formula, int k, double from, double to,
                                const trm_time_context *context);

#endif
