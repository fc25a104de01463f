/// Inside the last step: what rows do between its ends, and where one passes zero.
#ifndef TRM_INSIDE_H
#define TRM_INSIDE_H

#include "engine/passage/watch.h"

/// Whether a row of part p may have vanished between two points of the last step.
int trm_inside_may_vanish(const trm_watch *watch, const trm_run *run, int p, const trm_direction *a,
                          const trm_direction *b);
/// Whether the ends of the last step tell: rows of part p turn by a rad at most.
int trm_inside_is_short(const trm_watch *watch, const trm_run *run, int p);
/// A row of part p turns over between a and b.
void trm_inside_turns_between(const trm_watch *watch, trm_followed *f, int p,
                              const trm_direction *a, const trm_direction *b);
/// f->how[p] of all directions that part p is followed in, and between which points one has turned
/// over; `open`: the gap of the joints may explain it. Moves the system's current point.
void trm_inside_look(trm_watch *watch, trm_run *run, int p, int open);
/// The zero of tau of part p, which turns over between f->from and f->to. Leaves the system there,
/// closed, apart from the row that vanishes. Returns |tau|, NaN where none is.
double trm_inside_locate(trm_watch *watch, trm_followed *f, trm_run *run, int p, trm_direction *at);

#endif
