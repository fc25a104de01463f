/// Heun's method for one iterate, z = x or (x, y):
///
///     k1 = F(z_n, t_n; y_{s-1}(t_n)),    k2 = F(z_n + h k1, t_{n+1}; y_{s-1}(t_{n+1}))
///     z_{n+1} = z_n + h (k1 + k2)/2
///
/// y_{s-1}(t_{n+1}) comes from the corrected x_{s-1}, not from its stage: the
/// drift at mesh points then goes to zero with s, while one system of all iterates
/// would stop at the error of the method.
#include "integrators/dae/dae_sim.h"

trm_dae_code trm_dae_heun(trm_dae_sim *sim, int s, double t)
{
    trm_dae_law *law = &sim->law;
    const trm_dae_iterate *now = &sim->now[s];
    const trm_dae_iterate *next = &sim->next[s];
    const double h = t - sim->t;
    for (int i = 0; i < law->nz; i++) {
        sim->stage[i] = now->z[i] + h * now->dz[i];
    }
    const trm_dae_code code =
        trm_dae_rates(law, t, sim->stage, trm_dae_before(sim->next, s), sim->dstage, law->spare);
    for (int i = 0; i < law->nz && !code; i++) {
        next->z[i] = now->z[i] + h / 2 * (now->dz[i] + sim->dstage[i]);
    }
    return code;
}
