/// Samples within the last step.
#include "base/status.h"
#include "integrators/trajectory/stabilization.h"
#include "simulation/run/simulation.h"
#include "trammel/trammel_simulate.h"

#include <math.h>
#include <string.h>

/// z at t within the last step, its derivative and multipliers. At its end z is after the events of
/// that time, which may have set states and what forces read.
static trm_status interpolate(trm_sim *sim, double t, trm_error *err)
{
    trm_run *run = &sim->run;
    trm_point_of_run *sample = &sim->sample;
    trm_sim_remember(sim);
    memcpy(sample->z, run->now.z, (size_t)run->n * sizeof *sample->z);
    int code = t == run->now.t ? 0 : trm_sim_state_within(sim, t);
    code = code ? code : trm_index1(run, t, sample->z, 0, 0, sample->dz, sample->lambda);
    const int means = run->method_ops->steps_contacts; // of the step, forces of contacts too
    if (!code && run->contact && !means) {
        code =
            trm_contact_rates(run->contact, run->system, t, sample->z, sample->dz, sample->lambda);
    }
    if (!code && means) {
        const size_t nv = (size_t)run->system->nv, nc = (size_t)run->system->nc;
        memcpy(sample->dz + run->system->nq, run->now.dz + run->system->nq, nv * sizeof(double));
        memcpy(sample->lambda, run->now.lambda, nc * sizeof(double));
    }
    code = code ? code : trm_system_least(run->system, sample->lambda, run->work_c);
    sample->t = t;
    trm_sim_recall(sim);
    if (code && run->contact && run->contact->problem.determinant == 0) { // of rounding, or a jam
        return trm_sim_refuse_jam(sim, err);
    }
    return code ? trm_run_fail_code(run, code, err) : TRM_OK;
}

/// The counters of events up to t, within the last step.
static void count(const trm_sim *sim, double t, trm_sample *out)
{
    const trm_crossing_record *record = &sim->monitor.record;
    const long reached = trm_crossing_record_reached(record);
    const int later =
        reached > 0 && reached == record->count && trm_crossing_record_last(record)->t > t;
    out->crossings = reached - later;
    out->bifurcations = record->bifurcations;
    out->branch_changes = record->branch_changes;
}

static trm_status check_within_step(const trm_run *run, double t, trm_error *err)
{
    return t >= run->before.t && t <= run->now.t
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_OPTIONS, "t",
                          "expected a time within the last step, %.9g to %.9g, got %.9g",
                          run->before.t, run->now.t, t);
}

/// rcond at the current point, factored.
static double rcond_of(trm_sim *sim, double t)
{
    const double sigma = sim->monitor.active ? trm_monitor_sigma(&sim->monitor, &sim->run, t) : 1;
    return sigma * sigma;
}

static trm_status sample(trm_sim *sim, double t, trm_sample *out, trm_error *err)
{
    trm_run *run = &sim->run;
    trm_system *system = run->system;
    TRM_TRY(trm_sim_check_ready(sim, err));
    if (t == run->now.t && !run->inputs_changed) {
        *out = (trm_sample){.state = trm_sim_show(sim, &run->now, 0),
                            .drift = trm_sim_drift(sim),
                            .energy = sim->measure.energy,
                            .rcond =
                                sim->monitor.active ? sim->monitor.sigma * sim->monitor.sigma : 1};
        count(sim, t, out);
        return TRM_OK;
    }
    TRM_TRY(check_within_step(run, t, err));
    TRM_TRY(interpolate(sim, t, err));
    const trm_state state = trm_sim_state_of(run, &sim->sample);
    trm_measure here = sim->measure;
    here.energy = trm_energy_of(system, state.v, sim->sample.z[run->n - 1]);
    trm_sim_remember(sim);
    const int moved = trm_sim_weigh_work(sim, t, &here);
    trm_sim_recall(sim);
    TRM_TRY(moved ? interpolate(sim, t, err) : TRM_OK);
    *out = (trm_sample){.state = state,
                        .drift = trm_drift_of(system, state.v, sim->measure.of.work),
                        .energy = here.energy,
                        .rcond = rcond_of(sim, t)};
    out->drift.row = trm_sim_given_row(sim, out->drift.row);
    out->state = trm_sim_show(sim, &sim->sample, 1);
    count(sim, t, out);
    return TRM_OK;
}

trm_status trm_sim_sample(trm_sim *sim, double t, trm_sample *out, trm_error *err)
{
    TRM_TRY(trm_sim_enter(sim, err));
    return trm_sim_leave(sim, out ? sample(sim, t, out, err)
                                  : TRM_FAIL(err, TRM_ERR_OPTIONS, "out",
                                             "expected a place for the sample, got NULL"));
}

/// Modes, inputs, contacts, or a force of the user, change at the end of the last step.
static int jumps_now(const trm_sim *sim)
{
    const trm_locator *const locator = &sim->locator;
    return locator->modes_changed || sim->run.inputs_changed || sim->ended_by_contact ||
           locator->following.t_user == sim->run.now.t;
}

int trm_sim_next_line(const trm_sim *sim, double every, double end, double *t)
{
    if (!sim || !t) {
        return 0;
    }
    const double before = sim->run.before.t, now = sim->run.now.t;
    double next = *t < before ? before : now;
    if (every > 0) {
        const double n = floor(*t / every); // of the last multiple, or one less by rounding
        next = (n + 1) * every > *t ? (n + 1) * every : (n + 2) * every;
    }
    next = next < end - 1e-9 * every ? next : end;
    const int due = next > *t && next <= now && (next < now || now == end || !jumps_now(sim));
    *t = due ? next : *t;
    return due;
}

/// Without a factorization the point is singular.
static int singular_value(trm_sim *sim, double t, double *sigma)
{
    trm_run *run = &sim->run;
    trm_system *system = run->system;
    const double *z = run->now.z;
    int code = 0;
    if (t != run->now.t) {
        code = trm_sim_state_within(sim, t);
        z = sim->sample.z;
    }
    code = code ? code : trm_system_position(system, t, z);
    if (!code) {
        *sigma = trm_system_factor(system, TRM_METRIC_MASS)
                     ? 0
                     : trm_monitor_sigma(&sim->monitor, run, t);
    }
    return code;
}

static trm_status measure_singular_value(trm_sim *sim, double t, double *sigma, trm_error *err)
{
    trm_system *system = sim->run.system;
    TRM_TRY(trm_sim_check_ready(sim, err));
    TRM_TRY(check_within_step(&sim->run, t, err));
    *sigma = 1;
    if (!sim->monitor.active) {
        return TRM_OK;
    }
    const long counts[] = {system->jacobian_evals, system->factorizations};
    const int code = singular_value(sim, t, sigma);
    system->jacobian_evals = counts[0];
    system->factorizations = counts[1];
    return code ? trm_run_fail_code(&sim->run, code, err) : TRM_OK;
}

trm_status trm_sim_singular_value(trm_sim *sim, double t, double *sigma, trm_error *err)
{
    TRM_TRY(trm_sim_enter(sim, err));
    return trm_sim_leave(sim, sigma ? measure_singular_value(sim, t, sigma, err)
                                    : TRM_FAIL(err, TRM_ERR_OPTIONS, "sigma",
                                               "expected a place for the number, got NULL"));
}
