/// The one judge of rank: which rows of G are dependent, at a closed
/// position, each connected part by itself.
///
/// A row depends on others when its new part, rows of unit length and columns in units of the
/// mechanism, is not longer than TRM_DEPENDENT: QR with column pivoting of all rows of the part at
/// once, never a pivot of a fixed order of elimination. The rank of a mechanism is a constant but
/// for singular positions: of several closed positions the highest one counts. What is dependent
/// there is dependent everywhere, with the null directions W of that position, G^T W = 0, which
/// null_space.h brings along.
#ifndef TRM_RANK_H
#define TRM_RANK_H

#include "engine/base/pieces.h"
#include "engine/mechanism/extent.h"

/// Connected parts by number: what shares no moving body belongs to another one.
typedef struct trm_parts {
    int n;
    int *of_row, *of_velocity; ///< [nc], [nv]; velocities of bodies that no row holds: -1
} trm_parts;

/// Room for the model's, and the numbers.
void trm_parts_layout(trm_parts *parts, const trm_model *model, trm_arena *arena);
void trm_parts_find(trm_parts *parts, const trm_model *model);

/// One connected part.
typedef struct trm_rank_part {
    int nrows, ncolumns;
    int *row;     ///< [nrows] of g
    int *column;  ///< [ncolumns] of v
    int rank;     ///< the highest so far; -1: not looked at yet, or too many rows
    int rank_now; ///< at the position looked at last
    double *W;    ///< [(nrows - rank)*nrows] there
} trm_rank_part;

typedef struct trm_rank {
    int nparts, nc, nv;
    trm_rank_part *part;
    double *unit, *x; ///< [nc], [nv]
    trm_pieces pool;
} trm_rank;

/// Nothing is known of the parts yet. Returns 0 without memory; trm_rank_close in any case.
int trm_rank_open(trm_rank *rank, const trm_parts *parts, int nc, int nv);
void trm_rank_close(trm_rank *rank);
/// Look at the system's current point, closed. Returns 0 without memory.
int trm_rank_look(trm_rank *rank, trm_system *system, const trm_extents *extent);
/// Rows that depend on others everywhere, as far as has been seen.
int trm_rank_nullity(const trm_rank *rank);
/// The room that the null directions need, and they themselves in
/// that room, next directions unknown.
trm_null_size trm_rank_size(const trm_rank *rank);
void trm_rank_install(const trm_rank *rank, const trm_pattern *pattern, trm_null_space *null);

#endif
