/// Steps that tear a mechanism: after them a joint is open by about the size of the whole, which is
/// no drift any more, and no state to go on from.
#ifndef TRM_TEAR_H
#define TRM_TEAR_H

#include "engine/multibody/model.h"

/// The row that is torn the most, or -1: of the residuals g[nc], rows in m beyond half
/// of `size` (trm_model_size), rows in rad beyond 1, others, whose unit is not known,
/// beyond any number that means something.
int trm_tear_row(const trm_model *model, const double *g, double size);

/// How far apart a joint is: the norm over those of its rows that have the unit of `row`.
double trm_tear_gap(const trm_model *model, const double *g, int row);

#endif
