/// Sequential regularization, stepped locally [AL93 section 4.2]: within one step
/// the iterates s = 1 ... m each take a full Heun step, and the y of iterate s-1 at
/// the two mesh points enters iterate s.
///
///     k_1 = F(t_n, z_s^n; y_{s-1}^n)
///     k_2 = F(t_{n+1}, z_s^n + h k_1; y_{s-1}^{n+1})
///     z_s^{n+1} = z_s^n + h/2 (k_1 + k_2)
///     y_s^{n+1} = Y(t_{n+1}, z_s^{n+1}; y_{s-1}^{n+1})
///
/// y is lambda (srm.c, alf.c), the reaction acceleration lambda-hat = M^-1 G^T lambda
/// (srm_singular.c) or zeta of the invariants (srm_invariant.c). F at the new mesh point is
/// k_1 of the next step and gives Y on the way. y_0 is constant in time: exact at the
/// start, or zero as in the printed tables.
#pragma once

#include "integrators/trajectory/stabilization.h"
#include "trammel/trammel_methods.h"

/// dz = F(t, z; y_before), y = Y(t, z; y_before), lambda[nc] = the multipliers that belong to y.
typedef int trm_srm_rates_fn(trm_run *run, double t, const double *z, const double *y_before,
                             double *dz, double *y, double *lambda);

/// The kind of y, which gives its size.
typedef enum trm_srm_unknown {
    TRM_SRM_ROWS,          ///< nc: lambda
    TRM_SRM_ACCELERATIONS, ///< nv: lambda-hat
    TRM_SRM_INVARIANTS     ///< 2 nc: zeta
} trm_srm_unknown;

typedef struct trm_srm_form {
    trm_srm_rates_fn *rates;
    trm_srm_unknown of;
    /// y_0 from the exact multipliers at the current point; NULL: zero.
    void (*first)(trm_run *run, const double *lambda, double *y);
    /// x[nc] := G M^-1 G^T E x, whose largest eigenvalue rho limits the step: epsilon >= h rho/2;
    /// NULL: the identity on the range of G.
    void (*multiply_GBE)(trm_run *run, double *x);
    double (*scales)(trm_run *run); ///< of rows that E leaves apart, largest over smallest; or NULL
    double margin;  ///< the epsilon chosen for the user is margin * h * rho: at least 1/2
    double fixed;   ///< or this one, where margin is 0: the form is not stiff
    int unfactored; ///< nonzero: run->unfactored
} trm_srm_form;

/// rho is that of the start and changes on the way: epsilon may become three times too small.
#define TRM_SRM_MARGIN 1.5
/// Of rho by 20 power iterations.
#define TRM_SRM_ROUGHLY 0.05
/// rho is 1 wherever the run goes: in the middle of Heun's interval, h/epsilon <= 2.
#define TRM_SRM_MARGIN_OF_ONE 1.0

extern const trm_srm_form trm_srm_lambda_hat; ///< srm_singular.c

/// x[nc] := G W G^T x, W by the metric, and E x; what E needs is formed. srm_blocks.c
void trm_srm_multiply_GB(trm_run *run, trm_metric metric, double *x);
void trm_srm_apply_E(trm_run *run, trm_srm_matrix E, trm_metric metric, double *x);
/// q' = N (v - (1/epsilon) B E g), (5.3a) and (5.5a).
void trm_srm_positions(trm_run *run, trm_srm_matrix E, const double *q, const double *v,
                       double *qdot);
/// The inverse of the joints' blocks of GB, of the current point, and x[nc] times it; in the place
/// of a factorization of S. srm_blocks.c
void trm_srm_form_blocks(trm_system *system);
void trm_srm_solve_blocks(trm_system *system, double *x);

/// y[nc] := lambda
void trm_srm_first(trm_run *run, const double *lambda, double *y);
void trm_srm_layout(trm_run *run, trm_arena *arena);
trm_status trm_srm_start(trm_run *run, trm_error *err);
trm_status trm_srm_step(trm_run *run, double t_limit, trm_error *err);

/// What the forms of a file have in common.
#define TRM_SRM_FORM .rates = rates, .first = trm_srm_first, .multiply_GBE = multiply_GBE

/// What the methods of the family have in common; each adds its partners, its form and its layout.
#define TRM_SRM_HEUN                                                                               \
    .integrator = TRM_INTEGRATOR_HEUN, .name = "heun", .doc = "Heun's method, the papers' scheme", \
    .order = 2, .start = trm_srm_start, .step = trm_srm_step, .dense = trm_run_hermite
