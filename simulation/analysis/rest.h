/// Rest where constraints on velocities ask for one.
#ifndef TRM_QUERY_REST_H
#define TRM_QUERY_REST_H

#include "simulation/analysis/query.h"

/// Returns nonzero if there are constraints on velocities.
int trm_query_rests_by_rates(const trm_query *query);

/// q := a closed position next to it where all of them allow v = 0 and no force is left; as near as
/// Newton's method comes, which whoever calls has to look at. Errors: SINGULAR, DIVERGED, CALLBACK,
/// MEMORY.
trm_status trm_query_rest(trm_query *query, double t, int iterations, double *q, trm_error *err);

#endif
