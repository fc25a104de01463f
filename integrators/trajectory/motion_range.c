#include "integrators/trajectory/motion_range.h"
#include "base/accuracy_policy.h"
#include "base/loops.h"
#include "base/rank_numbers.h"
#include "engine/joint_coordinates/joint_tree.h"

#include <float.h>
#include <math.h>
#include <string.h>

void trm_motion_range_layout(trm_motion_range *range, int nq, int nv, trm_arena *arena)
{
    range->nq = nq;
    range->nv = nv;
    range->group = trm_arena_ints(arena, nq + nv);
    range->arm = trm_arena_doubles(arena, nq + nv);
    range->origin = trm_arena_doubles(arena, nq);
    TRM_ARENA_DOUBLES(arena, 4 * nv, &range->most, &range->tried);
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

static void find_arms(trm_motion_range *range, const trm_joint_tree *tree)
{
    for (int k = 0; k < tree->ndofs; k++) {
        const trm_dof *dof = &tree->dofs[k];
        range->arm[range->nq + k] = dof->arm;
        for (int c = 0; c < (dof->kind == TRM_DOF_BALL ? 4 : 1); c++) {
            range->arm[dof->q + c] = fmax(range->arm[dof->q + c], dof->arm);
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
    if (model->joints) {
        find_arms(range, model->joints);
    }
    range->allowed = 0;
    range->sigma = 1;
    range->rough = 1;
    range->least = range->usual = model->may_lose_rank ? TRM_FINEST : 4 * DBL_EPSILON;
    memcpy(range->origin, q, (size_t)nq * sizeof *q);
    memset(range->most, 0, 4 * (size_t)nv * sizeof(double));
}

void trm_motion_range_take(trm_motion_range *range, const trm_motion_range *from)
{
    memcpy(range->origin, from->origin, (size_t)range->nq * sizeof(double));
    memcpy(range->most, from->most, 4 * (size_t)range->nv * sizeof(double));
    range->least = from->least;
    range->allowed = from->allowed;
    range->rough = from->rough;
    range->bounded = from->bounded;
}

/// tried[4*nv] takes component i, `by` from its origin and moving bodies by arm * most at most.
static void widen(trm_motion_range *range, int i, double by, double most)
{
    double *const of = &range->tried[range->group[i]];
    *of = trm_larger(by, *of);
    if (range->arm[i] > 0) {
        double *const lengths = &range->tried[range->group[i] & ~1];
        *lengths = fmax(*lengths, range->arm[i] * fmin(by, most));
    }
}

/// The range that component i is measured by.
static double range_of(const trm_motion_range *range, int i)
{
    const int group = range->group[i];
    const double own = range->tried[group], arm = range->arm[i];
    return arm > 0 ? fmin(own, range->tried[group & ~1] / arm) : own;
}

/// tried[4*nv] := the ranges with y = (q, v).
static void try_point(trm_motion_range *range, const double *y)
{
    const int nq = range->nq, nv = range->nv;
    memcpy(range->tried, range->most, 4 * (size_t)nv * sizeof(double));
    for (int i = 0; i < nq; i++) {
        widen(range, i, fabs(y[i] - range->origin[i]), 2); // across a circle
    }
    for (int i = nq; i < nq + nv; i++) {
        widen(range, i, fabs(y[i]), INFINITY);
    }
}

static int has_moved(const trm_motion_range *range)
{
    for (int i = 0; i < 4 * range->nv; i++) {
        if (range->tried[i] > 0) {
            return 1;
        }
    }
    return 0;
}

/// What roundoff of velocity i lasts by, in its units; INFINITY: a step. By the time in which the
/// motion went through its range, once that is seen; of one that gains more in a step than any
/// stiffness makes of roundoff, by the time of its weight. Without a weight rest by balance has no
/// time. A velocity is its range over sigma of the rows, near dependence by their gaps, too.
static double lasting(const trm_motion_range *range, const trm_extents *extents, double part,
                      double h, int i)
{
    const double size = extents->v[i - range->nq], least = range->least;
    const double *const most = &range->tried[range->group[i]];
    const double moved = most[-2 * range->nv], weighs = sqrt(size * extents->weight);
    const int seen = most[0] > 0 && part * moved > least * size;
    const int falls = range->group[i] % 2 == 0 && weighs > 0; // angles have no weight
    const int real = falls && most[0] > 4 * DBL_EPSILON * size / h;
    if (range->sigma < TRM_NEAR || (!seen && !real)) {
        return INFINITY;
    }
    const double speed = seen ? size * most[0] / moved : INFINITY;
    return trm_larger(real ? trm_lesser(speed, weighs) : speed, most[0] / range->sigma);
}

void trm_motion_range_units(trm_motion_range *range, const trm_extents *extents, double part,
                            double h, const double *y, double *unit)
{
    const int nq = range->nq, nv = range->nv;
    try_point(range, y);
    // what has no length is as exact as its weight, which a floor may cancel
    const int known = extents->known || !has_moved(range);
    const double least = range->least, gained = extents->weight * h;
    range->bounded = 0;
    for (int i = 0; i < nq; i++) {
        const double own = part * range_of(range, i), size = known ? extents->q[i] : gained * h;
        unit[i] = trm_larger(own + least * (size + fabs(y[i])), DBL_MIN);
    }
    for (int i = nq; i < nq + nv; i++) {
        const double own = part * range_of(range, i), step = extents->v[i - nq] / h;
        const double lasts = trm_larger(lasting(range, extents, part, h, i), gained);
        const int stands = range->tried[range->group[i]] < least * gained;
        const int shown = range->rough || range->sigma < TRM_NEAR || isfinite(lasts) || stands;
        const double most = trm_lesser(step, trm_larger(own / least, lasts));
        range->bounded |= !shown && step * least > own;
        const double speed = !known ? gained : shown ? most : trm_lesser(step, own / least);
        unit[i] = trm_larger(own + least * (speed + fabs(y[i])), DBL_MIN);
    }
}

void trm_motion_range_accept(trm_motion_range *range, const double *z)
{
    if (z) {
        try_point(range, z);
    }
    memcpy(range->most, range->tried, 4 * (size_t)range->nv * sizeof(double));
}
