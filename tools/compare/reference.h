/// What errors are measured from.
#pragma once

#include "tools/compare/compare.h"

/// c->first_step, by a run of dopri5 with rtol 1e-6.
void trm_reference_pilot(trm_comparison *c);

/// c->reference by at least two runs of different methods, as tight as double precision allows;
/// `wanted` (NULL: the best) must be one of them. *evaluations: of f, that dop853
/// takes at rtol 1e-13, or would; 0: unknown. Errors: SINGULAR (no run got anywhere), MEMORY.
trm_status trm_reference_compute(trm_comparison *c, const trm_method *wanted, long *evaluations,
                                 trm_error *err);

/// Up to when the reference is good enough for the rows, and the rows' errors up to then.
/// The runs for it were interrupted: nothing is known of how far they agree.
void trm_reference_abandon(trm_comparison *c);
void trm_reference_judge(trm_comparison *c);

int trm_nothing_moves(const trm_reference *reference); ///< the scene is in equilibrium

/// Allocates the states of n times. Errors: MEMORY.
trm_status trm_reference_alloc(trm_comparison *c, int n, trm_error *err);
void trm_reference_destroy(trm_reference *reference);
