/// Post-stabilization by the block triangular F of [ACPR95 (4.6)]: H F = I for h = (g, G v + g_t)
/// also below the diagonal, so that both are left with the square of what a step of order p makes,
/// of order 2 (p + 1).
///
///     x  = B S^-1 g,    q := q~ - N x,    B = M^-1 G^T, S = G B at q~
///     v := v~ - B S^-1 (G v~ + g_t - (v~^T g_qq) x)
///
/// The last bracket is G v~ + g_t at q~ - N x up to squares of x, and is taken there: no second
/// derivative.
#include "rivals.h"

#include <stdlib.h>
#include <string.h>

static int both(const trm_mechanism *m, double t, double *q, double *v, double *y, double *x,
                double *there)
{
    int code = m->position(m, t, q, y);
    code = code ? code : m->factor(m);
    if (code) {
        return code;
    }
    m->solve(m, y);
    m->spread(m, y, x);
    for (int i = 0; i < m->nv; i++) {
        x[i] = -x[i];
    }
    memcpy(there, q, (size_t)m->nq * sizeof *there);
    m->move(m, x, there);
    code = m->position(m, t, there, y);
    m->velocity_residual(m, v, y);
    code = code ? code : m->position(m, t, q, there + m->nq); // back to the factors' point
    code = code ? code : m->factor(m);
    if (code) {
        return code;
    }
    m->solve(m, y);
    m->spread(m, y, x);
    for (int i = 0; i < m->nv; i++) {
        v[i] -= x[i];
    }
    memcpy(q, there, (size_t)m->nq * sizeof *q);
    return 0;
}

static int correct(const trm_mechanism *m, double t, double *q, double *v, void *user)
{
    (void)user;
    double *const work = malloc((size_t)(2 * m->nc + m->nv + m->nq + 1) * sizeof *work);
    double *const x = work ? work + m->nc : NULL;
    const int code = work ? both(m, t, q, v, work, x, x + m->nv) : -1;
    free(work);
    return code;
}

const trm_own_stabilization rival_s_lower = {
    .version = TRM_REGISTER_VERSION,
    .name = "s-lower",
    .doc = "corrected after each step by the block triangular F",
    .source = "ACPR95 (4.6)",
    .correct = correct,
};
