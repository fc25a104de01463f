/// Problems, options, starts and functions that a method for DAEs cannot take: status, place and
/// sentence.
#include "tests/integrators/dae/wide_problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------ errors

/// A function of the nonlinear problem that goes wrong from a given time on.
typedef struct fault {
    const char *function;
    double from;
    int answer;   ///< what it returns then
    double value; ///< what it writes then, if finite or not
} fault;

static int faulty(const fault *now, const char *function, double t, double *out, int answer)
{
    if (t < now->from || strcmp(now->function, function) != 0) {
        return answer;
    }
    if (!isfinite(now->value)) {
        out[0] = now->value;
    }
    return now->answer;
}

static int faulty_f(double t, const double *x, double *out, void *user)
{
    return faulty(user, "f", t, out, trm_paper_al95_61.problem.f(t, x, out, NULL));
}

static int faulty_B(double t, const double *x, double *out, void *user)
{
    return faulty(user, "B", t, out, trm_paper_al95_61.problem.B(t, x, out, NULL));
}

static int faulty_g(double t, const double *x, double *out, void *user)
{
    return faulty(user, "g", t, out, trm_paper_al95_61.problem.g(t, x, out, NULL));
}

static int faulty_G(double t, const double *x, double *out, void *user)
{
    return faulty(user, "G", t, out, trm_paper_al95_61.problem.G(t, x, out, NULL));
}

static int faulty_g_t(double t, const double *x, double *out, void *user)
{
    return faulty(user, "g_t", t, out, trm_paper_al95_61.problem.g_t(t, x, out, NULL));
}

static trm_dae_problem faulty_problem(fault *now)
{
    return (trm_dae_problem){.name = "faulty",
                             .nx = 2,
                             .ny = 1,
                             .f = faulty_f,
                             .B = faulty_B,
                             .g = faulty_g,
                             .G = faulty_G,
                             .g_t = faulty_g_t,
                             .user = now};
}

static void check_fault(const char *function, int answer, double value, const char *words)
{
    char place[64];
    snprintf(place, sizeof place, "problem 'faulty', function %s", function);
    fault now = {function, 0.0501, answer, value};
    const trm_dae_problem problem = faulty_problem(&now);
    const trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_BAUMGARTE);
    trm_error err = {0};
    trm_dae_sim *sim = start(&problem, &options, trm_paper_al95_61.x0);
    assert_int_equal(trm_dae_sim_run(sim, 1, &err), TRM_ERR_CALLBACK);
    assert_string_equal(err.where, place);
    assert_non_null(strstr(err.message, words));
    assert_near(err.t, 0.051, 1e-12);

    // the last accepted state stays, and the run goes on when the function is well again
    assert_near(trm_dae_sim_state(sim, 0).t, 0.05, 1e-15);
    now.from = INFINITY;
    assert_done(trm_dae_sim_run(sim, 0.1, &err), &err);
    double whole[2];
    solve(&trm_paper_al95_61.problem, &options, trm_paper_al95_61.x0, 0.1, 0, whole);
    assert_memory_equal(trm_dae_sim_state(sim, 0).x, whole, sizeof whole);
    trm_dae_sim_destroy(sim);

    now.from = -1;
    assert_int_equal(trm_dae_sim_create(&problem, &options, 0, trm_paper_al95_61.x0, &sim, &err),
                     TRM_ERR_CALLBACK);
    assert_null(sim);
    assert_string_equal(err.where, place);
}

CLAIM(a_function_that_fails_is_named)
{
    static const char *const functions[] = {"f", "B", "g", "G", "g_t"};
    for (int i = 0; i < 5; i++) {
        check_fault(functions[i], 1, 0, "> 0");
        check_fault(functions[i], -1, 0, "< 0");
        check_fault(functions[i], 0, NAN, "not finite");
        check_fault(functions[i], 0, INFINITY, "not finite");
    }
}

/// Status and place of the refusal; *sim stays NULL.
static void check_refused(const trm_dae_problem *problem, const trm_dae_options *options,
                          const double *x0, trm_status status, const char *where)
{
    trm_error err = {0};
    trm_dae_sim *sim = NULL;
    assert_int_equal(trm_dae_sim_create(problem, options, 0, x0, &sim, &err), status);
    assert_null(sim);
    assert_int_equal(err.status, status);
    assert_string_equal(err.where, where);
    assert_true(strlen(err.message) > 10);
    assert_int_equal(trm_dae_sim_create(problem, options, 0, x0, &sim, NULL), status);
}

CLAIM(a_problem_without_a_function_or_with_bad_sizes_is_refused)
{
    const trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    trm_dae_problem problem = wide;
    problem.f = NULL;
    check_refused(&problem, &options, wide_x0, TRM_ERR_OPTIONS, "problem 'wide', function f");
    problem = wide;
    problem.B = NULL;
    check_refused(&problem, &options, wide_x0, TRM_ERR_OPTIONS, "problem 'wide', function B");
    problem = wide;
    problem.g = NULL;
    check_refused(&problem, &options, wide_x0, TRM_ERR_OPTIONS, "problem 'wide', function g");
    problem = wide;
    problem.G = NULL;
    check_refused(&problem, &options, wide_x0, TRM_ERR_OPTIONS, "problem 'wide', function G");
    static const int sizes[][2] = {{0, 0}, {4, 0}, {4, 5}, {-1, 1}, {4, -2}, {1 << 20, 1}};
    for (int i = 0; i < 6; i++) {
        problem = wide;
        problem.nx = sizes[i][0];
        problem.ny = sizes[i][1];
        check_refused(&problem, &options, wide_x0, TRM_ERR_OPTIONS, "problem 'wide'");
    }
}

CLAIM(options_out_of_range_are_refused)
{
    const trm_dae_options zeroed = {0};
    const trm_dae_options good = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    check_refused(&wide, &zeroed, wide_x0, TRM_ERR_OPTIONS, "options");
    trm_dae_options bad[12];
    for (int i = 0; i < 12; i++) {
        bad[i] = good;
    }
    bad[0].h = 0;
    bad[1].h = NAN;
    bad[2].epsilon = -1;
    bad[3].iterations = 0;
    bad[4].alpha1 = -1;
    bad[5].alpha2 = NAN;
    bad[6].shift = 1;
    bad[7].alpha2 = 0; // with alpha1 = 0: no constraint
    bad[8].E = (trm_srm_matrix)7;
    bad[9].method = (trm_dae_method)9;
    bad[10].integrator = (trm_dae_integrator)9;
    bad[11].pivot = 1;
    for (int i = 0; i < 12; i++) {
        check_refused(&wide, &bad[i], wide_x0, TRM_ERR_OPTIONS, "options");
    }
    trm_dae_options backward = good;
    backward.integrator = TRM_DAE_INTEGRATOR_BACKWARD_EULER;
    check_refused(&trm_paper_al95_61.problem, &backward, trm_paper_al95_61.x0, TRM_ERR_OPTIONS,
                  "options");
}

static int B_of_x(double t, const double *x, double *B, void *user)
{
    wide_B(t, x, B, user);
    B[0] += x[0];
    return 0;
}

static int G_too_large(double t, const double *x, double *G, void *user)
{
    wide_G(t, x, G, user);
    G[5] *= 1.01;
    return 0;
}

static int g_t_too_small(double t, const double *x, double *g_t, void *user)
{
    wide_g_t(t, x, g_t, user);
    g_t[1] -= 0.01;
    return 0;
}

CLAIM(a_problem_falsely_called_linear_is_refused)
{
    const trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    trm_dae_problem problem = trm_paper_al95_61.problem; // f is free of x, B = x
    problem.linear = 1;
    check_refused(&problem, &options, trm_paper_al95_61.x0, TRM_ERR_OPTIONS,
                  "problem 'AL95 example 6.1', function B");
    problem = trm_paper_al95_63.problem; // f is affine, B is not constant
    problem.linear = 1;
    check_refused(&problem, &options, trm_paper_al95_63.x0, TRM_ERR_OPTIONS,
                  "problem 'AL95 example 6.3', function B");
    problem.B = trm_paper_al93_1.problem.B;
    check_refused(&problem, &options, trm_paper_al95_63.x0, TRM_ERR_OPTIONS,
                  "problem 'AL95 example 6.3', function g");
    problem = wide;
    problem.B = B_of_x;
    check_refused(&problem, &options, wide_x0, TRM_ERR_OPTIONS, "problem 'wide', function B");
    problem.linear = 0;
    trm_dae_sim_destroy(start(&problem, &options, wide_x0));
}

CLAIM(derivatives_that_are_none_are_refused)
{
    const trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    for (int linear = 0; linear < 2; linear++) {
        trm_dae_problem problem = wide;
        problem.linear = linear;
        problem.G = G_too_large;
        check_refused(&problem, &options, wide_x0, TRM_ERR_OPTIONS, "problem 'wide', function G");
        problem = wide;
        problem.linear = linear;
        problem.g_t = g_t_too_small;
        check_refused(&problem, &options, wide_x0, TRM_ERR_OPTIONS, "problem 'wide', function g_t");
        problem.g_t = NULL;
        check_refused(&problem, &options, wide_x0, TRM_ERR_OPTIONS, "problem 'wide', function g_t");
    }
}

CLAIM(every_method_is_listed_with_its_source)
{
    const trm_dae_method_info *methods;
    const int n = trm_dae_methods(&methods);
    assert_int_equal(n, TRM_DAE_METHOD_SRM_INDEX3 + 1);
    for (int i = 0; i < n; i++) {
        assert_int_equal(methods[i].method, i);
        assert_true(strncmp(methods[i].source, "AL9", 3) == 0 ||
                    i == TRM_DAE_METHOD_PSEUDO_COMPRESSIBILITY);
        if (i == TRM_DAE_METHOD_SRM_INDEX3) {
            continue; // `wide` is of index 2
        }
        // and takes its own defaults
        const trm_dae_options options = trm_dae_default_options(methods[i].method);
        trm_dae_sim_destroy(start(&wide, &options, wide_x0));
    }
}

CLAIM(an_inconsistent_or_singular_start_is_refused)
{
    const trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM_SINGULAR);
    const double off[2] = {1.1, 0};
    check_refused(&trm_paper_al95_61.problem, &options, off, TRM_ERR_INCONSISTENT,
                  "problem 'AL95 example 6.1'");
    double x[2];
    trm_error err = {0};
    trm_dae_sim *sim = NULL;
    trm_paper_al93_1.x(0.5, x);
    assert_int_equal(trm_dae_sim_create(&trm_paper_al93_1.problem, &options, 0.5, x, &sim, &err),
                     TRM_ERR_SINGULAR);
    assert_near(err.t, 0.5, 0);
}

/// The limit of Heun's method is h/epsilon = 2 with E = (GB)^-1.
CLAIM(too_small_an_epsilon_diverges_and_says_so)
{
    trm_error err = {0};
    const variant v = {"", TRM_DAE_METHOD_SRM, TRM_SRM_MATRIX_GB_INVERSE, 0, 1};
    trm_dae_options options = options_of(&v, TRM_DAE_INTEGRATOR_HEUN, 1e-3, 1e-3 / 3, 1);
    options.start = TRM_DAE_START_GIVEN;
    trm_dae_sim *sim = start(&wide, &options, wide_x0);
    assert_int_equal(trm_dae_sim_run(sim, 1, &err), TRM_ERR_DIVERGED);
    const trm_dae_state state = trm_dae_sim_state(sim, 0);
    assert_true(state.t > 0 && state.t < 1 && isfinite(state.x[0]) && isfinite(state.drift));
    trm_dae_sim_destroy(sim);
}

CLAIM(states_that_do_not_exist_are_empty)
{
    const trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM_SINGULAR);
    trm_dae_sim *sim = start(&wide, &options, wide_x0);
    assert_null(trm_dae_sim_state(sim, 3).x);
    assert_null(trm_dae_sim_state(sim, -1).x);
    assert_null(trm_dae_sim_state(sim, 2).y);
    assert_ptr_equal(trm_dae_sim_state(sim, 0).x, trm_dae_sim_state(sim, 2).x);
    trm_dae_sim_destroy(sim);
    trm_dae_sim_destroy(NULL);
}

/// Conditions that repeat the constraint, and a midpoint on the singularity.
CLAIM(boundary_problems_without_a_solution_are_singular)
{
    trm_error err = {0};
    trm_dae_bvp *bvp = NULL;
    const trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM_SINGULAR);
    const trm_dae_problem *problem = &trm_paper_al93_1.problem;
    const double repeated[2] = {1, 1};
    const double nothing[2] = {0, 0};
    trm_dae_boundary boundary = trm_paper_al93_1_boundary;
    boundary.B0 = repeated;
    boundary.B1 = nothing;
    assert_done(trm_dae_bvp_create(problem, &options, &boundary, &bvp, &err), &err);
    assert_int_equal(trm_dae_bvp_iterate(bvp, &err), TRM_ERR_SINGULAR);
    assert_null(trm_dae_bvp_state(bvp, 0).x);
    trm_dae_bvp_destroy(bvp);

    boundary = trm_paper_al93_1_boundary;
    boundary.steps = 1;
    assert_done(trm_dae_bvp_create(problem, &options, &boundary, &bvp, &err), &err);
    assert_int_equal(trm_dae_bvp_iterate(bvp, &err), TRM_ERR_SINGULAR);
    assert_near(err.t, 0.5, 0);
    trm_dae_bvp_destroy(bvp);
}
