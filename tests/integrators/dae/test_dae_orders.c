/// Orders of the methods for DAEs of index 2 in h and epsilon, and forms that are equal in theory.
#include "tests/integrators/dae/wide_problem.h"

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

CLAIM(every_method_has_the_order_of_its_integrator)
{
    for (int i = 0; i < VARIANTS; i++) {
        const variant *v = &variants[i];
        check_order(v->name, observed_order(&wide, v, wide_x0, TRM_DAE_INTEGRATOR_HEUN), 2);
        check_order(v->name, observed_order(&wide, v, wide_x0, TRM_DAE_INTEGRATOR_FORWARD_EULER),
                    1);
        check_order(v->name, observed_order(&wide, v, wide_x0, TRM_DAE_INTEGRATOR_BACKWARD_EULER),
                    1);
    }
}

CLAIM(every_method_has_order_2_with_heun_on_a_nonlinear_problem)
{
    for (int i = 0; i < VARIANTS; i++) {
        const double order = observed_order(&trm_paper_al95_61.problem, &variants[i],
                                            trm_paper_al95_61.x0, TRM_DAE_INTEGRATOR_HEUN);
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
            options_of(v, TRM_DAE_INTEGRATOR_HEUN, 0.25e-3, k == 0 ? epsilon : epsilon / 2, s);
        solve(problem, &options, x0, 1, s, x);
        error[k] = largest_difference(problem->nx, x, exact);
    }
    return log2(error[0] / error[1]);
}

/// [AL95 theorems 2.1 and 2.2]
CLAIM(iterate_s_is_of_order_epsilon_to_the_s)
{
    double exact[NX];
    double exact_wide[NX];
    trm_paper_al95_61.x(1, exact);
    wide_x(1, exact_wide);
    for (int i = 0; variants[i].method != TRM_DAE_METHOD_PENALTY; i++) {
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

CLAIM(the_penalty_form_is_one_iterate_with_alpha1_1)
{
    for (int E = 0; E < 3; E++) {
        const variant penalty = {"", TRM_DAE_METHOD_PENALTY, (trm_srm_matrix)E, 0, 3};
        const variant srm = {"", TRM_DAE_METHOD_SRM, (trm_srm_matrix)E, 1, 3};
        const trm_dae_options a = options_of(&penalty, TRM_DAE_INTEGRATOR_HEUN, 0.01, 1e-3, 1);
        const trm_dae_options b = options_of(&srm, TRM_DAE_INTEGRATOR_HEUN, 0.01, 1e-3, 1);
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
CLAIM(the_penalty_form_with_the_inverse_tends_to_baumgarte)
{
    double x[NX];
    double baumgarte[NX];
    const variant v = {"", TRM_DAE_METHOD_BAUMGARTE, TRM_SRM_MATRIX_GB_INVERSE, 0, 5};
    const trm_dae_options limit = options_of(&v, TRM_DAE_INTEGRATOR_HEUN, 0.01, 1, 1);
    solve(&wide, &limit, wide_x0, 1, 0, baumgarte);
    double before = INFINITY;
    for (double epsilon = 1e-3; epsilon > 1e-7; epsilon /= 10) {
        const variant penalty = {"", TRM_DAE_METHOD_PENALTY, TRM_SRM_MATRIX_GB_INVERSE, 0, 5};
        const trm_dae_options options =
            options_of(&penalty, TRM_DAE_INTEGRATOR_HEUN, 0.01, epsilon, 1);
        solve(&wide, &options, wide_x0, 1, 0, x);
        const double now = largest_difference(NX, x, baumgarte);
        assert_true(now < before / 8);
        before = now;
    }
}

CLAIM(carrying_By_is_carrying_y_where_B_does_not_depend_on_x)
{
    for (int alpha1 = 0; alpha1 < 2; alpha1++) {
        double a[NX];
        double b[NX];
        const variant srm = {"", TRM_DAE_METHOD_SRM, TRM_SRM_MATRIX_GB_INVERSE, alpha1, 1};
        const variant singular = {"", TRM_DAE_METHOD_SRM_SINGULAR, TRM_SRM_MATRIX_GB_INVERSE,
                                  alpha1, 1};
        trm_dae_options options = options_of(&srm, TRM_DAE_INTEGRATOR_HEUN, 0.01, 0.02, 3);
        solve(&wide, &options, wide_x0, 1, 0, a);
        options = options_of(&singular, TRM_DAE_INTEGRATOR_HEUN, 0.01, 0.02, 3);
        solve(&wide, &options, wide_x0, 1, 0, b);
        assert_near(largest_difference(NX, a, b), 0, 1e-12);
    }
}

/// One carries y = e^t through t = 1/2 as (3.1), the other By as (3.2b): [AL95 section 3].
CLAIM(the_projection_of_By_matters_at_a_singularity)
{
    double exact[2];
    double x[2];
    double z[2];
    const variant srm = {"", TRM_DAE_METHOD_SRM, TRM_SRM_MATRIX_GB_INVERSE, 0, 1};
    const variant singular = {"", TRM_DAE_METHOD_SRM_SINGULAR, TRM_SRM_MATRIX_GB_INVERSE, 0, 1};
    trm_paper_al95_63.x(0.5, exact);
    trm_dae_options options = options_of(&srm, TRM_DAE_INTEGRATOR_HEUN, 1e-3, 1e-3, 3);
    solve(&trm_paper_al95_63.problem, &options, trm_paper_al95_63.x0, 0.5, 0, x);
    options = options_of(&singular, TRM_DAE_INTEGRATOR_HEUN, 1e-3, 1e-3, 3);
    solve(&trm_paper_al95_63.problem, &options, trm_paper_al95_63.x0, 0.5, 0, z);
    assert_true(largest_difference(2, x, exact) > 1e-4);
    assert_true(largest_difference(2, z, exact) < 1e-6);
}

CLAIM(backward_euler_bears_an_epsilon_far_below_h)
{
    double exact[NX];
    double x[NX];
    wide_x(1, exact);
    const variant v = {"", TRM_DAE_METHOD_SRM, TRM_SRM_MATRIX_GB_INVERSE, 0, 1};
    for (double epsilon = 1e-2; epsilon > 1e-9; epsilon /= 10) {
        const trm_dae_options options =
            options_of(&v, TRM_DAE_INTEGRATOR_BACKWARD_EULER, 1e-3, epsilon, 3);
        solve(&wide, &options, wide_x0, 1, 0, x);
        assert_near(largest_difference(NX, x, exact), 0, 2e-3);
    }
}

CLAIM(with_E_the_identity_the_jacobian_is_never_asked_for)
{
    trm_error err = {0};
    trm_dae_options options = options_of(&variants[0], TRM_DAE_INTEGRATOR_HEUN, 0.01, 0.05, 3);
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

// ------------------------------------------------------------------------------------- mesh points

CLAIM(a_run_ends_where_it_is_told_and_steps_are_not_summed)
{
    trm_error err = {0};
    const trm_dae_options options =
        options_of(&variants[2], TRM_DAE_INTEGRATOR_HEUN, 1e-3, 0.01, 2);
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

CLAIM(a_mesh_point_leaves_a_singularity)
{
    for (int side = -1; side <= 1; side += 2) {
        trm_error err = {0};
        trm_dae_options options =
            options_of(&variants[6], TRM_DAE_INTEGRATOR_BACKWARD_EULER, 0.01, 0.01, 2);
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

CLAIM(without_a_shift_a_singular_mesh_point_is_an_error_and_the_state_stays)
{
    trm_error err = {0};
    trm_dae_options options =
        options_of(&variants[6], TRM_DAE_INTEGRATOR_BACKWARD_EULER, 0.01, 0.01, 2);
    options.shift = 0;
    trm_dae_sim *sim = start(&trm_paper_al93_1.problem, &options, trm_paper_al93_1.x0);
    assert_int_equal(trm_dae_sim_run(sim, 1, &err), TRM_ERR_SINGULAR);
    assert_near(err.t, 0.5, 1e-15);
    assert_near(trm_dae_sim_state(sim, 0).t, 0.49, 1e-15);
    trm_dae_sim_destroy(sim);
}
