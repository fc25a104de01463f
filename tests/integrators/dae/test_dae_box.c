/// What shooting back keeps of a boundary value problem: the papers' tables have one constraint
/// only.
#include "tests/integrators/dae/wide_problem.h"

/// C of two rows, of which the second differs from the first in one small entry.
enum { N4 = 4 };
static const double flat_C[2 * N4] = {0.5, 0.5, 0, 0, 0.5, 0.5, 0.1, 0};

static int flat_f(double t, const double *x, double *f, void *user)
{
    (void)user;
    for (int i = 0; i < N4; i++) {
        f[i] = cos(t + i) - 0.3 * x[(i + 1) % N4];
    }
    return 0;
}

static int flat_B(double t, const double *x, double *B, void *user)
{
    (void)t, (void)x, (void)user;
    const double value[N4 * 2] = {1, 0, 0, 0.2, 0.3, 1, 0.1, 0};
    memcpy(B, value, sizeof value);
    return 0;
}

static int flat_G(double t, const double *x, double *G, void *user)
{
    (void)t, (void)x, (void)user;
    memcpy(G, flat_C, sizeof flat_C);
    return 0;
}

static int flat_g(double t, const double *x, double *g, void *user)
{
    (void)user;
    g[0] = 0.5 * (x[0] + x[1]) - sin(t);
    g[1] = 0.5 * (x[0] + x[1]) + 0.1 * x[2] - cos(t);
    return 0;
}

static int flat_g_t(double t, const double *x, double *g_t, void *user)
{
    (void)x, (void)user;
    g_t[0] = -cos(t);
    g_t[1] = sin(t);
    return 0;
}

/// C x + r = 0 at the end determines x_0, the first of the largest, and, the first row taken off,
/// x_2; x_1 and x_3 stay.
CLAIM(shooting_back_keeps_what_the_constraint_leaves_open)
{
    trm_error err = {0};
    trm_dae_bvp *bvp = NULL;
    const trm_dae_problem problem = {.name = "flat",
                                     .nx = N4,
                                     .ny = 2,
                                     .f = flat_f,
                                     .B = flat_B,
                                     .g = flat_g,
                                     .G = flat_G,
                                     .g_t = flat_g_t,
                                     .linear = 1};
    const double start[2 * N4] = {0, 1, 0, 0, 0, 0, 0, 1}, end[2 * N4] = {0}, zero[2] = {0, 0};
    const trm_dae_boundary boundary = {
        .t0 = 0, .tf = 1, .steps = 6, .B0 = start, .B1 = end, .beta = zero};
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    options.epsilon = 0.5;
    assert_done(trm_dae_bvp_create(&problem, &options, &boundary, &bvp, &err), &err);
    assert_int_equal(trm_dae_bvp_shoot_back(bvp, 1, &err), TRM_ERR_OPTIONS);
    iterate(bvp, 1);
    assert_int_equal(trm_dae_bvp_shoot_back(bvp, 0, &err), TRM_ERR_OPTIONS);
    double before[N4], g[2];
    memcpy(before, trm_dae_bvp_state(bvp, 6).x, sizeof before);
    flat_g(1, before, g, NULL);
    assert_true(fabs(g[0]) > 1e-4 && fabs(g[1]) > 1e-4);
    assert_done(trm_dae_bvp_shoot_back(bvp, 1, &err), &err);
    const double *const x = trm_dae_bvp_state(bvp, 6).x;
    assert_near(x[1], before[1], 1e-13);
    assert_near(x[3], before[3], 1e-13);
    assert_near(trm_dae_bvp_state(bvp, 6).drift, 0, 1e-13);
    assert_true(fabs(x[0] - before[0]) > 1e-4 && fabs(x[2] - before[2]) > 1e-4);
    trm_dae_bvp_destroy(bvp);
}
