/// A problem x' = f - B y, 0 = g, evaluated at one point (x, t), with GB and its factors.
#pragma once

#include "base/arena.h"
#include "trammel/trammel_dae.h"

/// Of its terms: affine functions err by a sum of roundings, differences by their third derivative;
/// a wrong sign or factor is seen far above both.
#define TRM_DAE_ROUNDING 1e-9
#define TRM_DAE_DIFFERENCE 1e-3
#define TRM_DAE_NOISE (8 * DBL_EPSILON / TRM_DAE_DIFFERENCE) ///< of values: up to eight roundings

/// What can go wrong in an evaluation; 0 is success.
typedef enum trm_dae_code {
    TRM_DAE_FINE,
    TRM_DAE_OUTSIDE,    ///< a function returned > 0
    TRM_DAE_ABORTED,    ///< a function returned < 0
    TRM_DAE_NOT_FINITE, ///< a function wrote a NaN or an infinity
    TRM_DAE_SINGULAR,   ///< GB, or a matrix of the method, cannot be solved with
    TRM_DAE_DIVERGED,   ///< x is not finite or astronomically large
    TRM_DAE_UNSOLVED,   ///< conjugate gradients failed; system->detail says how
    TRM_DAE_NO_MEMORY   ///< sparse factors
} trm_dae_code;

/// Leave the enclosing function where `call` failed.
#define TRM_DAE_TRY(call)                                                                          \
    do {                                                                                           \
        const trm_dae_code trm_try_code = (call);                                                  \
        if (trm_try_code != TRM_DAE_FINE) {                                                        \
            return trm_try_code;                                                                   \
        }                                                                                          \
    } while (0)

/// Which functions to evaluate.
enum {
    TRM_DAE_WITH_F = 1,
    TRM_DAE_WITH_B = 2,
    TRM_DAE_WITH_GAP = 4, ///< g
    TRM_DAE_WITH_JACOBIAN = 8,
    TRM_DAE_WITH_G_T = 16,
    TRM_DAE_WITH_ALL = 31
};

typedef struct trm_dae_system {
    trm_dae_problem problem;
    double t;
    double *f;      ///< [nx]
    double *B;      ///< [nx*ny]
    double *g;      ///< [ny]
    double *G;      ///< [ny*nx]
    double *g_t;    ///< [ny]
    double *GB;     ///< [ny*ny]
    double *GB_lu;  ///< [ny*ny] its factors
    int *exchanged; ///< [ny]
    double *probe;  ///< [nx] work of the checks
    double largest; ///< entry of |GB| met so far
    double delta;   ///< added to the diagonal of GB where it is inverted
    double pivot;   ///< GB is singular when a pivot is at most pivot*largest
    long f_evals, jacobian_evals, factorizations;
    const char *failed;              ///< the function that failed
    struct trm_dae_operators *large; ///< B and G of a large problem; NULL: dense, above
    const double *x;                 ///< [nx] the current point, borrowed: products are of it
    trm_dae_code trouble;   ///< the first failure of a product or solution at the current point
    double stiffness;       ///< h times the fastest rate, as the last step showed it
    double stiffness_limit; ///< beyond this the integrator is unstable; 0: unknown
    char detail[160];       ///< a sentence, after UNSOLVED and SINGULAR of a large problem
} trm_dae_system;

/// Writes "problem 'name', function B", or without the function; returns text.
const char *trm_dae_place(const trm_dae_problem *problem, const char *function, char text[128]);
/// OPTIONS unless sizes and functions are given.
trm_status trm_dae_check_problem(const trm_dae_problem *problem, trm_error *err);
/// The problem, and its arrays; `pivot` is for linear problems.
void trm_dae_system_layout(trm_dae_system *system, const trm_dae_problem *problem, double pivot,
                           trm_arena *arena);
/// OPTIONS when the functions contradict problem.linear or, at (t, x), G or g_t contradicts
/// differences of g. A function that fails here is reported by the run. File: dae_check.c.
trm_status trm_dae_check_functions(trm_dae_system *system, double t, const double *x,
                                   trm_error *err);

/// The functions in `what` (TRM_DAE_WITH_*) at (t, x).
trm_dae_code trm_dae_at(trm_dae_system *system, double t, const double *x, unsigned what);
/// GB := G B of the current point.
void trm_dae_form_GB(trm_dae_system *system);
/// The same, factored.
trm_dae_code trm_dae_factor_GB(trm_dae_system *system);
/// r[ny] := (GB)^-1 r, after trm_dae_factor_GB. In a large problem the iteration starts from 0.
void trm_dae_solve_GB(trm_dae_system *system, double *r);
/// r[ny] := E r. GB stands formed for (GB)^T, factored for (GB)^-1. r and work[ny] do not overlap.
void trm_dae_apply_E(trm_dae_system *system, trm_srm_matrix E, double *r, double *work);

/// out[nx] := B y.
void trm_dae_multiply_B(trm_dae_system *system, const double *y, double *out);
/// out[ny] := G x.
void trm_dae_multiply_G(trm_dae_system *system, const double *x, double *out);
/// out[ny] := G f + g_t, the derivative of g along x' = f.
void trm_dae_hidden(trm_dae_system *system, double *out);

/// What a function of the user `answer`ed and wrote; a failure keeps its name.
trm_dae_code trm_dae_answer(trm_dae_system *system, const char *name, int answer, int n,
                            const double *out);
/// Nonzero when every entry is finite.
int trm_dae_finite(int n, const double *x);
/// The error for a nonzero code met on the way to t.
trm_status trm_dae_fail(const trm_dae_system *system, trm_dae_code code, double t, trm_error *err);
