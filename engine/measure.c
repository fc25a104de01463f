#include "engine/measure.h"

#include <math.h>

void trm_measure_layout(trm_measure *measure, const trm_system *system, trm_arena *arena)
{
    measure->work = trm_arena_doubles(arena, system->nc);
}

trm_drift trm_drift_of(trm_system *system, const double *v, double *work)
{
    const trm_residual r = trm_residual_of(system, v, work);
    return (trm_drift){.position = r.position, .velocity = r.velocity, .row = r.position_row};
}

trm_energy trm_energy_of(trm_system *system, const double *v, double work_done)
{
    return (trm_energy){.kinetic = trm_system_kinetic(system, v),
                        .potential = trm_system_potential(system),
                        .work = work_done};
}

/// Member by member: what fills the gap behind the last one must not get into saved states.
static void set_drift(trm_measure *measure, const trm_drift *drift)
{
    measure->drift.position = drift->position;
    measure->drift.velocity = drift->velocity;
    measure->drift.row = drift->row;
}

/// What an error of the energy balance is to be compared with: the energies that moved so far. At
/// rest nothing moves, and what is left is roundoff of the potential energy.
static void extend_scale(trm_measure *measure)
{
    const trm_energy *e = &measure->energy;
    const double moved = fmax(fabs(e->potential - measure->potential_initial), fabs(e->work));
    const double roundoff = 1e-6 * fabs(e->potential);
    measure->energy_scale = fmax(measure->energy_scale, fmax(e->kinetic, fmax(moved, roundoff)));
}

void trm_measure_start(trm_measure *measure, trm_system *system, const double *v)
{
    const trm_drift drift = trm_drift_of(system, v, measure->work);
    set_drift(measure, &drift);
    measure->energy = trm_energy_of(system, v, 0);
    measure->position_max = measure->drift.position;
    measure->gap_max = 0;
    measure->velocity_max = measure->drift.velocity;
    measure->worst_row = measure->drift.row;
    measure->energy_initial = measure->energy.kinetic + measure->energy.potential;
    measure->energy_error = isnan(measure->energy_initial) ? NAN : 0;
    measure->kinetic_max = measure->energy.kinetic;
    measure->potential_initial = measure->energy.potential;
    measure->energy_scale = 0;
    extend_scale(measure);
}

void trm_measure_update(trm_measure *measure, trm_system *system, const double *v,
                        const trm_drift *drift, double work_done)
{
    set_drift(measure, drift);
    measure->energy = trm_energy_of(system, v, work_done);
    if (measure->drift.position > measure->position_max) {
        measure->position_max = measure->drift.position;
        measure->worst_row = measure->drift.row;
    }
    measure->velocity_max = fmax(measure->velocity_max, measure->drift.velocity);
    measure->kinetic_max = fmax(measure->kinetic_max, measure->energy.kinetic);
    extend_scale(measure);
    // kinetic + potential - work is constant along the exact motion
    const double error = fabs(measure->energy.kinetic + measure->energy.potential - work_done -
                              measure->energy_initial);
    if (error > measure->energy_error) {
        measure->energy_error = error;
    }
}

double trm_measure_relative_error(const trm_measure *measure)
{
    const double rest = 1e-12; // of the scale: a kinetic energy of roundoff
    const double scale = measure->energy_scale;
    const double kinetic = measure->kinetic_max;
    const double moved = kinetic > rest * scale ? kinetic : scale;
    return moved > 0 ? measure->energy_error / moved : measure->energy_error;
}
