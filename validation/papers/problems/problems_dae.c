#include "validation/papers/problems/problems_dae.h"

#include <math.h>

// ----------------------------------------------------------- [AL95] example 6.1: x = (e^-t, sin t)
//
//     f = (1 - e^-t, cos t + e^t sin t),  B = x,  g = (x1^2 + x2^2 - e^-2t - sin^2 t)/2,  y = e^t
//
// f1 is printed 1 - e^t, which the exact solution does not satisfy.

static int position_B(double t, const double *x, double *B, void *user)
{
    (void)t;
    (void)user;
    B[0] = x[0];
    B[1] = x[1];
    return 0;
}

static int f_61(double t, const double *x, double *f, void *user)
{
    (void)x;
    (void)user;
    f[0] = 1 - exp(-t);
    f[1] = cos(t) + exp(t) * sin(t);
    return 0;
}

static int g_61(double t, const double *x, double *g, void *user)
{
    (void)user;
    g[0] = (x[0] * x[0] + x[1] * x[1] - exp(-2 * t) - sin(t) * sin(t)) / 2;
    return 0;
}

static int g_t_61(double t, const double *x, double *g_t, void *user)
{
    (void)x;
    (void)user;
    g_t[0] = exp(-2 * t) - sin(t) * cos(t);
    return 0;
}

static void x_decay_sine(double t, double x[2])
{
    x[0] = exp(-t);
    x[1] = sin(t);
}

static void By_61(double t, double By[2])
{
    By[0] = 1;
    By[1] = exp(t) * sin(t);
}

const trm_paper_dae trm_paper_al95_61 = {
    .problem = {.name = "AL95 example 6.1",
                .nx = 2,
                .ny = 1,
                .f = f_61,
                .B = position_B,
                .g = g_61,
                .G = position_B,
                .g_t = g_t_61},
    .x0 = {1, 0},
    .x = x_decay_sine,
    .By = By_61,
};

// ------------------------------------------------ [AL95] example 6.2: x = (t - 1/2, t^2 - 1/4), y
// = e^t
//
//     f = (1 + (t - 1/2) e^t, 2 t + (t^2 - 1/4) e^t),  B = x,
//     g = (x1^2 + x2^2 - (t - 1/2)^2 - (t^2 - 1/4)^2)/2

static int f_62(double t, const double *x, double *f, void *user)
{
    (void)x;
    (void)user;
    f[0] = 1 + (t - 0.5) * exp(t);
    f[1] = 2 * t + (t * t - 0.25) * exp(t);
    return 0;
}

static int g_62(double t, const double *x, double *g, void *user)
{
    (void)user;
    const double a = t - 0.5;
    const double b = t * t - 0.25;
    g[0] = (x[0] * x[0] + x[1] * x[1] - a * a - b * b) / 2;
    return 0;
}

static int g_t_62(double t, const double *x, double *g_t, void *user)
{
    (void)x;
    (void)user;
    g_t[0] = -(t - 0.5) - 2 * t * (t * t - 0.25);
    return 0;
}

static void x_62(double t, double x[2])
{
    x[0] = t - 0.5;
    x[1] = t * t - 0.25;
}

static void By_62(double t, double By[2])
{
    x_62(t, By);
    By[0] *= exp(t);
    By[1] *= exp(t);
}

const trm_paper_dae trm_paper_al95_62 = {
    .problem = {.name = "AL95 example 6.2",
                .nx = 2,
                .ny = 1,
                .f = f_62,
                .B = position_B,
                .g = g_62,
                .G = position_B,
                .g_t = g_t_62},
    .x0 = {-0.5, -0.25},
    .x = x_62,
    .By = By_62,
};

// ------------------------------ [AL95] example 6.3: x = (1 - 2 t, sin t), y = -cos t/(1 - 2 t)
//
//     f = (-x1 + x2 - sin t - (1 + 2 t), 0),  B = (0, x1),  g = x1^2 + x1 (x2 - sin t - 1 + 2 t)

static int f_63(double t, const double *x, double *f, void *user)
{
    (void)user;
    f[0] = -x[0] + x[1] - sin(t) - (1 + 2 * t);
    f[1] = 0;
    return 0;
}

static int B_63(double t, const double *x, double *B, void *user)
{
    (void)t;
    (void)user;
    B[0] = 0;
    B[1] = x[0];
    return 0;
}

static int g_63(double t, const double *x, double *g, void *user)
{
    (void)user;
    g[0] = x[0] * x[0] + x[0] * (x[1] - sin(t) - 1 + 2 * t);
    return 0;
}

static int G_63(double t, const double *x, double *G, void *user)
{
    (void)user;
    G[0] = 2 * x[0] + x[1] - sin(t) - 1 + 2 * t;
    G[1] = x[0];
    return 0;
}

static int g_t_63(double t, const double *x, double *g_t, void *user)
{
    (void)user;
    g_t[0] = x[0] * (2 - cos(t));
    return 0;
}

static void x_63(double t, double x[2])
{
    x[0] = 1 - 2 * t;
    x[1] = sin(t);
}

static void By_cosine(double t, double By[2])
{
    By[0] = 0;
    By[1] = -cos(t);
}

const trm_paper_dae trm_paper_al95_63 = {
    .problem = {.name = "AL95 example 6.3",
                .nx = 2,
                .ny = 1,
                .f = f_63,
                .B = B_63,
                .g = g_63,
                .G = G_63,
                .g_t = g_t_63},
    .x0 = {1, 0},
    .x = x_63,
    .By = By_cosine,
};

// -------------------- [AL93] examples 1, 2 and 3: x = (e^-t, sin t), our y = -cos t/(1 - 2 t)
//
//     A = (-1 1; 0 0),  q = (-sin t, 0),  B = (0, 1 - 2 t),
//     0 = (1 - 2 t) (x1 + x2 - e^-t - sin t); in the second half of example 3 without the factor

static int f_93(double t, const double *x, double *f, void *user)
{
    (void)user;
    f[0] = -x[0] + x[1] - sin(t);
    f[1] = 0;
    return 0;
}

static int B_93(double t, const double *x, double *B, void *user)
{
    (void)x;
    (void)user;
    B[0] = 0;
    B[1] = 1 - 2 * t;
    return 0;
}

static int g_3(double t, const double *x, double *g, void *user)
{
    (void)user;
    g[0] = x[0] + x[1] - exp(-t) - sin(t);
    return 0;
}

static int G_3(double t, const double *x, double *G, void *user)
{
    (void)t;
    (void)x;
    (void)user;
    G[0] = 1;
    G[1] = 1;
    return 0;
}

static int g_t_3(double t, const double *x, double *g_t, void *user)
{
    (void)x;
    (void)user;
    g_t[0] = exp(-t) - cos(t);
    return 0;
}

static int g_1(double t, const double *x, double *g, void *user)
{
    g_3(t, x, g, user);
    g[0] *= 1 - 2 * t;
    return 0;
}

static int G_1(double t, const double *x, double *G, void *user)
{
    G_3(t, x, G, user);
    G[0] *= 1 - 2 * t;
    G[1] *= 1 - 2 * t;
    return 0;
}

static int g_t_1(double t, const double *x, double *g_t, void *user)
{
    double g = 0;
    g_3(t, x, &g, user);
    g_t_3(t, x, g_t, user);
    g_t[0] = -2 * g + (1 - 2 * t) * g_t[0];
    return 0;
}

const trm_paper_dae trm_paper_al93_1 = {
    .problem = {.name = "AL93 example 1",
                .nx = 2,
                .ny = 1,
                .f = f_93,
                .B = B_93,
                .g = g_1,
                .G = G_1,
                .g_t = g_t_1,
                .linear = 1},
    .x0 = {1, 0},
    .x = x_decay_sine,
    .By = By_cosine,
};

const trm_paper_dae trm_paper_al93_3 = {
    .problem = {.name = "AL93 example 3",
                .nx = 2,
                .ny = 1,
                .f = f_93,
                .B = B_93,
                .g = g_3,
                .G = G_3,
                .g_t = g_t_3,
                .linear = 1},
    .x0 = {1, 0},
    .x = x_decay_sine,
    .By = By_cosine,
};

static const double at_start[2] = {0, 1};
static const double at_end[2] = {1, 0};
static const double inverse_e[1] = {0.36787944117144233};

const trm_dae_boundary trm_paper_al93_1_boundary = {
    .t0 = 0, .tf = 1, .steps = 100, .B0 = at_start, .B1 = at_end, .beta = inverse_e};

// ------------------------------------ [AL93] example 4: x = (e^t, e^t), our y = -e^t, A = 0
//
//     C = (t - 1/2, t^2 - 1/4),  B = C^T,  q = (e^t - C1 e^t, e^t - C2 e^t),  r = -(C1 + C2) e^t

static int f_4(double t, const double *x, double *f, void *user)
{
    (void)x;
    (void)user;
    f[0] = exp(t) * (1 - (t - 0.5));
    f[1] = exp(t) * (1 - (t * t - 0.25));
    return 0;
}

static int G_4(double t, const double *x, double *G, void *user)
{
    (void)x;
    (void)user;
    G[0] = t - 0.5;
    G[1] = t * t - 0.25;
    return 0;
}

static int g_4(double t, const double *x, double *g, void *user)
{
    (void)user;
    g[0] = (t - 0.5) * (x[0] - exp(t)) + (t * t - 0.25) * (x[1] - exp(t));
    return 0;
}

static int g_t_4(double t, const double *x, double *g_t, void *user)
{
    (void)user;
    g_t[0] = x[0] - exp(t) + 2 * t * (x[1] - exp(t)) - (t - 0.5 + t * t - 0.25) * exp(t);
    return 0;
}

static void x_4(double t, double x[2])
{
    x[0] = exp(t);
    x[1] = exp(t);
}

static void By_4(double t, double By[2])
{
    By[0] = -(t - 0.5) * exp(t);
    By[1] = -(t * t - 0.25) * exp(t);
}

const trm_paper_dae trm_paper_al93_4 = {
    .problem = {.name = "AL93 example 4",
                .nx = 2,
                .ny = 1,
                .f = f_4,
                .B = G_4,
                .g = g_4,
                .G = G_4,
                .g_t = g_t_4,
                .linear = 1},
    .x0 = {1, 1},
    .x = x_4,
    .By = By_4,
};
