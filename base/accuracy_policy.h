/// What is promised of a run, and what its verdicts are measured by (docs/reference/verdicts.md). A
/// is the accuracy asked for, relative to the size of the motion.
#pragma once

#include <float.h>

/// A over the relative tolerance of a step: a run may take a hundred steps whose errors add up.
enum { TRM_ACCURACY_STEPS = 100 };

/// The same with formulas of many steps, Adams' and backward differentiation, which take five to
/// ten times as many steps for an error.
enum { TRM_ACCURACY_STEPS_MULTISTEP = 1000 };

/// Of the size of a mechanism with loops, or of its distance from the origin: errors of steps are
/// roundoff there where the tolerance is A/100; in proportion for other methods.
#define TRM_FINEST 1e-13

/// The finest accuracy that a run is checked at: a hundred roundings in each of a hundred steps.
#define TRM_FINEST_ACCURACY 1e-12

/// In units of A: the motion may err by this.
#define TRM_ACCURACY_MOTION 10

/// In units of A: the energy goes with the square of the motion, and may err by twice as much.
#define TRM_ACCURACY_ENERGY (2 * TRM_ACCURACY_MOTION)

/// Gaps in rad or over the size of the mechanism, losses over the exchanged energy: good and fair
/// where no accuracy asks for other bounds.
#define TRM_ACCURACY_DEFAULT_GOOD 1e-6
#define TRM_ACCURACY_DEFAULT_FAIR 1e-3

/// What errs by `permitted` is good up to this: an error that shows that the motion errs by more
/// than was asked for is not good, however small.
static inline double trm_accuracy_good(double permitted)
{
    return permitted < TRM_ACCURACY_DEFAULT_GOOD ? permitted : TRM_ACCURACY_DEFAULT_GOOD;
}

/// The misfit that counts as play unless a scene says another: 1 mm in 1 m, 0.06 degrees, what
/// bearings take.
#define TRM_MISFIT 1e-3

/// What two numbers of a drawing, each off by a misfit, differ by, of their size or rad.
#define TRM_FIT (2 * TRM_MISFIT)

/// The largest misfit that may be asked for. A row that is no misfit has at the way of 0.2 a length
/// of 0.09 at least in all mechanisms tried, and a second-order one 0.04; half of that is left.
#define TRM_MOST_MISFIT 0.02

/// Of the size of a mechanism: a hundred roundings of a position are no misfit.
#define TRM_NO_MISFIT (100 * DBL_EPSILON)
