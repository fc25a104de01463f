/// One run: a system, a method, the state, and the three checks on it.
#include "engine/loops.h"
#include "engine/measure.h"
#include "engine/model.h"
#include "engine/saved_state.h"
#include "engine/sensor.h"
#include "engine/singularity.h"
#include "engine/status.h"
#include "engine/subnormals.h"
#include "engine/tear.h"
#include "engine/terms.h"
#include "integrators/registry.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trm_sim {
    const trm_model *model;
    trm_run run;
    trm_closing closing;
    trm_measure measure;
    trm_monitor monitor;
    double size;             ///< m, of the mechanism at the start, see tear.h
    int ready;               ///< zero after a start that failed: there is no state to step from
    trm_point_of_run sample; ///< what trm_sim_sample computed last
    trm_solver_memory remembered;
    long counted[3]; ///< evaluations, likewise
    trm_arena arena;
    trm_pointer_map pointers; ///< into the arena
    atomic_flag busy;         ///< a call is at work on this run
    int observing;            ///< trm_sim_run has handed it to the observer
};

// ----------------------------------------------------------------------------------- who may call

static trm_status check_sim(const trm_sim *sim, trm_error *err)
{
    return sim ? TRM_OK : TRM_FAIL(err, TRM_ERR_OPTIONS, "sim", "expected a run, got NULL");
}

/// Two calls that work on one run at the same time - a second thread, or a function of the user that
/// calls back into its own run - would ruin it. Neither waits: the second is refused.
static trm_status enter(const trm_sim *sim, trm_error *err)
{
    TRM_TRY(check_sim(sim, err));
    if (atomic_flag_test_and_set(&((trm_sim *)sim)->busy)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "sim",
                        "another call is at work on this run: one of a second thread, or the one "
                        "that called this function");
    }
    return TRM_OK;
}

static trm_status leave(const trm_sim *sim, trm_status status)
{
    atomic_flag_clear(&((trm_sim *)sim)->busy);
    return status;
}

/// As enter, for what moves the run.
static trm_status enter_to_move(const trm_sim *sim, trm_error *err)
{
    TRM_TRY(check_sim(sim, err));
    if (sim->observing) {
        return TRM_FAIL(
            err, TRM_ERR_OPTIONS, "sim",
            "an observer may read and sample its run, not step, shift, restart or restore it");
    }
    return enter(sim, err);
}

static trm_status check_ready(const trm_sim *sim, trm_error *err)
{
    return sim->ready ? TRM_OK
                      : TRM_FAIL(err, TRM_ERR_INCONSISTENT, NULL,
                                 "there is no state to go on from: the last restart was refused");
}

static void layout(trm_sim *sim)
{
    trm_arena *arena = &sim->arena;
    trm_run *run = &sim->run;
    trm_system sizes = {
        .nq = sim->model->sizes.nq, .nv = sim->model->sizes.nv, .nc = sim->model->sizes.nc};
    // a tree of joints needs no damping
    const double damping = sim->model->may_lose_rank ? run->options.damping : 0;
    trm_system *system = trm_model_system(sim->model, damping, arena);
    run->system = system ? system : &sizes;
    run->n = sizes.nq + sizes.nv + 1;
    trm_run_layout(run, arena);
    trm_closing_layout(&sim->closing, run->system, arena);
    trm_measure_layout(&sim->measure, run->system, arena);
    trm_monitor_layout(&sim->monitor, run, arena);
    sim->sample.z = trm_arena_doubles(arena, run->n);
    sim->sample.dz = trm_arena_doubles(arena, run->n);
    sim->sample.lambda = trm_arena_doubles(arena, sizes.nc);
    sim->remembered.D[0] = trm_arena_doubles(arena, sizes.nc);
    sim->remembered.D[1] = trm_arena_doubles(arena, sizes.nc);
    run->system = system;
}

// ---------------------------------------------------------------------------------- consistency

/// How far apart a joint is: the norm over those of its rows that have the unit of `row`.
static double gap_of(const trm_model *model, const double *g, int row)
{
    const trm_row_info *info = model->row_info;
    double sum = 0;
    for (int i = 0; i < model->sizes.nc; i++) {
        if (info[i].name == info[row].name && strcmp(info[i].unit, info[row].unit) == 0) {
            sum += g[i] * g[i];
        }
    }
    return sqrt(sum);
}

/// In velocity or else in position; the texts are those of `trammel check`.
static trm_status refuse(const trm_sim *sim, const double *residual, int row, int velocity,
                         trm_error *err)
{
    const trm_row_info *info = &sim->model->row_info[row];
    const double gap = gap_of(sim->model, residual, row);
    const char *const space = *info->unit ? " " : "";
    const char *const hint = sim->run.options.assemble ? "assembling could not close it"
                             : velocity                ? "options.assemble makes them fit"
                                                       : "options.assemble closes it";
    const trm_status status =
        velocity ? TRM_FAIL(err, TRM_ERR_INCONSISTENT, info->where,
                            "the start tears the mechanism: the velocities differ by %.6g %s/s at "
                            "'%s'; %s",
                            gap, *info->unit ? info->unit : "1", info->name, hint)
                 : TRM_FAIL(err, TRM_ERR_INCONSISTENT, info->where,
                            "the start does not close: '%s' is open by %.6g%s%s; %s", info->name,
                            gap, space, info->unit, hint);
    if (err) {
        err->t = sim->run.now.t;
    }
    return status;
}

/// Refuse a start that violates 0 = g or [VEL]; the system is at that point.
static trm_status check_start(trm_sim *sim, trm_error *err)
{
    trm_system *system = sim->run.system;
    const double tolerance = sim->run.options.tolerance;
    const double *v = sim->run.now.z + system->nq;
    double *work = sim->measure.work;
    const trm_residual r = trm_residual_of(system, v, work);
    if (!(r.position <= tolerance)) {
        return refuse(sim, system->g, r.position_row, 0, err);
    }
    if (!(r.velocity <= tolerance)) {
        return refuse(sim, work, r.velocity_row, 1, err);
    }
    return TRM_OK;
}

static trm_status refuse_nonfinite(const trm_run *run, trm_error *err)
{
    if (!isfinite(run->now.t) || !trm_all_finite(run->n - 1, run->now.z)) {
        return TRM_FAIL(err, TRM_ERR_INCONSISTENT, NULL,
                        "the start has an entry that is not finite");
    }
    return TRM_OK;
}

static void note_balance(trm_sim *sim)
{
    const trm_energy energy = sim->measure.energy;
    sim->monitor.gap = sim->measure.drift.position;
    sim->monitor.balance = energy.kinetic + energy.potential - energy.work;
}

/// Close the mechanism a little off its start, in the direction of this number, into sim->sample.z. Returns
/// nonzero if it is closed, and the current point of the system.
static int close_nearby(trm_sim *sim, int number)
{
    const double little = 0.02; // of the coordinates
    trm_run *run = &sim->run;
    trm_system *system = run->system;
    double *z = sim->sample.z;
    memcpy(z, run->now.z, (size_t)run->n * sizeof(double));
    for (int i = 0; i < system->nq; i++) {
        z[i] += little * (fabs(z[i]) + 0.1) * sin(1 + 1.7 * i + 2.3 * number);
    }
    trm_system_normalize(system, z);
    int code = trm_system_position(system, run->now.t, z);
    code = code ? code : trm_close(system, &sim->closing, run->now.t, z, z + system->nq);
    code = code ? code : trm_system_position(system, run->now.t, z);
    const double gap = trm_residual_of(system, z + system->nq, sim->measure.work).position;
    return !code && gap < run->options.tolerance;
}

/// Look at G there.
static void look_nearby(trm_sim *sim)
{
    if (close_nearby(sim, 0) && !trm_system_factor(sim->run.system, TRM_METRIC_MASS)) {
        trm_monitor_judge_start(&sim->monitor, &sim->run);
    }
}

// ------------------------------------------------------------------------------------ idle rows

/// Rows that are redundant everywhere are better left idle (constraint_solver.h). None is known to be so: a
/// row is left idle while nothing speaks against it, and wakes in the first step at whose end something does.

/// The pivots of the current point without damping that would show in them. largest[nc] := the largest so far.
static int note_pivots(trm_system *system, double *largest)
{
    const double finest = 1e-13;
    trm_solver *solver = &system->solver;
    const double delta = solver->delta;
    const int refines = solver->refines;
    solver->delta = finest;
    solver->refines = 0;
    const int code = trm_system_factor(system, TRM_METRIC_MASS);
    solver->delta = delta;
    solver->refines = refines;
    for (int i = 0; !code && i < system->nc; i++) {
        largest[i] = fmax(largest[i], solver->ratio[i]);
    }
    return code;
}

/// Whether the positions of sim->sample.z are others than those of the start.
static int has_moved(const trm_sim *sim)
{
    const double moved = 1e-3; // of the coordinates
    const double *start = sim->run.now.z;
    double farthest = 0;
    for (int i = 0; i < sim->run.system->nq; i++) {
        const double distance = fabs(sim->sample.z[i] - start[i]) / (fabs(start[i]) + 0.1);
        farthest = trm_larger(distance, farthest);
    }
    return farthest > moved;
}

/// largest[nc] := the largest pivots at the start and at other closed positions near to it. Returns zero if
/// not enough of those were found: what cannot move shows nothing.
static int survey(trm_sim *sim, double *largest)
{
    enum { TRIES = 6, ENOUGH = 3 };
    trm_run *run = &sim->run;
    int found = 0;
    memset(largest, 0, (size_t)run->system->nc * sizeof(double));
    int code = trm_system_position(run->system, run->now.t, run->now.z);
    code = code ? code : note_pivots(run->system, largest);
    for (int k = 0; !code && k < TRIES && found < ENOUGH; k++) {
        if (close_nearby(sim, k)) {
            found += has_moved(sim);
            code = note_pivots(run->system, largest);
        }
    }
    return !code && found == ENOUGH;
}

/// Rows whose pivots are roundoff at all of these positions are idle from the start on, under methods that
/// correct what they leave open.
static int choose_idle(trm_sim *sim)
{
    trm_run *run = &sim->run;
    trm_system *system = run->system;
    trm_solver *solver = &system->solver;
    double *largest = sim->sample.lambda;
    if (!run->stabilization || !run->stabilization->correct || !(solver->delta > 0)) {
        return 0;
    }
    trm_solver_remember(solver, &sim->remembered);
    const int known = survey(sim, largest);
    trm_solver_recall(solver, &sim->remembered);
    for (int i = 0; i < system->nc; i++) {
        if (known && largest[i] <= trm_roundoff_ratio) {
            trm_solver_set_idle(solver, i, 1);
        }
    }
    double *z = run->now.z;
    return run->stabilization->rates(run, run->now.t, z, run->now.dz, run->now.lambda);
}

/// What the rows at work leave open, times what a row that follows from them may make of it; at least the
/// tolerance. A loose correction opens redundant rows with the others, and none of them should wake.
static double opening(const trm_sim *sim, const double *residual)
{
    const double follows = 100;
    double largest = 0;
    for (int i = 0; i < sim->run.system->nc; i++) {
        if (sim->run.system->solver.idle[i] <= 0) {
            largest = trm_larger(fabs(residual[i]), largest);
        }
    }
    return fmax(follows * largest, sim->run.options.tolerance);
}

/// At the end of a step: wake the rows that the others do not keep closed, and those that have got a pivot,
/// damping left aside. Returns how many.
static int wake(trm_sim *sim)
{
    const double left_over = 100; // of the damping, in the pivots of redundant rows
    trm_system *system = sim->run.system;
    trm_solver *solver = &system->solver;
    const double pivot = trm_roundoff_ratio + (solver->damped ? left_over * solver->delta : 0);
    const double *velocity = sim->measure.work;
    int woken = 0;
    if (solver->nidle == 0) {
        return 0;
    }
    trm_residual_of(system, sim->run.now.z + system->nq, sim->measure.work);
    const double gap = opening(sim, system->g), speed = opening(sim, velocity);
    for (int i = 0; i < system->nc; i++) {
        const int holds = fabs(system->g[i]) <= gap && fabs(velocity[i]) <= speed;
        if (solver->idle[i] > 0 && (!holds || solver->ratio[i] > pivot)) {
            trm_solver_set_idle(solver, i, 0);
            woken++;
        }
    }
    return woken;
}

/// Everything that a run at (now.t, now.z) needs before its first step.
static trm_status begin(trm_sim *sim, trm_error *err)
{
    trm_run *run = &sim->run;
    trm_system *system = run->system;
    double *z = run->now.z;
    sim->ready = 0;
    trm_solver_reset(&system->solver);
    system->force_evals = 0;
    system->jacobian_evals = 0;
    system->factorizations = 0;
    run->stats = (trm_stats){0};
    run->before.t = run->now.t;
    run->t_origin = run->now.t;
    run->count = 0;
    z[run->n - 1] = 0;
    run->inputs_changed = 0;
    run->shifted = 0;
    for (int i = 0; i < sim->model->sizes.ninput; i++) {
        trm_input_settle(&system->inputs[i], system->inputs[i].now.value);
    }
    TRM_TRY(refuse_nonfinite(run, err));
    trm_system_normalize(system, z);
    int code = trm_system_position(system, run->now.t, z);
    if (!code && run->options.assemble) {
        code = trm_close(system, &sim->closing, run->now.t, z, z + system->nq);
    }
    if (code) {
        return trm_run_fail_code(run, code, err);
    }
    TRM_TRY(check_start(sim, err));
    TRM_TRY(run->method_ops->start(run, err));
    code = trm_system_position(system, run->now.t, z);
    code = code ? code : trm_system_factor(system, TRM_METRIC_MASS);
    if (code) {
        return trm_run_fail_code(run, code, err);
    }
    sim->size = trm_tear_size(sim->model, z);
    trm_measure_start(&sim->measure, system, z + system->nq);
    note_balance(sim);
    trm_monitor_start(&sim->monitor, run);
    if (trm_monitor_doubts_start(&sim->monitor, run)) {
        look_nearby(sim);
        code = choose_idle(sim);
    }
    sim->ready = !code;
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}

// -------------------------------------------------------------------------------------- lifetime

/// All that a run remembers is what stands before its arena, and what stands in it.
static trm_state_blocks blocks_of(trm_sim *sim)
{
    return (trm_state_blocks){.head = sim,
                              .head_size = offsetof(trm_sim, arena),
                              .arena = &sim->arena,
                              .map = &sim->pointers,
                              .model = {sim->model, sim->model->pattern, sim->model->arena.base},
                              .method = sim->run.method_ops};
}

static int open_memory(trm_sim *sim)
{
    layout(sim);
    const int opened = trm_arena_open(&sim->arena);
    if (opened) {
        layout(sim);
    }
    return opened;
}

/// Lay out a twin to learn where the pointers are. Returns 0 when memory is short.
static int map_pointers(trm_sim *sim)
{
    trm_sim *twin = calloc(1, sizeof *twin);
    if (!twin) {
        return 0;
    }
    memcpy(twin, sim, sizeof *twin);
    twin->arena = (trm_arena){0};
    const trm_state_blocks one = blocks_of(sim), other = blocks_of(twin);
    const int mapped = open_memory(twin) && trm_pointer_map_open(&sim->pointers, &one, &other);
    trm_arena_close(&twin->arena);
    free(twin);
    return mapped;
}

trm_status trm_sim_create(const trm_model *model, const trm_options *options, trm_sim **out,
                          trm_error *err)
{
    if (!model || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, model ? "out" : "model",
                        "expected a model and a place for the run, got NULL");
    }
    *out = NULL;
    TRM_TRY(trm_options_check(options, err));
    trm_sim *sim = calloc(1, sizeof *sim);
    if (!sim) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "not enough memory for a simulation");
    }
    const trm_method_code code = trm_method_find(options->integrator, options->stabilization);
    sim->model = model;
    atomic_flag_clear(&sim->busy);
    sim->monitor.active = model->may_lose_rank && model->sizes.nc > 0;
    sim->run.options = *options;
    sim->run.method_ops = code.ops;
    sim->run.stabilization = code.stabilization;
    sim->run.row_info = model->row_info;
    sim->run.part = model->part;
    if (!open_memory(sim) || !map_pointers(sim)) {
        trm_sim_destroy(sim);
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "not enough memory for a simulation");
    }
    trm_model_initial_state(model, sim->run.now.z, sim->run.now.z + model->sizes.nq);
    const trm_status status = begin(sim, err);
    if (status != TRM_OK) {
        trm_sim_destroy(sim);
        return status;
    }
    *out = sim;
    return TRM_OK;
}

void trm_sim_destroy(trm_sim *sim)
{
    if (sim) {
        trm_pointer_map_close(&sim->pointers);
        if (sim->run.finish) {
            sim->run.finish(&sim->run);
        }
        trm_arena_close(&sim->arena);
        free(sim);
    }
}

trm_status trm_sim_set_state(trm_sim *sim, double t, const double *q, const double *v,
                             trm_error *err)
{
    TRM_TRY(enter_to_move(sim, err));
    if (!q || !v) {
        return leave(sim, TRM_FAIL(err, TRM_ERR_OPTIONS, q ? "v" : "q",
                                   "expected coordinates and velocities, got NULL"));
    }
    const trm_sizes n = sim->model->sizes;
    memcpy(sim->run.now.z, q, (size_t)n.nq * sizeof(double));
    memcpy(sim->run.now.z + n.nq, v, (size_t)n.nv * sizeof(double));
    sim->run.now.t = t;
    return leave(sim, begin(sim, err));
}

double trm_sim_input(const trm_sim *sim, int input)
{
    const int known = sim && input >= 0 && input < sim->model->sizes.ninput;
    return known ? sim->run.system->inputs[input].now.value : NAN;
}

trm_status trm_sim_set_input(trm_sim *sim, int input, double value, trm_error *err)
{
    TRM_TRY(check_sim(sim, err));
    const int n = sim->model->sizes.ninput;
    if (input < 0 || input >= n) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "input",
                        "expected the index of one of the %d inputs of the scene, got %d", n,
                        input);
    }
    if (!isfinite(value)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, sim->model->input_info[input].name,
                        "an input must be finite, got %g", value);
    }
    trm_run *run = &sim->run;
    TRM_TRY(enter(sim, err));
    run->inputs_changed |= trm_input_set(&run->system->inputs[input], run->now.t, value);
    return leave(sim, TRM_OK);
}

static void copy_point(const trm_run *run, const trm_point_of_run *from, trm_point_of_run *to)
{
    memcpy(to->z, from->z, (size_t)run->n * sizeof(double));
    memcpy(to->dz, from->dz, (size_t)run->n * sizeof(double));
    memcpy(to->lambda, from->lambda, (size_t)run->system->nc * sizeof(double));
}

/// The checks go on from the shifted point: what it differs by is no error of the run.
static int measure_shifted(trm_sim *sim)
{
    trm_run *run = &sim->run;
    trm_system *system = run->system;
    const double *v = run->now.z + system->nq;
    int code = trm_system_position(system, run->now.t, run->now.z);
    if (!code && sim->monitor.active) {
        code = trm_system_factor(system, TRM_METRIC_MASS);
    }
    if (code) {
        return code;
    }
    sim->measure.drift = trm_drift_of(system, v, sim->measure.work);
    sim->measure.energy = trm_energy_of(system, v, run->now.z[run->n - 1]);
    note_balance(sim);
    trm_monitor_shifted(&sim->monitor, run);
    return 0;
}

static trm_status shift(trm_sim *sim, const double *dq, const double *dv, trm_error *err)
{
    trm_run *run = &sim->run;
    double *z = run->now.z;
    copy_point(run, &run->now, &run->before);
    run->before.t = run->now.t; // what was before it does not lead here
    for (int i = 0; dq && i < run->system->nq; i++) {
        z[i] += dq[i];
    }
    for (int i = 0; dv && i < run->system->nv; i++) {
        z[run->system->nq + i] += dv[i];
    }
    trm_system_normalize(run->system, z);
    int code = 0;
    if (run->stabilization) { // methods with a step of their own see to it when it begins
        code = run->stabilization->rates(run, run->now.t, z, run->now.dz, run->now.lambda);
    }
    code = code ? code : measure_shifted(sim);
    if (code) {
        copy_point(run, &run->before, &run->now);
        return trm_run_fail_code(run, code, err);
    }
    run->shifted = 1;
    return TRM_OK;
}

trm_status trm_sim_shift(trm_sim *sim, const double *dq, const double *dv, trm_error *err)
{
    TRM_TRY(check_sim(sim, err));
    TRM_TRY(check_ready(sim, err));
    const trm_sizes n = sim->model->sizes;
    const int finite = (!dq || trm_all_finite(n.nq, dq)) && (!dv || trm_all_finite(n.nv, dv));
    if (!finite) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, dq && !trm_all_finite(n.nq, dq) ? "dq" : "dv",
                        "expected finite numbers, got one that is not");
    }
    TRM_TRY(enter_to_move(sim, err));
    return leave(sim, shift(sim, dq, dv, err));
}

// ------------------------------------------------------------------------------------------ steps

/// Inputs were set: the right-hand side at now.t is another one. Methods that carry a history of it
/// begin a new one; the others keep their step size.
static trm_status renew_rates(trm_run *run, trm_error *err)
{
    trm_point_of_run *now = &run->now;
    if (!run->stabilization) {
        const double h_next = run->h_next;
        TRM_TRY(run->method_ops->start(run, err));
        run->h_next = h_next;
        run->shifted = 0;
        return TRM_OK;
    }
    const int code = run->stabilization->rates(run, now->t, now->z, now->dz, now->lambda);
    run->shifted = 1;
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}

/// What new inputs change in a point.
static void copy_rates(const trm_run *run, const trm_point_of_run *from, trm_point_of_run *to)
{
    memcpy(to->dz, from->dz, (size_t)run->n * sizeof(double));
    memcpy(to->lambda, from->lambda, (size_t)run->system->nc * sizeof(double));
}

/// After a failure the accelerations are those of the last accepted step, and the next call tries
/// again.
static trm_status take_up_inputs(trm_sim *sim, trm_error *err)
{
    trm_run *run = &sim->run;
    copy_rates(run, &run->now, &run->before);
    const trm_status status = renew_rates(run, err);
    if (status != TRM_OK) {
        copy_rates(run, &run->before, &run->now);
        run->before.t = run->now.t; // the point before is overwritten
        return status;
    }
    run->inputs_changed = 0;
    return TRM_OK;
}

/// At the end of a run no point follows that would show what the last step has passed.
static void look_behind(trm_sim *sim)
{
    trm_solver *const solver = &sim->run.system->solver;
    trm_solver_remember(solver, &sim->remembered);
    trm_monitor_look_behind(&sim->monitor, &sim->run);
    trm_solver_recall(solver, &sim->remembered);
}

/// What a step changes beside the points.
typedef struct mesh {
    double t_origin;
    long count;
    trm_stats stats;
} mesh;

/// Take back the step that has torn the mechanism at `row`. What a method remembers of it is forgotten.
static void take_back(trm_run *run, const mesh *left)
{
    const long rejected = run->stats.rejected + 1;
    trm_run_advance(run);
    run->before.t = run->now.t; // there is no step to sample
    run->t_origin = left->t_origin;
    run->count = left->count;
    run->stats = left->stats;
    run->stats.rejected = rejected;
    run->shifted = 1;
    (void)trm_system_position(run->system, run->now.t, run->now.z); // where it succeeded before
}

static trm_status refuse_torn(trm_sim *sim, int row, const mesh *left, trm_error *err)
{
    trm_run *run = &sim->run;
    const trm_row_info *info = &sim->model->row_info[row];
    const double gap = gap_of(sim->model, run->system->g, row);
    const double h = run->now.t - run->before.t;
    const char *const space = *info->unit ? " " : "";
    char where[160];
    trm_run_name_row(run, row, where, sizeof where);
    take_back(run, left);
    const trm_status status =
        TRM_FAIL(err, TRM_ERR_DIVERGED, where,
                 "%sat t = %.6g s: the next step, of %.3g s, would tear the mechanism: %s would "
                 "be open by %.3g%s%s%s",
                 run->stats.steps > 0 ? "stopped " : "", run->now.t, h, where, gap, space,
                 info->unit, trm_run_is_adaptive(run) ? "" : "; the step is too large");
    if (err) {
        err->t = run->now.t;
    }
    return status;
}

/// One step of the method; it is taken back, and done once more, as long as it wakes rows.
static trm_status step_awake(trm_sim *sim, double t_limit, trm_error *err)
{
    trm_run *run = &sim->run;
    for (;;) {
        const mesh left = {run->t_origin, run->count, run->stats};
        const double h_next = run->h_next;
        TRM_TRY(run->method_ops->step(run, t_limit, err));
        if (wake(sim) == 0) {
            return TRM_OK;
        }
        take_back(run, &left);
        TRM_TRY(run->method_ops->start(run, err));
        run->h_next = h_next;
    }
}

static trm_status step_and_measure(trm_sim *sim, double t_limit, trm_error *err)
{
    trm_run *run = &sim->run;
    TRM_TRY(check_ready(sim, err));
    if (run->inputs_changed) {
        TRM_TRY(take_up_inputs(sim, err));
    }
    const mesh left = {run->t_origin, run->count, run->stats};
    const trm_status status = step_awake(sim, t_limit, err);
    if (status != TRM_OK) {
        run->before.t = run->now.t; // the failed step has overwritten the point before
        return status;
    }
    const double *z = run->now.z;
    const double *v = z + run->system->nq;
    const trm_drift drift = trm_drift_of(run->system, v, sim->measure.work);
    const double surely_whole = fmin(sim->size > 0 ? sim->size / 2 : 1, 1);
    if (!(drift.position <= surely_whole)) {
        const int row = trm_tear_row(sim->model, run->system->g, sim->size);
        if (row >= 0) {
            return refuse_torn(sim, row, &left, err);
        }
    }
    trm_measure_update(&sim->measure, run->system, v, &drift, z[run->n - 1]);
    note_balance(sim);
    trm_monitor_update(&sim->monitor, run);
    if (run->now.t >= t_limit) {
        look_behind(sim);
    }
    return TRM_OK;
}

static trm_status step(trm_sim *sim, double t_limit, trm_error *err)
{
    TRM_TRY(enter_to_move(sim, err));
    const unsigned mode = trm_subnormals_flush();
    const trm_status status = step_and_measure(sim, t_limit, err);
    trm_subnormals_restore(mode);
    return leave(sim, status);
}

trm_status trm_sim_step(trm_sim *sim, trm_error *err)
{
    return step(sim, INFINITY, err);
}

trm_status trm_sim_run(trm_sim *sim, double t_end, trm_observer_fn *observe, void *user,
                       trm_error *err)
{
    TRM_TRY(check_sim(sim, err));
    TRM_TRY(check_ready(sim, err));
    if (t_end == INFINITY) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "t_end", "the end must be finite, got %g", t_end);
    }
    if (!(t_end >= sim->run.now.t)) { // or not a number
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "t_end",
                        "expected an end at or after t = %.9g, got %.9g", sim->run.now.t, t_end);
    }
    while (sim->run.now.t < t_end) {
        TRM_TRY(step(sim, t_end, err));
        sim->observing = observe != NULL;
        const int stop = observe && observe(sim, user);
        sim->observing = 0;
        if (stop) {
            return TRM_STOPPED;
        }
    }
    return TRM_OK;
}

trm_status trm_sim_step_to(trm_sim *sim, double t, trm_error *err)
{
    return trm_sim_run(sim, t, NULL, NULL, err);
}

// ---------------------------------------------------------------------------------------- results

static trm_state state_of(const trm_run *run, const trm_point_of_run *point)
{
    return (trm_state){.t = point->t,
                       .q = point->z,
                       .v = point->z + run->system->nq,
                       .a = point->dz + run->system->nq,
                       .lambda = point->lambda};
}

trm_state trm_sim_state(const trm_sim *sim)
{
    return sim ? state_of(&sim->run, &sim->run.now) : (trm_state){.t = NAN};
}

trm_drift trm_sim_drift(const trm_sim *sim)
{
    return sim ? sim->measure.drift : (trm_drift){NAN, NAN, -1};
}

trm_energy trm_sim_energy(const trm_sim *sim)
{
    return sim ? sim->measure.energy : (trm_energy){NAN, NAN, NAN};
}

trm_stats trm_sim_stats(const trm_sim *sim)
{
    if (!sim) {
        return (trm_stats){0};
    }
    trm_stats stats = sim->run.stats;
    stats.force_evals = sim->run.system->force_evals;
    stats.jacobian_evals = sim->run.system->jacobian_evals;
    stats.factorizations = sim->run.system->factorizations;
    return stats;
}

trm_report trm_sim_report(const trm_sim *sim)
{
    if (!sim) {
        return (trm_report){.worst_row = -1};
    }
    const trm_measure *measure = &sim->measure;
    const trm_monitor *monitor = &sim->monitor;
    return (trm_report){
        .position_drift = measure->position_max,
        .velocity_drift = measure->velocity_max,
        .worst_row = measure->worst_row,
        .energy_initial = measure->energy_initial,
        .energy_error = measure->energy_error,
        .energy_error_relative = trm_measure_relative_error(measure),
        .energy_scale = measure->energy_scale,
        .branch_changes = monitor->branch_changes,
        .first_branch_change = monitor->first_branch_change,
        .crossings = monitor->crossings,
        .resolved = monitor->resolved,
        .crossing_energy_lost = monitor->passport.energy_lost,
        .t_crossing_energy_lost = monitor->passport.t_energy_lost,
        .rcond_min = monitor->rho_min,
        .t_rcond_min = monitor->t_rho_min,
        .bifurcations = monitor->passport.bifurcations,
        .first_bifurcation = monitor->passport.first_bifurcation,
    };
}

int trm_sim_rank(const trm_sim *sim)
{
    return sim ? trm_monitor_rank(&sim->monitor, sim->run.system) : 0;
}

int trm_sim_crossing(const trm_sim *sim, long i, trm_crossing *out)
{
    if (!sim || !out) {
        return 0;
    }
    const trm_passport *passport = &sim->monitor.passport;
    if (i < 0 || i >= passport->count || i < passport->count - TRM_CROSSINGS_KEPT) {
        return 0;
    }
    *out = passport->kept[i % TRM_CROSSINGS_KEPT];
    return 1;
}

/// What is looked at on the way is forgotten again: a run, its counters among it, must not depend on
/// where it was sampled.
static void remember(trm_sim *sim)
{
    const trm_system *system = sim->run.system;
    trm_solver_remember(&system->solver, &sim->remembered);
    sim->counted[0] = system->force_evals;
    sim->counted[1] = system->jacobian_evals;
    sim->counted[2] = system->factorizations;
}

static void recall(trm_sim *sim)
{
    trm_system *system = sim->run.system;
    trm_solver_recall(&system->solver, &sim->remembered);
    system->force_evals = sim->counted[0];
    system->jacobian_evals = sim->counted[1];
    system->factorizations = sim->counted[2];
}

/// z at t within the last step, its derivative and multipliers.
static trm_status interpolate(trm_sim *sim, double t, trm_error *err)
{
    trm_run *run = &sim->run;
    trm_point_of_run *sample = &sim->sample;
    remember(sim);
    int code = run->method_ops->dense(run, t, sample->z);
    code = code ? code : trm_index1(run, t, sample->z, 0, 0, sample->dz, sample->lambda);
    sample->t = t;
    recall(sim);
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}

/// What has happened up to t, within the last step.
static void count(const trm_sim *sim, double t, trm_sample *out)
{
    const trm_monitor *monitor = &sim->monitor;
    out->crossings = monitor->crossings - (monitor->crossings > 0 && monitor->t_crossing > t);
    out->bifurcations = monitor->passport.bifurcations;
    out->branch_changes = monitor->branch_changes;
}

static trm_status check_within_step(const trm_run *run, double t, trm_error *err)
{
    return t >= run->before.t && t <= run->now.t
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_OPTIONS, "t",
                          "expected a time within the last step, %.9g to %.9g, got %.9g",
                          run->before.t, run->now.t, t);
}

static trm_status sample(trm_sim *sim, double t, trm_sample *out, trm_error *err)
{
    trm_run *run = &sim->run;
    trm_system *system = run->system;
    TRM_TRY(check_ready(sim, err));
    if (t == run->now.t) {
        *out = (trm_sample){.state = trm_sim_state(sim),
                            .drift = sim->measure.drift,
                            .energy = sim->measure.energy,
                            .rcond = sim->monitor.active ? sim->monitor.now.rcond : 1};
        count(sim, t, out);
        return TRM_OK;
    }
    TRM_TRY(check_within_step(run, t, err));
    TRM_TRY(interpolate(sim, t, err));
    const trm_state state = state_of(run, &sim->sample);
    *out = (trm_sample){.state = state,
                        .drift = trm_drift_of(system, state.v, sim->measure.work),
                        .energy = trm_energy_of(system, state.v, sim->sample.z[run->n - 1]),
                        .rcond = trm_monitor_rho(&sim->monitor, system)};
    count(sim, t, out);
    return TRM_OK;
}

trm_status trm_sim_sample(trm_sim *sim, double t, trm_sample *out, trm_error *err)
{
    TRM_TRY(enter(sim, err));
    return leave(sim, out ? sample(sim, t, out, err)
                          : TRM_FAIL(err, TRM_ERR_OPTIONS, "out",
                                     "expected a place for the sample, got NULL"));
}

/// What cannot be factored is singular.
static int singular_value(trm_sim *sim, double t, double *sigma)
{
    trm_run *run = &sim->run;
    trm_system *system = run->system;
    const double *z = run->now.z;
    int code = 0;
    if (t != run->now.t) {
        code = run->method_ops->dense(run, t, sim->sample.z);
        z = sim->sample.z;
    }
    code = code ? code : trm_system_position(system, t, z);
    if (!code) {
        *sigma = trm_system_factor(system, TRM_METRIC_MASS)
                     ? 0
                     : trm_monitor_sigma(&sim->monitor, system);
    }
    return code;
}

static trm_status measure_singular_value(trm_sim *sim, double t, double *sigma, trm_error *err)
{
    trm_system *system = sim->run.system;
    TRM_TRY(check_ready(sim, err));
    TRM_TRY(check_within_step(&sim->run, t, err));
    *sigma = 1;
    if (!sim->monitor.active) {
        return TRM_OK;
    }
    const long counts[] = {system->jacobian_evals, system->factorizations};
    trm_solver_remember(&system->solver, &sim->remembered);
    const int code = singular_value(sim, t, sigma);
    trm_solver_recall(&system->solver, &sim->remembered);
    system->jacobian_evals = counts[0];
    system->factorizations = counts[1];
    return code ? trm_run_fail_code(&sim->run, code, err) : TRM_OK;
}

trm_status trm_sim_singular_value(trm_sim *sim, double t, double *sigma, trm_error *err)
{
    TRM_TRY(enter(sim, err));
    return leave(sim, sigma ? measure_singular_value(sim, t, sigma, err)
                            : TRM_FAIL(err, TRM_ERR_OPTIONS, "sigma",
                                       "expected a place for the number, got NULL"));
}

// ---------------------------------------------------------------------------------------- queries

static trm_status fail_terms(const trm_system *system, double t, int code, trm_error *err)
{
    const trm_status status =
        system->failed
            ? TRM_FAIL(err, TRM_ERR_CALLBACK, system->failed,
                       "the value of '%s' is not a finite number, or its function failed (%d), at "
                       "t = %.9g",
                       system->failed, code, t)
            : TRM_FAIL(err, TRM_ERR_SINGULAR, NULL,
                       "the constraints cannot be solved for at t = %.9g", t);
    if (err) {
        err->t = t;
    }
    return status;
}

/// Works where samples do, and forgets as they do.
static int terms(trm_sim *sim, double t, const double *force, const trm_terms *out)
{
    trm_run *run = &sim->run;
    trm_system *system = run->system;
    const trm_point_of_run *sample = &sim->sample;
    const trm_terms_work work = {sample->dz, sample->lambda, run->work_c, run->work_v};
    remember(sim);
    const int code = trm_terms_at(system, t, sample->z, sample->z + system->nq, force, out, &work);
    recall(sim);
    return code;
}

trm_status trm_sim_terms(trm_sim *sim, double t, const double *q, const double *v,
                         const double *force, const trm_terms *out, trm_error *err)
{
    TRM_TRY(check_sim(sim, err));
    const trm_system *system = sim->run.system;
    double *z = sim->sample.z;
    if (!q || !v || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS,
                        !q   ? "q"
                        : !v ? "v"
                             : "out",
                        "expected a state and a place for the terms, got NULL");
    }
    if (!isfinite(t) || !trm_all_finite(system->nq, q) || !trm_all_finite(system->nv, v) ||
        (force && !trm_all_finite(system->nv, force))) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, NULL,
                        "expected finite numbers in t, q, v and force, got one that is not");
    }
    TRM_TRY(enter(sim, err));
    memmove(z, q, (size_t)system->nq * sizeof *q);
    memmove(z + system->nq, v, (size_t)system->nv * sizeof *v);
    const int code = terms(sim, t, force, out);
    return leave(sim, code ? fail_terms(system, t, code, err) : TRM_OK);
}

/// Any state of the last step, by n sensors.
static trm_status read_sensors(const trm_sim *sim, const trm_state *state, trm_energy energy, int n,
                               const trm_sensor *sensors, double *out, trm_error *err)
{
    for (int i = 0; i < n; i++) {
        if (sensors[i].model != sim->model) {
            return TRM_FAIL(err, TRM_ERR_OPTIONS, "sensor", "the sensor belongs to another model");
        }
    }
    TRM_TRY(check_ready(sim, err));
    TRM_TRY(enter(sim, err));
    const trm_run *run = &sim->run;
    trm_moment moment = {.system = run->system,
                         .state = *state,
                         .energy = energy,
                         .work_c = run->work_c,
                         .work_v = run->work_v};
    const int code = trm_sensors_read(n, sensors, &moment, out);
    return leave(sim, code ? fail_terms(run->system, state->t, code, err) : TRM_OK);
}

trm_status trm_sim_read(const trm_sim *sim, const trm_sensor *sensor, double *out, trm_error *err)
{
    if (!sim || !sensor || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS,
                        !sim      ? "sim"
                        : !sensor ? "sensor"
                                  : "out",
                        "expected a run, a sensor and room for its numbers, got NULL");
    }
    const trm_state now = trm_sim_state(sim);
    return read_sensors(sim, &now, sim->measure.energy, 1, sensor, out, err);
}

trm_status trm_sim_read_sample(const trm_sim *sim, const trm_sample *sample, int n,
                               const trm_sensor *sensors, double *out, trm_error *err)
{
    if (!sim || !sample || n < 0 || (n > 0 && (!sensors || !out))) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS,
                        !sim       ? "sim"
                        : !sample  ? "sample"
                        : n < 0    ? "n"
                        : !sensors ? "sensors"
                                   : "out",
                        "expected a run, a sample of it, n >= 0 sensors and room for their "
                        "numbers, got NULL or a negative number");
    }
    return read_sensors(sim, &sample->state, sample->energy, n, sensors, out, err);
}

// --------------------------------------------------------------------------------------- rollouts

static const char *integrator_of(const trm_sim *sim)
{
    const trm_options *o = &sim->run.options;
    return trm_method_find(o->integrator, o->stabilization).method->integrator_name;
}

/// All methods but those of another library keep their history in the arena.
static int is_copyable(const trm_sim *sim)
{
    return sim->run.finish == NULL;
}

static trm_status check_copyable(const trm_sim *sim, trm_error *err)
{
    return is_copyable(sim)
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_OPTIONS, "integrator",
                          "the state of a run with '%s' cannot be saved or restored: another "
                          "library keeps its history",
                          integrator_of(sim));
}

size_t trm_sim_state_size(const trm_sim *sim)
{
    if (!sim || !is_copyable(sim)) {
        return 0;
    }
    const trm_state_blocks blocks = blocks_of((trm_sim *)sim);
    return trm_saved_size(&blocks);
}

trm_status trm_sim_save(const trm_sim *sim, void *buffer, size_t size, trm_error *err)
{
    TRM_TRY(check_sim(sim, err));
    const trm_state_blocks blocks = blocks_of((trm_sim *)sim);
    const size_t needed = trm_saved_size(&blocks);
    TRM_TRY(check_copyable(sim, err));
    TRM_TRY(check_ready(sim, err));
    if (!buffer || size < needed) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, buffer ? "size" : "buffer",
                        "expected room for %zu bytes, got %s%zu", needed, buffer ? "" : "NULL and ",
                        size);
    }
    TRM_TRY(enter(sim, err));
    trm_saved_write(&blocks, buffer);
    return leave(sim, TRM_OK);
}

trm_status trm_sim_restore(trm_sim *sim, const void *buffer, size_t size, trm_error *err)
{
    TRM_TRY(check_sim(sim, err));
    const trm_state_blocks blocks = blocks_of(sim);
    TRM_TRY(check_copyable(sim, err));
    if (!buffer) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "buffer", "expected a saved state, got NULL");
    }
    TRM_TRY(trm_saved_check(&blocks, buffer, size, err));
    TRM_TRY(enter_to_move(sim, err));
    trm_saved_read(&blocks, buffer);
    return leave(sim, TRM_OK);
}
