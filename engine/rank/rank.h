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

#include "engine/mechanism/extent.h"
#include "engine/mechanism/model.h"

/// One connected part.
typedef struct trm_rank_part {
    int rank;     ///< the highest so far; -1: not looked at yet, or too many rows
    int rank_now; ///< at the position looked at last
    size_t W;     ///< its null directions there begin here: rows - rank of `rows` numbers
} trm_rank_part;

typedef struct trm_rank {
    const trm_model *model;
    trm_rank_part *part;     ///< [parts]
    double *W;               ///< of all parts
    double *unit, *x;        ///< [nc], [nv]
    double *J, *inverse, *C; ///< of one part, see rank.c
    int *order;              ///< [rows] of one part
    double *work;            ///< for its factorization
} trm_rank;

void trm_rank_layout(trm_rank *rank, const trm_model *model, trm_arena *arena);
/// Nothing is known of the parts yet.
void trm_rank_start(trm_rank *rank);
/// Look at the system's current point, closed.
void trm_rank_look(trm_rank *rank, trm_system *system, const trm_extents *extent);
/// Rows of part p.
int trm_rank_rows(const trm_rank *rank, int p);
/// Rows that depend on others everywhere, as far as has been seen.
int trm_rank_nullity(const trm_rank *rank);
/// The room that the null directions need, and they themselves in
/// that room, next directions unknown.
trm_null_size trm_rank_size(const trm_rank *rank);
void trm_rank_install(const trm_rank *rank, const trm_pattern *pattern, trm_null_space *null);

#endif
