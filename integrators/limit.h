/// Accelerations in a singular position, and corrections there.
///
/// In the position itself [ACC] lacks a row: a solution has one freedom more than the motion. Next to it, where
/// the smallest singular value sigma of G M^-1/2 is small, a residual e of the positions turns the direction
/// that the vanishing row forbids by e/sigma, and a by v^2 e/sigma^2. But the motion goes through smoothly
/// on its branch. The branch is the one its velocity is tangent to, and with z(x) the state closed next to
/// (q + x N v, v), that is with q brought to 0 = g and v to [VEL],
///
///     F(x) = a of z(x)
///
/// is a smooth function but for a gap at x = 0. Its even part is interpolated there from x = k tau, where
/// sigma is large enough:
///
///     a = sum_k w_k (F(k tau) + F(-k tau))/2 + O(tau^6),    w = (3/2, -3/5, 1/10),    k = 1, 2, 3
///
/// So are v and the multipliers: these may grow like 1/x, which is odd. Only the mechanism that is singular is
/// moved, and forces are those of (t, q, v) itself: inputs may have jumped there. Where the velocity does
/// not go on like this, in a corner of nearly equal bars or at rest, a is left as it is.
///
/// A stage next to it is off the constraints by an error of its own. In a step that is known to end or to
/// begin there all stages are therefore evaluated where they are closed: one of them alone would spoil the order.
///
/// A correction by M^-1 G^T (G M^-1 G^T)^-1 moves along the vanishing row by e/sigma likewise. There it is done
/// with coarse damping, which leaves that row alone; the next one is regular.
#ifndef TRM_LIMIT_H
#define TRM_LIMIT_H

#include "engine/arena.h"

typedef struct trm_run trm_run;

typedef struct trm_limit {
    const double *pivot_max; ///< [nc] largest ratio of each row so far, kept by the monitor
    const int *part;         ///< [nv] of the model: the mechanism it belongs to, or NULL
    int near;  ///< nonzero: the step at hand ends or begins next to a singular position
    int timed; ///< nonzero: the time moves a row of the mechanism that is moved
    int abort; ///< nonzero: a function of the user has asked for the end of the run by this code
    double *root_mass;   ///< [nv] sqrt of the diagonal of M
    double *way;         ///< [nv] v of the mechanism that is moved
    double *z, *closed;  ///< [n] next to the point, and the point itself
    double *f;           ///< [nv] forces at the point itself
    double *a, *lambda;  ///< [nv], [nc] there
    double *even_z;      ///< [n] the even parts
    double *even_a;      ///< [nv + 1] with the power
    double *even_lambda; ///< [nc]
    double *uncorrected; ///< [n]
} trm_limit;

void trm_limit_layout(trm_limit *limit, const trm_run *run, trm_arena *arena);

/// dz and lambda, those of [EOM] and [ACC] at (t, z), which is the current point of the system and factored
/// last, become those of the limit if it is singular. Returns a system's code.
int trm_run_limit(trm_run *run, double t, const double *z, double *dz, double *lambda);

/// Whether the motion meets a singular position at about t, where its pivots point to one: a look at t, by the
/// parabola that the last two points make. Moves the system's current point.
int trm_run_meets(trm_run *run, double t);

/// The rates of the run's stabilization at (t, z), or the limit.
int trm_run_rates(trm_run *run, double t, const double *z, double *dz, double *lambda);

/// z corrected by the run's stabilization, if it corrects.
int trm_run_correct(trm_run *run, double t, double *z);

#endif
