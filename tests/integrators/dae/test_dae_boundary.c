/// Boundary value problems of index 2: orders of the midpoint scheme and of collocation, iterates,
/// shooting back.
#include "tests/integrators/dae/wide_problem.h"

#include <stdlib.h>
#include <string.h>

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

CLAIM(boundary_iterate_s_is_of_order_epsilon_to_the_s)
{
    for (int s = 1; s <= 3; s++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            trm_dae_bvp *bvp =
                start_wide_bvp(2000, k == 0 ? 0.04 : 0.02, TRM_DAE_METHOD_SRM_SINGULAR);
            iterate(bvp, s);
            error[k] = error_of_wide_bvp(bvp, 2000);
            trm_dae_bvp_destroy(bvp);
        }
        assert_true(log2(error[0] / error[1]) > s - 0.35);
    }
}

/// Every number of steps, odd ones too: the fold of the matrix has its middle elsewhere.
CLAIM(boundary_values_are_met_for_any_number_of_steps)
{
    for (int steps = 1; steps <= 12; steps++) {
        trm_dae_bvp *bvp = start_wide_bvp(steps, 0.1, TRM_DAE_METHOD_SRM);
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

CLAIM(the_midpoint_scheme_has_order_2)
{
    double x[3][NX];
    for (int k = 0; k < 3; k++) {
        const int steps = 40 << k;
        trm_dae_bvp *bvp = start_wide_bvp(steps, 0.1, TRM_DAE_METHOD_SRM);
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
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
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
/// J. Numer. Anal. 28 (1991) (Gauss: k + 1 for odd k, k for even k). Errors stay above 1e-8: from
/// there on rounding takes part, 1e-16/epsilon times the condition of the mesh.
CLAIM(collocation_has_the_orders_of_index_2)
{
    const struct {
        trm_dae_points points;
        int k, steps, order;
    } all[] = {{TRM_DAE_POINTS_GAUSS, 1, 20, 2}, {TRM_DAE_POINTS_GAUSS, 2, 20, 2},
               {TRM_DAE_POINTS_GAUSS, 3, 8, 4},  {TRM_DAE_POINTS_RADAU, 1, 40, 1},
               {TRM_DAE_POINTS_RADAU, 2, 20, 3}, {TRM_DAE_POINTS_RADAU, 3, 3, 5}};
    double x[NX];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const double coarse = error_of_collocation(all[i].points, all[i].k, all[i].steps, 1e-7, x);
        const double fine =
            error_of_collocation(all[i].points, all[i].k, 2 * all[i].steps, 1e-7, x);
        assert_near(log2(coarse / fine), all[i].order, 0.35);
    }
}

/// Where h is far below epsilon nothing is stiff: 2k with Gauss points, 2k - 1 with Radau points.
CLAIM(collocation_has_its_own_orders_where_nothing_is_stiff)
{
    for (int radau = 0; radau <= 1; radau++) {
        for (int k = 1; k <= 3; k++) {
            double x[3][NX];
            for (int level = 0; level < 3; level++) {
                const int steps = (k == 3 ? 4 : 20) << level;
                error_of_collocation(radau ? TRM_DAE_POINTS_RADAU : TRM_DAE_POINTS_GAUSS, k, steps,
                                     1, x[level]);
            }
            const double order =
                log2(largest_difference(NX, x[0], x[1]) / largest_difference(NX, x[1], x[2]));
            assert_near(order, 2 * k - radau, 0.25);
        }
    }
}

/// With all conditions at t0 the boundary value problem is the initial value problem.
CLAIM(initial_values_as_boundary_values_give_the_same_iterates)
{
    trm_error err = {0};
    double x[NX];
    const variant v = {"", TRM_DAE_METHOD_SRM, TRM_SRM_MATRIX_GB_INVERSE, 0, 1};
    trm_dae_options options = options_of(&v, TRM_DAE_INTEGRATOR_HEUN, 1e-3, 0.05, 2);
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

static int from_one(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    out[0] = 1;
    out[1] = 0;
    return 0;
}

/// Errors of x at mesh points and of y at the last one, of [AL95] example 6.1 from t = 0 to 1.
static void errors_of_radau(int k, int steps, double epsilon, int iterates, double off[2])
{
    trm_error err = {0};
    trm_dae_bvp *bvp = NULL;
    const double B0[2] = {0, 1}, B1[2] = {0, 0}, beta = 0, y0 = 1;
    const trm_dae_boundary boundary = {.t0 = 0,
                                       .tf = 1,
                                       .steps = steps,
                                       .B0 = B0,
                                       .B1 = B1,
                                       .beta = &beta,
                                       .points = TRM_DAE_POINTS_RADAU,
                                       .npoints = k,
                                       .guess = from_one};
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    options.epsilon = epsilon;
    options.y0 = &y0;
    assert_done(trm_dae_bvp_create(&trm_paper_al95_61.problem, &options, &boundary, &bvp, &err),
                &err);
    iterate(bvp, iterates);
    off[0] = 0;
    for (int i = 0; i <= steps; i++) {
        double exact[2];
        const trm_dae_state state = trm_dae_bvp_state(bvp, i);
        trm_paper_al95_61.x(state.t, exact);
        off[0] = fmax(off[0], largest_difference(2, state.x, exact));
    }
    off[1] = fabs(trm_dae_bvp_state(bvp, steps).y[0] - exp(1));
    trm_dae_bvp_destroy(bvp);
}

/// [AL93 (4.8)] on a nonlinear problem: x of order 2k - 1 and y of order k whatever epsilon is, as
/// far as roundoff over epsilon lets see: errors of x of 1e-8, with three points, and those of y
/// down to an epsilon of 1e-8.
CLAIM(stiff_initial_values_have_order_2k_minus_1)
{
    static const int steps[] = {0, 40, 10, 3};
    for (int k = 1; k <= 3; k++) {
        for (double epsilon = 1e-6; epsilon > (k == 3 ? 1e-9 : 1e-11); epsilon /= 100) {
            double coarse[2], fine[2];
            errors_of_radau(k, steps[k], epsilon, 2, coarse);
            errors_of_radau(k, 2 * steps[k], epsilon, 2, fine);
            assert_near(log2(coarse[0] / fine[0]), 2 * k - 1, 0.3);
            assert_true(epsilon < 1e-9 || fabs(log2(coarse[1] / fine[1]) - k) < 0.3);
        }
    }
}

/// [AL93 (4.8)] again: what h^(2k - 1) leaves is epsilon^s, above roundoff over epsilon.
CLAIM(stiff_iterate_s_is_of_order_epsilon_to_the_s)
{
    for (int s = 1; s <= 2; s++) {
        double large[2], small[2];
        const double epsilon = s == 1 ? 1e-4 : 1e-2;
        errors_of_radau(3, 100, epsilon, s, large);
        errors_of_radau(3, 100, epsilon / 2, s, small);
        assert_near(log2(large[0] / small[0]), s, 0.1);
    }
}

CLAIM(a_guess_from_which_newton_does_not_converge_is_told)
{
    trm_error err = {0};
    trm_dae_bvp *bvp = NULL;
    const double B0[2] = {0, 1}, B1[2] = {0, 0}, beta = 2; // x2 = 2 is off the circle
    const trm_dae_boundary boundary = {
        .t0 = 0, .tf = 1, .steps = 9, .B0 = B0, .B1 = B1, .beta = &beta, .guess = from_one};
    const trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    assert_done(trm_dae_bvp_create(&trm_paper_al95_61.problem, &options, &boundary, &bvp, &err),
                &err);
    assert_int_equal(trm_dae_bvp_iterate(bvp, &err), TRM_ERR_DIVERGED);
    assert_non_null(strstr(err.message, "guess"));
    assert_null(trm_dae_bvp_state(bvp, 0).x);
    trm_dae_bvp_destroy(bvp);
}

/// It improves By at the start, and the iteration can go on from there.
CLAIM(shooting_back_removes_the_layer)
{
    trm_error err = {0};
    double y[NY];
    trm_dae_bvp *bvp = start_wide_bvp(100, 0.02, TRM_DAE_METHOD_SRM);
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
