/// Equations that are no mechanism: x' = f - B y, 0 = g, where GB = x1^2 vanishes at t = 1/2.
///
///     f = (-x1 + x2 - sin t - (1 + 2 t), 0),  B = (0, x1),  g = x1^2 + x1 (x2 - sin t - 1 + 2 t)
///
/// Exactly x = (1 - 2 t, sin t); y = -cos t/(1 - 2 t) is unbounded, B y = (0, -cos t) is not.
#include <trammel/trammel_dae.h>

#include <math.h>
#include <stdio.h>

static int f(double t, const double *x, double *out, void *user)
{
    (void)user;
    out[0] = -x[0] + x[1] - sin(t) - (1 + 2 * t);
    out[1] = 0;
    return 0;
}

static int B(double t, const double *x, double *out, void *user)
{
    (void)t;
    (void)user;
    out[0] = 0;
    out[1] = x[0];
    return 0;
}

static int g(double t, const double *x, double *out, void *user)
{
    (void)user;
    out[0] = x[0] * x[0] + x[0] * (x[1] - sin(t) - 1 + 2 * t);
    return 0;
}

static int G(double t, const double *x, double *out, void *user)
{
    (void)user;
    out[0] = 2 * x[0] + x[1] - sin(t) - 1 + 2 * t;
    out[1] = x[0];
    return 0;
}

static int g_t(double t, const double *x, double *out, void *user)
{
    (void)user;
    out[0] = x[0] * (2 - cos(t));
    return 0;
}

int main(void)
{
    const trm_dae_problem problem = {
        .name = "example", .nx = 2, .ny = 1, .f = f, .B = B, .g = g, .G = G, .g_t = g_t};
    const double x0[] = {1, 0};
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM_SINGULAR);
    options.iterations = 3;
    trm_dae_sim *sim = NULL;
    trm_error err;
    if (trm_dae_sim_create(&problem, &options, 0, x0, &sim, &err) ||
        trm_dae_sim_run(sim, 1, &err)) {
        return fprintf(stderr, "%s: %s\n", err.where, err.message) > 0;
    }
    for (int s = 1; s <= 3; s++) {
        const trm_dae_state state = trm_dae_sim_state(sim, s);
        printf("iterate %d: x(1) = (%.7f, %.7f), B y = (%.4f, %.4f), |g| = %.1e\n", s, state.x[0],
               state.x[1], state.By[0], state.By[1], state.drift);
    }
    trm_dae_sim_destroy(sim);
    return 0;
}
