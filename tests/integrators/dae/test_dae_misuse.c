/// What a program can get wrong with trammel_dae.h: a status and a sentence.
#include "tests/integrators/dae/held_component.h"
#include "tests/near.h"
#include "trammel/trammel_dae.h"

#include <stdio.h>
#include <string.h>

/// x0' = -x0 - y, 0 = x0
static int field(double t, const double *x, double *out, void *user)
{
    (void)t, (void)user;
    out[0] = -x[0];
    out[1] = x[1];
    return 0;
}

static const trm_dae_problem problem = {
    .name = "p", .nx = 2, .ny = 1, .f = field, .B = held_G, .g = held_g, .G = held_G, .linear = 1};
static const double x0[2] = {0, 1};

static void is_refused(trm_status status, const trm_error *err, const char *sentence)
{
    assert_int_equal(status, TRM_ERR_OPTIONS);
    assert_string_equal(err->message, sentence);
}

CLAIM(a_run_needs_all_of_its_parts)
{
    trm_error err = {.status = TRM_OK};
    trm_dae_sim *sim = NULL;
    const trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    trm_dae_options many = options;
    many.iterations = 1001;
    static const double nan_there[2] = {0, NAN};
    static const char parts[] = "expected x0 and a place for the run, got NULL";
    static const char finite[] = "expected finite numbers, got one that is not";
    is_refused(trm_dae_sim_create(NULL, &options, 0, x0, &sim, &err), &err,
               "expected a problem, got NULL");
    is_refused(trm_dae_sim_create(&problem, NULL, 0, x0, &sim, &err), &err,
               "expected options, got NULL");
    is_refused(trm_dae_sim_create(&problem, &options, 0, NULL, &sim, &err), &err, parts);
    is_refused(trm_dae_sim_create(&problem, &options, 0, x0, NULL, &err), &err, parts);
    is_refused(trm_dae_sim_create(&problem, &options, NAN, x0, &sim, &err), &err, finite);
    is_refused(trm_dae_sim_create(&problem, &options, 0, nan_there, &sim, &err), &err, finite);
    is_refused(trm_dae_sim_create(&problem, &many, 0, x0, &sim, &err), &err,
               "iterations is out of range");
    assert_null(sim);
}

CLAIM(no_run_has_no_state)
{
    static const char none[] = "expected a run, got NULL";
    trm_error err = {.status = TRM_OK};
    is_refused(trm_dae_sim_step(NULL, &err), &err, none);
    is_refused(trm_dae_sim_run(NULL, 1, &err), &err, none);
    assert_null(trm_dae_sim_state(NULL, 0).x);
    assert_int_equal(trm_dae_sim_stats(NULL).steps, 0);
    assert_int_equal(trm_dae_methods(NULL), TRM_DAE_METHOD_SRM_INDEX3 + 1);
    trm_dae_sim_destroy(NULL);
}

/// x1' = x1: the implicit step (1 - h) x1 = x1_before has no solution at h = 1.
CLAIM(a_step_without_a_solution_is_singular)
{
    trm_error err = {.status = TRM_OK};
    trm_dae_sim *sim = NULL;
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    options.integrator = TRM_DAE_INTEGRATOR_BACKWARD_EULER;
    options.h = 1;
    assert_int_equal(trm_dae_sim_create(&problem, &options, 0, x0, &sim, &err), TRM_OK);
    assert_int_equal(trm_dae_sim_step(sim, &err), TRM_ERR_SINGULAR);
    trm_dae_sim_destroy(sim);
}

/// 2^53 steps and more are not counted exactly; steps far below the roundoff of t do not move it.
CLAIM(runs_of_too_many_steps_are_refused)
{
    trm_error err = {.status = TRM_OK};
    trm_dae_sim *sim = NULL;
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    options.h = 1e-3;
    assert_int_equal(trm_dae_sim_create(&problem, &options, 0, x0, &sim, &err), TRM_OK);
    is_refused(trm_dae_sim_run(sim, 1e200, &err), &err,
               "1.0e+203 steps of 0.001 s to t = 1e+200 s are too many");
    trm_dae_sim_destroy(sim);
    assert_int_equal(trm_dae_sim_create(&problem, &options, 1e15, x0, &sim, &err), TRM_OK);
    assert_int_equal(trm_dae_sim_run(sim, 1e15 + 1, &err), TRM_ERR_DIVERGED);
    assert_string_equal(err.message, "a step of 0.001 s does not move the time t = 1e+15");
    trm_dae_sim_destroy(sim);
}
