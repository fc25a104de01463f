/// Augmented Lagrangian of index 3 with mass-orthogonal projections [Bayo, Ledesma, Nonlinear
/// Dynamics 9 (1996); Dopico, Gonzalez, Cuadrado, Koevecses, Journal of Computational and Nonlinear
/// Dynamics 9 (2014), doi 10.1115/1.4027671], by the trapezoidal rule: with the displacement d,
///
///     v+ = 2 d/h - v,    a+ = 4 d/h^2 - 4 v/h - a,    M a+ + G^T (penalty g + lambda) = f at q +
///     d, lambda := lambda + penalty g,
///
/// until d rests; then v and a go to the nearest that fulfil their constraints, by M:
///
///     (M + kappa G^T G) v = M v+ - kappa G^T g_t,  (M + kappa G^T G) a = M a+ + kappa G^T gamma
///
/// kappa = penalty h^2/4. A multiplier's error falls by 1/(1 + kappa sigma) an iteration, sigma an
/// eigenvalue of G M^-1 G^T; roundoff in (M + kappa G^T G)^-1 is eps kappa sigma, and adds up over
/// the steps. eps^(-1/4) for the mean of kappa sigma, 8e3, takes four iterations to roundoff, which
/// is eps^(3/4) a step. (Penalties of 1e7 to 1e9 at 1 ms, as in the papers, make kappa 2.5 to 250.)
/// Newton's matrix has no derivatives of forces: not for stiff ones.
#include "rivals.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct vectors {
    double *a;                  ///< [nv] at the start of the step
    double *d, *v, *a_next, *r; ///< [nv]
    double *q, *half;           ///< [nq], [nv + 2 nq]
    double *lambda, *g, *y;     ///< [nc]
    double *A, *penalized;      ///< [nv*nv]
} vectors;

static long memory(int nq, int nv, int nc, void *user)
{
    (void)user;
    return 2L * nv * nv + 6L * nv + 3L * nq + 3L * nc;
}

static vectors vectors_in(const trm_mechanism *m, double *memory)
{
    vectors at;
    double **const of[] = {&at.a, &at.d, &at.v, &at.a_next, &at.r};
    for (int i = 0; i < 5; i++) {
        *of[i] = memory + i * m->nv;
    }
    at.q = memory + 5 * m->nv;
    at.half = at.q + m->nq;
    at.lambda = at.half + 2 * m->nq + m->nv;
    at.g = at.lambda + m->nc;
    at.y = at.g + m->nc;
    at.A = at.y + m->nc;
    at.penalized = at.A + m->nv * m->nv;
    return at;
}

/// A := M + kappa G^T G = L L^T at the current point; kappa.
static double factor(const trm_mechanism *m, const vectors *at)
{
    const int n = m->nv;
    double mass = 0, square = 0;
    for (int j = 0; j < n; j++) {
        double *const column = at->A + j * n, *const penalized = at->penalized + j * n;
        memset(column, 0, (size_t)n * sizeof *column);
        column[j] = 1;
        m->multiply_G(m, column, at->y);
        m->multiply_GT(m, at->y, penalized);
        m->multiply_M(m, column);
        mass += column[j];
        square += penalized[j];
    }
    const double kappa = square > 0 ? mass / square / pow(DBL_EPSILON, 0.25) : 0;
    for (int i = 0; i < n * n; i++) {
        at->A[i] += kappa * at->penalized[i];
    }
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            double sum = at->A[i * n + j];
            for (int k = 0; k < j; k++) {
                sum -= at->A[i * n + k] * at->A[j * n + k];
            }
            at->A[i * n + j] = i == j ? sqrt(sum) : sum / at->A[j * n + j];
        }
    }
    return kappa;
}

/// x := A^-1 x.
static void solve(const trm_mechanism *m, const vectors *at, double *x)
{
    const int n = m->nv;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            x[i] -= at->A[i * n + k] * x[k];
        }
        x[i] /= at->A[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) {
            x[i] -= at->A[k * n + i] * x[k];
        }
        x[i] /= at->A[i * n + i];
    }
}

static int start(const trm_mechanism *m, double t, const double *q, const double *v, double *memory,
                 void *user)
{
    const vectors at = vectors_in(m, memory);
    (void)user;
    return m->accelerate(m, t, q, v, at.a, at.lambda);
}

/// d, v, a and lambda after one iteration; *change of d.
static int iterate(const trm_mechanism *m, double t, double h, const double *q, const double *v,
                   int again, const vectors *at, double *change)
{
    for (int i = 0; i < m->nv; i++) {
        at->v[i] = 2 * at->d[i] / h - v[i];
        at->a_next[i] = 4 * at->d[i] / (h * h) - 4 * v[i] / h - at->a[i];
    }
    rival_move(m, q, at->d, at->q, at->half);
    int code = m->position(m, t + h, at->q, at->g);
    code = code ? code : m->force(m, at->v, at->r);
    if (code) {
        return code;
    }
    const double kappa = factor(m, at), penalty = 4 * kappa / (h * h);
    for (int r = 0; r < m->nc; r++) {
        at->lambda[r] += again ? penalty * at->g[r] : 0; // by the step before
        at->y[r] = at->lambda[r] + penalty * at->g[r];
    }
    m->multiply_GT(m, at->y, at->half);
    m->multiply_M(m, at->a_next);
    for (int i = 0; i < m->nv; i++) {
        at->r[i] = -h * h / 4 * (at->a_next[i] + at->half[i] - at->r[i]);
    }
    solve(m, at, at->r);
    for (int i = 0; i < m->nv; i++) {
        at->d[i] += at->r[i];
    }
    *change = rival_largest(m->nv, at->r);
    return 0;
}

/// x := A^-1 (M x - kappa G^T y)
static void project(const trm_mechanism *m, const vectors *at, double kappa, const double *y,
                    double *x)
{
    m->multiply_GT(m, y, at->half);
    m->multiply_M(m, x);
    for (int i = 0; i < m->nv; i++) {
        x[i] -= kappa * at->half[i];
    }
    solve(m, at, x);
}

/// v and a of d, projected.
static int finish(const trm_mechanism *m, double t, double h, const double *q, double *v,
                  const vectors *at)
{
    for (int i = 0; i < m->nv; i++) {
        at->v[i] = 2 * at->d[i] / h - v[i];
        at->a[i] = 4 * at->d[i] / (h * h) - 4 * v[i] / h - at->a[i];
    }
    rival_move(m, q, at->d, at->q, at->half);
    int code = m->position(m, t + h, at->q, at->g);
    if (code) {
        return code;
    }
    const double kappa = factor(m, at);
    memset(at->r, 0, (size_t)m->nv * sizeof *at->r);
    m->velocity_residual(m, at->r, at->y); // g_t
    project(m, at, kappa, at->y, at->v);
    code = m->acceleration_residual(m, at->v, NULL, at->y); // - gamma
    project(m, at, kappa, at->y, at->a);
    return code;
}

static int step(const trm_mechanism *m, double t, double h, double *q, double *v, double *memory,
                void *user)
{
    const vectors at = vectors_in(m, memory);
    rival_iteration iteration = {0};
    int done = 0;
    (void)user;
    for (int i = 0; i < m->nv; i++) {
        at.d[i] = h * v[i] + h * h / 2 * at.a[i];
    }
    while (!done) {
        double change;
        const int code = iterate(m, t, h, q, v, iteration.count > 0, &at, &change);
        if (code) {
            return code;
        }
        done = rival_is_done(&iteration, change);
    }
    const int code = finish(m, t, h, q, v, &at);
    memcpy(q, at.q, (size_t)m->nq * sizeof *q);
    memcpy(v, at.v, (size_t)m->nv * sizeof *v);
    return code ? code : done < 0;
}

const trm_own_integrator rival_augmented_lagrangian = {
    .version = TRM_REGISTER_VERSION,
    .name = "trapezoid",
    .doc = "augmented Lagrangian of index 3, projected by M",
    .source = "Bayo, Ledesma 1996",
    .stabilization = "augmented-lagrangian",
    .order = 2,
    .memory = memory,
    .start = start,
    .step = step,
};
