/// Singular positions: when a run meets them, and whether it leaves them on the branch on which it
/// came. A report: the motion does not listen to it.
///
/// Points are compared by the direction of each part that is nearest to dependence
/// (null_continuation.h):
///
///   row between two points   least sigma in between   verdict
///   kept                     above the tolerance      regular; near zero: nearly equal bars,
///                                                     `resolved`
///   turned over              at the tolerance         a crossing, passed on its branch
///   turned aside             at the tolerance         another branch
///   kept                     at the tolerance         turned back there, or at rest
///
/// Whether the row can have vanished in between is a matter of how far the bodies move: a row of
/// unit length changes by the angle they turn, more or less. A step whose ends do not tell is
/// followed from piece to piece, each as if it were a step (step_interior.h).
#ifndef TRM_WATCH_H
#define TRM_WATCH_H

#include "engine/multibody/consistency.h"
#include "simulation/singular/branch_gap.h"
#include "simulation/singular/crossing_record.h"

/// What a row does between two points.
typedef enum trm_turning { TRM_KEPT, TRM_OVER, TRM_ASIDE } trm_turning;

/// One direction of each part, followed from point to point.
typedef struct trm_followed {
    trm_direction now, seen; ///< at the last point, and at the last before whose direction is known
    trm_direction end;       ///< of the last step
    double *sigma_max;       ///< [parts] the largest so far
    double *lowest;          ///< [parts] sigma since it is inside
    double *anchor;          ///< [parts] J, the balance before
    long *number;            ///< [parts] of its last crossing in the record
    int *inside;             ///< [parts] near a singular position, counted
    int *turned;             ///< [parts] the row has turned over there
    int *aside;              ///< [parts] it has turned to another motion there
    int *shared;             ///< [parts] that crossing is one of another direction
} trm_followed;

/// Positions inside a step that have been closed, and by how much they were moved; two at a time.
enum { TRM_CLOSED = 8 };

typedef struct trm_shift {
    int n;
    double t[TRM_CLOSED];   ///< s
    double *by[TRM_CLOSED]; ///< [nq]
} trm_shift;

typedef struct trm_watch {
    const trm_model *model;
    int active; ///< zero when the rank cannot drop
    int nfollowed;
    int *most; ///< [parts] how many are followed: a part has no more than its rank
    trm_followed followed[TRM_FOLLOWED];
    trm_direction probe; ///< inside the last step
    double *way;      ///< [parts] of the last step: how far bodies moved, in radians or mechanisms
    int *open;        ///< [parts] the gap of the joints may explain that it turns
    int *other;       ///< [parts] at the last point the smallest direction is another than before
    int *doubt;       ///< [parts] the ends of the last step do not tell
    double t, *place; ///< s, [n]: the last point, of the run or inside its last step
    double *x, *z;    ///< for trm_directions_find, [n]
    trm_shift shift;  ///< of positions inside the last step
    double *work;     ///< [n]
    int begun;        ///< the next two are those of the last step
    double closed_enough;      ///< gaps that hide nothing
    double *ends[TRM_BY_ENDS]; ///< [n] of the last step, trm_run_by_ends
    double balance; ///< J, kinetic + potential - work at run->now, set by the caller, as gap is
    double balance_before; ///< J, at the point before
    double gap,
        gap_before; ///< max |g_i|, in mechanisms or radians, at run->now and at the point before
    double sigma, t_sigma_min, sigma_min; ///< the least of all parts now, and of the run
    int foreseen[2];                      ///< direction and part of run->t_singular
    trm_record record;
    trm_offset offset;
    trm_closing closing;
} trm_watch;

void trm_watch_layout(trm_watch *watch, const trm_run *run, trm_arena *arena);
/// How many directions each part has that may be lost; NULL: one, where the rank is not judged.
void trm_watch_expect(trm_watch *watch, const trm_rank *rank);
/// The run starts at run->now, the system's current point, factored. sigma_max[parts] is known from
/// nearby; `singular`: the rank here is less than there.
void trm_watch_start(trm_watch *watch, trm_run *run, int singular);
/// The run goes on from run->now, the system's current point, factored, by another rank.
void trm_watch_renew(trm_watch *watch, trm_run *run, int singular);
/// sigma of all parts at the system's current point, factored, may be the largest of the run: the
/// first row that is followed.
void trm_watch_learn(trm_watch *watch, trm_run *run, double t);
/// delta of the first step, by sigma of the start and of closed positions near it, whichever is
/// larger: small masses make it small where nothing is lost.
void trm_watch_damp_start(const trm_watch *watch, trm_run *run);
/// Nothing is known of sigma.
void trm_watch_forget(trm_watch *watch);
/// run->now is a new accepted point, the system's current one, factored. Moves the current point.
void trm_watch_update(trm_watch *watch, trm_run *run);
/// run->now was moved, by no motion.
void trm_watch_shifted(trm_watch *watch, trm_run *run);
/// Whether no sigma of part p, as far as is known, is more than damped solves see.
int trm_watch_is_blind(const trm_watch *watch, int p);
/// The least sigma of all parts at the system's current point, factored. Nothing is remembered.
double trm_watch_sigma(trm_watch *watch, trm_run *run, double t);

#endif
