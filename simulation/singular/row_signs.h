/// What the last two points, f->seen and f->now, say of a row in between.
#ifndef TRM_TURNS_H
#define TRM_TURNS_H

#include "simulation/singular/singularity_monitor.h"

/// Part p is near a singular position.
int trm_turns_near(const trm_followed *f, int p);
/// Whether a row of part p may be so small since the joints are open: of x y = e, sigma^2 is some
/// e, in units of the row's change by a radian.
int trm_turns_of_the_gap(const trm_watch *watch, const trm_followed *f, int p, double sigma);
/// Whether any row of part p may have vanished in between.
int trm_turns_may_have_vanished(const trm_watch *watch, const trm_run *run, const trm_followed *f,
                                int p);
/// What the row does, if the points tell; else it has turned to another motion.
trm_turning trm_turns_of(const trm_watch *watch, const trm_run *run, const trm_followed *f, int p);
/// Whether the points tell, of all parts in doubt.
int trm_turns_tell(const trm_watch *watch, const trm_run *run);
/// The parts of which the ends of the last step do not tell. Returns how many there are, and
/// whether any of these is open.
int trm_turns_doubts(trm_watch *watch, const trm_run *run, int *open);
/// The longest piece of the last step, in halves, whose ends can tell of the parts in doubt.
double trm_turns_piece(const trm_watch *watch, const trm_run *run);

#endif
