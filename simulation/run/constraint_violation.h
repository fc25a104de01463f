/// Constraint violation beyond drift: after such a step a joint is open by about the size of the
/// mechanism, and the state is no point to continue from.
#pragma once

#include "engine/multibody/model.h"

/// Row with the largest violation, or -1: of the residuals g[nc], rows in m beyond half of `size`
/// (trm_model_size), rows in rad beyond 1, others, whose unit is not known, beyond any number that
/// means something.
int trm_violation_row(const trm_model *model, const double *g, double size);

/// Gap of a joint: the norm over those of its rows that have the unit of `row`.
double trm_violation_gap(const trm_model *model, const double *g, int row);
