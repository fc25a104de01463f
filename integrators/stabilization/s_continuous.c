/// Continuous stabilization of the invariants [ACPR95 (4.3)]:
///
///     z' = fhat(z) - gamma F(z) h(z),    h = (g, G v + g_t),
///     F  = W G^T (G W G^T)^-1 (I 0; 0 I),    W = M^-1 (5.5) or the identity (5.6)
///
/// fhat is the index-1 form. Drift no longer grows with t. But the stages of an explicit method
/// leave the constraints by more than the step does, and gamma F h answers to the stages: drift is
/// O(h^p), and gamma h near the stability limit costs accuracy. (5.4) has neither weakness.
#include "integrators/stabilization/post.h"
#include "trammel/trammel_methods.h"

#include <string.h>

typedef struct s_continuous_memory {
    double *dq, *dv; ///< [nv] F g and F (G v + g_t)
} s_continuous_memory;

static void layout(trm_run *run, trm_arena *arena)
{
    s_continuous_memory counted,
        *memory = trm_arena_struct(arena, sizeof counted, &counted, &run->stabilization_memory);
    TRM_ARENA_DOUBLES(arena, run->system->nv, &memory->dq, &memory->dv);
}

/// F h at the current point, with its factorization.
static void stabilizer(trm_run *run, const double *v)
{
    trm_system *system = run->system;
    s_continuous_memory *memory = run->stabilization_memory;
    const trm_metric metric = trm_post_metric(run);
    memcpy(run->work_c, system->g, (size_t)system->nc * sizeof(double));
    trm_system_solve_S(system, run->work_c);
    trm_system_spread(system, metric, run->work_c, memory->dq);
    trm_system_velocity_residual(system, v, run->work_c);
    trm_system_solve_S(system, run->work_c);
    trm_system_spread(system, metric, run->work_c, memory->dv);
}

static int rates(trm_run *run, double t, const double *z, double *dz, double *lambda)
{
    trm_system *system = run->system;
    const s_continuous_memory *memory = run->stabilization_memory;
    const double gamma = run->options.post.gamma;
    const double *v = z + system->nq;
    int code = trm_index1_rates(run, t, z, dz, lambda); // fhat
    if (code || system->nc == 0) {
        return code;
    }
    run->unfactored = !run->options.mass_metric;
    if (!run->options.mass_metric) {
        code = trm_system_factor(system, TRM_METRIC_IDENTITY);
    }
    if (code) {
        return code;
    }
    stabilizer(run, v);
    for (int i = 0; i < system->nv; i++) {
        dz[system->nq + i] -= gamma * memory->dv[i];
        run->work_v[i] = v[i] - gamma * memory->dq[i];
    }
    trm_system_rates(system, z, run->work_v, dz);
    return 0;
}

const trm_stabilization_ops trm_s_continuous = {
    .id = TRM_STABILIZATION_S_CONTINUOUS,
    .name = "s-continuous",
    .doc = "the correction as a term of the differential equation",
    .source = "ACPR95 (4.3)",
    .parameters = "gamma metric",
    .layout = layout,
    .rates = rates,
};
