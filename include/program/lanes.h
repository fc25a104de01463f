/// Runs side by side in the registers of the processor: what sweeps are made of.
#pragma once

#include "trammel/trammel_simulation.h"

/// Runs of models of one structure that step together, each in a lane of the processor's
/// registers. They are ordinary runs and stay it: a step takes the same bits whether its stages
/// were computed with those of others or not, it only takes less time.
typedef struct trm_lanes trm_lanes;

/// `width` lanes at most, or as many as the processor has (0). Errors: OPTIONS (width < 0), MEMORY.
trm_status trm_lanes_create(int width, trm_lanes **out, trm_error *err);
void trm_lanes_destroy(trm_lanes *lanes);
int trm_lanes_width(const trm_lanes *lanes); ///< 8, 4, 2; 1: runs are stepped alone

/// Take the numbers of a run's model for lane 0 <= lane < width; NULL: the lane is empty. Call it
/// again before the model is destroyed, and when the run goes on by another method. Returns NULL,
/// or why the run is stepped alone: a clause.
const char *trm_lanes_take_slot(trm_lanes *lanes, int lane, const trm_sim *sim);

/// Compute what the next step of each run needs, by lane sim[width], NULL where there is none;
/// t_end[width] (s) is where trm_sim_run will end. Until that step nothing may be asked of them.
void trm_lanes_prepare(trm_lanes *lanes, trm_sim *const *sim, const double *t_end);
