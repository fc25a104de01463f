/// Stiffness, as an explicit method sees it [Hairer, Wanner, Solving Ordinary Differential
/// Equations II, IV.2]: of two stages at the same time, y and y*, with derivatives k and k*,
///
///     rho = |k - k*| / |y - y*|
///
/// approximates the largest |eigenvalue| of dy'/dy, since y - y* has a large part along
/// its eigenvector. Where h rho is at the border of the stability region, stability
/// limits the steps instead of accuracy.
#ifndef TRM_STIFFNESS_H
#define TRM_STIFFNESS_H

#include "base/arena.h"

typedef struct trm_stiffness {
    int found;         ///< the steps are limited by stability
    double rate;       ///< 1/s: rho
    double *direction; ///< [nq + nv] y - y*, as coordinates and velocities
    int border, calm;  ///< steps in a row at the border; and within it since
} trm_stiffness;

/// Two stages at the end of an accepted step of size h.
typedef struct trm_stage_twins {
    int n;
    double h;
    double border; ///< of h rho: where the stability region of the method ends
    const double *y, *y_star, *k, *k_star;
} trm_stage_twins;

void trm_stiffness_layout(trm_stiffness *stiffness, int n, trm_arena *arena);
void trm_stiffness_forget(trm_stiffness *stiffness);
/// Returns nonzero if to examine this step: every 64th, and every step while stiffness is
/// suspected.
int trm_stiffness_is_due(const trm_stiffness *stiffness, long step);
/// Found after fifteen steps at the border, with no six within it in between. Returns nonzero when
/// the direction of this step is to be kept.
int trm_stiffness_note(trm_stiffness *stiffness, const trm_stage_twins *twins);

#endif
