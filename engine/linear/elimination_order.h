/// The order in which the blocks of S are eliminated.
#pragma once

/// order[n]: minimum degree, and among blocks of equal degree the one that waits for the fewest
/// others, so that independent chains of pivots interleave: a chain of joints is eliminated from
/// both ends at once. Neighbours of block i are neighbour[start[i] ... start[i+1]-1], each once,
/// both directions. Returns 0 when memory is short.
int trm_elimination_order(int n, const int *start, const int *neighbour, int *order);
