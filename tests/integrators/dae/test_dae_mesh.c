/// The mesh of a run of a DAE, its estimate of stiffness, and which methods move a mesh point away
/// from a singularity, by closed forms.
#include "tests/integrators/dae/held_component.h"
#include "tests/integrators/dae/wide_problem.h"

/// x0' = -y, x1' = -k x1, or x1' = x1^2 with k = NAN; 0 = x0
static int rates(double t, const double *x, double *f, void *user)
{
    const double k = *(const double *)user;
    (void)t;
    f[0] = 0;
    f[1] = isnan(k) ? x[1] * x[1] : -k * x[1];
    return 0;
}

static trm_dae_sim *begin(double *k, trm_dae_integrator integrator, double h, double t0, double x1)
{
    const trm_dae_problem problem = {.name = "decay",
                                     .nx = 2,
                                     .ny = 1,
                                     .f = rates,
                                     .B = held_G,
                                     .g = held_g,
                                     .G = held_G,
                                     .linear = !isnan(*k),
                                     .user = k};
    trm_error err = {0};
    trm_dae_sim *sim = NULL;
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_BAUMGARTE);
    options.integrator = integrator;
    options.h = h;
    options.alpha2 = 0.1 / h;
    const double x0[2] = {0, x1};
    assert_done(trm_dae_sim_create(&problem, &options, t0, x0, &sim, &err), &err);
    return sim;
}

// -------------------------------------------------------------------------------------------- mesh

/// A run with h = 1 to `end` takes `steps`, and the next one ends at `next`.
static void lands(double end, long steps, double next)
{
    trm_error err = {0};
    double k = 0;
    trm_dae_sim *sim = begin(&k, TRM_DAE_INTEGRATOR_HEUN, 1, 0, 1);
    assert_done(trm_dae_sim_run(sim, end, &err), &err);
    assert_true(trm_dae_sim_state(sim, 0).t == end);
    assert_int_equal(trm_dae_sim_stats(sim).steps, steps);
    assert_done(trm_dae_sim_step(sim, &err), &err);
    assert_true(trm_dae_sim_state(sim, 0).t == next);
    assert_int_equal(trm_dae_sim_run(sim, end, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_dae_sim_run(sim, INFINITY, &err), TRM_ERR_OPTIONS);
    assert_null(trm_dae_sim_state(sim, 2).x); // Baumgarte's method has one iterate
    assert_int_equal(trm_dae_sim_stats(sim).solves, 0);
    assert_int_equal(trm_dae_sim_stats(sim).solve_iterations, 0);
    trm_dae_sim_destroy(sim);
}

/// An end within 1e-9 h of a mesh point is this point; a new mesh begins at any other.
CLAIM(a_mesh_begins_anew_where_a_step_was_shortened)
{
    lands(3, 3, 4);
    lands(2.9, 3, 3.9);
    lands(3 + 0.9e-9, 3, 4);
    lands(3 + 1.1e-9, 4, 3 + 1.1e-9 + 1);
    lands(3 - 0.9e-9, 3, 4);
    lands(3 - 1.1e-9, 3, 3 - 1.1e-9 + 1);
}

CLAIM(steps_are_counted_up_to_2_to_the_53)
{
    trm_error err = {0};
    double k = 0;
    trm_dae_sim *sim = begin(&k, TRM_DAE_INTEGRATOR_HEUN, 1, -1e16, 1);
    for (int near_end = 0; near_end < 2; near_end++) { // 2e16 and 1e16 steps
        assert_int_equal(trm_dae_sim_run(sim, near_end ? 1 : 1e16, &err), TRM_ERR_OPTIONS);
        assert_non_null(strstr(err.message, "too many"));
    }
    trm_dae_sim_destroy(sim);
}

// --------------------------------------------------------------------------------------- stiffness

CLAIM(stiffness_is_h_times_the_rate)
{
    trm_error err = {0};
    for (int rests = 0; rests < 2; rests++) {
        double k = 3;
        trm_dae_sim *sim = begin(&k, TRM_DAE_INTEGRATOR_HEUN, 0.1, 0.7, rests ? 0 : 0.5);
        assert_done(trm_dae_sim_step(sim, &err), &err);
        assert_near(trm_dae_sim_stats(sim).stiffness, rests ? 0 : 0.3, 1e-13);
        trm_dae_sim_destroy(sim);
    }
}

/// Of x' = x^2 it is h (x_n + x_{n+1}), until x has grown to ten times its start, or ten.
CLAIM(stiffness_stays_where_x_has_left_its_range)
{
    trm_error err = {0};
    double k = NAN, x = 0.5, last = 0;
    const double h = 0.01;
    trm_dae_sim *sim = begin(&k, TRM_DAE_INTEGRATOR_FORWARD_EULER, h, 0, x);
    while (x < 30) {
        const double next = x + h * x * x;
        last = next <= 10 ? h * (x + next) : last;
        assert_done(trm_dae_sim_step(sim, &err), &err);
        assert_near(trm_dae_sim_stats(sim).stiffness, last, 1e-11);
        x = next;
    }
    trm_dae_sim_destroy(sim);
}

/// Diverges; the rate is blamed where it is beyond the stability of the integrator.
static void diverges(trm_dae_integrator integrator, double k, const char *blame)
{
    trm_error err = {0};
    trm_dae_sim *sim = begin(&k, integrator, 1, 0, 1);
    assert_int_equal(trm_dae_sim_run(sim, 1e5, &err), TRM_ERR_DIVERGED);
    assert_non_null(strstr(err.message, blame));
    trm_dae_sim_destroy(sim);
}

CLAIM(explicit_integrators_are_stable_up_to_2)
{
    static const char rate[] = "is 2.5, and this integrator is stable up to 2",
                      grows[] = "may help";
    diverges(TRM_DAE_INTEGRATOR_HEUN, 2.5, rate);
    diverges(TRM_DAE_INTEGRATOR_FORWARD_EULER, 2.5, rate);
    diverges(TRM_DAE_INTEGRATOR_HEUN, -1.5, grows);
    diverges(TRM_DAE_INTEGRATOR_FORWARD_EULER, -1.5, grows);
    diverges(TRM_DAE_INTEGRATOR_BACKWARD_EULER, -1.5, grows); // by -2 a step
}

// ------------------------------------------------------------------------------------------ shifts

static long shifts_of(const variant *v)
{
    trm_error err = {0};
    const trm_dae_options options = options_of(v, TRM_DAE_INTEGRATOR_HEUN, 0.01, 0.05, 2);
    trm_dae_sim *sim = start(&trm_paper_al93_1.problem, &options, trm_paper_al93_1.x0);
    assert_done(trm_dae_sim_run(sim, 0.5, &err), &err);
    const long shifts = trm_dae_sim_stats(sim).shifts;
    trm_dae_sim_destroy(sim);
    return shifts;
}

/// Where GB is inverted: by E, or by the method.
CLAIM(only_methods_that_invert_GB_move_mesh_points)
{
    static const struct {
        variant v;
        long shifts;
    } all[] = {
        {{"SRM I", TRM_DAE_METHOD_SRM, TRM_SRM_MATRIX_IDENTITY, 0, 1}, 0},
        {{"SRM (GB)^T", TRM_DAE_METHOD_SRM, TRM_SRM_MATRIX_GB_TRANSPOSED, 0, 1}, 0},
        {{"SRM (GB)^-1", TRM_DAE_METHOD_SRM, TRM_SRM_MATRIX_GB_INVERSE, 0, 1}, 1},
        {{"SRM-singular", TRM_DAE_METHOD_SRM_SINGULAR, TRM_SRM_MATRIX_GB_INVERSE, 0, 1}, 1},
        {{"penalty I", TRM_DAE_METHOD_PENALTY, TRM_SRM_MATRIX_IDENTITY, 0, 1}, 0},
        {{"penalty (GB)^-1", TRM_DAE_METHOD_PENALTY, TRM_SRM_MATRIX_GB_INVERSE, 0, 1}, 1},
        {{"Park & Chiou", TRM_DAE_METHOD_PARK_CHIOU, TRM_SRM_MATRIX_GB_INVERSE, 0, 1}, 0},
        {{"Baumgarte", TRM_DAE_METHOD_BAUMGARTE, TRM_SRM_MATRIX_IDENTITY, 0, 1}, 1},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double x[NX];
        const trm_dae_options options =
            options_of(&all[i].v, TRM_DAE_INTEGRATOR_HEUN, 0.01, 0.05, 2);
        solve(&wide, &options, wide_x0, 0.05, 0, x); // y in the state too
        if (shifts_of(&all[i].v) != all[i].shifts) {
            fail_msg("%s: expected %ld shifts", all[i].v.name, all[i].shifts);
        }
    }
}

/// How often more G is asked for in ten steps with shifts.
static long more_with_shifts(const trm_dae_problem *problem, const double *x0, trm_srm_matrix E)
{
    long n[2];
    const variant v = {"", TRM_DAE_METHOD_SRM, E, 0, 1};
    for (int k = 0; k < 2; k++) {
        trm_error err = {0};
        trm_dae_options options = options_of(&v, TRM_DAE_INTEGRATOR_HEUN, 0.01, 0.05, 2);
        options.shift = k ? 0.5 : 0;
        trm_dae_sim *sim = start(problem, &options, x0);
        assert_done(trm_dae_sim_run(sim, 0.1, &err), &err);
        n[k] = trm_dae_sim_stats(sim).jacobian_evals;
        trm_dae_sim_destroy(sim);
    }
    return n[1] - n[0];
}

static int column(double t, const double *x, const double *y, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    out[0] = y[0];
    out[1] = 0;
    return 0;
}

static int row(double t, const double *x, const double *v, double *out, void *user)
{
    (void)t, (void)x, (void)user;
    out[0] = v[0];
    return 0;
}

/// Each mesh point is tried once, in a linear problem that is not large, where GB is inverted.
CLAIM(the_mesh_is_looked_at_where_it_may_be_moved)
{
    double k = 1;
    const double x0[2] = {0, 1};
    const trm_dae_large products = {.B = column, .G = row};
    const trm_dae_problem large = {.name = "large",
                                   .nx = 2,
                                   .ny = 1,
                                   .f = rates,
                                   .g = held_g,
                                   .linear = 1,
                                   .user = &k,
                                   .large = &products};
    trm_dae_problem bent = wide;
    bent.linear = 0;
    assert_int_equal(more_with_shifts(&wide, wide_x0, TRM_SRM_MATRIX_GB_INVERSE), 10);
    assert_int_equal(more_with_shifts(&wide, wide_x0, TRM_SRM_MATRIX_IDENTITY), 0);
    assert_int_equal(more_with_shifts(&bent, wide_x0, TRM_SRM_MATRIX_GB_INVERSE), 0);
    assert_int_equal(more_with_shifts(&large, x0, TRM_SRM_MATRIX_GB_INVERSE), 0);
}
