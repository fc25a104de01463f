/// Positions where G loses rank: when a run meets them, and whether it leaves them on the branch
/// on which it came.
///
/// Measure: rho(t) = the smallest pivot of G M^-1 G^T against the largest diagonal entry that its row
/// ever had, rows left out that never had a pivot (redundant everywhere). At an isolated singular
/// position rho touches zero like (t - t*)^2. Steps are longer than that, so a minimum of rho among
/// accepted points is followed into the step by interpolation.
///
/// Where the rank of G drops, several motions meet; the right one has a continuous velocity. Before
/// and after a crossing, where rho is large again, the velocity is extrapolated to t* with the
/// acceleration; a jump there is a change of branch, whatever the residual and the energy say.
#ifndef TRM_SINGULARITY_H
#define TRM_SINGULARITY_H

#include "engine/passport.h"
#include "integrators/integrator.h"

/// An accepted point that the monitor remembers.
typedef struct trm_seen {
    double t, rho;
    double balance; ///< J, kinetic + potential - work
    double *z, *dz; ///< [n]
    double *qdd;    ///< [nq] second derivative of q
} trm_seen;

typedef struct trm_monitor {
    int active;                  ///< zero when the rank cannot drop
    int must_factor;             ///< nonzero when the method leaves no factorization behind
    double *pivot_max;           ///< [nc] largest ratio of each row so far
    double *root_mass;           ///< [nv] sqrt of the diagonal of M
    double *probe, *turned;      ///< [nq]
    trm_seen older, before, now; ///< the last three accepted points
    trm_seen safe;               ///< the last one before `older` where rho was large
    trm_seen turn;               ///< the one farthest from the last crossing, until that is judged
    int count;                   ///< accepted points seen
    double rho_max;
    double rho_min, t_rho_min;
    long crossings, branch_changes;
    double t_crossing; ///< s, of the last crossing
    double first_branch_change;
    int inside;            ///< within a dip that has been counted
    int pending;           ///< a crossing waits for the first point after it where rho is large
    double t_judged;       ///< s, that crossing
    double t_anchor;       ///< s, the point before it
    double *anchor;        ///< [nv] the velocity there, extrapolated to t_judged
    double *anchor_a;      ///< [nv] the acceleration there
    double anchor_balance; ///< J
    double balance;        ///< J, kinetic + potential - work at run->now, set by the caller
    trm_passport passport;
} trm_monitor;

void trm_monitor_layout(trm_monitor *monitor, const trm_run *run, trm_arena *arena);
/// The run starts at run->now, which is the system's current point.
void trm_monitor_start(trm_monitor *monitor, trm_run *run);
/// Nonzero when rows look redundant at the start: a closed position nearby tells whether they are
/// redundant everywhere. With that position factored, ask for the verdict.
int trm_monitor_doubts_start(const trm_monitor *monitor, const trm_run *run);
void trm_monitor_judge_start(trm_monitor *monitor, trm_run *run);
/// run->now is a new accepted point and the system's current one; it need not be afterwards.
void trm_monitor_update(trm_monitor *monitor, trm_run *run);
/// rho of the last factorization.
double trm_monitor_rho(const trm_monitor *monitor, const trm_system *system);

#endif
