/// Minimal dependent sets of rows, chosen so that a person can read them.
///
/// The columns of W span null(G^T). A set of rows is dependent when some w = W y vanishes outside
/// it. It is minimal when no row can be deleted from it; deleting row i means w_i = 0, one equation
/// for y. Rows of joints far from a chosen joint are deleted first; over all choices the set with
/// the fewest joints, then rows, wins. Ties are decided by name, so that the order in the file does
/// not matter.
#pragma once

#include "engine/rank/conditioning.h"

typedef struct trm_row_sets {
    int nc, d; ///< W[nc*d], overwritten as sets are taken out
    double *W;
    int nblocks;
    int *block_of;         ///< [nc]
    int *distance;         ///< [nblocks*nblocks] joints apart
    int *by_name;          ///< [nc] rows by name of the joint, then in its order
    int *order;            ///< [nc] rows in the order of deletion
    double *w, *best;      ///< [nc]
    double *basis, *x, *y; ///< [d*d], [d], [d]
    const trm_model *model;
    int measured; ///< the distances are known
    double work;  ///< multiplications of the searches so far
} trm_row_sets;

/// W from the basis of `point`, whose trm_conditioning_rank was called. Returns 0 without memory.
int trm_row_sets_open(trm_row_sets *sets, const trm_conditioning *conditioning, trm_pool *pool);

/// Coefficients below this part of the largest count as zero.
#define TRM_NEGLIGIBLE 1e-6

/// Multiplications, about a second: where so many were made, searches
/// end with the best set found so far.
#define TRM_SETS_WORK 1e9

/// Takes a minimal set out: rows[nc], the superfluous row first, and their coefficients. The
/// superfluous row is in no later set. Returns how many rows, 0 when no set is left.
int trm_row_sets_take(trm_row_sets *sets, int *rows, double *coefficients);

/// Takes all remaining sets at once, without search: column k of W becomes the minimal set of its
/// own row and of rows that are the first of no column. For mechanisms with more dependent rows
/// than a search can handle. Returns how many there are.
int trm_row_sets_reduce(trm_row_sets *sets);
/// The set of column k thereafter, in the form of trm_row_sets_take.
int trm_row_sets_column(const trm_row_sets *sets, int k, int *rows, double *coefficients);

/// Excludes row `i` from all later sets: its set is known.
void trm_row_sets_forget(trm_row_sets *sets, int i);

/// Returns nonzero if w_i vanishes for all of null(G^T): e_i orthogonal to it, multiplier i is
/// unique.
int trm_row_sets_unique(const trm_row_sets *sets, int i);
