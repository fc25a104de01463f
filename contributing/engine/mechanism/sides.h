/// Products with the blocks of G that are no pins.
///
/// Those of spatial joints that fix a point, sphericals, revolutes, universals, welds, are
///
///     G = [s I; 0 | A],   s = -1 for the first body of the joint, 1 for the second
///
/// The first three rows say that two points coincide, the others only turn; A has three columns.
/// That is half of the arithmetic of six columns, and less in S (form_spatial.h). Rows of G are
/// stored with all six.
#ifndef TRM_SIDES_H
#define TRM_SIDES_H

#include "engine/mechanism/model.h"

/// y += G x
void trm_sides_multiply(const trm_model *model, const double *G, const double *x, double *y);
/// F += G^T y, F in slots.
void trm_sides_spread(const trm_model *model, const double *G, const double *y, double *F);

#endif
