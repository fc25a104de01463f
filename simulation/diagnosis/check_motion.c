// Nearby closed positions: the rank outside special positions, and the number of freedoms along
// which the mechanism really moves.
//
//   z in null(J), |z| = l/50, l the shortest body; close q + z
//
// A real freedom ends near q + z; a freedom of the first derivative alone comes back to q.

#include "base/linear/sums.h"
#include "simulation/diagnosis/diagnosis_context.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 6, MOST_SAMPLES = 64, FREEDOMS = 8, TIMES = 3 };

static const double step = 0.02, real = 0.3;

/// Move q along `direction` and close it. Returns whether that worked.
static int follow(trm_diagnosis_context *d, double t, double *q)
{
    trm_conditioning *const p = &d->conditioning;
    for (int i = 0; i < p->nv; i++) {
        d->moved[i] = step * p->grain * d->direction[i];
    }
    trm_conditioning_move(p, d->moved, q);
    const trm_closing_task task = {.t = t};
    if (trm_conditioning_close_rows(p, &task, q, d->moved) > TRM_CLOSED) {
        return 0;
    }
    for (int i = 0; i < p->nv; i++) {
        d->moved[i] += step * p->grain * d->direction[i];
    }
    return 1;
}

/// Keep q when its rank is the highest so far. Returns 0 without memory.
static int consider(trm_diagnosis_context *d, double t, const double *q)
{
    trm_conditioning *const p = &d->conditioning;
    if (trm_conditioning_at(p, t, q)) {
        return 1;
    }
    if (!trm_conditioning_rank(p)) {
        return 0;
    }
    if (p->basis.rank > d->found.rank_nearby) {
        d->found.rank_nearby = p->basis.rank;
        d->generic_t = t;
        memcpy(d->generic, q, (size_t)p->nq * sizeof(double));
    }
    return 1;
}

static int rank_at(trm_diagnosis_context *d, double t, const double *q)
{
    return trm_conditioning_at(&d->conditioning, t, q) == 0 &&
           trm_conditioning_rank(&d->conditioning);
}

/// The given velocity as a direction, if there is one and the rows of the basis allow it.
static int given_motion(trm_diagnosis_context *d)
{
    const int nv = d->conditioning.nv;
    for (int i = 0; i < nv; i++) {
        d->direction[i] = d->v[i] / d->conditioning.column[i];
    }
    const double speed = trm_length(nv, d->direction);
    trm_row_basis_remove(&d->conditioning.basis, nv, d->direction);
    const double length = trm_length(nv, d->direction);
    for (int i = 0; i < nv && length > 0; i++) {
        d->direction[i] /= length;
    }
    return speed > 0 && length > 0.5 * speed;
}

/// Positions along the given velocity, then along random freedoms, from the best one so far:
/// where many loops are singular at once, each step frees some of them. A position that came
/// back does not count as a neighbour.
static int sample_freedoms(trm_diagnosis_context *d)
{
    trm_conditioning *const p = &d->conditioning;
    const int samples = p->nc > 150 ? SAMPLES / 2 : SAMPLES;
    int in_vain = 0;
    for (int k = 0; k < MOST_SAMPLES && in_vain < samples; k++) {
        const int before = d->found.rank_nearby;
        if (!rank_at(d, d->generic_t, d->generic)) {
            return 0;
        }
        if (!(k == 0 && given_motion(d)) && !trm_conditioning_free_motion(p, d->direction)) {
            return 1;
        }
        memcpy(d->trial, d->generic, (size_t)p->nq * sizeof(double));
        if (follow(d, 0, d->trial) && trm_length(p->nv, d->moved) > 0.1 * step * p->grain &&
            !consider(d, 0, d->trial)) {
            return 0;
        }
        in_vain = d->found.rank_nearby > before ? 0 : in_vain + 1;
    }
    return 1;
}

/// Positions a drive leads to.
static int sample_times(trm_diagnosis_context *d)
{
    static const double fraction[TIMES] = {0.003, 0.017, 0.041};
    for (int k = 0; k < TIMES; k++) {
        const trm_closing_task task = {.t = fraction[k] * d->end};
        memcpy(d->trial, d->q, (size_t)d->conditioning.nq * sizeof(double));
        if (trm_conditioning_close_rows(&d->conditioning, &task, d->trial, d->moved) <=
                TRM_CLOSED &&
            trm_length(d->conditioning.nv, d->moved) > 1e-3 * d->conditioning.grain &&
            !consider(d, task.t, d->trial)) {
            return 0;
        }
    }
    return 1;
}

/// z := an orthonormal base of up to FREEDOMS free motions. Returns how many.
static int base_of_freedoms(trm_diagnosis_context *d, double *z)
{
    const int nv = d->conditioning.nv, free = trm_conditioning_freedoms(&d->conditioning);
    const int n = free < FREEDOMS ? free : FREEDOMS;
    for (int k = 0; k < n; k++) {
        double *const x = z + (size_t)k * (size_t)nv;
        trm_conditioning_free_motion(&d->conditioning, x);
        const trm_row_basis before = {.rank = k, .Q = z};
        trm_row_basis_remove(&before, nv, x);
        trm_row_basis_remove(&before, nv, x);
        const double length = trm_length(nv, x);
        for (int i = 0; i < nv; i++) {
            x[i] /= length;
        }
    }
    return n;
}

/// P_jk: how far the motion along z_j went along z_k. Its rank is the number of real freedoms; -1
/// where a motion does not close: how far it would have gone is not known then.
static int count_real(trm_diagnosis_context *d, int n, const double *z, double *P, int *mobility)
{
    trm_conditioning *const p = &d->conditioning;
    for (int j = 0; j < n; j++) {
        memcpy(d->trial, d->generic, (size_t)p->nq * sizeof(double));
        memcpy(d->direction, z + (size_t)j * (size_t)p->nv, (size_t)p->nv * sizeof(double));
        if (!follow(d, d->generic_t, d->trial)) {
            *mobility = -1;
            return 1;
        }
        for (int k = 0; k < n; k++) {
            P[j * n + k] = 0;
            for (int i = 0; i < p->nv; i++) {
                P[j * n + k] +=
                    d->moved[i] * z[(size_t)k * (size_t)p->nv + (size_t)i] / (step * p->grain);
            }
        }
    }
    int order[FREEDOMS];
    trm_row_basis basis = {.order = order};
    if (!trm_row_rank(n, n, P, real, &basis)) {
        return 0;
    }
    *mobility = basis.rank;
    return 1;
}

static int measure_mobility(trm_diagnosis_context *d)
{
    trm_conditioning *const p = &d->conditioning;
    double *const z = trm_pool_take(&d->pool, (size_t)FREEDOMS * (size_t)p->nv, sizeof(double));
    double P[FREEDOMS * FREEDOMS];
    if (!z || !rank_at(d, d->generic_t, d->generic)) {
        return 0;
    }
    const int free = trm_conditioning_freedoms(p);
    const int n = base_of_freedoms(d, z);
    int mobility = 0;
    if (n > 0 && !count_real(d, n, z, P, &mobility)) {
        return 0;
    }
    d->found.mobility = mobility == n ? free : free > n ? -1 : mobility;
    return 1;
}

/// Without the rows of velocity. Leaves the basis as it is with them. Returns 0 without memory.
static int count_freedoms_of_position(trm_diagnosis_context *d)
{
    trm_conditioning *const p = &d->conditioning;
    d->found.freedoms_of_position = d->found.degrees_of_freedom;
    if (!p->system->speed) {
        return 1;
    }
    p->positions_only = 1;
    const int ok = trm_conditioning_rank(p);
    p->positions_only = 0;
    d->found.freedoms_of_position = trm_conditioning_freedoms(p);
    return ok && trm_conditioning_rank(p);
}

trm_status trm_diagnosis_motion(trm_diagnosis_context *context, trm_error *err)
{
    trm_diagnosis *const found = &context->found;
    const int open = found->examined == TRM_EXAMINED_OPEN;
    if (!rank_at(context, 0, context->q)) {
        return trm_diagnosis_no_memory(err);
    }
    found->rank = context->conditioning.basis.rank;
    found->rank_nearby = found->rank;
    found->gruebler = trm_system_motions(context->conditioning.system) - context->conditioning.nc;
    found->degrees_of_freedom = trm_conditioning_freedoms(&context->conditioning);
    if (!count_freedoms_of_position(context)) {
        return trm_diagnosis_no_memory(err);
    }
    memcpy(context->generic, context->q, (size_t)context->conditioning.nq * sizeof(double));
    const int ok =
        open || (sample_freedoms(context) && sample_times(context) && measure_mobility(context));
    return ok ? TRM_OK : trm_diagnosis_no_memory(err);
}
