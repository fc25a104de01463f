/// What is looked at within the last step.
#include "engine/simulation.h"
#include "engine/status.h"
#include "integrators/stabilization.h"

void trm_sim_remember(trm_sim *sim)
{
    const trm_system *system = sim->run.system;
    trm_solver_remember(&system->solver, &sim->remembered);
    sim->counted[0] = system->force_evals;
    sim->counted[1] = system->jacobian_evals;
    sim->counted[2] = system->factorizations;
}

void trm_sim_recall(trm_sim *sim)
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
    trm_sim_remember(sim);
    int code = run->method_ops->dense(run, t, sample->z);
    code = code ? code : trm_index1(run, t, sample->z, 0, 0, sample->dz, sample->lambda);
    code = code ? code : trm_run_limit(run, t, sample->z, sample->dz, sample->lambda);
    sample->t = t;
    trm_sim_recall(sim);
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
    TRM_TRY(trm_sim_check_ready(sim, err));
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
    const trm_state state = trm_sim_state_of(run, &sim->sample);
    *out = (trm_sample){.state = state,
                        .drift = trm_drift_of(system, state.v, sim->measure.work),
                        .energy = trm_energy_of(system, state.v, sim->sample.z[run->n - 1]),
                        .rcond = trm_monitor_rho(&sim->monitor, system)};
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
    TRM_TRY(trm_sim_check_ready(sim, err));
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
    TRM_TRY(trm_sim_enter(sim, err));
    return trm_sim_leave(sim, sigma ? measure_singular_value(sim, t, sigma, err)
                                    : TRM_FAIL(err, TRM_ERR_OPTIONS, "sigma",
                                               "expected a place for the number, got NULL"));
}
