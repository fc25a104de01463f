/// The rank of G at one point, by the rule of the diagnosis.
#ifndef TRM_CHECK_RANK_H
#define TRM_CHECK_RANK_H

#include "engine/model.h"

/// At (t, q), with the inputs of a run (NULL: those of the model). -1: more than 1000 rows, no value there, or no
/// memory.
int trm_rank_at(const trm_model *model, const trm_input *inputs, double t, const double *q);

#endif
