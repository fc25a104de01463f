/// For those who look at a model outside of its runs.
#pragma once

#include "engine/linear/null_space.h"
#include "engine/multibody/model.h"

/// A run of the model at its start, closed, where rows repeat others except for a misfit: it knows
/// which. *out is NULL where rows are as they are by the letter, or where nothing closes them.
/// Errors: MEMORY. *out goes to trm_sim_destroy.
trm_status trm_misfit_find(const trm_model *model, double misfit, trm_sim **out, trm_error *err);

/// The directions of the rows of `found`; NULL for NULL.
const trm_null_space *trm_misfit_null(const trm_sim *found);

/// The row that is open most, relative to its mechanism; -1 for NULL.
int trm_misfit_row(const trm_sim *found);
