/// No call of the library runs without bound, whatever options and ends it is given: it ends with
/// the end of the run or with a sentence. A loop without bound shows here as a test that does not
/// end.
#include "tests/rig.h"
#include "trammel/trammel_dae.h"

static trm_status create_and_run(const trm_model *model, trm_options options, double end,
                                 trm_error *err)
{
    trm_sim *sim = NULL;
    trm_status status = trm_sim_create(model, &options, &sim, err);
    if (status == TRM_OK) {
        status = trm_sim_run(sim, end, NULL, NULL, err);
    }
    trm_sim_destroy(sim);
    return status;
}

/// Squares of errors in units of 1e-200 overflow, those of 1e-320 are infinite at once.
CLAIM(tolerances_beyond_double_precision_end_a_run)
{
    const double extreme[] = {1e-200, 1e-300, 1e-320};
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    rig r = rig_load("pendulum", NULL);
    for (int i = 0; i < n; i++) {
        for (size_t k = 0; methods[i].adaptive && k < sizeof extreme / sizeof *extreme; k++) {
            trm_options o = trm_default_options(methods[i].integrator, methods[i].stabilization);
            trm_error err = {.status = TRM_OK};
            o.rtol = o.atol = extreme[k];
            const trm_status status = create_and_run(r.model, o, 1, &err);
            assert_int_not_equal(status, TRM_OK);
            assert_true(strlen(err.message) > 10);
        }
    }
    rig_close(&r);
}

/// rtol = 0 is a wish, and so is an error relative to coordinates that are zero: they end, well or
/// not.
CLAIM(tolerances_of_one_kind_end_a_run)
{
    const double pairs[][2] = {{0, 1e-8}, {1e-300, 1e-8}, {1e-8, 1e-200}, {1e300, 1e300}};
    const trm_integrator integrators[] = {TRM_INTEGRATOR_DOPRI5, TRM_INTEGRATOR_DOP853};
    rig r = rig_load("pendulum", NULL);
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        for (int i = 0; i < 2; i++) {
            trm_options o = trm_default_options(integrators[i], TRM_STABILIZATION_S_BOTH2);
            trm_error err = {.status = TRM_OK};
            o.rtol = pairs[k][0];
            o.atol = pairs[k][1];
            const trm_status status = create_and_run(r.model, o, 1, &err);
            assert_true(k > 1 || status == TRM_OK);
        }
    }
    rig_close(&r);
}

CLAIM(an_end_beyond_all_steps_is_told_as_too_far)
{
    const struct {
        trm_integrator integrator;
        trm_stabilization stabilization;
    } pairs[] = {{TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2},
                 {TRM_INTEGRATOR_ADAMS, TRM_STABILIZATION_SRM}};
    rig r = rig_load("pendulum", NULL);
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        trm_error err = {.status = TRM_OK};
        const trm_options o = trm_default_options(pairs[k].integrator, pairs[k].stabilization);
        assert_int_equal(create_and_run(r.model, o, 1e300, &err), TRM_ERR_DIVERGED);
        assert_non_null(strstr(err.message, "too far"));
        assert_null(strstr(err.message, "stiff"));
    }
    rig_close(&r);
}

/// A hundred thousand tiny steps are waited for, no more: here all are.
CLAIM(patience_with_a_crawl_is_a_hundred_thousand_steps)
{
    trm_error err = {.status = TRM_OK};
    rig r = rig_parse("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,"
                      "\"rate\":1}],\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":"
                      "[\"ground\",\"a\"],\"at\":[0,0]}],\"forces\":[{\"name\":\"d\",\"type\":"
                      "\"joint_force\",\"joint\":\"O\",\"value\":\"-1e12*a.rate\"}]}");
    rig_start(&r, trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2));
    assert_int_equal(trm_sim_run(r.sim, 1e6, NULL, NULL, &err), TRM_ERR_DIVERGED);
    assert_non_null(strstr(err.message, "100000 steps in a row made no headway"));
    const trm_stats done = trm_sim_stats(r.sim);
    assert_int_equal(done.steps + done.rejected, 100000);
    rig_close(&r);
}

CLAIM(fixed_steps_beyond_counting_are_refused)
{
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    rig r = rig_load("pendulum", NULL);
    for (int i = 0; i < n; i++) {
        if (methods[i].adaptive || !rig_fits(&r, &methods[i])) {
            continue;
        }
        trm_error err = {.status = TRM_OK};
        const trm_options o = rig_fixed(methods[i].integrator, methods[i].stabilization, 1e-300);
        assert_int_equal(create_and_run(r.model, o, 1, &err), TRM_ERR_OPTIONS);
        assert_string_equal(err.where, "t_end");
    }
    rig_close(&r);
}

/// Steps count subnormal numbers as zero: an end so close is where the run is.
CLAIM(an_end_at_a_subnormal_time_is_reached)
{
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    rig r = rig_load("pendulum", NULL);
    for (int i = 0; i < n; i++) {
        const trm_options o =
            methods[i].adaptive
                ? trm_default_options(methods[i].integrator, methods[i].stabilization)
                : rig_fixed(methods[i].integrator, methods[i].stabilization, 1e-3);
        trm_error err = {.status = TRM_OK};
        if (rig_fits(&r, &methods[i])) {
            rig_ok(create_and_run(r.model, o, 1.97e-319, &err), &err);
        }
    }
    rig_close(&r);
}

/// At t = 1e20 s a step of a millisecond is less than the time can tell.
CLAIM(a_step_that_does_not_move_the_time_fails)
{
    const double q[2] = {1, 0}, v[2] = {0, 0};
    trm_error err = {.status = TRM_OK};
    rig r = rig_parse("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"shape\":{\"type\":"
                      "\"point\"}}]}");
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN, 1e-3));
    rig_ok(trm_sim_set_state(r.sim, 1e20, q, v, &err), &err);
    assert_int_equal(trm_sim_step(r.sim, &err), TRM_ERR_DIVERGED);
    assert_non_null(strstr(err.message, "does not move the time"));
    assert_true(trm_sim_state(r.sim).t == 1e20);
    rig_close(&r);
}

/// A first step that is estimated as infinite, in a state whose tolerances are too small for its
/// numbers to be squared, is tried as a finite one, and shortened.
CLAIM(a_step_is_finite)
{
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    rig r = rig_load("four_bar", NULL);
    for (int i = 0; i < n; i++) {
        if (!methods[i].adaptive || !rig_fits(&r, &methods[i])) {
            continue;
        }
        trm_options o = trm_default_options(methods[i].integrator, methods[i].stabilization);
        o.tolerance = 1e200;
        rig_start(&r, o);
        const trm_state at = trm_sim_state(r.sim);
        double q[9], v[9];
        memcpy(q, at.q, sizeof q);
        memcpy(v, at.v, sizeof v);
        q[3] = 1e200;
        trm_error err = {.status = TRM_OK};
        if (trm_sim_set_state(r.sim, 0, q, v, &err) == TRM_OK) {
            const trm_status status = trm_sim_step(r.sim, &err);
            assert_true(status != TRM_OK || trm_sim_state(r.sim).t > 0);
        }
    }
    rig_close(&r);
}

static int third_step(trm_sim *sim, void *user)
{
    (void)user;
    return trm_sim_stats(sim).steps >= 3;
}

/// From a state at t, a step, and three to ends near and far.
static void step_from(rig *r, double t, const double *q, const double *v)
{
    trm_error err = {.status = TRM_OK};
    const double ends[] = {nextafter(t, INFINITY), t + 4 * 2.2e-16 * fabs(t), t + 1, 2 * fabs(t)};
    if (trm_sim_set_state(r->sim, t, q, v, &err) != TRM_OK) {
        return;
    }
    const trm_status status = trm_sim_step(r->sim, &err);
    assert_true(status != TRM_OK || trm_sim_state(r->sim).t > t);
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        if (trm_sim_set_state(r->sim, t, q, v, &err) == TRM_OK) {
            (void)trm_sim_run(r->sim, ends[k], third_step, NULL, &err);
            assert_true(trm_sim_state(r->sim).t >= t);
        }
    }
}

/// A switch of the time, one of the state, and a stop; states at all times, with numbers of all
/// sizes.
CLAIM(steps_return_from_every_state)
{
    const double times[] = {0,    1e-300, -1e-300, 1,      -1,   1e9,     1e13,
                            1e16, -1e13,  1e100,   -1e100, 1e20, 1.7e308, -1.7e308};
    const double sizes[] = {0, 1, -1e-200, 1e10, 1e150, 1e308};
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    rig r = rig_parse("{\"dimension\":2,\"bodies\":[{\"name\":\"b\",\"mass\":1,\"inertia\":1}],"
                      "\"markers\":[{\"name\":\"m\",\"body\":\"b\",\"on\":[0,0]}],\"forces\":["
                      "{\"name\":\"F\",\"type\":\"force\",\"marker\":\"m\",\"value\":"
                      "[\"t<1 ? 1:0\",\"m.x<1 ? -1:0\"]}],"
                      "\"stops\":[{\"name\":\"s\",\"gap\":\"m.y\"}]}");
    for (int i = 0; i < n; i++) {
        if (!rig_fits(&r, &methods[i])) {
            continue;
        }
        rig_start(&r, methods[i].adaptive
                          ? trm_default_options(methods[i].integrator, methods[i].stabilization)
                          : rig_fixed(methods[i].integrator, methods[i].stabilization, 1e-3));
        for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
            for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
                const double q[] = {sizes[j], fabs(sizes[j]), 1}, v[] = {-sizes[j], -1, sizes[j]};
                step_from(&r, times[k], q, v);
            }
        }
    }
    rig_close(&r);
}
