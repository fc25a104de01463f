/// The directions of the rows that are all but dependent at the system's current point, factored in
/// the mass metric: left singular vectors of D^-1/2 G M^-1/2 whose singular value is below `low`,
/// null directions left out, by inverse iteration, those found before left out.
#pragma once

#include "engine/rank/rank.h"

typedef struct trm_rank_loss {
    int room, count;
    double *W, *DW; ///< [room*nc] by row, orthonormal in units of sqrt(D), and D W
    double *sigma;  ///< [room]
    double *D;      ///< [nc] by row of g
    double *f, *u;  ///< [nv]
} trm_rank_loss;

void trm_rank_loss_layout(trm_rank_loss *loss, int nc, int nv, trm_arena *arena);
/// Find the directions of component p, or of all components if p < 0. At least one is found,
/// whatever its sigma. Returns how many are below `low`.
int trm_rank_loss_find(trm_rank_loss *loss, trm_system *system,
                       const trm_connected_components *components, int p, double low);
/// x[nv] := x - M^-1 G^T y, y[nc] = S^+ (G x - gamma) without them: what keeps the other rows.
/// gamma NULL: 0.
void trm_rank_loss_keep_others(const trm_rank_loss *loss, trm_system *system, const double *gamma,
                               double *x, double *y);
