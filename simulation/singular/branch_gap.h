/// Whether two motions that meet in a singular position cross there, or miss each other by what the
/// numbers of the description leave between them.
///
/// With w of the row that is lost, F = w^T g has no slope in the position: w^T G = 0. Near it F =
/// F* + x^T H x/2, x in the plane of the motion and of the direction that the row forbids
/// elsewhere. Motions lie on F = 0: where F* = 0 they cross; else each turns into the other, in a
/// corner whose least |G^T w|^2 = |H x|^2 is 2 |h F*|, h the eigenvalue of H of the sign that F*
/// has not. No run has to go through that corner for it to be known, to the roundoff of g.
#pragma once

#include "engine/rank/null_directions.h"

typedef struct trm_offset {
    double *along, *across;  ///< [nv] of the plane, of length one in the metric of M
    double *w, *y;           ///< [nc] of the part
    double *f, *u, *q;       ///< [nv], [nv], [nq]
    double *z;               ///< [nq+nv] the position found, with the velocity there
    double speed;            ///< along the motion, in the metric of M
    double time_to_position; ///< s, from the point to the position, of the last answer not below 0
    double near;             ///< rad, or sizes: how far from the point the position may be
    double F;                ///< at the position, of the last answer not below 0
    int exact;               ///< the last answer is off by no more than eps
    int blurred;             ///< it is 0 for |G^T w|^2 out of the plane alone; q is the position
} trm_offset;

void trm_offset_layout(trm_offset *offset, const trm_system *system, trm_arena *arena);
/// The least sigma^2 of the corner beside (t, z), near a singular position of component p; 0 where
/// motions cross, to roundoff; below 0 where no such position is nearby: masses far apart make
/// sigma small where nothing is lost. The system is there, factored; `lost` are its directions.
/// w[nc] is the row's, across[nv] that of M^-1 G^T w some way off, in the orders of a
/// trm_direction. Moves the system's current point.
double trm_offset_find(trm_offset *offset, trm_system *system,
                       const trm_connected_components *components, const trm_extents *extent,
                       const trm_rank_loss *loss, int p, double t, const double *z, const double *w,
                       const double *across);
/// Least sigma^2 from the position that trm_offset_find has found, where its answer is blurred:
/// |G^T w|^2 out of the plane grows with the square of the way from the point. `lost` are its
/// directions below `low` then, and the system is there, factored. Not below 0.
double trm_offset_nearer(trm_offset *offset, trm_system *system,
                         const trm_connected_components *components, const trm_extents *extent,
                         trm_rank_loss *loss, int p, double low, double t, const double *z,
                         const double *across);
/// turning[nc] := g'' of the other motion of the row that is lost at the position found, of a speed
/// of one mechanism or rad: rows that repeat it may be against it. The system is there. Returns a
/// system's code.
int trm_offset_other_motion(trm_offset *offset, trm_system *system, const trm_extents *extent,
                            double *turning);
