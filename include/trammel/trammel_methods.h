/// @file
/// Trammel: the methods, their options, and which to take.
///
/// @code
///     trm_options options = trm_default_options(TRM_INTEGRATOR_DOPRI5,
///     TRM_STABILIZATION_PROJECTION); options.rtol = options.atol = 1e-8; const trm_method *methods
///     = NULL; const int n = trm_methods(&methods); for (int i = 0; i < n; i++) {
///         printf("%s with %s\n", methods[i].integrator_name, methods[i].stabilization_name);
///     }
/// @endcode
#ifndef TRAMMEL_METHODS_H
#define TRAMMEL_METHODS_H

#include "trammel_model.h"

TRM_API_BEGIN

/// How time advances. Files: integrators/.
typedef enum trm_integrator {
    TRM_INTEGRATOR_HEUN,     ///< explicit trapezoid, order 2, the papers' scheme
    TRM_INTEGRATOR_MIDPOINT, ///< explicit midpoint, order 2
    TRM_INTEGRATOR_RK4,      ///< classical Runge-Kutta, order 4
    TRM_INTEGRATOR_DOPRI5,   ///< Dormand-Prince 5(4), adaptive, dense output
    TRM_INTEGRATOR_DOP853,   ///< Dormand-Prince 8(5,3), adaptive, dense output
    TRM_INTEGRATOR_HEM3,     ///< half-explicit, order 3, no second derivatives of g
    TRM_INTEGRATOR_IDA,      ///< BDF of order 1 to 5, adaptive, implicit: SUNDIALS IDA
    TRM_INTEGRATOR_MOREAU,   ///< [AL95 (4.4)-(4.5)], projected: contacts at once
    TRM_INTEGRATOR_ADAMS     ///< Adams, order up to 9, adaptive, dense output: with SRM
} trm_integrator;

/// How the constraints are kept. Files: integrators/. Which pairs mix: integrators/registry.c.
typedef enum trm_stabilization {
    TRM_STABILIZATION_PLAIN,         ///< [EOM] with [ACC]; drift grows like t^2
    TRM_STABILIZATION_BAUMGARTE,     ///< [B72]: g'' + alpha1 g' + alpha0 g = 0 for [ACC]
    TRM_STABILIZATION_SRM,           ///< [AL95 (5.3)-(5.4)]; with E = I nothing but M is inverted
    TRM_STABILIZATION_S_BOTH2,       ///< [ACPR95 (5.4)] applied twice after each step
    TRM_STABILIZATION_PROJECTION,    ///< after each step, iterate to g = 0 and [VEL]
    TRM_STABILIZATION_S_FULL,        ///< [ACPR95 (5.4)] once, F = H^T (H H^T)^-1
    TRM_STABILIZATION_S_BOTH,        ///< [ACPR95 (5.4)] once
    TRM_STABILIZATION_S_VEL,         ///< [ACPR95 (5.4)] once, velocity constraints only
    TRM_STABILIZATION_S_POS,         ///< [ACPR95 (5.4)] once, position constraints only
    TRM_STABILIZATION_S_IMPLICIT,    ///< [ACPR95 (5.2)]: F h at the end of the step
    TRM_STABILIZATION_S_CONTINUOUS,  ///< [ACPR95 (4.3)]: z' = fhat - gamma F h
    TRM_STABILIZATION_ALF,           ///< [AL95 (4.4)-(4.5)], E = I: augmented Lagrangian
    TRM_STABILIZATION_SRM_INVARIANT, ///< [AL95 (4.12)]: index 1, its invariants regularized
    TRM_STABILIZATION_STATE_SPACE,   ///< [ACPR95 (3.1)-(3.2)]: independent local coordinates
    TRM_STABILIZATION_GGL            ///< [ACPR95 (3.3)] with g = 0 and [VEL]: stabilized index 2
} trm_stabilization;

/// The matrix E of [AL95 (5.3)]; GB = G M^-1 G^T.
typedef enum trm_srm_matrix {
    TRM_SRM_MATRIX_IDENTITY,
    TRM_SRM_MATRIX_GB_TRANSPOSED,
    TRM_SRM_MATRIX_GB_INVERSE,
    TRM_SRM_MATRIX_BLOCKS ///< the inverse of the blocks of GB on its diagonal, by joint; SRM
} trm_srm_matrix;

/// What the iterates of SRM with HEUN carry, B = M^-1 G^T.
typedef enum trm_srm_carried {
    TRM_SRM_LAMBDA,    ///< [AL95 (5.3)-(5.4)]
    TRM_SRM_LAMBDA_HAT ///< [AL95 (5.5)-(5.6)]: B lambda; passes isolated rank loss of G, E is GBinv
} trm_srm_carried;

/// How an adaptive integrator chooses its steps. [ACPR95] does not describe its control; the second
/// control here comes nearest to its Table 6.4.
typedef enum trm_step_control {
    TRM_STEP_CONTROL_PI,  ///< error relative to that of the step before too; scale atol + rtol |z|
    TRM_STEP_CONTROL_ACPR ///< this error alone, target 1/4; scale max(atol, rtol |z|); blind to
                          ///< singular positions
} trm_step_control;

/// BAUMGARTE, and ALF for g' and g.
typedef struct trm_baumgarte_options {
    double alpha1; ///< 1/s, >= 0: on g'
    double alpha0; ///< 1/s^2, >= 0: on g
} trm_baumgarte_options;

typedef struct trm_alf_options {
    double alpha2; ///< >= 0: on g''; 0 leaves second derivatives of g out
} trm_alf_options;

/// SRM, SRM_INVARIANT and ALF.
typedef struct trm_srm_options {
    double epsilon;       ///< s: regularization [AL95 (5.3)]; 0 lets Trammel choose from h, E, G
    int iterations;       ///< iterates m carried per step, 1 to 1000; order p needs about p
    trm_srm_matrix E;     ///< of SRM, by default BLOCKS, and SRM_INVARIANT, by default IDENTITY
    int lambda0_zero;     ///< nonzero starts from lambda_0(t) = 0 as the tables do, else exactly
    trm_srm_carried form; ///< of SRM
    int order;            ///< 1 to 8: the most steps of the past that ADAMS predicts by; 0: 8
} trm_srm_options;

/// Which F the two passes of S_BOTH2 have [ACPR95 (5.4)].
typedef enum trm_post_formula {
    TRM_POST_FORMULA_TABLES,  ///< G^T anew in the second pass, the inverse kept: Tables 6.1 and 6.2
    TRM_POST_FORMULA_PRINTED, ///< all of F kept in the second pass
    TRM_POST_FORMULA_STAGE ///< all of F from the last stage of the step: Tables 6.3 and 6.4; DOPRI5
                           ///< and DOP853, on less exact constraints
} trm_post_formula;

/// Post-stabilization, S_*.
typedef struct trm_post_options {
    double alpha;             ///< factor of F h: 0 < alpha < 2; S_IMPLICIT: any alpha > 0
    double gamma;             ///< 1/s, >= 0: S_CONTINUOUS; gamma times the step within RK stability
    trm_post_formula formula; ///< S_BOTH2
} trm_post_options;

typedef struct trm_state_space_options {
    int tangent; ///< R G^T = 0; else coordinate partitioning
} trm_state_space_options;

/// Start from trm_default_options and change what you mean to change; a zeroed struct
/// is refused, and so is a value other than the default in an option that the method
/// does not read (trm_method.parameters).
typedef struct trm_options {
    trm_integrator integrator;
    trm_stabilization stabilization;
    double h;          ///< s, > 0: the step; adaptive: the first one, 0 lets Trammel choose
    double rtol, atol; ///< adaptive integrators only; atol in the unit of each component
    int by_motion; ///< nonzero: adaptive integrators measure errors by the motion: a component may
                   ///< err by rtol of the largest range through which its connected part has moved
                   ///< so far, lengths, angles and their rates each by their own; atol is not used
    double accuracy; ///< of the motion, that the tolerances are for and verdicts hold a run to; 0:
                     ///< 100 rtol, with ADAMS 1000 rtol, as trm_choose_options has it; none where
                     ///< steps are fixed
    int hand_over;   ///< nonzero: DOP853, DOPRI5 and ADAMS hand a run whose steps stability limits
                     ///< over to IDA, which hands it back where it does not pay; and one whose
                     ///< events are too many, or where no forces fit, to MOREAU until that ends
    double overlap; ///< with hand_over: of the size, how far contacts may come into each other in a
                    ///< step of MOREAU where events are too many or no forces fit
    trm_step_control step_control; ///< adaptive integrators; ACPR is meant for DOPRI5
    double max_step; ///< s: no step is longer; 0: no bound. For forces of functions of yours, which
                     ///< a step sees at its stages only; formulas need none
    int mass_metric; ///< S_*, PROJECTION: F = M^-1 G^T (G M^-1 G^T)^-1, else G^T (G G^T)^-1
    trm_baumgarte_options baumgarte;
    trm_alf_options alf;
    trm_srm_options srm;
    trm_post_options post;
    trm_state_space_options state_space;
    double tolerance; ///< largest |g_i| and |(G v + g_t)_i| that counts as consistent,
                      ///< expressions measured as in trm_check, and that part of the terms of a
                      ///< sum G v above 1
    int assemble;     ///< nonzero: close the initial state first instead of refusing it
    double misfit; ///< of the size of a mechanism and rad: rows that repeat others up to this count
                   ///< as redundant, what they leave open as play; 0: every number is taken by the
                   ///< letter; -1: as the scene says (trm_simulation), 0 for equations
    double damping;     ///< relative delta of the proximal solve with G M^-1 G^T
    size_t struct_size; ///< set by trm_default_options; leave it alone
} trm_options;

void trm_get_default_options(trm_integrator integrator, trm_stabilization stabilization,
                             trm_options *out, size_t size);
/// As a value.
static inline trm_options trm_default_options(trm_integrator integrator,
                                              trm_stabilization stabilization)
{
    trm_options out;
    trm_get_default_options(integrator, stabilization, &out, sizeof out);
    return out;
}

/// The method Trammel recommends for a global error of about `accuracy` (between 0 and 1, relative
/// to the size of the motion), and one sentence that says why. Errors: OPTIONS.
///
/// What `accuracy` sets: the tolerance of one step, rtol = accuracy/100 of the range of the motion
/// so far (by_motion), rtol at least 1e-13, in closed loops times their distance from the origin in
/// sizes of the mechanism. Errors of steps add up and grow along a run: trm_simulate checks whether
/// the motion is right to `accuracy`, and makes it so where it is not. hand_over is set.
trm_status trm_choose_options(const trm_model *model, double accuracy, trm_options *out,
                              char reason[256], trm_error *err);

/// One integrator with one stabilization.
typedef struct trm_method {
    trm_integrator integrator;
    trm_stabilization stabilization;
    const char *integrator_name, *stabilization_name; ///< "rk4", "s-both2": as on the command line
    const char *integrator_doc, *stabilization_doc;   ///< a clause about each
    const char *source;                               ///< equation of the papers
    int order;              ///< of the global error, with default parameters
    int adaptive;           ///< nonzero: uses rtol and atol, else h
    const char *parameters; ///< the fields of trm_options it reads besides h or rtol and atol
} trm_method;

/// Every pair that goes together; returns how many.
int trm_methods(const trm_method **out);

/// Returns OK if this method can run this model. Errors: OPTIONS (the sentence names what is in the
/// way).
trm_status trm_method_fits(const trm_method *method, const trm_model *model, trm_error *err);

TRM_API_END

#endif
