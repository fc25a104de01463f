/// Explicit Runge-Kutta methods with a fixed step: Heun, midpoint, the classical one.
///
///     k_i = z'(t + c_i h, z + h sum_j a_ij k_j),    z := z + h sum_i b_i k_i
///
/// then the stabilization's correction. k_1 of a step is the derivative at the end of the last one.
#include "base/status.h"
#include "integrators/rk/trial.h"
#include "integrators/trajectory/stabilization.h"
#include "trammel/trammel_methods.h"

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
    const tableau *rk;
    double *stage;         ///< [n] argument of a stage, then the end before its correction
    double *k[STAGES + 1]; ///< [n] the first is that of now, the last that of the end
    trm_stage_weights row[STAGES + 1];
    trm_handed handed;
} rk_memory;

static void set_ends(trm_run *run, rk_memory *memory)
{
    memory->k[0] = run->now.dz;
    memory->k[memory->rk->stages] = run->before.dz;
}

/// z + h sum_i b_i k_i term by term: a pass of the sum, of four weights, has one that counts.
static void set_last_row(const tableau *rk, trm_stage_weights *row)
{
    *row = (trm_stage_weights){.count = 4 * rk->stages};
    for (int i = 0; i < rk->stages; i++) {
        row->stage[4 * i] = i;
        row->weight[4 * i] = rk->b[i];
    }
}

static void layout(trm_run *run, const tableau *rk, trm_arena *arena)
{
    rk_memory counted, *memory = trm_arena_struct(arena, sizeof counted, &counted, &run->method);
    memory->rk = rk;
    memory->stage = trm_arena_doubles(arena, run->n);
    for (int i = 1; i < rk->stages; i++) {
        double row[STAGES] = {0};
        row[i - 1] = rk->a[i];
        memory->k[i] = trm_arena_doubles(arena, run->n);
        trm_stage_weights_set(&memory->row[i], i, row);
    }
    set_last_row(rk, &memory->row[rk->stages]);
    set_ends(run, memory);
}

static void layout_heun(trm_run *run, trm_arena *arena)
{
    layout(run, &heun, arena);
}

static void layout_midpoint(trm_run *run, trm_arena *arena)
{
    layout(run, &midpoint, arena);
}

static void layout_classical(trm_run *run, trm_arena *arena)
{
    layout(run, &classical, arena);
}

static trm_status start(trm_run *run, trm_error *err)
{
    rk_memory *memory = run->method;
    trm_point_of_run *now = &run->now;
    memory->handed.stages = 0;
    const int code = trm_run_rates(run, now->t, now->z, now->dz, now->lambda);
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}

static int rates(trm_run *run, double t, const double *z, double *dz)
{
    return trm_run_rates(run, t, z, dz, run->before.lambda);
}

/// Stages from `first` on, then z at the end of the step into before (which becomes now).
static int combine(trm_run *run, int first, double h)
{
    rk_memory *memory = run->method;
    const tableau *rk = memory->rk;
    for (int i = first; i < rk->stages; i++) {
        trm_stage_sum(&memory->row[i], 0, run->n, run->now.z, h, memory->k, memory->stage);
        TRM_TRY(rates(run, run->now.t + rk->c[i] * h, memory->stage, memory->k[i]));
    }
    trm_stage_sum(&memory->row[rk->stages], 0, run->n, run->now.z, h, memory->k, run->before.z);
    return 0;
}

/// The point at t_next, h later, in `before`.
static trm_status find_end(trm_run *run, int first, double t_next, double h, trm_error *err)
{
    const int code = combine(run, first, h);
    return code ? trm_run_fail_code(run, code, err) : trm_run_close_step(run, t_next, err);
}

static trm_status step(trm_run *run, double t_limit, trm_error *err)
{
    rk_memory *memory = run->method;
    double h;
    const double t_next = trm_run_next(run, t_limit, &h);
    set_ends(run, memory);
    const trm_handed known = trm_handed_take(&memory->handed, h, run->system);
    if (known.end) {
        trm_system_arrive(run->system, t_next);
    } else {
        TRM_TRY(find_end(run, known.stages > 0 ? known.stages : 1, t_next, h, err));
    }
    trm_run_advance(run);
    run->now.t = t_next;
    trm_run_land(run, t_next);
    return TRM_OK;
}

static void trial(trm_run *run, double t_limit, trm_trial *out)
{
    rk_memory *memory = run->method;
    set_ends(run, memory);
    *out = (trm_trial){.t = run->now.t,
                       .n = run->n,
                       .stages = memory->rk->stages,
                       .y = run->now.z,
                       .end = run->before.z,
                       .k = memory->k,
                       .row = memory->row,
                       .c = memory->rk->c,
                       .argument = memory->stage,
                       .rates = rates,
                       .handed = &memory->handed};
    out->t_end = trm_run_next(run, t_limit, &out->h);
}

const trm_method_ops trm_heun = {
    .integrator = TRM_INTEGRATOR_HEUN,
    .name = "heun",
    .doc = "Heun's method, the papers' scheme",
    .order = 2,
    .adaptive = 0,
    .takes_contacts = 1,
    .layout = layout_heun,
    .start = start,
    .step = step,
    .trial = trial,
    .dense = trm_run_hermite,
};
const trm_method_ops trm_midpoint = {
    .integrator = TRM_INTEGRATOR_MIDPOINT,
    .name = "midpoint",
    .doc = "explicit midpoint",
    .order = 2,
    .adaptive = 0,
    .takes_contacts = 1,
    .layout = layout_midpoint,
    .start = start,
    .step = step,
    .trial = trial,
    .dense = trm_run_hermite,
};
const trm_method_ops trm_rk4 = {
    .integrator = TRM_INTEGRATOR_RK4,
    .name = "rk4",
    .doc = "classical Runge-Kutta",
    .order = 4,
    .adaptive = 0,
    .takes_contacts = 1,
    .layout = layout_classical,
    .start = start,
    .step = step,
    .trial = trial,
    .dense = trm_run_hermite,
};
