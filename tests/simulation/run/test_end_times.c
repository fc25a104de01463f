/// Where runs land: on the end, at multiples of the step, where an observer stops them.
#include "tests/simulation/run/runs.h"

/// The same under weak gravity: every method is stable with steps of 0.1 s.
static const char lazy_pendulum[] =
    "{\"dimension\": 2, \"gravity\": [0, -0.5], \"bodies\": [{\"name\": \"bob\", \"mass\": 2,"
    " \"ends\": [[0, 0], [1, 0]]}], \"joints\": [{\"name\": \"O\", \"type\": \"revolute\","
    " \"bodies\": [\"ground\", \"bob\"], \"at\": [0, 0]}]}";

/// 0.1 * 3 is not 0.3: the end is hit all the same, and without a step of 5e-17 s.
CLAIM(every_method_lands_on_the_end)
{
    const double ends[] = {0.1, 0.3, 0.1 * 3, 0.7, 1.0, 1.0 / 3.0 + 1.0, 1.9};
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);

    for (int i = 0; i < n; i++) {
        if (methods[i].integrator == TRM_INTEGRATOR_MOREAU) {
            continue; // there are no contacts
        }
        rig r = rig_parse(lazy_pendulum);
        trm_options options = trm_default_options(methods[i].integrator, methods[i].stabilization);
        options.h = 0.1;
        rig_start(&r, options);
        for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
            trm_error err = {.status = TRM_OK};
            // 0.1 * 3 comes after 0.3 and is larger by one bit
            rig_ok(trm_sim_run(r.sim, ends[k], NULL, NULL, &err), &err);
            assert_true(trm_sim_state(r.sim).t == ends[k]);
        }
        rig_close(&r);
    }
}

/// The shortest possible distance, and zero.
CLAIM(a_run_of_one_bit)
{
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);

    for (int i = 0; i < n; i++) {
        if (methods[i].integrator == TRM_INTEGRATOR_MOREAU) {
            continue; // there are no contacts
        }
        rig r = rig_parse(spinning_pendulum);
        trm_options options = trm_default_options(methods[i].integrator, methods[i].stabilization);
        options.h = 0.01;
        rig_start(&r, options);
        rig_run(&r, 1.0);
        const double before = rig_q(&r, "bob", 2);
        rig_run(&r, 1.0);
        rig_run(&r, nextafter(1.0, 2.0));
        near(name_of(&methods[i]), rig_q(&r, "bob", 2), before, 1e-6); // S-implicit closes drift
        rig_run(&r, nextafter(1.0, 2.0) + 1e-13);
        rig_run(&r, 1.05);
        rig_close(&r);
    }
}

static int count_steps(trm_sim *sim, void *user)
{
    const double h = *(const double *)user;
    const trm_stats stats = trm_sim_stats(sim);
    assert_true(trm_sim_state(sim).t == (double)stats.steps * h); // n h, not a running sum
    return 0;
}

CLAIM(fixed_steps_end_at_multiples_of_h)
{
    double h = 0.1;
    rig r = rig_parse(spinning_pendulum);

    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, h));
    rig_observe(&r, 100 * 0.1, count_steps, &h);
    assert_int_equal(trm_sim_stats(r.sim).steps, 100);
    rig_close(&r);
}

CLAIM(an_end_beside_the_mesh_starts_a_new_mesh)
{
    rig r = rig_parse(spinning_pendulum);
    trm_error err = {.status = TRM_OK};

    rig_start(&r, rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_PLAIN, 0.25));
    rig_run(&r, 0.6);
    assert_int_equal(trm_sim_stats(r.sim).steps, 3);
    near("size of the last step", trm_sim_stats(r.sim).h, 0.1, 1e-15);
    rig_ok(trm_sim_step(r.sim, &err), &err);
    near("t", trm_sim_state(r.sim).t, 0.85, 1e-15);
    rig_close(&r);
}

/// Long after the start a mesh point and the end differ by more than a billionth of h.
CLAIM(no_crumb_of_a_step_is_left_at_large_t)
{
    rig r = rig_parse(spinning_pendulum);
    trm_error err = {.status = TRM_OK};
    const trm_state s =
        (rig_start(&r, rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_S_BOTH2, 1e-4)),
         trm_sim_state(r.sim));
    const double q[3] = {s.q[0], s.q[1], s.q[2]}, v[3] = {s.v[0], s.v[1], s.v[2]};

    for (int k = 0; k < 10; k++) {
        const double start = 1e5 + 0.1 * k;
        rig_ok(trm_sim_set_state(r.sim, start, q, v, &err), &err);
        rig_run(&r, (10.0 * start + 0.123) / 10.0 + 1.5e-11); // one bit beside a mesh point
        assert_int_equal(trm_sim_stats(r.sim).steps, 123);
    }
    rig_close(&r);
}

CLAIM(an_end_before_now_is_refused)
{
    const double ends[] = {0.1, -1.0, NAN, INFINITY};
    rig r = rig_parse(spinning_pendulum);
    trm_error err = {.status = TRM_OK};

    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN, 0.1));
    rig_run(&r, 0.5);
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        assert_int_equal(trm_sim_run(r.sim, ends[k], NULL, NULL, &err), TRM_ERR_OPTIONS);
        assert_true(trm_sim_state(r.sim).t == 0.5);
    }
    rig_close(&r);
}

/// Steps longer than the run are cut.
CLAIM(a_step_longer_than_the_run)
{
    rig r = rig_parse(spinning_pendulum);
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e6));
    rig_run(&r, 1e-3);
    assert_int_equal(trm_sim_stats(r.sim).steps, 1);
    rig_close(&r);
}

// -------------------------------------------------------------------------------------- observers

static int stop_third(trm_sim *sim, void *user)
{
    (void)sim;
    return ++*(int *)user == 3;
}

CLAIM(an_observer_stops_a_run)
{
    rig r = rig_parse(spinning_pendulum);
    trm_error err = {.status = TRM_OK};
    int calls = 0;

    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN, 0.1));
    assert_int_equal(trm_sim_run(r.sim, 5.0, stop_third, &calls, &err), TRM_STOPPED);
    assert_int_equal(err.status, TRM_OK); // nothing failed
    assert_int_equal(calls, 3);
    near("t", trm_sim_state(r.sim).t, 0.3, 1e-15);
    rig_run(&r, 5.0); // and goes on
    assert_int_equal(trm_sim_stats(r.sim).steps, 50);
    rig_close(&r);
}
