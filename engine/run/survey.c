#include "engine/run/survey.h"

#include <math.h>
#include <string.h>

/// Close sim->sample.z at t. Returns nonzero if it is closed, and the current point of the system.
static int close_sample(trm_sim *sim, double t)
{
    trm_system *system = sim->run.system;
    double *z = sim->sample.z;
    trm_system_normalize(system, z);
    int code = trm_system_position(system, t, z);
    code = code ? code : trm_close(system, &sim->closing, t, z, z + system->nq);
    code = code ? code : trm_system_position(system, t, z);
    const double gap = trm_residual_of(system, z + system->nq, sim->measure.work).position;
    return !code && gap < sim->run.options.tolerance;
}

int trm_survey_nearby(trm_sim *sim, int k)
{
    const double little = 0.02; // of the coordinates, and at most of the size of the mechanism
    const trm_run *run = &sim->run;
    double *z = sim->sample.z;
    memcpy(z, run->now.z, (size_t)run->n * sizeof(double));
    for (int i = 0; i < run->system->nq; i++) {
        const double size = fmin(fabs(z[i]) + 0.1, run->extent.q[i]);
        z[i] += little * size * sin(1 + 1.7 * i + 2.3 * k);
    }
    return close_sample(sim, run->now.t);
}

// --------------------------------------------------------------------------------------- ahead

/// rate[nv] of part p alone, from all. Returns the largest, in units of the mechanism or rad.
static double rates_of(const trm_sim *sim, int p, const double *all, double *rate)
{
    const trm_parts *parts = &sim->model->parts;
    double speed = 0;
    memset(rate, 0, (size_t)sim->run.system->nv * sizeof(double));
    for (int k = parts->first_column[p]; k < parts->first_column[p + 1]; k++) {
        const int i = parts->column[k];
        rate[i] = all[i];
        speed = fmax(fabs(all[i]) / sim->run.extent.v[i], speed);
    }
    return speed;
}

/// The acceleration from rest into closing.dx: that of the forces, less what the rows take of it.
/// Returns a system's code.
static int accelerate(trm_sim *sim)
{
    const trm_point_of_run *now = &sim->run.now;
    trm_system *system = sim->run.system;
    double *const a = sim->closing.dx, *const c = sim->closing.c, power;
    int code = trm_system_position(system, now->t, now->z);
    code = code ? code : trm_system_factor(system, TRM_METRIC_MASS);
    code = code ? code : trm_system_free_acceleration(system, now->z + system->nq, a, &power);
    if (!code) {
        trm_system_multiply_G(system, a, c);
        trm_system_solve_S(system, c);
        trm_system_subtract_spread(system, TRM_METRIC_MASS, c, a);
    }
    return code;
}

/// Close the mechanism where part p will be when it has moved by `little` of its size, or radians
/// by as much: from rest by its acceleration, other parts where they are.
static int close_ahead(trm_sim *sim, int p, double little)
{
    const trm_run *run = &sim->run;
    double *const rate = sim->sample.dz, *const z = sim->sample.z, *const dx = sim->closing.dx;
    double speed = rates_of(sim, p, run->now.z + run->system->nq, rate);
    double time = little / speed;
    if (speed == 0) {
        speed = accelerate(sim) ? 0 : rates_of(sim, p, dx, rate);
        time = sqrt(2 * little / speed);
    }
    if (!isfinite(time)) {
        return 0; // at rest
    }
    for (int i = 0; i < run->system->nv; i++) {
        dx[i] = little / speed * rate[i];
    }
    memcpy(z, run->now.z, (size_t)run->n * sizeof(double));
    trm_system_move(run->system, dx, z);
    return close_sample(sim, run->now.t + time);
}

/// Whether the motion of part p begins with positions whose rank is that of the start.
static int stays(trm_sim *sim, int p)
{
    for (double little = 0.1; little > 0.5e-3; little /= 10) {
        if (!close_ahead(sim, p, little)) {
            return 0;
        }
        trm_rank_look(&sim->rank, sim->run.system, &sim->run.extent);
        if (sim->rank.part[p].rank_now > sim->rank.part[p].start) {
            return 0;
        }
    }
    return 1;
}

// ------------------------------------------------------------------------------------- the whole

/// Where closed positions nearby have a higher rank than the start, the motion tells which is its
/// own: it may lie in a set of less rank, however small that set is beside all closed positions (a
/// plate on four equal rods that turns about the vertical). Where motions of one rank cross in the
/// start, that of this run goes on to positions of the higher rank.
static void choose(trm_sim *sim)
{
    trm_rank *rank = &sim->rank;
    const trm_point_of_run *now = &sim->run.now;
    for (int p = 0; p < sim->model->parts.n; p++) {
        const trm_rank_part *part = &rank->part[p];
        if (part->rank > part->start && stays(sim, p) &&
            !trm_system_position(sim->run.system, now->t, now->z)) {
            trm_rank_restart(rank, p);
            trm_rank_look(rank, sim->run.system, &sim->run.extent);
        }
    }
}

int trm_survey(trm_sim *sim)
{
    trm_rank *rank = &sim->rank;
    trm_system *system = sim->run.system;
    trm_rank_start(rank);
    trm_rank_look(rank, system, &sim->run.extent);
    const int nullity = trm_rank_nullity(rank);
    for (int k = 0; k < TRM_SURVEY_TRIES; k++) {
        const int closed = trm_survey_nearby(sim, k);
        if (closed && nullity > 0) { // more than all rows cannot be independent
            trm_rank_look(rank, system, &sim->run.extent);
        }
        if (closed && !trm_system_factor(system, TRM_METRIC_MASS)) {
            trm_watch_learn(&sim->watch, &sim->run, sim->run.now.t);
        }
    }
    choose(sim);
    return trm_rank_nullity(rank) < nullity;
}
