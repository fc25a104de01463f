/// The memory of a run, and who may call it.
#include "engine/simulation.h"
#include "engine/loops.h"
#include "engine/status.h"
#include "integrators/registry.h"

#include <stdlib.h>
#include <string.h>

trm_status trm_sim_check(const trm_sim *sim, trm_error *err)
{
    return sim ? TRM_OK : TRM_FAIL(err, TRM_ERR_OPTIONS, "sim", "expected a run, got NULL");
}

trm_status trm_sim_enter(const trm_sim *sim, trm_error *err)
{
    TRM_TRY(trm_sim_check(sim, err));
    if (atomic_flag_test_and_set(&((trm_sim *)sim)->busy)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "sim",
                        "another call is at work on this run: one of a second thread, or the one "
                        "that called this function");
    }
    return TRM_OK;
}

trm_status trm_sim_leave(const trm_sim *sim, trm_status status)
{
    atomic_flag_clear(&((trm_sim *)sim)->busy);
    return status;
}

trm_status trm_sim_enter_to_move(const trm_sim *sim, trm_error *err)
{
    TRM_TRY(trm_sim_check(sim, err));
    if (sim->observing) {
        return TRM_FAIL(
            err, TRM_ERR_OPTIONS, "sim",
            "an observer may read and sample its run, not step, shift, restart or restore it");
    }
    return trm_sim_enter(sim, err);
}

trm_status trm_sim_check_ready(const trm_sim *sim, trm_error *err)
{
    return sim->ready ? TRM_OK
                      : TRM_FAIL(err, TRM_ERR_INCONSISTENT, NULL,
                                 "there is no state to go on from: the last restart was refused");
}

static void layout(trm_sim *sim)
{
    trm_arena *arena = &sim->arena;
    trm_run *run = &sim->run;
    trm_system sizes = {.nq = sim->model->sizes.nq,
                        .nv = sim->model->sizes.nv,
                        .nc = sim->model->sizes.nc,
                        .nu = trm_tree_freedoms(&sim->model->tree)};
    // a tree of joints needs no damping
    const double damping = sim->model->may_lose_rank ? run->options.damping : 0;
    trm_system *system = trm_model_system(sim->model, damping, arena);
    run->system = system ? system : &sizes;
    run->n = sizes.nq + sizes.nv + 1;
    trm_run_layout(run, arena);
    trm_closing_layout(&sim->closing, run->system, arena);
    trm_measure_layout(&sim->measure, run->system, arena);
    trm_monitor_layout(&sim->monitor, run, arena);
    run->limit.pivot_max = sim->monitor.pivot_max;
    run->limit.part = sim->model->part;
    sim->sample.z = trm_arena_doubles(arena, run->n);
    sim->sample.dz = trm_arena_doubles(arena, run->n);
    sim->sample.lambda = trm_arena_doubles(arena, sizes.nc);
    sim->remembered.D[0] = trm_arena_doubles(arena, sim->model->pattern->n);
    sim->remembered.D[1] = trm_arena_doubles(arena, sim->model->pattern->n);
    run->system = system;
}

void trm_sim_note_balance(trm_sim *sim)
{
    const trm_energy energy = sim->measure.energy;
    const double gap = trm_extents_gap(&sim->run.extent, sim->run.system->nc, sim->run.system->g);
    sim->measure.gap_max = trm_larger(gap, sim->measure.gap_max);
    sim->monitor.gap = gap;
    sim->monitor.balance = energy.kinetic + energy.potential - energy.work;
}

trm_state_blocks trm_sim_blocks(trm_sim *sim)
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
    const trm_state_blocks one = trm_sim_blocks(sim), other = trm_sim_blocks(twin);
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
    const trm_method_code code = trm_method_find(options->integrator, options->stabilization);
    TRM_TRY(trm_method_fits(code.method, model, err));
    trm_sim *sim = calloc(1, sizeof *sim);
    if (!sim) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "not enough memory for a simulation");
    }
    sim->model = model;
    atomic_flag_clear(&sim->busy);
    sim->monitor.model = model;
    sim->monitor.active = model->may_lose_rank && model->sizes.nc > 0;
    sim->run.options = *options;
    sim->run.method_ops = code.ops;
    sim->run.stabilization = code.stabilization;
    sim->run.row_info = model->row_info;
    sim->run.body = model->body_of;
    if (!open_memory(sim) || !map_pointers(sim)) {
        trm_sim_destroy(sim);
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "not enough memory for a simulation");
    }
    trm_model_initial_state(model, sim->run.now.z, sim->run.now.z + model->sizes.nq);
    const trm_status status = trm_sim_begin(sim, err);
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
