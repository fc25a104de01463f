/// Products with the blocks of G that are no pins.
///
/// Those of spatial joints that fix a point, sphericals, revolutes, universals, welds, are
///
///     G = [s I; 0 | A],   s = -1 for the first body of the joint, 1 for the second
///
/// In the first three rows two points coincide, the others have rotations only; A has three
/// columns. This halves the arithmetic of six columns, and saves more in S (form_spatial.h). Rows
/// of G are stored with all six columns.
#pragma once

#include "engine/multibody/model.h"

/// y += G x
void trm_sides_multiply(const trm_model *model, const double *G, const double *x, double *y);
/// F += G^T y, F in slots.
void trm_sides_spread(const trm_model *model, const double *G, const double *y, double *F);
