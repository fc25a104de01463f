/// One step of collocation at k points [AL93 section 4.1], for boundary values.
#pragma once

#include "integrators/dae/dae_form.h"

/// Where a step collocates [AL93 section 4.1]. With epsilon << h, x at mesh points has order 2k - 1
/// with Radau points, and k + 1 (k odd) or k (k even) with Gauss points, as in index 2; where h <<
/// epsilon 2k - 1 and 2k.
typedef enum trm_dae_points {
    TRM_DAE_POINTS_GAUSS, ///< one point is the midpoint (box) scheme
    TRM_DAE_POINTS_RADAU  ///< the last at the end of the step; one point is backward Euler
} trm_dae_points;

enum { TRM_DAE_MOST_POINTS = 3 };

typedef struct trm_dae_collocation {
    int k;
    double c[TRM_DAE_MOST_POINTS], b[TRM_DAE_MOST_POINTS]; ///< nodes and weights in [0, 1]
    double a[TRM_DAE_MOST_POINTS][TRM_DAE_MOST_POINTS];
    double *J, *d;  ///< [k*nx*nx], [k*nx] of the law at the points, x' = J x + d
    double *W;      ///< [k*nx*k*nx] I - h (a x J), factored
    int *exchanged; ///< [k*nx]
    double *slope;  ///< [k*nx] x' at the points
    double *S, *s;  ///< [nx*nx], [nx] of x_i = S x_{i-1} + s
} trm_dae_collocation;

/// k points, 1 to 3, of Gauss or of Radau (the last at the end of the step).
void trm_dae_collocation_choose(trm_dae_collocation *rule, trm_dae_points points, int k);
void trm_dae_collocation_layout(trm_dae_collocation *rule, int nx, trm_arena *arena);

/// Takes the law's J and c, evaluated at point j. Then, with all taken, factors W; SINGULAR.
void trm_dae_collocation_take(trm_dae_collocation *rule, const trm_dae_law *law, int j);
trm_dae_code trm_dae_collocation_factor(trm_dae_collocation *rule, int nx, double h);

/// S and s of the step.
void trm_dae_collocation_condense(trm_dae_collocation *rule, int nx, double h);

/// The slopes of the step that starts at x; then x at point j into out.
void trm_dae_collocation_slopes(trm_dae_collocation *rule, int nx, const double *x);
void trm_dae_collocation_point(const trm_dae_collocation *rule, int nx, double h, const double *x,
                               int j, double *out);
