/// Substeps of the monitor: a step is examined at its end, and, where its ends do not decide what
/// rows do in between, at points inside it, each as if it were the end of a step.
#pragma once

#include "simulation/singular/singularity_monitor.h"

/// Find the directions at run->now, the system's current point, factored.
void trm_substeps_look(trm_singularity_monitor *monitor, trm_run *run);
/// The k-th direction of component p becomes any, of which nothing is known.
void trm_substeps_begin(trm_singularity_monitor *monitor, int k, int p);
/// One direction more of each component of which another may have vanished in the last step, whose
/// end has been looked at. Returns nonzero if any is; its beginning is to be looked at as well.
int trm_substeps_follow_more(trm_singularity_monitor *monitor, trm_run *run);
/// One direction of each component of which no other can have vanished in the last step: its
/// smallest.
void trm_substeps_follow_fewer(trm_singularity_monitor *monitor, const trm_run *run);
/// The beginning of the last step, looked at once more by rows other than those before, or for the
/// directions that are not known there. The system comes back.
void trm_substeps_look_before(trm_singularity_monitor *monitor, trm_run *run, int others);
/// Keep the directions of all components as those seen before, where they are known, or `always`.
void trm_substeps_remember(trm_singularity_monitor *monitor, int always);
/// Follow all components through the last step, whose end has been examined; the system is there,
/// and comes back.
void trm_substeps_follow(trm_singularity_monitor *monitor, trm_run *run);
