/// Half-explicit method of order 5 for the form of index 2: six stages over the tableau of Dormand
/// and Prince [Murua, Computing 59 (1997), his PHEM56; the first such method of order 5 is Brasey
/// and Hairer's].
///
///     Q_i = q + h sum_{j<i} a_ij q'_j,     V_i = v + h sum_{j<i} a_ij v'_j
///     v'_i = M^-1 f - B lambda_i at (Q_i, V_i),   lambda_i from
///     0 = G(P_i) (v + h sum_{j<=i} p_ij v'_j) + g_t,   P_i = q + h sum_{j<=i} p_ij q'_j
///
/// v'_1 is that of [ACC]; the last P and its velocity are the end of the step. G(P_i) B(Q_i) is not
/// symmetric: it is eliminated as a dense matrix.
#include "rivals.h"

#include <string.h>

enum { STAGES = 6 };

// clang-format off
static const double c[STAGES] = {0, 1.0/5, 3.0/10, 4.0/5, 8.0/9, 1};
static const double a[STAGES][STAGES] = {
    {0},
    {1.0/5},
    {3.0/40, 9.0/40},
    {44.0/45, -56.0/15, 32.0/9},
    {19372.0/6561, -25360.0/2187, 64448.0/6561, -212.0/729},
    {9017.0/3168, -355.0/33, 46732.0/5247, 49.0/176, -5103.0/18656}};
static const double pc[STAGES] = {0, 3.0/10, 3.0/8, 5.0/7, 1, 1};
static const double p[STAGES][STAGES] = {
    {0},
    {3.0/40, 9.0/40},
    {21.0/256, 45.0/256, 15.0/128},
    {19235.0/98784, -225.0/392, 6235.0/6174, 2755.0/32928},
    {-293.0/1152, 85.0/48, -2275.0/1908, 35.0/32, -2835.0/6784},
    {35.0/384, 0, 500.0/1113, 125.0/192, -2187.0/6784, 11.0/84}};
// clang-format on

typedef struct stages {
    double *q[STAGES], *v[STAGES]; ///< q'_i, v'_i
    double *Q, *V;                 ///< of a stage
    double *lambda;                ///< [nc]
    double *unit;                  ///< [nc]
    double *B;                     ///< [nc*nv], row r is M^-1 G^T e_r
    double *A;                     ///< [nc*nc]
    double *order;                 ///< [2*nc]
} stages;

static long memory(int nq, int nv, int nc, void *user)
{
    (void)user;
    return (STAGES + 1L) * (nq + nv) + (long)nc * (nv + nc + 4);
}

static stages stages_in(const trm_mechanism *m, double *memory)
{
    stages s;
    for (int i = 0; i < STAGES; i++) {
        s.q[i] = memory;
        s.v[i] = s.q[i] + m->nq;
        memory = s.v[i] + m->nv;
    }
    s.Q = memory;
    s.V = s.Q + m->nq;
    s.lambda = s.V + m->nv;
    s.unit = s.lambda + m->nc;
    s.B = s.unit + m->nc;
    s.A = s.B + m->nc * m->nv;
    s.order = s.A + m->nc * m->nc;
    return s;
}

/// out[n] = x + h sum_{j<count} weight_j k_j
static void combine(int n, int count, double h, const double *weight, double *const *k,
                    const double *x, double *out)
{
    memcpy(out, x, (size_t)n * sizeof *out);
    for (int j = 0; j < count; j++) {
        for (int i = 0; i < n; i++) {
            out[i] += h * weight[j] * k[j][i];
        }
    }
}

/// v'_i without reactions, q'_i and B at (Q_i, V_i).
static int evaluate(const trm_mechanism *m, double t, int i, const stages *s)
{
    int code = m->position(m, t, s->Q, s->lambda);
    code = code ? code : m->force(m, s->V, s->v[i]);
    if (code) {
        return code;
    }
    m->solve_M(m, s->v[i]);
    m->rates(m, s->Q, s->V, s->q[i]);
    memset(s->unit, 0, (size_t)m->nc * sizeof *s->unit);
    for (int r = 0; r < m->nc; r++) {
        s->unit[r] = 1;
        m->spread(m, s->unit, s->B + r * m->nv);
        s->unit[r] = 0;
    }
    return 0;
}

/// v'_i -= B lambda with lambda from the constraint at P_i; Q and V become P_i and its velocity.
static int constrain(const trm_mechanism *m, double t, double h, int i, const double *q,
                     const double *v, const stages *s)
{
    combine(m->nq, i + 1, h, p[i], s->q, q, s->Q);
    combine(m->nv, i + 1, h, p[i], s->v, v, s->V);
    const int code = m->position(m, t + pc[i] * h, s->Q, s->lambda);
    if (code) {
        return code;
    }
    for (int r = 0; r < m->nc; r++) {
        m->multiply_G(m, s->B + r * m->nv, s->unit);
        for (int l = 0; l < m->nc; l++) {
            s->A[l * m->nc + r] = h * p[i][i] * s->unit[l];
        }
    }
    m->velocity_residual(m, s->V, s->lambda);
    rival_solve(m->nc, s->A, s->lambda, s->order);
    for (int r = 0; r < m->nc; r++) {
        for (int l = 0; l < m->nv; l++) {
            s->v[i][l] -= s->lambda[r] * s->B[r * m->nv + l];
        }
    }
    combine(m->nv, i + 1, h, p[i], s->v, v, s->V);
    return 0;
}

static int step(const trm_mechanism *m, double t, double h, double *q, double *v, double *memory,
                void *user)
{
    const stages s = stages_in(m, memory);
    (void)user;
    int code = m->accelerate(m, t, q, v, s.v[0], s.lambda);
    m->rates(m, q, v, s.q[0]);
    for (int i = 1; i < STAGES && !code; i++) {
        combine(m->nq, i, h, a[i], s.q, q, s.Q);
        combine(m->nv, i, h, a[i], s.v, v, s.V);
        code = evaluate(m, t + c[i] * h, i, &s);
        code = code ? code : constrain(m, t, h, i, q, v, &s);
    }
    memcpy(q, s.Q, (size_t)m->nq * sizeof *q);
    memcpy(v, s.V, (size_t)m->nv * sizeof *v);
    return code;
}

const trm_own_integrator rival_hem5 = {
    .version = TRM_REGISTER_VERSION,
    .name = "hem5",
    .doc = "half-explicit, six stages",
    .source = "Murua 1997",
    .order = 5,
    .memory = memory,
    .step = step,
};
