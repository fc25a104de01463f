/// Events: pulses that no step may miss, times against closed forms, switched systems with exact
/// solutions, what the scene's events do, and what is refused.
#include "program/run_details.h"
#include "program/settings.h"
#include "tests/simulation/events/events.h"

// ----------------------------------------------------------------------------------- event times

/// x = 1 - 2 t^2 falls below 1/2 at t = 1/2; with every adaptive integrator and fixed ones.
CLAIM(test_a_parabola_is_met_to_rounding)
{
    static const trm_integrator integrators[] = {TRM_INTEGRATOR_DOP853, TRM_INTEGRATOR_DOPRI5,
                                                 TRM_INTEGRATOR_RK4, TRM_INTEGRATOR_HEUN};
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
        trm_options options = trm_default_options(integrators[i], TRM_STABILIZATION_S_BOTH2);
        options.h = options.h > 0 ? 0.01 : 0;
        rig r = begin(CART("1", FORCE("-4") ",\"events\":[{\"name\":\"e\",\"when\":"
                                            "\"p.x < 0.5\"}]"),
                      options);
        rig_run(&r, 2);
        assert_int_equal(trm_sim_events(r.sim), 1);
        near("time", event_of(&r, 0).t, 0.5, 1e-12);
        near("x there", event_of(&r, 0).q[0], 0.5, 1e-12);
        near("v there", event_of(&r, 0).v[0], -2, 1e-12);
        rig_close(&r);
    }
}

/// x = cos 3t passes zero at (k + 1/2) pi/3.
CLAIM(test_an_oscillator_is_met_at_its_zeros)
{
    rig r = begin(CART("1", FORCE("-9*p.x") ",\"events\":[{\"name\":\"down\",\"when\":\"p.x < 0\"},"
                                            "{\"name\":\"up\",\"when\":\"p.x > 0 and t > 0.1\"}]"),
                  tight());
    rig_run(&r, 10);
    // "up" holds from t = 0.1 on, and again from every other zero on
    near("up, by the time", event_of(&r, 0).t, 0.1, 1e-15);
    assert_int_equal(trm_sim_events(r.sim), 11);
    for (int k = 0; k < 10; k++) {
        near("zero", event_of(&r, 1 + k).t, (k + 0.5) * pi / 3, 1e-12);
        assert_int_equal(event_of(&r, 1 + k).event, k % 2);
    }
    near("end", x_of(&r), cos(30), 1e-11);
    rig_close(&r);
}

/// A grazing turn: x = cos t dips below -0.999999 between 3.1402 and 3.1430 only, within one step.
CLAIM(test_a_dip_within_a_step_is_seen)
{
    rig r = begin(CART("1", FORCE("-p.x") ",\"events\":[{\"name\":\"low\",\"when\":"
                                          "\"p.x < -0.999999\"}]"),
                  tight());
    rig_run(&r, 6);
    assert_int_equal(trm_sim_events(r.sim), 1);
    // a time is known to the rounding of x over the slope there, 0.0014
    near("dip", event_of(&r, 0).t, acos(-0.999999), 1e-11);
    rig_close(&r);
}

/// Of x = 1 + t^2 a window of 1e-5 s about t = 1 that a step passes over, behind another formula.
CLAIM(test_a_window_of_a_second_formula_is_seen)
{
    rig r = begin(CART("1", FORCE("2") ",\"events\":[{\"name\":\"far\",\"when\":"
                                       "\"p.x*p.vx*p.vy > 100\"},{\"name\":\"near\",\"when\":"
                                       "\"(p.x - 2)^2 < 1e-10\"}]"),
                  tight());
    rig_run(&r, 3);
    assert_int_equal(trm_sim_events(r.sim), 1);
    assert_int_equal(event_of(&r, 0).event, 1);
    near("in", event_of(&r, 0).t, sqrt(1 - 1e-5), 1e-11);
    rig_close(&r);
}

/// Pushed by 1 N over half a metre, then past a bell of the place of 0.3 J, 1e-5 m wide: v^2 = 1 +
/// 0.6.
CLAIM(test_a_bell_of_the_place_is_seen)
{
    static const trm_integrator integrators[] = {TRM_INTEGRATOR_DOP853, TRM_INTEGRATOR_DOPRI5};
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
        for (double digits = 1e-4; digits > 1e-13; digits *= 1e-4) {
            trm_options options = trm_default_options(integrators[i], TRM_STABILIZATION_S_BOTH2);
            options.rtol = options.atol = digits;
            rig r = begin(CART("0", FORCE("0.3/sqrt(pi)/1e-5*exp(-((p.x - 1)/1e-5)^2) + "
                                          "if(p.x < 0.5, 1, 0)")),
                          options);
            rig_run(&r, 4);
            near("v", v_of(&r), sqrt(1 + 0.6), 100 * digits);
            rig_close(&r);
        }
    }
}

// ---------------------------------------------------------------------------------------- places

CLAIM(test_events_at_the_ends_of_a_run)
{
    rig r = begin(CART("1", FORCE("0") ",\"events\":[{\"name\":\"start\",\"when\":\"p.x > 0\"},"
                                       "{\"name\":\"end\",\"when\":\"t >= 2\"},"
                                       "{\"name\":\"end_too\",\"when\":\"3*t >= 6\"}]"),
                  tight());
    rig_run(&r, 2);
    assert_int_equal(trm_sim_events(r.sim), 3);
    near("start", event_of(&r, 0).t, 0, 0);
    near("end", event_of(&r, 1).t, 2, 0);
    near("end too", event_of(&r, 2).t, 2, 0);
    rig_close(&r);
}

/// A scene with an event "e" that falls on `end`, from four numbers.
typedef struct falls {
    const char *scene;
    double numbers[4], end;
} falls;

#define LATE "\"events\":[{\"name\":\"e\",\"when\":"
#define AT_SPEED(force, when) PULLED("", force, when)
#define PULLED(gravity, force, when)                                                               \
    "{\"dimension\":2," gravity                                                                    \
    "\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,\"position\":[%.17g,0]"                  \
    ","                                                                                            \
    "\"velocity\":[%.17g,0]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}],"         \
    "\"joints\":[{\"name\":\"P\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"a\"],"            \
    "\"at\":[0,0],\"axis\":[1,0]}]," FORCE(force) "," LATE "\"" when "\"}]}"
#define TURNED(motor, rate, when)                                                                  \
    "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,\"rate\":" rate "}],"   \
    "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[1,0]}],\"joints\":[{\"name\":\"O\","      \
    "\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0]}]," motor LATE "\"" when     \
    "\"}]}"
#define MOTOR "\"constraints\":[{\"name\":\"m\",\"expression\":\"O.angle - %.17g*t\"}],"

/// Motions that steps follow to rounding.
static falls falling(int which, int i)
{
    const double x = 0.3 + 0.11 * i, v = 0.1 + 0.07 * i, a = 0.5 + 0.3 * i;
    const falls all[] = {
        {AT_SPEED("0", "p.x >= 0"), {-x, v}, x / v},
        {AT_SPEED("0", "p.x < 0"), {x, -v}, x / v},
        {AT_SPEED("0", "p.x == 0"), {-x, v}, x / v},
        {AT_SPEED("0", "p.x > 10"), {10 - x, v}, (10 - (10 - x)) / v},
        {AT_SPEED("0", "p.x^2 < 0.01"), {-x, v}, (x - 0.1) / v},
        {AT_SPEED("-%.17g", "p.x < 0 and t > 1e-3"), {0, v, a}, 2 * v / a},
        {PULLED("\"gravity\":[-3,0],", "0", "p.x < 0 and t > 1e-3"), {0, v}, 2 * v / 3},
        {AT_SPEED("-%.17g", "p.vx <= 0"), {0, v, a}, v / a},
        {TURNED("", "%.17g", "O.angle > %.17g"), {v, x + 6}, (x + 6) / v},
        {TURNED(MOTOR, "%.17g", "p.x < 0"), {v, v}, pi / 2 / v},
    };
    return which < (int)(sizeof all / sizeof *all) ? all[which] : (falls){NULL, {0}, 0};
}

static long events_by(rig *r, double t)
{
    rig_run(r, t);
    return trm_sim_events(r->sim);
}

/// An event of the state that falls on the end happens there, at A = 1e-3 too, and once: neither
/// the rest of the run nor a saved state has it again. A part of 1e-9 earlier it has not happened.
CLAIM(test_an_event_of_the_state_at_the_end)
{
    for (int which = 0; falling(which, 0).scene; which++) {
        for (int i = 0; i < 40; i++) {
            const falls f = falling(which, i);
            const double *n = f.numbers, rtol = i % 2 ? 1e-3 : 1e-13;
            char text[2000];
            snprintf(text, sizeof text, f.scene, n[0], n[1], n[2], n[3]);
            trm_options options = tight();
            options.rtol = options.atol = rtol;
            rig r = begin(text, options);
            assert_int_equal(events_by(&r, f.end), 1);
            near("at the end", event_of(&r, 0).t, f.end, 1e-12 * f.end);
            near("energy", trm_sim_report(r.sim).energy_error_relative, 0, 1e-12);
            if (which != 2) {
                assert_int_equal(events_by(&r, 1.2 * f.end), 1);
            }
            rig_start(&r, options);
            assert_int_equal(events_by(&r, f.end * (1 - 1e-9)), 0);
            assert_int_equal(events_by(&r, 1.2 * f.end), 1);
            near("on the way", event_of(&r, 0).t, f.end, 1e-12 * f.end);
            rig_start(&r, options);
            for (int part = 1; part <= 20; part++) { // as a controller goes
                assert_int_equal(events_by(&r, f.end * part / 10), part >= 10);
            }
            rig_close(&r);
        }
    }
}

/// What rests on its edge, or turns round some roundings before it, does not go through it.
CLAIM(test_an_edge_at_the_end_that_is_not_passed)
{
    static const char *const scenes[] = {
        CART("0", FORCE("0") "," LATE "\"p.x > 0 or p.x < 0 or p.vx > 0\"}]"),
        CART("0",
             FORCE("6*(1 - 2*t)") "," LATE "\"p.x > 1.0000000000000009\"}]"), // x = 3 t^2 - 2 t^3
        CART("0",
             FORCE("6*(t - 1)") "," LATE "\"p.vx < -3.000000000000002\"}]"), // v = 3 (t - 1)^2 - 3
    };
    for (int i = 0; i < 3; i++) {
        rig r = begin(scenes[i], tight());
        assert_int_equal(events_by(&r, 1), 0);
        rig_close(&r);
    }
}

/// What is looked at behind the end leaves no trace in what is measured there.
CLAIM(test_the_end_is_measured_at_the_end)
{
    rig r = begin(CART("0", "\"gravity\":[-3,0]," FORCE("max(0, p.x - 7)")), tight());
    rig_run(&r, 1);
    near("energy", trm_sim_report(r.sim).energy_error_relative, 0, 1e-13);
    rig_close(&r);
}

/// Two conditions of the state at once, and a jump on a mesh point of fixed steps: x = 1 - (t -
/// 1/2)^2/2 from there.
CLAIM(test_two_at_once_and_on_a_mesh_point)
{
    trm_options options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2);
    options.h = 0.125;
    rig r = begin(CART("1", FORCE("if(t < 0.5, 0, -1)") ",\"events\":[{\"name\":\"x\",\"when\":"
                                                        "\"p.x < 0.5\"},{\"name\":\"v\",\"when\":"
                                                        "\"p.vx < -1\"}]"),
                  options);
    rig_run(&r, 2);
    assert_int_equal(trm_sim_events(r.sim), 2);
    near("x", event_of(&r, 0).t, 1.5, 1e-12);
    near("v", event_of(&r, 1).t, 1.5, 1e-12);
    near("end", x_of(&r), 1 - 0.5 * 2.25, 1e-12);
    rig_close(&r);
}

/// While an input goes from 0 to -1 by its quintic S: x = 1 less the double integral of S. s = 0.6
/// at t = 1.1.
CLAIM(test_an_event_during_a_smooth_input)
{
    char text[900];
    const double s = 0.6, threshold = 1 - s * s * s * s * s * (0.5 - 0.5 * s + s * s / 7);
    snprintf(text, sizeof text,
             "{\"dimension\":2,\"parameters\":{\"u\":{\"value\":0,\"input\":true,\"smooth\":1}},"
             "\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,\"position\":[1,0]}],"
             "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"at\":[1,0]}],"
             "\"joints\":[{\"name\":\"P\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"a\"],"
             "\"at\":[0,0],\"axis\":[1,0]}]," FORCE(
                 "u") ",\"events\":[{\"name\":\"x\",\"when\":"
                      "\"p.x < %.17g\"},{\"name\":\"u\",\"when\":\"u < -0.5\"}]}",
             threshold);
    trm_error err = {.status = TRM_OK};
    rig r = begin(text, tight());
    rig_run(&r, 0.5);
    rig_ok(trm_sim_set_input(r.sim, trm_model_find(r.model, TRM_ELEMENT_INPUT, "u"), -1, &err),
           &err);
    rig_run(&r, 3);
    assert_int_equal(trm_sim_events(r.sim), 2);
    near("half way", event_of(&r, 0).t, 1, 1e-12);
    near("x", event_of(&r, 1).t, 1.1, 1e-12);
    rig_close(&r);
}

/// A parallelogram of four bars turns uniformly and comes into line, its singular position, at pi/2
/// and 3 pi/2: conditions that begin to hold right there.
#define PARALLELOGRAM(down, up)                                                                    \
    "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"ends\":[[0,0],[0,0.5]],"            \
    "\"rate\":-1,\"velocity\":[0.25,0]},{\"name\":\"c\",\"mass\":1,\"ends\":[[0,0.5],[1,0.5]],"    \
    "\"velocity\":[0.5,0]},{\"name\":\"b\",\"mass\":1,\"ends\":[[1,0],[1,0.5]],\"rate\":-1,"       \
    "\"velocity\":[0.25,0]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"at\":[0,0.5]},"         \
    "{\"name\":\"r\",\"body\":\"b\",\"at\":[1,0.5]}],"                                             \
    "\"joints\":[{\"name\":\"A\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],"             \
    "\"at\":[0,0]},{\"name\":\"B\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"b\"],"           \
    "\"at\":[1,0]},{\"name\":\"C\",\"type\":\"revolute\",\"bodies\":[\"a\",\"c\"],"                \
    "\"at\":[0,0.5]},{\"name\":\"D\",\"type\":\"revolute\",\"bodies\":[\"c\",\"b\"],"              \
    "\"at\":[1,0.5]}],\"events\":[{\"name\":\"down\",\"when\":\"" down "\"},"                      \
    "{\"name\":\"up\",\"when\":\"" up " and t > 1\"}]}"

/// The cranks are at theta + x and theta - x. Along the path, in theta, events are located to
/// rounding. What a run is off by at the next crossing is its energy: where it is off by a part of
/// itself, the rate is by half of that, and the time of half a turn by pi/2 of it.
CLAIM(test_an_event_in_a_singular_position)
{
    static const double tolerances[] = {1e-12, 3e-13, 1e-13, 3e-14};
    for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; i++) {
        trm_options options = tight();
        options.rtol = options.atol = tolerances[i];
        rig r = begin(PARALLELOGRAM("p.y + r.y < 0", "p.y + r.y > 0"), options);
        rig_run(&r, 6);
        assert_int_equal(trm_sim_events(r.sim), 3); // "up" at t = 1 too
        const double lost = pi / 2 * trm_sim_report(r.sim).energy_error_relative;
        near("up, by the time", event_of(&r, 0).t, 1, 1e-15);
        near("in line", event_of(&r, 1).t, pi / 2, 1e-12);
        near("in line again", event_of(&r, 2).t, 3 * pi / 2, 1e-12 + lost);
        near("x after it", x_of(&r), 0.25 * sin(6), 1e-12 + lost);
        assert_true(trm_sim_report(r.sim).crossings >= 2);
        rig_close(&r);
    }
}

/// A condition on one crank sees x too, across the path. In line the pins are sqrt(1 + x^2) apart,
/// where the rod is 1: the gap, x^2/2, is known to a rounding, 1.1e-16, and holds x to 1.5e-8 only.
/// What is better than that comes from the motion before: observed x are up to 3e-11.
CLAIM(test_an_event_across_the_path_in_a_singular_position)
{
    rig r = begin(PARALLELOGRAM("p.y < 0", "p.y > 0"), tight());
    rig_run(&r, 6);
    assert_int_equal(trm_sim_events(r.sim), 3);
    near("in line", event_of(&r, 1).t, pi / 2, 1e-12);
    near("in line again", event_of(&r, 2).t, 3 * pi / 2, 1e-10);
    near("x after it", x_of(&r), 0.25 * sin(6), 1e-10);
    rig_close(&r);
}

/// An event sets the input: full thrust until half way, then as much brake. x = 0 at rest at 2.
CLAIM(test_an_event_sets_an_input)
{
    rig r = begin(CART("1", FORCE("u") ",\"events\":[{\"name\":\"go\",\"when\":\"t >= 0\","
                                       "\"set\":{\"u\":-1}},{\"name\":\"brake\",\"when\":"
                                       "\"p.x < 0.5\",\"set\":{\"u\":1}}]"),
                  tight());
    rig_run(&r, 2);
    assert_int_equal(trm_sim_events(r.sim), 2);
    near("brake", event_of(&r, 1).t, 1, 1e-12);
    near("x", x_of(&r), 0, 1e-11);
    near("v", v_of(&r), 0, 1e-11);
    rig_close(&r);
}

/// A machine of three states, told by ==, >= and <= of an input that rests on their edges: 1 N up
/// to 1/2 m, 3 N up to 4 m, then nothing.
CLAIM(test_an_input_rests_on_an_edge)
{
    rig r = begin(
        CART("0", FORCE("if(u == 0, 1, 0) + if(u >= 1 and u <= 1, 3, 0)") ","
                                                                          "\"events\":[{\"name\":"
                                                                          "\"a\",\"when\":\"u <= 0 "
                                                                          "and p.x > 0.5\","
                                                                          "\"set\":{\"u\":1}},{"
                                                                          "\"name\":\"b\",\"when\":"
                                                                          "\"u == 1 and p.x > "
                                                                          "4\",\"set\":{\"u\":2}},"
                                                                          "{\"name\":\"c\","
                                                                          "\"when\":\"u >= 2\"}]"),
        tight());
    rig_run(&r, 3);
    const double later = (sqrt(22) - 1) / 3; // 1/2 + s + 3/2 s^2 = 4
    assert_int_equal(trm_sim_events(r.sim), 3);
    near("a", event_of(&r, 0).t, 1, 1e-12);
    near("b", event_of(&r, 1).t, 1 + later, 1e-12);
    near("c", event_of(&r, 2).t, 1 + later, 1e-12);
    near("v", v_of(&r), 1 + 3 * later, 1e-11);
    trm_error err = {.status = TRM_OK};
    rig_ok(trm_sim_set_input(r.sim, 0, 1, &err), &err);
    rig_run(&r, 4);
    near("nothing pushes, since b happens at once", v_of(&r), 1 + 3 * later, 1e-11);
    assert_int_equal(trm_sim_events(r.sim), 5);
    rig_close(&r);
}

/// An input lays a function of the state on its edge, where it stays: sign(0) is 0.
CLAIM(test_an_input_lays_a_switch_on_its_edge)
{
    rig r = begin(CART("1", FORCE("sign((1 - u)*p.x)") ",\"events\":[{\"name\":\"off\","
                                                       "\"when\":\"p.x > 1.5\","
                                                       "\"set\":{\"u\":1}}]"),
                  tight());
    rig_run(&r, 3);
    near("v", v_of(&r), 1, 1e-12);
    near("x", x_of(&r), 3.5, 1e-11);
    rig_close(&r);
}

/// x = t^2: sqrt(4 - x) falls below 1/10 before it has no value, and ends the run there.
CLAIM(test_an_event_before_the_end_of_a_domain)
{
    rig r = begin(CART("0", FORCE("2") ",\"events\":[{\"name\":\"near\",\"when\":"
                                       "\"sqrt(4 - p.x) < 0.1\",\"stop\":true}]"),
                  tight());
    trm_error err = {.status = TRM_OK};
    assert_int_equal(trm_sim_run(r.sim, 10, NULL, NULL, &err), TRM_STOPPED);
    near("t", event_of(&r, 0).t, sqrt(3.99), 1e-12);
    rig_close(&r);
}

/// Roots of formulas of the time that have a value where a branch is taken alone, from 0 to 3 s.
static void begins_at(const char *condition, int n, const double t[])
{
    char text[900];
    snprintf(text, sizeof text,
             "{\"dimension\":2,\"parameters\":{\"u\":{\"value\":0,\"input\":true}},\"bodies\":["
             "{\"name\":\"a\",\"mass\":1,\"inertia\":1,\"velocity\":[1,0]}],\"events\":["
             "{\"name\":\"e\",\"when\":\"%s\",\"set\":{\"u\":\"u + 1\"}}]}",
             condition);
    rig r = begin(text, tight());
    rig_run(&r, 3);
    if (trm_sim_events(r.sim) != n) {
        fail_msg("%s: %ld events", condition, trm_sim_events(r.sim));
    }
    for (int i = 0; i < n; i++) {
        near(condition, event_of(&r, i).t, t[i], 1e-13);
    }
    rig_close(&r);
}

CLAIM(test_events_of_the_time_in_a_domain_with_gaps)
{
    begins_at("sin(t) - 0.2 > 0 ? (sin(t) - 0.2)^0.5 > 0.4 : 0", 1, (double[]){asin(0.36)});
    begins_at("sin(3*t) <= 0 ? 0 : 1/sqrt(sin(3*t)) < 2", 2,
              (double[]){asin(0.25) / 3, (asin(0.25) + 2 * pi) / 3});
    begins_at("cos(3*t) - 0.5 >= 0 ? sqrt(cos(3*t) - 0.5) > 0.6 : 0", 2,
              (double[]){0, (2 * pi - acos(0.86)) / 3});
    begins_at("t > 0.5 ? (t < 1.5 ? asin(2*t - 2) > -0.2 : 1) : 0", 1,
              (double[]){1 + sin(-0.2) / 2});
    begins_at("(t - 1)^2 < 0.3 ? 0 : log((t - 1)^2 - 0.3) > -0.5", 2,
              (double[]){0, 1 + sqrt(0.3 + exp(-0.5))});
}

/// Of what comes to its value as (1 - t)^3 does: one event, as soon as the rest is below rounding,
/// 10 r^3 = 1e-16, and none of what rounding of a sum would do from there on.
static void arrives_once(const char *condition, double end)
{
    char text[900];
    snprintf(text, sizeof text,
             "{\"dimension\":2,\"parameters\":{\"u\":{\"value\":0,\"input\":true,\"smooth\":1}},"
             "\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,\"velocity\":[1,0]}],"
             "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}],"
             "\"events\":[{\"name\":\"go\",\"when\":\"t >= 1\",\"set\":{\"u\":1}},"
             "{\"name\":\"there\",\"when\":\"%s\"}]}",
             condition);
    rig r = begin(text, tight());
    rig_run(&r, 3);
    assert_int_equal(trm_sim_events(r.sim), 2);
    near(condition, event_of(&r, 1).t, end, 1e-5);
    rig_close(&r);
}

CLAIM(test_a_smooth_arrival_is_one_event)
{
    arrives_once("u >= 1", 2);
    arrives_once("u == 1", 2);
    arrives_once("step(t, 1, 2) >= 1", 2);
    arrives_once("3 - 2*step(t, 1, 2) <= 1", 2);
    arrives_once("pulse(t, 1, 2.5, 0.5) >= 1", 1.5);
    arrives_once("step(p.x, 1, 2) >= 1", 2);
    arrives_once("step(p.x, 1, 2) == 1", 2);
}

/// --until, by program.
CLAIM(test_a_condition_ends_the_run)
{
    trm_error err = {.status = TRM_OK};
    rig r = {NULL, NULL, NULL};
    const char *const text = CART("1", FORCE("-4"));
    rig_ok(trm_scene_parse(text, strlen(text), &r.scene, &err), &err);
    rig_ok(trm_scene_stop_when(r.scene, "p.x < 0.5", &err), &err);
    rig_ok(trm_model_build(r.scene, &r.model, &err), &err);
    rig_start(&r, tight());
    assert_int_equal(trm_sim_run(r.sim, 5, NULL, NULL, &err), TRM_STOPPED);
    near("time", trm_sim_state(r.sim).t, 0.5, 1e-12);
    assert_string_equal(trm_model_event_info(r.model, 0).name, "until");
    rig_run(&r, 1); // goes on: it holds already
    near("x", x_of(&r), -1, 1e-11);
    assert_int_equal(trm_scene_stop_when(r.scene, "p.x", &err), TRM_ERR_SCENE);
    rig_close(&r);
}

// -------------------------------------------------------------------------------- users' functions

/// 1 N from t = 0.3 to 0.3001: a step of the run would not see it.
static int kick(const trm_model *model, double t, const double *q, const double *v, double *f,
                void *user)
{
    (void)model, (void)q, (void)v, (void)user;
    f[0] += t >= 0.3 && t < 0.3001 ? 1 : 0;
    return 0;
}

static double kicked(const trm_force_def *def, double max_step)
{
    trm_error err = {.status = TRM_OK};
    rig r = {NULL, NULL, NULL};
    const char *const text = CART("0", FORCE("0"));
    rig_ok(trm_scene_parse(text, strlen(text), &r.scene, &err), &err);
    rig_ok(trm_scene_add_force(r.scene, def, &err), &err);
    rig_ok(trm_model_build(r.scene, &r.model, &err), &err);
    trm_options options = tight();
    options.max_step = max_step;
    rig_start(&r, options);
    rig_run(&r, 1);
    const double v = v_of(&r);
    assert_int_equal(trm_sim_input_coverage(r.sim).inputs, TRM_INPUTS_SAMPLED);
    rig_close(&r);
    return v;
}

CLAIM(test_times_of_a_users_force)
{
    const double times[] = {0.3, 0.3001};
    const trm_force_def told = {.name = "kick", .force = kick, .times = times, .ntimes = 2};
    const trm_force_def untold = {.name = "kick", .force = kick};
    near("told", kicked(&told, 0), 1e-4, 1e-15);
    near("by short steps", kicked(&untold, 1e-4), 1e-4, 1e-8);
    const double falling[] = {1, 1};
    const trm_force_def wrong = {.name = "kick", .force = kick, .times = falling, .ntimes = 2};
    trm_error err = {.status = TRM_OK};
    rig r = rig_parse(CART("0", "\"constraints\":[{\"name\":\"lead\",\"expression\":\"p.x\"}]"));
    assert_int_equal(trm_scene_add_force(r.scene, &wrong, &err), TRM_ERR_SCENE);
    const trm_force_def taken = {.name = "lead", .force = kick};
    assert_int_equal(trm_scene_add_force(r.scene, &taken, &err), TRM_ERR_SCENE);
    assert_non_null(strstr(err.message, "the name \"lead\" is taken"));
    rig_close(&r);
}

// --------------------------------------------------------------------------------------- refusals

static void refused_in_run(const char *text, trm_status status, const char *where,
                           const char *message)
{
    rig r = begin(text, tight());
    trm_error err = {.status = TRM_OK};
    assert_int_equal(trm_sim_run(r.sim, 10, NULL, NULL, &err), status);
    // with line and column
    if (strncmp(err.where, "scene:1:", 8) || !strstr(err.where, where) ||
        !strstr(err.message, message)) {
        fail_msg("\"%s\" (%s)", err.message, err.where);
    }
    rig_close(&r);
}

CLAIM(test_what_is_refused)
{
    refused_in_run(CART("1", FORCE("0") ",\"events\":[{\"name\":\"n\",\"when\":"
                                        "\"sqrt(-1 - t) < 2\"}]"),
                   TRM_ERR_CALLBACK, "/events/0/when", "is not defined");
    refused_in_run(CART("1", FORCE("0") ",\"events\":[{\"name\":\"n\",\"when\":"
                                        "\"sqrt(1 - t) < 2 and p.x > 5\"}]"),
                   TRM_ERR_CALLBACK, "/events/0/when",
                   "stopped at t = 1 s: the condition of event");
    refused_in_run(CART("1", FORCE("0") ",\"events\":[{\"name\":\"on\",\"when\":\"u < 1\","
                                        "\"set\":{\"u\":2}},{\"name\":\"off\",\"when\":\"u > 1\","
                                        "\"set\":{\"u\":0}}]"),
                   TRM_ERR_DIVERGED, "/events/", "again and again");
    refused_in_run(CART("1", FORCE("0") ",\"events\":[{\"name\":\"on\",\"when\":\"u <= 0\","
                                        "\"set\":{\"u\":1}},{\"name\":\"off\",\"when\":\"u >= 1\","
                                        "\"set\":{\"u\":0}}]"),
                   TRM_ERR_DIVERGED, "/events/", "again and again");
    refused_in_run(CART("0", FORCE("2") ",\"events\":[{\"name\":\"n\",\"when\":"
                                        "\"log(4 - p.x) < -100\"}]"),
                   TRM_ERR_CALLBACK, "/events/0/when", "stopped at t = 2 s: the condition");
    refused_in_run(CART("0", FORCE("2") ",\"events\":[{\"name\":\"n\",\"when\":"
                                        "\"log(4 - p.x) < -100\"}]"),
                   TRM_ERR_CALLBACK, "/events/0/when", ", log of ");
    refused_in_run(CART("0", FORCE("2") ",\"stops\":[{\"name\":\"s\",\"gap\":"
                                        "\"1 + sqrt(4 - p.x)\"}]"),
                   TRM_ERR_CALLBACK, "/stops/0",
                   "stopped at t = 2 s: the gap of 's' is not defined");
    // both sides drive v to zero: with 1 and -1 m/s^2, and dry friction of 1 N against a spring of
    // 0.25 N
    refused_in_run(CART("1", FORCE("if(p.vx > 0, -1, 1)")), TRM_ERR_DIVERGED, "scene:1:",
                   "back and forth for ever; from both sides the motion comes back to this edge (1 "
                   "and -1 1/s), so it slides");
    refused_in_run(CART("0.5", FORCE("-sign(p.vx) - 0.5*p.x")), TRM_ERR_DIVERGED,
                   "scene:1:", "(0.75 and -1.25 1/s), so it slides");
    trm_error err = {.status = TRM_OK};
    trm_scene *scene = NULL;
    const char *const no_slope =
        CART("1", "\"constraints\":[{\"name\":\"c\",\"expression\":\"p.x - 1 - sqrt(t)\"}]");
    rig r = rig_parse(no_slope);
    const trm_options options = tight();
    assert_int_equal(trm_sim_create(r.model, &options, &r.sim, &err), TRM_ERR_CALLBACK);
    assert_non_null(strstr(err.where, "scene:1:"));
    assert_non_null(strstr(err.message, "sqrt of 0, where its derivatives are infinite"));
    rig_close(&r);
    const char *const number =
        CART("1", FORCE("0") ",\"events\":[{\"name\":\"n\",\"when\":\"p.x + 1\"}]");
    assert_int_equal(trm_scene_parse(number, strlen(number), &scene, &err), TRM_ERR_SCENE);
    assert_non_null(strstr(err.where, "/events/0/when"));
    const char *const no_input = CART(
        "1", FORCE("0") ",\"events\":[{\"name\":\"n\",\"when\":\"p.x < 1\",\"set\":{\"w\":1}}]");
    assert_int_equal(trm_scene_parse(no_input, strlen(no_input), &scene, &err), TRM_ERR_SCENE);
    assert_non_null(strstr(err.message, "is no input"));
}

// ------------------------------------------------------------------------------------ saved states

/// A run restored in the middle takes the same steps and meets the same events.
CLAIM(test_events_survive_a_saved_state)
{
    static const char text[] = CART(
        "1",
        FORCE("-9*p.x + 100*exp(-((t-3)/0.01)^2)") ",\"events\":["
                                                   "{\"name\":\"down\",\"when\":\"p.x < 0\"}]");
    trm_error err = {.status = TRM_OK};
    rig r = begin(text, tight());
    rig_run(&r, 2);
    const size_t size = trm_sim_state_size(r.sim);
    char *bytes = malloc(size);
    rig_ok(trm_sim_save(r.sim, bytes, size, &err), &err);
    rig_run(&r, 6);
    const double x = x_of(&r);
    const long events = trm_sim_events(r.sim);
    rig_ok(trm_sim_restore(r.sim, bytes, size, &err), &err);
    rig_run(&r, 6);
    assert_true(x_of(&r) == x);
    assert_int_equal(trm_sim_events(r.sim), events);
    assert_int_equal(trm_sim_input_coverage(r.sim).inputs, TRM_INPUTS_PROVED);
    free(bytes);
    rig_close(&r);
}
