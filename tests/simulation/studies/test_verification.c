/// A run that goes on by another method, and a second run that tells the error of the first: closed
/// forms.
#include "simulation/run/simulation.h"
#include "tests/rig.h"

#include "trammel/trammel_contact.h"
#include "trammel/trammel_report.h"

/// 2 kg on a line, pushed by u: x = u t^2/4. The new run has the input, the work and the counters
/// of the old one.
static void a_run_that_goes_on_keeps_its_inputs(void **state)
{
    (void)state;
    trm_error err = {.status = TRM_OK};
    rig r = rig_parse("{\"dimension\":2,\"parameters\":{\"u\":{\"value\":0,\"input\":true}},"
                      "\"bodies\":[{\"name\":\"a\",\"mass\":2,\"shape\":{\"type\":\"point\"}}],"
                      "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}],\"forces\":["
                      "{\"name\":\"f\",\"type\":\"force\",\"marker\":\"p\",\"value\":[\"u\",0]}]}");
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PLAIN, 1e-10, 1e-10));
    rig_ok(trm_sim_set_input(r.sim, 0, 6, &err), &err);
    rig_run(&r, 1);
    const long steps = trm_sim_stats(r.sim).steps;
    trm_sim *next = NULL;
    const trm_options options = rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN, 0.125);
    rig_ok(trm_sim_create_from(r.sim, &options, &next, &err), &err);
    trm_sim_destroy(r.sim);
    r.sim = next;
    assert_true(trm_sim_state(r.sim).t == 1);
    rig_run(&r, 2);
    near("x", rig_q(&r, "a", 0), 6 * 4 / 4., 1e-12);
    near("v", rig_v(&r, "a", 0), 6, 1e-12);
    near("work", trm_sim_energy(r.sim).kinetic, 36, 1e-11);
    near("energy", rig_energy_error(&r), 0, 1e-12);
    assert_int_equal(trm_sim_stats(r.sim).steps, steps + 8);
    rig_close(&r);
}

/// x'' = -x - 0.3 x' from the origin, whose size is 1 m, since no points are apart. When it has
/// died away to 1e-13 m, the run goes on with that size: errors of 1e-9 m are not all of the
/// motion.
static void a_run_that_goes_on_keeps_its_sizes(void **state)
{
    (void)state;
    trm_error err = {.status = TRM_OK};
    rig r = rig_parse("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"shape\":"
                      "{\"type\":\"point\"},\"velocity\":[1,0]}],\"markers\":[{\"name\":\"p\","
                      "\"body\":\"a\",\"on\":[0,0]}],\"forces\":[{\"name\":\"f\",\"type\":"
                      "\"force\",\"marker\":\"p\",\"value\":[\"-p.x-0.3*p.vx\",0]}]}");
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PLAIN, 1e-8, 1e-8));
    rig_run(&r, 200);
    const double end = sqrt(1 - 0.15 * 0.15);
    near("x", rig_q(&r, "a", 0), exp(-0.15 * 200) * sin(end * 200) / end, 1e-7);
    trm_sim *next = NULL;
    const trm_options options =
        rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_PLAIN, 1e-8, 1e-8);
    rig_ok(trm_sim_create_from(r.sim, &options, &next, &err), &err);
    const double size = r.sim->run.extent.v[0], whole = r.sim->size;
    near("size", size, 1, 0);
    trm_sim_destroy(r.sim);
    r.sim = next;
    assert_true(next->run.extent.v[0] == size && next->size == whole);
    rig_run(&r, 201);
    below("motion", trm_sim_report(r.sim).motion_error, 1e-6);
    assert_true(trm_sim_verdicts(r.sim, 1e-6).motion == NULL);
    rig_close(&r);
}

/// Checks of a blade work in memory of their run: a run that goes on outlives the first.
static void a_run_that_goes_on_has_memory_of_its_own(void **state)
{
    (void)state;
    trm_error err = {.status = TRM_OK};
    rig r = rig_parse("{\"dimension\":2,\"bodies\":[{\"name\":\"sleigh\",\"mass\":2,"
                      "\"inertia\":0.5,\"velocity\":[1,0.6],\"rate\":2}],"
                      "\"markers\":[{\"name\":\"blade\",\"body\":\"sleigh\",\"on\":[-0.3,0]}],"
                      "\"constraints\":[{\"name\":\"edge\",\"type\":\"knife_edge\","
                      "\"marker\":\"blade\",\"normal\":[0,1]}]}");
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-10, 1e-10));
    rig_run(&r, 1);
    const trm_measure first = r.sim->measure;
    const double way = first.way[0];
    trm_sim *next = NULL;
    const trm_options options = rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 0.01);
    rig_ok(trm_sim_create_from(r.sim, &options, &next, &err), &err);
    const trm_measure *const m = &next->measure;
    assert_true(m->along != first.along && m->unit != first.unit && m->work != first.work);
    assert_true(m->way != first.way && m->way[0] == way && m->gone[1] == first.gone[1]);
    trm_sim_destroy(r.sim);
    r.sim = next;
    rig_run(&r, 2);
    near("energy", rig_energy_error(&r), 0, 1e-6);
    rig_close(&r);
}

/// 1 kg pushed by u, which "on" sets at 1 s and "off" takes back at 2 s, by two runs that go on.
/// All events so far are known, and what holds does not happen again: the order of the events does
/// not count. A ball on the ground has struck once in the first run.
static void a_run_that_goes_on_keeps_its_events(void **state)
{
    (void)state;
    trm_error err = {.status = TRM_OK};
    const double ends[] = {1.5, 2.5, 4};
    rig r = rig_parse("{\"dimension\":2,\"parameters\":{\"u\":{\"value\":0,\"input\":true}},"
                      "\"bodies\":[{\"name\":\"a\",\"mass\":1,\"shape\":{\"type\":\"point\"}},"
                      "{\"name\":\"b\",\"mass\":1,\"shape\":{\"type\":\"point\"},"
                      "\"position\":[0,1],\"velocity\":[0,-1.25]}],"
                      "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]},"
                      "{\"name\":\"q\",\"body\":\"b\",\"on\":[0,0]}],\"forces\":["
                      "{\"name\":\"f\",\"type\":\"force\",\"marker\":\"p\",\"value\":[\"u\",0]}],"
                      "\"stops\":[{\"name\":\"s\",\"gap\":\"q.y\",\"restitution\":1}],\"events\":["
                      "{\"name\":\"off\",\"when\":\"t > 2\",\"set\":{\"u\":0}},"
                      "{\"name\":\"on\",\"when\":\"t > 1\",\"set\":{\"u\":6}}]}");
    const trm_options options =
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PLAIN, 1e-10, 1e-10);
    rig_start(&r, options);
    for (int k = 0; k < 3; k++) {
        trm_sim *next = NULL;
        trm_event event;
        rig_run(&r, ends[k]);
        const long switched = trm_sim_input_coverage(r.sim).mode_changes;
        rig_ok(trm_sim_create_from(r.sim, &options, &next, &err), &err);
        trm_sim_destroy(r.sim);
        r.sim = next;
        assert_int_equal(trm_sim_events(r.sim), k == 0 ? 1 : 2);
        assert_int_equal(trm_sim_event(r.sim, 0, &event), 1);
        assert_int_equal(event.event, 1);
        near("on", event.t, 1, 1e-12);
        near("x of the event", event.q[0], 0, 1e-12);
        assert_int_equal(trm_sim_impacts(r.sim).count, 1);
        near("impact", trm_sim_impacts(r.sim).last, 0.8, 1e-12);
        assert_true(switched > 0 && trm_sim_input_coverage(r.sim).mode_changes == switched);
    }
    near("v", rig_v(&r, "a", 0), 6, 1e-12);
    near("x", rig_q(&r, "a", 0), 6 * (0.5 + 2), 1e-12);
    rig_close(&r);
}

/// Where a body is put by hand the run begins; a run of no length, or by fixed steps, keeps its
/// tolerances, and no periods are counted.
static void a_run_begins_where_it_is_put(void **state)
{
    (void)state;
    trm_error err = {.status = TRM_OK};
    rig r = rig_parse("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":2,\"shape\":"
                      "{\"type\":\"point\"}}]}");
    trm_model_start_at(r.model, 0, 0, 5);
    trm_model_start_at(r.model, 1, 0, -3);
    for (int k = 0; k < 2; k++) {
        trm_options options =
            k ? rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN, 0.125)
              : rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PLAIN, 1e-7, 1e-8);
        const trm_options before = options;
        trm_duration span;
        rig_ok(trm_options_for_duration(r.model, 1e-6, k ? 9 : 0, &options, &span, &err), &err);
        assert_true(span.periods == 0 && span.accuracy == 1e-6);
        assert_true(options.rtol == before.rtol && options.atol == before.atol);
    }
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN, 0.125));
    rig_run(&r, 2);
    near("x", rig_q(&r, "a", 0), -1, 1e-15);
    near("y", rig_q(&r, "a", 1), 0, 0);
    rig_close(&r);
}

/// A ball that turns about z with 3 rad/s, by rk4 with steps of 0.1 s: its angle is known, and the
/// error that a second run tells is that of the first.
static void the_error_of_a_rotation_is_told(void **state)
{
    (void)state;
    trm_error err = {.status = TRM_OK};
    const double rate = 3, t_end = 2;
    rig r = rig_parse("{\"dimension\":3,\"bodies\":[{\"name\":\"a\",\"mass\":1,"
                      "\"inertia\":[1,1,1],\"rate\":[0,0,3]}]}");
    const trm_options options = rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN, 0.1);
    rig_start(&r, options);
    rig_run(&r, t_end);
    const trm_state end = trm_sim_state(r.sim);
    double angle = 2 * atan2(end.q[6], end.q[3]) - rate * t_end;
    angle -= 2 * pi * floor(angle / (2 * pi) + 0.5);
    trm_difference bodies[1];
    trm_verification told;
    rig_ok(trm_verify(r.model, &options, &end, bodies, &told, &err), &err);
    assert_int_equal(told.body, 0);
    near("ratio", told.ratio, 0.1, 0);
    assert_true(fabs(angle) > 1e-6);
    near("angle", told.angle / fabs(angle), 1, 0.1); // the next order in h: rate h/2 of it
    near("rate", bodies[0].rate, 0, 1e-14);
    near("position", told.position, 0, 0);
    rig_close(&r);
}

/// Tolerances that double precision cannot divide by ten are multiplied by ten.
static void the_finest_run_is_compared_with_a_coarser_one(void **state)
{
    (void)state;
    trm_error err = {.status = TRM_OK};
    rig r = rig_load("pendulum", NULL);
    const trm_options options =
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 5e-14, 5e-14);
    rig_start(&r, options);
    rig_run(&r, 1);
    const trm_state end = trm_sim_state(r.sim);
    trm_verification told;
    rig_ok(trm_verify(r.model, &options, &end, NULL, &told, &err), &err);
    near("ratio", told.ratio, 10, 0);
    assert_true(told.relative < 1e-10);
    rig_close(&r);
}

/// x'' = -x from (1, 0), stopped by an event where x falls below 0.5 or the speed exceeds 0.6: one
/// of the two comes earlier with finer steps, the other later, and both runs are compared at the
/// time at which the first has stopped, where x = cos t.
static void a_run_that_an_event_stops_is_compared_at_its_end(void **state)
{
    (void)state;
    static const char *const when[] = {"p.x < 0.5", "p.vx < -0.6", "p.x < -0.9", "p.vx > 0.6"};
    for (int k = 0; k < 4; k++) {
        trm_error err = {.status = TRM_OK};
        char scene[1000];
        snprintf(scene, sizeof scene,
                 "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"shape\":"
                 "{\"type\":\"point\"},\"position\":[1,0]}],\"markers\":[{\"name\":\"p\","
                 "\"body\":\"a\",\"on\":[0,0]}],\"forces\":[{\"name\":\"f\",\"type\":"
                 "\"force\",\"marker\":\"p\",\"value\":[\"-p.x\",0]}],\"events\":["
                 "{\"name\":\"e\",\"when\":\"%s\",\"stop\":true}]}",
                 when[k]);
        rig r = rig_parse(scene);
        const trm_options options = rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN, 0.2);
        rig_start(&r, options);
        assert_int_equal(trm_sim_step_to(r.sim, 9, &err), TRM_STOPPED);
        const trm_state end = trm_sim_state(r.sim);
        trm_verification told;
        rig_ok(trm_verify(r.model, &options, &end, NULL, &told, &err), &err);
        near("ratio", told.ratio, 0.1, 0);
        const double error = fabs(rig_q(&r, "a", 0) - cos(end.t));
        assert_true(error > 1e-7);
        near("position", told.position / error, 1, 0.3); // the next order in h, as above
        rig_close(&r);
    }
}

int test_verification(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_goes_on_keeps_its_inputs),
        cmocka_unit_test(a_run_that_goes_on_keeps_its_sizes),
        cmocka_unit_test(a_run_that_goes_on_has_memory_of_its_own),
        cmocka_unit_test(a_run_that_goes_on_keeps_its_events),
        cmocka_unit_test(a_run_begins_where_it_is_put),
        cmocka_unit_test(the_error_of_a_rotation_is_told),
        cmocka_unit_test(a_run_that_an_event_stops_is_compared_at_its_end),
        cmocka_unit_test(the_finest_run_is_compared_with_a_coarser_one),
    };
    return cmocka_run_group_tests_name("verification", tests, NULL, NULL);
}
