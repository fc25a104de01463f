/// A small problem with every term of [EOM], and its formulas in plain arithmetic: what the tests
/// of single steps compare with. Nothing of the library is called here.
///
///   M = diag(2, 5/4, 1/2),   f = (cos t - 0.3 v0 + 0.2 q1, sin q0 - 0.1 v1^2, 0.4 t - q2)
///   g = (q0^2 + q1 - q2/2 + 0.2 t q2 - 0.3 sin t,   q1 q2 - 0.7 q0 + 0.1 t^2)
#pragma once

#include "tests/rig.h"

enum { NV = 3, NC = 2, NZ = 7 }; ///< z = (q, v, work)

static const double mass[NV] = {2.0, 1.25, 0.5};

static inline void f_of(double t, const double *q, const double *v, double *f)
{
    f[0] = cos(t) - 0.3 * v[0] + 0.2 * q[1];
    f[1] = sin(q[0]) - 0.1 * v[1] * v[1];
    f[2] = 0.4 * t - q[2];
}

static inline void g_of(double t, const double *q, double *g)
{
    g[0] = q[0] * q[0] + q[1] - 0.5 * q[2] + 0.2 * t * q[2] - 0.3 * sin(t);
    g[1] = q[1] * q[2] - 0.7 * q[0] + 0.1 * t * t;
}

static inline void G_of(double t, const double *q, double G[NC][NV])
{
    G[0][0] = 2.0 * q[0], G[0][1] = 1.0, G[0][2] = 0.2 * t - 0.5;
    G[1][0] = -0.7, G[1][1] = q[2], G[1][2] = q[1];
}

static inline void g_t_of(double t, const double *q, double *g_t)
{
    g_t[0] = 0.2 * q[2] - 0.3 * cos(t);
    g_t[1] = 0.2 * t;
}

static inline void gamma_of(double t, const double *v, double *gamma)
{
    gamma[0] = -2.0 * v[0] * v[0] - 0.4 * v[2] - 0.3 * sin(t);
    gamma[1] = -2.0 * v[1] * v[2] - 0.2;
}

// ------------------------------------------------------------------------------- for the library

static inline int bent_M(const trm_model *model, double t, const double *q, double *M, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    for (int i = 0; i < NV * NV; i++) {
        M[i] = i % (NV + 1) == 0 ? mass[i / (NV + 1)] : 0.0;
    }
    return 0;
}

static inline int bent_f(const trm_model *model, double t, const double *q, const double *v,
                         double *f, void *user)
{
    (void)model, (void)user;
    f_of(t, q, v, f);
    return 0;
}

static inline int bent_g(const trm_model *model, double t, const double *q, double *g, void *user)
{
    (void)model, (void)user;
    g_of(t, q, g);
    return 0;
}

static inline int bent_G(const trm_model *model, double t, const double *q, double *G, void *user)
{
    double rows[NC][NV];
    (void)model, (void)user;
    G_of(t, q, rows);
    memcpy(G, rows, sizeof rows);
    return 0;
}

static inline int bent_g_t(const trm_model *model, double t, const double *q, double *g_t,
                           void *user)
{
    (void)model, (void)user;
    g_t_of(t, q, g_t);
    return 0;
}

static inline int bent_gamma(const trm_model *model, double t, const double *q, const double *v,
                             double *gamma, void *user)
{
    (void)model, (void)q, (void)user;
    gamma_of(t, v, gamma);
    return 0;
}

/// A start on the constraints, q0 = 0.4 and v0 = 1/2: both rows are solved for the others.
static inline void start_of(double *z)
{
    const double q2 = 0.16 + sqrt(0.16 * 0.16 + 0.56);
    const double q1 = 0.5 * q2 - 0.16;
    const double v2 = (0.35 + 0.1 * q2 + 0.2 * q2 * q2) / (0.5 * q2 + q1);
    const double start[NZ] = {0.4, q1, q2, 0.5, 0.5 * v2 - 0.2 * q2 - 0.1, v2, 0.0};
    memcpy(z, start, sizeof start);
}

static inline rig open_bent_with(trm_velocity_fn *f)
{
    double z[NZ];
    start_of(z);
    return rig_equations(&(trm_equations){.name = "bent",
                                          .nq = NV,
                                          .nv = NV,
                                          .nc = NC,
                                          .q0 = z,
                                          .v0 = z + NV,
                                          .M = bent_M,
                                          .f = f,
                                          .g = bent_g,
                                          .G = bent_G,
                                          .g_t = bent_g_t,
                                          .gamma = bent_gamma});
}

static inline rig open_bent(void)
{
    return open_bent_with(bent_f);
}

// ---------------------------------------------------------------------------------- plain algebra

/// All terms at one point; W = M^-1, or the identity without the mass metric.
typedef struct point {
    double G[NC][NV], g[NC], h[NC], g_t[NC], gamma[NC]; ///< h = G v + g_t
    double a[NV];                                       ///< M^-1 f
    double B[NV][NC];                                   ///< M^-1 G^T
    double W[NV][NC], S[NC][NC];                        ///< W G^T, G W G^T
} point;

static inline void times_G(const point *p, const double *x, double *out)
{
    for (int i = 0; i < NC; i++) {
        out[i] = p->G[i][0] * x[0] + p->G[i][1] * x[1] + p->G[i][2] * x[2];
    }
}

static inline void times(double A[NV][NC], const double *x, double *out)
{
    for (int i = 0; i < NV; i++) {
        out[i] = A[i][0] * x[0] + A[i][1] * x[1];
    }
}

/// Cramer's rule.
static inline void solve(double S[NC][NC], const double *r, double *x)
{
    const double det = S[0][0] * S[1][1] - S[0][1] * S[1][0];
    const double x0 = (r[0] * S[1][1] - S[0][1] * r[1]) / det;
    x[1] = (S[0][0] * r[1] - r[0] * S[1][0]) / det;
    x[0] = x0;
}

static inline point point_at(double t, const double *z, int mass_metric)
{
    point p;
    g_of(t, z, p.g);
    G_of(t, z, p.G);
    g_t_of(t, z, p.g_t);
    gamma_of(t, z + NV, p.gamma);
    f_of(t, z, z + NV, p.a);
    times_G(&p, z + NV, p.h);
    for (int j = 0; j < NV; j++) {
        p.a[j] /= mass[j];
        for (int i = 0; i < NC; i++) {
            p.B[j][i] = p.G[i][j] / mass[j];
            p.W[j][i] = mass_metric ? p.B[j][i] : p.G[i][j];
        }
    }
    for (int i = 0; i < NC; i++) {
        p.h[i] += p.g_t[i];
        for (int k = 0; k < NC; k++) {
            p.S[i][k] = 0.0;
            for (int j = 0; j < NV; j++) {
                p.S[i][k] += p.G[i][j] * p.W[j][k];
            }
        }
    }
    return p;
}

/// dz = (v, M^-1 f - B lambda, lambda . g_t), (G B) lambda = G M^-1 f - gamma + alpha1 h + alpha0 g
static inline void index1_of(double t, const double *z, double alpha1, double alpha0, double *dz,
                             double *lambda)
{
    point p = point_at(t, z, 1);
    double r[NC], x[NV];
    times_G(&p, p.a, r);
    for (int i = 0; i < NC; i++) {
        r[i] += alpha1 * p.h[i] + alpha0 * p.g[i] - p.gamma[i];
    }
    solve(p.S, r, lambda);
    times(p.B, lambda, x);
    for (int j = 0; j < NV; j++) {
        dz[j] = z[NV + j];
        dz[NV + j] = p.a[j] - x[j];
    }
    dz[NZ - 1] = lambda[0] * p.g_t[0] + lambda[1] * p.g_t[1];
}

/// State, accelerations, multipliers and work of the run, against z, dz and lambda of the formulas.
static inline void check_step(const char *what, const rig *r, const double *z, const double *dz,
                              const double *lambda)
{
    const trm_state s = trm_sim_state(r->sim);
    const double tolerance = 1e-11; // a hundred roundings of what is multiplied by 1/epsilon
    for (int j = 0; j < NV; j++) {
        near(what, s.q[j], z[j], tolerance);
        near(what, s.v[j], z[NV + j], tolerance);
        near(what, s.a[j], dz[NV + j], tolerance);
    }
    for (int i = 0; i < NC; i++) {
        near(what, s.lambda[i], lambda[i], tolerance);
    }
    near(what, trm_sim_energy(r->sim).work, z[NZ - 1], tolerance);
}
