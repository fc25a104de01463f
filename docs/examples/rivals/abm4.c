/// Adams, Bashforth and Moulton's method of order 4 as phi_h of [ACPR95 (5.4)]: predicted by four
/// rates of the past, corrected by three of them and that at the prediction; then stabilized, and
/// evaluated there at the next step. The first three steps are those of Runge and Kutta.
#include "rivals.h"

#include <string.h>

enum { PAST = 4 };

/// How many rates are known, lambda, the rates, the newest first, then those of a stage and three
/// states.
static long memory(int nq, int nv, int nc, void *user)
{
    (void)user;
    return (PAST + 4L) * (nq + nv) + nc + 1;
}

/// rates := (q', v') at (t, q, v).
static int evaluate(const trm_mechanism *m, double t, const double *y, double *rates,
                    double *lambda)
{
    const int code = m->accelerate(m, t, y, y + m->nq, rates + m->nq, lambda);
    m->rates(m, y, y + m->nq, rates);
    return code;
}

/// now := now + h (k1 + 2 k2 + 2 k3 + k4)/6.
static int by_runge_kutta(const trm_mechanism *m, double t, double h, double *now,
                          const double *first, double *k, double *y, double *lambda)
{
    const int n = m->nq + m->nv;
    const double c[] = {0.5, 0.5, 1}, b[] = {1.0 / 3, 1.0 / 3, 1.0 / 6};
    double *const start = y + n;
    memcpy(start, now, (size_t)n * sizeof *now);
    memcpy(k, first, (size_t)n * sizeof *k);
    for (int i = 0; i < n; i++) {
        now[i] += h / 6 * k[i];
    }
    for (int s = 0; s < 3; s++) {
        for (int i = 0; i < n; i++) {
            y[i] = start[i] + c[s] * h * k[i];
        }
        const int code = evaluate(m, t + c[s] * h, y, k, lambda);
        if (code) {
            return code;
        }
        for (int i = 0; i < n; i++) {
            now[i] += b[s] * h * k[i];
        }
    }
    return 0;
}

static int by_adams(const trm_mechanism *m, double t, double h, double *now, const double *past,
                    double *k, double *y, double *lambda)
{
    const int n = m->nq + m->nv;
    const double *const f0 = past, *const f1 = f0 + n, *const f2 = f1 + n, *const f3 = f2 + n;
    for (int i = 0; i < n; i++) {
        y[i] = now[i] + h / 24 * (55 * f0[i] - 59 * f1[i] + 37 * f2[i] - 9 * f3[i]);
    }
    const int code = evaluate(m, t + h, y, k, lambda);
    for (int i = 0; i < n; i++) {
        now[i] += h / 24 * (9 * k[i] + 19 * f0[i] - 5 * f1[i] + f2[i]);
    }
    return code;
}

static int step(const trm_mechanism *m, double t, double h, double *q, double *v, double *memory,
                void *user)
{
    const int n = m->nq + m->nv;
    double *const known = memory, *const lambda = known + 1, *const past = lambda + m->nc;
    double *const k = past + PAST * n, *const now = k + n, *const y = now + n;
    (void)user;
    memcpy(now, q, (size_t)m->nq * sizeof *q);
    memcpy(now + m->nq, v, (size_t)m->nv * sizeof *v);
    memmove(past + n, past, (PAST - 1) * (size_t)n * sizeof *past);
    *known += *known < PAST;
    int code = evaluate(m, t, now, past, lambda);
    code = code            ? code
           : *known < PAST ? by_runge_kutta(m, t, h, now, past, k, y, lambda)
                           : by_adams(m, t, h, now, past, k, y, lambda);
    memcpy(q, now, (size_t)m->nq * sizeof *q);
    memcpy(v, now + m->nq, (size_t)m->nv * sizeof *v);
    return code;
}

const trm_own_integrator rival_abm4 = {
    .version = TRM_REGISTER_VERSION,
    .name = "abm4",
    .doc = "Adams, Bashforth, Moulton, steps of fixed size",
    .source = "ACPR95 (5.4)",
    .order = 4,
    .memory = memory,
    .step = step,
};
