/// Steps of a run, each measured, and taken back where it has torn the mechanism or wakes idle rows.
#include "engine/simulation.h"
#include "engine/status.h"
#include "engine/subnormals.h"
#include "engine/tear.h"

#include <math.h>

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
    const double gap = trm_tear_gap(sim->model, run->system->g, row);
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

static trm_status refuse_contradiction(trm_sim *sim, const mesh *left, trm_error *err)
{
    const trm_status status = trm_sim_refuse_contradiction(sim, err);
    take_back(&sim->run, left);
    return status;
}

/// A step has failed with this status: the reason for it, if it is a contradiction.
static trm_status explain(trm_sim *sim, trm_status status, trm_error *err)
{
    const int numerical = status == TRM_ERR_DIVERGED || status == TRM_ERR_SINGULAR;
    return numerical && trm_sim_has_parted(sim) ? trm_sim_refuse_contradiction(sim, err) : status;
}

/// One step of the method; it is taken back, and done once more, as long as it wakes rows.
static trm_status step_awake(trm_sim *sim, double t_limit, trm_error *err)
{
    trm_run *run = &sim->run;
    for (;;) {
        const mesh left = {run->t_origin, run->count, run->stats};
        const double h_next = run->h_next;
        TRM_TRY(run->method_ops->step(run, t_limit, err));
        if (trm_sim_wake(sim) == 0) {
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
    TRM_TRY(trm_sim_check_ready(sim, err));
    if (run->inputs_changed) {
        TRM_TRY(trm_sim_take_up_inputs(sim, err));
    }
    const mesh left = {run->t_origin, run->count, run->stats};
    const trm_status status = step_awake(sim, t_limit, err);
    if (status != TRM_OK) {
        run->before.t = run->now.t; // the failed step has overwritten the point before
        return explain(sim, status, err);
    }
    const double *z = run->now.z;
    const double *v = z + run->system->nq;
    const trm_drift drift = trm_drift_of(run->system, v, sim->measure.work);
    const double surely_whole = fmin(sim->size > 0 ? sim->size / 2 : 1, 1);
    if (!(drift.position <= surely_whole)) {
        const int row = trm_tear_row(sim->model, run->system->g, sim->size);
        if (row >= 0) {
            return explain(sim, refuse_torn(sim, row, &left, err), err);
        }
    }
    if (trm_sim_contradicts(sim)) {
        return refuse_contradiction(sim, &left, err);
    }
    trm_measure_update(&sim->measure, run->system, v, &drift, z[run->n - 1]);
    trm_sim_note_balance(sim);
    trm_monitor_update(&sim->monitor, run);
    if (run->now.t >= t_limit) {
        look_behind(sim);
    }
    return TRM_OK;
}

static trm_status step(trm_sim *sim, double t_limit, trm_error *err)
{
    TRM_TRY(trm_sim_enter_to_move(sim, err));
    const unsigned mode = trm_subnormals_flush();
    const trm_status status = step_and_measure(sim, t_limit, err);
    trm_subnormals_restore(mode);
    return trm_sim_leave(sim, status);
}

trm_status trm_sim_step(trm_sim *sim, trm_error *err)
{
    return step(sim, INFINITY, err);
}

trm_status trm_sim_run(trm_sim *sim, double t_end, trm_observer_fn *observe, void *user,
                       trm_error *err)
{
    TRM_TRY(trm_sim_check(sim, err));
    TRM_TRY(trm_sim_check_ready(sim, err));
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
