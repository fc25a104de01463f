/// Peaks of formulas of the state that a step has not seen: exp(-((p.x - 5)/0.001)^2) in a step
/// from p.x = 0 to 10 is zero at all its stages.
///
/// After a step its motion is known, sampled as polynomials of the time (trm_time_path), and a
/// formula along it is a function of the time. Steps resolve what changes from stage to stage, or
/// refuse; they cannot see what rises and falls between two of them. Results that may peak are
/// those of a function that is no polynomial, and all that follow from them. Their values in
/// between are held against those at the stages that the estimate of the error weighs. They go
/// beyond those by half of their differences at most. A parabola goes beyond them by 0.07 of their
/// differences in dop853, 0.26 in dopri5 (its top in the middle of the widest gap between stages).
/// Results that change by less than 0.01 of their size count as constant: so much the path itself
/// may err in steps of a radian. A bump on a large value is a result of its own.
///
/// Most steps need none of this: where no argument of a function moves by more than the function's
/// own length - 1 for exp, sin, tanh; half of the argument for 1/x, sqrt, log - nothing fits in
/// between. A method without such an estimate has seen the ends of the step.
///
/// Boxes of the time enclose the results: sums over the motion as polynomials (time_path.h), else
/// by intervals, and where these leave it open, once more by the mean value theorem. It knows what
/// intervals do not, that terms change together; the slope of a length is at most that of its
/// vector, so that points which meet leave nothing open.
#pragma once

#include "engine/enclosure/time_formula.h"

/// What a step has seen, and workspace.
typedef struct trm_peak_view {
    int nseen;
    const double *seen; ///< [nseen + nmore] parts of the step; the last are those of a dense output
    int nmore;
    int touched;        ///< set: a peak was found, and the dense output has seen it
    int residual;       ///< nonzero: the last result is that of a constraint, zero along the motion
    int open;           ///< set: a search ran out
    double *hull;       ///< [2*results] lowest and highest value there
    trm_series *series; ///< [results]
} trm_peak_view;

/// The time in the step t at which the formula is farthest beyond what was seen, within a factor of
/// two; INFINITY: at none.
double trm_peak(const trm_time_formula *formula, int results, trm_interval t,
                const trm_time_context *context, trm_peak_view *view);
