/// Sensors: quantities of a run by name; names as in trammel_simulation.h.
#pragma once

#include "engine/contact/contact.h"
#include "engine/multibody/model.h"
#include "engine/system/system.h"
#include "trammel/trammel_simulation.h"

/// A state of a run that sensors are read in: the end of the last step, or a sample within it.
typedef struct trm_sensor_state {
    trm_system *system;
    trm_state state;
    trm_energy energy;
    const trm_contact *contact; ///< evaluated at this state; NULL: there are none
    double *work_c, *work_v;    ///< [nc], [nv]
    double *room;               ///< [model->output_room]
    trm_kinematics kinematics;  ///< of the sensors alone; begins as zero
    int reaction_of;            ///< 1 + the joint whose reaction was found last; begins as zero
    double force[3], torque[3]; ///< that reaction
} trm_sensor_state;

/// Returns nonzero if the sensor shows the force of a contact, which must be evaluated at its
/// state.
int trm_sensor_presses(const trm_sensor *sensor);

/// The numbers of n sensors, one after the other. Moves the current point of the system, counts
/// nothing. Returns 0, or the code of a user function that failed.
int trm_sensors_read(int n, const trm_sensor *sensors, trm_sensor_state *sensed, double *out);
