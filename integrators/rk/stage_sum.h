/// Weighted sums of the derivatives that the stages of a step have found.
#pragma once

#include "base/lane.h"

enum { TRM_STAGE_WEIGHTS = 16 };

/// The weights that are not zero, filled up to a multiple of four.
typedef struct trm_stage_weights {
    int count;
    int stage[TRM_STAGE_WEIGHTS];
    double weight[TRM_STAGE_WEIGHTS];
} trm_stage_weights;

/// From a row of a tableau.
void trm_stage_weights_set(trm_stage_weights *weights, int count, const double *row);

/// out[n] = z + h sum_j weight_j k_j, of each k the numbers from `first` on; out may be z. With
/// one lane four numbers are read and written at a time, past the end of arrays as the arena hands
/// them out.
void trm_stage_sum(const trm_stage_weights *weights, int first, int n, const trm_lane *z,
                   trm_lane h, trm_lane *const *k, trm_lane *out);
