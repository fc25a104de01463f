/// The generalized-alpha method for the form of index 3 [Arnold, Bruels, Multibody System Dynamics
/// 18 (2007); rotations: Bruels, Cardona, Arnold, Mechanism and Machine Theory 48 (2012)], and for
/// the stabilized form of index 2 [Arnold, Cardona, Bruels, Numerische Mathematik 129 (2015)].
///
///     q+ = q moved by  h v + h^2 ((1/2 - beta) a + beta a+)  and, of index 2,  - B eta
///     v+ = v + h ((1 - gamma) a + gamma a+)
///     (1 - alpha_m) a+ + alpha_m a = (1 - alpha_f) v'+ + alpha_f v'
///     M v'+ = f - G^T lambda,    0 = g(q+) and, of index 2,  0 = G v+ + g_t
///
/// alpha_m = (2 rho - 1)/(rho + 1), alpha_f = rho/(rho + 1), gamma = 1/2 + alpha_f - alpha_m,
/// beta = (gamma + 1/2)^2/4: order 2 with any rho, the part of the fastest oscillations that a step
/// leaves. Newton's matrix is that of M and G, without derivatives of forces: not for stiff ones.
#include "rivals.h"

#include <math.h>
#include <string.h>

static const double rho = 0.8;

typedef struct vectors {
    double *rate, *a;           ///< [nv] v' and a at the start of the step
    double *rate_next, *a_next; ///< [nv]
    double *x, *shift;          ///< [nv] q moved by; - B eta
    double *f, *change;         ///< [nv]
    double *v;                  ///< [nv]
    double *q, *half;           ///< [nq], [nv + 2 nq]
    double *lambda, *g, *y;     ///< [nc]
} vectors;

static long memory(int nq, int nv, int nc, void *user)
{
    (void)user;
    return 10L * nv + 3L * nq + 3L * nc;
}

static vectors vectors_in(const trm_mechanism *m, double *memory)
{
    vectors at;
    double **const of[] = {&at.rate,  &at.a, &at.rate_next, &at.a_next, &at.x,
                           &at.shift, &at.f, &at.change,    &at.v};
    for (int i = 0; i < 9; i++) {
        *of[i] = memory + i * m->nv;
    }
    at.q = memory + 9 * m->nv;
    at.half = at.q + m->nq;
    at.lambda = at.half + 2 * m->nq + m->nv;
    at.g = at.lambda + m->nc;
    at.y = at.g + m->nc;
    return at;
}

static int start(const trm_mechanism *m, double t, const double *q, const double *v, double *memory,
                 void *user)
{
    const vectors at = vectors_in(m, memory);
    (void)user;
    const int code = m->accelerate(m, t, q, v, at.rate, at.lambda);
    memcpy(at.a, at.rate, (size_t)m->nv * sizeof *at.a);
    return code;
}

/// An iteration by Newton's method of (v'+, lambda, eta); the change of a velocity times h.
static int iterate(const trm_mechanism *m, double t, double h, const double *q, const double *v,
                   int stabilized, const vectors *at, double *change)
{
    const double alpha_m = (2 * rho - 1) / (rho + 1), alpha_f = rho / (rho + 1);
    const double gamma = 0.5 + alpha_f - alpha_m, beta = (gamma + 0.5) * (gamma + 0.5) / 4;
    const double part = (1 - alpha_f) / (1 - alpha_m); // of a+ that v'+ is
    for (int i = 0; i < m->nv; i++) {
        at->a_next[i] =
            part * at->rate_next[i] + (alpha_f * at->rate[i] - alpha_m * at->a[i]) / (1 - alpha_m);
        at->x[i] =
            h * v[i] + h * h * ((0.5 - beta) * at->a[i] + beta * at->a_next[i]) + at->shift[i];
        at->v[i] = v[i] + h * ((1 - gamma) * at->a[i] + gamma * at->a_next[i]);
    }
    rival_move(m, q, at->x, at->q, at->half);
    int code = m->position(m, t + h, at->q, at->g);
    code = code ? code : m->factor(m);
    code = code ? code : m->force(m, at->v, at->f);
    if (code) {
        return code;
    }
    m->solve_M(m, at->f);
    for (int i = 0; i < m->nv; i++) {
        at->change[i] = at->f[i] - at->rate_next[i];
    }
    m->multiply_G(m, at->change, at->lambda); // S lambda = G (W f - v'+) + what is to be closed
    m->velocity_residual(m, at->v, at->y);
    for (int r = 0; r < m->nc; r++) {
        at->lambda[r] +=
            stabilized ? at->y[r] / (h * gamma * part) : at->g[r] / (h * h * beta * part);
    }
    m->solve(m, at->lambda);
    m->spread(m, at->lambda, at->x);
    *change = 0;
    for (int i = 0; i < m->nv; i++) {
        at->change[i] -= at->x[i];
        at->rate_next[i] += at->change[i];
        *change = fmax(*change, h * h * fabs(at->change[i]));
    }
    if (stabilized) {
        m->solve(m, at->g);
        m->spread(m, at->g, at->x);
        for (int i = 0; i < m->nv; i++) {
            at->shift[i] -= at->x[i];
            *change = fmax(*change, fabs(at->x[i]));
        }
    }
    return 0;
}

static int step_of(const trm_mechanism *m, double t, double h, double *q, double *v, double *memory,
                   int stabilized)
{
    const vectors at = vectors_in(m, memory);
    rival_iteration iteration = {0};
    int done = 0;
    memcpy(at.rate_next, at.rate, (size_t)m->nv * sizeof *q);
    memset(at.shift, 0, (size_t)m->nv * sizeof *q);
    while (!done) {
        double change;
        const int code = iterate(m, t, h, q, v, stabilized, &at, &change);
        if (code) {
            return code;
        }
        done = rival_is_done(&iteration, change);
    }
    memcpy(q, at.q, (size_t)m->nq * sizeof *q);
    memcpy(v, at.v, (size_t)m->nv * sizeof *v);
    memcpy(at.rate, at.rate_next, (size_t)m->nv * sizeof *q);
    memcpy(at.a, at.a_next, (size_t)m->nv * sizeof *q);
    return done < 0;
}

static int step(const trm_mechanism *m, double t, double h, double *q, double *v, double *memory,
                void *user)
{
    (void)user;
    return step_of(m, t, h, q, v, memory, 0);
}

static int stabilized_step(const trm_mechanism *m, double t, double h, double *q, double *v,
                           double *memory, void *user)
{
    (void)user;
    return step_of(m, t, h, q, v, memory, 1);
}

const trm_own_integrator rival_generalized_alpha = {
    .version = TRM_REGISTER_VERSION,
    .name = "generalized-alpha",
    .doc = "of index 3, rho = 0.8",
    .source = "Arnold, Bruels 2007",
    .stabilization = "index-3",
    .order = 2,
    .memory = memory,
    .start = start,
    .step = step,
};

const trm_own_integrator rival_generalized_alpha_ggl = {
    .version = TRM_REGISTER_VERSION,
    .name = "generalized-alpha-ggl",
    .doc = "of stabilized index 2, rho = 0.8",
    .source = "Arnold, Cardona, Bruels 2015",
    .stabilization = "index-2",
    .order = 2,
    .memory = memory,
    .start = start,
    .step = stabilized_step,
};
