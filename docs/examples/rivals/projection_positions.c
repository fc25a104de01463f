/// Projection on positions only: after each step q goes to the nearest q with 0 = g, by M; v stays
/// as the step left it [Ascher, Chin, Petzold, Reich 1995, section 5].
///
///     q := q - N B S^-1 g,  again until q no longer changes,    B = M^-1 G^T, S = G B
#include "rivals.h"

#include <math.h>
#include <stdlib.h>

/// Until a correction is not half of the one before: roundoff.
static int project(const trm_mechanism *m, double t, double *q, double *y, double *x)
{
    enum { MOST = 60 };
    double last = INFINITY, change = 0;
    for (int i = 0; i < MOST && change < last / 2; i++) {
        last = i > 0 ? change : last;
        int code = m->position(m, t, q, y);
        code = code ? code : m->factor(m);
        if (code) {
            return code;
        }
        m->solve(m, y);
        m->spread(m, y, x);
        for (int j = 0; j < m->nv; j++) {
            x[j] = -x[j];
        }
        m->move(m, x, q);
        change = rival_largest(m->nv, x);
    }
    return !isfinite(change);
}

static int correct(const trm_mechanism *m, double t, double *q, double *v, void *user)
{
    (void)v;
    (void)user;
    double *const work = malloc((size_t)(m->nc + m->nv + 1) * sizeof *work);
    const int code = work ? project(m, t, q, work, work + m->nc) : -1;
    free(work);
    return code;
}

const trm_own_stabilization rival_projection_positions = {
    .version = TRM_REGISTER_VERSION,
    .name = "projection-positions",
    .doc = "projection on 0 = g after each step, velocities as they are",
    .source = "ACPR95 5",
    .correct = correct,
};
