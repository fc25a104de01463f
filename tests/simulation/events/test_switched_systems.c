// Systems that switching function, and angles that go round: relays, servos, a gas force, turns of
// joints, against closed forms.
#include "program/run_details.h"
#include "tests/simulation/events/events.h"

// ------------------------------------------------------------------------------- switched systems

/// x'' = -sign(x) from 1 at rest: zeros at (2k + 1) sqrt(2), x = 1 - t^2/2 before the first.
CLAIM(test_relay_oscillator)
{
    rig r = begin(CART("1", FORCE("-sign(p.x)") ",\"events\":[{\"name\":\"down\",\"when\":"
                                                "\"p.x < 0\"}]"),
                  tight());
    rig_run(&r, 40 * sqrt(2));
    assert_int_equal(trm_sim_events(r.sim), 10);
    for (int k = 0; k < 10; k++) {
        near("zero", event_of(&r, k).t, (4 * k + 1) * sqrt(2), 1e-11);
    }
    near("x after ten periods", x_of(&r), 1, 1e-11);
    near("v after ten periods", v_of(&r), 0, 1e-11);
    rig_close(&r);
}

/// Time-optimal: full thrust, then full brake on the curve x = -v|v|/2; from 1 at rest it changes
/// its mode at 1.
CLAIM(test_bang_bang_servo)
{
    rig r = begin(CART("1", FORCE("if(p.x + p.vx*abs(p.vx)/2 > 0, -1, 1)")), tight());
    rig_run(&r, 0.9);
    near("x in thrust", x_of(&r), 1 - 0.5 * 0.81, 1e-12);
    rig_run(&r, 0.99999);
    near("v before the switch", v_of(&r), -0.99999, 1e-12);
    rig_close(&r);
}

/// What a servo about a hinge exerts at x, x' = rate; more: its other keys.
static double effort_of(int dimension, double x, double rate, const char *more)
{
    char text[700];
    const char *const space = dimension == 3 ? ",0" : "";
    snprintf(text, sizeof text,
             "{\"dimension\":%d,\"parameters\":{\"kp\":100},\"bodies\":[{\"name\":\"a\","
             "\"mass\":1,\"inertia\":%s}],\"joints\":[{\"name\":\"J\",\"type\":\"revolute\","
             "\"bodies\":[\"ground\",\"a\"],\"at\":[0,0%s]%s}],\"forces\":[{\"name\":\"s\","
             "\"type\":\"servo\",\"joint\":\"J\",\"kp\":3,\"kd\":0.7,%s}]}",
             dimension, dimension == 3 ? "[1,1,1]" : "1", space,
             dimension == 3 ? ",\"axis\":[0,0,1]" : "", more);
    trm_error err = {.status = TRM_OK};
    rig r = begin(text, tight());
    double q[7] = {0, 0, x}, v[6] = {0, 0, rate}, T;
    if (dimension == 3) {
        memcpy(q, (double[7]){0, 0, 0, cos(x / 2), 0, 0, sin(x / 2)}, sizeof q);
        memcpy(v, (double[6]){0, 0, 0, 0, 0, rate}, sizeof v);
    }
    rig_ok(trm_sim_set_state(r.sim, 0, q, v, &err), &err);
    trm_sensor effort;
    rig_ok(trm_model_sensor(r.model, "s.effort", &effort, &err), &err);
    rig_ok(trm_sim_read(r.sim, &effort, &T, &err), &err);
    rig_close(&r);
    return T;
}

/// kp (target - x) + kd (target_rate - x') + feedforward within the limit; a parameter of the same
/// name is another.
CLAIM(test_the_law_of_a_servo)
{
    static const char more[] = "\"target_rate\":5,\"feedforward\":\"kp*-0.0025\",\"target\":";
    static const struct {
        const char *target;
        double T;
    } planar[] = {{"21", 3 + 2.1 - 0.25},
                  {"\"21 + 0*t\",\"limit\":5", 3 + 2.1 - 0.25},
                  {"21,\"limit\":4.5", 4.5},
                  {"10,\"limit\":4.5", -4.5},
                  {"10", -30 + 2.1 - 0.25}};
    char text[200];
    for (size_t i = 0; i < sizeof planar / sizeof *planar; i++) {
        snprintf(text, sizeof text, "%s%s", more, planar[i].target);
        near(text, effort_of(2, 20, 2, text), planar[i].T, 1e-13);
    }
    snprintf(text, sizeof text, "%s\"2*pi\"", more); // about a spatial hinge too it counts turns
    near("spatial", effort_of(3, 0.5, 2, text), 3 * (2 * pi - 0.5) + 2.1 - 0.25, 1e-13);
    snprintf(text, sizeof text, "%s\"-6*pi\"", more);
    near("spatial", effort_of(3, 0.5, 2, text), 3 * (-6 * pi - 0.5) + 2.1 - 0.25, 1e-13);
    snprintf(text, sizeof text, "%s\"-6*pi\",\"limit\":9", more);
    near("spatial", effort_of(3, 0.5, 2, text), -9, 0);
}

/// Each of its formulas, where it is no number, stops the run with the servo's name and place.
CLAIM(test_a_servo_that_is_no_number)
{
    static const char *const keys[] = {"\"target\":\"log(0.5-t)\"",
                                       "\"target\":0,\"target_rate\":\"log(0.5-t)\"",
                                       "\"target\":0,\"feedforward\":\"log(0.5-t)\""};
    for (int k = 0; k < 6; k++) {
        char text[900];
        snprintf(text, sizeof text,
                 CART("1", "\"forces\":[{\"name\":\"s\",\"type\":\"servo\",\"joint\":\"P\","
                           "\"kp\":1,\"kd\":1,%s%s}]"),
                 keys[k % 3], k < 3 ? "" : ",\"limit\":1");
        trm_error err = {.status = TRM_OK};
        rig r = begin(text, tight());
        assert_int_equal(trm_sim_run(r.sim, 1, NULL, NULL, &err), TRM_ERR_CALLBACK);
        assert_non_null(strstr(err.where, "scene:1:"));
        assert_non_null(strstr(err.where, "/forces/0"));
        assert_non_null(strstr(err.message, "'s'"));
        rig_close(&r);
    }
}

/// A servo that is cut off at 1, k = 4, from 1 at rest: x = 1 - t^2/2 until k x = 1, the arc of an
/// oscillator of 2 rad/s to x = -1/4, and the same back. `joint` and `body` as a scene has them.
static void saturated(const char *dimension, const char *inertia, const char *joint, double from)
{
    char text[900];
    snprintf(text, sizeof text,
             "{\"dimension\":%s,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":%s}],"
             "\"joints\":[{\"name\":\"J-1\",\"bodies\":[\"ground\",\"a\"],%s}],"
             "\"forces\":[{\"name\":\"s\",\"type\":\"servo\",\"joint\":\"J-1\",\"kp\":4,"
             "\"limit\":1,\"target\":\"%.17g + 0*sin(t)\"}]}",
             dimension, inertia, joint, from);
    const double out = sqrt(1.5), across = 0.5 * atan(0.5 / out);
    rig r = begin(text, tight());
    const trm_joint_info info = trm_model_joint_info(r.model, 0);
    assert_string_equal(info.name, "J-1");
    rig_run(&r, out + across); // x is `from` there
    near("energy in the middle", trm_sim_energy(r.sim).kinetic, 0.75 + 0.125, 1e-12);
    near("work", trm_sim_energy(r.sim).work, 0.75 + 0.125, 1e-12);
    assert_int_equal(trm_sim_input_coverage(r.sim).mode_changes, 1);
    rig_run(&r, 4 * (out + across));
    near("x after a period", trm_sim_state(r.sim).q[0], 0, 1e-11);
    near("energy after a period", trm_sim_energy(r.sim).kinetic, 0, 1e-11);
    assert_int_equal(trm_sim_input_coverage(r.sim).mode_changes, 4);
    rig_close(&r);
}

CLAIM(test_a_servo_at_its_limit)
{
    saturated("2", "1", "\"type\":\"prismatic\",\"at\":[0,0],\"axis\":[1,0]", 1);
    saturated("2", "1", "\"type\":\"revolute\",\"at\":[0,0]", -1);
    saturated("3", "[1,2,3]", "\"type\":\"prismatic\",\"at\":[0,0,0],\"axis\":[1,0,0]", -1);
    saturated("3", "[1,2,3]", "\"type\":\"revolute\",\"at\":[0,0,0],\"axis\":[1,0,0]", 1);
}

/// Bang-bang by a servo of so high a gain that its linear zone is 2e-6 wide: x'' = -+1 on both
/// sides of x + v|v|/2. The zone itself is an oscillator of 1e3 rad/s, exact as well: from 1 at
/// rest, x = 0 after sqrt(2 - 2e-6) and an arc.
CLAIM(test_a_servo_that_is_nearly_a_relay)
{
    rig r = begin(
        CART("1", "\"forces\":[{\"name\":\"s\",\"type\":\"servo\",\"joint\":\"P\",\"kp\":1e6,"
                  "\"limit\":1,\"target\":-1}],\"events\":[{\"name\":\"e\",\"when\":\"p.x < 0\"}]"),
        tight());
    const double zone = 1e-6, out = sqrt(2 * (1 - zone));
    const double across = 1e-3 * atan(1e3 * zone / out);
    rig_run(&r, 20 * (out + across));
    assert_int_equal(trm_sim_events(r.sim), 5);
    for (int k = 0; k < 5; k++) {
        near("zero", event_of(&r, k).t, (4 * k + 1) * (out + across), 1e-11);
    }
    near("x after five periods", x_of(&r), 1, 1e-9);
    assert_int_equal(trm_sim_input_coverage(r.sim).mode_changes - trm_sim_events(r.sim) >= 20, 1);
    rig_close(&r);
}

/// Gas torque of a four-stroke engine on a flywheel of 2 kg m^2: 300 N m in the power stroke, -40 N
/// m in compression, -5 N m else; angles 4 pi a cycle. Work over four cycles: 4 pi (300 - 40 - 5 -
/// 5).
CLAIM(test_gas_force_over_four_cycles)
{
    static const char engine[] =
        "{\"dimension\":2,\"bodies\":[{\"name\":\"c\",\"mass\":1,\"inertia\":2,\"rate\":30}],"
        "\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"c\"],"
        "\"at\":[0,0]}],\"definitions\":{\"s\":\"mod(c.angle, 4*pi)/pi\"},"
        "\"forces\":[{\"name\":\"gas\",\"type\":\"torque\",\"body\":\"c\",\"value\":"
        "\"if(s < 1, -5, if(s < 2, -40, if(s < 3, 300, -5)))\"}],"
        "\"events\":[{\"name\":\"four\",\"when\":\"c.angle > 16*pi\",\"stop\":true}]}";
    rig r = begin(engine, tight());
    trm_error err = {.status = TRM_OK};
    assert_int_equal(trm_sim_run(r.sim, 10, NULL, NULL, &err), TRM_STOPPED);
    const double work = 4 * pi * (300 - 40 - 5 - 5);
    const trm_energy energy = trm_sim_energy(r.sim);
    near("work", energy.work / work, 1, 1e-9);
    near("energy", (energy.kinetic - 900) / work, 1, 1e-9);
    rig_close(&r);
}

/// A disc at 2 rad/s on a spatial hinge counts its turns, also behind a slider, which has none to
/// count.
CLAIM(test_turns_of_a_hinge_behind_a_slider)
{
    static const char both[] =
        "{\"dimension\":3,\"bodies\":["
        "{\"name\":\"block\",\"mass\":1,\"inertia\":[1,1,1],\"position\":[0,0,0],\"velocity\":[0,0,"
        "3]},"
        "{\"name\":\"disc\",\"mass\":1,\"inertia\":[1,1,2],\"position\":[5,0,0],\"rate\":[0,0,2]}],"
        "\"joints\":[{\"name\":\"slide\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"block\"],"
        "\"at\":[0,0,0],\"axis\":[0,0,1]},"
        "{\"name\":\"h\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"disc\"],"
        "\"at\":[5,0,0],\"axis\":[0,0,1]}],"
        "\"events\":[{\"name\":\"five\",\"when\":\"h.angle > 5*pi\",\"stop\":true}]}";
    rig r = begin(both, tight());
    trm_error err = {.status = TRM_OK};
    assert_int_equal(trm_sim_run(r.sim, 10, NULL, NULL, &err), TRM_STOPPED);
    near("t", trm_sim_state(r.sim).t, 5 * pi / 2, 1e-9);
    rig_close(&r);
}

/// 1e4 zeros of the relay oscillator from x = 1e-4: each 2 sqrt(2e-4) after the last.
CLAIM(test_ten_thousand_events)
{
    rig r = begin(CART("1e-4", FORCE("-sign(p.x)") ",\"events\":[{\"name\":\"down\",\"when\":"
                                                   "\"p.x < 0\"},{\"name\":\"up\",\"when\":"
                                                   "\"p.x > 0 and t > 0\"}]"),
                  tight());
    const double quarter = sqrt(2e-4);
    const int n = 10000 / EVERY;
    rig_run(&r, 2 * n * quarter);
    assert_int_equal(trm_sim_events(r.sim), n + 1); // "up" at the start too
    trm_event event;
    assert_int_equal(trm_sim_event(r.sim, 0, &event), 0); // no longer kept
    // 16 eps t at each change turns v by twice that, and all later zeros by that: 1e8/6 times
    near("the last", event_of(&r, n).t, (2 * n - 1) * quarter, 2e-5);
    rig_close(&r);
}

// ---------------------------------------------------------------------------------------- angles

/// A wheel turns at 7 rad/s, a force on a cart is the angle of its spoke, from -pi to pi: v grows
/// by the integral of this saw, nothing in a turn, phi^2/2 over 7 in the rest.
CLAIM(test_an_angle_within_a_turn)
{
    static const char *const angle[] = {"atan2(sin(7*t), cos(7*t))", "atan2(w.y - 3, w.x)"};
    for (int i = 0; i < 2; i++) {
        char text[900];
        snprintf(
            text, sizeof text,
            "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,\"position\":"
            "[0,0]},{\"name\":\"c\",\"mass\":1,\"inertia\":1,\"position\":[0,3],\"rate\":7}],"
            "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"at\":[0,0]},{\"name\":\"w\","
            "\"body\":\"c\",\"at\":[2,3]}],\"joints\":[{\"name\":\"P\",\"type\":\"prismatic\","
            "\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],\"axis\":[1,0]},{\"name\":\"O\",\"type\":"
            "\"revolute\",\"bodies\":[\"ground\",\"c\"],\"at\":[0,3]}],"
            "\"forces\":[{\"name\":\"f\",\"type\":\"force\",\"marker\":\"p\",\"value\":[\"%s\",0]}]"
            "}",
            angle[i]);
        rig r = begin(text, tight());
        for (int turns = 1; turns <= 10; turns += 3) {
            const double phi = 1.3;
            rig_run(&r, (2 * pi * turns + phi) / 7);
            near("v", v_of(&r), phi * phi / 2 / 7, 1e-11);
        }
        assert_true(trm_sim_input_coverage(r.sim).mode_changes >= 10);
        rig_close(&r);
    }
}

/// A constraint holds the yaw of a free body: at 0, to and fro through three quarters of a turn,
/// and through pi, where it is refused to the rounding of t, naming the constraint and its place.
CLAIM(test_a_yaw_that_is_held)
{
    static const char scene[] =
        "{\"dimension\":3,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":[1,2,3],\"rate\":[0,0,"
        "%d]}],"
        "\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,"
        "0,0],"
        "\"axis\":[0,0,1]}],\"constraints\":[{\"name\":\"y\",\"expression\":\"a.yaw%s\"}]}";
    static const struct {
        int rate;
        const char *minus;
        double stops; ///< s
    } cases[] = {
        {0, "", INFINITY}, {2, " - 2*sin(t)", INFINITY}, {-3, " + 3*sin(t)", INFINITY},
        {1, " - t", pi},   {-2, " + 2*t", pi / 2},       {4, " - 4*sin(t)", 0.9033391107665127}};
    static const trm_integrator integrators[] = {TRM_INTEGRATOR_DOP853, TRM_INTEGRATOR_DOPRI5,
                                                 TRM_INTEGRATOR_RK4};
    for (size_t i = 0; i < 3 * sizeof cases / sizeof *cases; i++) {
        char text[700];
        trm_error err = {.status = TRM_OK};
        trm_options options = trm_default_options(integrators[i % 3], TRM_STABILIZATION_S_BOTH2);
        options.h = options.h > 0 ? 0.01 : 0;
        snprintf(text, sizeof text, scene, cases[i / 3].rate, cases[i / 3].minus);
        rig r = begin(text, options);
        const trm_status status = trm_sim_run(r.sim, 20, NULL, NULL, &err);
        if (isinf(cases[i / 3].stops)) {
            rig_ok(status, &err);
        } else {
            assert_int_equal(status, TRM_ERR_DIVERGED);
            near("when", err.t, cases[i / 3].stops, 1e-12);
            assert_non_null(strstr(err.message, "a.yaw in constraint 'y' jumps there"));
            assert_non_null(strstr(err.where, "/constraints/0/expression"));
            near("state", trm_sim_state(r.sim).t, err.t, 1e-12);
        }
        rig_close(&r);
    }
}

/// A point on a circle is held where the angle of its place is 3 t: it comes to pi at pi/3, from
/// where the atan2 of the constraint goes on at -pi. The bar on which it is turns on, with a
/// constraint of the same angle as the joint's.
CLAIM(test_a_constraint_whose_angle_jumps_is_refused)
{
    trm_error err = {.status = TRM_OK};
    rig r = rig_parse("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"ends\":[[0,0],"
                      "[1,0]],\"rate\":3}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"at\":"
                      "[1,0]}],\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":["
                      "\"ground\",\"a\"],\"at\":[0,0]}],\"constraints\":[{\"name\":\"lead\","
                      "\"expression\":\"atan2(p.y, p.x) - 3*t\"}]}");
    trm_options options = tight();
    options.assemble = 1; // the rate of the pin fits the bar's
    rig_start(&r, options);
    assert_int_equal(trm_sim_run(r.sim, 2, NULL, NULL, &err), TRM_ERR_DIVERGED);
    assert_non_null(strstr(err.message, "an atan2 in constraint 'lead' jumps there"));
    near("time", err.t, pi / 3, 1e-9);
    near("angle", rig_q(&r, "a", 2), pi, 1e-6);
    rig_close(&r);
}
