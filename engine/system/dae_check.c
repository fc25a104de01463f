/// Whether the functions of a problem agree with its flags and with each other.
///
/// problem.linear: with e = (0.7, 1.7, ..) and the unit vectors e_j, for f, g and g_t
///
///     F(e) = F(0) + sum_j e_j (F(e_j) - F(0)),    B(e) = B(0),    G(e) = G(0).
///
/// Every problem, at (t, x), with d_j = delta (1 + |x_j|) of alternating sign, delta_t = delta (1 +
/// |t|):
///
///     g(x + d, t) - g(x - d, t) = 2 G d
///     4 g(x, t + delta_t) - g(x, t + 2 delta_t) - 3 g(x, t) = 2 delta_t g_t
///
/// up to O(delta^3) and rounding; delta is TRM_DIFFERENCE.
#include "base/rank_numbers.h"
#include "base/status.h"
#include "engine/system/dae_system.h"

#include <float.h>
#include <math.h>

static trm_status refuse(const trm_dae_system *system, const char *function, const char *what,
                         trm_error *err)
{
    char text[128];
    return TRM_FAIL(err, TRM_ERR_OPTIONS, trm_dae_place(&system->problem, function, text), "%s",
                    what);
}

// ----------------------------------------------------------------------------------- linear or not

typedef struct shape {
    const char *name;
    unsigned what;
    const double *values;
    int n;
    int constant; ///< free of x, else affine
} shape;

/// Entry i at e_j, for j = -1 at 0 and for j = nx at e; NAN when the function fails.
static double entry_at(trm_dae_system *system, const shape *of, int i, int j)
{
    const int nx = system->problem.nx;
    for (int k = 0; k < nx; k++) {
        system->probe[k] = j == nx ? k + 0.7 : k == j;
    }
    return trm_dae_at(system, system->t, system->probe, of->what) ? NAN : of->values[i];
}

/// Nonzero when entry i is affine in x, or constant; NAN counts as affine.
static int has_shape(trm_dae_system *system, const shape *of, int i)
{
    const int nx = system->problem.nx;
    const double offset = entry_at(system, of, i, -1);
    const double value = entry_at(system, of, i, nx);
    double gap = value - offset;
    double scale = 1 + fabs(offset) + fabs(value);
    for (int j = 0; j < nx && !of->constant; j++) {
        const double unit = entry_at(system, of, i, j);
        gap -= (j + 0.7) * (unit - offset);
        scale += (j + 0.7) * fabs(unit);
    }
    return !(fabs(gap) > TRM_DAE_ROUNDING * scale);
}

static trm_status check_linear(trm_dae_system *system, trm_error *err)
{
    const int nx = system->problem.nx;
    const int ny = system->problem.ny;
    const shape shapes[] = {{"f", TRM_DAE_WITH_F, system->f, nx, 0},
                            {"B", TRM_DAE_WITH_B, system->B, nx * ny, 1},
                            {"g", TRM_DAE_WITH_GAP, system->g, ny, 0},
                            {"G", TRM_DAE_WITH_JACOBIAN, system->G, ny * nx, 1},
                            {"g_t", TRM_DAE_WITH_G_T, system->g_t, ny, 0}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        for (int i = 0; i < shapes[k].n; i++) {
            if (!has_shape(system, &shapes[k], i)) {
                return refuse(system, shapes[k].name,
                              shapes[k].constant
                                  ? "the problem is called linear, but the function depends on x"
                                  : "the problem is called linear, but the function is not affine "
                                    "in x",
                              err);
            }
        }
    }
    return TRM_OK;
}

// ------------------------------------------------------------------------------------- derivatives

static double step_of(const double *x, int j)
{
    return (j % 2 ? -TRM_DIFFERENCE : TRM_DIFFERENCE) * (1 + fabs(x[j]));
}

/// g_i at (t + steps in time of delta_t, x + steps in x of d); NAN when g fails there.
static double moved(trm_dae_system *system, double t, const double *x, int in_time, int in_x, int i)
{
    for (int j = 0; j < system->problem.nx; j++) {
        system->probe[j] = x[j] + in_x * step_of(x, j);
    }
    const double then = t + in_time * TRM_DIFFERENCE * (1 + fabs(t));
    return trm_dae_at(system, then, system->probe, TRM_DAE_WITH_GAP) ? NAN : system->g[i];
}

/// Nonzero when a difference of g agrees with the derivative; `scale` is the size of its terms.
static int agrees(double found, double expected, double scale)
{
    return !(fabs(found - expected) > TRM_DAE_DIFFERENCE * (TRM_DIFFERENCE + scale));
}

static int jacobian_agrees(trm_dae_system *system, double t, const double *x, int i)
{
    const int nx = system->problem.nx;
    double expected = 0;
    double scale = 0;
    for (int j = 0; j < nx; j++) {
        const double term = 2 * system->G[i * nx + j] * step_of(x, j);
        expected += term;
        scale += fabs(term);
    }
    const double right = moved(system, t, x, 0, 1, i);
    const double left = moved(system, t, x, 0, -1, i);
    return agrees(right - left, expected, scale + TRM_DAE_NOISE * fmax(fabs(right), fabs(left)));
}

/// By values after t only: a function may have a kink at t0.
static int g_t_agrees(trm_dae_system *system, double t, const double *x, int i)
{
    const double expected = 2 * system->g_t[i] * TRM_DIFFERENCE * (1 + fabs(t));
    const double now = moved(system, t, x, 0, 0, i);
    const double next = moved(system, t, x, 1, 0, i);
    const double last = moved(system, t, x, 2, 0, i);
    return agrees(4 * (next - now) - (last - now), expected,
                  fabs(expected) + TRM_DAE_NOISE * fmax(fabs(now), fabs(last)));
}

static trm_status check_derivatives(trm_dae_system *system, double t, const double *x,
                                    trm_error *err)
{
    if (trm_dae_at(system, t, x, TRM_DAE_WITH_JACOBIAN | TRM_DAE_WITH_G_T)) {
        return TRM_OK;
    }
    for (int i = 0; i < system->problem.ny; i++) {
        if (!jacobian_agrees(system, t, x, i)) {
            return refuse(system, "G", "it is not the derivative of g in x", err);
        }
        if (!g_t_agrees(system, t, x, i)) {
            return refuse(system, "g_t",
                          system->problem.g_t ? "it is not the derivative of g in t"
                                              : "g depends on t, but the function is missing",
                          err);
        }
    }
    return TRM_OK;
}

trm_status trm_dae_check_functions(trm_dae_system *system, double t, const double *x,
                                   trm_error *err)
{
    system->t = t;
    if (system->problem.linear) {
        TRM_TRY(check_linear(system, err));
    }
    TRM_TRY(check_derivatives(system, t, x, err));
    system->f_evals = 0; // counted from the start of the run
    system->jacobian_evals = 0;
    system->failed = NULL;
    return TRM_OK;
}
