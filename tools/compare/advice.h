/// What follows from the rows.
#pragma once

#include "tools/compare/compare.h"

/// Marks the Pareto front; fills c->advice and c->warnings. Errors: MEMORY.
trm_status trm_compare_advise(trm_comparison *c, trm_error *err);

/// Returns nonzero if it was begun, and not interrupted.
int trm_row_was_run(const trm_compare_row *row);
/// Stopped, killed, on another branch, or nowhere near the motion.
int trm_row_is_bad(const trm_comparison *c, const trm_compare_row *row);

/// The fastest row of a stabilization (NULL: of all) with an error of `accuracy` at most; -1: none.
int trm_fastest_row(const trm_comparison *c, const char *stabilization, double accuracy);

/// "1.23 ms"; returns out.
const char *trm_seconds_text(double seconds, char out[24]);
const char *trm_accuracy_text(double accuracy, char out[24]); ///< "1e-6"; returns out
