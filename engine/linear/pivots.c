#include "engine/linear/pivots.h"
#include "base/loops.h"
#include "base/quad.h"

#include <float.h>
#include <math.h>

#if TRM_W == 1
/// Of the entries up to the last multiple of four, which is returned.
TRM_INLINE int scale_fours(const trm_pattern *p, const double *S, const double *scale, double *D)
{
    const int n = p->n, *const at = p->pivot;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        const trm_quad pivots = {S[at[i]], S[at[i + 1]], S[at[i + 2]], S[at[i + 3]]};
        const trm_quad scales = *trm_quad_at(scale + i);
        const trm_quad_truth above = pivots > scales;
        *trm_quad_to(D + i) =
            (trm_quad)((above & (trm_quad_truth)pivots) | (~above & (trm_quad_truth)scales));
    }
    return i;
}
#endif

TRM_WIDE static void scale_all(const trm_pattern *p, const trm_lane *S, const trm_lane *scale,
                               trm_lane *D)
{
    int i = 0;
#if TRM_W == 1
    i = scale_fours(p, S, scale, D);
#endif
    for (; i < p->n; i++) {
        D[i] = trm_lane_larger(S[p->pivot[i]], scale[i]);
    }
}

void trm_pivots_scale(const trm_pattern *p, const trm_lane *S, const trm_lane *scale, trm_lane *D)
{
    scale_all(p, S, scale, D);
}

#if TRM_W == 1
/// Of the entries up to the last multiple of four, which is returned.
TRM_INLINE int decide_fours(int n, const double *inverse, const double *D, double *largest)
{
    const trm_quad infinite = {INFINITY, INFINITY, INFINITY, INFINITY};
    trm_quad most = {0, 0, 0, 0};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        trm_quad ratio = *trm_quad_at(inverse + i) * *trm_quad_at(D + i);
        const trm_quad_truth positive = ratio > 0;
        ratio =
            (trm_quad)((positive & (trm_quad_truth)ratio) | (~positive & (trm_quad_truth)infinite));
        const trm_quad_truth more = ratio > most;
        most = (trm_quad)((more & (trm_quad_truth)ratio) | (~more & (trm_quad_truth)most));
    }
    *largest = trm_larger(trm_larger(most[0], most[1]), trm_larger(most[2], most[3]));
    return i;
}
#endif

TRM_WIDE static trm_lane decide(int n, const trm_lane *inverse, const trm_lane *D)
{
    const trm_lane infinite = (trm_lane){0} + INFINITY;
    trm_lane largest = {0};
    int i = 0;
#if TRM_W == 1
    i = decide_fours(n, inverse, D, &largest);
#endif
    for (; i < n; i++) {
        const trm_lane ratio = inverse[i] * D[i];
        largest = trm_lane_larger(trm_lane_choose(ratio > 0.0, ratio, infinite), largest);
    }
    return largest;
}

trm_lane trm_pivots_decide(int n, const trm_lane *inverse, const trm_lane *D)
{
    return decide(n, inverse, D);
}
