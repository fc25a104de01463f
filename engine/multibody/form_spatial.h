/// S = G W G^T of spatial models, block by block.
#pragma once

#include "engine/multibody/model.h"

/// S := G W G^T by the blocks of G, all values but the blanks; H, as long as G, is a workspace.
void trm_form_spatial(const trm_model *model, trm_metric metric, const double *G, double *H,
                      double *S);
