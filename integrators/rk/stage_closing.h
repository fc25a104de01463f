/// Steps of explicit pairs near a time t* at which G loses rank.
///
/// Off the constraints, open by y in the direction across the motion, y'' = -2 y'/(t - t*) + ...: a
/// stage at the distance s from t* makes of its error y an acceleration y/s^2. The order of a pair
/// holds of steps that are shorter than s, so that steps shrink with the distance and the last of
/// them are of roundoff; a mechanism whose symmetry keeps y = 0 does not show it. The motion is
/// smooth at t*, and so is z' of the closed stage: near t* the arguments of stages are corrected
/// like the ends of steps, as far as that is no noise (integrators/stabilization/post_damping.h).
/// What is left is roundoff, eps/s^3: stages are kept away from t*.
#pragma once

#include "integrators/trajectory/integrator.h"

/// Returns nonzero if a step of size h is near t*: run->t_singular is at most TRM_REACH_OF_STEPS
/// steps away.
int trm_stage_closing_is_near(const trm_run *run, double h);
/// Returns nonzero if steps, h the last and run->h_next the next, shrink so fast that they would
/// not come to t*: a geometric series, within a factor of two.
int trm_stage_closing_is_out_of_reach(const trm_run *run, double h);
/// Returns nonzero if motions cross at t*; they may turn round a corner there, or it is not known.
/// The system's current point may be moved.
int trm_stage_closing_is_one(trm_run *run);
/// Returns nonzero if the run can close stages: it corrects all coordinates, and touches nothing.
int trm_stage_closing_closes(const trm_run *run);
/// Close the argument z of a stage at t, in two passes, as far as that is no noise. *open := the
/// larger of *open and max |g_i|/extent_i before that. Returns a system's code.
int trm_stage_closing_close(trm_run *run, double t, double *z, double *open);
/// Returns nonzero if the velocities at the end of the next step are corrected once more: its
/// stages are closed, or it is near a corner.
int trm_stage_closing_closes_end(const trm_run *run);
/// Correct the velocities at the end of a step whose stages were `open` by so much, in the
/// directions in which they were closed: that leaves eps h/s^3 of them across the path, which grows
/// as 1/s^2 towards t*; the correction leaves eps/s. Near a corner correct them in all directions
/// that are not damped: gaps there are roundoff, so that corrections of positions are noise, but
/// the velocity turns, and what the steps err across the path grows likewise. Returns a system's
/// code.
int trm_stage_closing_close_end(trm_run *run, double t, double *z, double open);
/// x[k][nv] := what that correction takes out of each of these velocities, at the system's current
/// point, the end of the step. S is factored there as for rates. Returns a system's code.
int trm_stage_closing_take(trm_run *run, double open, int count, double *const *x);
/// h, or h/least or least h where the nearest of the stages, at the abscissas c[n], is farther than
/// twice as far from t*: a stage at t* is damped, and not all stages are seen by error estimates.
double trm_stage_closing_postpone(const trm_run *run, int n, const double *c, double h,
                                  double least);
/// Tolerances that a step of size h over t*, with stages at the abscissas c[n], may err by where
/// shorter steps err by no less: roundoff, the misfit of rows that repeat others, by which delta
/// damps (simulation/run/play.c), and what stages turn by that are closed beside a hidden
/// corner. There x y = F, and the least sigma^2 is 2 F, so that y/x is that over sigma^2. At the
/// distance d of the nearest stage it changes h/d times over; sigma there is that of the start
/// times d over the way.
double trm_stage_closing_may_err(const trm_run *run, int n, const double *c, double h);
/// Of the step sizes with t* in the middle of a gap between the abscissas c[n] of the stages, gaps
/// wider than the mean, the longest below `most`; 0: there is none.
double trm_stage_closing_place(const trm_run *run, int n, const double *c, double most);
