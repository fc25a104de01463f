/// Approach to the nearest singular position: when the run comes to it, and whether motions cross
/// there or turn round a corner.
#pragma once

#include "simulation/singular/singularity_monitor.h"

/// run->t_singular by the last two points; what is known of the position is kept if it is the same.
void trm_monitor_predict(trm_singularity_monitor *monitor, trm_run *run);
/// run->meeting: whether motions meet at run->t_singular to cross, to the roundoff of the
/// description, or turn round a corner; unknown where the position is not found along the motion
/// from run->now, since it is too far, or none. Moves the system's current point.
void trm_monitor_find_meeting(trm_singularity_monitor *monitor, trm_run *run);
/// The same by the least sigma^2 beside the position (branch_gap.h). A corner that damped solves do
/// not see is passed like a crossing; that nothing tells which motion goes on is said by the
/// record.
void trm_monitor_set_meeting(trm_run *run, double least);
