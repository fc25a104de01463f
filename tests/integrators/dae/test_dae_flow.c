/// Incompressible flows: orders in h, in the time step and in epsilon on Taylor and Green's
/// vortices, a cavity against a spectral code.
#include "tests/integrators/dae/large_problems.h"

#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------ flows

typedef struct flow_run {
    double eu, ep, drift;
    trm_dae_stats stats;
} flow_run;

/// Taylor-Green with nu on n by n cells until t_end; ep of the pressure at t_end.
static flow_run taylor_green(int n, double nu, double t_end, int with_rows,
                             const trm_dae_options *options, double *x_out)
{
    trm_error err = {0};
    trm_paper_mac mac;
    trm_dae_sim *sim = NULL;
    assert_done(trm_paper_mac_open(&mac, n, nu, 0, 1, with_rows, &err), &err);
    double *x0 = calloc((size_t)mac.problem.nx, sizeof *x0);
    assert_non_null(x0);
    trm_paper_taylor_green(&mac, 0, x0);
    assert_done(trm_dae_sim_create(&mac.problem, options, 0, x0, &sim, &err), &err);
    assert_done(trm_dae_sim_run(sim, t_end, &err), &err);
    const trm_dae_state state = trm_dae_sim_state(sim, 0);
    const flow_run run = {trm_paper_taylor_green_eu(&mac, t_end, state.x),
                          trm_paper_taylor_green_ep(&mac, t_end, state.y), state.drift,
                          trm_dae_sim_stats(sim)};
    if (x_out) {
        memcpy(x_out, state.x, (size_t)mac.problem.nx * sizeof(double));
    }
    trm_dae_sim_destroy(sim);
    trm_paper_mac_close(&mac);
    free(x0);
    return run;
}

static trm_dae_options for_flow(double h, double epsilon, int iterations, double alpha1)
{
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    options.E = TRM_SRM_MATRIX_IDENTITY;
    options.h = h;
    options.epsilon = epsilon;
    options.iterations = iterations;
    options.alpha1 = alpha1;
    options.start = TRM_DAE_START_GIVEN;
    options.tolerance = 1e-9;
    return options;
}

CLAIM(the_flow_is_of_second_order_in_h)
{
    double eu = 0, ep = 0;
    for (int n = 8; n <= 32; n *= 2) {
        const trm_dae_options options = for_flow(0.16 / n, 1e-8, 1, 1);
        const flow_run run = taylor_green(n, 0.01, 0.4, 1, &options, NULL);
        if (n > 8) {
            assert_near(log2(eu / run.eu), 2, 0.25);
            assert_near(log2(ep / run.ep), 2, 0.25);
        }
        eu = run.eu;
        ep = run.ep;
    }
}

/// Against the limit epsilon = 0 of the same grid, which Baumgarte's method is.
CLAIM(every_iterate_gains_epsilon_in_a_flow)
{
    enum { N = 16, UNKNOWNS = 2 * N * (N - 1) };
    double exact[UNKNOWNS], x[UNKNOWNS];
    trm_dae_options limit = trm_dae_default_options(TRM_DAE_METHOD_BAUMGARTE);
    limit.h =
        1e-3; // y of the iterate before is that of mesh points: a difference of O(epsilon h^2)
    limit.alpha2 = 1;
    limit.solve_tolerance = 1e-13;
    taylor_green(N, 0.01, 0.05, 1, &limit, exact);
    for (int s = 1; s <= 3; s++) {
        double before = 0;
        for (int k = 0; k < 3; k++) {
            const double epsilon = 0.16 / (1 << k);
            trm_dae_options options = for_flow(1e-3, epsilon, s, 1);
            options.solve_tolerance = 1e-13;
            taylor_green(N, 0.01, 0.05, 1, &options, x);
            const double off = largest_difference(UNKNOWNS, x, exact);
            if (k > 0) {
                assert_near(log2(before / off), s, 0.2);
            }
            before = off;
        }
    }
}

/// The equations leave the pressure's constant open, B 1 = 0, and each iterate adds to y0 what lies
/// in the range of G: so its mean stays that of y0, whatever E, alpha1 and the number of iterates.
CLAIM(the_mean_pressure_stays_as_given)
{
    enum { N = 8, CELLS = N * N };
    static const double alpha1[] = {0, 1, 1};
    static const trm_srm_matrix E[] = {TRM_SRM_MATRIX_IDENTITY, TRM_SRM_MATRIX_IDENTITY,
                                       TRM_SRM_MATRIX_GB_INVERSE};
    double y0[CELLS];
    for (int i = 0; i < CELLS; i++) {
        y0[i] = 3;
    }
    for (int k = 0; k < 6; k++) {
        trm_error err = {0};
        trm_paper_mac mac;
        trm_dae_sim *sim = NULL;
        trm_dae_options options = for_flow(1e-3, 0.1, 1 + k / 3, alpha1[k % 3]);
        options.E = E[k % 3];
        options.y0 = y0;
        options.solve_tolerance = 1e-13;
        assert_done(trm_paper_mac_open(&mac, N, 0.01, 0, 1, 1, &err), &err);
        assert_int_equal(mac.problem.ny, CELLS);
        double *x0 = calloc((size_t)mac.problem.nx, sizeof *x0);
        assert_non_null(x0);
        trm_paper_taylor_green(&mac, 0, x0);
        assert_done(trm_dae_sim_create(&mac.problem, &options, 0, x0, &sim, &err), &err);
        assert_done(trm_dae_sim_run(sim, 0.01, &err), &err);
        const double *y = trm_dae_sim_state(sim, 0).y;
        double mean = 0;
        for (int i = 0; i < CELLS; i++) {
            mean += y[i] / CELLS;
        }
        assert_near(mean, 3, 1e-9);
        trm_dae_sim_destroy(sim);
        trm_paper_mac_close(&mac);
        free(x0);
    }
}

CLAIM(multigrid_and_factors_agree)
{
    if (!trm_factor_available(1)) {
        skip();
    }
    enum { N = 24, UNKNOWNS = 2 * N * (N - 1) };
    double rows[UNKNOWNS], products[UNKNOWNS], plain[UNKNOWNS];
    trm_dae_options options = for_flow(0.01, 1e-3, 2, 1);
    options.solve_tolerance = 1e-14;
    const flow_run by_factors = taylor_green(N, 0.01, 0.1, 1, &options, rows);
    const flow_run by_cycles = taylor_green(N, 0.01, 0.1, 0, &options, products);
    options.solver = TRM_DAE_SOLVER_CG;
    taylor_green(N, 0.01, 0.1, 1, &options, plain);
    assert_near(largest_difference(UNKNOWNS, rows, products), 0, 1e-12);
    assert_near(largest_difference(UNKNOWNS, rows, plain), 0, 1e-12);
    assert_int_equal(by_factors.stats.factorizations, 1);
    // multigrid: a bounded number of iterations; factors pinned in one cell: three at most
    assert_true(by_cycles.stats.solve_iterations < 20 * by_cycles.stats.solves);
    assert_true(by_factors.stats.solve_iterations <= 4 * by_factors.stats.solves);
}

/// alpha1 = 0 solves nothing: products only.
CLAIM(alpha1_zero_solves_nothing)
{
    const trm_dae_options options = for_flow(3e-4, 0.5, 3, 0);
    const flow_run run = taylor_green(16, 0.01, 0.06, 0, &options, NULL);
    assert_int_equal(run.stats.solves, 0);
    const trm_dae_options one = for_flow(3e-4, 0.5, 1, 0);
    assert_true(taylor_green(16, 0.01, 0.06, 0, &one, NULL).eu > 5 * run.eu);
}

/// With every friction: the step is 20 times what an explicit one bears.
CLAIM(implicit_diffusion_is_stable_and_of_its_order)
{
    enum { N = 32, UNKNOWNS = 2 * N * (N - 1) };
    static double x[3][UNKNOWNS];
    for (int order = 1; order <= 2; order++) {
        for (int k = 0; k < 3; k++) {
            trm_dae_options options = for_flow(0.02 / (1 << k), 1e-8, 1, 1);
            options.integrator =
                order == 1 ? TRM_DAE_INTEGRATOR_IMEX_EULER : TRM_DAE_INTEGRATOR_IMEX;
            options.solve_tolerance = 1e-12;
            taylor_green(N, 1, 0.08, 1, &options, x[k]);
        }
        const double first = largest_difference(UNKNOWNS, x[0], x[1]);
        const double second = largest_difference(UNKNOWNS, x[1], x[2]);
        assert_near(log2(first / second), order, 0.35);
    }
}

CLAIM(a_step_beyond_the_bound_is_told_by_its_number)
{
    trm_error err = {0};
    trm_paper_mac mac;
    trm_dae_sim *sim = NULL;
    assert_done(trm_paper_mac_open(&mac, 16, 1, 1, 0, 1, &err), &err);
    double *x0 = calloc((size_t)mac.problem.nx, sizeof *x0);
    assert_non_null(x0);
    // 8 nu k/h^2 = 4.1: Heun's method bears 2
    const trm_dae_options options = for_flow(2e-3, 1e-4, 1, 1);
    assert_done(trm_dae_sim_create(&mac.problem, &options, 0, x0, &sim, &err), &err);
    assert_int_equal(trm_dae_sim_run(sim, 10, &err), TRM_ERR_DIVERGED);
    assert_non_null(strstr(err.message, "h times the fastest rate of the equations is"));
    assert_non_null(strstr(err.message, "stable up to 2"));
    trm_dae_sim_destroy(sim);
    trm_paper_mac_close(&mac);
    free(x0);
}

CLAIM(solvers_that_fail_say_how)
{
    trm_error err = {0};
    trm_paper_mac mac;
    trm_dae_sim *sim = NULL;
    assert_done(trm_paper_mac_open(&mac, 16, 0.01, 1, 0, 1, &err), &err);
    double *x0 = calloc((size_t)mac.problem.nx, sizeof *x0);
    assert_non_null(x0);
    trm_dae_options options = for_flow(1e-3, 1e-3, 1, 1);
    options.solver = TRM_DAE_SOLVER_CG;
    options.solve_iterations = 3;
    assert_int_equal(trm_dae_sim_create(&mac.problem, &options, 0, x0, &sim, &err),
                     TRM_ERR_DIVERGED);
    assert_non_null(strstr(err.message, "conjugate gradients leave"));
    assert_non_null(strstr(err.message, "after 3 iterations"));
    mac.large.null = NULL; // the factors of GB break, or conjugate gradients do not converge
    options = for_flow(1e-3, 1e-3, 1, 1);
    options.E = TRM_SRM_MATRIX_GB_INVERSE;
    const trm_status status = trm_dae_sim_create(&mac.problem, &options, 0, x0, &sim, &err);
    if (trm_factor_available(1)) {
        assert_int_equal(status, TRM_ERR_SINGULAR);
        assert_non_null(strstr(err.message, "a GB that is singular needs its null vector"));
    }
    trm_dae_sim_destroy(sim);
    sim = NULL;
    assert_null(sim);
    trm_paper_mac_close(&mac);
    free(x0);
}

/// The error of pseudo-compressibility falls with epsilon to the first order, and that of the first
/// iterate with it; the second iterate has the square.
CLAIM(pseudo_compressibility_is_of_first_order)
{
    enum { N = 16, UNKNOWNS = 2 * N * (N - 1) };
    double exact[UNKNOWNS], x[UNKNOWNS],
        off[3]; // the waves of the first epsilon are not damped yet
    trm_dae_options limit = trm_dae_default_options(TRM_DAE_METHOD_BAUMGARTE);
    limit.h = 2.5e-4;
    limit.alpha2 = 1;
    taylor_green(N, 0.1, 0.5, 1, &limit, exact);
    for (int k = 0; k < 3; k++) {
        trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_PSEUDO_COMPRESSIBILITY);
        options.h = 2.5e-4;
        options.epsilon = 0.02 / (1 << k);
        taylor_green(N, 0.1, 0.5, 1, &options, x);
        off[k] = largest_difference(UNKNOWNS, x, exact);
    }
    assert_near(log2(off[1] / off[2]), 1, 0.3);
}

/// Re = 100 on 16 and 32 cells, extrapolated to h = 0, against the spectral values: Botella &
/// Peyret, Computers & Fluids 27 (1998).
CLAIM(the_cavity_is_that_of_the_spectral_code)
{
    trm_paper_cavity found[2];
    for (int k = 0; k < 2; k++) {
        trm_error err = {0};
        trm_paper_mac mac;
        const int n = 24 << k;
        const trm_dae_options options = for_flow(20.0 / n / n, 1e-4, 1, 1);
        assert_done(trm_paper_mac_open(&mac, n, 0.01, 1, 0, 1, &err), &err);
        assert_done(trm_paper_cavity_run(&mac, &options, 30, 1e-5, &found[k], NULL, &err), &err);
        trm_paper_mac_close(&mac);
    }
    assert_near((4 * found[1].u_min - found[0].u_min) / 3, -0.2140424, 1e-3);
    assert_near((4 * found[1].v_max - found[0].v_max) / 3, 0.1795728, 1e-3);
    assert_near((4 * found[1].v_min - found[0].v_min) / 3, -0.2538030, 1e-3);
}

static int stop_at_five(trm_dae_sim *sim, void *user)
{
    (void)sim;
    return ++*(int *)user == 5;
}

CLAIM(an_observer_sees_every_step_and_can_stop)
{
    net p = {0};
    trm_error err = {0};
    double x0[NX];
    net_start(x0);
    const trm_dae_large large = by_products();
    const trm_dae_problem problem = large_net(&p, &large);
    const trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    trm_dae_sim *sim = NULL;
    int calls = 0;
    assert_done(trm_dae_sim_create(&problem, &options, 0, x0, &sim, &err), &err);
    assert_int_equal(trm_dae_sim_observe(sim, 1, stop_at_five, &calls, &err), TRM_STOPPED);
    assert_int_equal(trm_dae_sim_stats(sim).steps, 5);
    assert_done(trm_dae_sim_observe(sim, 0.01, stop_at_five, &calls, &err), &err);
    assert_int_equal(calls, 10);
    trm_dae_sim_destroy(sim);
}
