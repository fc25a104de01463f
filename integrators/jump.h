/// Jumps of the velocity: what no smooth motion between two points explains.
///
/// Each body is measured against itself. One that turns fast - a flywheel on the coupler - hides no jump of the
/// others, and one that stands for a moment does not make jumps of their rounding: it counts with the speed that
/// it had within the last half turn or so,
///
///     u := max(|w|, u exp(-T |w|/(pi L))),    w = M^1/2 v of the body,    L its size (extent.h) in that measure.
#ifndef TRM_JUMP_H
#define TRM_JUMP_H

#include "integrators/integrator.h"

/// At the start of a run, run->now: no body has a past. root_mass[nv] is the root of the diagonal of M.
void trm_speeds_start(trm_run *run, const double *root_mass);
/// run->now is T after the point before.
void trm_speeds_update(trm_run *run, const double *root_mass, double T);

/// How far the velocities of two points are apart, over what is usual: the maximum over the rows of v, weighed
/// with root_mass[nv],
///
///     |v_1 - v_0 - T/2 (a_0 + a_1)| - T/6 |a_1 - a_0|,    T = t_1 - t_0,
///
/// the trapezoidal rule and what it leaves out. What a component may err by, atol + rtol |v_i|, is no jump:
/// a mechanism at rest has no velocity but roundoff. v and a follow q in z and dz.
///
/// Each row's goes to of[nv], which may be NULL.
double trm_run_jump(const trm_run *run, const double *root_mass, double T, const double *z0,
                    const double *dz0, const double *z1, const double *dz1, double *of);

/// The same of the last step that the method tried. The trapezoidal rule is poor for the long steps of a method of high
/// order: of a velocity whose kink (trm_run.kink) is smaller than its residual, the kink counts.
double trm_run_jump_of_step(const trm_run *run, const double *root_mass, double T, const double *z0,
                            const double *dz0, const double *z1, const double *dz1, double *of);

#endif
