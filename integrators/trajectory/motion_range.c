#include "integrators/trajectory/motion_range.h"
#include "base/accuracy_policy.h"
#include "base/loops.h"

#include <float.h>
#include <math.h>
#include <string.h>

void trm_motion_range_layout(trm_motion_range *range, int nq, int nv, trm_arena *arena)
{
    range->nq = nq;
    range->nv = nv;
    range->group = trm_arena_ints(arena, nq + nv);
    range->origin = trm_arena_doubles(arena, nq);
    range->most = trm_arena_doubles(arena, 4 * nv);
    range->tried = trm_arena_doubles(arena, 4 * nv);
}

/// Lengths of a part and its angles, by the first velocity of the body that stands for it.
static void group_bodies(trm_motion_range *range, const trm_model *model)
{
    for (int b = 0; b < model->sizes.nbody; b++) {
        const trm_body_info *const body = &model->body_info[b];
        const int part = model->component ? 2 * model->component[body->v0] : 0;
        for (int k = 0; k < body->nq; k++) {
            range->group[body->q0 + k] = part + trm_model_q_turns(model, body, k);
        }
        for (int k = 0; k < body->nv; k++) {
            range->group[range->nq + body->v0 + k] =
                2 * range->nv + part + trm_model_v_turns(model, body, k);
        }
    }
}

void trm_motion_range_begin(trm_motion_range *range, const trm_model *model, const double *q)
{
    const int nq = range->nq, nv = range->nv;
    for (int i = 0; i < nq + nv; i++) { // of equations: each its own
        range->group[i] = i < nq ? 2 * (i < nv ? i : nv - 1) : 2 * (nv + i - nq);
    }
    if (!model->from_equations) {
        group_bodies(range, model);
    }
    range->nearest = DBL_EPSILON;
    range->least = model->may_lose_rank ? TRM_FINEST : 4 * DBL_EPSILON;
    memcpy(range->origin, q, (size_t)nq * sizeof *q);
    memset(range->most, 0, 4 * (size_t)nv * sizeof(double));
}

void trm_motion_range_take(trm_motion_range *range, const trm_motion_range *from)
{
    memcpy(range->origin, from->origin, (size_t)range->nq * sizeof(double));
    memcpy(range->most, from->most, 4 * (size_t)range->nv * sizeof(double));
    range->least = from->least;
    range->nearest = from->nearest;
}

/// tried[4*nv] := the ranges with y = (q, v).
static void try_point(trm_motion_range *range, const double *y)
{
    const int nq = range->nq, nv = range->nv;
    double *const tried = range->tried;
    memcpy(tried, range->most, 4 * (size_t)nv * sizeof(double));
    for (int i = 0; i < nq; i++) {
        double *const of = &tried[range->group[i]];
        *of = trm_larger(fabs(y[i] - range->origin[i]), *of);
    }
    for (int i = nq; i < nq + nv; i++) {
        double *const of = &tried[range->group[i]];
        *of = trm_larger(fabs(y[i]), *of);
    }
}

void trm_motion_range_units(trm_motion_range *range, const trm_extents *extents, double part,
                            double h, const double *y, double *unit)
{
    const int nq = range->nq, nv = range->nv;
    const double *const tried = range->tried;
    try_point(range, y);
    for (int i = 0; i < nq; i++) {
        unit[i] = part * tried[range->group[i]] + range->least * (extents->q[i] + fabs(y[i]));
    }
    for (int i = nq; i < nq + nv; i++) {
        unit[i] =
            part * tried[range->group[i]] + range->least * (extents->v[i - nq] / h + fabs(y[i]));
    }
}

void trm_motion_range_accept(trm_motion_range *range, const double *z)
{
    if (z) {
        try_point(range, z);
    }
    memcpy(range->most, range->tried, 4 * (size_t)range->nv * sizeof(double));
}
