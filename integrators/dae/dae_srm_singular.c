/// Sequential regularization through isolated singularities of GB [AL95 (3.2)], [AL93 (3.8),
/// (3.16)]. E = (GB)^-1 (else E stands in the second term below), P = B (GB)^-1 G, and By, not y,
/// goes from iterate to iterate:
///
///     x_s'   = f(x_s,t) - By_s                                                       (3.2a)
///     (By)_s = P(x_s) (By)_{s-1} + (1/epsilon) B (GB)^-1 (alpha1 dg/dt + alpha2 g)   (3.2b)
///
/// P takes By from the range of B(x_{s-1}) to that of B(x_s); where B depends on t
/// alone that is the same and (3.2b) is (3.8). With dg/dt = G (f - By_s) + g_t and
/// P By_s = By_s the term of alpha1 is
///
///     (1 + alpha1/epsilon) (By)_s = B (GB)^-1 (G (By)_{s-1}
///                                   + (1/epsilon) (alpha1 (G f + g_t) + alpha2 g)),
///
/// which is not bounded at a singularity: alpha1 = 0 there.
#include "integrators/dae/dae_form.h"

/// (3.2b)
static void renew(trm_dae_law *law, const double *before, double *By)
{
    trm_dae_system *system = &law->system;
    const int ny = system->problem.ny;
    const double epsilon = law->epsilon;
    const double growth = 1 + law->options.alpha1 / epsilon;
    if (!before) { // By_0 = B y_0
        trm_dae_multiply_B(system, law->y0, law->w);
        before = law->w;
    }
    trm_dae_multiply_G(system, before, law->u);
    trm_dae_residual(law, law->r);
    if (law->options.E == TRM_SRM_MATRIX_GB_INVERSE) { // both terms through one solution
        for (int i = 0; i < ny; i++) {
            law->r[i] = (law->u[i] + law->r[i] / epsilon) / growth;
        }
        trm_dae_solve_GB(system, law->r);
    } else {
        trm_dae_solve_GB(system, law->u);
        trm_dae_apply_E(system, law->options.E, law->r, law->spare_y);
        for (int i = 0; i < ny; i++) {
            law->r[i] = law->u[i] + law->r[i] / epsilon;
        }
    }
    trm_dae_multiply_B(system, law->r, By);
}

static trm_dae_code rates(trm_dae_law *law, double t, const double *x, const double *before,
                          double *dx, double *By)
{
    trm_dae_system *system = &law->system;
    const unsigned what =
        law->options.alpha1 > 0 ? TRM_DAE_WITH_ALL : TRM_DAE_WITH_ALL & ~TRM_DAE_WITH_G_T;
    TRM_DAE_TRY(trm_dae_at(system, t, x, what));
    TRM_DAE_TRY(trm_dae_factor_GB(system));
    renew(law, before, By);
    for (int i = 0; i < system->problem.nx; i++) {
        dx[i] = system->f[i] - By[i]; // (3.2a)
    }
    return TRM_DAE_FINE;
}

const trm_dae_form trm_dae_srm_singular = {
    .carries_By = 1, .iterates = 1, .inverts_GB = 1, .rates = rates};
