/// Which rows of G are dependent in a run: decided at closed positions, for each connected
/// component by itself.
///
/// Rows have unit length, columns are in units of the mechanism. A row is dependent when its part
/// orthogonal to the others is at most `bound` long, by QR with column pivoting of all rows of the
/// component at once; the pivots of a fixed order of elimination would not do. The rank of a
/// mechanism is constant except at singular positions, so that the highest rank of several closed
/// positions counts (unless motions of different rank meet in the start, see rank_probe.c). Rows
/// that are dependent there are dependent everywhere. The null directions W of that position, G^T W
/// = 0, are carried along by null_space.h.
///
/// Of a component of many rows, a row is dependent where its pivot in the factorization of S is
/// that of the damping, as two dampings tell. Dependent rows are masked then. Where that is not
/// certain, or masks will not do, directions are found, up to a number of rows.
#pragma once

#include "engine/multibody/extent.h"
#include "engine/multibody/model.h"

/// One connected component.
typedef struct trm_rank_component {
    int rank;     ///< the highest so far; -1: not looked at yet, or too many rows
    int rank_now; ///< at the position looked at last
    int start;    ///< at the first
    double left;  ///< the longest part of a dependent row orthogonal to the independent ones, where
                  ///< this rank was met first; below TRM_LEAST_SCALE it counts as 0
    size_t W;     ///< its null directions there begin here: rows - rank of `rows` numbers
} trm_rank_component;

typedef struct trm_rank {
    const trm_model *model;
    int dense;                     ///< rows of a component up to which directions are found
    double bound;                  ///< of what counts as dependent, TRM_DEPENDENT at least
    trm_rank_component *component; ///< [components]
    double *W;                     ///< of all components
    double *unit, *x;              ///< [nc], [nv]
    char *dependent;               ///< [nc] nonzero: a row that others make superfluous
    double *J, *inverse, *C;       ///< of one part, see rank.c
    int *order;                    ///< [rows] of one part
    double *work;                  ///< for its factorization
} trm_rank;

void trm_rank_layout(trm_rank *rank, const trm_model *model, trm_arena *arena);
/// Whether null directions are found wherever that ends in time, or masks where they cost less.
void trm_rank_prefer(trm_rank *rank, int directions);
/// Whether directions of a component could be found that masks do without, where these will not do.
int trm_rank_wants_directions(const trm_rank *rank);
/// Nothing is known of the components yet.
void trm_rank_start(trm_rank *rank, double bound);
/// Forget what is known of component p.
void trm_rank_restart(trm_rank *rank, int p);
/// Look at the system's current point, open by what it may be open by.
void trm_rank_look_open(trm_rank *rank, trm_system *system, const trm_extents *extent);
/// Measure the rank at the system's current point, closed.
void trm_rank_look(trm_rank *rank, trm_system *system, const trm_extents *extent);
/// Measure the rank where that point lies off the position meant by `off`: rows that are no longer
/// than this are dependent.
void trm_rank_look_near(trm_rank *rank, trm_system *system, const trm_extents *extent, double off);
/// held[nv]: 1 for the coordinates of bodies that dependent rows hold, all of them at the position
/// looked at last. It is the system's current point.
void trm_rank_held(const trm_rank *rank, trm_system *system, const trm_extents *extent, char *held);
/// Look at nothing but the system's current point, with this bound. Returns whether its rank is
/// higher than the rank by which directions are left out, in no part less.
int trm_rank_rises(trm_rank *rank, trm_system *system, const trm_extents *extent, double bound,
                   const trm_null_space *null);
/// The largest `left` of all components.
double trm_rank_left(const trm_rank *rank);
/// Rows of component p.
int trm_rank_rows(const trm_rank *rank, int p);
/// The number of rows that depend on others at every position met so far.
int trm_rank_nullity(const trm_rank *rank);
/// The memory that null directions need, and masks if there may be any; the directions in it.
trm_null_size trm_rank_size(const trm_rank *rank, const trm_pattern *pattern);
/// Whether dependent rows are masked, in a mechanism of which a component has too many rows for
/// null directions: the rank is that of the start, and rows depend by the letter, so that no misfit
/// is to be shared.
int trm_rank_is_masked(const trm_rank *rank);
/// The masks in that memory.
void trm_rank_mask(const trm_rank *rank, const trm_pattern *pattern, trm_null_space *null);
void trm_rank_install(const trm_rank *rank, const trm_pattern *pattern, trm_null_space *null);
