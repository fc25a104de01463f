/// The results of a run at its last accepted point.
#include "base/quad.h"
#include "base/sized.h"
#include "base/status.h"
#include "integrators/trajectory/stabilization.h"
#include "program/run_details.h"
#include "simulation/run/simulation.h"
#include "trammel/trammel_simulation.h"
#include "trammel/trammel_status.h"

#include <math.h>
#include <string.h>

/// J: sum_i |lambda_i| size_i, over the constraint rows and over limits, stops and friction that
/// hold. The balance of forces of a body at rest is a difference of terms of that size.
static double load_of(const trm_sim *sim)
{
    const trm_run *run = &sim->run;
    const trm_contact *contact = run->contact;
    const trm_found *found = &run->system->found;
    double load = 0;
    if (found->known) { // without contacts
        return found->load;
    }
    for (int k = contact ? contact->near[0] : 0; contact && k < contact->n;
         k = contact->near[k + 1]) {
        const int length = contact->model->contacts[k].unit[0] == 'm';
        load += contact->hold[k] ? fabs(contact->force[k]) * (length ? sim->whole : 1) : 0;
    }
    for (int i = 0; i < run->system->nc; i++) {
        load += fabs(run->now.lambda[i]) * run->extent.g[i];
    }
    return load;
}

/// max |g_i|/extent_i
static double trm_sim_gap(const trm_run *run)
{
    const trm_system *system = run->system;
    return system->found.known ? system->found.gap
                               : trm_extents_gap(&run->extent, system->nc, system->g);
}

/// In joint coordinates a motor of constant speed errs by nothing, however fast its forces turn.
static int has_driven_part(const trm_sim *sim)
{
    const trm_connected_components *const part = &sim->given->components;
    int driven = 0;
    for (int p = 0; sim->given != sim->model && p < part->n; p++) {
        const int rows = part->first_row[p + 1] - part->first_row[p];
        driven |= rows >= part->first_column[p + 1] - part->first_column[p];
    }
    return driven;
}

void trm_sim_note_balance(trm_sim *sim)
{
    trm_run *const run = &sim->run;
    const int nq = run->system->nq;
    (void)trm_system_least(run->system, run->now.lambda, run->work_c);
    const trm_energy energy = sim->measure.energy;
    const double gap = trm_sim_gap(run);
    const double slip = trm_measure_slip(&sim->measure, run->system, run->now.z + nq);
    sim->measure.gap_max = trm_larger(trm_larger(gap, slip), sim->measure.gap_max);
    const double h = run->now.t - run->before.t;
    trm_measure_load(&sim->measure, load_of(sim), h);
    trm_measure_go(&sim->measure, run->before.z + nq, run->now.z + nq, h);
    trm_measure_rates(&sim->measure, run->system, &run->extent, run->now.z + nq);
    int held = trm_sim_rank(sim);
    for (int k = run->contact ? run->contact->near[0] : 0; run->contact && k < run->contact->n;
         k = run->contact->near[k + 1]) {
        held += trm_contact_is_on(run->contact, k);
    }
    const int driven =
        held >= sim->given->sizes.nv || (sim->drives_of_time && has_driven_part(sim));
    sim->run.work_scale = driven ? trm_measure_scale(&sim->measure) : 0;
    sim->monitor.gap = gap;
    sim->monitor.balance = energy.kinetic + energy.potential - energy.work;
}

trm_state trm_sim_state_of(const trm_run *run, const trm_point_of_run *point)
{
    return (trm_state){.t = point->t,
                       .q = point->z,
                       .v = point->z + run->system->nq,
                       .a = point->dz + run->system->nq,
                       .lambda = point->lambda};
}

int trm_sim_press(const trm_sim *sim, const trm_state *state)
{
    trm_sim *const own = (trm_sim *)sim; // its workspace, entered
    trm_run *const run = &own->run;
    const trm_point_of_run *const at = &own->pressed;
    if (run->method_ops->steps_contacts) {
        return 0; // means of the last step
    }
    memmove(at->z, state->q, (size_t)run->system->nq * sizeof(double));
    memmove(at->z + run->system->nq, state->v, (size_t)run->system->nv * sizeof(double));
    at->z[run->n - 1] = 0;
    trm_sim_remember(own);
    int code = trm_index1(run, state->t, at->z, 0, 0, at->dz, at->lambda);
    code = code ? code
                : trm_contact_rates(run->contact, run->system, state->t, at->z, at->dz, at->lambda);
    trm_sim_recall(own);
    return code;
}

// What the outside sees of a run in joint coordinates are states of bodies.

/// The point into `to`. Returns its size.
static size_t pack(const trm_sim *sim, const trm_point_of_run *point, double *to)
{
    const size_t n = (size_t)sim->run.n, nc = (size_t)sim->model->sizes.nc;
    to[0] = point->t;
    memcpy(to + 1, point->z, n * sizeof *to);
    memcpy(to + 1 + n, point->dz, n * sizeof *to);
    memcpy(to + 1 + 2 * n, point->lambda, nc * sizeof *to);
    return (1 + 2 * n + nc) * sizeof *to;
}

void trm_sim_take_least(const trm_sim *sim, double *lambda)
{
    trm_system *const own = sim->run.system;
    const trm_joint_tree *const tree = sim->model->joints;
    if (lambda && tree && (trm_null_is_used(own->solver.null.used) || tree->nidle > 0)) {
        (void)trm_system_make_least(trm_joint_system_absolute(own), lambda, sim->sensed_c);
    }
}

trm_state trm_sim_show(const trm_sim *sim, const trm_point_of_run *point, int place)
{
    const trm_state own = trm_sim_state_of(&sim->run, point);
    const trm_absolute_state *const to = &sim->shown[place];
    if (!sim->model->joints) {
        return own;
    }
    const trm_state shown = {own.t, to->q, to->v, to->a, to->lambda};
    // sensors are read one by one; forces of contacts follow from more than the point
    const size_t bytes = pack(sim, point, sim->showing);
    trm_sim *const work = (trm_sim *)sim; // its workspace
    const int may_stay = place == 0 && !sim->run.contact;
    if (may_stay && sim->is_shown && memcmp(sim->showing, sim->shown_of, bytes) == 0) {
        (void)trm_assembler_kinematics(sim->run.system, own.t, own.q, own.v, own.v); // its turns
        return shown;
    }
    trm_system *const system = sim->run.system;
    double *load = NULL;
    if (sim->run.contact && !trm_sim_press(sim, &own)) {
        const trm_kinematics look = trm_assembler_kinematics(system, own.t, own.q, own.v, own.v);
        load = sim->sensed_v;
        trm_contact_apply_forces(sim->run.contact, &look, -1, load);
    }
    trm_sim_remember(work);
    (void)trm_joint_system_show(system, own.t, own.q, own.v, own.a, own.lambda, load, to);
    trm_sim_take_least(sim, to->lambda);
    trm_sim_recall(work);
    if (may_stay) {
        memcpy(sim->shown_of, sim->showing, bytes);
        work->is_shown = 1;
    }
    return shown;
}

const double *trm_sim_bodies(trm_sim *sim, const double *z)
{
    if (!sim->model->joints) {
        return z;
    }
    const trm_absolute_state *const to = &sim->shown[1];
    trm_joint_system_bodies(sim->run.system, z, z + sim->run.system->nq, to->q, to->v);
    return to->q;
}

/// Of the rows of the model that are none of the run's, which coordinates of joints keep closed,
/// the one that is largest in x, over the size where it is a length; -1: none is above `may`.
static int find_open(const trm_sim *sim, const double *x, double may)
{
    const int *const cut = sim->model->joints->row_of;
    int open = -1;
    for (int i = 0, k = 0; i < sim->given->sizes.nc; i++) {
        const int own = k < sim->model->sizes.nc && cut[k] == i;
        const int turns = sim->given->row_info[i].unit[0] == 'r';
        const double gap = fabs(x[i]) / (turns || sim->size == 0 ? 1 : sim->size);
        k += own;
        if (!own && !(gap <= may)) {
            open = i;
            may = gap;
        }
    }
    return open;
}

/// The largest speed of a body, over the size, or rate of one.
static double fastest_of(const trm_sim *sim, const double *v)
{
    const int linear = sim->given->bodies.dimension;
    double fastest = 0;
    for (int b = 0; b < sim->given->sizes.nbody; b++) {
        const trm_body_info *const body = &sim->given->body_info[b];
        for (int i = 0; i < body->nv; i++) {
            const double unit = i < linear && sim->size > 0 ? sim->size : 1;
            fastest = fmax(fabs(v[body->v0 + i]) / unit, fastest);
        }
    }
    return fastest;
}

static trm_status name_open(const trm_sim *sim, int row, double gap, const char *what,
                            const char *per, trm_error *err)
{
    const trm_row_info *const info = &sim->given->row_info[row];
    const trm_status status =
        TRM_FAIL(err, TRM_ERR_INCONSISTENT, info->where,
                 "%s joint '%s' by %.3g %s%s; --assemble closes it where it can", what, info->name,
                 gap, info->unit, per);
    return trm_at_time(err, sim->run.now.t, status);
}

/// What is open in joints of the tree would be lost.
static trm_status refuse_open(const trm_sim *sim, const double *q, const double *v, trm_error *err)
{
    trm_system *const all = trm_joint_system_absolute(sim->run.system);
    const double may = sim->run.options.tolerance;
    const int code = trm_system_position(all, sim->run.now.t, q);
    if (code) {
        return trm_run_fail_code(&sim->run, code, err);
    }
    int row = find_open(sim, all->g, may);
    if (row >= 0) {
        return name_open(sim, row, fabs(all->g[row]), "this state opens", "", err);
    }
    trm_system_velocity_residual(all, v, sim->sensed_c);
    row = find_open(sim, sim->sensed_c, may * fastest_of(sim, v));
    return row < 0
               ? TRM_OK
               : name_open(sim, row, fabs(sim->sensed_c[row]), "these velocities open", "/s", err);
}

/// q and v closed in absolute coordinates. Returns a system's code.
static int close_bodies(const trm_sim *sim, double *q, double *v)
{
    trm_system *const all = trm_joint_system_absolute(sim->run.system);
    const trm_absolute_state *const room = &sim->shown[0];
    const trm_closing closing = {.q = room->q, .dx = room->a, .c = sim->sensed_c};
    int code = trm_system_position(all, sim->run.now.t, q);
    code = code ? code : trm_system_factor(all, TRM_METRIC_MASS);
    trm_solver_note_scale(&all->solver, 0, &all->solver);
    return code ? code : trm_close(all, &closing, sim->run.now.t, q, v);
}

trm_status trm_sim_take_state(trm_sim *sim, const double *q, const double *v, trm_error *err)
{
    double *const z = sim->run.now.z;
    const trm_sizes n = sim->given->sizes;
    if (!sim->model->joints) {
        memcpy(z, q, (size_t)n.nq * sizeof *z);
        memcpy(z + n.nq, v, (size_t)n.nv * sizeof *z);
        return TRM_OK;
    }
    const trm_absolute_state *const from = &sim->shown[1];
    memmove(from->q, q, (size_t)n.nq * sizeof *q);
    memmove(from->v, v, (size_t)n.nv * sizeof *v);
    if (!trm_all_finite(n.nq + n.nv, from->q)) {
        return TRM_FAIL(err, TRM_ERR_INCONSISTENT, NULL,
                        "the start has an entry that is not finite");
    }
    sim->is_shown = 0;
    const int code = sim->run.options.assemble ? close_bodies(sim, from->q, from->v) : 0;
    if (code) {
        return trm_run_fail_code(&sim->run, code, err);
    }
    TRM_TRY(refuse_open(sim, from->q, from->v, err));
    trm_joint_system_find(sim->run.system, sim->run.now.t, from->q, from->v, sim->model->q0, z,
                          z + sim->run.system->nq);
    return TRM_OK;
}

int trm_sim_given_row(const trm_sim *sim, int i)
{
    return sim && sim->model->joints && i >= 0 ? sim->model->joints->row_of[i] : i;
}

trm_state trm_sim_state(const trm_sim *sim)
{
    if (!sim) {
        return (trm_state){.t = NAN};
    }
    if (!sim->model->joints) {
        return trm_sim_state_of(&sim->run, &sim->run.now);
    }
    const trm_absolute_state *const last = &sim->shown[0];
    trm_state state = {sim->run.now.t, last->q, last->v, last->a, last->lambda};
    if (!trm_sim_enter(sim, NULL)) { // else a function of the user asks
        state = trm_sim_show(sim, &sim->run.now, 0);
        (void)trm_sim_leave(sim, TRM_OK);
    }
    return state;
}

trm_drift trm_sim_drift(const trm_sim *sim)
{
    trm_drift drift = sim ? sim->measure.drift : (trm_drift){NAN, NAN, -1};
    drift.row = trm_sim_given_row(sim, drift.row);
    return drift;
}

trm_energy trm_sim_energy(const trm_sim *sim)
{
    return sim ? sim->measure.energy : (trm_energy){NAN, NAN, NAN};
}

static trm_stats stats_of(const trm_sim *sim)
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

void trm_sim_get_stats(const trm_sim *sim, trm_stats *out, size_t size)
{
    const trm_stats known = stats_of(sim);
    trm_hand_out(out, size, &known, sizeof known);
}

static trm_report report_of(const trm_sim *sim)
{
    if (!sim) {
        return (trm_report){.worst_row = -1, .between_row = -1, .velocity_row = -1};
    }
    const trm_measure *measure = &sim->measure;
    const trm_singularity_monitor *monitor = &sim->monitor;
    const trm_crossing_record *record = &monitor->record;
    const trm_report *past = &sim->past;
    const double rcond = monitor->sigma_min * monitor->sigma_min;
    const int lost_before = past->crossing_energy_lost > record->energy_lost;
    const int weak_before = past->rcond_min > 0 && past->rcond_min < rcond;
    const long crossings = past->crossings + trm_crossing_record_reached(record);
    const double lost = lost_before ? past->crossing_energy_lost : record->energy_lost;
    const double energy_scale = trm_measure_judged(measure, sim->run.extent.v);
    return (trm_report){
        .position_drift = measure->position_max,
        .position_drift_relative = measure->gap_max,
        .velocity_drift = measure->velocity_max,
        .velocity_drift_relative = trm_measure_relative_rate(measure, &sim->run.extent),
        .velocity_row = trm_sim_given_row(sim, measure->rate_row),
        .worst_row = trm_sim_given_row(sim, measure->worst_row),
        .energy_initial = measure->energy_initial,
        .energy_error = measure->energy_error,
        .energy_error_relative = trm_measure_relative_error(measure, energy_scale),
        .energy_scale = energy_scale,
        .branch_changes = past->branch_changes + record->branch_changes,
        .first_branch_change =
            past->branch_changes > 0 ? past->first_branch_change : record->first_branch_change,
        .crossings = crossings,
        .resolved = past->resolved + record->resolved,
        .undecided = past->undecided + record->undecided,
        .first_undecided = past->undecided > 0 ? past->first_undecided : record->first_undecided,
        .crossing_energy_lost = lost,
        .t_crossing_energy_lost =
            lost_before ? past->t_crossing_energy_lost : record->t_energy_lost,
        .rcond_min = weak_before ? past->rcond_min : rcond,
        .t_rcond_min = weak_before ? past->t_rcond_min : monitor->t_sigma_min,
        .bifurcations = past->bifurcations + record->bifurcations,
        .first_bifurcation =
            past->bifurcations > 0 ? past->first_bifurcation : record->first_bifurcation,
        .between_relative = measure->between,
        .between = measure->between_gap,
        .between_row = trm_sim_given_row(sim, measure->between_row),
        .t_between = measure->t_between,
        .misfit = fmax(sim->misfit, past->misfit),
        .inputs = trm_sim_input_coverage(sim).inputs,
        .accuracy = sim->asked,
        .uncounted = past->uncounted > 0 ? past->uncounted : sim->uncounted,
        .t_uncounted = past->uncounted > 0 ? past->t_uncounted : sim->t_uncounted,
    };
}

void trm_sim_get_report(const trm_sim *sim, trm_report *out, size_t size)
{
    const trm_report known = report_of(sim);
    trm_hand_out(out, size, &known, sizeof known);
}

int trm_sim_rank(const trm_sim *sim)
{
    const int idle = sim && sim->model->joints ? sim->model->joints->nidle : 0;
    return sim ? sim->given->sizes.nc - idle - sim->nullity : 0; // rows of a tree are independent
}

int trm_sim_crossing(const trm_sim *sim, long i, trm_crossing *out)
{
    if (!sim || !out) {
        return 0;
    }
    const trm_crossing_record *record = &sim->monitor.record;
    i -= sim->past.crossings;
    if (i < 0 || i >= trm_crossing_record_reached(record) ||
        i < record->count - TRM_CROSSINGS_KEPT) {
        return 0;
    }
    *out = record->kept[i % TRM_CROSSINGS_KEPT];
    return 1;
}
