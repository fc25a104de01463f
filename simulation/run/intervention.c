/// Changes by the user between two steps: of inputs, and of the state by a shift.
#include "base/status.h"
#include "integrators/trajectory/stabilization.h"
#include "simulation/run/simulation.h"
#include "trammel/trammel_simulation.h"

#include <math.h>
#include <string.h>

double trm_sim_input(const trm_sim *sim, int input)
{
    const int known = sim && input >= 0 && input < sim->model->sizes.ninput;
    return known ? sim->run.system->inputs[input].now.value : NAN;
}

trm_status trm_check_input(const trm_model *model, const char *where, int input, double value,
                           trm_error *err)
{
    const int n = model->sizes.ninput;
    if (input < 0 || input >= n) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, where,
                        "expected the index of one of the %d inputs of the scene, got %d", n,
                        input);
    }
    return isfinite(value) ? TRM_OK
                           : TRM_FAIL(err, TRM_ERR_OPTIONS, model->input_info[input].name,
                                      "an input must be finite, got %g", value);
}

trm_status trm_sim_set_input(trm_sim *sim, int input, double value, trm_error *err)
{
    TRM_TRY(trm_sim_check(sim, err));
    TRM_TRY(trm_check_input(sim->model, "input", input, value, err));
    trm_run *run = &sim->run;
    TRM_TRY(trm_sim_enter(sim, err));
    run->inputs_changed |= trm_input_set(&run->system->inputs[input], run->now.t, value);
    return trm_sim_leave(sim, TRM_OK);
}

/// Inputs were set, so the right-hand side at now.t has changed. Methods with a history begin a new
/// history; the others keep their step size.
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
    const int code = trm_run_rates(run, now->t, now->z, now->dz, now->lambda);
    run->shifted = 1;
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}

/// The changes of a point by new inputs.
static void copy_rates(const trm_run *run, const trm_point_of_run *from, trm_point_of_run *to)
{
    memcpy(to->dz, from->dz, (size_t)run->n * sizeof(double));
    memcpy(to->lambda, from->lambda, (size_t)run->system->nc * sizeof(double));
}

trm_status trm_sim_take_up_inputs(trm_sim *sim, trm_error *err)
{
    trm_run *run = &sim->run;
    copy_rates(run, &run->now, &run->before);
    const trm_status status = renew_rates(run, err);
    if (status != TRM_OK) {
        copy_rates(run, &run->before, &run->now);
        run->before.t = run->now.t; // the point before is overwritten
        return status;
    }
    run->inputs_changed = sim->is_shown = 0;
    run->rates_changed = 1;
    return TRM_OK;
}

static void copy_point(const trm_run *run, const trm_point_of_run *from, trm_point_of_run *to)
{
    memcpy(to->z, from->z, (size_t)run->n * sizeof(double));
    memcpy(to->dz, from->dz, (size_t)run->n * sizeof(double));
    memcpy(to->lambda, from->lambda, (size_t)run->system->nc * sizeof(double));
}

/// The checks continue from the shifted point: the shift does not count as an error of the run.
int trm_sim_measure_shifted(trm_sim *sim)
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
    trm_system_wind(system, v); // turns go on by the new velocities
    sim->measure.drift = trm_drift_of(system, v, sim->measure.of.work);
    sim->measure.energy = trm_energy_of(system, v, run->now.z[run->n - 1]);
    trm_sim_note_balance(sim);
    trm_monitor_shifted(&sim->monitor, run);
    return 0;
}

/// x += dx. Returns nonzero where it stays finite.
static int move(int n, double *x, const double *dx)
{
    int finite = 1;
    for (int i = 0; dx && i < n; i++) {
        x[i] += dx[i];
        finite &= isfinite(x[i]) != 0;
    }
    return finite;
}

/// run->now.z, the point before the shift kept. In joint coordinates the shift is one of bodies.
static trm_status move_state(trm_sim *sim, const double *dq, const double *dv, trm_error *err)
{
    const trm_sizes n = sim->given->sizes;
    const int joints = sim->model->joints != NULL;
    double *const q = joints ? sim->shown[1].q : sim->run.now.z, *const v = q + n.nq;
    (void)trm_sim_bodies(sim, sim->run.now.z);
    const int places = move(n.nq, q, dq);
    if (!move(n.nv, v, dv) || !places) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, places ? "dv" : "dq",
                        "expected a shift to finite numbers, got one beyond them");
    }
    TRM_TRY(joints ? trm_sim_take_state(sim, q, v, err) : TRM_OK);
    trm_system_normalize(sim->run.system, sim->run.now.z);
    return TRM_OK;
}

static trm_status shift(trm_sim *sim, const double *dq, const double *dv, trm_error *err)
{
    trm_run *run = &sim->run;
    double *z = run->now.z;
    copy_point(run, &run->now, &run->before);
    run->before.t = run->now.t; // the point before does not belong to this motion
    const trm_status moved = move_state(sim, dq, dv, err);
    if (moved != TRM_OK) {
        copy_point(run, &run->before, &run->now);
        return moved;
    }
    int code = 0;
    if (run->stabilization) { // methods with a step of their own see to it when it begins
        code = trm_run_rates(run, run->now.t, z, run->now.dz, run->now.lambda);
    }
    code = code ? code : trm_sim_measure_shifted(sim);
    if (code) {
        copy_point(run, &run->before, &run->now);
        return trm_run_fail_code(run, code, err);
    }
    run->shifted = 1;
    sim->locator.modes_now = TRM_MODES_START;
    return TRM_OK;
}

trm_status trm_sim_perturb(trm_sim *sim, const double *dq, const double *dv, trm_error *err)
{
    TRM_TRY(trm_sim_check(sim, err));
    TRM_TRY(trm_sim_check_ready(sim, err));
    const trm_sizes n = sim->given->sizes;
    const int finite = (!dq || trm_all_finite(n.nq, dq)) && (!dv || trm_all_finite(n.nv, dv));
    if (!finite) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, dq && !trm_all_finite(n.nq, dq) ? "dq" : "dv",
                        "expected finite numbers, got one that is not");
    }
    TRM_TRY(trm_sim_enter_to_move(sim, err));
    return trm_sim_leave(sim, shift(sim, dq, dv, err));
}
