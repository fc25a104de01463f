/// The start of a run: refused where it is inconsistent, closed where that is wished.
#include "engine/simulation.h"
#include "engine/status.h"
#include "engine/tear.h"

#include <math.h>
#include <string.h>

/// In velocity or else in position; the texts are those of `trammel check`.
static trm_status refuse(const trm_sim *sim, const double *residual, int row, int velocity,
                         trm_error *err)
{
    const trm_row_info *info = &sim->model->row_info[row];
    const double gap = trm_tear_gap(sim->model, residual, row);
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

/// Close sim->sample.z. Returns nonzero if it is closed, and the current point of the system.
static int close_sample(trm_sim *sim)
{
    trm_system *system = sim->run.system;
    const double t = sim->run.now.t;
    double *z = sim->sample.z;
    trm_system_normalize(system, z);
    int code = trm_system_position(system, t, z);
    code = code ? code : trm_close(system, &sim->closing, t, z, z + system->nq);
    code = code ? code : trm_system_position(system, t, z);
    const double gap = trm_residual_of(system, z + system->nq, sim->measure.work).position;
    return !code && gap < sim->run.options.tolerance;
}

int trm_sim_close_nearby(trm_sim *sim, int number)
{
    const double little = 0.02; // of the coordinates, but no more than of the mechanism
    const trm_run *run = &sim->run;
    double *z = sim->sample.z;
    memcpy(z, run->now.z, (size_t)run->n * sizeof(double));
    for (int i = 0; i < run->system->nq; i++) {
        const double size = fmin(fabs(z[i]) + 0.1, run->extent.q[i]);
        z[i] += little * size * sin(1 + 1.7 * i + 2.3 * number);
    }
    return close_sample(sim);
}

/// The same in the direction in which it moves, by this part of its size, or radians by as much.
static int close_ahead(trm_sim *sim, double part)
{
    const trm_run *run = &sim->run;
    const double *rate = run->now.dz;
    double *z = sim->sample.z;
    double x = INFINITY;
    memcpy(z, run->now.z, (size_t)run->n * sizeof(double));
    for (int i = 0; i < run->system->nq; i++) {
        x = rate[i] == 0 ? x : fmin(x, part * run->extent.q[i] / fabs(rate[i]));
    }
    for (int i = 0; i < run->system->nq && isfinite(x); i++) {
        z[i] += x * rate[i];
    }
    return close_sample(sim);
}

/// Look at G in several directions: Newton's method may come back to the crossing of two motions.
static void look_nearby(trm_sim *sim)
{
    enum { TRIES = 6, AHEAD = 3 };
    const double far = 0.1;
    trm_system *system = sim->run.system;
    const int rank = trm_monitor_rank(&sim->monitor, system);
    for (int k = -AHEAD; k < TRIES; k++) {
        const int closed = k < 0 ? close_ahead(sim, pow(far, -k)) : trm_sim_close_nearby(sim, k);
        if (closed && !trm_system_factor(system, TRM_METRIC_MASS)) {
            trm_monitor_learn(&sim->monitor, system);
        }
    }
    if (trm_monitor_rank(&sim->monitor, system) > rank) {
        trm_monitor_judge_start(&sim->monitor, &sim->run);
    }
}

/// The position nearby may have shown that the start is singular: then its accelerations are a limit.
static int leave_singular_start(trm_sim *sim)
{
    trm_run *run = &sim->run;
    trm_point_of_run *now = &run->now;
    return run->stabilization && sim->monitor.crossings > 0
               ? trm_run_rates(run, now->t, now->z, now->dz, now->lambda)
               : 0;
}

trm_status trm_sim_begin(trm_sim *sim, trm_error *err)
{
    trm_run *run = &sim->run;
    trm_system *system = run->system;
    double *z = run->now.z;
    sim->ready = 0;
    sim->gap_closed = 0;
    trm_solver_reset(&system->solver);
    system->force_evals = 0;
    system->jacobian_evals = 0;
    system->factorizations = 0;
    run->stats = (trm_stats){0};
    run->before.t = run->now.t;
    run->t_origin = run->now.t;
    run->count = 0;
    run->h_next = run->options.h;
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
    sim->size = trm_model_size(sim->model, z);
    trm_extents_measure(&run->extent, sim->model, z);
    trm_monitor_forget(&sim->monitor, run);
    TRM_TRY(run->method_ops->start(run, err));
    code = trm_system_position(system, run->now.t, z);
    code = code ? code : trm_system_factor(system, TRM_METRIC_MASS);
    if (code) {
        return trm_run_fail_code(run, code, err);
    }
    trm_measure_start(&sim->measure, system, z + system->nq);
    trm_sim_note_balance(sim);
    trm_monitor_start(&sim->monitor, run);
    if (trm_monitor_doubts_start(&sim->monitor, run)) {
        look_nearby(sim);
        code = trm_sim_choose_idle(sim);
        code = code ? code : leave_singular_start(sim);
    }
    sim->ready = !code;
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}

trm_status trm_sim_set_state(trm_sim *sim, double t, const double *q, const double *v,
                             trm_error *err)
{
    TRM_TRY(trm_sim_enter_to_move(sim, err));
    if (!q || !v) {
        return trm_sim_leave(sim, TRM_FAIL(err, TRM_ERR_OPTIONS, q ? "v" : "q",
                                           "expected coordinates and velocities, got NULL"));
    }
    const trm_sizes n = sim->model->sizes;
    memcpy(sim->run.now.z, q, (size_t)n.nq * sizeof(double));
    memcpy(sim->run.now.z + n.nq, v, (size_t)n.nv * sizeof(double));
    sim->run.now.t = t;
    return trm_sim_leave(sim, trm_sim_begin(sim, err));
}
