/// What is promised of a run, and what its verdicts are measured by (docs/recordings.md). A is the
/// accuracy asked for, relative to the size of the motion.
#ifndef TRM_PROMISE_H
#define TRM_PROMISE_H

/// A over the relative tolerance of a step: a run may take a hundred steps whose errors add up.
#define TRM_STEPS_IN_A 100

/// A: the motion may err by so many.
#define TRM_PROMISED 10

/// A: the energy goes with the square of the motion, and may err by twice as many.
#define TRM_PROMISED_OF_ENERGY (2 * TRM_PROMISED)

/// Gaps in rad or over the size of the mechanism, losses over the exchanged energy: good and fair
/// where no accuracy asks for other bounds.
#define TRM_USUALLY_GOOD 1e-6
#define TRM_USUALLY_FAIR 1e-3

#endif
