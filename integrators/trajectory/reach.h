/// The ranges of a motion so far, by which errors of steps are measured: of each connected part and
/// kind, lengths, angles, velocities and rates, the largest distance from the start of the run,
/// rates from rest. The same in every unit and at every size.
#ifndef TRM_REACH_H
#define TRM_REACH_H

#include "engine/multibody/extent.h"

typedef struct trm_reach {
    int nq, nv;
    int *group;     ///< [nq+nv] which range a component of (q, v) belongs to
    double *origin; ///< [nq] q at the start
    double *most;   ///< [4*nv] ranges of (q, v)
    double *tried;  ///< [4*nv] the same with the end of a trial step
    double least;   ///< part of sizes and coordinates that is roundoff of a step
    double nearest; ///< part of coordinates that roundoff of a step leaves open, so far
} trm_reach;

void trm_reach_layout(trm_reach *reach, int nq, int nv, trm_arena *arena);

/// The motion begins at q.
void trm_reach_begin(trm_reach *reach, const trm_model *model, const double *q);

/// It goes on where another one is.
void trm_reach_take(trm_reach *reach, const trm_reach *from);

/// unit[nq+nv] := part times the range of each component that the motion has at the end of a trial
/// step of h to y = (q, v), and at least its roundoff: 1e-13 of its size and of the coordinate
/// where there are loops, else four roundings; of a velocity what moves by so much in the step.
void trm_reach_units(trm_reach *reach, const trm_extents *extents, double part, double h,
                     const double *y, double *unit);
/// The trial step is accepted; z: (q, v) there, or NULL where it is what units were found for.
void trm_reach_accept(trm_reach *reach, const double *z);

#endif
