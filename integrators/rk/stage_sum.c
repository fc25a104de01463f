#include "integrators/rk/stage_sum.h"
#include "base/together.h"

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

#if TRM_W == 1
enum { TOGETHER = TRM_TOGETHER }; // numbers

TRM_INLINE const trm_together_there *at(const double *x)
{
    return trm_together_at(x);
}

TRM_INLINE trm_together_there *to(double *x)
{
    return trm_together_to(x);
}
#else
enum { TOGETHER = 1 };

TRM_INLINE const trm_lane *at(const trm_lane *x)
{
    return x;
}

TRM_INLINE trm_lane *to(trm_lane *x)
{
    return x;
}
#endif

/// Four stages in a pass over `out`, which costs as much as the arithmetic of a stage.
TRM_WIDE static void add_stages(const trm_stage_weights *weights, int first, int n,
                                const trm_lane *z, trm_lane h, trm_lane *const *k, trm_lane *out)
{
    for (int j = 0; j < weights->count; j += 4) {
        const int *stage = weights->stage + j;
        const trm_lane *k0 = k[stage[0]] + first, *k1 = k[stage[1]] + first;
        const trm_lane *k2 = k[stage[2]] + first, *k3 = k[stage[3]] + first;
        const trm_lane w0 = h * weights->weight[j], w1 = h * weights->weight[j + 1];
        const trm_lane w2 = h * weights->weight[j + 2], w3 = h * weights->weight[j + 3];
        for (int i = 0; i < n; i += TOGETHER) {
            *to(out + i) = *at(z + i) + ((w0 * *at(k0 + i) + w1 * *at(k1 + i)) +
                                         (w2 * *at(k2 + i) + w3 * *at(k3 + i)));
        }
        z = out;
    }
}

void trm_stage_sum(const trm_stage_weights *weights, int first, int n, const trm_lane *z,
                   trm_lane h, trm_lane *const *k, trm_lane *out)
{
    add_stages(weights, first, n, z, h, k, out);
}
