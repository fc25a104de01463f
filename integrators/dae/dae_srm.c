/// Sequential regularization for nonsingular GB [AL95 (2.4)-(2.5)], [AL93 (3.3)-(3.4), (3.15)]:
///
///     x_s' = f(x_s,t) - B y_s                                                        (2.4)
///     y_s  = y_{s-1} + (1/epsilon) E (alpha1 dg/dt + alpha2 g)                       (2.5)
///
/// along the solution dg/dt = G (f - B y_s) + g_t, so that for alpha1 != 0
///
///     (epsilon I + alpha1 E GB) y_s = epsilon y_{s-1} + E (alpha1 (G f + g_t) + alpha2 g).
///
/// With alpha1 = 0 and E = I neither G is asked for nor GB formed: nothing is inverted.
#include "base/linear/dense.h"
#include "integrators/dae/dae_form.h"

#include <math.h>
#include <string.h>

static unsigned needed(const trm_dae_options *options)
{
    unsigned what = TRM_DAE_WITH_F | TRM_DAE_WITH_B | TRM_DAE_WITH_GAP;
    if (options->alpha1 > 0) {
        what |= TRM_DAE_WITH_JACOBIAN | TRM_DAE_WITH_G_T;
    }
    return options->E == TRM_SRM_MATRIX_IDENTITY ? what : what | TRM_DAE_WITH_JACOBIAN;
}

static trm_dae_code prepare_E(trm_dae_law *law)
{
    if (law->options.E == TRM_SRM_MATRIX_GB_INVERSE) {
        return trm_dae_factor_GB(&law->system);
    }
    if (law->options.E == TRM_SRM_MATRIX_GB_TRANSPOSED || law->options.alpha1 > 0) {
        trm_dae_form_GB(&law->system);
    }
    return TRM_DAE_FINE;
}

/// K := epsilon I + alpha1 E GB, factored.
static trm_dae_code factor_K(trm_dae_law *law)
{
    const int ny = law->system.problem.ny;
    for (int j = 0; j < ny; j++) {
        for (int i = 0; i < ny; i++) {
            law->u[i] = law->system.GB[i * ny + j];
        }
        trm_dae_apply_E(&law->system, law->options.E, law->u, law->w);
        for (int i = 0; i < ny; i++) {
            law->K[i * ny + j] = law->options.alpha1 * law->u[i] + (i == j ? law->epsilon : 0);
        }
    }
    trm_lu(ny, law->K, law->exchanged);
    for (int i = 0; i < ny; i++) {
        if (!(fabs(law->K[i * ny + i]) > 0)) {
            return TRM_DAE_SINGULAR;
        }
    }
    return TRM_DAE_FINE;
}

/// (2.5)
static trm_dae_code renew(trm_dae_law *law, const double *before, double *y)
{
    const int ny = law->system.problem.ny;
    const double epsilon = law->epsilon;
    trm_dae_residual(law, law->r);
    if (law->system.large) {
        return trm_dae_regularized(law, law->options.alpha1, before, law->r, y);
    }
    trm_dae_apply_E(&law->system, law->options.E, law->r, law->u);
    if (law->options.alpha1 == 0) {
        for (int i = 0; i < ny; i++) {
            y[i] = before[i] + law->r[i] / epsilon;
        }
        return TRM_DAE_FINE;
    }
    const trm_dae_code code = factor_K(law);
    for (int i = 0; i < ny; i++) {
        y[i] = epsilon * before[i] + law->r[i];
    }
    if (!code) {
        trm_lu_solve(ny, law->K, law->exchanged, y);
    }
    return code;
}

static trm_dae_code rates(trm_dae_law *law, double t, const double *x, const double *before,
                          double *dx, double *y)
{
    trm_dae_system *system = &law->system;
    TRM_DAE_TRY(trm_dae_at(system, t, x, needed(&law->options)));
    TRM_DAE_TRY(prepare_E(law));
    TRM_DAE_TRY(renew(law, before ? before : law->y0, y));
    trm_dae_multiply_B(system, y, law->w);
    for (int i = 0; i < system->problem.nx; i++) {
        dx[i] = system->f[i] - law->w[i]; // (2.4)
    }
    return TRM_DAE_FINE;
}

const trm_dae_form trm_dae_srm = {.iterates = 1, .rates = rates};
