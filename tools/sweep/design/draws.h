/// Random numbers that belong to a run, not to a worker: functions of seed, column and index alone.
///
/// The mixing function is SplitMix64's [Steele, Lea & Flood, OOPSLA 2014], applied to a counter.
#pragma once

#include <stdint.h>

/// A key for a column, from the root seed and its name.
uint64_t trm_draw_key(uint64_t seed, const char *column);

/// Number `index` of the column, in (0, 1): never an end.
double trm_draw(uint64_t key, uint64_t index);

/// order[n] := a permutation of 0 ... n - 1 [Fisher & Yates; Durstenfeld 1964].
void trm_draw_order(uint64_t key, uint32_t n, uint32_t *order);

/// x with Phi(x) = u of the normal distribution, 0 < u < 1.
double trm_normal_quantile(double u);
