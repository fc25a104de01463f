#include "base/rank_numbers.h"
#include "base/status.h"
#include "integrators/stabilization/singular_limit.h"
#include "integrators/trajectory/stabilization.h"

#include <string.h>

/// r = G a - gamma + alpha1 (G v + g_t) + alpha0 g, the residual of [ACC].
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

/// Solve once more with the residual of [ACC]. Where damping is little that residual, after one
/// step, is what the proximal step of a solve would take, and more. The sums of S = G M^-1 G^T lose
/// eps: eps/rho in a direction where S is rho, and damping adds delta/rho. The residual of a itself
/// loses only eps/sqrt(rho). Without this the noise of the stages is an error that shorter steps do
/// not reduce: they bring stages nearer to the singular position.
static int refine(trm_run *run, const double *v, double *a, double *lambda)
{
    trm_system *system = run->system;
    double *r = run->work_c;
    TRM_TRY(trm_system_acceleration_residual_again(system, v, a, r));
    if (trm_solver_is_damped_little(&system->solver)) {
        trm_system_iterate_S(system, r);
    } else {
        trm_system_solve_S(system, r);
    }
    for (int i = 0; i < system->nc; i++) {
        lambda[i] += r[i];
    }
    trm_system_subtract_spread(system, TRM_METRIC_MASS, r, a);
    return 0;
}

/// lambda := S^+ lambda, S factored here but where rows are redundant, and without the step that
/// `refine` takes. *near: what S is in some direction asks for that. It may be a light link of a
/// tree, of which nothing watches singular positions: run->limit is NULL then.
static int solve(trm_run *run, int redundant, int may_refine, double *lambda, int *near)
{
    trm_system *system = run->system;
    const int code =
        redundant ? 0
                  : trm_system_factor_damped(system, TRM_METRIC_MASS, system->solver.delta, lambda);
    *near = system->solver.ratio_min < TRM_REGULAR;
    if (redundant && *near && may_refine && trm_solver_is_damped_little(&system->solver)) {
        trm_system_iterate_S(system, lambda);
    } else if (redundant) {
        trm_system_solve_S(system, lambda);
    }
    return code;
}

int trm_index1(trm_run *run, double t, const double *z, double alpha1, double alpha0, double *dz,
               double *lambda)
{
    trm_system *system = run->system;
    const double *q = z;
    const double *v = z + system->nq;
    double *a = dz + system->nq;
    double *power = dz + run->n - 1;
    const int may_refine = alpha1 == 0 && alpha0 == 0;
    const int redundant = system->solver.null.used.components > 0;
    int near = 0;

    TRM_TRY(trm_system_position(system, t, q));
    TRM_TRY(trm_system_free_acceleration(system, v, a, power));
    trm_system_rates(system, q, v, dz);
    if (system->nc == 0) {
        return 0;
    }
    // (G M^-1 G^T) lambda = G M^-1 f - gamma + alpha1 (G v + g_t) + alpha0 g, and what redundant
    // rows leave open of G v + g_t and g is that of this point, wherever the run looked before
    TRM_TRY(redundant ? trm_system_factor(system, TRM_METRIC_MASS) : 0);
    TRM_TRY(residual(run, v, a, alpha1, alpha0, lambda));
    TRM_TRY(solve(run, redundant, may_refine, lambda, &near));
    const double free_power = *power;
    if (near && run->limit) {
        memcpy(run->limit->free, a, (size_t)system->nv * sizeof(double));
    }
    trm_system_subtract_spread(system, TRM_METRIC_MASS, lambda, a); // a := a - M^-1 G^T lambda
    const int light = system->solver.null.used.light > 0;
    int code = (near || light) && may_refine ? refine(run, v, a, lambda) : 0;
    // reactions of moving constraints work: -lambda^T G v = lambda^T g_t
    for (int i = 0; system->moving && i < system->nc; i++) {
        *power += lambda[i] * system->g_t[i];
    }
    return code || !near || !run->limit ? code : trm_run_limit(run, t, z, free_power, dz, lambda);
}

int trm_index1_rates(trm_run *run, double t, const double *z, double *dz, double *lambda)
{
    return trm_index1(run, t, z, 0, 0, dz, lambda);
}
