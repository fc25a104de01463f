/// A point P of body b beside a curve of body a: where along the curve it is, and how far off.
///
///     r = c(s) + g_1 a_1(s) + g_2 a_2(s),   r = R_a^T (P - p_a) - o
///
/// gives s, g_1, g_2 (in the plane s and g_1) as functions of r, twice continuously differentiable
/// where c and the directions are (base/expression/curve.h). With J = [c' + sum g_i a_i', a_1, a_2]
///
///     J (s', g_1', g_2') = r'
///     J (s'', g_1'', g_2'') = r'' - s'^2 (c'' + sum g_i a_i'') - 2 s' sum g_i' a_i'
///
/// and the rows of J^-1 are the gradients. On the curve those of g_i are perpendicular to it.
///
/// s is found by Newton's method from where the point was, pose->turn[guide->turn], kept by
/// trm_guides_wind at the points that a run accepts: a curve may cross itself, and s of a closed
/// one counts its turns. Where nothing is kept it begins at the nearest knot; as well for a pose
/// far from where the point was, if that leads nearer to the curve.
#pragma once

#include "base/expression/curve.h"
#include "bodies/pose.h"

typedef struct trm_guide {
    const trm_curve *curve;
    int turn;         ///< index of its pose->turn
    int index;        ///< of its pose->guided
    int a, b;         ///< bodies of the curve and of the point
    double origin[3]; ///< m, o, in a
    double point[3];  ///< m, in b
} trm_guide;

/// x[0] = s, x[1] = g_1, x[2] = g_2, and what their gradients are made of. No numbers where
/// Newton's method does not end: further from the curve than it is bent.
typedef struct trm_guided {
    double x[3];
    double inverse[3][3]; ///< J^-1
    double at[3];         ///< m, P in the frame of a
    trm_curve_point curve;
} trm_guided;

/// Rows, gradients and sensors of one pose ask for the same place: it is kept with all that it
/// depends on.
typedef struct trm_guide_memory {
    int known, kept; ///< kept: `from` is what Newton's method began at
    double from;
    trm_guided seen;
} trm_guide_memory;

void trm_guide_measure(const trm_guide *guide, const trm_pose *pose, trm_guided *out);

/// out[3] = (x, x', x'') of x[which] along the motion with velocities V, accelerations zero.
void trm_guide_jet(const trm_guide *guide, const trm_pose *pose, const double *V, int which,
                   double out[3]);

/// dx[which]/dv of both bodies: a[width] and b[width] of the pose.
void trm_guide_gradient(const trm_guide *guide, const trm_pose *pose, const trm_guided *at,
                        int which, double *a, double *b);

/// Every point of guides[n] is at this pose: pose->turn follows.
void trm_guides_wind(const trm_guide *guides, int n, trm_pose *pose);
