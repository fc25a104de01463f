#include "integrators/stabilization.h"

int trm_index1(trm_run *run, double t, const double *z, double alpha1, double alpha0, double *dz,
               double *lambda)
{
    trm_system *system = run->system;
    const double *q = z;
    const double *v = z + system->nq;
    double *a = dz + system->nq;
    double *power = dz + run->n - 1;

    int code = trm_system_position(system, t, q);
    code = code ? code : trm_system_force(system, v, a, power);
    if (code) {
        return code;
    }
    trm_system_solve_M(system, a); // M^-1 f
    trm_system_rates(system, q, v, dz);
    if (system->nc == 0) {
        return 0;
    }
    // (G M^-1 G^T) lambda = G M^-1 f - gamma + alpha1 (G v + g_t) + alpha0 g
    code = trm_system_acceleration_residual(system, v, a, lambda);
    if (alpha1 > 0 || alpha0 > 0) {
        trm_system_velocity_residual(system, v, run->work_c);
        for (int i = 0; i < system->nc; i++) {
            lambda[i] += alpha1 * run->work_c[i] + alpha0 * system->g[i];
        }
    }
    code = code ? code : trm_system_factor_solve(system, TRM_METRIC_MASS, lambda);
    if (code) {
        return code;
    }
    // a = M^-1 f - M^-1 G^T lambda
    trm_system_spread(system, TRM_METRIC_MASS, lambda, run->work_v);
    for (int i = 0; i < system->nv; i++) {
        a[i] -= run->work_v[i];
    }
    // reactions of moving constraints work: -lambda^T G v = lambda^T g_t
    for (int i = 0; system->moving && i < system->nc; i++) {
        *power += lambda[i] * system->g_t[i];
    }
    return 0;
}

int trm_index1_rates(trm_run *run, double t, const double *z, double *dz, double *lambda)
{
    return trm_index1(run, t, z, 0, 0, dz, lambda);
}
