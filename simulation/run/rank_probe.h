/// The rank of a mechanism, from closed positions near its start.
#ifndef TRM_SURVEY_H
#define TRM_SURVEY_H

#include "simulation/run/simulation.h"

/// Into sim->rank and sim->watch. Returns whether the start has less than the rank of its motion.
int trm_survey(trm_sim *sim);
/// Close the mechanism a little off its start, in direction k of TRM_SURVEY_TRIES, into
/// sim->sample.z. Returns nonzero if it is closed, and the current point of the system.
int trm_survey_nearby(trm_sim *sim, int k);

enum { TRM_SURVEY_TRIES = 6 };

#endif
