/// The run that a time-stepping method works on, and the functions that it must provide.
///
/// The state of a run is z = (q, v, work), n = nq + nv + 1 numbers; work (J) is a quadrature of the
/// power of all forces without potential, drives included.
#pragma once

#include "base/finite.h"
#include "engine/contact/contact.h"
#include "engine/multibody/extent.h"
#include "engine/system/system.h"
#include "integrators/trajectory/motion_range.h"
#include "integrators/trajectory/stiffness.h"
#include "trammel/trammel_methods.h"
#include "trammel/trammel_simulation.h"

typedef struct trm_run trm_run;
typedef struct trm_trial trm_trial;
typedef struct trm_stabilization_ops trm_stabilization_ops;

/// A point of the trajectory: z, its derivative and the multipliers there.
typedef struct trm_point_of_run {
    double t;       ///< s
    double *z;      ///< [n] q, v, work
    double *dz;     ///< [n] N v, a, power
    double *lambda; ///< [nc]
} trm_point_of_run;

enum { TRM_MOST_SEEN = 16 };

/// An integrator, in a file of its own; integrators/registry.c lists them. Pairs of an integrator
/// and a stabilization follow from both: their sources and parameters are joined.
typedef struct trm_method_ops {
    trm_integrator integrator;
    const char *name;   ///< "rk4": as on the command line
    const char *doc;    ///< a clause that says what it is
    const char *source; ///< equation of the papers, or NULL: a textbook's
    const char
        *parameters;    ///< the fields of trm_options it reads besides h or rtol and atol, or NULL
    int order;          ///< of the global error, with default parameters
    int adaptive;       ///< nonzero: uses rtol and atol, else h
    int takes_contacts; ///< nonzero: it steps models with limits, friction or stops
    int parts;          ///< of h_next, that a step is one of; 0: it is h_next long
    int steps_contacts; ///< nonzero: its steps find what contacts do; nothing of them is located
    /// The stabilizations of this integrator, ended by NULL; NULL instead of a
    /// list: every general stabilization.
    const trm_stabilization_ops *const *partners;

    /// Take the method's memory; run->method points to it.
    void (*layout)(trm_run *run, trm_arena *arena);
    /// run->now.t and z are set: compute dz and lambda, and prepare the first step.
    trm_status (*start)(trm_run *run, trm_error *err);
    /// One accepted step, at most to t_limit, which is hit exactly if it is near. The old point
    /// goes to run->before. After a failure run->now is unchanged.
    trm_status (*step)(trm_run *run, double t_limit, trm_error *err);
    /// The next try of a step to t_limit at most (integrators/rk/trial.h); NULL: others cannot
    /// compute it.
    void (*trial)(trm_run *run, double t_limit, trm_trial *out);
    /// z at t within the last step.
    int (*dense)(trm_run *run, double t, double *z);
    /// The n numbers from z[first] on alone, quaternions of any length. Returns nonzero where all
    /// are to be asked for; NULL: always.
    int (*dense_part)(trm_run *run, double t, int first, int n, double *z);
    /// The dense output of the last step from *z0 on is
    /// z0 + s(F0 + (1-s)(F1 + s(F2 + (1-s)(F3 + ...)))), 0 <= s <= 1. Returns the number of terms;
    /// 0: it is not known. NULL: never.
    int (*terms)(trm_run *run, double *const **F, const double **z0);
    /// The stages that the estimate of the error weighs, in parts of the step, then *more of the
    /// dense output; TRM_MOST_SEEN at most. Returns the number of the former. NULL: there is no
    /// such estimate of single steps, which see their ends.
    int (*seen)(const trm_run *run, double *places, int *more);
    /// The work at the end of the step is W, in run->now and in the dense output; NULL: it cannot.
    void (*take_work)(trm_run *run, double W);
    /// The run lies at another address from here on, its arrays where they were; NULL: the method
    /// keeps no address of it.
    void (*moved)(trm_run *run);
    /// z := the argument of the last stage of the trial step, which ends at t as that stage does;
    /// NULL: there is no such stage.
    void (*last_stage)(const trm_run *run, double t, double *z);
    /// Sequential regularization (integrators/srm/srm_heun.h): the form of its equations.
    const struct trm_srm_form *(*form)(const trm_run *run);
} trm_method_ops;

/// Motions that meet in a singular position cross there, or turn into each other in a corner, which
/// may be hidden: too narrow for solves to see, it is passed like a crossing.
typedef enum trm_meeting {
    TRM_MEETING_UNKNOWN,
    TRM_MEETING_CROSSING,
    TRM_MEETING_HIDDEN,
    TRM_MEETING_CORNER
} trm_meeting;

struct trm_run {
    trm_system *system;
    trm_options options;
    const trm_method *pair; ///< names and properties of integrator and stabilization
    const trm_method_ops *method_ops;
    const trm_stabilization_ops *stabilization;
    const trm_row_info *row_info; ///< [nc], for messages
    const int *body;              ///< [nv] of the model: the first velocity of its body, or NULL

    trm_extents extent; ///< of the start, the scales of drifts, and of errors with given tolerances
    trm_motion_range range; ///< the scales of errors by the motion

    int n; ///< nq + nv + 1
    trm_point_of_run now, before;
    trm_stats stats;
    int unfactored; ///< nonzero: the method leaves no factorization of G M^-1 G^T behind

    double t_origin; ///< fixed steps: t = t_origin + count*h
    long count;
    double t_limit;    ///< s: where the caller lets the run go
    int outside;       ///< that begins where the limit before it was: a control loop steps the run
    double h_next;     ///< adaptive: the suggestion of the error control
    double work_scale; ///< J, the scale of errors of the work where time alone moves the mechanism:
                       ///< its coordinates follow from the constraints, and steps integrate the
                       ///< work alone. Else 0

    trm_contact *contact;                        ///< limits, friction and stops; NULL without any
    int contact_rows;                            ///< of the model
    trm_stiffness stiffness;                     ///< of explicit pairs
    struct trm_limit *limit;                     ///< for singular positions, or NULL
    double *work_v, *work_v2, *work_c, *work_c2; ///< [nv], [nv], [nc], [nc] of the stabilization
    void *method;                                ///< memory of the method
    int rates_changed;                           ///< rates at now are others than at the end of the
                                                 ///< last step: a switch or an input has changed
    int shifted;                                 ///< now.z was moved between two steps: start anew
    int inputs_changed; ///< since the last step: the right-hand side has changed
    double row_size; ///< the largest sigma so far of the row nearest to dependence: its change when
                     ///< bodies turn by a radian
    double gap_corrected, damping_corrected; ///< of S factored for corrections (trm_post_factor)
    int weak_row;                            ///< at now: a row that nearly depends on others, or -1
    double weak_sigma; ///< and its singular value, see simulation/singular/singularity_monitor.h
    double t_singular; ///< s: when a row vanishes, next or last, as the last two points foresee it;
                       ///< INFINITY: none
    trm_meeting meeting;                ///< what is known of the position there
    double least_there;                 ///< of a corner: the least sigma^2 in it
    void (*find_meeting)(trm_run *run); ///< sets both, or NULL; moves the system's current point
    int (*is_interrupted)(const trm_run *run); ///< or NULL
    double observed; ///< N or N m: the largest of the reactions and contact forces that it found
    void (*observe)(trm_run *run, double t, const double *z); ///< what sensors read at (t, z) in
                                                              ///< conditions and settings; NULL:
                                                              ///< they read nothing; moves the
                                                              ///< system's current point
    int closes_stages; ///< the next step closes its stages (integrators/rk/stage_closing.h)
    int step_vanished; ///< the step has failed: its size is zero, or too small for headway
    int solver_failed; ///< IDA has found no step that it accepts, or changes of contacts no end
    void (*finish)(trm_run *run); ///< frees memory of the method outside the arena, or NULL
    void *stabilization_memory;   ///< memory of the stabilization
};

/// Returns nonzero if the caller wants the run to end.
static inline int trm_run_is_interrupted(const trm_run *run)
{
    return run->is_interrupted && run->is_interrupted(run);
}

/// The run's arrays, then those of the stabilization and of the method.
void trm_run_layout(trm_run *run, trm_arena *arena);

/// now becomes before; the method then writes `t` and the contents of now.
void trm_run_advance(trm_run *run);

/// End of the next fixed step, and its size: t_origin + (count+1) h, or t_limit if that is nearer.
/// Call trm_run_land when the step is accepted.
double trm_run_next(const trm_run *run, double t_limit, double *h);
void trm_run_land(trm_run *run, double t);

/// dz and lambda at (t, z) by the run's stabilization; z corrected by it, if
/// it corrects. Return a system's code.
int trm_run_rates(trm_run *run, double t, const double *z, double *dz, double *lambda);
int trm_run_correct(trm_run *run, double t, double *z);
/// The end of a fixed step, before->z as it was integrated: corrected, its rates found, all
/// checked.
trm_status trm_run_close_step(trm_run *run, double t_next, trm_error *err);

/// Cubic Hermite interpolation between before and now, for methods without a dense output.
int trm_run_hermite(trm_run *run, double t, double *z);
/// y[n] := y0 + x(F0 + (1-x)(F1 + x(F2 + ...))), F[count].
void trm_run_interpolate(int n, double x, int count, double *const *F, const double *y0, double *y);
enum { TRM_BY_ENDS = 5 };
/// F[TRM_BY_ENDS] of the polynomial through before and now: positions by q, q' and, at the ends
/// where that is known, q''; others, cubics, by z and z'. work: [nq].
void trm_run_by_ends(trm_run *run, int known_before, int known_now, double *work, double *const *F);

/// "joint 'A'" or "constraint 'path'": where row i is.
void trm_run_name_row(const trm_run *run, int row, char *out, size_t size);
/// h_next, finite: the growth of steps, or the first of them in a state of huge numbers, may be
/// beyond all numbers, and no part of that is shorter. NaN stays.
double trm_run_finite_step(const trm_run *run);
/// s, where nothing moves yet: sqrt(eps) of what is left of the run, of 1 s where no end is known.
double trm_run_little_while(const trm_run *run);
/// Nonzero when the method chooses its steps.
int trm_run_is_adaptive(const trm_run *run);

/// Returns nonzero if the run makes no headway with a step of size h: a hundred thousand tiny steps
/// in a row, *tiny so far. Tiny: a billion of them would not reach the end, or a million where
/// nothing moves. (Relative to the time already simulated, the periods of a control loop would
/// become tiny in the end.)
int trm_run_is_zeno(const trm_run *run, double t_limit, double h, int *tiny);
/// The error for no headway: the end is too far, when that many steps of size h move the mechanism
/// by more than its size; else the reason `why` it stands still.
trm_status trm_run_fail_zeno(trm_run *run, double t_limit, double h, const char *why,
                             trm_error *err);
/// The error for an adaptive step size that went to zero: the
/// tolerances may be beyond double precision.
trm_status trm_run_fail_step_size(trm_run *run, trm_error *err);

/// A try of a step of a method that chooses its size.
typedef struct trm_try {
    double t_next, h; ///< s: its end, its size
    int last;         ///< it ends at t_limit
} trm_try;

/// The try of `wanted`, or of all that is left where that is at most `stretch` times as long.
trm_try trm_run_plan(const trm_run *run, double t_limit, double wanted, double stretch);
/// Whether its size is a number, and not zero beside t.
int trm_run_is_resolved(const trm_run *run, const trm_try *planned);
/// OK; or the error for no headway of an explicit method, *tiny as above.
trm_status trm_run_makes_headway(trm_run *run, double t_limit, double h, int *tiny, trm_error *err);
/// The error where no shorter try is left; code: of the last one.
trm_status trm_run_fail_try(trm_run *run, int code, trm_error *err);

/// An error that says when, and where the mechanism was weakest. `what` is one clause.
trm_status trm_run_fail(const trm_run *run, trm_status status, const char *what, trm_error *err);
/// The error for a nonzero code of a system function.
trm_status trm_run_fail_code(const trm_run *run, int code, trm_error *err);
