#include "integrators/stabilization.h"

/// r = G a - gamma + alpha1 (G v + g_t) + alpha0 g, what a leaves of [ACC].
static int residual(trm_run *run, const double *v, const double *a, double alpha1, double alpha0,
                    double *r)
{
    trm_system *system = run->system;
    const int code = trm_system_acceleration_residual(system, v, a, r);
    if (alpha1 > 0 || alpha0 > 0) {
        trm_system_velocity_residual(system, v, run->work_c);
        for (int i = 0; i < system->nc; i++) {
            r[i] += alpha1 * run->work_c[i] + alpha0 * system->g[i];
        }
    }
    return code;
}

/// Once more with what lambda leaves of [ACC]. The sums of G M^-1 G^T lose eps of its largest entries, which is
/// eps/rho of its smallest pivot, and damping adds to that; the residual of a itself loses eps/sqrt(rho) only.
/// In a corner, where a mechanism turns close to a singular position, that difference is an error of the step
/// which no shorter step makes smaller.
static int refine(trm_run *run, const double *v, double *a, double *lambda)
{
    trm_system *system = run->system;
    double *r = run->work_c;
    const int code = trm_system_acceleration_residual(system, v, a, r);
    if (code) {
        return code;
    }
    for (int i = 0; system->solver.nidle > 0 && i < system->nc; i++) {
        r[i] = system->solver.idle[i] > 0 ? 0 : r[i];
    }
    trm_system_solve_S(system, r);
    for (int i = 0; i < system->nc; i++) {
        lambda[i] += r[i];
    }
    trm_system_subtract_spread(system, TRM_METRIC_MASS, r, a);
    return 0;
}

int trm_index1(trm_run *run, double t, const double *z, double alpha1, double alpha0, double *dz,
               double *lambda)
{
    trm_system *system = run->system;
    const double *q = z;
    const double *v = z + system->nq;
    double *a = dz + system->nq;
    double *power = dz + run->n - 1;

    int code = trm_system_position(system, t, q);
    code = code ? code : trm_system_free_acceleration(system, v, a, power);
    if (code) {
        return code;
    }
    trm_system_rates(system, q, v, dz);
    if (system->nc == 0) {
        return 0;
    }
    // (G M^-1 G^T) lambda = G M^-1 f - gamma + alpha1 (G v + g_t) + alpha0 g
    code = residual(run, v, a, alpha1, alpha0, lambda);
    code = code ? code : trm_system_factor_solve(system, TRM_METRIC_MASS, lambda);
    if (code) {
        return code;
    }
    trm_system_subtract_spread(system, TRM_METRIC_MASS, lambda, a); // a := a - M^-1 G^T lambda
    if (system->solver.corner && alpha1 == 0 && alpha0 == 0) {
        code = refine(run, v, a, lambda);
    }
    // reactions of moving constraints work: -lambda^T G v = lambda^T g_t
    for (int i = 0; system->moving && i < system->nc; i++) {
        *power += lambda[i] * system->g_t[i];
    }
    return code;
}

int trm_index1_rates(trm_run *run, double t, const double *z, double *dz, double *lambda)
{
    return trm_index1(run, t, z, 0, 0, dz, lambda);
}
