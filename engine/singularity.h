/// Positions where G loses rank: when a run meets them, and whether it leaves them on the branch
/// on which it came.
///
/// Measure: rho(t) = the smallest pivot of G M^-1 G^T, each against what is usual for its row, rows left
/// out that never had a pivot (redundant everywhere). Usual is a few times the geometric mean along the way, no
/// more than the largest: a row whose pivot is nearly always small, but large where it takes the place of another,
/// would hide the ones that vanish. At an isolated singular
/// position rho touches zero like (t - t*)^2. Steps are longer than that, so a minimum of rho among
/// accepted points, or of the stages of a step, is followed into the step by interpolation.
///
/// Where the rank of G drops, several motions meet; the right one has a continuous velocity. From one
/// accepted point to the next, those next to t* left out (rho, hence the acceleration, is roundoff there),
/// the velocity of the mechanism must change as the accelerations say (jump.h); where it does not, the branch has
/// changed, whatever the residual and the energy say, unless the polynomial through the points around
/// t* fits the joints: then only the steps were long.
///
/// A mechanism of nearly equal bars comes near to a singular position and turns within a short time. When
/// its steps are short enough to show a continuous velocity, and its joints so well closed that rho is
/// no roundoff, the passage is `resolved`: regular motion, no change of branch.
#ifndef TRM_SINGULARITY_H
#define TRM_SINGULARITY_H

#include "engine/model.h"
#include "engine/passport.h"
#include "integrators/integrator.h"

/// An accepted point that the monitor remembers.
typedef struct trm_seen {
    double t, rho;
    double rcond;   ///< the smallest pivot in units of its row's diagonal, see trm_report
    double balance; ///< J, kinetic + potential - work
    double t_from;  ///< s, the last point before that was not next to t*
    double *jump;   ///< [nv] of the velocity since then, see trm_run_jump; of older, before and now
    int rank;       ///< of G
    double *z, *dz; ///< [n]
    double *qdd;    ///< [nq] second derivative of q
    double *ratio;  ///< [nc] pivots of the rows, see trm_solver; of older, before and now
    double spared;  ///< of each, what damping left in it
} trm_seen;

/// What was seen since rho was last large.
typedef struct trm_passage {
    double
        *jump; ///< [nv] largest of the velocity, points next to t* and steps far from it left out
    double *fine;  ///< [nv] the same, all points counted
    double *since; ///< [nv] the same, summed over the steps since the last point not next to t*
    double lowest; ///< rho of an accepted point
    double gap;    ///< largest residual, over the size of its mechanism
    int inside;    ///< accepted points in the dip
} trm_passage;

typedef struct trm_monitor {
    const trm_model *model;
    int active;        ///< zero when the rank cannot drop
    int must_factor;   ///< nonzero when the method leaves no factorization behind
    double *pivot_max; ///< [nc] largest ratio of each row so far
    double *log_ratio; ///< [nc] its logarithm, summed over the way
    double *mean;      ///< [nc] its geometric mean; INFINITY before the first step
    double way;        ///< in mechanisms, that far the run has gone
    double *unit;      ///< [nc] what the ratio of each row is small against: run->usual_ratio
    double *root_mass; ///< [nv] sqrt of the diagonal of M
    char *involved;    ///< [nv] nonzero: of a body that the rows of the last crossing hold
    char *concerned;   ///< [nv] nonzero: of the mechanism of such a body
    double *step_jump, *at_once; ///< [nv]
    double *probe, *turned;      ///< [nq]
    trm_seen older, before, now; ///< the last three accepted points
    trm_seen safe;               ///< the last one before `older` where rho was large
    trm_seen turn;               ///< the one farthest from the last crossing, until that is judged
    trm_seen last;               ///< the last one not next to t*
    trm_passage passage;
    int count; ///< accepted points seen
    double rho_max;
    double rho_min, t_rho_min;
    long crossings, resolved, branch_changes;
    double t_crossing; ///< s, of the last crossing
    double first_branch_change;
    int inside;            ///< within a dip that has been counted
    int pending;           ///< a crossing waits for the first point after it where rho is large
    int passed_smoothly;   ///< the steps around it show no kink
    double t_judged;       ///< s, that crossing
    double t_anchor;       ///< s, the point before it
    double anchor_balance; ///< J
    int anchor_rank;
    double balance; ///< J, kinetic + potential - work at run->now, set by the caller
    double gap; ///< largest |g_i| at run->now, over the size of its mechanism, set by the caller
    trm_passport passport;
} trm_monitor;

void trm_monitor_layout(trm_monitor *monitor, const trm_run *run, trm_arena *arena);
/// Forget the run before: what its singular positions have taught must not reach the start of another.
void trm_monitor_forget(trm_monitor *monitor, trm_run *run);
/// The run starts at run->now, which is the system's current point.
void trm_monitor_start(trm_monitor *monitor, trm_run *run);
/// Nonzero when rows look redundant at the start: a closed position nearby tells whether they are
/// redundant everywhere. Learn from it; if the rank has risen, the start is singular.
int trm_monitor_doubts_start(const trm_monitor *monitor, const trm_run *run);
void trm_monitor_judge_start(trm_monitor *monitor, trm_run *run);
/// The last factorization may show that a row is not redundant everywhere.
void trm_monitor_learn(trm_monitor *monitor, const trm_system *system);
/// run->now is a new accepted point and the system's current one; it need not be afterwards.
void trm_monitor_update(trm_monitor *monitor, trm_run *run);
/// The run may end at the last point: a singular position within the last step, closer to its end, would
/// show itself only with the next one. Leaves the system anywhere; what the solver learns is the caller's.
void trm_monitor_look_behind(trm_monitor *monitor, trm_run *run);
/// The smallest singular value of the last factorization, see trm_sim_singular_value.
double trm_monitor_sigma(trm_monitor *monitor, const trm_system *system);
/// run->now was moved, by no motion, and is the system's current point, factored.
void trm_monitor_shifted(trm_monitor *monitor, trm_run *run);
/// The highest rank of G so far.
int trm_monitor_rank(const trm_monitor *monitor, const trm_system *system);
/// The smallest pivot of the last factorization in units of its row's largest diagonal entry.
double trm_monitor_rho(const trm_monitor *monitor, const trm_system *system);

/// The smallest pivot, each in units of its own row, unit[n], rows left out whose largest one pivot_max[n] is that of
/// a redundant row. Where rows are redundant, damping leaves some of itself in the pivots of the others, but for the
/// fine one of a corner.
double trm_relative_rho(const double *pivot_max, const double *unit, const trm_solver *solver);

#endif
