/// The memory of a run, and who may call it.
#include "simulation/run/simulation.h"
#include "base/accuracy_policy.h"
#include "base/loops.h"
#include "base/rank_numbers.h"
#include "base/status.h"
#include "integrators/registry.h"
#include "program/run_details.h"
#include "simulation/run/misfit.h"
#include "simulation/singular/approach.h"
#include "trammel/trammel_methods.h"
#include "trammel/trammel_scene.h"
#include "trammel/trammel_simulation.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What tolerances are for unless their options say it.
static double accuracy_of(const trm_options *options, const trm_method *method)
{
    return options->accuracy > 0 || !method->adaptive
               ? options->accuracy
               : trm_method_steps(method->integrator) * options->rtol;
}

static void layout(trm_sim *sim)
{
    trm_arena *arena = &sim->arena;
    trm_run *run = &sim->run;
    trm_system sizes = {.nq = sim->model->sizes.nq,
                        .nv = sim->model->sizes.nv,
                        .nc = sim->model->sizes.nc,
                        .states = sim->model->bodies.states,
                        .speed = sim->model->speed};
    // a tree of joints needs no damping
    const double damping = sim->model->may_lose_rank ? run->options.damping : 0;
    trm_system *system = trm_model_system(sim->model, damping, arena);
    run->system = system ? system : &sizes;
    run->n = sizes.nq + sizes.nv + 1;
    run->contact = trm_contact_layout(sim->model,
                                      run->method_ops->steps_contacts ? sim->model->contacts_at_once
                                                                      : sim->model->contact_room,
                                      arena);
    run->contact_rows = sim->model->ncontacts;
    trm_run_layout(run, arena);
    run->extent.size = trm_arena_doubles(arena, sim->model->sizes.nbody);
    trm_closing_layout(&sim->closing, run->system, arena);
    sim->closing.unit = trm_arena_doubles(arena, sizes.nc);
    trm_measure_layout(&sim->measure, run->system, arena);
    run->limit = sim->monitor.active ? trm_limit_layout(run, arena) : NULL;
    sim->monitor.record.loss = run->limit ? &run->limit->loss : NULL;
    if (sim->monitor.active) { // nothing of it is used otherwise
        trm_rank_layout(&sim->rank, sim->model, arena);
        trm_monitor_layout(&sim->monitor, run, arena);
    }
    trm_absolute_layout(&sim->shown[0], sim->given, arena);
    trm_absolute_layout(&sim->shown[1], sim->given, arena);
    TRM_ARENA_DOUBLES(arena, sim->model->joints ? 1 + 2 * run->n + sizes.nc : 0, &sim->shown_of,
                      &sim->showing);
    sim->sensed_c = trm_arena_doubles(arena, sim->given->sizes.nc);
    sim->sensed_v = trm_arena_doubles(arena, sim->given->sizes.nq + sim->given->sizes.nv);
    trm_null_layout(&run->system->solver.null, sim->null_room, arena);
    trm_play_layout(sim, arena);
    trm_locator_layout(&sim->locator, sim->model, run, arena);
    trm_turning_ends_layout(&sim->turning, sim->model, run, arena);
    trm_events_layout(&sim->events, sim->model, arena);
    TRM_ARENA_DOUBLES(arena, run->n, &sim->sample.z, &sim->sample.dz);
    sim->sample.lambda = trm_arena_doubles(arena, sizes.nc);
    if (sim->model->ncontacts > 0 || sim->model->observed) {
        TRM_ARENA_DOUBLES(arena, run->n, &sim->pressed.z, &sim->pressed.dz);
        sim->pressed.lambda = trm_arena_doubles(arena, sizes.nc);
    }
    const size_t workspace = arena->used;
    sim->output_room = trm_arena_doubles(arena, sim->model->output_room);
    sim->between = trm_arena_doubles(arena, run->n);
    sim->slots = trm_bodies_slots(&sim->model->bodies);
    sim->stiff_room = trm_arena_doubles(arena, 4 * sim->slots);
    trm_arena_workspace(arena, workspace);
    run->system = system;
}

static size_t offset_of(const trm_sim *sim, const void *place)
{
    return (size_t)((const char *)place - sim->arena.base);
}

/// The unused part of the ring of crossings.
static trm_arena_range unused_of(const trm_sim *sim, const void *array, size_t size)
{
    const trm_crossing_record *const record = &sim->monitor.record;
    const size_t from = offset_of(sim, array);
    const long used = record->count < TRM_CROSSINGS_KEPT ? record->count : TRM_CROSSINGS_KEPT;
    const size_t bytes = ((size_t)used * size + 7) / 8 * 8;
    return (trm_arena_range){from + bytes, from + (TRM_CROSSINGS_KEPT * size + 7) / 8 * 8};
}

/// Room of the watch that this run has not used since its start.
static void find_unused(const trm_sim *sim, trm_arena_range unused[3])
{
    const trm_singularity_monitor *const monitor = &sim->monitor;
    const size_t nc = (size_t)sim->model->sizes.nc, end = offset_of(sim, monitor->motion);
    const int n = monitor->most_continuations;
    unused[0].from = n < TRM_CONTINUATIONS ? offset_of(sim, monitor->continuation[n].now.t) : end;
    unused[0].to = end;
    unused[1] = unused_of(sim, monitor->record.kept, sizeof *monitor->record.kept);
    unused[2] = unused_of(sim, monitor->record.rows, sizeof *monitor->record.rows * nc);
}

/// Workspace and unused room, in order.
static void find_idle(const trm_sim *sim, trm_arena_range idle[TRM_IDLE_RANGES])
{
    const trm_arena *const arena = &sim->arena;
    trm_arena_range unused[3] = {{0}};
    int n = 0, k = 0;
    if (sim->monitor.active) {
        find_unused(sim, unused);
    }
    for (int i = 0; i < 3; i++) {
        for (; k < arena->nworkspaces && arena->workspace[k].from < unused[i].from; k++) {
            idle[n++] = arena->workspace[k];
        }
        idle[n++] = unused[i];
    }
    for (; k < arena->nworkspaces; k++) {
        idle[n++] = arena->workspace[k];
    }
    for (; n < TRM_IDLE_RANGES; n++) {
        idle[n] = (trm_arena_range){arena->size, arena->size};
    }
}

static trm_state_blocks blocks_of(trm_sim *sim)
{
    return (trm_state_blocks){.head = sim,
                              .head_size = offsetof(trm_sim, arena),
                              .arena = &sim->arena,
                              .map = &sim->pointers,
                              .model = {sim->model, sim->model->pattern, sim->model->arena.base},
                              .method = sim->run.method_ops};
}

trm_state_blocks trm_sim_blocks(trm_sim *sim)
{
    trm_state_blocks blocks = blocks_of(sim);
    find_idle(sim, blocks.idle);
    return blocks;
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

/// Finds the meeting of a run that belongs to a simulation.
static void find_meeting(trm_run *run)
{
    trm_sim *sim = (trm_sim *)(void *)((char *)run - offsetof(trm_sim, run));
    trm_monitor_find_meeting(&sim->monitor, run);
}

static int is_interrupted(const trm_run *run)
{
    return trm_sim_is_interrupted(
        (const trm_sim *)(const void *)((const char *)run - offsetof(trm_sim, run)));
}

/// Joints that are inverted one by one pull against each other where redundant rows contradict:
/// beyond what counts as closed they may only if a play is given.
static double misfit_of(const trm_model *model, const trm_options *o)
{
    const double most = trm_options_refuse_misfit(o) ? o->tolerance : INFINITY;
    return o->misfit < 0 ? fmin(model->misfit, most) : o->misfit;
}

trm_sim *trm_sim_lay_out(const trm_model *model, const trm_options *options, trm_null_size room,
                         trm_error *err)
{
    const trm_method_code code = trm_method_find(options->integrator, options->stabilization);
    trm_sim *sim = calloc(1, sizeof *sim);
    if (!sim) {
        trm_arena_refuse(&(trm_arena){.size = sizeof *sim}, NULL, "simulation", err);
        return NULL;
    }
    sim->model = model;
    sim->given = model->joints ? model->absolute : model;
    atomic_flag_clear(&sim->busy);
    sim->monitor.model = model;
    sim->monitor.active = model->may_lose_rank && model->sizes.nc > 0;
    sim->run.options = *options;
    sim->asked = sim->run.options.accuracy = accuracy_of(options, code.method);
    sim->run.options.misfit = misfit_of(model, options);
    sim->run.find_meeting = find_meeting;
    sim->run.is_interrupted = is_interrupted;
    sim->run.observe = model->observed ? trm_sim_observe : NULL;
    sim->run.pair = code.method;
    sim->run.method_ops = code.ops;
    sim->run.stabilization = code.stabilization;
    sim->run.row_info = model->row_info;
    sim->run.body = model->body_of;
    sim->null_room = room;
    if (!open_memory(sim)) {
        trm_arena_refuse(&sim->arena, NULL, "simulation", err);
        trm_sim_destroy(sim);
        return NULL;
    }
    return sim;
}

/// Lay out a twin to learn where the pointers are.
static trm_status map_pointers(trm_sim *sim, trm_error *err)
{
    trm_sim *twin = trm_sim_lay_out(sim->model, &sim->run.options, sim->null_room, err);
    if (!twin) {
        return TRM_ERR_MEMORY;
    }
    const trm_state_blocks one = trm_sim_blocks(sim), other = trm_sim_blocks(twin);
    const int mapped = trm_pointer_map_open(&sim->pointers, &one, &other);
    trm_sim_destroy(twin);
    return mapped ? TRM_OK : trm_arena_refuse(&sim->arena, NULL, "simulation", err);
}

/// Whether a start in joint coordinates is judged in those of the bodies: there the rows of a loop
/// share what they miss each other by, and none of them is as short as that.
static int is_judged_in_bodies(const trm_model *model)
{
    return model->joints && model->may_lose_rank && model->sizes.nc > 0;
}

/// run->now.z := the start `found` that sim->in_bodies has judged, with the turns of near[nq].
/// Units of reactions are those of the bodies.
static void take_judged(trm_sim *sim, const double *found, const double *near)
{
    const trm_sim *const bodies = sim->in_bodies;
    trm_joint_system_find(sim->run.system, sim->run.now.t, found, found + sim->given->sizes.nq,
                          near, sim->run.now.z, sim->run.now.z + sim->run.system->nq);
    trm_solver_note_scale(&trm_joint_system_absolute(sim->run.system)->solver, 0,
                          &bodies->run.system->solver);
}

/// run->now.z := the start of the bodies at q and v, judged.
static trm_status judge_in_bodies(trm_sim *sim, const double *q, const double *v,
                                  const double *near, trm_error *err)
{
    trm_sim *const bodies = sim->in_bodies;
    for (int i = 0; i < sim->model->sizes.ninput; i++) {
        bodies->run.system->inputs[i] = sim->run.system->inputs[i];
    }
    bodies->run.now.t = sim->run.now.t;
    TRM_TRY(trm_sim_take_state(bodies, q, v, err));
    trm_system_take_winding(bodies->run.system, sim->run.system);
    TRM_TRY(trm_sim_find_start(bodies, err));
    take_judged(sim, bodies->run.now.z, near);
    return TRM_OK;
}

/// A run in the coordinates of `model` with this room for null directions, at its start; a scout
/// may end before it, with the room that is needed. *out may be set when it fails. judged: the same
/// start in the coordinates of the bodies, where that is due.
static trm_status open_and_begin(const trm_model *model, const trm_options *options,
                                 trm_null_size room, int scouting, trm_sim *judged, trm_sim **out,
                                 trm_error *err)
{
    trm_sim *sim = *out = trm_sim_lay_out(model, options, room, err);
    TRM_TRY(sim ? map_pointers(sim, err) : TRM_ERR_MEMORY);
    sim->in_bodies = judged;
    if (judged) {
        take_judged(sim, judged->shown[1].q, model->q0);
    } else {
        TRM_TRY(trm_sim_take_state(sim, sim->given->q0, sim->given->v0, err));
    }
    sim->phase = scouting ? TRM_SIM_SCOUTING : TRM_SIM_NO_STATE;
    const trm_status status = trm_sim_begin(sim, err);
    sim->in_bodies = NULL; // whoever has judged owns it, until create_judged
    sim->phase = sim->phase == TRM_SIM_SCOUTING ? TRM_SIM_NO_STATE : sim->phase;
    return status;
}

/// Whether a part of the mechanism has no freedom, as far as its rank was looked at.
static int is_locked(const trm_sim *sim)
{
    const trm_connected_components *const parts = &sim->model->components;
    for (int p = 0; sim->monitor.active && p < parts->n; p++) {
        const int columns = parts->first_column[p + 1] - parts->first_column[p];
        if (sim->rank.component[p].rank >= 0 && sim->rank.component[p].rank >= columns) {
            return 1;
        }
    }
    return 0;
}

/// The smallest number of one digit that is not below x.
static double rounded_up(double x)
{
    const double power = pow(10, floor(log10(x)));
    return power * ceil(x / power * (1 - 1e-9));
}

/// A run of the model in which rows repeat others up to this misfit, which may be more than an
/// option asks for. judged: see open_and_begin.
static trm_status create_with(const trm_model *model, const trm_options *options, double misfit,
                              trm_sim *judged, trm_sim **out, trm_error *err)
{
    trm_options wanted = *options;
    wanted.misfit = misfit;
    trm_null_size room = {.components = 0};
    trm_status status = open_and_begin(model, &wanted, room, 1, judged, out, err);
    for (int k = 0; k < 2 && status == TRM_OK && !trm_null_fits(room, (*out)->null_size); k++) {
        room = (*out)->null_size; // now it is known how many
        trm_sim_destroy(*out);
        status = open_and_begin(model, &wanted, room, 0, judged, out, err);
    }
    return status;
}

/// Whether the row that opens most in the motion that was meant, `row`, is that of a hinge or
/// slider whose axis is askew. Lengths by which bars do not fit, beyond what counts as play, are
/// those of a truss, and joints that let nothing move are those of a frame.
static int is_askew(const trm_sim *sim, int row)
{
    const trm_row_info *const info = sim->model->row_info;
    if (row < 0 || strcmp(info[row].unit, "rad") != 0) {
        return 0;
    }
    int first = row, end = row + 1; // rows of a joint stand together
    for (; first > 0 && strcmp(info[first - 1].name, info[row].name) == 0; first--) {
    }
    for (; end < sim->model->sizes.nc && strcmp(info[end].name, info[row].name) == 0; end++) {
    }
    return end - first < sim->given->body_info->nv;
}

static int has_axes(const trm_sim *sim)
{
    int any = 0;
    for (int i = 0; i < sim->model->sizes.nc && !any; i++) {
        any = is_askew(sim, i);
    }
    return any;
}

static trm_status name_lock(const trm_sim *wider, double misfit, int row, int lost, int nothing,
                            trm_error *err)
{
    char names[160], play[64];
    const int grows = wider->misfit <= misfit; // at the start it would be play
    trm_play_name_loop(wider, row, names, sizeof names);
    snprintf(play, sizeof play, grows ? "more digits help, " : "misfit %.1g takes that as play, ",
             rounded_up(wider->misfit));
    return TRM_FAIL(err, TRM_ERR_INCONSISTENT, wider->model->row_info[row].where,
                    "with these numbers %s: '%s' and %s miss by %.2g, %smore than %g, "
                    "what would leave them %d %s; %sa joint with more freedom in place of one of "
                    "them needs none, misfit 0 leaves it locked",
                    nothing ? "nothing moves" : "a motion is locked",
                    wider->model->row_info[row].name, *names ? names : "the others", wider->misfit,
                    grows ? "elsewhere " : "", misfit, lost, lost == 1 ? "freedom" : "freedoms",
                    wider->misfit <= TRM_MOST_MISFIT ? play : "");
}

/// Where motions are locked since axes miss by more than counts as play: what would free them. The
/// least bound that frees it is looked for by doubling, up to TRM_ASKEW where nothing moves;
/// lengths that miss by more than counts as play are taken as meant.
static trm_status refuse_lock(trm_sim *sim, trm_error *err)
{
    const double misfit = sim->run.options.misfit;
    const int locked = is_locked(sim);
    const double most = locked ? TRM_ASKEW : TRM_MOST_MISFIT;
    trm_status status = TRM_OK;
    int meant = 0;
    if (!(misfit > 0 && misfit < TRM_MOST_MISFIT) || sim->model->from_equations ||
        trm_extents_any_unknown(sim->model) || !has_axes(sim) ||
        !(locked || trm_rank_probe_loses_freedom(sim))) {
        return TRM_OK;
    }
    for (double bound = TRM_MOST_MISFIT; bound <= most && !meant && status == TRM_OK; bound *= 2) {
        trm_sim *wider = NULL;
        if (bound > TRM_MOST_MISFIT && sim->run.system->moving) {
            return TRM_OK; // a drive moves it
        }
        const trm_status begun =
            create_with(sim->model, &sim->run.options, bound, NULL, &wider, NULL);
        const int lost = begun == TRM_OK ? trm_sim_rank(sim) - trm_sim_rank(wider) : 0;
        if (begun == TRM_ERR_MEMORY) {
            status = TRM_FAIL(err, begun, NULL, "not enough memory");
        }
        if (lost > 0 && wider->nullity > 0) {
            const int row = trm_rank_probe_opening(wider);
            if (!is_askew(wider, row)) {
                meant = 1;
            } else {
                status = name_lock(wider, misfit, row, lost, locked, err);
            }
        }
        trm_sim_destroy(wider);
    }
    return status;
}

/// By the letter what is too little for a lock and too much for a motion, or leaves a start `open`.
static trm_status refuse_unresolved(const trm_sim *sim, int open, trm_error *err)
{
    const double closed = 1e-9;
    char names[160];
    trm_sim *meant = NULL;
    if (!sim->monitor.active || sim->model->from_equations || trm_extents_any_unknown(sim->model)) {
        return TRM_OK;
    }
    trm_status status = create_with(sim->model, &sim->run.options, TRM_MISFIT, NULL, &meant, NULL);
    const int row = status == TRM_OK && meant->nullity > 0 && meant->misfit > closed &&
                            (open || meant->misfit < TRM_UNRESOLVED)
                        ? trm_rank_probe_opening(meant)
                        : -1;
    status = status == TRM_ERR_MEMORY ? TRM_FAIL(err, status, NULL, "not enough memory") : TRM_OK;
    if (row >= 0) {
        trm_play_name_loop(meant, row, names, sizeof names);
        status = TRM_FAIL(
            err, TRM_ERR_INCONSISTENT, sim->model->row_info[row].where,
            "by the letter (misfit 0) '%s' and %s miss by %.2g: %s; misfit %g takes that as play, "
            "exact numbers or a joint with more freedom in place of one of them need none",
            sim->model->row_info[row].name, *names ? names : "the others", meant->misfit,
            open ? "the start does not close" : "too little for a lock, too much for a motion",
            TRM_MISFIT);
    }
    trm_sim_destroy(meant);
    return status;
}

/// Where motions are locked, or too little is missing for a lock: refused, with what mends it.
static trm_status refuse_misfit(trm_sim *sim, trm_error *err)
{
    return sim->run.options.misfit > 0 ? refuse_lock(sim, err) : refuse_unresolved(sim, 0, err);
}

/// A run in the coordinates of bodies, where misfits are judged.
static trm_status create_by_rank(const trm_model *model, const trm_options *options, trm_sim **out,
                                 trm_error *err)
{
    const trm_status status = create_with(model, options, options->misfit, NULL, out, err);
    const int letter = *out && (*out)->run.options.misfit == 0;
    TRM_TRY(letter && status == TRM_ERR_INCONSISTENT ? refuse_unresolved(*out, 1, err) : TRM_OK);
    return status == TRM_OK ? refuse_misfit(*out, err) : status;
}

/// A run in joint coordinates, whose start has been judged in those of the bodies, and owns that
/// run. *out := the latter where rows repeat others except for a misfit: the joints of bodies share
/// it, a tree leaves the cuts all of it. Where `auto` leaves it to the start also if the cuts alone
/// come near to a singular position, whose watch costs more than the tree saves, or do not start.
static trm_status create_judged(const trm_model *model, const trm_options *options,
                                trm_sim **judged, trm_sim **out, trm_error *err)
{
    const int decides = model->joints->start_decides;
    int stays = (*judged)->misfit > TRM_NO_MISFIT;
    trm_status status = TRM_OK;
    if (!stays) {
        status = create_with(model, options, options->misfit, *judged, out, err);
        stays = decides && status != TRM_ERR_MEMORY &&
                (status != TRM_OK || (*out)->run.system->solver.ratio_min < TRM_REGULAR);
    }
    if (stays) {
        trm_sim_destroy(*out);
        *out = *judged;
    } else if (status == TRM_OK) {
        (*out)->in_bodies = *judged; // judges restarts
    }
    *judged = stays || status == TRM_OK ? NULL : *judged;
    return stays ? TRM_OK : status;
}

/// A run in the coordinates of `model`. Errors: as trm_sim_create.
static trm_status create(const trm_model *model, const trm_options *options, trm_sim **out,
                         trm_error *err)
{
    if (!is_judged_in_bodies(model)) {
        return create_by_rank(model, options, out, err);
    }
    trm_sim *judged = NULL;
    trm_status status = create_by_rank(model->absolute, options, &judged, err);
    status = status == TRM_OK ? create_judged(model, options, &judged, out, err) : status;
    trm_sim_destroy(judged);
    return status;
}

const char *trm_sim_why_absolute(const trm_sim *sim)
{
    return !sim->model->in_joints        ? sim->model->why_absolute
           : sim->misfit > TRM_NO_MISFIT ? "rows of its loops repeat others except for a misfit"
                                         : "its cuts are nearly singular";
}

trm_status trm_sim_create(const trm_model *model, const trm_options *options, trm_sim **out,
                          trm_error *err)
{
    TRM_CLEAR(out);
    if (!model || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, model ? "out" : "model",
                        "expected a model and a place for the run, got NULL");
    }
    TRM_TRY(trm_options_check(options, err));
    const trm_method_code code = trm_method_find(options->integrator, options->stabilization);
    TRM_TRY(trm_method_fits(code.method, model, err));
    trm_sim *sim = NULL;
    const trm_status status =
        create(model->in_joints ? model->in_joints : model, options, &sim, err);
    if (status != TRM_OK) {
        trm_sim_destroy(sim);
        return status;
    }
    *out = sim;
    return TRM_OK;
}

trm_status trm_sim_set_state(trm_sim *sim, double t, const double *q, const double *v,
                             trm_error *err)
{
    TRM_TRY(trm_sim_enter_to_move(sim, err));
    if (!q || !v) {
        return trm_sim_leave(sim, TRM_FAIL(err, TRM_ERR_OPTIONS, q ? "v" : "q",
                                           "expected coordinates and velocities, got NULL"));
    }
    sim->run.now.t = t;
    sim->phase = TRM_SIM_NO_STATE;
    trm_system_take_winding(sim->run.system, NULL);
    const trm_status status = is_judged_in_bodies(sim->model)
                                  ? judge_in_bodies(sim, q, v, sim->model->q0, err)
                                  : trm_sim_take_state(sim, q, v, err);
    return trm_sim_leave(sim, status == TRM_OK ? trm_sim_begin(sim, err) : status);
}

trm_status trm_sim_begin_here(trm_sim *sim, trm_error *err)
{
    const double *const q = trm_sim_bodies(sim, sim->run.now.z);
    TRM_TRY(is_judged_in_bodies(sim->model)
                ? judge_in_bodies(sim, q, q + sim->given->sizes.nq, sim->run.now.z, err)
                : TRM_OK);
    return trm_sim_begin(sim, err);
}

void trm_sim_destroy(trm_sim *sim)
{
    if (sim) {
        trm_sim_destroy(sim->in_bodies);
        trm_pointer_map_close(&sim->pointers);
        if (sim->run.finish) {
            sim->run.finish(&sim->run);
        }
        trm_arena_close(&sim->arena);
        free(sim);
    }
}

// ------------------------------------------------------------------ for others, see misfit.h

/// Whether rows repeat others by the letter, as closing and rank take it.
static int is_exact(const trm_sim *sim)
{
    const double closed = 1e-9, dependent = TRM_DEPENDENT / 10;
    return !(trm_sim_play(sim) > closed || sim->misfit > dependent);
}

trm_status trm_misfit_find(const trm_model *model, double misfit, trm_sim **out, trm_error *err)
{
    trm_options options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2);
    *out = NULL;
    options.assemble = 1;
    options.misfit = misfit;
    if (!model->may_lose_rank || model->from_equations || misfit == 0) {
        return TRM_OK;
    }
    const trm_status status = create(model, &options, out, NULL);
    if (status == TRM_ERR_MEMORY) {
        return TRM_FAIL(err, status, NULL, "not enough memory for a start");
    }
    if (status != TRM_OK) {
        trm_sim_destroy(*out);
        *out = NULL;
    }
    if (*out && ((*out)->nullity == 0 || is_exact(*out))) {
        trm_sim_destroy(*out);
        *out = NULL;
    }
    return TRM_OK;
}

const trm_null_space *trm_misfit_null(const trm_sim *found)
{
    return found ? &found->run.system->solver.null : NULL;
}

int trm_misfit_row(const trm_sim *found)
{
    return found ? trm_play_worst(found) : -1;
}
