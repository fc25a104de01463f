/// Baumgarte's stabilization for index 2, g' + alpha2 g = 0 [AL95 (2.13)]; also the limit
/// epsilon -> 0 of (2.12) with E = (GB)^-1:
///
///     y = (GB)^-1 (G f + g_t + alpha2 g),    x' = f - B y                            (2.13)
///
/// Unbounded at a singularity of GB. The papers' tables take alpha2 = 1/h.
#include "integrators/dae/dae_form.h"

static trm_dae_code rates(trm_dae_law *law, double t, const double *x, const double *before,
                          double *dx, double *y)
{
    (void)before;
    trm_dae_system *system = &law->system;
    TRM_DAE_TRY(trm_dae_at(system, t, x, TRM_DAE_WITH_ALL));
    TRM_DAE_TRY(trm_dae_factor_GB(system));
    trm_dae_hidden(system, y);
    for (int i = 0; i < system->problem.ny; i++) {
        y[i] += law->options.alpha2 * system->g[i];
    }
    trm_dae_solve_GB(system, y);
    trm_dae_multiply_B(system, y, law->w);
    for (int i = 0; i < system->problem.nx; i++) {
        dx[i] = system->f[i] - law->w[i];
    }
    return TRM_DAE_FINE;
}

const trm_dae_form trm_dae_baumgarte = {.inverts_GB = 1, .rates = rates};
