/// What happens at an instant, of motions that accelerate: conditions of which the number of times
/// is known, whatever rounding makes of their functions at an edge.
#include "tests/simulation/events/events.h"

/// x goes from (0.1, 0.4) to 3.4, y = 2 x - 1 with it: x = 1 and y = 1 at one time.
static const struct instant {
    const char *when;
    long times;
} instants[] = {
    {"(p.x > 1) != (3*p.x > 3)", 0}, {"p.x == 1", 1},
    {"p.x == 1 and p.y == 1", 1},    {"p.x == 1 and p.x - 5 == 1", 0},
    {"mod(p.x, 1) == 0", 3},         {"floor(3*mod(p.x, 1)) == -1", 0},
    {"p.x > 1 and p.y <= 1", 0},     {"mod(p.x, 1) >= 0.5", 3}, // 0.5, 1.5, 2.5
    {"abs(p.x - 1) <= 0", 1},        {"p.x > 1 and p.x < 1", 0},
    {"p.x >= 1 and p.x <= 1", 1},    {"mod(3*floor(p.x), 1) > 0", 0},
    {"sin(2*pi*p.x) >= 0", 4}, // at the start, too
    {"floor(p.x) == p.x", 3},
};

/// The next number between a and b of a sequence that is the same everywhere.
static double between(unsigned *seed, double a, double b)
{
    *seed = *seed * 1664525u + 1013904223u;
    return a + (b - a) * (*seed >> 8) / 16777216.0;
}

static void happens(const struct instant *instant, unsigned seed, double rtol)
{
    const double v = between(&seed, 0.3, 3), a = v * between(&seed, -0.2, 0.4),
                 x = between(&seed, 0.1, 0.4);
    const double square = v * v + 2 * a * (3.4 - x); // of the speed at the end
    const double end = 2 * (3.4 - x) / (v + sqrt(square));
    char scene[1000];
    if (!(square > 0)) {
        return; // it turns before
    }
    snprintf(scene, sizeof scene,
             "{\"dimension\":2,\"gravity\":[%.17g,%.17g],\"bodies\":[{\"name\":\"a\",\"mass\":1,"
             "\"inertia\":1,\"position\":[%.17g,%.17g],\"velocity\":[%.17g,%.17g]}],"
             "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"at\":[%.17g,%.17g]}],"
             "\"events\":[{\"name\":\"e\",\"when\":\"%s\"}]}",
             a, 2 * a, x, 2 * x - 1, v, 2 * v, x, 2 * x - 1, instant->when);
    rig r = begin(scene, of(rtol));
    rig_run(&r, end);
    if (trm_sim_events(r.sim) != instant->times) {
        fail_msg("%s, x from %g at %g m/s, %g m/s^2: %ld times, not %ld, rtol %g", instant->when, x,
                 v, a, trm_sim_events(r.sim), instant->times, rtol);
    }
    rig_close(&r);
}

CLAIM(test_the_number_of_times)
{
    rig_figures();
    static const double rtol[] = {1e-5, 1e-8, 1e-12};
    for (unsigned i = 0; i < 100; i += EVERY) {
        for (size_t k = 0; k < sizeof instants / sizeof *instants; k++) {
            happens(&instants[k], i, rtol[i % 3]);
        }
    }
}

/// A window of 4.5 mm about each whole metre, passed at 2 m/s: nine places of a step are looked at,
/// and max_step makes them close enough. Each window adds 3 N of its width to the energy, the one
/// at the start half of that.
CLAIM(test_windows_need_a_longest_step)
{
    const double width = 2 * acos(0.9999) / (2 * 3.14159265358979323846);
    trm_options options = of(1e-8);
    options.max_step = 0.005;
    rig r = begin(
        "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,"
        "\"velocity\":[2,0]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}]," FORCE(
            "if(sin(2*pi*(p.x - 0.75)) > 0.9999, 3, 0)") "}",
        options);
    rig_run(&r, 5);
    const double windows = floor(x_of(&r)) + 0.5;
    assert_true(windows > 9);
    near("speed", v_of(&r), sqrt(4 + 2 * 3 * width * windows), 1e-9);
    rig_close(&r);
}
