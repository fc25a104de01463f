/// Park and Chiou's staggered stabilization, the penalty method differentiated [AL93 (3.7)], in our
/// sign of y and solved for x and y together:
///
///     x' = f - B y,    epsilon y' = G f + g_t - GB y                                 (3.7)
///
/// E = I, so GB must be positive; where GB is singular nothing determines y.
#include "integrators/dae/dae_form.h"

static trm_dae_code rates(trm_dae_law *law, double t, const double *z, const double *before,
                          double *dz, double *reaction)
{
    (void)before;
    trm_dae_system *system = &law->system;
    const int nx = system->problem.nx;
    const int ny = system->problem.ny;
    const double *y = z + nx;
    TRM_DAE_TRY(trm_dae_at(system, t, z, TRM_DAE_WITH_ALL));
    trm_dae_multiply_B(system, y, law->w);
    for (int i = 0; i < nx; i++) {
        dz[i] = system->f[i] - law->w[i];
    }
    trm_dae_multiply_G(system, dz, law->u); // G (f - B y)
    for (int i = 0; i < ny; i++) {
        dz[nx + i] = (law->u[i] + system->g_t[i]) / law->epsilon;
        reaction[i] = y[i];
    }
    return TRM_DAE_FINE;
}

const trm_dae_form trm_dae_park_chiou = {.y_in_state = 1, .rates = rates};
