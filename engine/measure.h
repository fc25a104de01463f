/// Two of the three checks of a run: constraint residual and energy balance. The third, the branch,
/// is in singularity.h.
#ifndef TRM_MEASURE_H
#define TRM_MEASURE_H

#include "engine/consistency.h"

typedef struct trm_measure {
    double *work;    ///< [nc]
    trm_drift drift; ///< at the last point measured
    double position_max, velocity_max;
    double gap_max; ///< largest |g_i| over the size of its mechanism, noted by the caller
    int worst_row;
    trm_energy energy; ///< at the last point measured
    double energy_initial, energy_error, kinetic_max;
    double potential_initial, energy_scale;
} trm_measure;

void trm_measure_layout(trm_measure *measure, const trm_system *system, trm_arena *arena);

/// Drift and energy at the system's current point.
trm_drift trm_drift_of(trm_system *system, const double *v, double *work);
trm_energy trm_energy_of(trm_system *system, const double *v, double work_done);

/// Take the current point as the start of a run, or, with the drift there, as its next accepted point.
void trm_measure_start(trm_measure *measure, trm_system *system, const double *v);
void trm_measure_update(trm_measure *measure, trm_system *system, const double *v,
                        const trm_drift *drift, double work_done);
/// energy_error over the largest kinetic energy; over energy_scale where that is roundoff, a structure at rest.
double trm_measure_relative_error(const trm_measure *measure);

#endif
