/// What the fuzz targets share. Each takes any bytes and must neither crash, nor leak, nor run
/// without bound, nor break a promise of the library: *out is NULL after a failure, a state is
/// finite, a start and a run close their joints.
///
/// A target is linked with libFuzzer by validation/fuzz, or with replay.c for the suite.
#pragma once

#include "trammel/trammel_check.h"
#include "trammel/trammel_query.h"
#include "trammel/trammel_report.h"
#include "trammel/trammel_simulation.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/// A broken promise ends the process, as a crash would.
#define PROMISE(holds)                                                                             \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #holds);                    \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/// Bytes as a source of choices; zeros when it is empty.
typedef struct bytes_left {
    const uint8_t *at;
    size_t left;
} bytes_left;

static inline unsigned choose(bytes_left *b, unsigned n)
{
    if (b->left == 0) {
        return 0;
    }
    b->left--;
    return *b->at++ % n;
}

/// A number of [from, to].
static inline double number(bytes_left *b, double from, double to)
{
    return from + (to - from) * choose(b, 256) / 255;
}

/// Steps of any kind, at most so many, and the promises at the end of each.
static inline void take_steps(trm_sim *sim, const trm_model *model, int most)
{
    const trm_sizes n = trm_model_sizes(model);
    trm_error err;
    for (int k = 0; k < most; k++) {
        const double before = trm_sim_state(sim).t;
        const long events = trm_sim_events(sim);
        const trm_status status = trm_sim_step(sim, &err);
        const trm_state state = trm_sim_state(sim);
        for (int i = 0; i < n.nq; i++) {
            PROMISE(isfinite(state.q[i]));
        }
        for (int i = 0; i < n.nv; i++) {
            PROMISE(isfinite(state.v[i]));
        }
        const int moved = state.t > before, stopped = trm_sim_events(sim) > events;
        PROMISE(status == TRM_OK ? moved || (stopped && state.t == before) : state.t == before);
        if (status != TRM_OK) {
            PROMISE(err.message[0] != '\0');
            return;
        }
    }
}
