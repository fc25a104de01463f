/// Sequential regularization through singular positions [AL95 (5.5)-(5.6)], B = M^-1 G^T:
///
///     q_s'        = N (v_s - (1/epsilon) B (GB)^-1 g(q_s))                           (5.5a)
///     v_s'        = M^-1 f - lambda-hat_s                                            (5.5b)
///     lambda-hat_s = P(q_s) lambda-hat_{s-1} + (1/epsilon) B (GB)^-1 (G v_s + g_t)   (5.6)
///     P            = B (GB)^-1 G
///
/// lambda may blow up where G loses rank; the reaction acceleration lambda-hat = B lambda and
/// the projector P stay smooth along the motion. lambda-hat is carried, a vector of nv entries.
/// Both terms of (5.6) share one solve.
#include "integrators/srm/srm_heun.h"

/// (5.6) and (5.5b); w[nc] = (GB)^-1 (G lambda-hat_{s-1} + (G v +
/// g_t)/epsilon) are the multipliers.
static int accelerations(trm_run *run, const double *v, const double *before, double *dz_v,
                         double *power, double *hat, double *w)
{
    trm_system *system = run->system;
    TRM_TRY(trm_system_force(system, v, dz_v, power));
    TRM_TRY(trm_system_factor(system, TRM_METRIC_MASS));
    trm_system_solve_M(system, dz_v);
    trm_system_velocity_residual(system, v, run->work_c);
    trm_system_multiply_G(system, before, w);
    for (int i = 0; i < system->nc; i++) {
        w[i] += run->work_c[i] / run->stats.epsilon;
    }
    trm_system_solve_S(system, w);
    trm_system_spread(system, TRM_METRIC_MASS, w, hat);
    for (int i = 0; i < system->nv; i++) {
        dz_v[i] -= hat[i];
    }
    for (int i = 0; i < system->nc; i++) {
        *power += w[i] * system->g_t[i];
    }
    return 0;
}

static int rates(trm_run *run, double t, const double *z, const double *y_before, double *dz,
                 double *y, double *lambda)
{
    const trm_system *system = run->system;
    const double *v = z + system->nq;
    int code = trm_system_position(run->system, t, z);
    code =
        code ? code : accelerations(run, v, y_before, dz + system->nq, &dz[run->n - 1], y, lambda);
    if (!code) {
        trm_srm_positions(run, TRM_SRM_MATRIX_GB_INVERSE, z, v, dz);
    }
    return code;
}

/// lambda-hat_0 = B lambda
static void first(trm_run *run, const double *lambda, double *y)
{
    trm_system_spread(run->system, TRM_METRIC_MASS, lambda, y);
}

const trm_srm_form trm_srm_lambda_hat = {
    .rates = rates,
    .of = TRM_SRM_ACCELERATIONS,
    .first = first,
    .margin = TRM_SRM_MARGIN_OF_ONE,
};
