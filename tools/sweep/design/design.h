/// Samples for sensitivity: which values the draws of a run take so that indices can be had.
///
/// SOBOL: run j(k + 2) + b of k parameters. b = 0 is row j of a matrix A, b = 1 row j of B, b = i +
/// 2 row j of A with its column i from B [Saltelli et al., Computer Physics Communications 181
/// (2010)]. A and B together are a Halton sequence in 2k dimensions, its digits scrambled by the
/// seed [Halton, Numerische Mathematik 2 (1960); Matousek, Journal of Complexity 14 (1998)].
///
/// MORRIS: run r(k + 1) + s is point s of trajectory r on a grid of four levels; each step changes
/// one parameter by two thirds of the grid [Morris, Technometrics 33 (1991)].
#pragma once

#include <stdint.h>

typedef enum trm_design { TRM_DESIGN_PLAIN, TRM_DESIGN_SOBOL, TRM_DESIGN_MORRIS } trm_design;

enum {
    TRM_MOST_SOBOL = 32,  ///< parameters: the digits of larger primes are too coarse to be even
    TRM_MOST_MORRIS = 256 ///< parameters
};

/// Runs of a row or trajectory; 1 of a plain design.
int trm_design_block(trm_design design, int parameters);

/// What parameter i of k, with these keys[k] of its draws, takes in run `index`: in (0, 1), or, for
/// MORRIS, a level: 0, 1/3, 2/3, 1.
double trm_design_draw(trm_design design, int k, const uint64_t *keys, int i, long index);
