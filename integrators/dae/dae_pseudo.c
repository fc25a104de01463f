/// Pseudo-compressibility (Chorin 1967), z = (x, y):
///
///     x' = f - B y,    epsilon y' = alpha2 g
///
/// Nothing is solved, and y needs no start of its own; but waves of speed
/// sqrt(GB/epsilon) run through it, so that h sqrt(rho(GB) alpha2/epsilon) bounds an
/// explicit step, and the error stays O(epsilon).
#include "integrators/dae/dae_form.h"

static trm_dae_code rates(trm_dae_law *law, double t, const double *z, const double *before,
                          double *dz, double *reaction)
{
    (void)before;
    trm_dae_system *system = &law->system;
    const int nx = system->problem.nx;
    const double *y = z + nx;
    TRM_DAE_TRY(trm_dae_at(system, t, z, TRM_DAE_WITH_F | TRM_DAE_WITH_B | TRM_DAE_WITH_GAP));
    trm_dae_multiply_B(system, y, law->w);
    for (int i = 0; i < nx; i++) {
        dz[i] = system->f[i] - law->w[i];
    }
    for (int i = 0; i < system->problem.ny; i++) {
        dz[nx + i] = law->options.alpha2 / law->epsilon * system->g[i];
        reaction[i] = y[i];
    }
    return TRM_DAE_FINE;
}

const trm_dae_form trm_dae_pseudo = {.y_in_state = 1, .rates = rates};
