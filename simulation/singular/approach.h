/// Singular positions ahead, or just behind: when the run comes to the nearest of them, and whether
/// motions cross there or turn round a corner.
#ifndef TRM_FORESEEN_H
#define TRM_FORESEEN_H

#include "simulation/singular/singularity_monitor.h"

/// run->t_singular by the last two points; what is known of the position is kept if it is the same.
void trm_watch_foresee(trm_watch *watch, trm_run *run);
/// run->meets: whether motions meet at run->t_singular to cross, to the roundoff of the
/// description, or turn round a corner; unknown where the position is not found along the motion
/// from run->now, since it is too far, or none. Moves the system's current point.
void trm_watch_find_meeting(trm_watch *watch, trm_run *run);
/// The same by the least sigma^2 beside the position (branch_gap.h). A corner that damped solves do
/// not see is passed like a crossing; that nothing tells which motion goes on is said by the
/// record.
void trm_watch_meets(trm_run *run, double least);

#endif
