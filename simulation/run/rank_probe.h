/// The rank of a mechanism, from closed positions near its start.
#pragma once

#include "simulation/run/simulation.h"

/// Probe the rank near the start, into sim->rank and sim->monitor. Returns nonzero if the start has
/// less than the rank of its motion.
int trm_rank_probe(trm_sim *sim);
/// Close the mechanism a little off its start, in direction k of TRM_RANK_PROBE_TRIES, into
/// sim->sample.z. Returns nonzero if it is closed, and the current point of the system.
int trm_rank_probe_nearby(trm_sim *sim, int k);
/// Whether rows that are left out open by more than the misfit for each radian, or size of the
/// mechanism, by which their joints move in the motion that they hinder: these dimensions are
/// meant. The system is at run->now, factored.
int trm_rank_probe_is_structure(trm_sim *sim);
/// Whether more rows repeat others within the largest misfit than have been left out, at the start
/// and on the way from it: on a way w a misfit changes by the part w, a row that a singular
/// position at the distance d lacks by w/d. What the run knows of its rank is not used any more.
int trm_rank_probe_loses_freedom(trm_sim *sim);
/// sim->closing.c[nc] := by how much rows that are left out open in the free motion at the start,
/// over its way, in units of the mechanism or rad. Returns the row that opens most; -1: none.
int trm_rank_probe_opening(trm_sim *sim);

enum { TRM_RANK_PROBE_TRIES = 6 };
