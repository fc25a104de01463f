/// The system: all that an integrator may know of a model.
///
///   [EOM]  M(q) a = f(t,q,v) - G(t,q)^T lambda,    q' = N(q) v,    0 = g(t,q)
///   [VEL]  0 = G v + g_t
///   [ACC]  0 = G a - gamma
///
/// Sizes, M^-1 x, f, g, G x, G^T y, (G M^-1 G^T)^-1 y, gamma, g_t, N: no bodies, no joints. Bodies
/// in absolute coordinates (assembler.c) and equations of the user (equations.c) are systems.
///
/// Rows that repeat others except for a misfit contradict them by as much. Each factorization tells
/// what the directions left out of every solve leave open at its point, the play
///
///     s = D W W^T g,
///
/// which is taken from g there and at the points after it: all that reads g sees a mechanism that
/// closes. s follows from the position alone, so that it does not wander, and a point that is
/// looked at in between changes nothing in the motion. G v + g_t loses its part likewise.
///
/// A system has a current point, set by trm_system_position; everything after it is taken there.
/// The factorization stays that of the point where trm_system_factor was called last, so that a
/// method can freeze it while G moves on.
///
/// Functions that can fail return 0, > 0 when the argument is outside the domain (a smaller step
/// may help), or < 0 to give up; `failed` then names the element.
#pragma once

#include "base/arena.h"
#include "engine/linear/constraint_solver.h"
#include "engine/system/input.h"
#include "engine/system/structure.h"
#include "trammel/trammel_status.h"

#include <stdint.h>

/// Which W stands in S = G W G^T: M^-1, or the identity for the F of [ACPR95 (5.6)]. MASS_NEAR, of
/// spread alone: M^-1 G^T of where S was last formed, which is near, will do as well.
typedef enum trm_metric { TRM_METRIC_MASS, TRM_METRIC_IDENTITY, TRM_METRIC_MASS_NEAR } trm_metric;

typedef struct trm_system trm_system;

/// What has been found at the end of a step with that of other runs (integrators/lanes), and is not
/// computed again.
typedef struct trm_found {
    int known;                 ///< nonzero: the current point is that end
    double position, velocity; ///< max |g_i| and max |(G v)_i|
    int position_row;          ///< where
    double gap;                ///< max |g_i|/extent_i
    double rate;               ///< max |(G v)_i|/extent_i
    int rate_row;              ///< where
    double load;               ///< sum |lambda_i| extent_i
    int energies;              ///< nonzero: these too
    double kinetic, potential; ///< J
    // the next step of inverse iteration for the direction that a run follows
    int iterated;         ///< nonzero: it is known, of the factors at hand
    double *w;            ///< [nc] of unit length in units of sqrt(D)
    double *f, *u;        ///< [nv] G^T w and M^-1 G^T w
    double sigma;         ///< of u
    double along, before; ///< D w0 w and D w0 w0 of the direction w0 that it comes from
} trm_found;

/// Where the current point of planar bodies and pins is kept: the arrays of trm_pose, g, and the
/// moments of pins.h.
typedef struct trm_planar_place {
    double *x, *y, *angle, *c, *s; ///< [bodies + 1]
    double *g;                     ///< [nc]
    double *m;                     ///< [moments]
} trm_planar_place;

typedef struct trm_system_ops {
    int (*position)(trm_system *system, double t, const double *q);
    trm_planar_place (*place)(trm_system *system, double t); ///< the time is t; NULL: equations
    int (*force)(trm_system *system, const double *v, double *f, double *power);
    /// NULL: M^-1 f, one after the other
    int (*free_acceleration)(trm_system *system, const double *v, double *a, double *power);
    int (*acceleration_residual)(trm_system *system, const double *v, const double *a, int again,
                                 double *r);
    void (*multiply_M)(trm_system *system, double *x);
    void (*solve_M)(trm_system *system, double *x);
    void (*solve_heavy_M)(trm_system *system, double *x); ///< NULL: no body is light
    void (*multiply_G)(trm_system *system, const double *x, double *y);
    void (*spread)(trm_system *system, trm_metric metric, const double *y, double *x);
    /// NULL: G^T y, and M^-1 of it, one after the other
    int (*spread_both)(trm_system *system, const double *y, double *f, double *u);
    void (*subtract_spread)(trm_system *system, trm_metric metric, const double *y, double *x);
    void (*form_S)(trm_system *system, trm_metric metric, double *S);
    void (*rates)(trm_system *system, const double *q, const double *v, double *qdot);
    void (*move)(trm_system *system, const double *dx, double *q);
    void (*normalize)(trm_system *system, double *q);
    void (*wind)(trm_system *system, const double *v); ///< NULL: no turns are counted
    void *(*turns)(const trm_system *system, size_t *bytes);
    double (*kinetic)(trm_system *system, const double *v);
    double (*potential)(trm_system *system);
    void (*mass_diagonal)(trm_system *system, double *m);
    // of systems with formulas that switch
    void (*hold)(trm_system *system, const int64_t *mode);
    void (*switching)(trm_system *system, double t, const double *q, const double *v, int only,
                      double *g);
    // of systems with bodies
    struct trm_kinematics (*kinematics)(trm_system *system, double t, const double *q,
                                        const double *v, const double *a);
    double (*row)(trm_system *system, const double *slots, double *row);
} trm_system_ops;
/// What every system has, where its functions have the names of these members.
#define TRM_SYSTEM_OPS                                                                             \
    .position = position, .force = force, .acceleration_residual = acceleration_residual,          \
    .multiply_M = multiply_M, .solve_M = solve_M, .multiply_G = multiply_G, .spread = spread,      \
    .subtract_spread = subtract_spread, .form_S = form_S, .rates = rates, .move = move,            \
    .normalize = normalize, .kinetic = kinetic, .potential = potential,                            \
    .mass_diagonal = mass_diagonal

struct trm_system {
    const trm_system_ops *ops;
    int nq, nv, nc;
    int states;        ///< of the velocities the last, to which no coordinate belongs
    double *g;         ///< [nc] at the current point
    const double *g_t; ///< [nc] likewise
    double *play;      ///< [nc] what redundant rows leave open, taken from g; NULL: nothing is
    double *bias;      ///< [nc] the part of it that is given, and does not follow from g
    const int
        *speed; ///< [nc] nonzero: 0 = G v + g_t is no derivative of a g, and g is 0; NULL: none
    const trm_structure *structure;
    const double *constant_a; ///< [nv] M^-1 f where that is constant, else NULL
    trm_input *inputs;        ///< as many as the model has; NULL without any
    trm_solver solver;
    double latest; ///< s, the last time that a user's force is shown before it changes suddenly
    int nswitching_functions; ///< of the formulas of its forces and constraints
    int moving;               ///< nonzero: g_t may be other than zero
    const void *first_turns;  ///< those with which runs begin
    const char *failed;       ///< the element whose function failed, NULL if it has no name
    const char *explained;    ///< the element of `reason`, where it is `failed`
    const char *explained_at; ///< its place in the file, or ""
    char reason[120];
    long force_evals, jacobian_evals, factorizations;
    trm_found found;
};

/// The velocities of bodies, which come first: those that are no states.
static inline int trm_system_motions(const trm_system *system)
{
    return system->nv - system->states;
}

/// Make (t, q) the current point: g, g_t and G there.
int trm_system_position(trm_system *system, double t, const double *q);

/// The play by the directions left out as they are known: as after a factorization.
void trm_system_renew_play(trm_system *system);
/// r[nc] := r without the directions in which rows repeat others, as the last factorization has
/// them: a solve of its own would resolve what these rows contradict each other by.
void trm_system_leave_out(trm_system *system, double *r);

/// The same for a system of planar bodies and pins by others: where they write the point, which is
/// the current one, with what has been found there, from trm_system_arrive on.
trm_planar_place trm_system_place(trm_system *system);
void trm_system_arrive(trm_system *system, double t);

/// f[nv] at the current point and v; *power (W) is that of forces without potential.
int trm_system_force(trm_system *system, const double *v, double *f, double *power);

/// a[nv] = M^-1 f, likewise.
int trm_system_free_acceleration(trm_system *system, const double *v, double *a, double *power);

/// gamma[nc] at the current point and v.
int trm_system_gamma(trm_system *system, const double *v, double *gamma);

void trm_system_multiply_M(trm_system *system, double *x); ///< x[nv] := M x
void trm_system_solve_M(trm_system *system, double *x);    ///< x[nv] := M^-1 x
/// The same of the M by which directions of rows are told from each other (null_space.h).
void trm_system_solve_heavy_M(trm_system *system, double *x);

void trm_system_multiply_G(trm_system *system, const double *x, double *y);  ///< y[nc] = G x
void trm_system_multiply_GT(trm_system *system, const double *y, double *x); ///< x[nv] = G^T y

/// r[nc] = G a - gamma, the residual of [ACC] at the current point and v; a[nv] = 0 when NULL.
int trm_system_acceleration_residual(trm_system *system, const double *v, const double *a,
                                     double *r);
/// The same for another a, at the point and the v of the last call: gamma is known.
int trm_system_acceleration_residual_again(trm_system *system, const double *v, const double *a,
                                           double *r);

/// r[nc] = G v + g_t, the residual of [VEL].
void trm_system_velocity_residual(trm_system *system, const double *v, double *r);

/// Factor S = G W G^T + delta D at the current point. > 0: no usable factorization there.
int trm_system_factor(trm_system *system, trm_metric metric);
/// The same with another delta, for corrections, and y[nc] := S^+ y at once; y may be NULL.
int trm_system_factor_damped(trm_system *system, trm_metric metric, double delta, double *y);

/// y[nc] := S^+ y with the last factorization.
void trm_system_solve_S(trm_system *system, double *y);
/// y[nc] := the smallest y, in units of D, of the same G^T y at the current point, factored in the
/// mass metric before and after; work[nc] for use. The second: where rows are masked; without masks
/// solutions are that already.
int trm_system_make_least(trm_system *system, double *y, double *work);
int trm_system_least(trm_system *system, double *y, double *work);
/// y[nc] := (S + delta D)^-1 y, a step of inverse iteration.
void trm_system_iterate_S(trm_system *system, double *y);
/// As trm_system_solve_S for x[nc] and y[nc] at once, which takes less time.
void trm_system_solve_two(trm_system *system, double *x, double *y);

/// x[nv] = W G^T y, G of the current point.
void trm_system_spread(trm_system *system, trm_metric metric, const double *y, double *x);
/// f[nv] = G^T y, u[nv] = M^-1 f by the M of trm_system_solve_heavy_M.
void trm_system_spread_both(trm_system *system, const double *y, double *f, double *u);
/// x[nv] -= W G^T y, likewise.
void trm_system_subtract_spread(trm_system *system, trm_metric metric, const double *y, double *x);

/// a[nv] := the acceleration by the generalized force in it, lambda[nc] the multipliers, with the
/// last factorization.
void trm_system_respond(trm_system *system, double *a, double *lambda);

void trm_system_rates(trm_system *system, const double *q, const double *v, double *qdot); ///< N v
void trm_system_move(trm_system *system, const double *dx, double *q); ///< q := q + N(q) dx
void trm_system_normalize(trm_system *system, double *q); ///< quaternions to unit length
/// A run has accepted the current point, with v (NULL: at rest): the turns of spatial hinges are
/// counted from here on.
void trm_system_wind(trm_system *system, const double *v);
/// The turns counted, *bytes of memory, to be copied between systems of
/// one model; NULL: none are counted.
void *trm_system_winding(const trm_system *system, size_t *bytes);
/// Angles of spatial hinges, and places along closed curves, count on from those of `from`; NULL:
/// from those with which runs begin.
void trm_system_take_winding(trm_system *system, const trm_system *from);

double trm_system_kinetic(trm_system *system, const double *v); ///< J
double trm_system_potential(trm_system *system);              ///< J; NAN for models from equations
void trm_system_mass_diagonal(trm_system *system, double *m); ///< m[nv], > 0

/// From now on formulas hold these branches of their switches[nswitching_functions], borrowed;
/// NULL: the branches follow from their functions.
void trm_system_hold_modes(trm_system *system, const int64_t *mode);
/// g[nswitching_functions], the switching functions at (t, q, v), with the branches held, or those
/// of formula `only` (-1: all). Moves the current point, but leaves the rows where they were.
void trm_system_switching_values(trm_system *system, double t, const double *q, const double *v,
                                 int only, double *g);

/// Of the values x[n] of a function of the user: 0 when all are
/// finite, else 1, and `name` has failed.
int trm_system_check_finite(trm_system *system, const char *name, int n, const double *x);
