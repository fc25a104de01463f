/// What the verdicts of a run rest on: gaps, and the balance of energies.
#include "engine/multibody/measure.h"
#include "tests/near.h"
#include "trammel/trammel_simulation.h"

#include <string.h>

/// A point of a run, as a system has found it.
typedef struct point {
    double position, velocity, kinetic, potential, work;
    int row;
} point;

static trm_drift put(trm_system *system, const point *p)
{
    system->found = (trm_found){.known = 1,
                                .position = p->position,
                                .velocity = p->velocity,
                                .position_row = p->row,
                                .energies = 1,
                                .kinetic = p->kinetic,
                                .potential = p->potential};
    return trm_drift_of(system, NULL, NULL);
}

static trm_measure measured(const point *points, int n)
{
    trm_system system = {0};
    trm_measure measure;
    memset(&measure, 0xff, sizeof measure);
    put(&system, &points[0]);
    trm_measure_start(&measure, &system, NULL, points[0].work);
    for (int i = 1; i < n; i++) {
        const trm_drift drift = put(&system, &points[i]);
        trm_measure_update(&measure, &system, NULL, &drift, points[i].work);
        trm_measure_balance(&measure, points[i].work);
    }
    return measure;
}

static double relative_error(const trm_measure *m)
{
    return trm_measure_relative_error(m, trm_measure_scale(m));
}

CLAIM(the_worst_of_all_points_counts)
{
    const point points[] = {{3e-9, 2e-8, 2, -7, 0.5, 4},
                            {8e-9, 1e-8, 6, -10, 1.25, 2}, // 6 - 10 - 1.25 for 2 - 7 - 0.5
                            {5e-9, 7e-8, 1, -6.5, 0, 1}};  // 1 - 6.5
    const trm_measure m = measured(points, 3);
    assert_near(m.position_max, 8e-9, 0);
    assert_int_equal(m.worst_row, 2);
    assert_near(m.velocity_max, 7e-8, 0);
    assert_near(m.kinetic_max, 6, 0);
    assert_near(m.energy_error, 0.25, 1e-15);
    assert_near(m.energy_scale, 6, 0);
    assert_near(m.drift.position, 5e-9, 0);
    assert_int_equal(m.drift.row, 1);
    assert_near(relative_error(&m), 0.25 / 6, 1e-16);
    assert_true(m.between == 0 && m.between_gap == 0 && m.gap_max == 0 && isnan(m.t_between));
    assert_int_equal(m.between_row, -1);
    const trm_measure start = measured(points, 1);
    assert_near(start.energy_error, 0, 0);
    assert_near(start.position_max, 3e-9, 0);
    assert_int_equal(start.worst_row, 4);
    assert_near(start.energy_scale, 2, 0);
}

/// The scale is what was exchanged: kinetic energy, the way of the potential, work; at least a
/// millionth of the terms that cancel.
CLAIM(energies_are_compared_with_what_was_exchanged)
{
    const point falls[] = {{.potential = 100}, {.potential = 97, .kinetic = 2}};
    const point driven[] = {{.kinetic = 1}, {.kinetic = 1, .work = -4}};
    const point rests[] = {{.potential = -100}, {.potential = -100}};
    assert_near(measured(falls, 2).energy_scale, 3, 0);
    assert_near(measured(falls, 2).energy_error, 1, 0);
    assert_near(measured(driven, 2).energy_scale, 4, 0);
    assert_near(measured(rests, 2).energy_scale, 1e-4, 1e-19);
    trm_measure m = measured(rests, 2);
    m.energy_error = 3e-4;
    assert_near(relative_error(&m), 3, 1e-14); // nothing moves: of the scale
    m.kinetic_max = 0.9e-16;                   // roundoff of it
    assert_near(relative_error(&m), 3, 1e-14);
    m.kinetic_max = 1.1e-16;
    assert_near(relative_error(&m), 3e-4 / 1.1e-16, 1e-3);
    const trm_measure empty = {.energy_error = 5};
    assert_near(relative_error(&empty), 5, 0);
    const trm_measure little = {.energy_error = 5e-3, .energy_scale = 0.5};
    assert_near(relative_error(&little), 1e-2, 1e-17);
}

/// The mean of 6 J for 0.5 s from 2 J on, and 10 J 1.5 s later: (2 + 12)/2 J s in 2 s. It is the
/// scale of what rests, and roundoff, a millionth, of what moves.
CLAIM(at_rest_the_load_is_the_scale)
{
    const point rests[] = {{.potential = 1e-9}};
    trm_measure m = measured(rests, 1);
    trm_measure_load(&m, 2, 0);
    assert_near(trm_measure_scale(&m), 2, 0);
    trm_measure_load(&m, 6, 0.5);
    trm_measure_load(&m, 10, 1.5);
    trm_measure_load(&m, INFINITY, 1);
    trm_measure_load(&m, NAN, 1);
    assert_near(trm_measure_scale(&m), 7, 1e-15);
    trm_measure_moved(&m, INFINITY, INFINITY);
    trm_measure_moved(&m, NAN, NAN);
    assert_near(trm_measure_scale(&m), 7, 1e-15);
    m.kinetic_max = 8e-12; // moves
    assert_near(trm_measure_scale(&m), 7e-6, 1e-20);
    trm_measure_moved(&m, 5e-3, 2);
    assert_near(m.kinetic_max, 5e-3, 0);
    assert_near(trm_measure_scale(&m), 5e-3, 0);
    trm_measure_moved(&m, 4e-3, 1);
    assert_near(m.kinetic_max, 5e-3, 0);
    assert_near(m.speed, 2, 0);
    trm_measure still = measured(rests, 1);
    trm_measure_load(&still, 7, 0);
    still.energy_scale = 8e-6; // exchanged, though nothing is seen to move
    assert_near(trm_measure_scale(&still), 8e-6, 0);
}

/// Violations of velocities are relative to the largest speed met, before or after. Of a structure
/// under a load of 7 J that rests kinetic energies up to 7e-12 J are roundoff, and speeds below the
/// hundredth part of a speed of 7e-16 J as well.
CLAIM(velocities_are_compared_with_the_largest_speed)
{
    double v = 3, size = 2, sizes[] = {2, 1};
    trm_extents extents = {.v = &size, .g = sizes, .least_g = 1};
    trm_system system = {.nv = 1, .nc = 2};
    trm_measure m = measured(&(point){.velocity = 0.5, .kinetic = 1}, 1);
    m.n = 1;
    m.of.fastest = &v;
    assert_near(trm_measure_relative_rate(&m, &extents), 0, 0);
    system.found = (trm_found){.known = 1, .rate = 0.25, .rate_row = 0};
    trm_measure_rates(&m, &system, &extents, &v);
    assert_near(trm_measure_relative_rate(&m, &extents), 0.25 / 1.5, 1e-16);
    v = 20;
    system.found.rate = 0.1; // less than before
    trm_measure_rates(&m, &system, &extents, &v);
    assert_near(trm_measure_relative_rate(&m, &extents), 0.25 / 10, 1e-16);
    assert_int_equal(m.rate_row, 0);
    v = 0;
    system.found.rate = NAN;
    m.drift.velocity = NAN;
    trm_measure_rates(&m, &system, &extents, &v);
    assert_true(isnan(trm_measure_relative_rate(&m, &extents)));

    trm_measure rests = measured(&(point){.velocity = 1e-9, .kinetic = 7e-16}, 1);
    trm_measure_load(&rests, 7, 0);
    rests.n = 1;
    rests.of.fastest = &v;
    v = 2e-9;
    system.found.rate = 1e-9;
    trm_measure_rates(&rests, &system, &extents, &v);
    assert_near(trm_measure_relative_rate(&rests, &extents), 1e-2, 1e-15);
    rests.kinetic_max = 8e-12; // moves
    assert_near(trm_measure_relative_rate(&rests, &extents), 1, 1e-15);
    const trm_measure driven = {.rate_gap = 1}; // what should move stands
    assert_true(isinf(trm_measure_relative_rate(&driven, &extents)));
}

/// A drive of 100 J in a step that a damper takes, and an error that grows to 1e-3 J: good up to
/// 1e-5 of the scale, it needs 2e-3/1e-5 = 200 J, and 100 went through. Growth by 1e-4 J needs 20.
CLAIM(what_passes_through_is_a_scale)
{
    trm_measure m = measured(&(point){.kinetic = 3}, 1);
    trm_measure_dissipated(&m, -100, 1e-3, 1e-5);
    assert_near(trm_measure_exchanged(&m), 100, 0);
    trm_measure_dissipated(&m, 100, 1e-4, 1e-5);
    assert_near(trm_measure_exchanged(&m), 120, 1e-12);
    trm_measure_dissipated(&m, 100, 0, 1e-5); // no error came of it
    trm_measure_dissipated(&m, NAN, 1, 1e-5);
    trm_measure_dissipated(&m, INFINITY, 1, 1e-5);
    trm_measure_dissipated(&m, 100, NAN, 1e-5);
    assert_near(trm_measure_exchanged(&m), 120, 1e-12);
    assert_near(trm_measure_scale(&m), 3, 0);
    m.dissipated = 2; // less than what moves: not added
    assert_near(trm_measure_exchanged(&m), 3, 0);
}

/// Energies of 9 J at 1/4 and 2 J at 4 of the sizes: 36.5 J by forces over the sizes.
CLAIM(an_energy_is_known_to_roundings_of_the_size)
{
    double mass[] = {2, 1}, gone[] = {0.2, -4}, way[] = {0.5, 4}, fastest[] = {3, 2};
    const double size[] = {2, 1};
    trm_measure m = measured(&(point){.kinetic = 11}, 1);
    m.n = 2;
    m.of.mass = mass;
    m.of.gone = gone;
    m.of.way = way;
    m.of.fastest = fastest;
    m.energy_scale = 15;
    assert_near(trm_measure_judged(&m, size), 15, 0);
    m.kinetic_max = m.energy_scale = 1e-6;
    assert_near(trm_measure_judged(&m, size), 36.5e-6, 1e-18);
}

/// To 1 m and half of the way back.
CLAIM(ways_count_from_the_start)
{
    double mass, gone, way, fastest;
    trm_measure m = measured(&(point){.kinetic = 3}, 1);
    m.n = 1;
    m.of.mass = &mass;
    m.of.gone = &gone;
    m.of.way = &way;
    m.of.fastest = &fastest;
    gone = way = fastest = 0;
    const double v[] = {1, 3, -1.5, -2.5};
    trm_measure_go(&m, &v[0], &v[1], 0.5);
    trm_measure_go(&m, &v[2], &v[3], 0.25);
    assert_near(gone, 0.5, 1e-15);
    assert_near(way, 1, 1e-15);
    assert_near(fastest, 3, 0);
}

/// What is no number is worse than all, and stays.
CLAIM(what_is_no_number_stays)
{
    trm_measure m = measured(&(point){.kinetic = 1}, 1);
    trm_measure_between(&m, 2e-3, 0.5, 3, 0.1);
    trm_measure_between(&m, 1e-3, 0.7, 4, 0.2);
    assert_true(m.between == 2e-3 && m.between_gap == 0.5 && m.between_row == 3 &&
                m.t_between == 0.1);
    trm_measure_between(&m, NAN, NAN, 5, 0.3);
    trm_measure_between(&m, 1, 1, 6, 0.4);
    assert_true(isnan(m.between) && m.between_row == 5 && m.t_between == 0.3);
    const point broken[] = {{.kinetic = 1}, {.kinetic = NAN}, {.kinetic = 2}};
    assert_true(isnan(measured(broken, 3).energy_error));
    assert_true(isnan(measured(broken + 1, 2).energy_error));
    const point open[] = {{.kinetic = 1}, {.position = NAN, .row = 2}, {.position = 9, .row = 3}};
    assert_true(isnan(measured(open, 3).position_max));
    assert_int_equal(measured(open, 3).worst_row, 2);
}
