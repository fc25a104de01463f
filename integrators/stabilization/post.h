/// Post-stabilization [ACPR95 (5.4b)], one pass of it:
///
///     z := z~ - alpha F(z~) h(z~),    h = (g, G v + g_t),    0 < alpha < 2,
///     F  = W G^T (G W G^T)^-1 (I 0; 0 I),    W = M^-1 (5.5) or the identity (5.6).
///
/// Both residuals are those of z~: the velocity residual is not taken at the corrected q.
#pragma once

#include "integrators/trajectory/stabilization.h"

/// Which half of h a pass corrects.
typedef enum trm_post_part {
    TRM_POST_POSITION = 1,
    TRM_POST_VELOCITY = 2,
    TRM_POST_BOTH = TRM_POST_POSITION | TRM_POST_VELOCITY
} trm_post_part;

/// The W that the options ask for.
trm_metric trm_post_metric(const trm_run *run);

/// x[nv] = alpha F r with G of the current point and the last factorization; r[nc] is overwritten.
void trm_post_stabilizer(trm_run *run, double *r, double *x);

/// Factor at the current point, for corrections. A direction whose singular value is below some
/// gaps e belongs to the gap, not to the mechanism, and is not corrected. Nor is a direction in
/// which a correction would be noise: it adds eps/sigma of roundoff and removes about e, the gap of
/// other rows. If more than roundoff would remain of g, all directions are corrected.
int trm_post_factor(trm_run *run);

/// Before the second pass, at the point that the first has corrected: S anew, where it has changed
/// by as much as its least sigma^2. Where that is damped it is kept, as the direction is left
/// alone.
int trm_post_factor_again(trm_run *run);

/// One pass with G of the current point, which is (t, q), and the last factorization.
void trm_post_pass(trm_run *run, trm_post_part part, double *q, double *v);

/// One of two passes over positions and velocities: where rows are redundant, which damps every
/// solve, the second takes what little damping leaves of the first.
void trm_post_pass_of_two(trm_run *run, double *q, double *v);

/// v := v - F (G v + g_t), G of the current point, factored in this metric: twice, since the solve
/// may be damped.
void trm_post_project(trm_run *run, trm_metric metric, double *v);

/// out[nc*nv]: row i is W G^T e_i at the current point.
void trm_post_rows(trm_run *run, trm_metric metric, double *out);

static const double TRM_PIVOT = 1e-10; ///< over the largest one: what is below depends on others

/// The rank of GD[nc*nc] = G D at the current point, eliminated (engine/rank/pivoting.h), D[nc*nv]
/// by rows. What rows contradict each other by that repeat others is left out.
int trm_post_eliminate(trm_run *run, const double *D, double *GD, int *row, int *column);

/// Make (t, z) the current point, factor there, and one pass.
int trm_post_correct(trm_run *run, trm_post_part part, double t, double *z);
