/// When a time switch changes its branch next. Intervals prove that it does not before.
///
/// The times ahead are halved, the earlier half first, until an interval is settled: all values of
/// its function g there mean the same branch, or g is monotone or curves to one side only, so that
/// its values at the ends and at its extremum tell. A change is then enclosed by halving down to
/// two neighbouring numbers.
#ifndef TRM_TIME_SWITCH_H
#define TRM_TIME_SWITCH_H

#include "engine/events/time_formula.h"

typedef struct trm_switch_time {
    double before,
        after;  ///< the last time with the old branch, the first with another; INFINITY: none
    int proved; ///< zero where the search got too long, and values at some times decided
} trm_switch_time;

/// Of switch k, in (from, to]. Two changes closer to each other than
/// 1e-13 (to - from) may pass for none.
trm_switch_time trm_next_switch(const trm_time_formula *formula, int k, double from, double to,
                                const trm_time_context *context);

#endif
