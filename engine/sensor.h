/// What a program can read of a run by name; names as in trammel.h.
#ifndef TRM_SENSOR_H
#define TRM_SENSOR_H

#include "engine/measure.h"
#include "engine/model.h"
#include "integrators/integrator.h"

/// out[sensor->size] at run->now. Moves the current point of the run's system, counts nothing.
/// Returns 0, or the code of a user function that failed.
int trm_sensor_read(const trm_sensor *sensor, const trm_run *run, const trm_energy *energy,
                    double *out);

#endif
