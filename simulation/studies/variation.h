/// Variations of a motion, which solve its variational equation: dq, and dv = dq'.
///
///   in the plane, equations of the user   dq of q
///   independent coordinates               dq of these
///   in space                              dq = (place, dtheta) of each body, in world axes:
///                                         R(y) = exp(eps [dtheta]) R(x)
///
/// With the angular velocities Omega = R omega and their rates alpha = R omega', world axes:
///
///     dtheta' = dOmega + Omega x dtheta,
///     dtheta'' = dalpha + alpha x dtheta + Omega x dtheta'
///
/// In world axes the variation of a wheel that spins many times in a step changes slowly; in the
/// axes of the wheel it would turn with it.
#ifndef TRM_VARIATION_H
#define TRM_VARIATION_H

#include "integrators/trajectory/stabilization.h"
#include "simulation/run/simulation.h"

typedef struct trm_variation {
    const trm_model *model;
    const trm_reduced_ops *reduced; ///< of independent coordinates; NULL: of all
    int n, nq;                      ///< of dq, and of the coordinates
    int m;                          ///< n, or more: vectors of dq have zeros from n to m
    const double *z;                ///< [nq + n] the motion in space, [m] its coordinates else
    double *room;                   ///< [m]
    double *R;                      ///< [9*nbody] of the motion that was set beside it, in space
    double *V, *A;                  ///< [m] x' and x'' of it, in the variables of dq
    const double *part;             ///< [n] 1/m or 1/rad: over the size of the mechanism
} trm_variation;

/// Returns nonzero if variations of the model's motions can be computed: not where the user gives
/// N.
int trm_variation_is_known(const trm_model *model);

/// Takes the point where a run is as the motion x.
void trm_variation_look(trm_variation *x, const trm_run *run);

/// z := x + eps (dq, dv), nq + n + 1 numbers of nq + m + 1.
void trm_variation_set(const trm_variation *x, double eps, const double *dq, const double *dv,
                       double *z);

/// rate[m] := dv' at the state that was set last, from its rates dz; nq + m numbers of dz are
/// read.
void trm_variation_rates(const trm_variation *x, double eps, const double *dq, const double *dv,
                         const double *dz, double *rate);

/// dq, dv := (z - x)/eps.
void trm_variation_of(const trm_variation *x, double eps, const double *z, double *dq, double *dv);

#endif
