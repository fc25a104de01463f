/// Conditions that hold for a instant only, in which their functions touch an edge, or jump to it
/// and go on: no step holds them.
#include "tests/simulation/events/events.h"

/// x of a body that is thrown from `from` at `speed`; it is %g + x of the condition, three times at
/// most.
static rig thrown(double from, double speed, const char *when, trm_options options)
{
    char condition[300], scene[800];
    snprintf(condition, sizeof condition, when, from, from, from);
    snprintf(scene, sizeof scene,
             "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,"
             "\"velocity\":[%.17g,0]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}],"
             "\"events\":[{\"name\":\"e\",\"when\":\"%s\"}]}",
             speed, condition);
    return begin(scene, options);
}

static const struct touch {
    const char *when;
    long one, two; ///< times at x = 1, at x = 2
    long any;      ///< times at any other whole number
} touches[] = {
    {"p.x + %g == 1", 1, 0, 0},
    {"sin(pi*(p.x + %g)) == 0", 1, 1, 1},
    {"floor(p.x + %g) == p.x + %g", 1, 1, 1},
    {"p.x + %g - floor(p.x + %g) == 0", 1, 1, 1},
    {"mod(p.x + %g, 1) == 0", 1, 1, 1},
    {"mod(p.x + %g, 1) <= 0", 1, 1, 1},
    {"not (mod(p.x + %g, 1) > 0)", 1, 1, 1},
    {"p.x + %g - floor(p.x + %g) <= 0", 1, 1, 1},
    {"p.x + %g - ceil(p.x + %g) >= 0", 1, 1, 1},
    {"ceil(p.x + %g) - floor(p.x + %g) < 1", 1, 1, 1},
    {"abs(sin(pi*(p.x + %g))) <= 0", 1, 1, 1},
    {"abs(p.x + %g - 1) <= 0", 1, 0, 0},
    {"max(p.x + %g - 1, 1 - p.x - %g) <= 0", 1, 0, 0},
    {"sqrt(abs(p.x + %g - 1)) <= 0", 1, 0, 0},
    {"abs(p.x + %g - 1)^0.25 == 0", 1, 0, 0},
    {"if(p.x + %g < 2, 2 - p.x - %g, p.x + %g - 2) == 0", 0, 1, 0},
    {"sign(p.x + %g - 1) > -0.5 and sign(p.x + %g - 1) < 0.5", 1, 0, 0},
    {"floor(p.x + %g) == p.x + %g and mod(3*(p.x + %g), 1) == 0", 1, 1, 1},
    {"floor(p.x + %g) == p.x + %g and abs(p.x + %g - 2) < 0.5", 0, 1, 0},
    {"p.x + %g == 1 and abs(p.x + %g - 1) == mod(p.x + %g, 1)", 1, 0, 0},
    {"p.x + %g == 1 and if(p.x + %g > 1, sqrt(p.x + %g - 1), 0) < 2", 1, 0, 0},
    {"p.x + %g == 1 and if(p.x + %g < 1, 0, sqrt(p.x + %g - 1)) < 2", 1, 0, 0},
    // what does not hold there
    {"mod(p.x + %g, 1) < 0", 0, 0, 0},
    {"floor(p.x + %g) > p.x + %g", 0, 0, 0},
    {"ceil(p.x + %g) < p.x + %g", 0, 0, 0},
    {"abs(p.x + %g - 1) <= -1e-12", 0, 0, 0},
    {"abs(p.x + %g - 1) < 0", 0, 0, 0},
    {"mod(p.x + %g, 1) == 0 and mod(p.x + %g + 1e-12, 1) == 0", 0, 0, 0},
};

/// Each time x is a whole number, to 1e-12.
static void touched(const struct touch *touch, double from, double speed, double end, long n,
                    double rtol)
{
    rig r = thrown(from, speed, touch->when, of(rtol));
    rig_run(&r, end);
    if (trm_sim_events(r.sim) != n) {
        fail_msg("%s, from %g at %g m/s to %g s: %ld times, not %ld, rtol %g", touch->when, from,
                 speed, end, trm_sim_events(r.sim), n, rtol);
    }
    for (long k = 0; k < n; k++) {
        const double x = from + speed * event_of(&r, k).t;
        near(touch->when, x, round(x), 1e-12);
    }
    rig_close(&r);
}

/// Of the time it would hold for a rounding: steps end at each change by itself.
static const struct touch of_place = {"p.x + %g == 1 and mod(p.x + %g, 1) > 0", 0, 0, 0};

/// sin(3*pi) is 4e-16 in floating point: at 3 itself, where a run starts, and where times are
/// given, it is not on its edge.
static int exact(const struct touch *touch)
{
    return strstr(touch->when, "sin(pi") == NULL;
}

/// Up and down past 1 and 2, from 0 and from 3, and to 3 at the end of the run.
CLAIM(test_whole_numbers)
{
    static const double rtol[] = {1e-4, 1e-7, 1e-10, 1e-13};
    for (size_t i = 0; i<4 * sizeof touches / sizeof *touches; i += EVERY> 1 ? 7 : 1) {
        const struct touch *const touch = &touches[i / 4];
        const double tolerance = rtol[i % 4];
        touched(&of_place, 0.25, 1, 2.65, 0, tolerance);
        const long both = touch->one + touch->two;
        touched(touch, 0.25, 1, 2.65, both, tolerance);
        touched(touch, 2.9, -2, 1.3, both, tolerance);
        touched(touch, 0, 0.7, 2.9 / 0.7, both + touch->any, tolerance);
        touched(touch, 3, -1, 2.9, both + (exact(touch) ? touch->any : 0), tolerance);
        touched(touch, 0.25, 1, 2.75, both + touch->any, tolerance);
    }
}

/// The same of the time.
CLAIM(test_whole_seconds)
{
    for (size_t i = 0; i < sizeof touches / sizeof *touches; i++) {
        struct touch touch = touches[i];
        char when[200] = "";
        for (const char *from = touch.when, *next; from; from = next ? next + 3 : NULL) {
            next = strstr(from, "p.x");
            const int length = next ? (int)(next - from) : (int)strlen(from);
            const size_t used = strlen(when);
            snprintf(when + used, sizeof when - used, "%.*s%s", length, from, next ? "t" : "");
        }
        touch.when = when;
        const long both = touch.one + touch.two;
        touched(&touch, 0.25, 1, 2.65, both, 1e-8);
        touched(&touch, 0, 1, 2.9, both + touch.any, 1e-8);
        touched(&touch, 0.25, 1, 2.75, both + (exact(&touch) ? touch.any : 0), 1e-8);
    }
}

/// A wheel, in the plane and in space: whole turns of its hinge, 70 of them in either direction.
CLAIM(test_whole_turns)
{
    static const char *const wheels[] = {
        "{\"dimension\":2,\"bodies\":[{\"name\":\"w\",\"mass\":1,\"inertia\":1,\"rate\":%g}],"
        "\"joints\":[{\"name\":\"H\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"w\"],"
        "\"at\":[0,0]}],\"events\":[{\"name\":\"turn\",\"when\":\"%s\"}]}",
        "{\"dimension\":3,\"gravity\":[0,0,0],\"bodies\":[{\"name\":\"w\",\"mass\":1,"
        "\"inertia\":[1,2,3],\"rate\":[0,0,%g]}],\"joints\":[{\"name\":\"H\","
        "\"type\":\"revolute\",\"bodies\":[\"ground\",\"w\"],\"at\":[0,0,0],\"axis\":[0,0,1]}],"
        "\"events\":[{\"name\":\"turn\",\"when\":\"%s\"}]}"};
    static const char *const when[] = {"mod(H.angle, 2*pi) == 0", "mod(H.angle, 2*pi) <= 0",
                                       "abs(sin(H.angle/2)) == 0"};
    for (int i = 0; i<2 * 2 * 3; i += EVERY> 1 ? 5 : 1) {
        const double rate = i / 2 % 2 ? -7 : 7;
        char scene[800];
        snprintf(scene, sizeof scene, wheels[i % 2], rate, when[i / 4]);
        rig r = begin(scene, tight());
        rig_run(&r, 70.5 * 2 * pi / 7);
        assert_int_equal(trm_sim_events(r.sim), 71); // at the start too
        for (int k = 0; k <= 70; k++) {
            near("when", event_of(&r, k).t, 2 * pi / 7 * k, 1e-12 * (1 + k));
        }
        rig_close(&r);
    }
}

/// What is touched sets an input: a force from there on.
CLAIM(test_a_touch_sets_an_input)
{
    rig r =
        begin("{\"dimension\":2,\"parameters\":{\"u\":{\"value\":0,\"input\":true}},"
              "\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,\"position\":[0,0],"
              "\"velocity\":[1,0]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}],"
              "\"forces\":[{\"name\":\"f\",\"type\":\"force\",\"marker\":\"p\","
              "\"value\":[\"u\",0]}],\"events\":[{\"name\":\"e\",\"when\":\"abs(p.x - 1) == 0\","
              "\"set\":{\"u\":3}}]}",
              tight());
    rig_run(&r, 3);
    assert_int_equal(trm_sim_events(r.sim), 1);
    near("x", x_of(&r), 3 + 0.5 * 3 * 4, 1e-11);
    near("v", v_of(&r), 1 + 3 * 2, 1e-11);
    rig_close(&r);
}
