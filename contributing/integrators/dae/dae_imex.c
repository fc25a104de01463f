/// Implicit-explicit steps for one iterate, z = x or (x, y): a part L x of f, L constant, is taken
/// implicitly, all else of F, By included, explicitly. With M = I - c L on x and M = I on y:
///
///     IMEX_EULER    M (z_{n+1} - z_n) = h F(z_n),                                    c = h
///     IMEX          M k1 = F(z_n),    M k2 = F(z_n + h k1, t_{n+1}) - 2 k1,
///                   z_{n+1} = z_n + h (3 k1 + k2)/2,                  c = (1 - 1/sqrt 2) h
///
/// The second is ROS2 (Verwer, Spee, Blom & Hundsdorfer 1999): of order two whatever L is, and
/// L-stable where L is all of the Jacobian. y comes from the velocity at the beginning of the
/// stage, as in the explicit integrators.
#include "engine/system/dae_operators.h"
#include "integrators/dae/dae_sim.h"

#include <math.h>

trm_dae_code trm_dae_imex_euler(trm_dae_sim *sim, int s, double t)
{
    const int nz = sim->law.nz;
    const double h = t - sim->t;
    const trm_dae_iterate *now = &sim->now[s];
    for (int i = 0; i < nz; i++) {
        sim->slope[i] = now->dz[i];
    }
    const trm_dae_code code = trm_dae_solve_implicit(&sim->law.system, h, sim->slope);
    for (int i = 0; i < nz && !code; i++) {
        sim->next[s].z[i] = now->z[i] + h * sim->slope[i];
    }
    return code;
}

trm_dae_code trm_dae_imex(trm_dae_sim *sim, int s, double t)
{
    trm_dae_law *law = &sim->law;
    const int nz = law->nz;
    const double h = t - sim->t;
    const double c = (1 - sqrt(0.5)) * h;
    const trm_dae_iterate *now = &sim->now[s];
    double *const k1 = sim->slope, *const k2 = sim->dstage;
    for (int i = 0; i < nz; i++) {
        k1[i] = now->dz[i];
    }
    trm_dae_code code = trm_dae_solve_implicit(&law->system, c, k1);
    for (int i = 0; i < nz && !code; i++) {
        sim->stage[i] = now->z[i] + h * k1[i];
    }
    code = code ? code
                : trm_dae_rates(law, t, sim->stage, trm_dae_before(sim->next, s), k2, law->spare);
    for (int i = 0; i < nz && !code; i++) {
        k2[i] -= 2 * k1[i];
    }
    code = code ? code : trm_dae_solve_implicit(&law->system, c, k2);
    for (int i = 0; i < nz && !code; i++) {
        sim->next[s].z[i] = now->z[i] + h / 2 * (3 * k1[i] + k2[i]);
    }
    return code;
}
