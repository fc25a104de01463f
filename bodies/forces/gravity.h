/// The weight of all bodies (gravity.c).
#pragma once

typedef struct trm_gravity {
    double field[3];    ///< m/s^2
    const double *mass; ///< [nbody+1] kg, owned by the model
} trm_gravity;
