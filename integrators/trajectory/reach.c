#include "integrators/trajectory/reach.h"
#include "base/accuracy_policy.h"

#include <float.h>
#include <math.h>
#include <string.h>

void trm_reach_layout(trm_reach *reach, int nq, int nv, trm_arena *arena)
{
    reach->nq = nq;
    reach->nv = nv;
    reach->group = trm_arena_ints(arena, nq + nv);
    reach->origin = trm_arena_doubles(arena, nq);
    reach->most = trm_arena_doubles(arena, 4 * nv);
    reach->tried = trm_arena_doubles(arena, 4 * nv);
}

/// Lengths of a part and its angles, by the first velocity of the body that stands for it.
static void group_bodies(trm_reach *reach, const trm_model *model)
{
    for (int b = 0; b < model->sizes.nbody; b++) {
        const trm_body_info *const body = &model->body_info[b];
        const int part = model->component ? 2 * model->component[body->v0] : 0;
        for (int k = 0; k < body->nq; k++) {
            reach->group[body->q0 + k] = part + trm_model_q_turns(model, body, k);
        }
        for (int k = 0; k < body->nv; k++) {
            reach->group[reach->nq + body->v0 + k] =
                2 * reach->nv + part + trm_model_v_turns(model, body, k);
        }
    }
}

void trm_reach_begin(trm_reach *reach, const trm_model *model, const double *q)
{
    const int nq = reach->nq, nv = reach->nv;
    for (int i = 0; i < nq + nv; i++) { // of equations: each its own
        reach->group[i] = i < nq ? 2 * (i < nv ? i : nv - 1) : 2 * (nv + i - nq);
    }
    if (!model->from_equations) {
        group_bodies(reach, model);
    }
    reach->nearest = DBL_EPSILON;
    reach->least = model->may_lose_rank ? TRM_FINEST : 4 * DBL_EPSILON;
    memcpy(reach->origin, q, (size_t)nq * sizeof *q);
    memset(reach->most, 0, 4 * (size_t)nv * sizeof(double));
}

void trm_reach_take(trm_reach *reach, const trm_reach *from)
{
    memcpy(reach->origin, from->origin, (size_t)reach->nq * sizeof(double));
    memcpy(reach->most, from->most, 4 * (size_t)reach->nv * sizeof(double));
    reach->least = from->least;
    reach->nearest = from->nearest;
}

/// tried[4*nv] := the ranges with y = (q, v).
static void try_point(trm_reach *reach, const double *y)
{
    const int nq = reach->nq, nv = reach->nv;
    double *const tried = reach->tried;
    memcpy(tried, reach->most, 4 * (size_t)nv * sizeof(double));
    for (int i = 0; i < nq; i++) {
        double *const of = &tried[reach->group[i]];
        *of = fmax(*of, fabs(y[i] - reach->origin[i]));
    }
    for (int i = nq; i < nq + nv; i++) {
        double *const of = &tried[reach->group[i]];
        *of = fmax(*of, fabs(y[i]));
    }
}

void trm_reach_units(trm_reach *reach, const trm_extents *extents, double part, double h,
                     const double *y, double *unit)
{
    const int nq = reach->nq, nv = reach->nv;
    const double *const tried = reach->tried;
    try_point(reach, y);
    for (int i = 0; i < nq; i++) {
        unit[i] = part * tried[reach->group[i]] + reach->least * (extents->q[i] + fabs(y[i]));
    }
    for (int i = nq; i < nq + nv; i++) {
        unit[i] =
            part * tried[reach->group[i]] + reach->least * (extents->v[i - nq] / h + fabs(y[i]));
    }
}

void trm_reach_accept(trm_reach *reach, const double *z)
{
    if (z) {
        try_point(reach, z);
    }
    memcpy(reach->most, reach->tried, 4 * (size_t)reach->nv * sizeof(double));
}
