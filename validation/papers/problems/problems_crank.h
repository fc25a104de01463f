/// The equal-bar slider-crank of [AL95 Example 6.5] with the rows of g as printed there, as a model
/// from equations: q = (x1, y1, phi1, x2, y2, phi2), bars of length 2, mass 1, inertia 1/3.
///
///   g = (x1 - cos phi1, y1 - sin phi1, x2 - 2 x1 - cos phi2, y2 - 2 y1 - sin phi2,
///        2 sin phi1 + 2 sin phi2)
///
/// swinging_crank starts at rest with phi1 = 7 pi/4, phi2 = -phi1, and swings through 3 pi/2, where
/// the last row of G vanishes. The definitions are static, as in problems_arm.h.
#pragma once

#include <math.h>
#include <string.h>

#include "trammel/trammel_equations.h"

static int crank_M(const trm_model *model, double t, const double *q, double *M, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    memset(M, 0, 36 * sizeof *M);
    for (int i = 0; i < 6; i++) {
        M[7 * i] = i % 3 == 2 ? 1.0 / 3.0 : 1.0;
    }
    return 0;
}

static int crank_f(const trm_model *model, double t, const double *q, const double *v, double *f,
                   void *user)
{
    (void)model, (void)t, (void)q, (void)v, (void)user;
    memset(f, 0, 6 * sizeof *f);
    f[1] = f[4] = -9.81;
    return 0;
}

static int crank_g(const trm_model *model, double t, const double *q, double *g, void *user)
{
    (void)model, (void)t, (void)user;
    g[0] = q[0] - cos(q[2]);
    g[1] = q[1] - sin(q[2]);
    g[2] = q[3] - 2.0 * q[0] - cos(q[5]);
    g[3] = q[4] - 2.0 * q[1] - sin(q[5]);
    g[4] = 2.0 * sin(q[2]) + 2.0 * sin(q[5]);
    return 0;
}

static int crank_G(const trm_model *model, double t, const double *q, double *G, void *user)
{
    (void)model, (void)t, (void)user;
    const double c1 = cos(q[2]), s1 = sin(q[2]), c2 = cos(q[5]), s2 = sin(q[5]);
    const double rows[5][6] = {{1.0, 0.0, s1, 0.0, 0.0, 0.0},
                               {0.0, 1.0, -c1, 0.0, 0.0, 0.0},
                               {-2.0, 0.0, 0.0, 1.0, 0.0, s2},
                               {0.0, -2.0, 0.0, 0.0, 1.0, -c2},
                               {0.0, 0.0, 2.0 * c1, 0.0, 0.0, 2.0 * c2}};
    memcpy(G, rows, sizeof rows);
    return 0;
}

static int crank_gamma(const trm_model *model, double t, const double *q, const double *v,
                       double *gamma, void *user)
{
    (void)model, (void)t, (void)user;
    const double w1 = v[2] * v[2], w2 = v[5] * v[5];
    gamma[0] = -cos(q[2]) * w1;
    gamma[1] = -sin(q[2]) * w1;
    gamma[2] = -cos(q[5]) * w2;
    gamma[3] = -sin(q[5]) * w2;
    gamma[4] = 2.0 * sin(q[2]) * w1 + 2.0 * sin(q[5]) * w2;
    return 0;
}

// cos(7 pi/4) = sqrt(1/2)
static const double crank_q0[6] = {0.70710678118654752, -0.70710678118654752, 5.4977871437821382,
                                   2.12132034355964258, -0.70710678118654752, -5.4977871437821382};

static const trm_equations swinging_crank = {
    .name = "equal-bar slider-crank",
    .nq = 6,
    .nv = 6,
    .nc = 5,
    .q0 = crank_q0,
    .M = crank_M,
    .f = crank_f,
    .g = crank_g,
    .G = crank_G,
    .gamma = crank_gamma,
};
