/// Sequential regularization for multibody systems [AL95 (5.3)-(5.4)], B = M^-1 G^T:
///
///     q_s'     = N (v_s - (1/epsilon) B E g(q_s))                                    (5.3a)
///     v_s'     = M^-1 f - B lambda_{s-1} - (1/epsilon) B E (G v_s + g_t)             (5.3b)
///     lambda_s = lambda_{s-1} + (1/epsilon) E (G v_s + g_t)                          (5.4)
///
/// With (5.4), (5.3b) is v_s' = M^-1 (f - G^T lambda_s). With E = I nothing but M is formed and
/// factored; E = (GB)^T costs two products with GB, E = (GB)^-1 its factorization. E = blocks
/// inverts the block of each joint in GB.
#include "integrators/srm/srm_heun.h"
#include "trammel/trammel_dae.h"
#include "trammel/trammel_methods.h"

#include <math.h>

/// What E needs at the current point.
static int prepare_E(trm_run *run)
{
    const trm_srm_matrix E = run->options.srm.E;
    if (E == TRM_SRM_MATRIX_BLOCKS) {
        trm_srm_form_blocks(run->system);
    }
    return E == TRM_SRM_MATRIX_GB_INVERSE ? trm_system_factor(run->system, TRM_METRIC_MASS) : 0;
}

/// (5.4): lambda_s, from which (5.3b) follows.
static void multipliers(trm_run *run, const double *v, const double *before, double *lambda)
{
    trm_system *system = run->system;
    trm_system_velocity_residual(system, v, lambda);
    trm_srm_apply_E(run, run->options.srm.E, TRM_METRIC_MASS, lambda);
    for (int i = 0; i < system->nc; i++) {
        lambda[i] = before[i] + lambda[i] / run->stats.epsilon;
    }
}

/// (5.3b): a = M^-1 (f - G^T lambda_s).
static int accelerations(trm_run *run, const double *v, const double *lambda, double *a,
                         double *power)
{
    trm_system *system = run->system;
    const int code = trm_system_force(system, v, a, power);
    trm_system_multiply_GT(system, lambda, run->work_v);
    for (int i = 0; i < system->nv; i++) {
        a[i] -= run->work_v[i];
    }
    trm_system_solve_M(system, a);
    for (int i = 0; i < system->nc; i++) {
        *power += lambda[i] * system->g_t[i];
    }
    return code;
}

static int rates(trm_run *run, double t, const double *z, const double *y_before, double *dz,
                 double *y, double *lambda)
{
    const trm_system *system = run->system;
    const double *v = z + system->nq;
    TRM_TRY(trm_system_position(run->system, t, z));
    TRM_TRY(prepare_E(run));
    multipliers(run, v, y_before, y);
    int code = accelerations(run, v, y, dz + system->nq, &dz[run->n - 1]);
    trm_srm_positions(run, run->options.srm.E, z, v, dz);
    for (int i = 0; i < system->nc; i++) {
        lambda[i] = y[i];
    }
    return code;
}

static void multiply_GBE(trm_run *run, double *x)
{
    (void)prepare_E(run);
    trm_srm_apply_E(run, run->options.srm.E, TRM_METRIC_MASS, x);
    trm_srm_multiply_GB(run, TRM_METRIC_MASS, x);
}

/// The diagonal of GB: with E = I rows in m and rows of angles go with one epsilon.
static double scales(trm_run *run)
{
    const trm_solver *const solver = &run->system->solver;
    double least = INFINITY, most = 0;
    for (int i = 0; i < solver->pattern->rows; i++) {
        const double D = solver->D[solver->pattern->place_of[i]];
        least = fmin(least, D);
        most = fmax(most, D);
    }
    return most > 0 ? most / least : 1;
}

static const trm_srm_form form = {TRM_SRM_FORM, .scales = scales, .margin = TRM_SRM_MARGIN,
                                  .unfactored = 1};
/// GBE = I: rho = 1 along the whole run
static const trm_srm_form form_inverse = {
    .rates = rates, .first = trm_srm_first, .margin = TRM_SRM_MARGIN_OF_ONE};

static const trm_srm_form *form_of(const trm_run *run)
{
    const trm_srm_options *const o = &run->options.srm;
    return o->form == TRM_SRM_LAMBDA_HAT       ? &trm_srm_lambda_hat
           : o->E == TRM_SRM_MATRIX_GB_INVERSE ? &form_inverse
                                               : &form;
}

/// Its own integrator and stabilization: one row of the list.
static const trm_stabilization_ops *const partners[] = {&trm_srm_entry, NULL};

const trm_stabilization_ops trm_srm_entry = {
    .id = TRM_STABILIZATION_SRM,
    .name = "srm",
    .doc = "sequential regularization; with E = I only M is inverted",
    .source = "AL95 (5.3)-(5.6)",
    .parameters = "epsilon iterations E lambda0 form",
};

const trm_method_ops trm_srm = {
    TRM_SRM_HEUN,
    .partners = partners,
    .form = form_of,
    .layout = trm_srm_layout,
};
