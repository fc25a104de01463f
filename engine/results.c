/// What a run has come to at its last accepted point.
#include "engine/check_rank.h"
#include "engine/simulation.h"

#include <math.h>

trm_state trm_sim_state_of(const trm_run *run, const trm_point_of_run *point)
{
    return (trm_state){.t = point->t,
                       .q = point->z,
                       .v = point->z + run->system->nq,
                       .a = point->dz + run->system->nq,
                       .lambda = point->lambda};
}

trm_state trm_sim_state(const trm_sim *sim)
{
    return sim ? trm_sim_state_of(&sim->run, &sim->run.now) : (trm_state){.t = NAN};
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
        .position_drift_relative = measure->gap_max,
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
    if (!sim) {
        return 0;
    }
    const trm_run *run = &sim->run;
    const int met = trm_monitor_rank(&sim->monitor, run->system);
    const int here = met < run->system->nc
                         ? trm_rank_at(sim->model, run->system->inputs, run->now.t, run->now.z)
                         : met;
    return here > met ? here : met;
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
