/// The numbers of growth.c. tests/tools/verdicts_test.py halves and doubles each.
#ifndef TRM_GROWTH_NUMBERS_H
#define TRM_GROWTH_NUMBERS_H

/// Radians of the own motion: where the companion sets out, and where it is brought back. A chord
/// of D radians is D/2 of itself off the arc: below a hundredth of D.
#define TRM_GROWTH_LITTLE 1e-3
#define TRM_GROWTH_FAR 1e-2

/// Of the run: the window begins. Its own frequency is known by then.
#define TRM_GROWTH_BEGINS 0.2

/// Evaluations of the companion, of those of the run; looking costs the rest of the tenth that is
/// granted. It says how much of the run is seen: with half of it Duffing's chaos over 300 s does
/// not show, and an orbit of eccentricity 0.96 is called chaotic after one passage.
#define TRM_GROWTH_SHARE 0.07

/// Of the run: what a window is expected to last (0.13 to 0.25 is met). It chooses the tolerance
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
