/// The start of a run: refused where it is inconsistent, or closed on request.
#include "base/accuracy_policy.h"
#include "base/linear/sums.h"
#include "base/rank_numbers.h"
#include "base/status.h"
#include "engine/rank/row_rank.h"
#include "integrators/registry.h"
#include "integrators/stabilization/singular_limit.h"
#include "simulation/run/simulation.h"
#include "trammel/trammel_equations.h"
#include "trammel/trammel_simulation.h"
#include "trammel/trammel_status.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_motor(const trm_model *model, int row)
{
    return strcmp(model->row_info[row].label, "motor") == 0;
}

/// Of n rows of length nv, each made a unit vector: how many are independent; -1 without memory.
static int rank_of(int n, int nv, const double *G, double *work, int *order)
{
    memcpy(work, G, (size_t)n * (size_t)nv * sizeof *work);
    for (int i = 0; i < n; i++) {
        double *const row = work + (size_t)i * (size_t)nv, length = trm_length(nv, row);
        for (int j = 0; j < nv && length > 0; j++) {
            row[j] /= length;
        }
    }
    trm_row_basis basis = {.order = order};
    return trm_row_rank(n, nv, work, 1e-8, &basis) ? basis.rank : -1;
}

/// How many freedoms the other rows leave to the drives; their number where nothing tells, -1
/// without memory.
static int left_to_drives(trm_sim *sim, int drives)
{
    const int nc = sim->given->sizes.nc, nv = sim->given->sizes.nv;
    const size_t size = (size_t)nc * (size_t)nv;
    if (nc > TRM_DENSE_ROWS) {
        return drives;
    }
    double *const G = malloc(2 * size * sizeof *G);
    int *const order = malloc((size_t)nc * sizeof *order);
    int left = G && order ? drives : -1;
    const double *const q = trm_sim_bodies(sim, sim->run.now.z);
    if (G && order &&
        trm_sim_terms(sim, sim->run.now.t, q, q + sim->given->sizes.nq, NULL, &(trm_terms){.G = G},
                      NULL) == TRM_OK) {
        const int all = rank_of(nc, nv, G, G + size, order);
        for (int i = 0; i < nc; i++) {
            if (trm_model_is_given(sim->given, i)) { // a row of zeros depends on the others
                memset(G + (size_t)i * (size_t)nv, 0, (size_t)nv * sizeof *G);
            }
        }
        const int others = rank_of(nc, nv, G, G + size, order);
        left = all >= 0 && others >= 0 ? all - others : -1;
    }
    free(G);
    free(order);
    return left;
}

/// "2 motors for 1 freedom": what assembling cannot mend. Returns 0 where it is not so, -1 without
/// memory.
static int overdriven(trm_sim *sim, char *out, size_t size)
{
    const trm_model *const model = sim->given;
    const char *names[2] = {NULL, NULL};
    int drives = 0, motors = 0;
    for (int i = 0; i < model->sizes.nc && model->row_info; i++) {
        if (trm_model_is_given(model, i)) {
            names[drives < 2 ? drives : 1] = model->row_info[i].name;
            motors += is_motor(model, i);
            drives++;
        }
    }
    const int left = drives > 1 ? left_to_drives(sim, drives) : drives;
    if (left < 0 || left >= drives) {
        return left < 0 ? -1 : 0;
    }
    snprintf(out, size,
             "%d %s for %d freedom%s: take out one, of '%.40s' or '%.40s', or make it a servo",
             drives, motors == drives ? "motors" : "drives", left, left == 1 ? "" : "s", names[0],
             names[1]);
    return 1;
}

/// In velocity or else in position; the texts are those of `trammel check`. `most`: the residual of
/// the row in its unit, which is printed where nobody else knows the unit.
static trm_status refuse(trm_sim *sim, const double *residual, int row, double most, int velocity,
                         trm_error *err)
{
    const double drawn = 1e-6; // m: no drawing tells less, only the size of the mechanism does
    const trm_row_info *info = &sim->model->row_info[row];
    const int unknown = trm_extents_is_unknown(sim->model, row);
    const double gap = unknown ? most : trm_violation_gap(sim->model, residual, row);
    const char *const space = *info->unit ? " " : "";
    char drives[192], part[64] = "";
    if (!unknown && strcmp(info->unit, "m") == 0 && gap < drawn) {
        snprintf(part, sizeof part, ", %.2g of its mechanism", most);
    }
    const char *const of = is_motor(sim->model, row) ? "the motor of " : "";
    const int over = overdriven(sim, drives, sizeof drives);
    if (over < 0) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "not enough memory for the rank of the start");
    }
    const char *const why = trm_options_refuse_misfit(&sim->run.options);
    const char *const hint =
        over                               ? drives
        : why && sim->run.options.assemble ? why
        : sim->start_rank == TRM_START_SINGULAR && sim->run.options.assemble && !velocity
            ? "motions meet there, and these numbers do not tell which goes on: more digits help"
        : sim->run.options.assemble ? "assembling could not close it"
        : velocity                  ? "options.assemble makes them fit"
                                    : "options.assemble closes it where it can";
    const trm_status status =
        velocity ? TRM_FAIL(err, TRM_ERR_INCONSISTENT, info->where,
                            "the initial velocities violate %s'%s' by %.6g %s/s; %s", of,
                            info->name, gap, *info->unit ? info->unit : "1", hint)
                 : TRM_FAIL(err, TRM_ERR_INCONSISTENT, info->where,
                            "the start does not close: %s'%s' is open by %.6g%s%s%s; %s", of,
                            info->name, gap, space, info->unit, part, hint);
    return trm_at_time(err, sim->run.now.t, status);
}

/// Refuse a start that violates 0 = g or [VEL]; the system is at that point.
static trm_status check_start(trm_sim *sim, trm_error *err)
{
    trm_system *system = sim->run.system;
    const double tolerance = sim->run.options.tolerance;
    const double *v = sim->run.now.z + system->nq;
    double *work = sim->measure.of.work;
    const trm_closing *const closing = &sim->closing;
    const trm_residual r = trm_residual_in(system, v, closing->unit, work);
    if (!(r.position <= tolerance)) {
        return refuse(sim, system->g, r.position_row, r.position, 0, err);
    }
    int row = r.velocity_row;
    if (trm_play_of_time(sim, closing->c)) {
        row = 0;
        for (int i = 0; i < system->nc; i++) {
            work[i] += closing->c[i];
            row = fabs(work[i]) * closing->unit[row] > fabs(work[row]) * closing->unit[i] ? i : row;
        }
    }
    if (!trm_velocities_fit(system, v, work, closing->unit, tolerance, closing->c, closing->dx)) {
        return refuse(sim, work, row, fabs(work[row]) / closing->unit[row], 1, err);
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

/// Factors one of the two matrices at run->now, the system's current point, and notes the scales of
/// its rows, as the bodies have them: a row that only a misfit keeps from being held by the tree is
/// as short as that. Rows of joints do not vanish; others are looked at beside the start as well.
static int note_scale(trm_sim *sim, trm_metric metric)
{
    const trm_point_of_run *now = &sim->run.now;
    const int joints = sim->model->joints != NULL, which = metric == TRM_METRIC_IDENTITY;
    trm_system *const system = sim->run.system;
    trm_system *const bodies = joints ? trm_joint_system_cut(system) : system;
    int code = trm_system_factor(bodies, metric);
    trm_solver_note_scale(&system->solver, which, &bodies->solver);
    if (!sim->model->from_equations && !trm_extents_any_unknown(sim->model)) {
        return joints ? trm_system_factor(system, metric) : code;
    }
    if (!trm_go_beside(system, &sim->run.extent, now->t, now->z, &sim->closing)) {
        (void)trm_system_factor(bodies, metric);
        trm_solver_note_beside(&system->solver, which, &bodies->solver);
    }
    code = trm_system_position(system, now->t, now->z);
    return code ? code : trm_system_factor(system, metric);
}

/// The system at run->now, its rows' scales noted.
static int factor_start(trm_sim *sim)
{
    trm_run *run = &sim->run;
    trm_system *system = run->system;
    int code = trm_system_position(system, run->now.t, run->now.z);
    if (!code && !run->options.mass_metric && system->nc > 0) {
        code = note_scale(sim, TRM_METRIC_IDENTITY);
    }
    return code ? code : note_scale(sim, TRM_METRIC_MASS);
}

/// Sizes at z, the current point of the system, and what gaps there are measured in. Returns a
/// system's code.
static int measure_sizes(trm_sim *sim)
{
    trm_run *const run = &sim->run;
    const double *const z = run->now.z;
    double *const unit = sim->closing.unit;
    const double *const q = trm_sim_bodies(sim, z);
    sim->size = trm_model_size(sim->given, q);
    trm_extents_measure(&run->extent, sim->model, q);
    sim->whole = trm_extents_whole(&run->extent, sim->given, sim->size);
    const int code = trm_lengths_of_rows(run->system, sim->model, &run->extent, run->now.t, z, 0,
                                         &sim->closing, unit);
    trm_extents_set_rows(&run->extent, run->system->nc, unit);
    const int failed = code ? code
                            : trm_units_of_rows(run->system, sim->model, &run->extent, run->now.t,
                                                z, &sim->closing, unit);
    for (int i = 0; i < run->system->nc; i++) { // gaps are relative to the mechanism
        const int known = !sim->model->from_equations && !trm_extents_is_unknown(sim->model, i);
        unit[i] = known ? run->extent.g[i] : unit[i];
    }
    return failed;
}

/// Whether the rank counts a row as independent that damped solves resolve nowhere: neither here,
/// at the current point of the system, nor at closed positions nearby. The rows of such a mechanism
/// are nearly dependent: it is neither locked nor free.
static int is_undecided(trm_sim *sim, const trm_rank *rank)
{
    const trm_run *run = &sim->run;
    if (!trm_null_fits(sim->null_room, sim->null_size)) {
        return 0; // not left out, see trm_sim_create
    }
    trm_monitor_learn(&sim->monitor, &sim->run, run->now.t);
    int looked = 0;
    for (int p = 0; p < rank->model->components.n && run->options.damping > 0; p++) {
        if (rank->component[p].rank > 0 && trm_monitor_is_blind(&sim->monitor, p)) {
            for (int k = 0; k < TRM_RANK_PROBE_TRIES && !looked; k++) {
                if (trm_rank_probe_nearby(sim, k) &&
                    !trm_system_factor(run->system, TRM_METRIC_MASS)) {
                    trm_monitor_learn(&sim->monitor, &sim->run, run->now.t);
                }
            }
            looked = 1;
            if (trm_monitor_is_blind(&sim->monitor, p)) {
                return 1;
            }
        }
    }
    return 0;
}

// ------------------------------------------------------------------------------- rank and closing
//
// The rank comes first: rows that repeat others except for a misfit contradict these, and least
// squares of all of them run along the free motion to where the misfit is least. So rows that are
// dependent at the start as it is given, up to the misfit, are left out of closing it. A start
// that is far open shows its rank only when it is closed. A singular start shows more dependent
// rows than its surroundings: then it is closed anew with those of its surroundings left out.

/// Whether damping meets no small direction at the current point: then no row depends on others.
static int is_regular(trm_sim *sim)
{
    double least = 1;
    trm_monitor_forget(&sim->monitor);
    trm_monitor_expect(&sim->monitor, NULL);
    trm_monitor_learn(&sim->monitor, &sim->run, sim->run.now.t);
    for (int p = 0; p < sim->model->components.n; p++) {
        least = fmin(sim->monitor.sigma_max[p], least);
    }
    return sim->nullity == 0 && least * least > TRM_REGULAR;
}

static void leave_out_nothing(trm_sim *sim)
{
    trm_solver_reset(&sim->run.system->solver);
    sim->nullity = 0;
}

/// Whether the rows left out hold something: then the shortest of them repeat others, if any do.
static int is_structure(trm_sim *sim)
{
    const double left = trm_rank_left(&sim->rank);
    if (!(left > TRM_DEPENDENT) || !trm_rank_probe_is_structure(sim)) {
        return 0;
    }
    sim->bound = left * (1 - DBL_EPSILON);
    return 1;
}

/// Leaves out the rows that are dependent at run->now up to the misfit. *more: there are more than
/// were left out before. Returns a system's code.
static int leave_out_here(trm_sim *sim, int *more)
{
    trm_run *const run = &sim->run;
    const int before = sim->nullity;
    *more = 0;
    if (!sim->monitor.active || !(run->options.misfit > 0)) {
        return 0;
    }
    int code = factor_start(sim), again = !code && !is_regular(sim);
    if (trm_extents_gap(&run->extent, run->system->nc, run->system->g) > run->options.tolerance) {
        trm_rank_prefer(&sim->rank, 1); // masks are for rows that are dependent by the letter
    }
    while (again) {
        trm_rank_start(&sim->rank, sim->bound);
        trm_rank_look_open(&sim->rank, run->system, &run->extent);
        *more = trm_rank_nullity(&sim->rank) > before;
        code = *more ? trm_sim_leave_out(sim, &sim->rank) : 0;
        again = *more && !code && is_structure(sim);
        if (again) {
            leave_out_nothing(sim);
        }
    }
    if (!code && sim->nullity == 0) {
        trm_solver_reset(&run->system->solver);
    }
    return code;
}

/// The watch begins with the rank found. Returns a system's code.
static int watch_from(trm_sim *sim)
{
    trm_monitor_damp_start(&sim->monitor, &sim->run);
    if (sim->nullity > 0 && sim->start_rank == TRM_START_REGULAR) { // passes from any direction
        trm_monitor_forget(&sim->monitor);                          // end with a large sigma
    }
    return factor_start(sim);
}

/// Judge the rank of the mechanism, where it may be less than the number of rows. *less: of what
/// has been left out; *more: of that. Returns a system's code.
static int decide_rank(trm_sim *sim, int *less, int *more)
{
    trm_rank *rank = &sim->rank;
    const int before = sim->nullity;
    *less = *more = 0;
    sim->start_rank = TRM_START_REGULAR;
    if (!sim->monitor.active || is_regular(sim)) {
        return 0;
    }
    sim->start_rank = trm_rank_probe(sim) ? TRM_START_SINGULAR : TRM_START_REGULAR;
    *less = trm_rank_nullity(rank) < before;
    *more = trm_rank_nullity(rank) > before;
    int code = trm_sim_leave_out(sim, rank);
    trm_monitor_expect(&sim->monitor, code ? NULL : rank);
    if (code || *less) {
        return code;
    }
    code = factor_start(sim);
    if (!code) {
        sim->start_rank = is_undecided(sim, rank) ? TRM_START_UNDECIDED : sim->start_rank;
        code = watch_from(sim);
    }
    return code;
}

/// run->now, measured, closed where that is wanted. Returns a system's code.
static int close_start(trm_sim *sim)
{
    trm_run *const run = &sim->run;
    double *const z = run->now.z;
    if (!run->options.assemble) {
        return 0;
    }
    const int code = trm_close(run->system, &sim->closing, run->now.t, z, z + run->system->nq);
    return code ? code : measure_sizes(sim);
}

/// Back to the start as it was given.
static void go_back(trm_sim *sim, const double *given)
{
    memcpy(sim->run.now.z, given, (size_t)sim->run.n * sizeof(double));
}

static int is_scout_done(const trm_sim *sim)
{
    return sim->phase == TRM_SIM_SCOUTING && trm_null_is_used(sim->null_size);
}

static int is_wide(const trm_sim *sim)
{
    return trm_sim_play(sim) > sim->run.options.misfit;
}

/// Closes run->now by the rows that are independent there, and again by those that are independent
/// where it is closed then. *found: of the dependent ones, as it was. Returns a system's code.
static int close_by_rank(trm_sim *sim, int *found)
{
    int more = 1, code = trm_system_position(sim->run.system, sim->run.now.t, sim->run.now.z);
    code = code ? code : measure_sizes(sim);
    for (int k = 0; k < 2 && !code && more; k++) {
        code = leave_out_here(sim, &more);
        *found = k == 0 ? sim->nullity : *found;
        if (!code && !is_scout_done(sim) && (more || k == 0)) {
            more = sim->run.options.assemble;
            code = close_start(sim);
        }
    }
    return code;
}

/// Where that leaves more open than may be play, all rows close the start. *refusal: what is left
/// open by rows that repeat each other in the start as it is given. So it is refused where as many
/// do so in the end, and are still open: its rank was right, and all rows ran along the motion.
static int close_anyhow(trm_sim *sim, const double *given, trm_error *refusal)
{
    int found = 0, code = close_by_rank(sim, &found);
    if (code || !is_wide(sim)) {
        return code;
    }
    if (found > 0) {
        (void)trm_sim_refuse_play(sim, refusal);
    }
    go_back(sim, given);
    leave_out_nothing(sim);
    code = trm_system_position(sim->run.system, sim->run.now.t, sim->run.now.z);
    code = code ? code : measure_sizes(sim);
    code = code ? code : close_start(sim);
    const int given_nullity = found;
    code = code ? code : close_by_rank(sim, &found);
    const int ran = given_nullity > 0 && sim->nullity == given_nullity &&
                    trm_sim_play(sim) > sim->run.options.tolerance;
    if (!code && (is_wide(sim) || ran)) {
        leave_out_nothing(sim);
        code = trm_system_position(sim->run.system, sim->run.now.t, sim->run.now.z);
    }
    return code;
}

/// Whether null directions are needed where masks cost less: also where rows repeat others except
/// for a misfit that is told from a gap. It is shared out.
static int wants_directions(trm_sim *sim)
{
    if (!sim->monitor.active || !trm_rank_wants_directions(&sim->rank)) {
        return 0;
    }
    const int masks = trm_sim_may_mask(sim, &sim->rank);
    const int worst = masks ? trm_rank_probe_opening(sim) : -1;
    return !masks || (worst >= 0 && sim->closing.c[worst] > sim->run.options.tolerance);
}

/// Find the state and the rank to start from; rows up to `bound` long repeat others. A scout ends
/// as soon as it knows that null directions need room.
static trm_status find_start_within(trm_sim *sim, double bound, trm_error *err)
{
    trm_run *const run = &sim->run;
    double *const given = run->before.z;
    trm_error refusal = {.status = TRM_OK};
    memcpy(given, run->now.z, (size_t)run->n * sizeof(double));
    sim->nullity = 0;
    sim->start_rank = TRM_START_REGULAR;
    sim->bound = bound;
    sim->null_size = (trm_null_size){.components = 0};
    int code = close_anyhow(sim, given, &refusal), less = 1, more = 0;
    for (int fell = 0; !code && !is_scout_done(sim) && less; fell = less) { // it falls
        const trm_status status = check_start(sim, err);
        if (status != TRM_OK && refusal.status != TRM_OK && err) {
            *err = refusal;
        }
        TRM_TRY(status);
        code = factor_start(sim);
        code = code ? code : decide_rank(sim, &less, &more);
        if (!code && fell && more && trm_sim_play(sim) > TRM_NO_MISFIT) { // closed along the motion
            sim->start_rank = TRM_START_SINGULAR;
            return refuse(sim, run->system->play, trm_play_worst(sim), trm_sim_play(sim), 0, err);
        }
        if (!code && less) {
            go_back(sim, given);
            code = trm_system_position(run->system, run->now.t, run->now.z);
            code = code ? code : close_start(sim);
        }
    }
    if (!code && wants_directions(sim)) {
        trm_rank_prefer(&sim->rank, 1);
        go_back(sim, given);
        leave_out_nothing(sim);
        return find_start_within(sim, bound, err);
    }
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}

/// Forgets the run before this start: counters, reports, the history of steps, inputs on their way.
static void forget_run(trm_sim *sim)
{
    trm_run *run = &sim->run;
    trm_system *system = run->system;
    sim->phase = sim->phase == TRM_SIM_SCOUTING ? TRM_SIM_SCOUTING : TRM_SIM_NO_STATE;
    sim->gap_closed = sim->is_shown = 0;
    sim->t_off = INFINITY;
    sim->rank_rises = 0;
    sim->past = (trm_report){0};
    sim->uncounted = 0;
    sim->forces = (trm_force_check){.worst = -1, .t_worst = NAN, .t_none = NAN};
    trm_sim_note_inputs(sim);
    trm_solver_reset(&system->solver);
    system->solver.delta = sim->model->may_lose_rank ? run->options.damping : 0;
    system->force_evals = 0;
    system->jacobian_evals = 0;
    system->factorizations = 0;
    run->stats = (trm_stats){0};
    run->before.t = run->now.t;
    run->t_origin = run->now.t;
    run->count = 0;
    run->h_next = run->options.h;
    run->now.z[run->n - 1] = 0;
    run->inputs_changed = 0;
    run->t_limit = -INFINITY;
    run->outside = 0;
    if (run->limit) {
        run->limit->step = -1;
    }
    run->shifted = 0;
    for (int i = 0; i < sim->model->sizes.ninput; i++) {
        trm_input_settle(&system->inputs[i], system->inputs[i].now.value);
    }
}

trm_status trm_sim_find_start(trm_sim *sim, trm_error *err)
{
    trm_run *const run = &sim->run;
    forget_run(sim);
    sim->stiff_switching.probe = 0; // its counts begin anew
    TRM_TRY(refuse_nonfinite(run, err));
    trm_system_normalize(run->system, run->now.z);
    run->weak_row = -1;
    run->row_size = 1;
    run->t_singular = INFINITY;
    trm_rank_prefer(&sim->rank, 0);
    // of a start that bodies have judged rows repeat others by the letter
    return find_start_within(sim, sim->in_bodies ? TRM_DEPENDENT : run->options.misfit, err);
}

trm_status trm_sim_begin(trm_sim *sim, trm_error *err)
{
    trm_run *run = &sim->run;
    trm_system *system = run->system;
    double *z = run->now.z;
    TRM_TRY(trm_sim_find_start(sim, err));
    if (is_scout_done(sim)) {
        return TRM_OK;
    }
    trm_system_wind(system, z + system->nq);
    trm_motion_range_begin(&run->range, sim->model, z);
    trm_locator_start(&sim->locator, run);
    trm_turning_ends_forget(&sim->turning);
    trm_events_start(&sim->events);
    if (!sim->model->joints) { // as nothing has struck yet, for runs in joint coordinates
        memcpy(sim->shown[1].q, z, (size_t)(run->n - 1) * sizeof *z);
    }
    TRM_TRY(trm_sim_begin_contacts(sim, err));
    trm_motion_range_begin(&run->range, sim->model, z); // again: stops have closed their gaps
    const trm_status status = run->method_ops->start(run, err);
    if (status < 0 && sim->projected.state == TRM_PROJECTED_NO_FORCES) { // a jam: named there
        TRM_TRY(trm_sim_settle_contacts(sim, -1, TRM_HOLD_FREE, err));
    }
    TRM_TRY(status);
    const int code = factor_start(sim);
    if (code) {
        return trm_run_fail_code(run, code, err);
    }
    trm_play_start(sim);
    trm_measure_start(&sim->measure, system, z + system->nq, z[run->n - 1]);
    trm_sim_note_balance(sim);
    trm_measure_set_off(&sim->measure, system);
    trm_measure_moved(&sim->measure, 0,
                      trm_extents_speed(&run->extent, trm_system_motions(system), z + system->nq));
    trm_monitor_start(&sim->monitor, run, sim->start_rank == TRM_START_SINGULAR);
    sim->phase = TRM_SIM_READY;
    return TRM_OK;
}
