/// Whether a step follows the formulas of the time: what its stages see
/// of them is what they do in between.
///
/// Of a signal phi (time_formula.h) in a step of size h, with all of phi^(k)/k! in c_k there: the
/// polynomial that interpolates phi in the Chebyshev points of the step, of degree k - 1, differs
/// from it by at most
///
///     d_k = 2 (h/4)^k max |c_k|          (d_0: half the width of c_0)
///
/// A method of order p integrates polynomials of degree p - 1 exactly; so the impulse of phi over
/// the step, as the method has it, is wrong by at most h (1 + sum |b_i|) min_{k<=p} d_k. The step
/// follows phi where
///
///     min_{k<=p} d_k  <=  rtol R,        R: the range of phi, highest less lowest value
///
/// which makes an error of rtol of a pulse's impulse at most, the share that one step
/// may have in all errors. Of pulses shorter than a least one, 1e-9 of the time looked ahead,
/// nothing is promised; in a step shorter than that, h, rtol R (least/h) is enough, which makes an
/// error of rtol of the impulse of the least one: so are roots passed, sqrt(abs(t - 1)), whose
/// slope is infinite. Of a motor or a constraint phi'' drives the motion, and
/// phi'' is asked for the same as phi.
///
/// R comes from values that phi takes, so that it is never too large; intervals say
/// where to look for higher ones, until it is within a factor of three. Nothing of
/// this depends on what the run has seen.
#ifndef TRM_FOLLOW_H
#define TRM_FOLLOW_H

#include "engine/events/time_formula.h"

/// Values between which a signal moves.
typedef struct trm_signal_range {
    double lo, hi;
} trm_signal_range;

/// d = min d_k of one signal in a step of this size, c[0 ... order + derivative]; of its derivative
/// (0 or 2).
double trm_signal_deviation(const trm_series *c, int order, int derivative, double h);

/// Extend the range of signal `which` (of `derivative`), of `count`, by values in t. room[count].
void trm_signal_look(const trm_time_formula *formula, int which, int derivative, trm_interval t,
                     const trm_time_context *context, trm_series *room, trm_signal_range *range);

#endif
