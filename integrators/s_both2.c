/// Post-stabilization S-both, twice [ACPR95 (5.4) with (5.5) or (5.6)]:
///
///     F  = W G^T (G W G^T)^-1,    W = M^-1 (5.5) or the identity (5.6)
///     q := q - N F g,    v := v - F (G v + g_t)
///
/// The second pass evaluates G anew and keeps the inverse of the first; that is what gives the
/// printed tables. Both residuals of a pass are taken at the same point. Drift is O(h^(2p)).
#include "integrators/stabilization.h"

static int rates(trm_run *run, double t, const double *z, double *dz, double *lambda)
{
    return trm_index1(run, t, z, 0, 0, dz, lambda);
}

/// One pass of S-both at the current point, with whatever factorization there is.
static void pass(trm_run *run, trm_metric metric, double *q, double *v)
{
    trm_system *system = run->system;
    double *r = run->work_c;
    for (int i = 0; i < system->nc; i++) {
        r[i] = -system->g[i];
    }
    trm_system_solve_S(system, r);
    trm_system_spread(system, metric, r, run->work_v); // -F g
    trm_system_velocity_residual(system, v, r);
    trm_system_solve_S(system, r);
    trm_system_spread(system, metric, r, run->work_v2); // F (G v + g_t)
    for (int i = 0; i < system->nv; i++) {
        v[i] -= run->work_v2[i];
    }
    trm_system_move(system, run->work_v, q);
}

static int correct(trm_run *run, double t, double *z)
{
    trm_system *system = run->system;
    const trm_metric metric = run->options.mass_metric ? TRM_METRIC_MASS : TRM_METRIC_IDENTITY;
    double *q = z;
    double *v = z + system->nq;
    if (system->nc == 0) {
        return 0;
    }
    int code = trm_system_position(system, t, q);
    code = code ? code : trm_system_factor(system, metric);
    if (code) {
        return code;
    }
    pass(run, metric, q, v);
    code = trm_system_position(system, t, q);
    if (code) {
        return code;
    }
    pass(run, metric, q, v);
    return 0;
}

const trm_stabilization_ops trm_s_both2 = {.rates = rates, .correct = correct};
