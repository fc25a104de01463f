/// What changes at one time: switching functions that share an edge, and impacts, which change
/// velocities at once.
#include "tests/simulation/events/events.h"

#include <float.h>

static long happenings(const char *scene, double end)
{
    rig r = begin(scene, tight());
    rig_run(&r, end);
    const long n = trm_sim_events(r.sim);
    rig_close(&r);
    return n;
}

// ------------------------------------------------------------------------------- a shared edge

#define AT_SPEED_ONE                                                                               \
    "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,\"velocity\":[1,1]}],"  \
    "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}],"                                  \
    "\"events\":[{\"name\":\"e\",\"when\":\"%s\"}]}"

/// x = y = t. Conditions that hold at no time: each switching function for itself, they held in
/// between.
CLAIM(test_what_holds_at_no_time)
{
    static const char *const never[] = {
        "p.x >= 1 and p.x < 1",           "(p.x > 1) != (p.x > 1)", "(2*p.x > 2) != (p.x > 1)",
        "(p.x > 1) + (p.x < 1) == 2",     "(p.x > 1) != (p.y > 1)", "t >= 1 and p.x < 1",
        "(p.x > 0.7) != (p.x^2 > 0.7^2)", "p.x == 1 and p.y == 2",  "abs(p.x - 1) < 0"};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
        char scene[400];
        snprintf(scene, sizeof scene, AT_SPEED_ONE, never[i]);
        if (happenings(scene, 2) != 0 || happenings(scene, 1) != 0) {
            fail_msg("%s holds", never[i]);
        }
    }
}

/// And instants that hold at t = 1, of one switching function and of two, on the way and at the
/// end.
CLAIM(test_instants_of_two_switching_functions)
{
    static const char *const once[] = {"p.x == 1", "p.x == 1 and p.y == 1", "p.x == 1 or p.y == 1"};
    for (size_t i = 0; i < sizeof once / sizeof *once; i++) {
        char scene[400];
        snprintf(scene, sizeof scene, AT_SPEED_ONE, once[i]);
        assert_int_equal(happenings(scene, 2), 1);
        assert_int_equal(happenings(scene, 1), 1);
    }
}

// ------------------------------------------------------------------------------------- impacts

/// A ball that falls from `height` above a floor at `floor`, under 10 m/s^2, and three events; two
/// of them on the floor, of the same edge as the stop.
typedef struct ball {
    double floor, height, restitution;
    const char *first, *second, *third;
} ball;

static rig dropped(const ball *b)
{
    char scene[1200];
    snprintf(scene, sizeof scene,
             "{\"dimension\":2,\"gravity\":[0,-10],\"parameters\":{\"y0\":%.17g},"
             "\"bodies\":[{\"name\":\"b\",\"mass\":1,\"inertia\":1,\"position\":[0,%.17g]}],"
             "\"markers\":[{\"name\":\"p\",\"body\":\"b\",\"on\":[0,0]},"
             "{\"name\":\"o\",\"body\":\"ground\",\"at\":[0,\"y0\"]}],"
             "\"stops\":[{\"name\":\"floor\",\"marker\":\"p\",\"on\":\"o\",\"normal\":[0,1],"
             "\"restitution\":%.17g}],"
             "\"events\":[{\"name\":\"first\",\"when\":\"%s\"},"
             "{\"name\":\"second\",\"when\":\"%s\"},{\"name\":\"third\",\"when\":\"%s\"}]}",
             b->floor, b->floor + b->height, b->restitution, b->first, b->second, b->third);
    return begin(scene, tight());
}

/// Behind the first impact of u m/s the velocity is e u: windows that it jumps over hold when it
/// comes back through them, and not before. Each for itself, the switching functions let them hold.
CLAIM(test_an_impact_jumps_over_windows)
{
    rig_figures();
    for (int i = 0; i<40; i += EVERY> 1 ? 30 : 1) {
        const double e = 0.5 + 0.01 * i, u = 10, back = e * u;
        const ball b = {0.1 * i - 2,
                        5,
                        e,
                        "p.vy > 1 and p.vy < 3",
                        "floor(2*p.vy) == 3",
                        "floor(100*p.vy) == 77"};
        rig r = dropped(&b);
        rig_run(&r, 1 + 2 * back / 10 - 1e-3);
        assert_int_equal(trm_sim_events(r.sim), 3);
        static const double upper[] = {3, 2, 0.78};
        for (int k = 0; k < 3; k++) {
            assert_int_equal(event_of(&r, k).event, k);
            near("when", event_of(&r, k).t, 1 + (back - upper[k]) / 10, 1e-11);
            near("velocity", event_of(&r, k).v[1], upper[k], 1e-11);
        }
        rig_close(&r);
    }
}

/// Events on the floor itself until bouncing ends: one at every impact, at the times of the series.
/// They were missed where rounding had the impact come first, happened twice, or ended the run by
/// "changes back and forth".
CLAIM(test_every_impact_is_an_event)
{
    for (int i = 0; i < 60; i += EVERY) {
        const double e = 0.1 + 0.01 * i, T = sqrt(0.2);
        const ball b = {0.37 * (i % 7) - 1,
                        1,
                        e,
                        i % 2 ? "p.y <= y0" : "p.y < y0",
                        "(p.y <= y0) != (2*p.y <= 2*y0) or p.vy > 0.3 and p.vy < 0.301 and t < 0",
                        "p.y == y0 and p.vx != 0"};
        rig r = dropped(&b);
        rig_run(&r, T * (1 + 2 * e / (1 - e)) + 0.5);
        const long kept = trm_sim_events(r.sim) < 100 ? trm_sim_events(r.sim) : 100;
        assert_true(trm_sim_events(r.sim) <= 100);
        double t = T, flight = 2 * T;
        for (long k = 0; k < kept && flight > 1e-6; k++) {
            assert_int_equal(event_of(&r, k).event, 0);
            // the place is known to roundings, and the time to these over the speed
            near("impact", event_of(&r, k).t, t, 1e-11 + 32 * DBL_EPSILON / (5 * flight));
            flight *= e;
            t += flight;
        }
        assert_true(flight <= 1e-6);
        rig_close(&r);
    }
}

/// "p.y == y0" is one instant at each impact.
CLAIM(test_an_impact_is_one_instant)
{
    for (int i = 0; i < 20; i++) {
        const ball b = {0.1 * i - 1, 1, 1, "p.y == y0", "p.vy == 1000", "p.x == 1"};
        rig r = dropped(&b);
        rig_run(&r, 6 * sqrt(0.2));
        assert_int_equal(trm_sim_events(r.sim), 3);
        rig_close(&r);
    }
}

/// An event on the floor that ends the run ends it before the impact; the next call goes on with
/// that.
CLAIM(test_a_run_ends_before_the_impact)
{
    for (int i = 0; i < 20; i++) {
        char scene[600];
        const double y0 = 0.1 * i - 1;
        snprintf(scene, sizeof scene,
                 "{\"dimension\":2,\"gravity\":[0,-10],\"bodies\":[{\"name\":\"b\",\"mass\":1,"
                 "\"inertia\":1,\"position\":[0,%.17g]}],\"markers\":[{\"name\":\"p\","
                 "\"body\":\"b\",\"on\":[0,0]},{\"name\":\"o\",\"body\":\"ground\",\"at\":[0,%.17g]"
                 "}],\"stops\":[{\"name\":\"floor\",\"marker\":\"p\",\"on\":\"o\",\"normal\":[0,1],"
                 "\"restitution\":0.5}],\"events\":[{\"name\":\"e\",\"when\":\"p.y <= %.17g\","
                 "\"stop\":true}]}",
                 y0 + 5, y0, y0);
        rig r = begin(scene, tight());
        trm_error err;
        for (int k = 0; k < 3; k++) {
            assert_int_equal(trm_sim_run(r.sim, 5, NULL, NULL, &err), TRM_STOPPED);
            near("when", trm_sim_state(r.sim).t, 3 - pow(0.5, k - 1), 1e-11);
            near("velocity", trm_sim_state(r.sim).v[1], -10 * pow(0.5, k), 1e-10);
        }
        assert_int_equal(trm_sim_events(r.sim), 3);
        rig_close(&r);
    }
}
