/// The two-link arms of the papers in reduced coordinates q = (theta1, theta2), theta2 relative to
/// the first link, as models from equations. Links of 1 m; c12 = cos(theta1 + theta2), and so on.
///
///   M = m ( 5/3 + c2   1/3 + c2/2 )     height of the tip  y = s1 + s12,   dy/dq = (c1 + c12, c12)
///         ( sym.       1/3        )     its reach          x = c1 + c12
///
/// prescribed_arm  [AL95 Example 6.4]: m = 3, g = y, a force made so that the solution is
///                 q = (sin t, -2 sin t), lambda = cos t
/// parabola_arm    [ACPR95 Example 2, Case I]: m = 36, g = y - x^2 + beta, gravity
/// sine_arm        [ACPR95 Example 2, Case II]: m = 36, g = y - sin(omega t)^2, gravity;
///                 `user` points to omega (1/s), NULL: 1/2
///
/// The definitions are static: validation/papers/problems/problems.c
/// and the tests each include them once.
#pragma once

#include <math.h>

#include "trammel/trammel_equations.h"

static void arm_mass(double m, const double *q, double *M)
{
    const double c2 = cos(q[1]);
    M[0] = m * (5.0 / 3.0 + c2);
    M[1] = M[2] = m * (1.0 / 3.0 + c2 / 2.0);
    M[3] = m / 3.0;
}

/// dy/dq and dx/dq.
static void arm_tip_gradients(const double *q, double y[2], double x[2])
{
    y[1] = cos(q[0] + q[1]);
    y[0] = cos(q[0]) + y[1];
    x[1] = -sin(q[0] + q[1]);
    x[0] = -sin(q[0]) + x[1];
}

/// v^T (d2y/dq2) v, and the same of x.
static void arm_tip_curvatures(const double *q, const double *v, double *y, double *x)
{
    const double w1 = v[0] * v[0], w12 = (v[0] + v[1]) * (v[0] + v[1]);
    *y = -sin(q[0]) * w1 - sin(q[0] + q[1]) * w12;
    *x = -cos(q[0]) * w1 - cos(q[0] + q[1]) * w12;
}

static double arm_tip_y(const double *q)
{
    return sin(q[0]) + sin(q[0] + q[1]);
}

static double arm_tip_x(const double *q)
{
    return cos(q[0]) + cos(q[0] + q[1]);
}

// ------------------------------------------------------------------------------- prescribed_arm

static int prescribed_M(const trm_model *model, double t, const double *q, double *M, void *user)
{
    (void)model, (void)t, (void)user;
    arm_mass(3.0, q, M);
    return 0;
}

static int prescribed_f(const trm_model *model, double t, const double *q, const double *v,
                        double *f, void *user)
{
    (void)model, (void)v, (void)user;
    const double c12 = cos(q[0] + q[1]);
    f[0] = (cos(q[0]) + c12) * cos(t) - 3.0 * sin(t);
    f[1] = c12 * cos(t) + (1.0 - 1.5 * cos(q[1])) * sin(t);
    return 0;
}

static int prescribed_g(const trm_model *model, double t, const double *q, double *g, void *user)
{
    (void)model, (void)t, (void)user;
    g[0] = arm_tip_y(q);
    return 0;
}

/// G of prescribed_arm and of sine_arm.
static int height_G(const trm_model *model, double t, const double *q, double *G, void *user)
{
    (void)model, (void)t, (void)user;
    double x[2];
    arm_tip_gradients(q, G, x);
    return 0;
}

static int prescribed_gamma(const trm_model *model, double t, const double *q, const double *v,
                            double *gamma, void *user)
{
    (void)model, (void)t, (void)user;
    double y, x;
    arm_tip_curvatures(q, v, &y, &x);
    gamma[0] = -y;
    return 0;
}

static const double prescribed_v0[2] = {1.0, -2.0};

static const trm_equations prescribed_arm = {
    .name = "two-link arm, prescribed motion",
    .nq = 2,
    .nv = 2,
    .nc = 1,
    .v0 = prescribed_v0,
    .M = prescribed_M,
    .f = prescribed_f,
    .g = prescribed_g,
    .G = height_G,
    .gamma = prescribed_gamma,
};

// -------------------------------------------------------------------- parabola_arm and sine_arm

static int heavy_M(const trm_model *model, double t, const double *q, double *M, void *user)
{
    (void)model, (void)t, (void)user;
    arm_mass(36.0, q, M);
    return 0;
}

static int heavy_f(const trm_model *model, double t, const double *q, const double *v, double *f,
                   void *user)
{
    (void)model, (void)t, (void)user;
    const double m = 36.0, weight = 36.0 * 9.81;
    const double c1 = cos(q[0]), c12 = cos(q[0] + q[1]), s2 = sin(q[1]);
    f[0] = -weight * c1 / 2.0 - weight * (c1 + c12 / 2.0) +
           m * s2 / 2.0 * (2.0 * v[0] * v[1] + v[1] * v[1]);
    f[1] = -weight * c12 / 2.0 - m * s2 / 2.0 * v[0] * v[0];
    return 0;
}

static int parabola_g(const trm_model *model, double t, const double *q, double *g, void *user)
{
    (void)model, (void)t, (void)user;
    const double x = arm_tip_x(q), beta = 0.46791111376204392946; // 4 cos^2 70 deg
    g[0] = arm_tip_y(q) - x * x + beta;
    return 0;
}

static int parabola_G(const trm_model *model, double t, const double *q, double *G, void *user)
{
    (void)model, (void)t, (void)user;
    double x[2];
    arm_tip_gradients(q, G, x);
    for (int i = 0; i < 2; i++) {
        G[i] -= 2.0 * arm_tip_x(q) * x[i];
    }
    return 0;
}

/// g'' = y'' - 2 x'^2 - 2 x x''
static int parabola_gamma(const trm_model *model, double t, const double *q, const double *v,
                          double *gamma, void *user)
{
    (void)model, (void)t, (void)user;
    double y, x, dy[2], dx[2];
    arm_tip_curvatures(q, v, &y, &x);
    arm_tip_gradients(q, dy, dx);
    const double vx = dx[0] * v[0] + dx[1] * v[1];
    gamma[0] = -(y - 2.0 * vx * vx - 2.0 * arm_tip_x(q) * x);
    return 0;
}

static double sine_omega(const void *user)
{
    return user != NULL ? *(const double *)user : 0.5;
}

static int sine_g(const trm_model *model, double t, const double *q, double *g, void *user)
{
    (void)model;
    const double s = sin(sine_omega(user) * t);
    g[0] = arm_tip_y(q) - s * s;
    return 0;
}

static int sine_g_t(const trm_model *model, double t, const double *q, double *g_t, void *user)
{
    (void)model, (void)q;
    const double omega = sine_omega(user);
    g_t[0] = -omega * sin(2.0 * omega * t);
    return 0;
}

/// g'' = y'' - 2 omega^2 cos(2 omega t)
static int sine_gamma(const trm_model *model, double t, const double *q, const double *v,
                      double *gamma, void *user)
{
    (void)model;
    const double omega = sine_omega(user);
    double y, x;
    arm_tip_curvatures(q, v, &y, &x);
    gamma[0] = -(y - 2.0 * omega * omega * cos(2.0 * omega * t));
    return 0;
}

/// 70 and -140 degrees, at rest.
static const double heavy_q0[2] = {1.2217304763960306, -2.4434609527920612};

static const trm_equations parabola_arm = {
    .name = "two-link arm on a parabola",
    .nq = 2,
    .nv = 2,
    .nc = 1,
    .q0 = heavy_q0,
    .M = heavy_M,
    .f = heavy_f,
    .g = parabola_g,
    .G = parabola_G,
    .gamma = parabola_gamma,
};

static const trm_equations sine_arm = {
    .name = "two-link arm at a driven height",
    .nq = 2,
    .nv = 2,
    .nc = 1,
    .q0 = heavy_q0,
    .M = heavy_M,
    .f = heavy_f,
    .g = sine_g,
    .G = height_G,
    .g_t = sine_g_t,
    .gamma = sine_gamma,
};
