/// A run that goes on by another method, and a second run that tells the error of the first: closed
/// forms.
#include "simulation/run/simulation.h"
#include "simulation/studies/stiff_switching.h"
#include "tests/rig.h"

#include "program/run_details.h"
#include "program/settings.h"
#include "trammel/trammel_contact.h"
#include "trammel/trammel_simulate.h"

/// 2 kg on a line, pushed by u: x = u t^2/4. The new run has the input, the work and the counters
/// of the old one.
CLAIM(a_run_that_goes_on_keeps_its_inputs)
{
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
CLAIM(a_run_that_goes_on_keeps_its_sizes)
{
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
    rig_close(&r);
}

/// Checks of a blade work in memory of their run: a run that goes on outlives the first.
CLAIM(a_run_that_goes_on_has_memory_of_its_own)
{
    trm_error err = {.status = TRM_OK};
    rig r = rig_parse("{\"dimension\":2,\"bodies\":[{\"name\":\"sleigh\",\"mass\":2,"
                      "\"inertia\":0.5,\"velocity\":[1,0.6],\"rate\":2}],"
                      "\"markers\":[{\"name\":\"blade\",\"body\":\"sleigh\",\"on\":[-0.3,0]}],"
                      "\"constraints\":[{\"name\":\"edge\",\"type\":\"knife_edge\","
                      "\"marker\":\"blade\",\"normal\":[0,1]}]}");
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-10, 1e-10));
    rig_run(&r, 1);
    const trm_measure first = r.sim->measure;
    const double way = first.of.way[0];
    trm_sim *next = NULL;
    const trm_options options = rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 0.01);
    rig_ok(trm_sim_create_from(r.sim, &options, &next, &err), &err);
    const trm_measure *const m = &next->measure;
    assert_true(m->of.along != first.of.along && m->of.unit != first.of.unit &&
                m->of.work != first.of.work);
    assert_true(m->of.way != first.of.way && m->of.way[0] == way &&
                m->of.gone[1] == first.of.gone[1]);
    trm_sim_destroy(r.sim);
    r.sim = next;
    rig_run(&r, 2);
    near("energy", rig_energy_error(&r), 0, 1e-6);
    rig_close(&r);
}

/// 1 kg pushed by u, which "on" sets at 1 s and "off" takes back at 2 s, by two runs that go on.
/// All events so far are known, and what holds does not happen again: the order of the events does
/// not count. A ball on the ground has struck once in the first run.
CLAIM(a_run_that_goes_on_keeps_its_events)
{
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

/// Where a body is put by hand the run begins.
CLAIM(a_run_begins_where_it_is_put)
{
    rig r = rig_parse("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":2,\"shape\":"
                      "{\"type\":\"point\"}}]}");
    trm_model_start_at(r.model, 0, 0, 5);
    trm_model_start_at(r.model, 1, 0, -3);
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN, 0.125));
    rig_run(&r, 2);
    near("x", rig_q(&r, "a", 0), -1, 1e-15);
    near("y", rig_q(&r, "a", 1), 0, 0);
    rig_close(&r);
}

/// The run that trm_simulate makes of the scene, in r.sim, and what is known of it.
static trm_accuracy simulate(rig *r, const trm_options *method, double end, trm_difference *first)
{
    trm_error err = {.status = TRM_OK};
    trm_result *result = NULL;
    trm_simulate_options options = trm_default_simulate_options();
    options.method = method;
    rig_ok(trm_simulate(r->model, end, 1e-6, &options, &result, &err), &err);
    const trm_accuracy known = trm_result_accuracy(result);
    if (first) {
        *first = trm_result_difference(result, 0);
    }
    r->sim = trm_result_take_sim(result);
    trm_result_destroy(result);
    return known;
}

/// A ball that turns about z with 3 rad/s, by rk4 with steps of 0.1 s: its angle is known, and the
/// error that a second run tells is that of the first, less a tenth.
CLAIM(the_error_of_a_rotation_is_told)
{
    const double rate = 3, t_end = 2;
    rig r = rig_parse("{\"dimension\":3,\"bodies\":[{\"name\":\"a\",\"mass\":1,"
                      "\"inertia\":[1,1,1],\"rate\":[0,0,3]}]}");
    const trm_options options = rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN, 0.1);
    trm_difference body;
    const trm_accuracy told = simulate(&r, &options, t_end, &body);
    const trm_state end = trm_sim_state(r.sim);
    double angle = 2 * atan2(end.q[6], end.q[3]) - rate * t_end;
    angle -= 2 * pi * floor(angle / (2 * pi) + 0.5);
    assert_int_equal(told.body, 0);
    assert_int_equal(told.runs, 2);
    near("asked", told.asked, 0, 0);
    assert_true(fabs(angle) > 1e-6);
    near("angle", told.angle / fabs(angle), 0.9, 0.1); // the next order in h: rate h/2 of it
    near("differs", told.differs, told.angle / pi, 0.1 * told.angle); // turned by pi and more
    near("rate", body.rate, 0, 1e-14);
    near("position", told.position, 0, 0);
    rig_close(&r);
}

/// Tolerances that double precision cannot divide by ten are multiplied by ten.
CLAIM(the_finest_run_is_compared_with_a_coarser_one)
{
    rig r = rig_load("pendulum", NULL);
    trm_options options =
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 5e-14, 5e-14);
    options.accuracy = 1e-9;
    const trm_accuracy told = simulate(&r, &options, 1, NULL);
    assert_int_equal(told.runs, 2);
    assert_int_equal(told.rating, TRM_VERDICT_GOOD);
    assert_true(told.differs < 1e-10 && told.known_until == 1);
    rig_close(&r);
}

/// x'' = -x from (1, 0), stopped by an event where x falls below 0.5 or the speed exceeds 0.6: one
/// of the two comes earlier with finer steps, the other later, and both runs are compared at the
/// time at which the first has stopped, where x = cos t.
CLAIM(a_run_that_an_event_stops_is_compared_at_its_end)
{
    static const char *const when[] = {"p.x < 0.5", "p.vx < -0.6", "p.x < -0.9", "p.vx > 0.6"};
    for (int k = 0; k < 4; k++) {
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
        const trm_accuracy told = simulate(&r, &options, 9, NULL);
        const trm_state end = trm_sim_state(r.sim);
        assert_true(end.t < 6);
        const double error = fabs(rig_q(&r, "a", 0) - cos(end.t));
        assert_true(error > 1e-7);
        near("position", told.position / error, 0.9, 0.3); // the next order in h, as above
        rig_close(&r);
    }
}

static rig swing(double angle)
{
    char scene[1000];
    snprintf(scene, sizeof scene,
             "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"b\",\"mass\":1,"
             "\"inertia\":1e-9,\"position\":[%.17g,%.17g]}],\"joints\":[{\"name\":\"O\",\"type\":"
             "\"revolute\",\"bodies\":[\"ground\",\"b\"],\"at\":[0,0]}]}",
             sin(angle), -cos(angle));
    return rig_parse(scene);
}

static int see_times(double times, void *user)
{
    ++*(int *)user;
    return times < 1.4; // 10^(1/8)
}

/// Tolerances that are a hundred times too coarse for the accuracy: a better run takes the place of
/// the first until two agree; they say so, and are right. Kept, or where a better one is not worth
/// its time, the first run is told to be off.
CLAIM(a_better_run_takes_the_place_of_one_that_is_off)
{
    trm_error err = {.status = TRM_OK};
    trm_options coarse = rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-6, 1e-6);
    coarse.accuracy = 1e-8;
    rig r = swing(1);
    const trm_accuracy told = simulate(&r, &coarse, 20, NULL);
    assert_true(told.runs > 2 && told.rating == TRM_VERDICT_GOOD && told.known_until == 20);
    const double x = rig_q(&r, "b", 0);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12));
    rig_run(&r, 20);
    below("error", fabs(rig_q(&r, "b", 0) - x), 1e-8 * 2);

    trm_result *result = NULL;
    trm_simulate_options options = trm_default_simulate_options();
    options.method = &coarse;
    options.keep_first = 1;
    rig_ok(trm_simulate(r.model, 20, 0, &options, &result, &err), &err);
    const trm_accuracy kept = trm_result_accuracy(result);
    assert_true(kept.runs == 2 && kept.rating != TRM_VERDICT_GOOD && kept.known_until < 20);
    const double error = fabs(trm_sim_state(trm_result_sim(result)).q[0] - rig_q(&r, "b", 0));
    near("error", kept.position, error, 0.3 * error);
    trm_result_destroy(result);

    int asked = 0;
    options.keep_first = 0;
    options.may_verify = see_times;
    options.user = &asked;
    rig_ok(trm_simulate(r.model, 20, 0, &options, &result, &err), &err);
    assert_true(asked == 2 && trm_result_accuracy(result).runs == 2);
    near("the first", trm_result_accuracy(result).position, kept.position, 0);
    trm_result_destroy(result);
    rig_close(&r);
}

static int after_some(void *user)
{
    return ++*(int *)user > 200;
}

/// The first run takes some 60 steps, and so does its check, the better one hundreds.
CLAIM(a_further_run_that_takes_too_long_is_given_up)
{
    trm_error err = {.status = TRM_OK};
    trm_options coarse = rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-6, 1e-6);
    coarse.accuracy = 1e-10;
    rig r = swing(1);
    double x[2];
    for (int long_run = 0; long_run < 2; long_run++) {
        int calls = long_run ? 0 : 1000;
        trm_result *result = NULL;
        trm_simulate_options options = trm_default_simulate_options();
        options.method = &coarse;
        options.takes_long = after_some;
        options.user = &calls;
        rig_ok(trm_simulate(r.model, 20, 0, &options, &result, &err), &err);
        const trm_accuracy told = trm_result_accuracy(result);
        assert_true(long_run ? told.runs == 2 && told.rating == TRM_VERDICT_POOR
                             : told.runs == 0 && strstr(told.unchecked, "too long"));
        const trm_state end = trm_sim_state(trm_result_sim(result));
        assert_true(end.t == 20);
        x[long_run] = end.q[0];
        trm_result_destroy(result);
    }
    assert_true(x[0] == x[1]); // the first run, made once more
    rig_close(&r);
}

/// What the callbacks of a recorded run have seen.
typedef struct seen {
    int begun, lines, most, stops;
    double last;
} seen;

static trm_status see_begin(trm_sim *sim, int number, void *user, trm_error *err)
{
    seen *const s = user;
    (void)err;
    assert_true(trm_sim_state(sim).t == 0 && number == s->begun);
    s->begun++;
    s->lines = 0;
    return TRM_OK;
}

static int see_line(trm_sim *sim, const trm_sample *sample, void *user)
{
    seen *const s = user;
    assert_true(sample->state.t <= trm_sim_state(sim).t);
    near("line", sample->state.t, s->lines < s->most ? 0.3 * s->lines : 2, 1e-15);
    s->last = sample->state.t;
    return ++s->lines > s->stops;
}

/// Lines at the start, the multiples and the end, anew for each better run; a callback stops it.
CLAIM(lines_are_recorded_by_callback)
{
    trm_error err = {.status = TRM_OK};
    trm_options coarse = rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-6, 1e-6);
    rig r = swing(1);
    for (int off = 0; off < 3; off++) {
        seen s = {.most = 7, .stops = off == 2 ? 3 : 100};
        coarse.accuracy = off == 1 ? 1e-8 : 1e-2;
        trm_result *result = NULL;
        trm_simulate_options options = trm_default_simulate_options();
        options.method = &coarse;
        options.every = 0.3;
        options.begin = see_begin;
        options.record = see_line;
        options.user = &s;
        const trm_status status = trm_simulate(r.model, 2, 0, &options, &result, &err);
        assert_int_equal(status, off == 2 ? TRM_STOPPED : TRM_OK);
        assert_true(s.lines == (off == 2 ? 4 : 8) && (s.begun > 1) == (off == 1));
        assert_int_equal(trm_result_accuracy(result).runs < 2, off == 2);
        trm_result_destroy(result);
    }
    r.sim = NULL;
    rig_close(&r);
}

static int leave_line(trm_sim *sim, const trm_sample *sample, void *user)
{
    (void)sim, (void)sample, (void)user;
    return 0;
}

/// What is between steps errs by more than their ends: it is looked at whether it is recorded or
/// not, and the result is the same.
CLAIM(a_recording_changes_no_result)
{
    trm_accuracy told[2];
    long steps[2];
    rig r = rig_load("jansen_leg", NULL);
    for (int records = 0; records < 2; records++) {
        trm_error err = {.status = TRM_OK};
        trm_result *result = NULL;
        trm_simulate_options options = trm_default_simulate_options();
        options.every = 0.005;
        options.record = records ? leave_line : NULL;
        rig_ok(trm_simulate(r.model, 3, 1e-6, &options, &result, &err), &err);
        told[records] = trm_result_accuracy(result);
        steps[records] = trm_sim_stats(trm_result_sim(result)).steps;
        trm_result_destroy(result);
    }
    assert_int_equal(steps[0], steps[1]);
    assert_true(told[0].differs == told[1].differs && told[0].runs == told[1].runs);
    rig_close(&r);
}

/// A bar that hangs: what stands still is no motion, and nothing is relative to it.
CLAIM(what_stands_still_is_known)
{
    rig r = rig_parse("{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"b\","
                      "\"mass\":1,\"inertia\":1,\"position\":[3,-2]}],\"joints\":[{\"name\":"
                      "\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"b\"],\"at\":[3,0]}]}");
    const trm_accuracy told = simulate(&r, NULL, 20, NULL);
    assert_true(told.runs == 2 && told.rating == TRM_VERDICT_GOOD);
    rig_close(&r);
}
