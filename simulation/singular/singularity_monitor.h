/// Singularity monitor: when a run meets singular positions, and whether it leaves them on the
/// branch on which it came. It reports; the motion does not depend on it.
///
/// Points are compared by the direction of each component that is nearest to dependence
/// (null_continuation.h):
///
///   row between two points   least sigma in between   verdict
///   kept                     above the tolerance      regular; near zero: nearly equal bars,
///                                                     `resolved`
///   reversed                 at the tolerance         a crossing, passed on its branch
///   left                     at the tolerance         another branch
///   kept                     at the tolerance         turned back there, or at rest
///
/// Whether the row can have vanished in between is a matter of how far the bodies move: a row of
/// unit length changes by the angle they turn, more or less. A step whose ends do not tell is
/// followed from substep to substep, each as if it were a step (step_interior.h).
#pragma once

#include "engine/multibody/consistency.h"
#include "simulation/singular/branch_gap.h"
#include "simulation/singular/crossing_record.h"

/// What the null vector of a row does between two points.
typedef enum trm_null_vector_change {
    TRM_NULL_VECTOR_KEPT,
    TRM_NULL_VECTOR_REVERSED,
    TRM_NULL_VECTOR_LEFT
} trm_null_vector_change;

/// Null-vector continuation: one direction of each connected component, from point to point.
typedef struct trm_continuation {
    trm_direction now,
        seen; ///< at the last point, and at the last point before it whose direction is known
    trm_direction probe;   ///< inside the last step
    double *sigma_least;   ///< [components] the least sigma since the component is near
    double *energy_before; ///< [components] J, the energy balance before
    double *fell;          ///< [components] sigma behind the step before over that before it
    long *number;          ///< [components] of its last crossing in the record
    int *counted_near;     ///< [components] nonzero: near a singular position, which is counted
    int *reversed;         ///< [components] nonzero: the null vector has changed its sign there
    int *left_branch;      ///< [components] nonzero: the motion has left its branch there
    int *is_shared;        ///< [components] nonzero: another direction counts the crossing
    double *stands;        ///< [components] s: it was met at rest then, and nothing moves; or NAN
} trm_continuation;

/// Positions inside a step that have been closed, and by how much they were moved; two at a time.
enum { TRM_CLOSED = 8 };

typedef struct trm_shift {
    int n;
    double t[TRM_CLOSED];   ///< s
    double *by[TRM_CLOSED]; ///< [nq]
} trm_shift;

/// How many times more the volume of rows was before a step than behind it, and of the roots of
/// pivots, whose product that is, the one that falls most and the one that rises most.
typedef struct trm_fall {
    double all, most, least, pivot; ///< behind it the least pivot, in units of D
} trm_fall;

typedef struct trm_singularity_monitor {
    const trm_model *model;
    int active;                             ///< zero when the rank cannot drop
    int ncontinuations, most_continuations; ///< of any component, and what they may become
    int *most; ///< [components] number of continued directions, at most the rank of the component
    int *repeats; ///< [components] rows that repeat others
    trm_continuation continuation[TRM_CONTINUATIONS];
    trm_direction probe; ///< at any point
    double
        *motion; ///< [components] of the last step: how far bodies moved, in radians or mechanisms
    double *pivot;         ///< [nc] behind the last step, component by component
    trm_fall *fall, *fell; ///< [components] in the last step, and in the step before
    double h_before;       ///< s, that step
    int *room;             ///< [components] of those continued directions, at most
    int *lost;             ///< [components] directions lost in its last crossing that are not told
    long *last;            ///< [components] its last crossing in the record; 0: none
    int *gap_explains;    ///< [components] nonzero: the gap of the joints may explain that it turns
    int *undecided;       ///< [components] nonzero: the ends of the last step do not decide
    double t, *place;     ///< s, [n]: the last point, of the run or inside its last step
    double *x, *z;        ///< for trm_directions_find, [n]
    trm_shift shift;      ///< of positions inside the last step
    double *work;         ///< [n]
    int interior_known;   ///< the next two are those of the last step
    double closed_enough; ///< gaps that hide nothing
    double *ends[TRM_BY_ENDS]; ///< [n] of the last step, trm_run_by_ends
    double balance; ///< J, kinetic + potential - work at run->now, set by the caller, as gap is
    double balance_before; ///< J, at the point before
    double gap,
        gap_before;    ///< max |g_i|, in mechanisms or radians, at run->now and at the point before
    double *sigma_max; ///< [components] the largest least sigma so far
    double *misfit;    ///< [components] of redundant rows, the largest so far, set by the caller
    double sigma, t_sigma_min, sigma_min; ///< the least of all components now, and of the run
    int predicted[2];                     ///< direction and part of run->t_singular
    int *foreseen;                        ///< [components] direction, and time, of each part
    double *t_foreseen;                   ///< s
    trm_crossing_record record;
    trm_offset offset;
    trm_closing closing;
} trm_singularity_monitor;

void trm_monitor_layout(trm_singularity_monitor *monitor, const trm_run *run, trm_arena *arena);
/// Set how many directions of each component are followed; NULL: no row repeats others.
void trm_monitor_expect(trm_singularity_monitor *monitor, const trm_rank *rank);
/// Start at run->now, the system's current point, factored. sigma_max[components] is known from
/// nearby; `singular`: the rank here is less than there.
void trm_monitor_start(trm_singularity_monitor *monitor, trm_run *run, int singular);
/// Continue from run->now, the system's current point, factored, with another rank.
void trm_monitor_renew(trm_singularity_monitor *monitor, trm_run *run, int singular);
/// sigma of all components at the system's current point, factored, may be the largest of the run:
/// the first row that is followed.
void trm_monitor_learn(trm_singularity_monitor *monitor, trm_run *run, double t);
/// delta of the first step, by sigma of the start and of closed positions near it, whichever is
/// larger: small masses make it small where nothing is lost.
void trm_monitor_damp_start(const trm_singularity_monitor *monitor, trm_run *run);
/// Forget what is known of sigma.
void trm_monitor_forget(trm_singularity_monitor *monitor);
/// Where rows are masked others are kept at run->now, if that takes it, and the step that ends
/// there is looked at by these: not near a singular position, where directions are of few digits.
void trm_monitor_choose_rows(trm_singularity_monitor *monitor, trm_run *run);
/// Take the accepted point run->now, the system's current one, factored. Moves the current point.
void trm_monitor_update(trm_singularity_monitor *monitor, trm_run *run);
/// Note that run->now was moved by the user, not by the motion.
void trm_monitor_shifted(trm_singularity_monitor *monitor, trm_run *run);
/// Returns nonzero if no sigma of component p, as far as is known, is above what damped solves see.
int trm_monitor_is_blind(const trm_singularity_monitor *monitor, int p);
/// The least sigma of all components at the system's current point, factored. Nothing is
/// remembered.
double trm_monitor_sigma(trm_singularity_monitor *monitor, trm_run *run, double t);
