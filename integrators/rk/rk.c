/// Explicit Runge-Kutta methods with a fixed step: Heun, midpoint, the classical one.
///
///     k_i = z'(t + c_i h, z + h sum_j a_ij k_j),    z := z + h sum_i b_i k_i
///
/// then the stabilization's correction. k_1 of a step is the derivative at the end of the last one.
#include "engine/base/status.h"
#include "integrators/trajectory/stabilization.h"

enum { STAGES = 4 };

typedef struct tableau {
    int stages;
    double c[STAGES];
    double a[STAGES]; ///< the subdiagonal: these methods use only the stage before
    double b[STAGES];
} tableau;

// clang-format off
static const tableau heun = {2, {[1] = 1},        {[1] = 1},          {1.0/2, 1.0/2}};
static const tableau midpoint = {2, {[1] = 1.0/2}, {[1] = 1.0/2},     {[1] = 1}};
static const tableau classical = {4, {[1] = 1.0/2, 1.0/2, 1}, {[1] = 1.0/2, 1.0/2, 1},
                                  {1.0/6, 1.0/3, 1.0/3, 1.0/6}};
// clang-format on

typedef struct rk_memory {
    double *stage; ///< [n] argument of a stage
    double *k[STAGES];
} rk_memory;

static void layout(trm_run *run, trm_arena *arena)
{
    rk_memory counted, *memory = trm_arena_struct(arena, sizeof counted, &counted, &run->method);
    memory->stage = trm_arena_doubles(arena, run->n);
    for (int i = 0; i < STAGES; i++) {
        memory->k[i] = trm_arena_doubles(arena, run->n);
    }
}

static trm_status start(trm_run *run, trm_error *err)
{
    trm_point_of_run *now = &run->now;
    const int code = trm_run_rates(run, now->t, now->z, now->dz, now->lambda);
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}

/// z at the end of the step into before (which becomes now), k_2 ... on the way.
static int combine(trm_run *run, const tableau *rk, double t, double h)
{
    rk_memory *memory = run->method;
    const double *z = run->now.z;
    const double *last = run->now.dz;
    double *end = run->before.z;
    for (int j = 0; j < run->n; j++) {
        end[j] = z[j] + h * rk->b[0] * last[j];
    }
    for (int i = 1; i < rk->stages; i++) {
        for (int j = 0; j < run->n; j++) {
            memory->stage[j] = z[j] + h * rk->a[i] * last[j];
        }
        const int code =
            trm_run_rates(run, t + rk->c[i] * h, memory->stage, memory->k[i], run->before.lambda);
        if (code) {
            return code;
        }
        last = memory->k[i];
        for (int j = 0; j < run->n; j++) {
            end[j] += h * rk->b[i] * last[j];
        }
    }
    return 0;
}

/// The point at t_next, h later, into now.
static trm_status advance(trm_run *run, const tableau *rk, double t_next, double h, trm_error *err)
{
    trm_point_of_run *end = &run->before;
    int code = combine(run, rk, run->now.t, h);
    if (!code && !trm_all_finite(run->n, end->z)) {
        return trm_run_fail(run, TRM_ERR_DIVERGED, "the state is not finite after the step", err);
    }
    if (!code) {
        trm_system_normalize(run->system, end->z);
        code = trm_run_correct(run, t_next, end->z);
    }
    code = code ? code : trm_run_rates(run, t_next, end->z, end->dz, end->lambda);
    if (code) {
        return trm_run_fail_code(run, code, err);
    }
    if (!trm_all_finite(run->n, end->z) || !trm_all_finite(run->n, end->dz)) {
        return trm_run_fail(run, TRM_ERR_DIVERGED, "the state is not finite after the step", err);
    }
    trm_run_advance(run);
    run->now.t = t_next;
    return TRM_OK;
}

static trm_status step(trm_run *run, const tableau *rk, double t_limit, trm_error *err)
{
    double h;
    const double t_next = trm_run_next(run, t_limit, &h);
    const trm_status status = advance(run, rk, t_next, h, err);
    if (status == TRM_OK) {
        trm_run_land(run, t_next);
    }
    return status;
}

static trm_status step_heun(trm_run *run, double t_limit, trm_error *err)
{
    return step(run, &heun, t_limit, err);
}

static trm_status step_midpoint(trm_run *run, double t_limit, trm_error *err)
{
    return step(run, &midpoint, t_limit, err);
}

static trm_status step_classical(trm_run *run, double t_limit, trm_error *err)
{
    return step(run, &classical, t_limit, err);
}

const trm_method_ops trm_heun = {
    .integrator = TRM_HEUN,
    .name = "heun",
    .doc = "Heun's method, the papers' scheme",
    .order = 2,
    .adaptive = 0,
    .layout = layout,
    .start = start,
    .step = step_heun,
    .dense = trm_run_hermite,
};
const trm_method_ops trm_midpoint = {
    .integrator = TRM_MIDPOINT,
    .name = "midpoint",
    .doc = "explicit midpoint",
    .order = 2,
    .adaptive = 0,
    .layout = layout,
    .start = start,
    .step = step_midpoint,
    .dense = trm_run_hermite,
};
const trm_method_ops trm_rk4 = {
    .integrator = TRM_RK4,
    .name = "rk4",
    .doc = "classical Runge-Kutta",
    .order = 4,
    .adaptive = 0,
    .layout = layout,
    .start = start,
    .step = step_classical,
    .dense = trm_run_hermite,
};
