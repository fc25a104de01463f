/// The ranges of a motion so far, by which errors of steps are measured: of each connected part and
/// kind, lengths, angles, velocities and rates, the largest distance from the start of the run,
/// rates from rest. The same in every unit and at every size. A coordinate that turns bodies on an
/// arm moves them, too, and is measured by the range of lengths, if that is less: else a wheel that
/// has turned often would decide how exact the arm is that carries it.
#pragma once

#include "engine/multibody/extent.h"

typedef struct trm_motion_range {
    int nq, nv;
    int *group;     ///< [nq+nv] which range a component of (q, v) belongs to
    double *arm;    ///< [nq+nv] m, of joint coordinates that turn: on it are the bodies; else 0
    double *origin; ///< [nq] q at the start
    double *most;   ///< [4*nv] ranges of (q, v)
    double *tried;  ///< [4*nv] the same with the end of a trial step
    double sigma;   ///< the least singular value of rows at the last point; 1: none is small
    double least;   ///< part of sizes and coordinates that is roundoff of a step
    double usual;   ///< the same where nobody has set it
    int rough;      ///< velocities have shown the roundoff of places over the step
    int bounded;    ///< units of the last try are without it, where it would be the most
    double allowed; ///< part of coordinates that steps may err by, whatever is asked for, so far
} trm_motion_range;

void trm_motion_range_layout(trm_motion_range *range, int nq, int nv, trm_arena *arena);

/// The motion begins at q.
void trm_motion_range_begin(trm_motion_range *range, const trm_model *model, const double *q);

/// It goes on where another one is.
void trm_motion_range_take(trm_motion_range *range, const trm_motion_range *from);

/// unit[nq+nv] := part times the range of each component that the motion has at the end of a trial
/// step of h to y = (q, v), and at least its roundoff: 1e-13 of its size and of the coordinate
/// where there are loops, else four roundings; of a velocity what moves by so much in the step, but
/// no more than its part, what weight adds, or in a time of the motion, which lasts.
void trm_motion_range_units(trm_motion_range *range, const trm_extents *extents, double part,
                            double h, const double *y, double *unit);
/// The trial step is accepted; z: (q, v) there, or NULL where it is what units were found for.
void trm_motion_range_accept(trm_motion_range *range, const double *z);
