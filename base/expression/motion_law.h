/// Laws of motion of a motor from one place to the next: formulas of the time.
///
///   x = x0 + D f(s),   s = (t - t0)/T in [0, 1]
///
///   345, polynomial_345   f = 10 s^3 - 15 s^4 + 6 s^5
///   cycloidal             f = s - sin(2 pi s)/(2 pi)
///   modified_sine         f' = pi (1 - cos 4 pi s)/(4 + pi) to s = 1/8 and from 7/8 on,
///                         f' = pi (1 - 3 cos((4 pi s + pi)/3))/(4 + pi) between
///   trapezoid             the quickest within limits of speed, acceleration and jerk: the
///                         acceleration is a trapezoid up, nothing, and a trapezoid down
///
/// All have two continuous derivatives that vanish at both ends. (Norton, Cam Design and
/// Manufacturing Handbook, chapters 3 and 4; the peaks follow by differentiation.)
#pragma once

#include "base/text/text_buffer.h"

/// One move.
typedef struct trm_move {
    double start, from, to;           ///< s; rad or m
    double duration;                  ///< s; 0: as the limits of `trapezoid` want it
    double speed, acceleration, jerk; ///< largest ones; infinite: no limit
} trm_move;

/// The names of the laws; NULL behind the last.
const char *trm_motion_law(int law);
/// Whether its duration follows from its limits.
int trm_motion_law_is_timed(int law);
/// Append "+f": what the move adds to x. *duration: how long it takes. Returns NULL, or the limit
/// that cannot be kept, and then *needed of it.
const char *trm_motion_law_put(int law, const trm_move *move, trm_text_buffer *out,
                               double *duration, double *needed);
