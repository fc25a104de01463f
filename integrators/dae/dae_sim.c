#include "integrators/dae/dae_sim.h"
#include "base/linear/sums.h"
#include "base/status.h"
#include "engine/system/dae_operators.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static trm_dae_advance_fn *advance_of(trm_dae_integrator integrator)
{
    switch (integrator) {
    case TRM_DAE_INTEGRATOR_HEUN:
        return trm_dae_heun;
    case TRM_DAE_INTEGRATOR_FORWARD_EULER:
        return trm_dae_forward_euler;
    case TRM_DAE_INTEGRATOR_BACKWARD_EULER:
        return trm_dae_backward_euler;
    case TRM_DAE_INTEGRATOR_IMEX_EULER:
        return trm_dae_imex_euler;
    case TRM_DAE_INTEGRATOR_IMEX:
        return trm_dae_imex;
    }
    return NULL;
}

/// The largest h rho on the negative real axis; 0: no such bound.
static double explicit_limit(trm_dae_integrator integrator)
{
    return integrator == TRM_DAE_INTEGRATOR_HEUN || integrator == TRM_DAE_INTEGRATOR_FORWARD_EULER
               ? 2
               : 0;
}

// ---------------------------------------------------------------------------------------- memory

static trm_dae_iterate *iterates_layout(const trm_dae_sim *sim, trm_arena *arena)
{
    const trm_dae_law *law = &sim->law;
    trm_dae_iterate *list = trm_arena_take(arena, (size_t)sim->m + 1, sizeof *list);
    for (int s = 1; s <= sim->m; s++) {
        const trm_dae_iterate one = {
            trm_arena_doubles(arena, law->nz), trm_arena_doubles(arena, law->nz),
            trm_arena_doubles(arena, law->nr), trm_arena_doubles(arena, law->system.problem.nx),
            trm_arena_doubles(arena, law->system.problem.ny)};
        if (list) {
            list[s] = one;
        }
    }
    return list;
}

static void layout(trm_dae_sim *sim, const trm_dae_problem *problem, const trm_dae_options *options,
                   trm_arena *arena)
{
    trm_dae_law_layout(&sim->law, problem, options, arena);
    const int nz = sim->law.nz;
    sim->m = sim->law.form->iterates ? options->iterations : 1;
    sim->now = iterates_layout(sim, arena);
    sim->next = iterates_layout(sim, arena);
    TRM_ARENA_DOUBLES(arena, nz, &sim->stage, &sim->dstage, &sim->slope);
    if (!problem->large) {
        sim->matrix = trm_arena_matrix(arena, nz, nz);
        sim->exchanged = trm_arena_ints(arena, nz);
    }
}

// ----------------------------------------------------------------------------------------- start

/// y_0 = (GB)^-1 (G f + g_t) at the start.
static trm_dae_code exact_start(trm_dae_sim *sim, const double *x0)
{
    trm_dae_system *system = &sim->law.system;
    if (sim->law.form->start) {
        return sim->law.form->start(&sim->law, sim->t, x0);
    }
    trm_dae_code code = trm_dae_at(system, sim->t, x0, TRM_DAE_WITH_ALL);
    code = code ? code : trm_dae_factor_GB(system);
    if (!code) {
        trm_dae_hidden(system, sim->law.y0);
        trm_dae_solve_GB(system, sim->law.y0);
    }
    return code ? code : system->trouble;
}

static trm_status check_consistent(trm_dae_sim *sim, const double *x0, trm_error *err)
{
    trm_dae_system *system = &sim->law.system;
    const trm_dae_code code = trm_dae_at(system, sim->t, x0, TRM_DAE_WITH_GAP);
    if (code) {
        return trm_dae_fail(system, code, sim->t, err);
    }
    const double drift = trm_max_norm(system->problem.ny, system->g);
    if (drift > sim->law.options.tolerance) {
        char text[128];
        return TRM_FAIL(err, TRM_ERR_INCONSISTENT, trm_dae_place(&system->problem, NULL, text),
                        "|g(x0, t0)| is %.3g, more than the tolerance %.3g", drift,
                        sim->law.options.tolerance);
    }
    return TRM_OK;
}

/// dz, the reaction, By and g of iterate s where its z stands.
static trm_dae_code renew(trm_dae_sim *sim, trm_dae_iterate *list, int s, double t)
{
    trm_dae_law *law = &sim->law;
    trm_dae_system *system = &law->system;
    trm_dae_iterate *one = &list[s];
    TRM_DAE_TRY(trm_dae_rates(law, t, one->z, trm_dae_before(list, s), one->dz, one->reaction));
    if (law->form->carries_By) {
        memcpy(one->By, one->reaction, (size_t)law->nr * sizeof(double));
    } else {
        trm_dae_multiply_B(system, one->reaction, one->By);
    }
    memcpy(one->g, system->g, (size_t)system->problem.ny * sizeof(double));
    if (system->trouble) {
        return system->trouble;
    }
    return trm_dae_finite(law->nz, one->dz) ? TRM_DAE_FINE : TRM_DAE_DIVERGED;
}

static trm_status start(trm_dae_sim *sim, const double *x0, trm_error *err)
{
    trm_dae_law *law = &sim->law;
    const int nx = law->system.problem.nx;
    TRM_TRY(trm_dae_prepare_law(law, sim->t, x0, err));
    TRM_TRY(check_consistent(sim, x0, err));
    trm_dae_code code =
        law->options.start == TRM_DAE_START_EXACT ? exact_start(sim, x0) : TRM_DAE_FINE;
    sim->scale = 1;
    for (int i = 0; i < nx; i++) {
        sim->scale = fmax(sim->scale, fabs(x0[i]));
    }
    for (int s = 1; s <= sim->m && !code; s++) {
        memcpy(sim->now[s].z, x0, (size_t)nx * sizeof(double));
        if (law->form->y_in_state) {
            memcpy(sim->now[s].z + nx, law->y0, (size_t)(law->nz - nx) * sizeof(double));
        }
        code = renew(sim, sim->now, s, sim->t);
    }
    return trm_dae_fail(&law->system, code, sim->t, err);
}

trm_status trm_dae_sim_create(const trm_dae_problem *problem, const trm_dae_options *options,
                              double t0, const double *x0, trm_dae_sim **out, trm_error *err)
{
    TRM_CLEAR(out);
    if (!x0 || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, x0 ? "out" : "x0",
                        "expected x0 and a place for the run, got NULL");
    }
    TRM_TRY(trm_dae_check_problem(problem, err));
    TRM_TRY(trm_dae_check_options(problem, options, err));
    if (!isfinite(t0) || !trm_dae_finite(problem->nx, x0)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, isfinite(t0) ? "x0" : "t0",
                        "expected finite numbers, got one that is not");
    }
    trm_dae_sim *sim = calloc(1, sizeof *sim);
    if (!sim) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "no memory for a run");
    }
    trm_arena counting = {0};
    layout(sim, problem, options, &counting);
    sim->arena = counting;
    if (!trm_arena_open(&sim->arena)) {
        free(sim);
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "no memory for a run");
    }
    layout(sim, problem, options, &sim->arena);
    sim->advance = advance_of(options->integrator);
    sim->law.system.stiffness_limit = explicit_limit(options->integrator);
    sim->t = sim->mesh = sim->t_origin = t0;
    const trm_status status = start(sim, x0, err);
    if (status != TRM_OK) {
        trm_dae_sim_destroy(sim);
        return status;
    }
    *out = sim;
    return TRM_OK;
}

void trm_dae_sim_destroy(trm_dae_sim *sim)
{
    if (sim) {
        trm_dae_law_close(&sim->law);
        trm_arena_close(&sim->arena);
        free(sim);
    }
}

// ------------------------------------------------------------------------------------------ steps

static int inverts_GB(const trm_dae_law *law)
{
    const int E_inverts =
        law->options.method == TRM_DAE_METHOD_SRM || law->options.method == TRM_DAE_METHOD_PENALTY;
    return law->form->inverts_GB || (E_inverts && law->options.E == TRM_SRM_MATRIX_GB_INVERSE);
}

/// The shifted mesh point for t: away from a singularity of GB, which in a
/// linear problem does not depend on x.
static trm_dae_code move_mesh_point(trm_dae_sim *sim, double *t)
{
    trm_dae_law *law = &sim->law;
    trm_dae_system *system = &law->system;
    if (!system->problem.linear || system->large || law->options.shift == 0 || !inverts_GB(law)) {
        return TRM_DAE_FINE;
    }
    trm_dae_code code =
        trm_dae_at(system, *t, sim->now[1].z, TRM_DAE_WITH_B | TRM_DAE_WITH_JACOBIAN);
    code = code ? code : trm_dae_factor_GB(system);
    if (code == TRM_DAE_SINGULAR) {
        *t += law->options.shift * law->options.h;
        sim->shifts++;
        code = TRM_DAE_FINE;
    }
    return code;
}

/// x := x - B (GB)^-1 g, at t [AL95 section 2.1, ACPR95 (5.4)].
static trm_dae_code project(trm_dae_sim *sim, double t, double *x)
{
    trm_dae_system *const system = &sim->law.system;
    const unsigned what = TRM_DAE_WITH_B | TRM_DAE_WITH_GAP | TRM_DAE_WITH_JACOBIAN;
    TRM_DAE_TRY(trm_dae_at(system, t, x, what));
    TRM_DAE_TRY(trm_dae_factor_GB(system));
    trm_dae_solve_GB(system, system->g);
    trm_dae_multiply_B(system, system->g, sim->law.w);
    for (int i = 0; i < system->problem.nx; i++) {
        x[i] -= sim->law.w[i];
    }
    return system->trouble;
}

static trm_dae_code all_iterates(trm_dae_sim *sim, double t)
{
    const int every = sim->law.options.project;
    const int due = every > 0 && (sim->steps + 1) % every == 0;
    trm_dae_code code = TRM_DAE_FINE;
    for (int s = 1; s <= sim->m && !code; s++) {
        code = sim->advance(sim, s, t);
        code = code || !due ? code : project(sim, t, sim->next[s].z);
        code = code ? code : renew(sim, sim->next, s, t);
    }
    return code;
}

/// The next point of the mesh, or t_limit if it is nearer or equal up to rounding.
static double next_mesh_point(const trm_dae_sim *sim, double t_limit)
{
    const double h = sim->law.options.h;
    const double t = sim->t_origin + (double)(sim->count + 1) * h;
    return t < t_limit - 1e-9 * h ? t : t_limit;
}

/// Count the step; a shortened step starts a new mesh.
static void land(trm_dae_sim *sim, double mesh)
{
    const double h = sim->law.options.h;
    const double regular = sim->t_origin + (double)(sim->count + 1) * h;
    sim->count++;
    if (fabs(mesh - regular) > 1e-9 * h) {
        sim->t_origin = mesh;
        sim->count = 0;
    }
    sim->mesh = mesh;
    sim->steps++;
}

static double largest_difference(int n, const double *a, const double *b)
{
    double largest = 0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(a[i] - b[i]));
    }
    return largest;
}

/// h times the rate estimated from the step of the last iterate; a step at rest gives no estimate,
/// nor does a solution beyond ten times its start, which has left the range of the problem.
static void note_stiffness(trm_dae_sim *sim, double h)
{
    const trm_dae_iterate *now = &sim->now[sim->m];
    const trm_dae_iterate *next = &sim->next[sim->m];
    const double dz = largest_difference(sim->law.nz, next->dz, now->dz);
    const double z = largest_difference(sim->law.nz, next->z, now->z);
    const double size = trm_max_norm(sim->law.nz, next->z);
    if (size <= 10 * sim->scale) {
        sim->law.system.stiffness = z > 0 ? h * dz / z : 0;
    }
}

static trm_status step_to(trm_dae_sim *sim, double mesh, trm_error *err)
{
    double t = mesh;
    const long shifts = sim->shifts;
    trm_dae_code code = move_mesh_point(sim, &t);
    code = code ? code : all_iterates(sim, t);
    if (code) {
        sim->shifts = shifts;
        return trm_dae_fail(&sim->law.system, code, t, err);
    }
    note_stiffness(sim, t - sim->t);
    trm_dae_iterate *left = sim->now;
    sim->now = sim->next;
    sim->next = left;
    sim->t = t;
    land(sim, mesh);
    return TRM_OK;
}

static trm_status check_sim(const trm_dae_sim *sim, trm_error *err)
{
    return sim ? TRM_OK : TRM_FAIL(err, TRM_ERR_OPTIONS, "sim", "expected a run, got NULL");
}

trm_status trm_dae_sim_step(trm_dae_sim *sim, trm_error *err)
{
    TRM_TRY(check_sim(sim, err));
    return step_to(sim, next_mesh_point(sim, INFINITY), err);
}

trm_status trm_dae_sim_run(trm_dae_sim *sim, double t_end, trm_error *err)
{
    return trm_dae_sim_observe(sim, t_end, NULL, NULL, err);
}

trm_status trm_dae_sim_observe(trm_dae_sim *sim, double t_end, trm_dae_observer_fn *observe,
                               void *user, trm_error *err)
{
    TRM_TRY(check_sim(sim, err));
    if (!(t_end >= sim->mesh) || isinf(t_end)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "t_end", "expected a time after %.17g, got %.17g",
                        sim->mesh, t_end);
    }
    const double steps = (t_end - sim->mesh) / sim->law.options.h;
    if (steps > 9007199254740992.0) { // 2^53, up to which steps are counted exactly
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "t_end",
                        "%.1e steps of %g s to t = %g s are too many", steps, sim->law.options.h,
                        t_end);
    }
    while (sim->mesh < t_end) {
        const double next = next_mesh_point(sim, t_end);
        if (!(next > sim->mesh)) {
            return TRM_FAIL(err, TRM_ERR_DIVERGED, "h",
                            "a step of %g s does not move the time t = %.9g", sim->law.options.h,
                            sim->mesh);
        }
        TRM_TRY(step_to(sim, next, err));
        if (observe && observe(sim, user)) {
            return TRM_STOPPED;
        }
    }
    return TRM_OK;
}

// ----------------------------------------------------------------------------------------- access

trm_dae_state trm_dae_sim_state(const trm_dae_sim *sim, int s)
{
    if (!sim) {
        return (trm_dae_state){.t = NAN, .drift = NAN};
    }
    const int which = s == 0 ? sim->m : s;
    if (which < 1 || which > sim->m) {
        return (trm_dae_state){.t = sim->t};
    }
    const trm_dae_iterate *one = &sim->now[which];
    return (trm_dae_state){.t = sim->t,
                           .x = one->z,
                           .y = sim->law.form->carries_By ? NULL : one->reaction,
                           .By = one->By,
                           .g = one->g,
                           .drift = trm_max_norm(sim->law.system.problem.ny, one->g)};
}

trm_dae_stats trm_dae_sim_stats(const trm_dae_sim *sim)
{
    if (!sim) {
        return (trm_dae_stats){0};
    }
    const trm_dae_system *system = &sim->law.system;
    return (trm_dae_stats){.steps = sim->steps,
                           .f_evals = system->f_evals,
                           .jacobian_evals = system->jacobian_evals,
                           .factorizations = system->factorizations,
                           .shifts = sim->shifts,
                           .solves = system->large ? system->large->solves : 0,
                           .solve_iterations = system->large ? system->large->iterations : 0,
                           .stiffness = system->stiffness};
}
