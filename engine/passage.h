/// A passage of the monitor of singular positions, see singularity.h: a crossing, and whether the branch was kept.
#ifndef TRM_PASSAGE_H
#define TRM_PASSAGE_H

#include "engine/singularity.h"

/// Far from singular positions: rho is large.
int trm_seen_is_far(const trm_monitor *monitor, const trm_seen *seen);
/// jump[nv] := 0
void trm_jump_clear(const trm_monitor *monitor, double *jump);
/// most := max(most, jump)
void trm_jump_raise(const trm_monitor *monitor, const double *jump, double *most);
/// Nothing has been seen of the next passage yet.
void trm_passage_begin(trm_monitor *monitor);
/// The crossing that waits is behind, and `after` far from it: whether the branch was kept goes into the passport.
void trm_passage_judge(trm_monitor *monitor, const trm_seen *after);
/// The bodies that the rows of the last crossing hold; all where no row is known, or no body.
void trm_passage_find_involved(trm_monitor *monitor, const trm_system *system);
/// max |M^1/2 v| of a velocity, bodies involved.
double trm_passage_speed(const trm_monitor *monitor, const trm_run *run, const double *v);
/// A crossing at t: note it, and judge it as soon as the points on both sides are known. A mechanism
/// that turns back near a singular position passes it twice without going far in between.
void trm_passage_cross(trm_monitor *monitor, trm_run *run, double t);

#endif
