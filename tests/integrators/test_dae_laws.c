/// Methods for general DAEs of index 2: what theory says of every method, equivalences between
/// them, and what happens when something is wrong.
#include "engine/trammel_dae.h"
#include "tests/near.h"
#include "tools/paper/problems/problems_dae.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_done(trm_status status, const trm_error *err)
{
    if (status != TRM_OK) {
        print_error("%s: %s (%s, t = %g)\n", trm_status_name(status), err->message, err->where,
                    err->t);
    }
    assert_int_equal(status, TRM_OK);
}

static double largest_difference(int n, const double *a, const double *b)
{
    double largest = 0;
    for (int i = 0; i < n; i++) {
        const double difference = fabs(a[i] - b[i]);
        largest = difference > largest || isnan(difference) ? difference : largest;
    }
    return largest;
}

// ------------------------------------------------------------------ a linear problem with nx = 4,
// ny = 2
//
//     x = (sin t, cos t, e^-t, t), y = (cos t, 1 + t^2); GB is neither symmetric nor constant

enum { NX = 4, NY = 2 };

static const double wide_A[NX * NX] = {-1, .5, 0,  .2,  .1, -.5, .3,  0,
                                       0,  .4, .2, -.3, .6, 0,   -.2, -1};

static void wide_x(double t, double x[NX])
{
    const double exact[NX] = {sin(t), cos(t), exp(-t), t};
    memcpy(x, exact, sizeof exact);
}

static void wide_dx(double t, double dx[NX])
{
    const double exact[NX] = {cos(t), -sin(t), -exp(-t), 1};
    memcpy(dx, exact, sizeof exact);
}

static void wide_y(double t, double y[NY])
{
    y[0] = cos(t);
    y[1] = 1 + t * t;
}

static int wide_B(double t, const double *x, double *B, void *user)
{
    (void)x;
    (void)user;
    const double value[NX * NY] = {1, .3, .4, 1, 0, .3 * cos(t), .2, 0};
    memcpy(B, value, sizeof value);
    return 0;
}

static int wide_G(double t, const double *x, double *G, void *user)
{
    (void)x;
    (void)user;
    const double value[NY * NX] = {1, .2, 0, t, .3, 1, .5, 0};
    memcpy(G, value, sizeof value);
    return 0;
}

static int wide_f(double t, const double *x, double *f, void *user)
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

static void rows_times(double t, const double *x, double *out)
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

static int wide_g(double t, const double *x, double *g, void *user)
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

static int wide_g_t(double t, const double *x, double *g_t, void *user)
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
    trm_E E;
    double alpha1, alpha2;
} variant;

static const variant variants[] = {
    {"SRM I", TRM_DAE_SRM, TRM_E_IDENTITY, 0, 1},
    {"SRM (GB)^T", TRM_DAE_SRM, TRM_E_GB_TRANSPOSED, 0, 1},
    {"SRM (GB)^-1", TRM_DAE_SRM, TRM_E_GB_INVERSE, 0, 1},
    {"SRM alpha1 I", TRM_DAE_SRM, TRM_E_IDENTITY, 1, 1},
    {"SRM alpha1 (GB)^T", TRM_DAE_SRM, TRM_E_GB_TRANSPOSED, 1, 1},
    {"SRM alpha1 (GB)^-1", TRM_DAE_SRM, TRM_E_GB_INVERSE, 1, 1},
    {"SRM-singular", TRM_DAE_SRM_SINGULAR, TRM_E_GB_INVERSE, 0, 1},
    {"SRM-singular (GB)^T", TRM_DAE_SRM_SINGULAR, TRM_E_GB_TRANSPOSED, 0, 1},
    {"SRM-singular alpha1", TRM_DAE_SRM_SINGULAR, TRM_E_GB_INVERSE, 1, 1},
    {"penalty I", TRM_DAE_PENALTY, TRM_E_IDENTITY, 0, 1},
    {"penalty (GB)^T", TRM_DAE_PENALTY, TRM_E_GB_TRANSPOSED, 0, 1},
    {"penalty (GB)^-1", TRM_DAE_PENALTY, TRM_E_GB_INVERSE, 0, 1},
    {"Baumgarte", TRM_DAE_BAUMGARTE, TRM_E_GB_INVERSE, 0, 5},
    {"Park & Chiou", TRM_DAE_PARK_CHIOU, TRM_E_IDENTITY, 0, 1},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static trm_dae_options options_of(const variant *v, trm_dae_integrator integrator, double h,
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

static trm_dae_sim *start(const trm_dae_problem *problem, const trm_dae_options *options,
                          const double *x0)
{
    trm_error err = {0};
    trm_dae_sim *sim = NULL;
    assert_done(trm_dae_sim_create(problem, options, 0, x0, &sim, &err), &err);
    return sim;
}

/// Iterate s at t.
static void solve(const trm_dae_problem *problem, const trm_dae_options *options, const double *x0,
                  double t, int s, double *x)
{
    trm_error err = {0};
    trm_dae_sim *sim = start(problem, options, x0);
    assert_done(trm_dae_sim_run(sim, t, &err), &err);
    memcpy(x, trm_dae_sim_state(sim, s).x, (size_t)problem->nx * sizeof(double));
    trm_dae_sim_destroy(sim);
}

// ------------------------------------------------------------------------------------------ orders

/// log2 of how much halving h reduces the change of x(0.5), epsilon fixed.
static double observed_order(const trm_dae_problem *problem, const variant *v, const double *x0,
                             trm_dae_integrator integrator)
{
    double x[3][NX];
    for (int k = 0; k < 3; k++) {
        const double h = 0.5 / (64 << k);
        const trm_dae_options options = options_of(v, integrator, h, 0.05, 3);
        solve(problem, &options, x0, 0.5, 0, x[k]);
    }
    return log2(largest_difference(problem->nx, x[0], x[1]) /
                largest_difference(problem->nx, x[1], x[2]));
}

static void check_order(const char *name, double observed, double order)
{
    if (!(fabs(observed - order) < 0.2)) {
        fail_msg("%s: order %g, expected %g", name, observed, order);
    }
}

static void every_method_has_the_order_of_its_integrator(void **unused)
{
    (void)unused;
    for (int i = 0; i < VARIANTS; i++) {
        const variant *v = &variants[i];
        check_order(v->name, observed_order(&wide, v, wide_x0, TRM_DAE_HEUN), 2);
        check_order(v->name, observed_order(&wide, v, wide_x0, TRM_DAE_FORWARD_EULER), 1);
        check_order(v->name, observed_order(&wide, v, wide_x0, TRM_DAE_BACKWARD_EULER), 1);
    }
}

static void every_method_has_order_2_with_heun_on_a_nonlinear_problem(void **unused)
{
    (void)unused;
    for (int i = 0; i < VARIANTS; i++) {
        const double order = observed_order(&trm_paper_al95_61.problem, &variants[i],
                                            trm_paper_al95_61.x0, TRM_DAE_HEUN);
        check_order(variants[i].name, order, 2);
    }
}

/// How much halving epsilon reduces the error of iterate s at t = 1, as a power of 2.
static double observed_power(const trm_dae_problem *problem, const double *x0, const variant *v,
                             const double *exact, double epsilon, int s)
{
    double error[2];
    for (int k = 0; k < 2; k++) {
        double x[NX];
        const trm_dae_options options =
            options_of(v, TRM_DAE_HEUN, 0.25e-3, k == 0 ? epsilon : epsilon / 2, s);
        solve(problem, &options, x0, 1, s, x);
        error[k] = largest_difference(problem->nx, x, exact);
    }
    return log2(error[0] / error[1]);
}

/// [AL95 theorems 2.1 and 2.2]
static void iterate_s_is_of_order_epsilon_to_the_s(void **unused)
{
    (void)unused;
    double exact[NX];
    double exact_wide[NX];
    trm_paper_al95_61.x(1, exact);
    wide_x(1, exact_wide);
    for (int i = 0; variants[i].method != TRM_DAE_PENALTY; i++) {
        const variant *v = &variants[i];
        const double epsilon = 0.01;
        for (int s = 1; s <= 3; s++) {
            double power = observed_power(&trm_paper_al95_61.problem, trm_paper_al95_61.x0, v,
                                          exact, epsilon, s);
            if (!(power > s - 0.35)) {
                fail_msg("%s, iterate %d: epsilon^%g", v->name, s, power);
            }
            power = observed_power(&wide, wide_x0, v, exact_wide, epsilon, s);
            if (!(power > s - 0.35)) {
                fail_msg("%s, iterate %d, nx = 4: epsilon^%g", v->name, s, power);
            }
        }
    }
}

// ------------------------------------------------------------------------------------ equivalences

static void the_penalty_form_is_one_iterate_with_alpha1_1(void **unused)
{
    (void)unused;
    for (int E = 0; E < 3; E++) {
        const variant penalty = {"", TRM_DAE_PENALTY, (trm_E)E, 0, 3};
        const variant srm = {"", TRM_DAE_SRM, (trm_E)E, 1, 3};
        const trm_dae_options a = options_of(&penalty, TRM_DAE_HEUN, 0.01, 1e-3, 1);
        const trm_dae_options b = options_of(&srm, TRM_DAE_HEUN, 0.01, 1e-3, 1);
        trm_error err = {0};
        trm_dae_sim *one = start(&wide, &a, wide_x0);
        trm_dae_sim *other = start(&wide, &b, wide_x0);
        assert_done(trm_dae_sim_run(one, 1, &err), &err);
        assert_done(trm_dae_sim_run(other, 1, &err), &err);
        const trm_dae_state x = trm_dae_sim_state(one, 0);
        const trm_dae_state z = trm_dae_sim_state(other, 0);
        assert_near(largest_difference(NX, x.x, z.x), 0, 1e-11);
        assert_near(largest_difference(NY, x.y, z.y), 0, 1e-9);
        assert_near(largest_difference(NX, x.By, z.By), 0, 1e-9);
        trm_dae_sim_destroy(one);
        trm_dae_sim_destroy(other);
    }
}

/// [AL95 section 2.1]
static void the_penalty_form_with_the_inverse_tends_to_baumgarte(void **unused)
{
    (void)unused;
    double x[NX];
    double baumgarte[NX];
    const variant v = {"", TRM_DAE_BAUMGARTE, TRM_E_GB_INVERSE, 0, 5};
    const trm_dae_options limit = options_of(&v, TRM_DAE_HEUN, 0.01, 1, 1);
    solve(&wide, &limit, wide_x0, 1, 0, baumgarte);
    double before = INFINITY;
    for (double epsilon = 1e-3; epsilon > 1e-7; epsilon /= 10) {
        const variant penalty = {"", TRM_DAE_PENALTY, TRM_E_GB_INVERSE, 0, 5};
        const trm_dae_options options = options_of(&penalty, TRM_DAE_HEUN, 0.01, epsilon, 1);
        solve(&wide, &options, wide_x0, 1, 0, x);
        const double now = largest_difference(NX, x, baumgarte);
        assert_true(now < before / 8);
        before = now;
    }
}

static void carrying_By_is_carrying_y_where_B_does_not_depend_on_x(void **unused)
{
    (void)unused;
    for (int alpha1 = 0; alpha1 < 2; alpha1++) {
        double a[NX];
        double b[NX];
        const variant srm = {"", TRM_DAE_SRM, TRM_E_GB_INVERSE, alpha1, 1};
        const variant singular = {"", TRM_DAE_SRM_SINGULAR, TRM_E_GB_INVERSE, alpha1, 1};
        trm_dae_options options = options_of(&srm, TRM_DAE_HEUN, 0.01, 0.02, 3);
        solve(&wide, &options, wide_x0, 1, 0, a);
        options = options_of(&singular, TRM_DAE_HEUN, 0.01, 0.02, 3);
        solve(&wide, &options, wide_x0, 1, 0, b);
        assert_near(largest_difference(NX, a, b), 0, 1e-12);
    }
}

/// One carries y = e^t through t = 1/2 as (3.1), the other By as (3.2b): [AL95 section 3].
static void the_projection_of_By_matters_at_a_singularity(void **unused)
{
    (void)unused;
    double exact[2];
    double x[2];
    double z[2];
    const variant srm = {"", TRM_DAE_SRM, TRM_E_GB_INVERSE, 0, 1};
    const variant singular = {"", TRM_DAE_SRM_SINGULAR, TRM_E_GB_INVERSE, 0, 1};
    trm_paper_al95_63.x(0.5, exact);
    trm_dae_options options = options_of(&srm, TRM_DAE_HEUN, 1e-3, 1e-3, 3);
    solve(&trm_paper_al95_63.problem, &options, trm_paper_al95_63.x0, 0.5, 0, x);
    options = options_of(&singular, TRM_DAE_HEUN, 1e-3, 1e-3, 3);
    solve(&trm_paper_al95_63.problem, &options, trm_paper_al95_63.x0, 0.5, 0, z);
    assert_true(largest_difference(2, x, exact) > 1e-4);
    assert_true(largest_difference(2, z, exact) < 1e-6);
}

static void backward_euler_bears_an_epsilon_far_below_h(void **unused)
{
    (void)unused;
    double exact[NX];
    double x[NX];
    wide_x(1, exact);
    const variant v = {"", TRM_DAE_SRM, TRM_E_GB_INVERSE, 0, 1};
    for (double epsilon = 1e-2; epsilon > 1e-9; epsilon /= 10) {
        const trm_dae_options options = options_of(&v, TRM_DAE_BACKWARD_EULER, 1e-3, epsilon, 3);
        solve(&wide, &options, wide_x0, 1, 0, x);
        assert_near(largest_difference(NX, x, exact), 0, 2e-3);
    }
}

static void with_E_the_identity_the_jacobian_is_never_asked_for(void **unused)
{
    (void)unused;
    trm_error err = {0};
    trm_dae_options options = options_of(&variants[0], TRM_DAE_HEUN, 0.01, 0.05, 3);
    options.start = TRM_DAE_START_GIVEN;
    trm_dae_sim *sim = start(&trm_paper_al95_61.problem, &options, trm_paper_al95_61.x0);
    assert_done(trm_dae_sim_run(sim, 0.1, &err), &err);
    const trm_dae_stats stats = trm_dae_sim_stats(sim);
    assert_int_equal(stats.steps, 10);
    assert_int_equal(stats.f_evals, 3 * (1 + 2 * 10)); // the start, then stage and renewal
    assert_int_equal(stats.jacobian_evals, 0);
    assert_int_equal(stats.factorizations, 0);
    trm_dae_sim_destroy(sim);
}

// -------------------------------------------------------------------------------------- mesh
// points

static void a_run_ends_where_it_is_told_and_steps_are_not_summed(void **unused)
{
    (void)unused;
    trm_error err = {0};
    const trm_dae_options options = options_of(&variants[2], TRM_DAE_HEUN, 1e-3, 0.01, 2);
    trm_dae_sim *sim = start(&wide, &options, wide_x0);
    assert_done(trm_dae_sim_run(sim, 0.3, &err), &err);
    assert_true(trm_dae_sim_state(sim, 0).t == 0.3);
    assert_int_equal(trm_dae_sim_stats(sim).steps, 300);
    assert_done(trm_dae_sim_run(sim, 0.3005, &err), &err); // a shortened step starts a new mesh
    assert_true(trm_dae_sim_state(sim, 0).t == 0.3005);
    assert_done(trm_dae_sim_step(sim, &err), &err);
    assert_true(trm_dae_sim_state(sim, 0).t == 0.3005 + 1e-3);
    assert_int_equal(trm_dae_sim_stats(sim).steps, 302);
    assert_int_equal(trm_dae_sim_run(sim, 0.2, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_dae_sim_run(sim, NAN, &err), TRM_ERR_OPTIONS);
    trm_dae_sim_destroy(sim);
}

static void a_mesh_point_leaves_a_singularity(void **unused)
{
    (void)unused;
    for (int side = -1; side <= 1; side += 2) {
        trm_error err = {0};
        trm_dae_options options = options_of(&variants[6], TRM_DAE_BACKWARD_EULER, 0.01, 0.01, 2);
        options.shift = side * 0.25;
        trm_dae_sim *sim = start(&trm_paper_al93_1.problem, &options, trm_paper_al93_1.x0);
        assert_done(trm_dae_sim_run(sim, 0.5, &err), &err);
        assert_near(trm_dae_sim_state(sim, 0).t, 0.5 + side * 0.0025, 1e-15);
        assert_int_equal(trm_dae_sim_stats(sim).shifts, 1);
        assert_done(trm_dae_sim_step(sim, &err), &err);
        assert_near(trm_dae_sim_state(sim, 0).t, 0.51, 1e-15);
        assert_int_equal(trm_dae_sim_stats(sim).steps, 51);
        trm_dae_sim_destroy(sim);
    }
}

static void without_a_shift_a_singular_mesh_point_is_an_error_and_the_state_stays(void **unused)
{
    (void)unused;
    trm_error err = {0};
    trm_dae_options options = options_of(&variants[6], TRM_DAE_BACKWARD_EULER, 0.01, 0.01, 2);
    options.shift = 0;
    trm_dae_sim *sim = start(&trm_paper_al93_1.problem, &options, trm_paper_al93_1.x0);
    assert_int_equal(trm_dae_sim_run(sim, 1, &err), TRM_ERR_SINGULAR);
    assert_near(err.t, 0.5, 1e-15);
    assert_near(trm_dae_sim_state(sim, 0).t, 0.49, 1e-15);
    trm_dae_sim_destroy(sim);
}

// ---------------------------------------------------------------------------------- boundary
// values

static const double wide_B0[2 * NX] = {0, 0, 1, 0, 0, 0, 0, 1};
static const double wide_B1[2 * NX] = {0, 0, 0, 1, 0.5, 0, 0, 0};

static trm_dae_bvp *start_wide_bvp(int steps, double epsilon, trm_dae_method method)
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

static void iterate(trm_dae_bvp *bvp, int times)
{
    trm_error err = {0};
    for (int s = 0; s < times; s++) {
        assert_done(trm_dae_bvp_iterate(bvp, &err), &err);
    }
}

/// Of x from the middle on, where the layer of the unknown y(t0) has gone.
static double error_of_wide_bvp(const trm_dae_bvp *bvp, int steps)
{
    double worst = 0;
    for (int i = steps / 2; i <= steps; i++) {
        double exact[NX];
        const trm_dae_state state = trm_dae_bvp_state(bvp, i);
        wide_x(state.t, exact);
        worst = fmax(worst, largest_difference(NX, state.x, exact));
    }
    return worst;
}

static void boundary_iterate_s_is_of_order_epsilon_to_the_s(void **unused)
{
    (void)unused;
    for (int s = 1; s <= 3; s++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            trm_dae_bvp *bvp = start_wide_bvp(2000, k == 0 ? 0.04 : 0.02, TRM_DAE_SRM_SINGULAR);
            iterate(bvp, s);
            error[k] = error_of_wide_bvp(bvp, 2000);
            trm_dae_bvp_destroy(bvp);
        }
        assert_true(log2(error[0] / error[1]) > s - 0.35);
    }
}

/// Every number of steps, odd ones too: the fold of the matrix has its middle elsewhere.
static void boundary_values_are_met_for_any_number_of_steps(void **unused)
{
    (void)unused;
    for (int steps = 1; steps <= 12; steps++) {
        trm_dae_bvp *bvp = start_wide_bvp(steps, 0.1, TRM_DAE_SRM);
        iterate(bvp, 2);
        const double *first = trm_dae_bvp_state(bvp, 0).x;
        const double *last = trm_dae_bvp_state(bvp, steps).x;
        assert_near(first[2] + last[3], 2, 1e-13);
        assert_near(first[3] + 0.5 * last[0], 0.5 * sin(1), 1e-13);
        assert_near(trm_dae_bvp_state(bvp, 0).drift, 0, 1e-13);
        assert_null(trm_dae_bvp_state(bvp, steps + 1).x);
        trm_dae_bvp_destroy(bvp);
    }
}

static void the_midpoint_scheme_has_order_2(void **unused)
{
    (void)unused;
    double x[3][NX];
    for (int k = 0; k < 3; k++) {
        const int steps = 40 << k;
        trm_dae_bvp *bvp = start_wide_bvp(steps, 0.1, TRM_DAE_SRM);
        iterate(bvp, 3);
        memcpy(x[k], trm_dae_bvp_state(bvp, steps / 2).x, sizeof x[k]);
        trm_dae_bvp_destroy(bvp);
    }
    const double order =
        log2(largest_difference(NX, x[0], x[1]) / largest_difference(NX, x[1], x[2]));
    assert_near(order, 2, 0.1);
}

/// Largest error of x at mesh points, three iterates; out[NX] is x in the middle.
static double error_of_collocation(trm_dae_points points, int k, int steps, double epsilon,
                                   double *out)
{
    trm_error err = {0};
    trm_dae_bvp *bvp = NULL;
    double end[NX], exact[NX], worst = 0;
    wide_x(1, end);
    const double beta[2] = {wide_x0[2] + end[3], wide_x0[3] + 0.5 * end[0]};
    const trm_dae_boundary boundary = {.t0 = 0,
                                       .tf = 1,
                                       .steps = steps,
                                       .B0 = wide_B0,
                                       .B1 = wide_B1,
                                       .beta = beta,
                                       .points = points,
                                       .npoints = k};
    trm_dae_options options = trm_dae_default_options(TRM_DAE_SRM);
    options.epsilon = epsilon;
    assert_done(trm_dae_bvp_create(&wide, &options, &boundary, &bvp, &err), &err);
    iterate(bvp, 3);
    for (int i = 0; i <= steps; i++) {
        const trm_dae_state state = trm_dae_bvp_state(bvp, i);
        wide_x(state.t, exact);
        worst = fmax(worst, largest_difference(NX, state.x, exact));
    }
    memcpy(out, trm_dae_bvp_state(bvp, steps / 2).x, NX * sizeof *out);
    trm_dae_bvp_destroy(bvp);
    return worst;
}

/// Orders of index 2: Hairer, Lubich & Roche, The Numerical Solution of Differential-Algebraic
/// Systems by Runge-Kutta Methods (1989), table 4.1 (Radau IIA 2k - 1) and Ascher & Petzold, SIAM
/// J. Numer. Anal. 28 (1991) (Gauss: k + 1 for odd k, k for even k).
static void collocation_has_the_orders_of_index_2(void **unused)
{
    (void)unused;
    const struct {
        trm_dae_points points;
        int k, steps, order;
    } all[] = {{TRM_DAE_GAUSS, 1, 20, 2}, {TRM_DAE_GAUSS, 2, 20, 2}, {TRM_DAE_GAUSS, 3, 8, 4},
               {TRM_DAE_RADAU, 1, 40, 1}, {TRM_DAE_RADAU, 2, 20, 3}, {TRM_DAE_RADAU, 3, 6, 5}};
    double x[NX];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const double coarse = error_of_collocation(all[i].points, all[i].k, all[i].steps, 1e-7, x);
        const double fine =
            error_of_collocation(all[i].points, all[i].k, 2 * all[i].steps, 1e-7, x);
        assert_near(log2(coarse / fine), all[i].order, 0.35);
    }
}

/// Where h is far below epsilon nothing is stiff: 2k with Gauss points, 2k - 1 with Radau points.
static void collocation_has_its_own_orders_where_nothing_is_stiff(void **unused)
{
    (void)unused;
    for (int radau = 0; radau <= 1; radau++) {
        for (int k = 1; k <= 3; k++) {
            double x[3][NX];
            for (int level = 0; level < 3; level++) {
                const int steps = (k == 3 ? 4 : 20) << level;
                error_of_collocation(radau ? TRM_DAE_RADAU : TRM_DAE_GAUSS, k, steps, 1, x[level]);
            }
            const double order =
                log2(largest_difference(NX, x[0], x[1]) / largest_difference(NX, x[1], x[2]));
            assert_near(order, 2 * k - radau, 0.25);
        }
    }
}

/// With all conditions at t0 the boundary value problem is the initial value problem.
static void initial_values_as_boundary_values_give_the_same_iterates(void **unused)
{
    (void)unused;
    trm_error err = {0};
    double x[NX];
    const variant v = {"", TRM_DAE_SRM, TRM_E_GB_INVERSE, 0, 1};
    trm_dae_options options = options_of(&v, TRM_DAE_HEUN, 1e-3, 0.05, 2);
    options.start = TRM_DAE_START_GIVEN;
    solve(&wide, &options, wide_x0, 1, 2, x);
    const double B0[2 * NX] = {0, 0, 1, 0, 0, 0, 0, 1};
    const double B1[2 * NX] = {0};
    const double beta[2] = {1, 0};
    const trm_dae_boundary boundary = {
        .t0 = 0, .tf = 1, .steps = 1000, .B0 = B0, .B1 = B1, .beta = beta};
    trm_dae_bvp *bvp = NULL;
    assert_done(trm_dae_bvp_create(&wide, &options, &boundary, &bvp, &err), &err);
    iterate(bvp, 2);
    assert_near(largest_difference(NX, trm_dae_bvp_state(bvp, 1000).x, x), 0, 2e-6);
    trm_dae_bvp_destroy(bvp);
}

/// It improves By at the start, and the iteration can go on from there.
static void shooting_back_removes_the_layer(void **unused)
{
    (void)unused;
    trm_error err = {0};
    double y[NY];
    trm_dae_bvp *bvp = start_wide_bvp(100, 0.02, TRM_DAE_SRM);
    assert_int_equal(trm_dae_bvp_shoot_back(bvp, 1, &err), TRM_ERR_OPTIONS);
    iterate(bvp, 3);
    wide_y(trm_dae_bvp_midpoint(bvp, 1), y);
    const double before = largest_difference(NY, trm_dae_bvp_state(bvp, 1).y, y);
    assert_done(trm_dae_bvp_shoot_back(bvp, 3, &err), &err);
    const double after = largest_difference(NY, trm_dae_bvp_state(bvp, 1).y, y);
    assert_true(before > 0.1 && after < 1e-3);
    iterate(bvp, 1);
    assert_true(largest_difference(NY, trm_dae_bvp_state(bvp, 1).y, y) < 1e-3);
    assert_near(trm_dae_bvp_state(bvp, 0).x[2] + trm_dae_bvp_state(bvp, 100).x[3], 2, 1e-12);
    trm_dae_bvp_destroy(bvp);
}

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
    const trm_dae_options options = trm_dae_default_options(TRM_DAE_BAUMGARTE);
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

static void a_function_that_fails_is_named(void **unused)
{
    (void)unused;
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

static void a_problem_without_a_function_or_with_bad_sizes_is_refused(void **unused)
{
    (void)unused;
    const trm_dae_options options = trm_dae_default_options(TRM_DAE_SRM);
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

static void options_out_of_range_are_refused(void **unused)
{
    (void)unused;
    const trm_dae_options zeroed = {0};
    const trm_dae_options good = trm_dae_default_options(TRM_DAE_SRM);
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
    bad[8].E = (trm_E)7;
    bad[9].method = (trm_dae_method)9;
    bad[10].integrator = (trm_dae_integrator)9;
    bad[11].pivot = 1;
    for (int i = 0; i < 12; i++) {
        check_refused(&wide, &bad[i], wide_x0, TRM_ERR_OPTIONS, "options");
    }
    trm_dae_options backward = good;
    backward.integrator = TRM_DAE_BACKWARD_EULER;
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

static void a_problem_falsely_called_linear_is_refused(void **unused)
{
    (void)unused;
    const trm_dae_options options = trm_dae_default_options(TRM_DAE_SRM);
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

static void derivatives_that_are_none_are_refused(void **unused)
{
    (void)unused;
    const trm_dae_options options = trm_dae_default_options(TRM_DAE_SRM);
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

static void every_method_is_listed_with_its_source(void **unused)
{
    (void)unused;
    const trm_dae_method_info *methods;
    const int n = trm_dae_methods(&methods);
    assert_int_equal(n, TRM_DAE_PSEUDO_COMPRESSIBILITY + 1);
    for (int i = 0; i < n; i++) {
        assert_int_equal(methods[i].method, i);
        assert_true(strncmp(methods[i].source, "AL9", 3) == 0 ||
                    i == TRM_DAE_PSEUDO_COMPRESSIBILITY);
        // and takes its own defaults
        const trm_dae_options options = trm_dae_default_options(methods[i].method);
        trm_dae_sim_destroy(start(&wide, &options, wide_x0));
    }
}

static void an_inconsistent_or_singular_start_is_refused(void **unused)
{
    (void)unused;
    const trm_dae_options options = trm_dae_default_options(TRM_DAE_SRM_SINGULAR);
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
static void too_small_an_epsilon_diverges_and_says_so(void **unused)
{
    (void)unused;
    trm_error err = {0};
    const variant v = {"", TRM_DAE_SRM, TRM_E_GB_INVERSE, 0, 1};
    trm_dae_options options = options_of(&v, TRM_DAE_HEUN, 1e-3, 1e-3 / 3, 1);
    options.start = TRM_DAE_START_GIVEN;
    trm_dae_sim *sim = start(&wide, &options, wide_x0);
    assert_int_equal(trm_dae_sim_run(sim, 1, &err), TRM_ERR_DIVERGED);
    const trm_dae_state state = trm_dae_sim_state(sim, 0);
    assert_true(state.t > 0 && state.t < 1 && isfinite(state.x[0]) && isfinite(state.drift));
    trm_dae_sim_destroy(sim);
}

static void states_that_do_not_exist_are_empty(void **unused)
{
    (void)unused;
    const trm_dae_options options = trm_dae_default_options(TRM_DAE_SRM_SINGULAR);
    trm_dae_sim *sim = start(&wide, &options, wide_x0);
    assert_null(trm_dae_sim_state(sim, 3).x);
    assert_null(trm_dae_sim_state(sim, -1).x);
    assert_null(trm_dae_sim_state(sim, 2).y);
    assert_ptr_equal(trm_dae_sim_state(sim, 0).x, trm_dae_sim_state(sim, 2).x);
    trm_dae_sim_destroy(sim);
    trm_dae_sim_destroy(NULL);
    trm_dae_bvp_destroy(NULL);
}

static void boundary_problems_that_make_no_sense_are_refused(void **unused)
{
    (void)unused;
    trm_error err = {0};
    trm_dae_bvp *bvp = NULL;
    const trm_dae_boundary good = trm_paper_al93_1_boundary;
    trm_dae_options options = trm_dae_default_options(TRM_DAE_SRM_SINGULAR);
    const trm_dae_problem *problem = &trm_paper_al93_1.problem;
    trm_dae_boundary bad[6] = {good, good, good, good, good, good};
    bad[0].steps = 0;
    bad[1].tf = 0;
    bad[2].B0 = NULL;
    bad[3].beta = NULL;
    bad[4].tf = NAN;
    bad[5].steps = 1 << 30;
    for (int i = 0; i < 6; i++) {
        assert_int_equal(trm_dae_bvp_create(problem, &options, &bad[i], &bvp, &err),
                         TRM_ERR_OPTIONS);
        assert_string_equal(err.where, "boundary");
        assert_null(bvp);
    }
    assert_int_equal(trm_dae_bvp_create(&trm_paper_al95_61.problem, &options, &good, &bvp, &err),
                     TRM_ERR_OPTIONS);
    options.method = TRM_DAE_PARK_CHIOU;
    assert_int_equal(trm_dae_bvp_create(problem, &options, &good, &bvp, &err), TRM_ERR_OPTIONS);
}

/// Conditions that repeat the constraint, and a midpoint on the singularity.
static void boundary_problems_without_a_solution_are_singular(void **unused)
{
    (void)unused;
    trm_error err = {0};
    trm_dae_bvp *bvp = NULL;
    const trm_dae_options options = trm_dae_default_options(TRM_DAE_SRM_SINGULAR);
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

// ------------------------------------------------------------------------------------------ memory

// The linker replaces the allocator by these functions (--wrap in meson.build).
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);

static long requests; ///< so far
static long alive;    ///< blocks not yet freed
static long fail_at;  ///< this request fails; 0: none

static void *counted(void *memory)
{
    alive += memory != NULL;
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return ++requests == fail_at ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return ++requests == fail_at ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return ++requests == fail_at ? NULL : counted(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *memory)
{
    alive -= memory != NULL;
    __real_free(memory);
}

static void nothing_is_allocated_between_create_and_destroy(void **unused)
{
    (void)unused;
    trm_error err = {0};
    const long at_first = alive;
    for (int i = 0; i < VARIANTS; i++) {
        for (int integrator = TRM_DAE_HEUN; integrator <= TRM_DAE_BACKWARD_EULER; integrator++) {
            const trm_dae_options options =
                options_of(&variants[i], (trm_dae_integrator)integrator, 0.01, 0.05, 3);
            trm_dae_sim *sim = start(&wide, &options, wide_x0);
            const long before = requests;
            assert_done(trm_dae_sim_run(sim, 0.1, &err), &err);
            assert_int_equal(requests, before);
            trm_dae_sim_destroy(sim);
        }
    }
    trm_dae_bvp *bvp = start_wide_bvp(20, 0.1, TRM_DAE_SRM);
    const long before = requests;
    iterate(bvp, 2);
    assert_done(trm_dae_bvp_shoot_back(bvp, 2, &err), &err);
    assert_int_equal(requests, before);
    trm_dae_bvp_destroy(bvp);
    assert_int_equal(alive, at_first);
}

static trm_status create_and_destroy(int boundary, trm_error *err)
{
    const trm_dae_options options = trm_dae_default_options(TRM_DAE_SRM);
    trm_dae_sim *sim = NULL;
    trm_dae_bvp *bvp = NULL;
    const trm_status status = boundary ? trm_dae_bvp_create(&trm_paper_al93_1.problem, &options,
                                                            &trm_paper_al93_1_boundary, &bvp, err)
                                       : trm_dae_sim_create(&wide, &options, 0, wide_x0, &sim, err);
    assert_true(status == TRM_OK || (!sim && !bvp));
    trm_dae_sim_destroy(sim);
    trm_dae_bvp_destroy(bvp);
    return status;
}

static void whichever_allocation_fails_create_says_so_and_keeps_nothing(void **unused)
{
    (void)unused;
    for (int boundary = 0; boundary < 2; boundary++) {
        const long at_first = alive;
        trm_status status = TRM_ERR_MEMORY;
        int k = 0;
        for (; status != TRM_OK; k++) {
            trm_error err = {0};
            fail_at = requests + k + 1;
            status = create_and_destroy(boundary, &err);
            fail_at = 0;
            assert_true(status == TRM_OK || status == TRM_ERR_MEMORY);
            assert_int_equal(err.status, status);
            assert_int_equal(alive, at_first);
        }
        assert_true(k > 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_has_the_order_of_its_integrator),
        cmocka_unit_test(every_method_has_order_2_with_heun_on_a_nonlinear_problem),
        cmocka_unit_test(iterate_s_is_of_order_epsilon_to_the_s),
        cmocka_unit_test(the_penalty_form_is_one_iterate_with_alpha1_1),
        cmocka_unit_test(the_penalty_form_with_the_inverse_tends_to_baumgarte),
        cmocka_unit_test(carrying_By_is_carrying_y_where_B_does_not_depend_on_x),
        cmocka_unit_test(the_projection_of_By_matters_at_a_singularity),
        cmocka_unit_test(backward_euler_bears_an_epsilon_far_below_h),
        cmocka_unit_test(with_E_the_identity_the_jacobian_is_never_asked_for),
        cmocka_unit_test(a_run_ends_where_it_is_told_and_steps_are_not_summed),
        cmocka_unit_test(a_mesh_point_leaves_a_singularity),
        cmocka_unit_test(without_a_shift_a_singular_mesh_point_is_an_error_and_the_state_stays),
        cmocka_unit_test(boundary_iterate_s_is_of_order_epsilon_to_the_s),
        cmocka_unit_test(boundary_values_are_met_for_any_number_of_steps),
        cmocka_unit_test(the_midpoint_scheme_has_order_2),
        cmocka_unit_test(collocation_has_the_orders_of_index_2),
        cmocka_unit_test(collocation_has_its_own_orders_where_nothing_is_stiff),
        cmocka_unit_test(initial_values_as_boundary_values_give_the_same_iterates),
        cmocka_unit_test(shooting_back_removes_the_layer),
        cmocka_unit_test(a_function_that_fails_is_named),
        cmocka_unit_test(a_problem_without_a_function_or_with_bad_sizes_is_refused),
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(a_problem_falsely_called_linear_is_refused),
        cmocka_unit_test(derivatives_that_are_none_are_refused),
        cmocka_unit_test(every_method_is_listed_with_its_source),
        cmocka_unit_test(an_inconsistent_or_singular_start_is_refused),
        cmocka_unit_test(too_small_an_epsilon_diverges_and_says_so),
        cmocka_unit_test(states_that_do_not_exist_are_empty),
        cmocka_unit_test(boundary_problems_that_make_no_sense_are_refused),
        cmocka_unit_test(boundary_problems_without_a_solution_are_singular),
        cmocka_unit_test(nothing_is_allocated_between_create_and_destroy),
        cmocka_unit_test(whichever_allocation_fails_create_says_so_and_keeps_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
