/// Baumgarte's regularization with E = I [AL95 (4.4)-(4.5)], for alpha2 != 0 the augmented
/// Lagrangian of Bayo and Avello; B = M^-1 G^T:
///
///     v_s'     = M^-1 (f - G^T lambda_s)                                                  (4.4)
///     lambda_s = lambda_{s-1} + (1/epsilon) (alpha2 g'' + alpha1 g' + alpha0 g)           (4.5)
///
/// ([AL95] writes alpha1, alpha2, alpha3 for our alpha2, alpha1, alpha0.) With g'' = G v_s' - gamma
/// (4.5) is linear in lambda_s:
///
///     (epsilon I + alpha2 G B) (lambda_s - lambda_{s-1})
///         = alpha2 (G (M^-1 f - B lambda_{s-1}) - gamma) + alpha1 (G v_s + g_t) + alpha0 g,
///
/// which is [M + (alpha2/epsilon) G^T G] v_s' = ... in the smaller space. The matrix is positive
/// definite whatever the rank of G; it is formed and factored as a dense one: for small mechanisms.
/// alpha2 != 0 is not stiff: epsilon = 1e-8 and few iterates are enough. With alpha2 = 0 nothing
/// but M is inverted and gamma does not enter, but epsilon must be at least h alpha1 rho(GB)/2.
#include "base/linear/dense.h"
#include "engine/linear/constraint_solver.h"
#include "integrators/srm/srm_heun.h"
#include "trammel/trammel_methods.h"

#include <string.h>

typedef struct alf_memory {
    double *A;      ///< [nc*nc] epsilon I + alpha2 G B, factored
    double *g2, *d; ///< [nc] the part of g'' without lambda_s, and lambda_s - lambda_{s-1}
} alf_memory;

/// A = epsilon I + alpha2 G B at the current point, factored.
static int factor(trm_run *run)
{
    const alf_memory *memory = run->stabilization_memory;
    const int nc = run->system->nc;
    for (int i = 0; i < nc; i++) {
        double *row = memory->A + i * nc;
        memset(row, 0, (size_t)nc * sizeof *row);
        row[i] = 1;
        trm_solver_leave_out_of_solution(&run->system->solver, row);
        trm_srm_multiply_GB(run, TRM_METRIC_MASS, row);
        trm_system_leave_out(run->system, row);
        for (int j = 0; j < nc; j++) {
            row[j] *= run->options.alf.alpha2;
        }
        row[i] += run->stats.epsilon;
    }
    return trm_cholesky(nc, memory->A);
}

/// d = alpha2 (G a - gamma) + alpha1 (G v + g_t) + alpha0 g, a free of d.
static int defect(trm_run *run, const double *v, const double *a)
{
    trm_system *system = run->system;
    const trm_options *o = &run->options;
    alf_memory *memory = run->stabilization_memory;
    trm_system_velocity_residual(system, v, memory->d);
    for (int i = 0; i < system->nc; i++) {
        memory->d[i] = o->baumgarte.alpha1 * memory->d[i] + o->baumgarte.alpha0 * system->g[i];
    }
    if (o->alf.alpha2 == 0) {
        return 0;
    }
    const int code = trm_system_gamma(system, v, run->work_c);
    trm_system_multiply_G(system, a, memory->g2);
    for (int i = 0; i < system->nc; i++) {
        memory->d[i] += o->alf.alpha2 * (memory->g2[i] - run->work_c[i]);
    }
    return code;
}

/// d := lambda_s - lambda_{s-1}
static int solve(trm_run *run)
{
    const alf_memory *memory = run->stabilization_memory;
    const int nc = run->system->nc;
    if (run->options.alf.alpha2 == 0) {
        for (int i = 0; i < nc; i++) {
            memory->d[i] /= run->stats.epsilon;
        }
        return 0;
    }
    const int code = factor(run);
    if (!code) {
        trm_cholesky_solve(nc, memory->A, memory->d);
    }
    return code;
}

static int rates(trm_run *run, double t, const double *z, const double *y_before, double *dz,
                 double *y, double *lambda)
{
    trm_system *system = run->system;
    const alf_memory *memory = run->stabilization_memory;
    const double *v = z + system->nq;
    double *a = dz + system->nq;
    TRM_TRY(trm_system_position(system, t, z));
    TRM_TRY(system->play ? trm_system_factor(system, TRM_METRIC_MASS) : 0);
    TRM_TRY(trm_system_force(system, v, a, &dz[run->n - 1]));
    trm_system_rates(system, z, v, dz);
    trm_system_solve_M(system, a);
    trm_system_subtract_spread(system, TRM_METRIC_MASS, y_before, a);
    TRM_TRY(defect(run, v, a));
    trm_system_leave_out(system, memory->d);
    TRM_TRY(solve(run));
    trm_solver_leave_out_of_solution(&system->solver, memory->d);
    trm_system_subtract_spread(system, TRM_METRIC_MASS, memory->d, a);
    for (int i = 0; i < system->nc; i++) {
        y[i] = y_before[i] + memory->d[i];
        lambda[i] = y[i];
        dz[run->n - 1] += y[i] * system->g_t[i];
    }
    return 0;
}

/// x := alpha1 G B x, the stiffness of (4.5) without alpha2
static void multiply_GBE(trm_run *run, double *x)
{
    trm_srm_multiply_GB(run, TRM_METRIC_MASS, x);
    for (int i = 0; i < run->system->nc; i++) {
        x[i] *= run->options.baumgarte.alpha1;
    }
}

static const trm_srm_form stiff = {TRM_SRM_FORM, .margin = TRM_SRM_MARGIN, .unfactored = 1};
/// An iterate leaves epsilon/(epsilon + alpha2 lambda(GB)) of the error of the one before it; the
/// pivots of epsilon I + alpha2 G B lose eps/epsilon where G loses rank: in between is sqrt(eps).
static const trm_srm_form not_stiff = {TRM_SRM_FORM, .fixed = 1e-8, .unfactored = 1};

static const trm_srm_form *form_of(const trm_run *run)
{
    return run->options.alf.alpha2 > 0 ? &not_stiff : &stiff;
}

static void layout(trm_run *run, trm_arena *arena)
{
    alf_memory counted,
        *memory = trm_arena_struct(arena, sizeof counted, &counted, &run->stabilization_memory);
    const int nc = run->system->nc;
    memory->A = trm_arena_matrix(arena, run->options.alf.alpha2 > 0 ? nc : 0, nc);
    TRM_ARENA_DOUBLES(arena, nc, &memory->g2, &memory->d);
    trm_srm_layout(run, arena);
}

/// Its own integrator and stabilization: one row of the list.
static const trm_stabilization_ops *const partners[] = {&trm_alf_entry, NULL};

const trm_stabilization_ops trm_alf_entry = {
    .id = TRM_STABILIZATION_ALF,
    .name = "alf",
    .doc = "augmented Lagrangian",
    .source = "AL95 (4.4)-(4.5), E = I",
    .parameters = "epsilon iterations alpha2 alpha1 alpha0 lambda0",
};

const trm_method_ops trm_alf = {
    TRM_SRM_HEUN,
    .partners = partners,
    .form = form_of,
    .layout = layout,
};
