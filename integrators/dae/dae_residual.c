#include "base/linear/sums.h"
#include "engine/system/dae_operators.h"
#include "integrators/dae/dae_form.h"

void trm_dae_residual(trm_dae_law *law, double *r)
{
    trm_dae_system *system = &law->system;
    const double alpha1 = law->options.alpha1;
    if (alpha1 > 0) {
        trm_dae_hidden(system, r);
    }
    for (int i = 0; i < system->problem.ny; i++) {
        r[i] = law->options.alpha2 * system->g[i] + (alpha1 > 0 ? alpha1 * r[i] : 0);
    }
}

/// y := y + c z (z.before), z the null vector: the component of `before` along it.
static void keep_null(const trm_dae_law *law, double c, const double *before, double *y)
{
    const double *z = law->system.large->null;
    const int ny = law->system.problem.ny;
    if (z == NULL) {
        return;
    }
    const double along = c * trm_dot(ny, z, before);
    for (int i = 0; i < ny; i++) {
        y[i] += along * z[i];
    }
}

trm_dae_code trm_dae_regularized(trm_dae_law *law, double alpha1, const double *before, double *r,
                                 double *y)
{
    trm_dae_system *system = &law->system;
    const int ny = system->problem.ny;
    const double epsilon = law->epsilon;
    trm_dae_apply_E(system, law->options.E, r, law->u);
    if (system->large->null) {
        trm_project_out(ny, system->large->null, r);
    }
    const int shifted = law->options.E == TRM_SRM_MATRIX_IDENTITY && alpha1 > 0;
    for (int i = 0; i < ny; i++) {
        r[i] += epsilon * before[i];
    }
    if (!shifted) { // E GB = I, or alpha1 = 0
        for (int i = 0; i < ny; i++) {
            y[i] = r[i] / (epsilon + alpha1);
        }
        keep_null(law, alpha1 / (epsilon + alpha1), before, y);
        return TRM_DAE_FINE;
    }
    const trm_dae_code code = trm_dae_solve_shifted(system, epsilon, alpha1, r, y);
    keep_null(law, 1, before, y);
    return code;
}
