// Following the drives from t = 0 to the end: the first time no nearby position satisfies them.
//
// The step is halved where closing fails; when it has become a
// billionth of the run, the motion ends.

#include "simulation/diagnosis/diagnosis_context.h"

#include <math.h>
#include <string.h>

enum { GRID = 64, PROBES = 12, MOST = 60 * GRID }; // MOST: closings, 60 halvings in each interval

/// Whether g depends on t at all, by values at irregular times.
static int depends_on_time(trm_diagnosis_context *d)
{
    trm_conditioning *const p = &d->conditioning;
    for (int k = 0; k < PROBES; k++) {
        double change = 0;
        const double t = d->end * (k + 0.618) / PROBES;
        if (trm_conditioning_at(p, 0, d->q)) {
            return 0;
        }
        memcpy(p->y, p->r, (size_t)p->nc * sizeof(double));
        if (trm_conditioning_at(p, t, d->q)) {
            return 1;
        }
        for (int i = 0; i < p->nc; i++) {
            change = fmax(change, fabs(p->r[i] - p->y[i]));
        }
        if (change > 0) {
            return 1;
        }
    }
    return 0;
}

static int closes_at(trm_diagnosis_context *d, double t, double *q)
{
    const trm_closing_task task = {.t = t};
    return trm_conditioning_close_rows(&d->conditioning, &task, q, NULL) <= TRM_CLOSED;
}

/// Follow from q at 0. Returns the time at which the motion ends; `end` when it does not.
static double march(trm_diagnosis_context *d, double *q)
{
    const size_t bytes = (size_t)d->conditioning.nq * sizeof(double);
    const double largest = d->end / GRID;
    double t = 0, dt = largest;
    for (int tries = 0; tries < MOST && t < d->end && dt > 1e-9 * d->end; tries++) {
        const double next = fmin(t + dt, d->end);
        memcpy(d->trial, q, bytes);
        if (closes_at(d, next, d->trial)) {
            memcpy(q, d->trial, bytes);
            t = next;
            dt = fmin(2 * dt, largest);
        } else {
            dt /= 2;
        }
    }
    return t;
}

trm_status trm_diagnosis_drive(trm_diagnosis_context *context, trm_error *err)
{
    trm_diagnosis *const found = &context->found;
    double *const q =
        trm_pool_take(&context->pool, (size_t)context->conditioning.nq, sizeof(double));
    if (!q) {
        return trm_diagnosis_no_memory(err);
    }
    memcpy(q, context->q, (size_t)context->conditioning.nq * sizeof(double));
    if (found->examined == TRM_EXAMINED_OPEN) {
        return trm_diagnosis_conflict(context, 0, q, err);
    }
    if (!depends_on_time(context)) {
        return TRM_OK;
    }
    const double t = march(context, q);
    if (t >= context->end) {
        return TRM_OK;
    }
    const double beyond = fmin(context->end, t + context->end / GRID);
    const trm_status status = trm_diagnosis_conflict(context, beyond, q, err);
    context->conflict[0].t = t;
    return status;
}
