#include "integrators/rk/stage_sum.h"
#include "engine/base/quad.h"

void trm_stage_weights_set(trm_stage_weights *weights, int count, const double *row)
{
    int used = 0;
    for (int j = 0; j < count; j++) {
        if (row[j] != 0) {
            weights->stage[used] = j;
            weights->weight[used++] = row[j];
        }
    }
    for (; used % 4 != 0; used++) {
        weights->stage[used] = 0;
        weights->weight[used] = 0;
    }
    weights->count = used;
}

/// Four stages in a pass over `out`, which costs as much as the arithmetic of a stage.
TRM_WIDE static void add_stages(const trm_stage_weights *weights, int first, int n, const double *z,
                                double h, double *const *k, double *out)
{
    for (int j = 0; j < weights->count; j += 4) {
        const int *stage = weights->stage + j;
        const double *k0 = k[stage[0]] + first, *k1 = k[stage[1]] + first;
        const double *k2 = k[stage[2]] + first, *k3 = k[stage[3]] + first;
        const double w0 = h * weights->weight[j], w1 = h * weights->weight[j + 1];
        const double w2 = h * weights->weight[j + 2], w3 = h * weights->weight[j + 3];
        for (int i = 0; i < n; i += 4) {
            *trm_quad_to(out + i) =
                *trm_quad_at(z + i) + ((w0 * *trm_quad_at(k0 + i) + w1 * *trm_quad_at(k1 + i)) +
                                       (w2 * *trm_quad_at(k2 + i) + w3 * *trm_quad_at(k3 + i)));
        }
        z = out;
    }
}

void trm_stage_sum(const trm_stage_weights *weights, int first, int n, const double *z, double h,
                   double *const *k, double *out)
{
    add_stages(weights, first, n, z, h, k, out);
}
