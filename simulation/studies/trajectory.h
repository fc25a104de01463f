/// The motion of a run at some times, and how far another run of the model is off it.
///
/// A difference is relative to the motion: to the largest range through which a body of the same
/// connected part moves, lengths, angles and their rates each by their own range. Rows connect, and
/// contacts, which pass motion on. Rates are ranges about rest. What a range below 1e-13 of the
/// size shows, or below ten gaps of the joints, is no motion, and nothing is relative to it.
#pragma once

#include "simulation/run/simulation.h"

/// Lengths, angles, velocities, rates.
enum { TRM_MOTION_KINDS = 4 };

typedef struct trm_trajectory {
    const trm_model *model;
    size_t width;      ///< nq + nv + 1
    size_t n, room;    ///< times that are kept, and for how many there is room
    size_t seen, each; ///< times that were offered; one of `each` is kept
    double *t;         ///< [room] s
    double *z;         ///< [room*width] q, v, impacts so far
    int *part;         ///< [bodies] the velocity that stands for its part
} trm_trajectory;

/// How far another run is off at one of the times.
typedef struct trm_apart {
    double place;         ///< relative, of lengths and angles
    double rate;          ///< relative, of velocities and rates
    int body;             ///< with the larger of them; -1: none
    double length, angle; ///< m, rad: the largest
} trm_apart;

/// Returns nonzero if the next time that is offered is kept; if not, it counts as offered.
int trm_trajectory_wants(trm_trajectory *motion);
/// Offer a time, a state q, v, and how many impacts there were. Where room is short, every other
/// time is left out. Returns zero when memory is short.
int trm_trajectory_note(trm_trajectory *motion, const trm_model *model, double t, const double *z,
                        long impacts);
/// The last time in place of the one kept last, where that was left out.
int trm_trajectory_end(trm_trajectory *motion, const trm_model *model, double t, const double *z,
                       long impacts);
/// Impacts up to time k.
long trm_trajectory_impacts(const trm_trajectory *motion, size_t k);
void trm_trajectory_forget(trm_trajectory *motion);

/// scale[TRM_MOTION_KINDS*ranges]: what differences are relative to, of each part; INFINITY where
/// nothing moves. `sim` has gone through the motion.
int trm_trajectory_ranges(const trm_model *model);
void trm_trajectory_scales(const trm_trajectory *motion, const trm_sim *sim, double *scale);

/// What a step may err by, relative to the motion of the part where that is most, if it leaves
/// `least` of sizes to roundoff (trm_motion_range). 0: nothing moves.
double trm_trajectory_step(const trm_trajectory *motion, const trm_sim *sim, const double *scale,
                           double rtol, double least);

/// Time k of the motion against q and v.
trm_apart trm_trajectory_apart(const trm_trajectory *motion, const double *scale, size_t k,
                               const double *q, const double *v);

/// What one rounding of coordinates q, and of places by forces of ends that are `far` apart, m,
/// leaves open, relative to the motion of their part, and of which body; none: it stays.
double trm_trajectory_rounded(const trm_trajectory *motion, const double *scale, const double *q,
                              double far, int *body_of);

/// Of one body, in its own units.
trm_difference trm_difference_of(const trm_model *model, int body, const double *q0,
                                 const double *v0, const double *q1, const double *v1);
