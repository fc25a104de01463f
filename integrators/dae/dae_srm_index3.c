/// Sequential regularization of index 3 [AL95 (4.14)-(4.16)], x = (z1, z2) and y' nowhere:
///
///     z1' = z2 - (1/epsilon) B E g(z1,t),    z2' = f - B y_s
///     y_s = y_{s-1} + (1/epsilon) E (G z2 + g_t),    G = dg/dz1
///
/// The problem is given as it is, x' = (z2, f) - (0, B) y and 0 = g(z1,t); no second derivative of
/// g is asked for. GB is that of the halves.
#include "base/status.h"
#include "integrators/dae/dae_form.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// B := (B2, B2), so that G B = G1 B2.
static trm_dae_code arrive(trm_dae_law *law, double t, const double *x, int factored)
{
    trm_dae_system *const system = &law->system;
    const int half = system->problem.nx / 2 * system->problem.ny;
    const trm_dae_code code = trm_dae_at(system, t, x, TRM_DAE_WITH_ALL);
    memcpy(system->B, system->B + half, (size_t)half * sizeof(double));
    if (!code && !factored) {
        trm_dae_form_GB(system);
    }
    return code || !factored ? code : trm_dae_factor_GB(system);
}

static trm_dae_code rates(trm_dae_law *law, double t, const double *x, const double *before,
                          double *dx, double *y)
{
    trm_dae_system *const system = &law->system;
    const trm_srm_matrix E = law->options.E;
    const int n = system->problem.nx / 2, ny = system->problem.ny;
    const double *const last = before ? before : law->y0;
    TRM_DAE_TRY(arrive(law, t, x, E == TRM_SRM_MATRIX_GB_INVERSE));
    trm_dae_hidden(system, y);
    trm_dae_apply_E(system, E, y, law->u);
    memcpy(law->r, system->g, (size_t)ny * sizeof(double));
    trm_dae_apply_E(system, E, law->r, law->u);
    for (int k = 0; k < ny; k++) {
        y[k] = last[k] + y[k] / law->epsilon; // (4.16)
        law->r[k] /= law->epsilon;
    }
    trm_dae_multiply_B(system, law->r, dx);
    trm_dae_multiply_B(system, y, law->w);
    for (int i = 0; i < n; i++) {
        dx[i] = system->f[i] - dx[i]; // (4.14)
        dx[n + i] = system->f[n + i] - law->w[n + i];
    }
    return TRM_DAE_FINE;
}

/// y_0 = (GB)^-1 (G f + d/dt G z2 + ..): the derivative of u = G z2 + g_t along (z2, f), by values
/// after t, 2 d u' = 4 u(d) - u(2 d) - 3 u(0) up to d^2.
static trm_dae_code start(trm_dae_law *law, double t, const double *x)
{
    trm_dae_system *const system = &law->system;
    const int nx = system->problem.nx, ny = system->problem.ny;
    const double weight[] = {-3, 4, -1}, d = cbrt(DBL_EPSILON);
    trm_dae_code code = trm_dae_at(system, t, x, TRM_DAE_WITH_ALL);
    memcpy(law->w, system->f, (size_t)nx * sizeof(double));
    memset(law->y0, 0, (size_t)ny * sizeof(double));
    for (int k = 0; k < 3 && !code; k++) {
        for (int i = 0; i < nx; i++) {
            law->z[i] = x[i] + k * d * law->w[i];
        }
        code = trm_dae_at(system, t + k * d, law->z, TRM_DAE_WITH_ALL);
        trm_dae_hidden(system, law->r);
        for (int i = 0; i < ny; i++) {
            law->y0[i] += weight[k] * law->r[i] / (2 * d);
        }
    }
    code = code ? code : arrive(law, t, x, 1);
    if (!code) {
        trm_dae_solve_GB(system, law->y0);
    }
    return code;
}

/// Whether a[rows*stride] has zeros in its first columns.
static int is_zero(const double *a, int rows, int columns, int stride)
{
    int zero = 1;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            zero &= a[i * stride + j] == 0;
        }
    }
    return zero;
}

static trm_status check(trm_dae_law *law, double t, const double *x, trm_error *err)
{
    trm_dae_system *const system = &law->system;
    const int nx = system->problem.nx, n = nx / 2, ny = system->problem.ny;
    char text[128];
    if (nx % 2 || ny > n) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, trm_dae_place(&system->problem, NULL, text),
                        "index 3 has x = (z1, z2) and ny <= nx/2, got nx = %d, ny = %d", nx, ny);
    }
    if (trm_dae_at(system, t, x, TRM_DAE_WITH_ALL)) {
        return TRM_OK; // the run says so
    }
    for (int i = 0; i < n; i++) {
        if (system->f[i] != x[n + i]) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, trm_dae_place(&system->problem, "f", text),
                            "index 3 has z1' = z2, but f[%d] is %g and x[%d] is %g", i,
                            system->f[i], n + i, x[n + i]);
        }
    }
    const int good = is_zero(system->B, n, ny, ny);
    if (!good || !is_zero(system->G + n, ny, n, nx)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS,
                        trm_dae_place(&system->problem, good ? "G" : "B", text),
                        good ? "index 3 has g of z1 alone" : "index 3 has y in z2' alone");
    }
    return TRM_OK;
}

const trm_dae_form trm_dae_srm_index3 = {
    .iterates = 1, .rates = rates, .start = start, .check = check};
