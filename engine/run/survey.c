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

/// The largest rate of the bodies that the dependent rows of the start hold, of part p, in units of
/// the mechanism or rad: a wheel that turns on one of them says nothing of these rows.
static double speed_of(const trm_sim *sim, int p, const double *rate)
{
    const trm_parts *parts = &sim->model->parts;
    double speed = 0;
    for (int k = parts->first_column[p]; k < parts->first_column[p + 1]; k++) {
        const int i = parts->column[k];
        const int held = sim->watch.record.involved[i];
        speed = held ? fmax(fabs(rate[i]) / sim->run.extent.v[i], speed) : speed;
    }
    return speed;
}

/// The acceleration at the start into closing.dx. Returns a system's code.
static int accelerate(trm_sim *sim)
{
    const trm_point_of_run *now = &sim->run.now;
    trm_system *system = sim->run.system;
    const double *v = now->z + system->nq;
    double *const a = sim->closing.dx, *const c = sim->closing.c, *const gamma = sim->rank.unit;
    double power;
    int code = trm_system_position(system, now->t, now->z);
    code = code ? code : trm_system_factor(system, TRM_METRIC_MASS);
    code = code ? code : trm_system_free_acceleration(system, v, a, &power);
    code = code ? code : trm_system_gamma(system, v, gamma);
    if (!code) {
        trm_system_multiply_G(system, a, c);
        for (int i = 0; i < system->nc; i++) {
            c[i] -= gamma[i];
        }
        trm_system_solve_S(system, c);
        trm_system_subtract_spread(system, TRM_METRIC_MASS, c, a);
    }
    return code;
}

/// Close the mechanism where part p will be when it has moved by `little` of its size, or radians
/// by as much, by its velocity and its acceleration, other parts where they are.
static int close_ahead(trm_sim *sim, int p, double little)
{
    const trm_run *run = &sim->run;
    const trm_parts *parts = &sim->model->parts;
    const double *v = run->now.z + run->system->nq;
    double *const a = sim->closing.dx, *const dx = sim->sample.dz, *const z = sim->sample.z;
    if (accelerate(sim)) {
        return 0;
    }
    const double time = fmin(little / speed_of(sim, p, v), sqrt(2 * little / speed_of(sim, p, a)));
    if (!isfinite(time)) {
        return 0; // at rest
    }
    memset(dx, 0, (size_t)run->system->nv * sizeof(double));
    for (int k = parts->first_column[p]; k < parts->first_column[p + 1]; k++) {
        const int i = parts->column[k];
        dx[i] = time * (v[i] + time / 2 * a[i]);
    }
    memcpy(z, run->now.z, (size_t)run->n * sizeof(double));
    trm_system_move(run->system, dx, z);
    return close_sample(sim, run->now.t + time);
}

/// Whether the motion of part p begins with positions whose rank is that of the start.
static int stays(trm_sim *sim, int p)
{
    static const double little[] = {0.1, 0.01, 1e-3};
    for (size_t k = 0; k < sizeof little / sizeof *little; k++) {
        if (!close_ahead(sim, p, little[k])) {
            return 0;
        }
        const double off = little[k] * little[k] * little[k]; // third order of the motion
        trm_rank_look_near(&sim->rank, sim->run.system, &sim->run.extent, off);
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
/// start, that of this run goes on to positions of the higher rank. (Unless they rest in it, on
/// bodies that move: a line of bars on a turntable. Without any force among them they count as
/// dependent.)
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
    trm_rank_held(rank, system, &sim->run.extent, sim->watch.record.involved);
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
