/// Two of the three checks of a run: constraint residual and energy balance. The
/// third, the branch, is in simulation/singular.
#pragma once

#include "engine/multibody/consistency.h"
#include "engine/multibody/extent.h"
#include "trammel/trammel_query.h"
#include "trammel/trammel_simulation.h"

/// Its arrays, which a run that goes on for another one keeps.
typedef struct trm_measure_arrays {
    double *work;         ///< [nc]
    double *along, *unit; ///< [nv], [nc] where rows hold velocities alone
    double *mass;         ///< [n] the diagonal of M at the start
    double *gone, *way;   ///< [n] int v_i dt since the start, and its largest amount so far
    double *fastest;      ///< [n] the largest |v_i| so far
} trm_measure_arrays;

typedef struct trm_measure {
    trm_measure_arrays of;
    int n;           ///< velocities of bodies
    trm_drift drift; ///< at the last point measured
    double position_max, velocity_max;
    double gap_max; ///< largest |g_i| over the size of its mechanism, noted by the caller
    int worst_row;
    trm_energy energy; ///< at the last point measured
    double energy_initial, energy_error, kinetic_max;
    double potential_initial, energy_scale;
    double dissipated;      ///< J: what trm_measure_dissipated has counted
    double load, load_time; ///< J s and s: the integral of trm_measure_load
    double load_last;       ///< J, at the last point
    double between;         ///< largest |g_i| over the size of its mechanism within the steps
    double between_gap;     ///< m or rad: that |g_i|
    double t_between;       ///< s: when
    int between_row;        ///< of which row; -1: no sample was taken, or all were closed
    int rate_row;           ///< where rate_gap was; -1: nowhere
    double rate_gap;        ///< 1/s: largest |(G v + g_t)_i| over the extent of g_i
    double speed;           ///< 1/s: largest |v_i| over its extent of points that are not gone to,
                            ///< and of others when it was asked for last
} trm_measure;

void trm_measure_layout(trm_measure *measure, const trm_system *system, trm_arena *arena);

/// Drift and energy at the system's current point.
trm_drift trm_drift_of(trm_system *system, const double *v, double *work);
trm_energy trm_energy_of(trm_system *system, const double *v, double work_done);

/// Take the current point as the start of a run, or, with the drift
/// there, as its next accepted point. `work_done` at the start: that of impacts there.
void trm_measure_start(trm_measure *measure, trm_system *system, const double *v, double work_done);
void trm_measure_update(trm_measure *measure, trm_system *system, const double *v,
                        const trm_drift *drift, double work_done);
/// J: how far energy and work at the last point measured are from their balance at the start.
double trm_measure_imbalance(const trm_measure *measure);
/// Their balance counts, with the work that was done up to this point.
void trm_measure_balance(trm_measure *measure, double work_done);
/// Largest |G v + g_t|_i of rows that hold velocities alone, over what it can be with the largest
/// kinetic energy T met: |G_i v| <= sqrt(G_i M^-1 G_i^T) sqrt(2 T). 0 without such rows.
double trm_measure_slip(const trm_measure *measure, trm_system *system, const double *v);
/// Add sum_i |lambda_i| size_i at a point `h` after the last: the work that the
/// constraint forces could do over the size of the mechanism. At rest the error of the
/// balance is the roundoff of such terms.
void trm_measure_load(trm_measure *measure, double load, double h);
/// J, the scale of energy_error: the exchanged energy, and at least the roundoff of the terms.
double trm_measure_scale(const trm_measure *measure);
/// In the last step forces of the velocity have exchanged `energy` J, while the largest error of
/// the balance grew by `grown`, which is good up to `may` of its scale. Where a drive and a damper
/// cancel, the energy passes through the mechanism, and neither its motion nor the work shows it.
/// What counts is at most 2 grown/may: so much makes the step half as wrong as it may be, and
/// leaves room for the error before the count. A step that errs by more than `may` of its own
/// energy stays wrong, however much passes in other steps.
void trm_measure_dissipated(trm_measure *measure, double energy, double grown, double may);
/// J: trm_measure_scale, or the energy that passed.
double trm_measure_exchanged(const trm_measure *measure);
/// J, what a verdict compares energy_error with: the same, and at least the roundoff of positions,
/// for coordinates of `size` [n].
double trm_measure_judged(const trm_measure *measure, const double *size);
/// The motion sets off from the current point; it has gone on for h from `before` to v [n].
void trm_measure_set_off(trm_measure *measure, trm_system *system);
void trm_measure_go(trm_measure *measure, const double *before, const double *v, double h);
/// Row `row` is open by `gap`, `relative` to its size, at t within a step,
/// before the dense output is closed.
void trm_measure_between(trm_measure *measure, double relative, double gap, int row, double t);
/// Violation of the velocities at the last point measured, and gone to. The rows are looked at
/// where the largest of them over the smallest extent could be a new largest value, and more than
/// 1e-12 of the speed: a thousand roundings, which no verdict asks for.
void trm_measure_rates(trm_measure *measure, trm_system *system, const trm_extents *extents,
                       const double *v);
/// rate_gap over the largest speed. Where the kinetic energy is roundoff of a structure at rest,
/// over the speed of the least kinetic energy that is not.
double trm_measure_relative_rate(const trm_measure *measure, const trm_extents *extents);
/// The kinetic energy and the speed within a step: a motor may move and rest again between its
/// ends.
void trm_measure_moved(trm_measure *measure, double kinetic, double speed);
/// energy_error over the largest kinetic energy; over `scale` where that is roundoff of it, a
/// structure at rest.
double trm_measure_relative_error(const trm_measure *measure, double scale);
