/// What a time-stepping method works on and what it must provide.
///
/// The state of a run is z = (q, v, work), n = nq + nv + 1 numbers; work (J) is carried along as a
/// quadrature of the power of everything that has no potential, drives included.
#ifndef TRM_INTEGRATOR_H
#define TRM_INTEGRATOR_H

#include "engine/extent.h"
#include "engine/system.h"
#include "integrators/limit.h"

typedef struct trm_stabilization_ops trm_stabilization_ops;

/// A point of the trajectory: z, its derivative and the multipliers there.
typedef struct trm_point_of_run {
    double t;       ///< s
    double *z;      ///< [n] q, v, work
    double *dz;     ///< [n] N v, a, power
    double *lambda; ///< [nc]
} trm_point_of_run;

typedef struct trm_method_ops {
    /// Take the method's memory; run->method points to it.
    void (*layout)(trm_run *run, trm_arena *arena);
    /// run->now.t and z are set: dz and lambda there, and whatever the first step needs.
    trm_status (*start)(trm_run *run, trm_error *err);
    /// One accepted step, at most to t_limit, which is hit exactly if it is near. The point left
    /// behind goes to run->before. After a failure run->now is unchanged.
    trm_status (*step)(trm_run *run, double t_limit, trm_error *err);
    /// z at t within the last step.
    int (*dense)(trm_run *run, double t, double *z);
} trm_method_ops;

/// By how much each velocity, kink[nv], moves in the last step the method tried, of size h, other than a smooth function
/// of the time would.
typedef void trm_kink_of(const trm_run *run, double h, double *kink);

struct trm_run {
    trm_system *system;
    trm_options options;
    const trm_method_ops *method_ops;
    const trm_stabilization_ops *stabilization;
    const trm_row_info *row_info; ///< [nc], for messages
    const int *body;              ///< [nv] of the model: the first velocity of its body, or NULL

    trm_extents extent;  ///< of the start, what errors and drifts are small or large against
    double *usual;       ///< [nv] at the first velocity of a body: its speed, see jump.h
    double *usual_ratio; ///< [nc] what pivots are small against, see singularity.h; 0: not known

    int n; ///< nq + nv + 1
    trm_point_of_run now, before;
    trm_stats stats;
    double t_dip;   ///< s, where the pivots of the last step's stages are lowest; NAN: not known
    int unfactored; ///< nonzero: the method leaves no factorization of G M^-1 G^T behind

    double t_origin; ///< fixed steps: t = t_origin + count*h
    long count;
    double h_next; ///< adaptive: what the error control suggests

    trm_limit limit;                             ///< what singular positions need
    double *work_v, *work_v2, *work_c, *work_c2; ///< [nv], [nv], [nc], [nc] of the stabilization
    void *method;                                ///< memory of the method
    int shifted;                                 ///< now.z was moved between two steps: start anew
    int inputs_changed;           ///< since the last step: its right-hand side is another
    void (*finish)(trm_run *run); ///< gives back what the method took elsewhere, or NULL
    trm_kink_of *kink;            ///< of the method, or NULL
    void *stabilization_memory;   ///< memory of the stabilization
};

/// The run's arrays, then those of the stabilization and of the method.
void trm_run_layout(trm_run *run, trm_arena *arena);

/// now becomes before; `t` and the contents of now are then for the method to write.
void trm_run_advance(trm_run *run);

/// End of the next fixed step, and its size: t_origin + (count+1) h, or t_limit if that is nearer.
/// Call trm_run_land when the step is accepted.
double trm_run_next(const trm_run *run, double t_limit, double *h);
void trm_run_land(trm_run *run, double t);
/// How far beside a mesh point t an end may lie and still be meant: rounding of n h and of the end.
double trm_run_slack(const trm_run *run, double t);

/// Cubic Hermite interpolation between before and now, for methods without a dense output.
int trm_run_hermite(trm_run *run, double t, double *z);

/// "joint 'A'" or "constraint 'path'": where row i is.
void trm_run_name_row(const trm_run *run, int row, char *out, size_t size);
/// Nonzero when the method chooses its steps.
int trm_run_is_adaptive(const trm_run *run);

/// Whether the run makes no headway with a step of size h: a hundred thousand in a row, *tiny so far, of which a
/// billion would not reach the end. (Against what lies behind, the periods of a control loop would be tiny
/// sooner or later.)
int trm_run_crawls(const trm_run *run, double t_limit, double h, int *tiny);

/// An error that says when, and where the mechanism was weakest. `what` is one clause.
trm_status trm_run_fail(const trm_run *run, trm_status status, const char *what, trm_error *err);
/// The error for a nonzero code of a system function.
trm_status trm_run_fail_code(const trm_run *run, int code, trm_error *err);

/// Nonzero when every entry is finite.
int trm_all_finite(int n, const double *x);

#endif
