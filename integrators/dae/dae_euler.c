/// Forward and backward Euler for one iterate [AL93 section 4.2], z = x or (x, y):
///
///     forward     z_{n+1} = z_n + h F(z_n, t_n; y_{s-1}(t_n))
///     backward    z_{n+1} = z_n + h F(z_{n+1}, t_{n+1}; y_{s-1}(t_{n+1})),  F = J z + c
///
/// Backward Euler is for linear problems: (I - h J) z_{n+1} = z_n + h c, with J and c read off F.
/// It stays stable for epsilon far below h. Large problems: engine/system/dae_saddle.c.
#include "base/linear/dense.h"
#include "engine/system/dae_saddle.h"
#include "integrators/dae/dae_sim.h"

#include <math.h>
#include <string.h>

trm_dae_code trm_dae_forward_euler(trm_dae_sim *sim, int s, double t)
{
    const trm_dae_iterate *now = &sim->now[s];
    for (int i = 0; i < sim->law.nz; i++) {
        sim->next[s].z[i] = now->z[i] + (t - sim->t) * now->dz[i];
    }
    return TRM_DAE_FINE;
}

/// Of a large problem: x and y together, by sparse rows.
static trm_dae_code backward_large(trm_dae_sim *sim, int s, double t)
{
    trm_dae_law *law = &sim->law;
    const trm_dae_options *o = &law->options;
    const trm_dae_saddle_step step = {t - sim->t, law->epsilon, o->alpha1, o->alpha2};
    const double *before = trm_dae_before(sim->next, s);
    memset(sim->stage, 0, (size_t)law->nz * sizeof(double));
    trm_dae_code code = trm_dae_at(&law->system, t, sim->stage, TRM_DAE_WITH_ALL);
    if (!code && !before && o->start == TRM_DAE_START_FUNCTION) {
        code = trm_dae_y0(law, t, sim->stage);
    }
    return code ? code
                : trm_dae_saddle_solve(&law->system, &step, sim->now[s].z,
                                       before ? before : law->y0, sim->next[s].z);
}

trm_dae_code trm_dae_backward_euler(trm_dae_sim *sim, int s, double t)
{
    trm_dae_law *law = &sim->law;
    if (law->system.large) {
        return backward_large(sim, s, t);
    }
    const int n = law->nz;
    const double h = t - sim->t;
    double *z = sim->next[s].z;
    TRM_DAE_TRY(trm_dae_affine(law, t, trm_dae_before(sim->next, s)));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            sim->matrix[i * n + j] = (i == j ? 1 : 0) - h * law->J[i * n + j];
        }
        z[i] = sim->now[s].z[i] + h * law->c[i];
    }
    trm_lu(n, sim->matrix, sim->exchanged);
    for (int i = 0; i < n; i++) {
        if (!(fabs(sim->matrix[i * n + i]) > 0)) {
            return TRM_DAE_SINGULAR;
        }
    }
    trm_lu_solve(n, sim->matrix, sim->exchanged, z);
    return TRM_DAE_FINE;
}
