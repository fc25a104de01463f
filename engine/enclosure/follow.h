/// Whether a step follows the formulas of the time: whether the values at its stages represent the
/// formulas in between.
///
/// Let phi be a signal (time_formula.h) in a step of size h, with all of phi^(k)/k! in c_k there:
/// the polynomial that interpolates phi in the Chebyshev points of the step, of degree k - 1,
/// differs from it by at most
///
///     d_k = 2 (h/4)^k max |c_k|          (d_0: half the width of c_0)
///
/// A method of order p integrates polynomials of degree p - 1 exactly; so the method's impulse of
/// phi over the step is wrong by at most h (1 + sum |b_i|) min_{k<=p} d_k. The step follows phi
/// where
///
///     min_{k<=p} d_k  <=  rtol R,        R: the range of phi, highest less lowest value
///
/// so that the error is at most rtol of a pulse's impulse, the share of one step in all errors.
/// Pulses shorter than a least duration, 1e-9 of the horizon, are not covered. In a step h shorter
/// than that duration, rtol R (least/h) is enough: the error is then rtol of the impulse of the
/// shortest pulse. In this way roots are passed, sqrt(abs(t - 1)), whose slope is infinite. In a
/// motor or a constraint phi'' drives the motion, and the condition holds for phi'' as well.
///
/// R is the range of values that phi takes, so that it is never too large; intervals tell where to
/// look for higher values, until R is within a factor of three. None of this depends on the history
/// of the run.
#pragma once

#include "engine/enclosure/time_formula.h"

/// Values between which a signal moves.
typedef struct trm_signal_range {
    double lo, hi;
} trm_signal_range;

/// d = min d_k of one signal in a step of this size, c[0 ... order + derivative]; of its derivative
/// (0 or 2).
double trm_signal_deviation(const trm_series *c, int order, int derivative, double h);

/// Take a value into the range, without its rounding error; one that is not finite is none.
void trm_signal_see(trm_interval value, trm_signal_range *range);

/// Extend the range of signal `which` (of `derivative`), of `count`, by values in t. room[count].
void trm_signal_look(const trm_time_formula *formula, int which, int derivative, trm_interval t,
                     const trm_time_context *context, trm_series *room, trm_signal_range *range);
