/// What counts as large in the coordinates, velocities and rows of a mechanism: its own size,
/// wherever it lies and whatever else is in the scene.
#ifndef TRM_EXTENT_H
#define TRM_EXTENT_H

#include "engine/mechanism/model.h"

typedef struct trm_extents {
    double *q; ///< [nq] m: the size of the mechanism of that body; 1 for angles and quaternions
    double *v; ///< [nv] the same, of what v_i is the rate
    double *g; ///< [nc] the same for rows: m, or 1 for rad
} trm_extents;

void trm_extents_layout(trm_extents *extents, int nq, int nv, int nc, trm_arena *arena);

/// At q. A mechanism all in one point has the size of the model, that failing that of its largest
/// coordinate, as equations of the user have, that failing 1.
void trm_extents_measure(trm_extents *extents, const trm_model *model, const double *q);

/// max |g_i|/extent of rows.
double trm_extents_gap(const trm_extents *extents, int nc, const double *g);

/// m: the diagonal of the box around the bodies, their joints and markers at q, or the longest rod,
/// or a body held at its end, whichever is longest. 0 when all lies in one point, and for equations
/// of the user.
double trm_model_size(const trm_model *model, const double *q);

#endif
