#include "engine/multibody/measure.h"
#include "base/loops.h"
#include "trammel/trammel_simulation.h"

#include <math.h>

void trm_measure_layout(trm_measure *measure, const trm_system *system, trm_arena *arena)
{
    measure->of.work = trm_arena_doubles(arena, system->nc);
    measure->of.along = trm_arena_doubles(arena, system->speed ? system->nv : 0);
    measure->of.unit = trm_arena_doubles(arena, system->speed ? system->nc : 0);
    measure->n = trm_system_motions(system);
    TRM_ARENA_DOUBLES(arena, system->nv, &measure->of.mass, &measure->of.gone, &measure->of.way,
                      &measure->of.fastest);
}

trm_drift trm_drift_of(trm_system *system, const double *v, double *work)
{
    const trm_found *const found = &system->found;
    if (found->known) {
        return (trm_drift){found->position, found->velocity, found->position_row};
    }
    const trm_residual r = trm_residual_of(system, v, work);
    return (trm_drift){.position = r.position, .velocity = r.velocity, .row = r.position_row};
}

trm_energy trm_energy_of(trm_system *system, const double *v, double work_done)
{
    const trm_found *const found = &system->found;
    if (found->known && found->energies) {
        return (trm_energy){found->kinetic, found->potential, work_done};
    }
    return (trm_energy){.kinetic = trm_system_kinetic(system, v),
                        .potential = trm_system_potential(system),
                        .work = work_done};
}

/// Member by member: padding must not get into saved states.
static void set_drift(trm_measure *measure, const trm_drift *drift)
{
    measure->drift.position = drift->position;
    measure->drift.velocity = drift->velocity;
    measure->drift.row = drift->row;
}

/// The scale of an error of the energy balance: the energies exchanged so far. At rest no energy is
/// exchanged, and the error is roundoff of terms that cancel. A balance is good up to 1e-6 of the
/// scale: up to 1e-12 of the terms, some thousand roundings.
static const double roundoff = 1e-6;
static const double rest = 1e-12;     // of the scale, or of the load: a kinetic energy of roundoff
static const double rounding = 1e-12; // of terms that cancel: some thousand roundings

static void extend_scale(trm_measure *measure)
{
    const trm_energy *e = &measure->energy;
    const double moved = fmax(fabs(e->potential - measure->potential_initial), fabs(e->work));
    const double least = roundoff * fabs(e->potential);
    measure->energy_scale = fmax(measure->energy_scale, fmax(e->kinetic, fmax(moved, least)));
}

void trm_measure_start(trm_measure *measure, trm_system *system, const double *v, double work_done)
{
    const trm_drift drift = trm_drift_of(system, v, measure->of.work);
    set_drift(measure, &drift);
    measure->energy = trm_energy_of(system, v, work_done);
    measure->position_max = measure->drift.position;
    measure->gap_max = 0;
    measure->velocity_max = measure->drift.velocity;
    measure->worst_row = measure->drift.row;
    measure->energy_initial = measure->energy.kinetic + measure->energy.potential - work_done;
    measure->energy_error = isnan(measure->energy_initial) ? NAN : 0;
    measure->kinetic_max = measure->energy.kinetic;
    measure->potential_initial = measure->energy.potential;
    measure->energy_scale = measure->dissipated = 0;
    measure->load = measure->load_time = measure->load_last = 0;
    measure->between = measure->between_gap = 0;
    measure->t_between = NAN;
    measure->between_row = measure->rate_row = -1;
    measure->rate_gap = measure->speed = 0;
    extend_scale(measure);
}

double trm_measure_slip(const trm_measure *measure, trm_system *system, const double *v)
{
    const int nc = system->nc;
    double most = 0;
    if (!system->speed || !(measure->kinetic_max > 0)) {
        return 0;
    }
    trm_system_velocity_residual(system, v, measure->of.work);
    for (int i = 0; i < nc; i++) {
        if (!system->speed[i]) {
            continue;
        }
        for (int k = 0; k < nc; k++) {
            measure->of.unit[k] = k == i;
        }
        trm_system_spread(system, TRM_METRIC_MASS, measure->of.unit, measure->of.along);
        trm_system_multiply_G(system, measure->of.along, measure->of.unit);
        const double may = sqrt(2 * measure->kinetic_max * measure->of.unit[i]);
        most = may > 0 ? fmax(most, fabs(measure->of.work[i]) / may) : most;
    }
    return most;
}

void trm_measure_load(trm_measure *measure, double load, double h)
{
    if (load < INFINITY) { // and not NaN
        measure->load += h * (load + measure->load_last) / 2;
        measure->load_time += h;
        measure->load_last = load;
    }
}

/// Over the time, so that the peaks of forces at singular positions do not count.
static double mean_load(const trm_measure *measure)
{
    return measure->load_time > 0 ? measure->load / measure->load_time : measure->load_last;
}

/// Where nothing has moved the scale is the work of the load along the tolerances.
double trm_measure_scale(const trm_measure *measure)
{
    const double mean = mean_load(measure);
    const int rests =
        measure->kinetic_max <= rest * mean && measure->energy_scale <= roundoff * mean;
    return fmax(measure->energy_scale, rests ? mean : roundoff * mean);
}

void trm_measure_dissipated(trm_measure *measure, double energy, double grown, double may)
{
    const double passed = fabs(energy), most = 2 * grown / may;
    const double counts = passed < most ? passed : most;
    if (passed < INFINITY && counts > 0 && counts < INFINITY) { // and not NaN
        measure->dissipated += counts;
    }
}

double trm_measure_exchanged(const trm_measure *measure)
{
    return fmax(trm_measure_scale(measure), measure->dissipated);
}

static double imbalance(const trm_measure *measure)
{
    const trm_energy *e = &measure->energy; // their sum is constant along the exact motion
    return e->kinetic + e->potential - e->work - measure->energy_initial;
}

double trm_measure_imbalance(const trm_measure *measure)
{
    return fabs(imbalance(measure));
}

void trm_measure_set_off(trm_measure *measure, trm_system *system)
{
    trm_system_mass_diagonal(system, measure->of.mass);
    for (int i = 0; i < measure->n; i++) {
        measure->of.gone[i] = measure->of.way[i] = measure->of.fastest[i] = 0;
    }
}

/// By velocities v0 and v1 at the ends of a step of size h.
TRM_WIDE static void go_on(int n, double h, const double *restrict v0, const double *restrict v1,
                           double *restrict gone, double *restrict way, double *restrict fastest)
{
    for (int i = 0; i < n; i++) {
        gone[i] += h * (v0[i] + v1[i]) / 2;
        way[i] = trm_larger(fabs(gone[i]), way[i]);
        fastest[i] = trm_larger(fabs(v1[i]), fastest[i]);
    }
}

void trm_measure_go(trm_measure *measure, const double *before, const double *v, double h)
{
    go_on(measure->n, h, before, v, measure->of.gone, measure->of.way, measure->of.fastest);
}

/// J: sum E_i size_i/way_i, of the largest kinetic energies E_i of coordinates that have gone by
/// way_i.
static double energy_by_way(const trm_measure *measure, const double *size)
{
    double sum = 0;
    for (int i = 0; i < measure->n; i++) {
        const double own =
            measure->of.mass[i] * measure->of.fastest[i] * measure->of.fastest[i] / 2;
        sum += own > 0 ? own / (measure->of.way[i] / size[i]) : 0;
    }
    return sum;
}

/// E_i/way_i is the mean force along the way. A coordinate is known to roundings of its size: its
/// energy to 1e-12 of E_i size_i/way_i, like that of terms that cancel.
double trm_measure_judged(const trm_measure *measure, const double *size)
{
    const double floor = roundoff * energy_by_way(measure, size);
    return fmax(trm_measure_exchanged(measure), floor < INFINITY ? floor : 0);
}

void trm_measure_between(trm_measure *measure, double relative, double gap, int row, double t)
{
    if (trm_is_worse(relative, measure->between)) {
        measure->between = relative;
        measure->between_gap = gap;
        measure->between_row = row;
        measure->t_between = t;
    }
}

static void note_rate(trm_measure *measure, double rate, int row)
{
    if (trm_is_worse(rate, measure->rate_gap)) {
        measure->rate_gap = rate;
        measure->rate_row = row;
    }
}

/// 1/s: the largest so far, of all coordinates.
static double speed_of(const trm_measure *measure, const trm_extents *extents)
{
    const double speed = trm_extents_speed(extents, measure->n, measure->of.fastest);
    return speed < INFINITY ? fmax(measure->speed, speed) : measure->speed;
}

void trm_measure_rates(trm_measure *measure, trm_system *system, const trm_extents *extents,
                       const double *v)
{
    const double most = measure->drift.velocity / extents->least_g;
    if (most <= measure->rate_gap || most <= rounding * measure->speed) {
        return;
    }
    measure->speed = speed_of(measure, extents);
    if (most <= rounding * measure->speed) {
        return;
    }
    if (system->found.known) {
        note_rate(measure, system->found.rate, system->found.rate_row);
        return;
    }
    trm_system_velocity_residual(system, v, measure->of.work);
    for (int i = 0; i < system->nc; i++) {
        note_rate(measure, fabs(measure->of.work[i]) / extents->g[i], i);
    }
}

/// Speeds go with the square root of the kinetic energy.
double trm_measure_relative_rate(const trm_measure *measure, const trm_extents *extents)
{
    const double least = rest * trm_measure_scale(measure), kinetic = measure->kinetic_max;
    const double still = kinetic > 0 && kinetic < least ? sqrt(least / kinetic) : 1;
    const double speed = speed_of(measure, extents) * still;
    return measure->rate_gap == 0 ? 0 : speed > 0 ? measure->rate_gap / speed : INFINITY;
}

void trm_measure_moved(trm_measure *measure, double kinetic, double speed)
{
    if (speed < INFINITY) { // and not NaN
        measure->speed = fmax(measure->speed, speed);
    }
    if (kinetic < INFINITY) { // and not NaN
        measure->kinetic_max = fmax(measure->kinetic_max, kinetic);
        measure->energy_scale = fmax(measure->energy_scale, kinetic);
    }
}

void trm_measure_update(trm_measure *measure, trm_system *system, const double *v,
                        const trm_drift *drift, double work_done)
{
    set_drift(measure, drift);
    measure->energy = trm_energy_of(system, v, work_done);
    if (trm_is_worse(measure->drift.position, measure->position_max)) {
        measure->position_max = measure->drift.position;
        measure->worst_row = measure->drift.row;
    }
    measure->velocity_max = fmax(measure->velocity_max, measure->drift.velocity);
    measure->kinetic_max = fmax(measure->kinetic_max, measure->energy.kinetic);
    extend_scale(measure);
}

void trm_measure_balance(trm_measure *measure, double work_done)
{
    measure->energy.work = work_done;
    const double error = trm_measure_imbalance(measure);
    if (trm_is_worse(error, measure->energy_error)) {
        measure->energy_error = error;
    }
}

double trm_measure_relative_error(const trm_measure *measure, double scale)
{
    const double kinetic = measure->kinetic_max;
    const double moved = kinetic > rest * scale ? kinetic : scale;
    return moved > 0 ? measure->energy_error / moved : measure->energy_error;
}
