/// Stiffness: an explicit method takes shorter steps than the motion asks for.
///
/// A backward differentiation formula of order k goes on over H where the polynomial through the
/// last k + 1 points misses the next one by k + 1 tolerances at most: its local error is that over
/// k + 1. The explicit run itself has the points: every TRM_STIFF_SPAN-th is kept. Where one of the
/// orders 1 to 5 would have gone from each to the next, the explicit steps are that many times as
/// short as those of a method without a bound of stability.
///
/// A motion that is resolved does not look like that: where the error of dop853, of order 8, is
/// near the tolerance, the fifth order misses it within a fraction of the step (a sine: H/h is
/// below 0.25 at every tolerance from 1e-3 to 1e-12). The test does not ask why steps are short:
/// an eigenvalue at the border of stability, errors of a stiff term that reduce the order long
/// before it, motion back and forth within the tolerance, or roundoff of a stiff force.
///
/// The largest eigenvalue, for the report: of two stages at the same time, y and y*, with
/// derivatives k and k* [Hairer, Wanner, Solving Ordinary Differential Equations II, IV.2],
///
///     rho = |k - k*| / |y - y*|
///
/// since y - y* has a large part along its eigenvector.
#pragma once

#include "base/arena.h"

enum {
    TRM_STIFF_SPAN = 4, ///< steps from a point to the next
    TRM_STIFF_POINTS = 6
};

typedef struct trm_stiffness {
    int found;                       ///< steps are shorter than the motion asks for
    double rate;                     ///< 1/s: rho
    double *direction;               ///< [nq + nv] y - y*, as coordinates and velocities
    double *past[TRM_STIFF_POINTS];  ///< [n] the last points, the latest first
    double t_past[TRM_STIFF_POINTS]; ///< s
    int points, steps;               ///< how many of them; steps since the last
} trm_stiffness;

/// Two stages at the end of a step.
typedef struct trm_stage_twins {
    int n;
    const double *y, *y_star, *k, *k_star;
} trm_stage_twins;

void trm_stiffness_layout(trm_stiffness *stiffness, int n, trm_arena *arena);
void trm_stiffness_forget(trm_stiffness *stiffness);
/// Returns nonzero if the end of this step, whose size the method has chosen, is to be noted.
int trm_stiffness_is_due(trm_stiffness *stiffness);
/// The point y[n] at t; its tolerances, unit[n], or NULL: atol + rtol |y|.
void trm_stiffness_note(trm_stiffness *stiffness, double t, int n, const double *y,
                        const double *unit, double rtol, double atol);
/// What is found has the rate and the direction of these.
void trm_stiffness_measure(trm_stiffness *stiffness, const trm_stage_twins *twins);
