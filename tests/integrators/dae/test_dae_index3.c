/// Index 3 as it is given, x = (z1, z2); and projections of x after steps.
#include "tests/integrators/dae/dae_checks.h"
#include "validation/papers/problems/problems_dae.h"

#include <string.h>

// ------------------------------- q = (cos t, sin t), y = 1 + sin t, B not M^-1 G^T, g moves with t

static int field(double t, const double *x, double *out, void *user)
{
    const double c = cos(t), s = sin(t), y = 1 + s;
    const double *const first = user; // what z1' is beside z2
    out[0] = x[2] + (first ? *first : 0);
    out[1] = x[3];
    out[2] = -c + c * y + x[2] + s;
    out[3] = -s + (2 * s + c / 2) * y + x[3] - c;
    return 0;
}

static int B(double t, const double *x, double *out, void *user)
{
    (void)t, (void)user;
    const double B2[4] = {0, 0, x[0], 2 * x[1] + x[0] / 2};
    memcpy(out, B2, sizeof B2);
    return 0;
}

static int gap(double t, const double *x, double *out, void *user)
{
    (void)user;
    out[0] = (x[0] * x[0] + x[1] * x[1] - 1) / 2 + (x[0] - cos(t)) / 4;
    return 0;
}

static int G(double t, const double *x, double *out, void *user)
{
    (void)t, (void)user;
    const double G1[4] = {x[0] + 0.25, x[1], 0, 0};
    memcpy(out, G1, sizeof G1);
    return 0;
}

static int g_t(double t, const double *x, double *out, void *user)
{
    (void)x, (void)user;
    out[0] = sin(t) / 4;
    return 0;
}

static const trm_dae_problem problem = {
    .name = "index 3", .nx = 4, .ny = 1, .f = field, .B = B, .g = gap, .G = G, .g_t = g_t};
static const double x0[4] = {1, 0, 0, 1};

static trm_dae_options options_of(trm_srm_matrix E, double h, double epsilon, int s)
{
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM_INDEX3);
    options.E = E;
    options.h = h;
    options.epsilon = epsilon;
    options.iterations = s;
    return options;
}

/// x at t = 0.5.
static void solve(const trm_dae_options *options, double x[4])
{
    trm_error err = {0};
    trm_dae_sim *sim = NULL;
    assert_done(trm_dae_sim_create(&problem, options, 0, x0, &sim, &err), &err);
    assert_done(trm_dae_sim_run(sim, 0.5, &err), &err);
    memcpy(x, trm_dae_sim_state(sim, 0).x, 4 * sizeof *x);
    trm_dae_sim_destroy(sim);
}

/// [AL95 theorem 4.1], for every E; and order 2 in h.
CLAIM(iterates_and_steps_have_their_orders)
{
    const double exact[4] = {cos(0.5), sin(0.5), -sin(0.5), cos(0.5)};
    for (int E = TRM_SRM_MATRIX_IDENTITY; E <= TRM_SRM_MATRIX_GB_INVERSE; E++) {
        if (E == TRM_SRM_MATRIX_BLOCKS) {
            continue;
        }
        for (int s = 1; s <= 3; s++) {
            double error[2], x[4];
            for (int k = 0; k < 2; k++) {
                const trm_dae_options options =
                    options_of((trm_srm_matrix)E, 1e-4, 0.02 / (1 << k), s);
                solve(&options, x);
                error[k] = largest_difference(4, x, exact);
            }
            assert_near(log2(error[0] / error[1]), s, 0.35);
        }
        double x[3][4];
        for (int k = 0; k < 3; k++) {
            const trm_dae_options options = options_of((trm_srm_matrix)E, 0.5 / (64 << k), 0.05, 3);
            solve(&options, x[k]);
        }
        const double order =
            log2(largest_difference(4, x[0], x[1]) / largest_difference(4, x[1], x[2]));
        assert_near(order, 2, 0.2);
    }
}

/// y(0) = 1, with a constraint that moves.
CLAIM(the_exact_start_is_that_of_two_derivatives)
{
    trm_error err = {0};
    trm_dae_sim *sim = NULL;
    const trm_dae_options options = options_of(TRM_SRM_MATRIX_GB_INVERSE, 1e-3, 1e-3, 1);
    assert_done(trm_dae_sim_create(&problem, &options, 0, x0, &sim, &err), &err);
    assert_near(trm_dae_sim_state(sim, 0).y[0], 1, 1e-9);
    trm_dae_sim_destroy(sim);
}

static int B_above(double t, const double *x, double *out, void *user)
{
    B(t, x, out, user);
    out[0] = 1;
    return 0;
}

static int gap_of_rate(double t, const double *x, double *out, void *user)
{
    gap(t, x, out, user);
    out[0] += x[2];
    return 0;
}

static int G_of_rate(double t, const double *x, double *out, void *user)
{
    G(t, x, out, user);
    out[2] = 1;
    return 0;
}

CLAIM(what_is_not_index_3_is_refused)
{
    double first = 0.5;
    trm_dae_problem bad[5] = {problem, problem, problem, problem, problem};
    const char *const where[5] = {"function f", "function B", "function G", "index 3", "options"};
    bad[0].user = &first;
    bad[1].B = B_above;
    bad[2].g = gap_of_rate;
    bad[2].G = G_of_rate;
    bad[3].nx = 3;
    for (int i = 0; i < 5; i++) {
        trm_error err = {0};
        trm_dae_sim *sim = NULL;
        trm_dae_options options = options_of(TRM_SRM_MATRIX_IDENTITY, 1e-3, 1e-3, 1);
        options.project = i == 4;
        assert_int_equal(trm_dae_sim_create(&bad[i], &options, 0, x0, &sim, &err), TRM_ERR_OPTIONS);
        assert_non_null(strstr(err.where, where[i]));
        assert_null(sim);
    }
}

// -------------------------------------------------------------------------------------- projection

/// Drift and error of x at t = 2 of [AL95] example 6.1 with alpha1 = 1.
static void stabilized(trm_dae_method method, double h, double alpha2, int every, double found[2])
{
    trm_error err = {0};
    trm_dae_sim *sim = NULL;
    double exact[2];
    trm_dae_options options = trm_dae_default_options(method);
    options.h = h;
    options.epsilon = 1e-8;
    options.alpha1 = 1;
    options.alpha2 = alpha2;
    options.project = every;
    assert_done(trm_dae_sim_create(&trm_paper_al95_61.problem, &options, 0, trm_paper_al95_61.x0,
                                   &sim, &err),
                &err);
    assert_done(trm_dae_sim_run(sim, 2, &err), &err);
    trm_paper_al95_61.x(2, exact);
    found[0] = trm_dae_sim_state(sim, 0).drift;
    found[1] = largest_difference(2, trm_dae_sim_state(sim, 0).x, exact);
    trm_dae_sim_destroy(sim);
}

/// [AL95 section 2.1]: alpha2 = 0 and a correction after each step. The step leaves O(h^3), which
/// one step of Newton's method squares; without it the drift adds up to O(h^2).
CLAIM(post_stabilization_replaces_alpha2)
{
    const trm_dae_method methods[] = {TRM_DAE_METHOD_SRM, TRM_DAE_METHOD_PENALTY,
                                      TRM_DAE_METHOD_BAUMGARTE};
    for (int i = 0; i < 3; i++) {
        double without[2], coarse[2], fine[2];
        stabilized(methods[i], 0.01, 0, 0, without);
        stabilized(methods[i], 0.01, 0, 1, coarse);
        stabilized(methods[i], 0.005, 0, 1, fine);
        assert_true(without[0] > 1e-6 && coarse[0] < 1e-12);
        assert_near(log2(coarse[1] / fine[1]), 2, 0.2);
    }
}

/// Every tenth step: the drift is what ten steps make.
CLAIM(a_projection_now_and_then_bounds_the_drift)
{
    double never[2], often[2], last[2];
    stabilized(TRM_DAE_METHOD_SRM, 0.01, 0, 0, never);
    stabilized(TRM_DAE_METHOD_SRM, 0.01, 0, 11, often); // two steps before the end
    stabilized(TRM_DAE_METHOD_SRM, 0.01, 0, 10, last);
    assert_true(last[0] < 1e-9 && often[0] > last[0] && often[0] < never[0] / 10);
}
