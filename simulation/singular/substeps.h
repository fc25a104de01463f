/// The points at which a step is looked at: its end, and, where its ends do not tell what rows do
/// in between, points inside it, each as if it were the end of a step.
#ifndef TRM_PIECES_H
#define TRM_PIECES_H

#include "simulation/singular/singularity_monitor.h"

/// run->now, the system's current point, factored, is the last point.
void trm_pieces_look(trm_watch *watch, trm_run *run);
/// What is seen of all parts counts as seen before, where their directions are known, or always.
void trm_pieces_remember(trm_watch *watch, int always);
/// All parts in the last step, whose end has been looked at; the system is there, and comes back.
void trm_pieces_follow(trm_watch *watch, trm_run *run);

#endif
