/// Events: pulses that no step may miss, times against closed forms, switched systems with exact
/// solutions, what the scene's events do, and what is refused.
#include "tests/rig.h"

/// A cart of 1 kg on a line through "p", with elements of the caller: forces, events.
#define CART(dimension_free_x, elements)                                                           \
    "{\"dimension\":2,\"parameters\":{\"u\":{\"value\":0,\"input\":true}},"                        \
    "\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,\"position\":[" dimension_free_x         \
    ",0]}],"                                                                                       \
    "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"at\":[" dimension_free_x ",0]}],"               \
    "\"joints\":[{\"name\":\"P\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"a\"],"            \
    "\"at\":[0,0],\"axis\":[1,0]}]," elements "}"
#define FORCE(value)                                                                               \
    "\"forces\":[{\"name\":\"f\",\"type\":\"force\",\"marker\":\"p\",\"value\":[\"" value "\",0]}" \
    "]"

static trm_options tight(void)
{
    trm_options options = trm_default_options(TRM_DOP853, TRM_S_BOTH2);
    options.rtol = options.atol = 1e-13;
    return options;
}

static rig begin(const char *text, trm_options options)
{
    rig r = rig_parse(text);
    rig_start(&r, options);
    return r;
}

static trm_event event_of(const rig *r, long i)
{
    trm_event event;
    assert_int_equal(trm_sim_event(r->sim, i, &event), 1);
    return event;
}

static double x_of(const rig *r)
{
    return trm_sim_state(r->sim).q[0];
}

static double v_of(const rig *r)
{
    return trm_sim_state(r->sim).v[0];
}

// ----------------------------------------------------------------------------------- event times

/// x = 1 - 2 t^2 falls below 1/2 at t = 1/2; with every adaptive integrator and fixed ones.
static void test_a_parabola_is_met_to_rounding(void **state)
{
    (void)state;
    static const trm_integrator integrators[] = {TRM_DOP853, TRM_DOPRI5, TRM_RK4, TRM_HEUN};
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
        trm_options options = trm_default_options(integrators[i], TRM_S_BOTH2);
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
static void test_an_oscillator_is_met_at_its_zeros(void **state)
{
    (void)state;
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
static void test_a_dip_within_a_step_is_seen(void **state)
{
    (void)state;
    rig r = begin(CART("1", FORCE("-p.x") ",\"events\":[{\"name\":\"low\",\"when\":"
                                          "\"p.x < -0.999999\"}]"),
                  tight());
    rig_run(&r, 6);
    assert_int_equal(trm_sim_events(r.sim), 1);
    // a time is known to the rounding of x over the slope there, 0.0014
    near("dip", event_of(&r, 0).t, acos(-0.999999), 1e-11);
    rig_close(&r);
}

// ------------------------------------------------------------------------------- switched systems

/// x'' = -sign(x) from 1 at rest: zeros at (2k + 1) sqrt(2), x = 1 - t^2/2 before the first.
static void test_relay_oscillator(void **state)
{
    (void)state;
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

/// Time-optimal: full thrust, then full brake on the curve x = -v|v|/2; from 1 at rest it switches
/// at 1.
static void test_bang_bang_servo(void **state)
{
    (void)state;
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
static void test_the_law_of_a_servo(void **state)
{
    (void)state;
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
static void test_a_servo_that_is_no_number(void **state)
{
    (void)state;
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
    assert_int_equal(trm_sim_following(r.sim).switched, 1);
    rig_run(&r, 4 * (out + across));
    near("x after a period", trm_sim_state(r.sim).q[0], 0, 1e-11);
    near("energy after a period", trm_sim_energy(r.sim).kinetic, 0, 1e-11);
    assert_int_equal(trm_sim_following(r.sim).switched, 4);
    rig_close(&r);
}

static void test_a_servo_at_its_limit(void **state)
{
    (void)state;
    saturated("2", "1", "\"type\":\"prismatic\",\"at\":[0,0],\"axis\":[1,0]", 1);
    saturated("2", "1", "\"type\":\"revolute\",\"at\":[0,0]", -1);
    saturated("3", "[1,2,3]", "\"type\":\"prismatic\",\"at\":[0,0,0],\"axis\":[1,0,0]", -1);
    saturated("3", "[1,2,3]", "\"type\":\"revolute\",\"at\":[0,0,0],\"axis\":[1,0,0]", 1);
}

/// Bang-bang by a servo of so high a gain that its linear zone is 2e-6 wide: x'' = -+1 on both
/// sides of x + v|v|/2. The zone itself is an oscillator of 1e3 rad/s, exact as well: from 1 at
/// rest, x = 0 after sqrt(2 - 2e-6) and an arc.
static void test_a_servo_that_is_nearly_a_relay(void **state)
{
    (void)state;
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
    assert_int_equal(trm_sim_following(r.sim).switched - trm_sim_events(r.sim) >= 20, 1);
    rig_close(&r);
}

/// Gas torque of a four-stroke engine on a flywheel of 2 kg m^2: 300 N m in the power stroke, -40 N
/// m in compression, -5 N m else; angles 4 pi a cycle. Work over four cycles: 4 pi (300 - 40 - 5 -
/// 5).
static void test_gas_force_over_four_cycles(void **state)
{
    (void)state;
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
static void test_turns_of_a_hinge_behind_a_slider(void **state)
{
    (void)state;
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
static void test_ten_thousand_events(void **state)
{
    (void)state;
    rig r = begin(CART("1e-4", FORCE("-sign(p.x)") ",\"events\":[{\"name\":\"down\",\"when\":"
                                                   "\"p.x < 0\"},{\"name\":\"up\",\"when\":"
                                                   "\"p.x > 0 and t > 0\"}]"),
                  tight());
    const double quarter = sqrt(2e-4);
    rig_run(&r, 20000 * quarter);
    assert_int_equal(trm_sim_events(r.sim), 10001); // "up" at the start too
    trm_event event;
    assert_int_equal(trm_sim_event(r.sim, 0, &event), 0); // no longer kept
    // 16 eps t at each change turns v by twice that, and all later zeros by that: 1e8/6 times
    near("the last", event_of(&r, 10000).t, 19999 * quarter, 2e-5);
    rig_close(&r);
}

// ---------------------------------------------------------------------------------------- angles

/// A wheel turns at 7 rad/s, a force on a cart is the angle of its spoke, from -pi to pi: v grows
/// by the integral of this saw, nothing in a turn, phi^2/2 over 7 in the rest.
static void test_an_angle_within_a_turn(void **state)
{
    (void)state;
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
        assert_true(trm_sim_following(r.sim).switched >= 10);
        rig_close(&r);
    }
}

/// A constraint holds the yaw of a free body: at 0, to and fro through three quarters of a turn,
/// and through pi, where it is refused to the rounding of t, naming the constraint and its place.
static void test_a_yaw_that_is_held(void **state)
{
    (void)state;
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
    static const trm_integrator integrators[] = {TRM_DOP853, TRM_DOPRI5, TRM_RK4};
    for (size_t i = 0; i < 3 * sizeof cases / sizeof *cases; i++) {
        char text[700];
        trm_error err = {.status = TRM_OK};
        trm_options options = trm_default_options(integrators[i % 3], TRM_S_BOTH2);
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

// ---------------------------------------------------------------------------------------- places

static void test_events_at_the_ends_of_a_run(void **state)
{
    (void)state;
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

/// Two conditions of the state at once, and a jump on a mesh point of fixed steps: x = 1 - (t -
/// 1/2)^2/2 from there.
static void test_two_at_once_and_on_a_mesh_point(void **state)
{
    (void)state;
    trm_options options = trm_default_options(TRM_RK4, TRM_S_BOTH2);
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
static void test_an_event_during_a_smooth_input(void **state)
{
    (void)state;
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
    rig_ok(trm_sim_set_input(r.sim, trm_model_input(r.model, "u"), -1, &err), &err);
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
static void test_an_event_in_a_singular_position(void **state)
{
    (void)state;
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
static void test_an_event_across_the_path_in_a_singular_position(void **state)
{
    (void)state;
    rig r = begin(PARALLELOGRAM("p.y < 0", "p.y > 0"), tight());
    rig_run(&r, 6);
    assert_int_equal(trm_sim_events(r.sim), 3);
    near("in line", event_of(&r, 1).t, pi / 2, 1e-12);
    near("in line again", event_of(&r, 2).t, 3 * pi / 2, 1e-10);
    near("x after it", x_of(&r), 0.25 * sin(6), 1e-10);
    rig_close(&r);
}

/// An event sets the input: full thrust until half way, then as much brake. x = 0 at rest at 2.
static void test_an_event_sets_an_input(void **state)
{
    (void)state;
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

/// --until, by program.
static void test_a_condition_ends_the_run(void **state)
{
    (void)state;
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
    assert_int_equal(trm_sim_following(r.sim).inputs, TRM_INPUTS_SAMPLED);
    rig_close(&r);
    return v;
}

static void test_times_of_a_users_force(void **state)
{
    (void)state;
    const double times[] = {0.3, 0.3001};
    const trm_force_def told = {.name = "kick", .force = kick, .times = times, .ntimes = 2};
    const trm_force_def untold = {.name = "kick", .force = kick};
    near("told", kicked(&told, 0), 1e-4, 1e-15);
    near("by short steps", kicked(&untold, 1e-4), 1e-4, 1e-8);
    const double falling[] = {1, 1};
    const trm_force_def wrong = {.name = "kick", .force = kick, .times = falling, .ntimes = 2};
    trm_error err = {.status = TRM_OK};
    rig r = rig_parse(CART("0", FORCE("0")));
    assert_int_equal(trm_scene_add_force(r.scene, &wrong, &err), TRM_ERR_SCENE);
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

static void test_what_is_refused(void **state)
{
    (void)state;
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
    // both sides drive v to zero: with 1 and -1 m/s^2, and dry friction of 1 N against a spring of
    // 0.25 N
    refused_in_run(CART("1", FORCE("if(p.vx > 0, -1, 1)")), TRM_ERR_DIVERGED, "scene:1:",
                   "back and forth for ever; from both sides the motion comes back to this edge (1 "
                   "and -1 1/s), so it slides");
    refused_in_run(CART("0.5", FORCE("-sign(p.vx) - 0.5*p.x")), TRM_ERR_DIVERGED,
                   "scene:1:", "(0.75 and -1.25 1/s), so it slides");
    trm_error err = {.status = TRM_OK};
    trm_scene *scene = NULL;
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
static void test_events_survive_a_saved_state(void **state)
{
    (void)state;
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
    assert_int_equal(trm_sim_following(r.sim).inputs, TRM_INPUTS_PROVED);
    free(bytes);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_parabola_is_met_to_rounding),
        cmocka_unit_test(test_an_oscillator_is_met_at_its_zeros),
        cmocka_unit_test(test_a_dip_within_a_step_is_seen),
        cmocka_unit_test(test_relay_oscillator),
        cmocka_unit_test(test_bang_bang_servo),
        cmocka_unit_test(test_the_law_of_a_servo),
        cmocka_unit_test(test_a_servo_that_is_no_number),
        cmocka_unit_test(test_a_servo_at_its_limit),
        cmocka_unit_test(test_a_servo_that_is_nearly_a_relay),
        cmocka_unit_test(test_gas_force_over_four_cycles),
        cmocka_unit_test(test_ten_thousand_events),
        cmocka_unit_test(test_an_angle_within_a_turn),
        cmocka_unit_test(test_a_yaw_that_is_held),
        cmocka_unit_test(test_events_at_the_ends_of_a_run),
        cmocka_unit_test(test_two_at_once_and_on_a_mesh_point),
        cmocka_unit_test(test_an_event_during_a_smooth_input),
        cmocka_unit_test(test_an_event_in_a_singular_position),
        cmocka_unit_test(test_an_event_across_the_path_in_a_singular_position),
        cmocka_unit_test(test_an_event_sets_an_input),
        cmocka_unit_test(test_a_condition_ends_the_run),
        cmocka_unit_test(test_times_of_a_users_force),
        cmocka_unit_test(test_turns_of_a_hinge_behind_a_slider),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_events_survive_a_saved_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
