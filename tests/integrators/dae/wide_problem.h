/// A linear problem of index 2 with nx = 4, ny = 2 and a known solution, and every variant of the
/// methods on it.
#pragma once

#include "tests/integrators/dae/dae_checks.h"
#include "tests/near.h"
#include "trammel/trammel_dae.h"
#include "validation/papers/problems/problems_dae.h"

#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ a linear problem with nx = 4,
// ny = 2
//
//     x = (sin t, cos t, e^-t, t), y = (cos t, 1 + t^2); GB is neither symmetric nor constant

enum { NX = 4, NY = 2 };

static const double wide_A[NX * NX] = {-1, .5, 0,  .2,  .1, -.5, .3,  0,
                                       0,  .4, .2, -.3, .6, 0,   -.2, -1};

static inline void wide_x(double t, double x[NX])
{
    const double exact[NX] = {sin(t), cos(t), exp(-t), t};
    memcpy(x, exact, sizeof exact);
}

static inline void wide_dx(double t, double dx[NX])
{
    const double exact[NX] = {cos(t), -sin(t), -exp(-t), 1};
    memcpy(dx, exact, sizeof exact);
}

static inline void wide_y(double t, double y[NY])
{
    y[0] = cos(t);
    y[1] = 1 + t * t;
}

static inline int wide_B(double t, const double *x, double *B, void *user)
{
    (void)x;
    (void)user;
    const double value[NX * NY] = {1, .3, .4, 1, 0, .3 * cos(t), .2, 0};
    memcpy(B, value, sizeof value);
    return 0;
}

static inline int wide_G(double t, const double *x, double *G, void *user)
{
    (void)x;
    (void)user;
    const double value[NY * NX] = {1, .2, 0, t, .3, 1, .5, 0};
    memcpy(G, value, sizeof value);
    return 0;
}

static inline int wide_f(double t, const double *x, double *f, void *user)
{
    double exact[NX];
    double y[NY];
    double B[NX * NY];
    wide_x(t, exact);
    wide_y(t, y);
    wide_dx(t, f);
    wide_B(t, x, B, user);
    for (int i = 0; i < NX; i++) {
        f[i] += B[i * NY] * y[0] + B[i * NY + 1] * y[1];
        for (int j = 0; j < NX; j++) {
            f[i] += wide_A[i * NX + j] * (x[j] - exact[j]);
        }
    }
    return 0;
}

static inline void rows_times(double t, const double *x, double *out)
{
    double G[NY * NX];
    wide_G(t, x, G, NULL);
    for (int i = 0; i < NY; i++) {
        out[i] = 0;
        for (int j = 0; j < NX; j++) {
            out[i] += G[i * NX + j] * x[j];
        }
    }
}

static inline int wide_g(double t, const double *x, double *g, void *user)
{
    (void)user;
    double difference[NX];
    wide_x(t, difference);
    for (int j = 0; j < NX; j++) {
        difference[j] = x[j] - difference[j];
    }
    rows_times(t, difference, g);
    return 0;
}

static inline int wide_g_t(double t, const double *x, double *g_t, void *user)
{
    (void)user;
    double dx[NX];
    wide_dx(t, dx);
    rows_times(t, dx, g_t);
    g_t[0] = x[3] - t - g_t[0]; // C' = (0 0 0 1; 0 0 0 0)
    g_t[1] = -g_t[1];
    return 0;
}

static const trm_dae_problem wide = {.name = "wide",
                                     .nx = NX,
                                     .ny = NY,
                                     .f = wide_f,
                                     .B = wide_B,
                                     .g = wide_g,
                                     .G = wide_G,
                                     .g_t = wide_g_t,
                                     .linear = 1};
static const double wide_x0[NX] = {0, 1, 1, 0};

// --------------------------------------------------------------------------------------- helpers

/// Methods that have anything of their own.
typedef struct variant {
    const char *name;
    trm_dae_method method;
    trm_srm_matrix E;
    double alpha1, alpha2;
} variant;

static const variant variants[] = {
    {"SRM I", TRM_DAE_METHOD_SRM, TRM_SRM_MATRIX_IDENTITY, 0, 1},
    {"SRM (GB)^T", TRM_DAE_METHOD_SRM, TRM_SRM_MATRIX_GB_TRANSPOSED, 0, 1},
    {"SRM (GB)^-1", TRM_DAE_METHOD_SRM, TRM_SRM_MATRIX_GB_INVERSE, 0, 1},
    {"SRM alpha1 I", TRM_DAE_METHOD_SRM, TRM_SRM_MATRIX_IDENTITY, 1, 1},
    {"SRM alpha1 (GB)^T", TRM_DAE_METHOD_SRM, TRM_SRM_MATRIX_GB_TRANSPOSED, 1, 1},
    {"SRM alpha1 (GB)^-1", TRM_DAE_METHOD_SRM, TRM_SRM_MATRIX_GB_INVERSE, 1, 1},
    {"SRM-singular", TRM_DAE_METHOD_SRM_SINGULAR, TRM_SRM_MATRIX_GB_INVERSE, 0, 1},
    {"SRM-singular (GB)^T", TRM_DAE_METHOD_SRM_SINGULAR, TRM_SRM_MATRIX_GB_TRANSPOSED, 0, 1},
    {"SRM-singular alpha1", TRM_DAE_METHOD_SRM_SINGULAR, TRM_SRM_MATRIX_GB_INVERSE, 1, 1},
    {"penalty I", TRM_DAE_METHOD_PENALTY, TRM_SRM_MATRIX_IDENTITY, 0, 1},
    {"penalty (GB)^T", TRM_DAE_METHOD_PENALTY, TRM_SRM_MATRIX_GB_TRANSPOSED, 0, 1},
    {"penalty (GB)^-1", TRM_DAE_METHOD_PENALTY, TRM_SRM_MATRIX_GB_INVERSE, 0, 1},
    {"Baumgarte", TRM_DAE_METHOD_BAUMGARTE, TRM_SRM_MATRIX_GB_INVERSE, 0, 5},
    {"Park & Chiou", TRM_DAE_METHOD_PARK_CHIOU, TRM_SRM_MATRIX_IDENTITY, 0, 1},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static inline trm_dae_options options_of(const variant *v, trm_dae_integrator integrator, double h,
                                         double epsilon, int iterations)
{
    trm_dae_options options = trm_dae_default_options(v->method);
    options.E = v->E;
    options.alpha1 = v->alpha1;
    options.alpha2 = v->alpha2;
    options.integrator = integrator;
    options.h = h;
    options.epsilon = epsilon;
    options.iterations = iterations;
    return options;
}

static inline trm_dae_sim *start(const trm_dae_problem *problem, const trm_dae_options *options,
                                 const double *x0)
{
    trm_error err = {0};
    trm_dae_sim *sim = NULL;
    assert_done(trm_dae_sim_create(problem, options, 0, x0, &sim, &err), &err);
    return sim;
}

/// Iterate s at t.
static inline void solve(const trm_dae_problem *problem, const trm_dae_options *options,
                         const double *x0, double t, int s, double *x)
{
    trm_error err = {0};
    trm_dae_sim *sim = start(problem, options, x0);
    assert_done(trm_dae_sim_run(sim, t, &err), &err);
    memcpy(x, trm_dae_sim_state(sim, s).x, (size_t)problem->nx * sizeof(double));
    trm_dae_sim_destroy(sim);
}

// --------------------------------------------------------------------------------- boundary values

static const double wide_B0[2 * NX] = {0, 0, 1, 0, 0, 0, 0, 1};
static const double wide_B1[2 * NX] = {0, 0, 0, 1, 0.5, 0, 0, 0};

static inline trm_dae_bvp *start_wide_bvp(int steps, double epsilon, trm_dae_method method)
{
    trm_error err = {0};
    trm_dae_bvp *bvp = NULL;
    double end[NX];
    wide_x(1, end);
    const double beta[2] = {wide_x0[2] + end[3], wide_x0[3] + 0.5 * end[0]};
    const trm_dae_boundary boundary = {
        .t0 = 0, .tf = 1, .steps = steps, .B0 = wide_B0, .B1 = wide_B1, .beta = beta};
    trm_dae_options options = trm_dae_default_options(method);
    options.epsilon = epsilon;
    assert_done(trm_dae_bvp_create(&wide, &options, &boundary, &bvp, &err), &err);
    return bvp;
}

static inline void iterate(trm_dae_bvp *bvp, int times)
{
    trm_error err = {0};
    for (int s = 0; s < times; s++) {
        assert_done(trm_dae_bvp_iterate(bvp, &err), &err);
    }
}
