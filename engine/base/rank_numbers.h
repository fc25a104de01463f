/// All numbers of the area of rank, singular positions and their crossings, each with its
/// derivation. None is a matter of a scene. tests/tools/numbers_test.py doubles and halves each.
#ifndef TRM_RANK_NUMBERS_H
#define TRM_RANK_NUMBERS_H

/// A row that is nothing but roundoff has no scale of its own: the least D_i against the largest.
#define TRM_LEAST_SCALE 1e-12

/// Of rows of unit length: one whose new part is not longer follows from the others. Descriptions
/// of six digits and more are meant to be exact where they are dependent up to their rounding.
#define TRM_DEPENDENT 1e-6

/// What pivots of a singular S are known to, in units of D, at least: some hundred eps.
#define TRM_LEAST_DAMPING 1e-13

/// delta as a part of sigma^2: solved twice and refined, a loses its fourth power.
#define TRM_SHARE 1e-3

/// Steps ahead in which a row may vanish: as many times as a step may grow.
#define TRM_AHEAD 10.0

/// A pivot above this many delta, sigma above its square root times sqrt(delta), is no matter of
/// damping.
#define TRM_WELL 100.0

/// Corrections: (some gaps)^2. Open by a gap e, a vanishing row s n is s n + e m: a direction
/// across the motion only where s is several e. Nearer it would stop the motion along m. What is
/// left of the gap is corrected behind it.
#define TRM_GAPS 100.0

/// Where S exceeds this in all directions, in units of D, a plain solve loses less than eps/1e-3,
/// below the tightest tolerances; nearer to a singular position accelerations are refined once by
/// their own residual.
#define TRM_REGULAR 1e-3

/// sigma below this part of its largest value is near a singular position: steps of single
/// precision do not see more.
#define TRM_NEAR 1e-3

/// Times sqrt(delta): where the solves, damped, have lost a percent of what a direction needs.
/// Times eps: what a residual is known to, a sum of some few numbers that are rounded.
#define TRM_FEW 3.0

/// rad: the step of a central difference, eps^(1/3).
#define TRM_DIFFERENCE 6e-6

/// How many times more than its estimate a product of small numbers may be.
#define TRM_TANGENT 10.0

/// Two rows whose angle has a cosine of this size at least are the same one, or its opposite.
/// Between two points that are compared a row turns by a radian at most (TRM_REACH), cosine 0.54; 0
/// would tell nothing of rows across each other.
#define TRM_ALIKE 0.3

/// A bound: a row of unit length changes by at most about this when the bodies turn by one radian:
/// both of its bodies turn.
#define TRM_REACH 2

/// A speed below this part of what is usual is none.
#define TRM_REST 1e-6

#endif
