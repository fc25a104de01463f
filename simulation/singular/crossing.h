/// Singular positions that a run comes near, passes, and leaves: each counted once, described where
/// it is nearest, and judged behind it.
#ifndef TRM_PASSING_H
#define TRM_PASSING_H

#include "simulation/singular/singularity_monitor.h"

/// The least sigma^2 of part p beside its singular position, where bars are not quite equal; 0
/// where motions cross, below 0 where no position is. z is the point of `d`, the system's current
/// one, factored, which is kept; its lost directions have been found.
double trm_passing_least_beside(trm_watch *watch, const trm_followed *f, trm_run *run, int p,
                                const trm_direction *d, const double *z);
/// One direction of part p between the last two points; the system is at the last. Returns nonzero
/// where it has been moved.
int trm_passing_follow(trm_watch *watch, trm_followed *f, trm_run *run, int p);
/// The system back to the last point.
void trm_passing_restore(const trm_watch *watch, trm_run *run);
/// The run starts in the singular positions that it is near to.
void trm_passing_start(trm_watch *watch, trm_followed *f, trm_run *run);

#endif
