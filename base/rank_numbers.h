/// All numbers about rank, singular positions and their crossings, each with its derivation. None
/// depends on a scene. tests/tools/numbers/numbers_test.py doubles and halves each.
#pragma once

/// The least D_i relative to that of a row by which its bodies are held: its square root is where
/// rows count as dependent (TRM_DEPENDENT); a row of roundoff has no scale of its own.
#define TRM_LEAST_SCALE (TRM_DEPENDENT * TRM_DEPENDENT)

/// For rows of unit length: a row whose part orthogonal to the others is shorter than this depends
/// on them by the letter.
#define TRM_DEPENDENT 1e-6

/// Error of the pivots of a singular S, in units of D: some hundred eps.
#define TRM_LEAST_DAMPING 1e-13

/// delta as a part of sigma^2: solved twice and refined, a loses its fourth power.
#define TRM_SHARE 1e-3

/// delta unless another one is asked for: pivots err by the part TRM_SHARE of it.
#define TRM_DAMPING (TRM_LEAST_DAMPING / TRM_SHARE)

/// Damping does not matter for a pivot above this many delta, or for sigma above
/// its square root times sqrt(delta).
#define TRM_WELL 100.0

/// Corrections: (some gaps)^2. Open by a gap e, a vanishing row s n is s n + e m: a direction
/// across the motion only where s is several e. Nearer it would stop the motion along m. The rest
/// of the gap is corrected after the position.
#define TRM_GAPS 100.0

/// Where S exceeds this in all directions, in units of D, a plain solve loses less than eps/1e-3,
/// below the tightest tolerances; nearer to a singular position accelerations are refined once by
/// their own residual.
#define TRM_REGULAR 1e-3

/// sigma below this fraction of its largest value is near a singular position: steps with errors
/// of single precision resolve no more.
#define TRM_NEAR 1e-3

/// Times sqrt(delta): damped solves have lost a percent of a direction with this sigma. Times eps:
/// error of a residual, a sum of a few rounded numbers.
#define TRM_FEW 3.0

/// A body counts as light about an axis, where rows miss others, with this part s^2 of its largest
/// inertia: others count e^2/s^2 of what misfits e do there (null_space.h), s is ten times what
/// play may be. Half and double: validation/campaign/thin says the same.
#define TRM_LIGHT 1e-3

/// rad: the step of a central difference, eps^(1/3).
#define TRM_DIFFERENCE 6e-6

/// Where motions meet, coordinates along them have x y = e of a gap e: at the distance sigma a run
/// is e/sigma off, a tenth of the distance where sigma^2 is 10 e. Farther out it does not turn from
/// one motion to the other.
#define TRM_TANGENT 10.0

/// Rows whose angle has at least this |cosine| are the same row, or its opposite. Between two
/// points that are compared a row turns by a radian at most (TRM_REACH), cosine 0.54; with 0
/// perpendicular rows would count as the same.
#define TRM_ALIKE 0.3

/// A bound: a row of unit length changes by at most about this when
/// its two bodies turn by one radian.
#define TRM_REACH 2

/// Part of sigma^2 to which inverse iteration finds it: what of another direction is left makes it
/// too large by tan(angle)^2, angle that of the last pass. It decides whether a row can have
/// vanished, by a bound (TRM_REACH) that is cruder than this.
#define TRM_SETTLED 0.1

/// The shortest piece of a step that is looked at, as a part of the step: bodies that turn by ten
/// radians in it turn by 1e-4 in the piece, a tenth of what counts as near.
#define TRM_LEAST_SUBSTEP (TRM_NEAR / 100)

/// Looks inside a step at most: where a row jumps an eighth of the step is halved 14 times, down to
/// TRM_LEAST_SUBSTEP, and pieces are doubled as often behind it; so many for each of the eighths.
#define TRM_MOST_LOOKS (14 * 2 * 8.0)

/// Steps: farther than so many steps from t* a stage that is open loses less of its order than
/// 2/10 (stage_closing.h: y'' = -2 y'/(t - t*) in one step).
#define TRM_REACH_OF_STEPS 10.0

/// Tolerances of a step: an error that is roundoff, and no less in shorter steps, may be so many. A
/// step may err by the hundredth part of the accuracy wanted (trm_choose_options), and this one by
/// the whole of it. 50 and 200: docs/explanation/singular_positions.md.
#define TRM_NOISY 100.0

/// A start is looked at beside it as well, so far from it, in extents of its mechanism
/// (rank_probe.c, row_length.h): what is looked for there is no difference.
#define TRM_BESIDE 0.02

/// Where nothing moves, axes askew by up to so much are refused with what would free them; beyond
/// that the lock is told. At twice of it directions count as repeated that are sound: the
/// least sigma of four-bars and Sarrus is 0.3 to 0.5. 0.16 and 0.64: validation/campaign/drawings
/// --number ASKEW.
#define TRM_ASKEW 0.32

/// By the letter a row holds that differs from others by its length sigma only. A step errs by 1e-8
/// of the motion, and that row is open by as much where the mechanism has gone by 1e-8/sigma: in a
/// hundred steps by a hundredth of its size, at this sigma. Below it neither holds nor lets go.
#define TRM_UNRESOLVED 1e-4

/// A speed below this fraction of the usual speed counts as rest.
#define TRM_REST 1e-6
