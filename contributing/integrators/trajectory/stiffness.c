#include "integrators/trajectory/stiffness.h"

#include <math.h>

void trm_stiffness_layout(trm_stiffness *stiffness, int n, trm_arena *arena)
{
    stiffness->direction = trm_arena_doubles(arena, n);
}

void trm_stiffness_forget(trm_stiffness *stiffness)
{
    stiffness->found = stiffness->border = stiffness->calm = 0;
    stiffness->rate = 0;
}

int trm_stiffness_is_due(const trm_stiffness *stiffness, long step)
{
    return step % 64 == 0 || stiffness->border > 0;
}

int trm_stiffness_note(trm_stiffness *stiffness, const trm_stage_twins *twins)
{
    enum { SURE = 15, CALM = 6 };
    double dy = 0, dk = 0;
    for (int i = 0; i < twins->n; i++) {
        const double y = twins->y[i] - twins->y_star[i], k = twins->k[i] - twins->k_star[i];
        dy += y * y;
        dk += k * k;
    }
    const double rate = dy > 0 ? sqrt(dk / dy) : 0;
    if (!(twins->h * rate > twins->border)) {
        if (++stiffness->calm >= CALM) {
            trm_stiffness_forget(stiffness);
        }
        return 0;
    }
    stiffness->calm = 0;
    stiffness->rate = rate;
    stiffness->border++;
    stiffness->found |= stiffness->border >= SURE;
    return 1;
}
