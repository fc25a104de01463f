/// Rest where constraints on velocities or states of the scene ask for one.
#pragma once

#include "simulation/analysis/query.h"

/// Returns nonzero if there are constraints on velocities.
int trm_query_rests_by_rates(const trm_query *query);

/// q and states[system->states] := a closed position next to it where all of them allow v = 0, no
/// force is left and no state changes; without states as near as Newton's method comes, which
/// whoever calls has to look at. Errors: SINGULAR, DIVERGED, CALLBACK, MEMORY.
trm_status trm_query_rest(trm_query *query, double t, int iterations, double *q, double *states,
                          trm_error *err);
