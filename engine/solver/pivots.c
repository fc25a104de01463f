#include "engine/solver/pivots.h"
#include "engine/base/loops.h"
#include "engine/base/quad.h"
#include "engine/base/rank_numbers.h"

#include <float.h>

#if TRM_W == 1
/// Of the entries up to the last multiple of four, which is returned: D without its lower bound,
/// and its largest and smallest entry.
TRM_INLINE int scale_fours(const trm_pattern *p, const double *S, const double *scale, double *D,
                           double *largest, double *smallest)
{
    trm_quad most = {0, 0, 0, 0}, least = most + DBL_MAX;
    const int n = p->n, *const at = p->pivot;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        const trm_quad pivots = {S[at[i]], S[at[i + 1]], S[at[i + 2]], S[at[i + 3]]};
        const trm_quad scales = *trm_quad_at(scale + i);
        const trm_quad_truth above = pivots > scales;
        const trm_quad d =
            (trm_quad)((above & (trm_quad_truth)pivots) | (~above & (trm_quad_truth)scales));
        const trm_quad_truth more = d > most, less = d < least;
        most = (trm_quad)((more & (trm_quad_truth)d) | (~more & (trm_quad_truth)most));
        least = (trm_quad)((less & (trm_quad_truth)d) | (~less & (trm_quad_truth)least));
        *trm_quad_to(D + i) = d;
    }
    *largest = trm_larger(trm_larger(most[0], most[1]), trm_larger(most[2], most[3]));
    *smallest = trm_lesser(trm_lesser(least[0], least[1]), trm_lesser(least[2], least[3]));
    return i;
}
#endif

TRM_WIDE static void scale_all(const trm_pattern *p, const trm_lane *S, const trm_lane *scale,
                               trm_lane *D)
{
    trm_lane largest = {0};
    int i = 0;
#if TRM_W == 1
    double smallest = DBL_MAX;
    i = scale_fours(p, S, scale, D, &largest, &smallest);
#endif
    for (; i < p->n; i++) {
        D[i] = trm_lane_larger(S[p->pivot[i]], scale[i]);
        largest = trm_lane_larger(D[i], largest);
#if TRM_W == 1
        smallest = D[i] < smallest ? D[i] : smallest;
#endif
    }
    const trm_lane least = TRM_LEAST_SCALE * largest;
#if TRM_W == 1
    if (smallest >= least) { // as nearly always; entries are numbers, since scales are
        return;
    }
#endif
    for (i = 0; i < p->n; i++) {
        D[i] = trm_lane_larger(D[i], least);
    }
}

void trm_pivots_scale(const trm_pattern *p, const trm_lane *S, const trm_lane *scale, trm_lane *D)
{
    scale_all(p, S, scale, D);
}

#if TRM_W == 1
/// Of the entries up to the last multiple of four, which is returned.
TRM_INLINE int judge_fours(int n, const double *inverse, const double *D, double *largest,
                           int64_t *all)
{
    trm_quad most = {0, 0, 0, 0};
    trm_quad_truth definite = {-1, -1, -1, -1};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        const trm_quad inverses = *trm_quad_at(inverse + i);
        const trm_quad scaled = inverses * *trm_quad_at(D + i);
        const trm_quad_truth more = scaled > most;
        most = (trm_quad)((more & (trm_quad_truth)scaled) | (~more & (trm_quad_truth)most));
        definite &= (inverses > 0) & (inverses <= DBL_MAX);
    }
    *largest = trm_larger(trm_larger(most[0], most[1]), trm_larger(most[2], most[3]));
    *all = (definite[0] & definite[1] & definite[2] & definite[3]) != 0;
    return i;
}
#endif

TRM_WIDE static trm_lane_truth judge(int n, const trm_lane *inverse, const trm_lane *D,
                                     trm_lane *largest)
{
    trm_lane most = {0};
    trm_lane_truth all = most <= 0.0;
    int i = 0;
#if TRM_W == 1
    i = judge_fours(n, inverse, D, &most, &all);
#endif
    for (; i < n; i++) {
        most = trm_lane_larger(inverse[i] * D[i], most);
        all &= (inverse[i] > 0.0) & (inverse[i] <= DBL_MAX);
    }
    *largest = most;
    return all;
}

trm_lane_truth trm_pivots_judge(int n, const trm_lane *inverse, const trm_lane *D,
                                trm_lane *largest)
{
    return judge(n, inverse, D, largest);
}
