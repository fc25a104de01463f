#include "tools/view/motion.h"

#include "trammel/trammel_error.h"
#include "trammel/trammel_simulation.h"

#include <stdlib.h>
#include <string.h>

typedef struct recorder {
    trm_motion *motion;
    int wanted;
    double end;
    trm_status status;
    trm_error *err;
} recorder;

static void keep(trm_motion *motion, const double *q)
{
    memcpy(motion->q + (size_t)motion->n * (size_t)motion->nq, q, (size_t)motion->nq * sizeof *q);
    motion->n++;
}

static int observe(trm_sim *sim, void *user)
{
    recorder *const r = user;
    const double now = trm_sim_state(sim).t;
    // the end itself is kept from the last state, not sampled
    for (int i = r->motion->n; i < r->wanted - 1 && i * r->motion->interval <= now; i++) {
        trm_sample sample;
        r->status = trm_sim_sample(sim, i * r->motion->interval, &sample, r->err);
        if (r->status != TRM_OK) {
            return 1;
        }
        keep(r->motion, sample.state.q);
    }
    if (now == r->end && r->motion->n == r->wanted - 1) {
        keep(r->motion, trm_sim_state(sim).q);
    }
    return 0;
}

trm_status trm_motion_record(trm_sim *sim, trm_sizes sizes, double end, int n, trm_motion *out,
                             trm_error *err)
{
    const int nq = sizes.nq;
    *out = (trm_motion){.nq = nq, .interval = end / (n - 1)};
    out->q = calloc((size_t)n * (size_t)nq + 1, sizeof *out->q);
    out->v = calloc((size_t)sizes.nv + 1, sizeof *out->v);
    if (out->q == NULL || out->v == NULL) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, "", "out of memory");
    }
    recorder r = {.motion = out, .wanted = n, .end = end, .status = TRM_OK, .err = err};
    keep(out, trm_sim_state(sim).q);
    memcpy(out->v, trm_sim_state(sim).v, (size_t)sizes.nv * sizeof *out->v);
    trm_status status = TRM_OK;
    if (end > 0) {
        status = trm_sim_run(sim, end, observe, &r, err);
    }
    out->complete = status == TRM_OK || (status == TRM_STOPPED && r.status == TRM_OK);
    return status == TRM_STOPPED ? r.status : status;
}

void trm_motion_destroy(trm_motion *motion)
{
    free(motion->q);
    free(motion->v);
    *motion = (trm_motion){0};
}

const double *trm_motion_at(const trm_motion *motion, int i)
{
    return motion->q + (size_t)i * (size_t)motion->nq;
}
