/// The numbers of growth.c. tests/tools/verdicts_test.py halves and doubles each.
#ifndef TRM_GROWTH_NUMBERS_H
#define TRM_GROWTH_NUMBERS_H

/// Radians of the own motion: where the companion sets out, and where it is brought back. A chord
/// of D radians is D/2 of itself off the arc: below a hundredth of D.
#define TRM_GROWTH_LITTLE 1e-3
#define TRM_GROWTH_FAR 1e-2

/// Of the run: the window begins. Its own frequency is known by then.
#define TRM_GROWTH_BEGINS 0.2

/// Evaluations of the companion, of those of the run: the tenth that is granted. With its looks it
/// is 6 to 9.4 % of the instructions (pendulums in the plane and in space, a top, Duffing, Kepler).
/// It says how much of the run is seen.
#define TRM_GROWTH_SHARE 0.1

/// Of the run: what a window is expected to last (0.15 to 0.35 is met). It chooses the tolerance
/// only.
#define TRM_GROWTH_WINDOW 0.25

/// Own periods that a window must have for its halves to be compared: each half holds the swings of
/// D with the motion.
#define TRM_GROWTH_PERIODS 8.0

/// Steps of the run before the window begins: it has some 300 then, and its share is about 20 of
/// the companion.
#define TRM_GROWTH_LEAST_STEPS 60.0

/// Steps of the run from one look to the next.
#define TRM_GROWTH_EVERY 8.0

#endif
