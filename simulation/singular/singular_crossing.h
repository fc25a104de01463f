/// Singular positions that a run comes near, passes, and leaves: each counted once, described where
/// it is nearest, and judged behind it.
#pragma once

#include "simulation/singular/singularity_monitor.h"

/// The least sigma^2 of component p beside its singular position, where bars are not quite equal; 0
/// where motions cross, below 0 where no position is. z is the point of `d`, the system's current
/// one, factored, which is kept; its lost directions have been found.
double trm_monitor_least_beside(trm_singularity_monitor *monitor, const trm_continuation *f,
                                trm_run *run, int p, const trm_direction *d, const double *z);
/// One direction of component p between the last two points; the system is at the last. Returns
/// nonzero where it has been moved.
int trm_monitor_follow(trm_singularity_monitor *monitor, trm_continuation *f, trm_run *run, int p);
/// The system back to the last point.
void trm_monitor_restore(const trm_singularity_monitor *monitor, trm_run *run);
/// The run starts in the singular positions that it is near to.
void trm_monitor_start_inside(trm_singularity_monitor *monitor, trm_continuation *f, trm_run *run);
