/// S = G W G^T of spatial models, block by block.
#pragma once

#include "engine/multibody/model.h"

/// S := G W G^T by the blocks of G, all values but the blanks; H, as long as G, is a workspace.
/// W has these inverse inertias; NULL: it is the identity.
void trm_form_spatial(const trm_model *model, const double *inverse_inertia, const double *G,
                      double *H, double *S);
