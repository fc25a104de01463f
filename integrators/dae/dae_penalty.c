/// The modified penalty form: sequential regularization with alpha1 = 1, one iterate, a very small
/// epsilon and an explicit integrator [AL95 (2.12)]:
///
///     (I + (1/epsilon) B E G) x' = f - B y_0 - (1/epsilon) B E (g_t + alpha2 g)      (2.12)
///     y = y_0 + (1/epsilon) E (G x' + g_t + alpha2 g)                                (2.5)
///
/// The drift obeys (epsilon inv(GBE) + I) g' + alpha2 g = O(epsilon) (2.8a): not stiff for any
/// epsilon. But x' and y lose digits like rounding/epsilon.
#include "base/linear/dense.h"
#include "integrators/dae/dae_form.h"

#include <math.h>

/// (2.12), left: K := I + (1/epsilon) B E G, factored. E G is formed column by column.
static trm_dae_code factor(trm_dae_law *law)
{
    trm_dae_system *system = &law->system;
    const int nx = system->problem.nx;
    const int ny = system->problem.ny;
    for (int j = 0; j < nx; j++) {
        for (int i = 0; i < ny; i++) {
            law->u[i] = system->G[i * nx + j];
        }
        trm_dae_apply_E(system, law->options.E, law->u, law->r);
        trm_dae_multiply_B(system, law->u, law->w);
        for (int i = 0; i < nx; i++) {
            law->K[i * nx + j] = law->w[i] / law->epsilon + (i == j ? 1 : 0);
        }
    }
    trm_lu(nx, law->K, law->exchanged);
    system->factorizations++;
    for (int i = 0; i < nx; i++) {
        if (!(fabs(law->K[i * nx + i]) > 0)) {
            return TRM_DAE_SINGULAR;
        }
    }
    return TRM_DAE_FINE;
}

/// E (hidden + g_t + alpha2 g)/epsilon, hidden = G x' or nothing.
static void reaction(trm_dae_law *law, const double *hidden, double *y)
{
    trm_dae_system *system = &law->system;
    for (int i = 0; i < system->problem.ny; i++) {
        y[i] = (hidden ? hidden[i] : 0) + system->g_t[i] + law->options.alpha2 * system->g[i];
    }
    trm_dae_apply_E(system, law->options.E, y, law->r);
    for (int i = 0; i < system->problem.ny; i++) {
        y[i] = law->y0[i] + y[i] / law->epsilon;
    }
}

/// (2.12), right, and the solution.
static void solve(trm_dae_law *law, double *dx)
{
    trm_dae_system *system = &law->system;
    reaction(law, NULL, law->u);
    trm_dae_multiply_B(system, law->u, law->w);
    for (int i = 0; i < system->problem.nx; i++) {
        dx[i] = system->f[i] - law->w[i];
    }
    trm_lu_solve(system->problem.nx, law->K, law->exchanged, dx);
}

/// The same without a matrix of nx by nx: x' eliminated, which is (2.5) with alpha1 = 1,
///
///     (epsilon I + E GB) y = epsilon y_0 + E (G f + g_t + alpha2 g),    x' = f - B y.
static trm_dae_code eliminated(trm_dae_law *law, double *dx, double *y)
{
    trm_dae_system *system = &law->system;
    trm_dae_hidden(system, law->r);
    for (int i = 0; i < system->problem.ny; i++) {
        law->r[i] += law->options.alpha2 * system->g[i];
    }
    const trm_dae_code code = trm_dae_regularized(law, 1, law->y0, law->r, y);
    trm_dae_multiply_B(system, y, law->w);
    for (int i = 0; i < system->problem.nx; i++) {
        dx[i] = system->f[i] - law->w[i];
    }
    return code;
}

static trm_dae_code rates(trm_dae_law *law, double t, const double *x, const double *before,
                          double *dx, double *y)
{
    (void)before; // one iterate: y_0
    trm_dae_system *system = &law->system;
    trm_dae_code code = trm_dae_at(system, t, x, TRM_DAE_WITH_ALL);
    if (!code && system->large) {
        return eliminated(law, dx, y);
    }
    if (!code && law->options.E == TRM_SRM_MATRIX_GB_INVERSE) {
        code = trm_dae_factor_GB(system);
    } else if (!code && law->options.E == TRM_SRM_MATRIX_GB_TRANSPOSED) {
        trm_dae_form_GB(system);
    }
    TRM_DAE_TRY(code ? code : factor(law));
    solve(law, dx);
    trm_dae_multiply_G(system, dx, law->u);
    reaction(law, law->u, y);
    return TRM_DAE_FINE;
}

const trm_dae_form trm_dae_penalty = {.rates = rates};
