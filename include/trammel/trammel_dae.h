/// @file
/// Trammel: sequential regularization for general differential-algebraic equations of index 2.
///
///   [DAE]  x' = f(x,t) - B(x,t) y,    0 = g(x,t),    G = dg/dx,    g_t = dg/dt
///
/// x(t) has nx components, y(t) ny <= nx. GB (ny by ny) is nonsingular except at isolated times,
/// where y may grow without bound while B y stays smooth: such problems carry By, never y. For
/// mechanisms use trammel.h; this interface is for equations of other origin and for the papers'
/// own examples.
///
/// A linear problem, f = A x + q and g = C x + r with A, B, C, q, r functions of t alone, may also
/// be stepped by backward Euler.
///
/// Small problems give B and G as dense matrices; large problems give them as products or as
/// compressed rows (trm_dae_large), and then no dense matrix is formed anywhere. Without x' the
/// equations are x = f - B y, 0 = g (trm_dae_static).
///
/// Units    those of the problem; epsilon has the unit of t where E = (GB)^-1. Signs    - B y and
/// y_s = y_{s-1} + (1/epsilon) E (..), as in [AL95]. [AL93] writes + B y and
///          y_s = y_{s-1} - ..: its y is the negative of ours, its B is ours.
/// Shapes   name[rows] or name[rows*cols], row-major; indices start at 0. Memory   *_create pairs
/// with *_destroy, which accepts NULL. Arguments are copied unless called
///          "borrowed". Between create and destroy only sparse factors allocate.
/// Errors   trm_status and trm_error of trammel.h; `where` names the problem and the function,
///          `t` says when. After a failure the state is the last accepted one.
/// Threads No globals. An object may serve one thread at a time. Sources [AL95] Ascher & Lin,
/// sequential regularization, nonlinear higher index (1995).
///          [AL93] the same, linear index 2 (1993).
///
/// @code
///     const trm_dae_problem problem = {.name = "circle", .nx = 2, .ny = 1,
///                                      .f = f, .B = B, .g = g, .G = G};
///     trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
///     trm_dae_sim *sim = NULL;
///     options.h = 0.01;
///     if (!trm_dae_sim_create(&problem, &options, 0, x0, &sim, &err) &&
///         !trm_dae_sim_run(sim, 1, &err)) {
///         const trm_dae_state state = trm_dae_sim_state(sim, 0);
///         printf("x = %g, drift %g\n", state.x[0], state.drift);
///     }
///     trm_dae_sim_destroy(sim);
/// @endcode
#ifndef TRAMMEL_DAE_H
#define TRAMMEL_DAE_H

#include "trammel_methods.h"

TRM_API_BEGIN

// ------------------------------------------------------------------------------------- functions

/// User functions. Return 0; or > 0 when (x, t) is outside the domain, or < 0 to abort: the
/// step then fails with TRM_ERR_CALLBACK, and so it does when a written value is not
/// finite. They must write all of `out`, must not keep the pointers they get, and must give
/// equal results for equal arguments.
typedef int trm_dae_fn(double t, const double *x, double *out, void *user);

// --------------------------------------------------------------------------------- large problems

/// A product with a matrix A(x,t): out[rows] := A v, v[columns]. Returns what a trm_dae_fn returns.
typedef int trm_dae_product_fn(double t, const double *x, const double *v, double *out, void *user);

/// out[n] := (c0 I + c1 A)^-1 r, or an approximation, at (x, t); out and r do not overlap. Returns
/// what a trm_dae_fn returns.
typedef int trm_dae_solve_fn(double c0, double c1, double t, const double *x, const double *r,
                             double *out, void *user);

/// A matrix by compressed rows: row i has the entries k = start[i] .. start[i+1]-1, in the
/// ascending columns column[k]. Borrowed until the last destroy; start = NULL: not given.
typedef struct trm_dae_rows {
    const int *start;   ///< [rows+1]
    const int *column;  ///< [start[rows]]
    trm_dae_fn *values; ///< out[start[rows]]
} trm_dae_rows;

/// B and G each in one of two ways, and what is known of GB and f. The functions are compared with
/// each other on a few vectors when a run is created; an error names the two that disagree.
typedef struct trm_dae_large {
    trm_dae_product_fn *B;            ///< out[nx] := B y ..
    trm_dae_product_fn *G;            ///< out[ny] := G v ..
    trm_dae_rows B_rows;              ///< .. or nx rows
    trm_dae_rows G_rows;              ///< .. or ny rows
    trm_dae_product_fn *B_transposed; ///< out[ny] := B^T v; for E = (GB)^T, and for the checks
    trm_dae_product_fn *G_transposed; ///< out[nx] := G^T y; likewise
    int constant; ///< nonzero: B and G depend on neither x nor t; they are factored once
    /// [ny] B null = G^T null = 0: the constant pressure of a closed box. y keeps the component of
    /// y_0 along it. NULL: GB is nonsingular
    const double *null;
    trm_dae_solve_fn *solve;        ///< with A = GB: your own solver (FFT, multigrid); trusted
    trm_dae_solve_fn *precondition; ///< with A = GB: symmetric positive, for conjugate gradients
    trm_dae_rows L_rows; ///< the part L x of f that IMEX integrators take implicitly, nx rows; f is
                         ///< all of f. L is constant and only needs to be near that part; for
                         ///< backward Euler it is all of df/dx
    trm_dae_solve_fn *solve_L; ///< with A = L, instead of L_rows
} trm_dae_large;

// --------------------------------------------------------------------------------------- problem

typedef struct trm_dae_problem {
    const char *name; ///< for messages
    int nx, ny;       ///< 1 <= ny <= nx
    trm_dae_fn *f;    ///< out[nx]
    trm_dae_fn *B;    ///< out[nx*ny]; NULL with `large`
    trm_dae_fn *g;    ///< out[ny]
    trm_dae_fn *G;    ///< out[ny*nx] = dg/dx; NULL with `large`
    trm_dae_fn *g_t;  ///< out[ny] = dg/dt; NULL when g does not depend on t
    int linear; ///< nonzero: f, g, g_t are affine in x and B, G do not depend on it. A, C', q,
                ///< r, r' are then read off the functions, which is exact; checked once.
    void *user; ///< borrowed until the last destroy
    const trm_dae_large *large; ///< NULL: B and G are dense; borrowed until the last destroy
} trm_dae_problem;

/// How (c0 I + c1 GB) y = r is solved when the problem has no `solve`.
typedef enum trm_dae_solver {
    TRM_DAE_SOLVER_AUTO, ///< CG with `precondition`; else FACTORS, if there are rows and a library
    TRM_DAE_SOLVER_CG,   ///< conjugate gradients: products only, GB symmetric
    TRM_DAE_SOLVER_FACTORS ///< sparse L D L^T (CHOLMOD) or L U (KLU) of SuiteSparse; needs rows.
                           ///< The factors allocate while the run goes on, unless `constant`
} trm_dae_solver;

// --------------------------------------------------------------------------------------- methods

/// How the constraint is met. Files: integrators/.
typedef enum trm_dae_method {
    /// [AL95 (2.4)-(2.5)], [AL93 (3.3)-(3.4), (3.15)]: iterates y_s; nonsingular GB. dae_srm.c
    TRM_DAE_METHOD_SRM,
    /// [AL95 (3.2)], [AL93 (3.8), (3.16)]: iterates By_s, E = (GB)^-1; passes isolated
    /// singularities of GB when alpha1 = 0. dae_srm_singular.c
    TRM_DAE_METHOD_SRM_SINGULAR,
    /// [AL95 (2.12)]: modified penalty form, alpha1 = 1 and one iterate; with E = I no GB is
    /// formed but a matrix of nx by nx is factored (`large`: eliminated, ny by ny). dae_penalty.c
    TRM_DAE_METHOD_PENALTY,
    /// [AL95 (2.13)]: g' + alpha2 g = 0. dae_baumgarte.c
    TRM_DAE_METHOD_BAUMGARTE,
    /// [AL93 (3.7)]: epsilon y' + GB y = G f + g_t, Park and Chiou's staggered form, here solved
    /// for x and y together; for comparison. dae_park_chiou.c
    TRM_DAE_METHOD_PARK_CHIOU,
    /// epsilon y' = alpha2 g: pseudo-compressibility (Chorin 1967), the reference of flow
    /// codes; products only. dae_pseudo.c
    TRM_DAE_METHOD_PSEUDO_COMPRESSIBILITY,
    /// [AL95 (4.14)-(4.16)]: index 3, x = (z1, z2) with z1' = z2, y in z2' alone and g of z1 alone;
    /// any B whose GB, of these halves, is nonsingular. dae_srm_index3.c
    TRM_DAE_METHOD_SRM_INDEX3
} trm_dae_method;

/// How time advances.
typedef enum trm_dae_integrator {
    TRM_DAE_INTEGRATOR_HEUN,           ///< explicit trapezoid, order 2: the tables of [AL95]
    TRM_DAE_INTEGRATOR_FORWARD_EULER,  ///< order 1
    TRM_DAE_INTEGRATOR_BACKWARD_EULER, ///< order 1, linear; `large`: SRM, E = I, all rows,
                                       ///< with alpha1 > 0 a G free of t                dae_euler.c
    TRM_DAE_INTEGRATOR_IMEX_EULER,     ///< order 1, L of `large` implicit, all else explicit
    TRM_DAE_INTEGRATOR_IMEX            ///< order 2, the same: ROS2 of Verwer et al.
} trm_dae_integrator;

/// The starting iterate y_0(t): a constant, or a function whose derivatives agree with those of y
/// at t0, which removes the layers of as many iterates [AL93 theorem 3.1, AL95 theorem 2.2].
typedef enum trm_dae_start {
    TRM_DAE_START_EXACT,   ///< the exact y at t0, (GB)^-1 (G f + g_t): no layer in the first
                           ///< iterate. SRM_INDEX3: by differences, to 1e-9
    TRM_DAE_START_GIVEN,   ///< options.y0
    TRM_DAE_START_FUNCTION ///< options.y0_of_t
} trm_dae_start;

/// One method with what it goes with.
typedef struct trm_dae_method_info {
    trm_dae_method method;
    const char *name;        ///< "srm-singular"
    const char *integrators; ///< names, separated by blanks: "heun forward-euler"
    const char *source;      ///< equation of the papers
    const char *parameters;  ///< the fields of trm_dae_options it reads besides h
} trm_dae_method_info;

/// Every method, in the order of trm_dae_method; returns how many.
int trm_dae_methods(const trm_dae_method_info **out);

/// Start from trm_dae_default_options and change what you mean to
/// change; a zeroed struct is refused.
typedef struct trm_dae_options {
    trm_dae_method method;
    trm_dae_integrator integrator;
    double h;         ///< > 0: the step
    double epsilon;   ///< > 0; explicit methods with alpha1 = 0 need epsilon >= h rho(GBE)/2
    int iterations;   ///< SRM, SRM_SINGULAR: iterates m carried per step, 1 to 1000; order p needs
                      ///< about p
    trm_srm_matrix E; ///< SRM, PENALTY; SRM_SINGULAR: of its second term, (GB)^-1 if alpha1 > 0
    double delta;     ///< >= 0: (GB + delta I)^-1 stands wherever (GB)^-1 does
    double alpha1;    ///< >= 0, SRM, SRM_SINGULAR: weight of dg/dt in [AL95 (2.5)]
    double alpha2;    ///< >= 0: weight of g there; PENALTY, BAUMGARTE: the same
    trm_dae_start start; ///< of y_0; PARK_CHIOU: of y(t0)
    const double *y0;    ///< [ny] with START_GIVEN; NULL: zero
    trm_dae_fn *y0_of_t; ///< out[ny] with START_FUNCTION; gets the problem's `user`
    double tolerance;    ///< largest |g_i(x0, t0)| that counts as consistent
    double shift;        ///< in (-1, 1), linear problems whose method inverts GB: a mesh point at
                         ///< which GB is singular is moved by shift*h. 0 never moves one
    double pivot; ///< in [0, 1): in a linear problem GB counts as singular when a pivot falls
                  ///< to pivot times the largest entry met so far; otherwise only at 0
    trm_dae_solver solver;  ///< of large problems
    double solve_tolerance; ///< in (0, 1): |r - K y| against |r| that ends conjugate gradients
    int solve_iterations;   ///< >= 1: the most they may take
    int project;        ///< >= 0: after every so many steps x := x - B (GB)^-1 g, which is 1 for
                        ///< post-stabilization, with alpha2 = 0; 0: never. Not for SRM_INDEX3
    size_t struct_size; ///< set by trm_dae_default_options; leave it alone
} trm_dae_options;

/// Heun's method, h = 1e-3, epsilon = h (PENALTY: 1e-8), two iterates, E = (GB)^-1, alpha1 = 0,
/// alpha2 = 1 (BAUMGARTE: 1/h), an exact start, tolerance 1e-9, shift 0.5, pivot 1e-13, solver AUTO
/// to a tenth of `tolerance` within 10000 iterations, project 0.
void trm_dae_get_default_options(trm_dae_method method, trm_dae_options *out, size_t size);
/// As a value.
static inline trm_dae_options trm_dae_default_options(trm_dae_method method)
{
    trm_dae_options out;
    trm_dae_get_default_options(method, &out, sizeof out);
    return out;
}

// --------------------------------------------------------------------------------- initial values

/// One run in progress: iterates 1..m at the current time, workspace.
typedef struct trm_dae_sim trm_dae_sim;

/// Start at t0 with x0[nx]. The memory does not depend on the number of steps: all iterates advance
/// together [AL93 section 4.2]. `linear`, G and g_t are compared with differences of the functions
/// near (t0, x0), once. Errors: OPTIONS (also: sizes, a missing or contradictory function, a method
/// that does not mix with the integrator), INCONSISTENT, SINGULAR, CALLBACK, MEMORY.
trm_status trm_dae_sim_create(const trm_dae_problem *problem, const trm_dae_options *options,
                              double t0, const double *x0, trm_dae_sim **out, trm_error *err);
void trm_dae_sim_destroy(trm_dae_sim *sim);

/// Advance by one step, from the mesh t0 + n h. Errors: SINGULAR, DIVERGED (also: a solver that
/// does not converge), CALLBACK.
trm_status trm_dae_sim_step(trm_dae_sim *sim, trm_error *err);

/// Step until t_end, which is hit exactly unless it is the mesh point of a singularity; the last
/// step is shortened.
trm_status trm_dae_sim_run(trm_dae_sim *sim, double t_end, trm_error *err);

/// Called after each step, for progress and recordings; must not step. Nonzero: stop there.
typedef int trm_dae_observer_fn(trm_dae_sim *sim, void *user);

/// trm_dae_sim_run with an observer. STOPPED when it asked for it; the run can go on.
trm_status trm_dae_sim_observe(trm_dae_sim *sim, double t_end, trm_dae_observer_fn *observe,
                               void *user, trm_error *err);

/// One iterate at one time. Borrowed pointers, valid until the next step, solve or destroy.
typedef struct trm_dae_state {
    double t;
    const double *x;  ///< [nx]
    const double *y;  ///< [ny]; NULL for SRM_SINGULAR, which carries By alone
    const double *By; ///< [nx]
    const double *g;  ///< [ny] g(x, t)
    double drift;     ///< max_i |g_i|
} trm_dae_state;

/// Iterate s = 1..m, or 0 for the last; methods without iterates have one. All NULL for another s.
trm_dae_state trm_dae_sim_state(const trm_dae_sim *sim, int s);

typedef struct trm_dae_stats {
    long steps;
    long f_evals;          ///< of f
    long jacobian_evals;   ///< of G
    long factorizations;   ///< of GB, or of the matrix of (2.12)
    long shifts;           ///< mesh points moved away from a singularity
    long solves;           ///< large problems: with c0 I + c1 GB
    long solve_iterations; ///< .. of conjugate gradients, all together
    double stiffness; ///< h |F(x_{n+1}) - F(x_n)|/|x_{n+1} - x_n| of a step: near the fastest rate
                      ///< times h when a step is unstable
} trm_dae_stats;

trm_dae_stats trm_dae_sim_stats(const trm_dae_sim *sim);

// ------------------------------------------------------------------------------------ without x'

/// x = f(t) - B y, 0 = g(x,t), f free of x and g affine in x: Darcy's law, and saddle-point
/// problems in general. Sequential regularization of it [Lin's thesis (5.5)-(5.6)], eliminated:
///
///     (epsilon I + E GB) y_s = epsilon y_{s-1} + E g(f, t),    x_s = f - B y_s
typedef struct trm_dae_static trm_dae_static;

/// options->method is SRM, E is IDENTITY or GB_INVERSE; of the rest epsilon, y0, the solver's and
/// `pivot` are read. The problem is `large` or dense. Errors: OPTIONS, CALLBACK, MEMORY.
trm_status trm_dae_static_create(const trm_dae_problem *problem, const trm_dae_options *options,
                                 double t, trm_dae_static **out, trm_error *err);
void trm_dae_static_destroy(trm_dae_static *problem);

/// Evaluate f, B, G anew, at t; y stays and is y_0 of what follows. Errors: CALLBACK, SINGULAR.
trm_status trm_dae_static_renew(trm_dae_static *problem, double t, trm_error *err);

/// One iterate more. Errors: SINGULAR, DIVERGED, CALLBACK.
trm_status trm_dae_static_iterate(trm_dae_static *problem, trm_error *err);

/// x, y, By and g of the last iterate; x = f - B y_0 before the first.
trm_dae_state trm_dae_static_state(const trm_dae_static *problem);

TRM_API_END

#endif
