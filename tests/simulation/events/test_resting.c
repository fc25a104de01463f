/// Functions of switching functions that rest on their edge: a slide that a drive holds, lifts and
/// sets down, a block that friction stops. Rounding and the errors of steps are no change.
#include "tests/simulation/events/events.h"

/// A slide rests at 0 m until 0.2 s, rises by `lift` until 0.5 s, rests, sinks from 0.6 s to 0.8 s
/// and rests; a pendulum swings under it. (dx, dy): the direction of the slide.
#define LIFTED                                                                                     \
    "{\"dimension\":2,\"gravity\":[0,-9.81],"                                                      \
    "\"bodies\":[{\"name\":\"s\",\"mass\":1,\"inertia\":1,\"position\":[%g,0]},"                   \
    "{\"name\":\"a\",\"mass\":1,\"ends\":[[%g,0],[%g,-1]]}],"                                      \
    "\"joints\":[{\"name\":\"S\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"s\"],"            \
    "\"at\":[%g,0],\"axis\":[%g,%g],\"motor\":\"%g*(step(t, 0.2, 0.5) - step(t, 0.6, 0.8))\"},"    \
    "{\"name\":\"Q\",\"type\":\"revolute\",\"bodies\":[\"s\",\"a\"],\"at\":[%g,0]}],"              \
    "\"events\":[{\"name\":\"e\",\"when\":\"%s\"}]}"

/// A condition, and when it begins to hold.
typedef struct expected {
    const char *when;
    int n;
    double t[5];
} expected;

static const expected lifted[] = {
    {"S.position > 0", 1, {0.2}},
    {"S.position >= 0", 1, {0}},
    {"S.position == 0", 2, {0, 0.8}},
    {"S.position <= 0", 2, {0, 0.8}},
    {"S.position < 0", 0, {0}},
    {"not (S.position > 0)", 2, {0, 0.8}},
    {"abs(S.position) > 0", 1, {0.2}},
    {"max(S.position, 0) > 0", 1, {0.2}},
    {"sign(S.position) > 0", 1, {0.2}},
    {"S.position*S.rate > 0", 1, {0.2}},
    {"S.position > 0 and S.rate > 0", 1, {0.2}},
    {"(S.position > 0) != (abs(S.rate) > 0)", 1, {0.5}},
    {"S.rate > 0", 1, {0.2}},
    {"S.rate < 0", 1, {0.6}},
    {"S.rate == 0", 3, {0, 0.5, 0.8}},
    {"S.rate >= 0", 2, {0, 0.8}},
    {"abs(S.rate) > 0", 2, {0.2, 0.6}},
};

/// The same of the upper mark, for a lift of 1 m and of 0.01 m.
static const expected above[2][4] = {
    {{"S.position >= 1", 1, {0.5}},
     {"S.position == 1", 1, {0.5}},
     {"S.position > 1", 0, {0}},
     {"floor(S.position) == 1", 1, {0.5}}},
    {{"S.position >= 0.01", 1, {0.5}},
     {"S.position == 0.01", 1, {0.5}},
     {"S.position > 0.01", 0, {0}},
     {"S.position < 0.01", 2, {0, 0.6}}},
};

/// Steps end where the drive begins and ends to move, and what rests turns there: to roundoff.
static void happens(const char *scene, const expected *e, trm_options options)
{
    rig r = begin(scene, options);
    rig_run(&r, 1);
    if (trm_sim_events(r.sim) != e->n) {
        fail_msg("%s: %ld times at rtol %g, %d expected", e->when, trm_sim_events(r.sim),
                 options.rtol, e->n);
    }
    for (int i = 0; i < e->n; i++) {
        near(e->when, event_of(&r, i).t, e->t[i], 1e-12);
    }
    rig_close(&r);
}

static void lift(const expected *e, double x, double dx, double dy, double height,
                 trm_options options)
{
    char scene[1000];
    snprintf(scene, sizeof scene, LIFTED, x, x, x, x, dx, dy, height, x, e->when);
    happens(scene, e, options);
}

CLAIM(test_a_slide_that_rests_on_its_mark)
{
    static const double heights[] = {1, 0.01}, rtol[] = {1e-5, 1e-8, 1e-11};
    for (size_t i = 0; i<3 * 2 * 2; i += EVERY> 1 ? 5 : 1) { // every accuracy
        const double dx = i % 2 ? 0.8 : 1, dy = i % 2 ? 0.6 : 0, x = i % 2 ? 1.7 : 0;
        const size_t high = i / 2 % 2;
        for (size_t k = 0; k < sizeof lifted / sizeof *lifted; k++) {
            lift(&lifted[k], x, dx, dy, heights[high], of(rtol[i / 4]));
        }
        for (size_t k = 0; k < 4; k++) {
            lift(&above[high][k], x, dx, dy, heights[high], of(rtol[i / 4]));
        }
    }
}

/// Functions of functions that leave their rest at the same time: the slide rises to 1 m from
/// 0.1 s to 0.2 s, to 2 m from 0.4 s to 0.5 s, and sinks to 0 m from 0.6 s to 0.7 s. The table ends
/// at 1 m, and holds its last value, 5. On the way down it is at 1 m for a instant.
CLAIM(test_what_leaves_with_an_inner_function)
{
    static const expected dwells[] = {
        {"table(T, S.position) > 5", 0, {0}},
        {"table(T, S.position) == 5", 1, {0.2}},
        {"min(5*S.position, 5) > 5", 0, {0}},
        {"clamp(S.position, 0, 1) == 1", 1, {0.2}},
        {"if(S.position < 1, 5*S.position, 5) > 5", 0, {0}},
        {"(S.position > 1) != (table(T, S.position) >= 5)", 2, {0.2, 0.65}},
        {"floor(S.position) == S.position", 5, {0, 0.2, 0.5, 0.65, 0.7}},
    };
    static const double rtol[] = {1e-5, 1e-8, 1e-11};
    for (size_t i = 0; i < 3 * sizeof dwells / sizeof *dwells; i++) {
        char scene[1200];
        snprintf(scene, sizeof scene,
                 "{\"dimension\":2,\"tables\":{\"T\":{\"points\":[[0,0],[1,5]],"
                 "\"outside\":\"hold\"}},\"bodies\":[{\"name\":\"s\",\"mass\":1,"
                 "\"inertia\":1,\"position\":[0.37,0]}],\"joints\":[{\"name\":\"S\",\"type\":"
                 "\"prismatic\",\"bodies\":[\"ground\",\"s\"],\"at\":[0.37,0],\"axis\":[0.6,0.8],"
                 "\"motor\":\"step(t, 0.1, 0.2) + step(t, 0.4, 0.5) - 2*step(t, 0.6, 0.7)\"}],"
                 "\"events\":[{\"name\":\"e\",\"when\":\"%s\"}]}",
                 dwells[i / 3].when);
        happens(scene, &dwells[i / 3], of(rtol[i % 3]));
    }
}

/// It ends where the slide has just been set down, and where it has not: one run, and the same in
/// pieces.
CLAIM(test_a_run_that_ends_at_rest)
{
    static const double ends[] = {0.2, 0.5, 0.6, 0.8};
    for (size_t k = 0; k < sizeof lifted / sizeof *lifted; k++) {
        char scene[1000];
        snprintf(scene, sizeof scene, LIFTED, 1.7, 1.7, 1.7, 1.7, 0.8, 0.6, 1.0, 1.7,
                 lifted[k].when);
        rig r = begin(scene, of(1e-8));
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
            rig_run(&r, ends[i]);
        }
        rig_run(&r, 1);
        if (trm_sim_events(r.sim) != lifted[k].n) {
            fail_msg("%s: %ld times", lifted[k].when, trm_sim_events(r.sim));
        }
        rig_close(&r);
    }
}

/// A block of 2 m/s under friction of coefficient 0.4 at 10 m/s^2 stops at 0.5 s and stays until a
/// force of 12 N, more than the 4 N that hold it, begins at 1 s.
CLAIM(test_a_block_that_friction_stops)
{
    static const expected stopped[] = {
        {"p.vx > 0", 2, {0, 1}},
        {"p.vx == 0", 1, {0.5}},
        {"p.vx <= 0", 1, {0.5}},
        {"p.vx < 0", 0, {0}},
    };
    static const double rtol[] = {1e-5, 1e-8, 1e-11};
    for (size_t i = 0; i < 3 * sizeof stopped / sizeof *stopped; i++) {
        const expected *const e = &stopped[i / 3];
        char scene[1200];
        snprintf(scene, sizeof scene,
                 "{\"dimension\":2,\"gravity\":[0,-10],\"bodies\":[{\"name\":\"b\",\"mass\":1,"
                 "\"inertia\":1,\"position\":[0,0],\"velocity\":[2,0]}],"
                 "\"markers\":[{\"name\":\"p\",\"body\":\"b\",\"on\":[0,0]},"
                 "{\"name\":\"o\",\"body\":\"ground\",\"at\":[0,0]}],"
                 "\"stops\":[{\"name\":\"floor\",\"marker\":\"p\",\"on\":\"o\",\"normal\":[0,1],"
                 "\"restitution\":0,\"friction\":0.4}],"
                 "\"forces\":[{\"name\":\"f\",\"type\":\"force\",\"marker\":\"p\","
                 "\"value\":[\"if(t > 1, 12, 0)\",0]}],"
                 "\"events\":[{\"name\":\"e\",\"when\":\"%s\"}]}",
                 e->when);
        rig r = begin(scene, of(rtol[i % 3]));
        rig_run(&r, 2);
        if (trm_sim_events(r.sim) != e->n) {
            fail_msg("%s: %ld times at rtol %g, %d expected", e->when, trm_sim_events(r.sim),
                     rtol[i % 3], e->n);
        }
        for (int k = 0; k < e->n; k++) {
            near(e->when, event_of(&r, k).t, e->t[k], 1e-11);
        }
        rig_close(&r);
    }
}

/// The rate of the slide counts from 1 s on, where it rests: an input of the condition is set
/// there. Before, it is 1 in its place.
CLAIM(test_an_input_that_is_set_at_rest)
{
    static const expected chosen[] = {
        {"if(u > 0.5, S.rate, 1) > 0", 2, {0, 2}},
        {"if(u > 0.5, S.rate, 1) >= 0", 1, {0}},
        {"if(u > 0.5, S.rate, 1) == 0", 2, {1, 3}},
        {"if(u > 0.5, S.rate, 1) <= 0", 2, {1, 3}},
        {"if(u > 0.5, -S.rate, 1) < 0", 1, {2}},
        {"max(if(u > 0.5, S.rate, 1), 0) > 0", 2, {0, 2}},
        {"u > 0.5 and if(u > 0.5, S.rate, 1) > 0", 1, {2}},
        {"u > 0.5 and if(u > 0.5, S.rate, 0.5) != 0", 1, {2}},
    };
    static const double rtol[] = {1e-5, 1e-8, 1e-11};
    for (size_t i = 0; i < 3 * sizeof chosen / sizeof *chosen; i++) {
        char scene[1000];
        snprintf(scene, sizeof scene,
                 "{\"dimension\":2,\"parameters\":{\"u\":{\"value\":0,\"input\":true}},"
                 "\"bodies\":[{\"name\":\"s\",\"mass\":1,\"inertia\":1,\"position\":[1.7,0]}],"
                 "\"joints\":[{\"name\":\"S\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"s\"],"
                 "\"at\":[1.7,0],\"axis\":[0.8,0.6],"
                 "\"motor\":\"step(t, 0.2, 0.5) + step(t, 2, 3)\"}],"
                 "\"events\":[{\"name\":\"e\",\"when\":\"%s\"},"
                 "{\"name\":\"set\",\"when\":\"t > 1\",\"set\":{\"u\":1}}]}",
                 chosen[i / 3].when);
        rig r = begin(scene, of(rtol[i % 3]));
        rig_run(&r, 4);
        int n = 0;
        for (int k = 0; k < trm_sim_events(r.sim); k++) {
            const trm_event e = event_of(&r, k);
            if (e.event == 0) {
                assert_true(n < chosen[i / 3].n);
                near(chosen[i / 3].when, e.t, chosen[i / 3].t[n], 1e-12);
                n++;
            }
        }
        if (n != chosen[i / 3].n) {
            fail_msg("%s: %d times at rtol %g", chosen[i / 3].when, n, rtol[i % 3]);
        }
        rig_close(&r);
    }
}

/// A block of 2 kg on a guide that climbs by 0.0024, 0.05 N, and that 2 N of friction hold, in the
/// origin, where no place is rounded: rounding of the balance, 1e-45 m/s, is no motion. (Runs did
/// not end.)
CLAIM(test_a_block_that_friction_holds)
{
    static const struct {
        const char *when;
        int n;
    } at_rest[] = {{"abs(J.rate) < 1e-3", 1}, {"J.rate > 0", 0},      {"J.rate == 0", 1},
                   {"J.position > 0", 0},     {"J.position <= 0", 1}, {"p.vy < 0", 0}};
    static const double rtol[] = {1e-5, 1e-8, 1e-11};
    for (size_t i = 0; i < 3 * sizeof at_rest / sizeof *at_rest; i++) {
        char scene[600];
        snprintf(scene, sizeof scene,
                 "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"b\","
                 "\"mass\":2,\"inertia\":1}],\"joints\":[{\"name\":\"J\","
                 "\"type\":\"prismatic\",\"bodies\":[\"ground\",\"b\"],\"at\":[0,0],"
                 "\"axis\":[1,0.0024],\"friction\":2}],"
                 "\"markers\":[{\"name\":\"p\",\"body\":\"b\",\"on\":[0,0]}],"
                 "\"events\":[{\"name\":\"e\",\"when\":\"%s\"}]}",
                 at_rest[i / 3].when);
        rig r = begin(scene, of(rtol[i % 3]));
        rig_run(&r, 2);
        if (trm_sim_events(r.sim) != at_rest[i / 3].n) {
            fail_msg("%s: %ld times at rtol %g", at_rest[i / 3].when, trm_sim_events(r.sim),
                     rtol[i % 3]);
        }
        near("x", x_of(&r), 0, 1e-15);
        assert_true(trm_sim_stats(r.sim).steps < 100);
        rig_close(&r);
    }
}

/// A bar that is held against its weight, and the point at its end: rates are zero to the rounding
/// of forces that balance, and so is what they differ by.
#define HELD                                                                                       \
    "{\"dimension\":2,\"gravity\":[1,-9.81],"                                                      \
    "\"bodies\":[{\"name\":\"b\",\"ends\":[[1,0],[1.148,-0.0042]],\"mass\":1.35}],"                \
    "\"joints\":[{\"name\":\"J\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"b\"],\"at\":[1,0]" \
    ",%s}],"                                                                                       \
    "\"markers\":[{\"name\":\"m\",\"body\":\"b\",\"on\":[0.074,0]}],"                              \
    "\"forces\":[{\"name\":\"d\",\"type\":\"joint_force\",\"joint\":\"J\",\"value\":\"%s\"}],"     \
    "\"events\":[{\"name\":\"e\",\"when\":\"%s\"}]}"

CLAIM(rates_of_what_is_held_are_on_their_edge)
{
    static const char *const holds[] = {"\"friction\":10", "\"limits\":[0,1]",
                                        "\"switch\":\"locked\"", "\"motor\":\"step(t, 3, 4)\""};
    static const char *const drags[] = {"0", "-0.1*sign(J.rate)", "-0.1*sign(m.vx - J.rate)",
                                        "-0.1*abs(m.vy)*m.vy"};
    static const char *const whens[] = {"abs(J.rate) > 2", "m.vx - J.rate > 0"};
    for (int i = 0; i < 4 * 4 * 2; i++) {
        const char *const drag = drags[i / 4 % 4], *const when = whens[i / 16];
        char scene[900];
        const int locked = i % 4 == 2;
        snprintf(scene, sizeof scene, HELD, holds[i % 4], drag, when);
        if (locked) { // an event of its own opens the lock, later
            char *const end = strrchr(scene, ']');
            snprintf(end, sizeof scene - (size_t)(end - scene),
                     ",{\"name\":\"r\",\"when\":\"t > 5\",\"release\":\"J\"}]}");
        }
        rig r = begin(scene, of(1e-8));
        rig_run(&r, 2);
        if (trm_sim_events(r.sim) != 0 || trm_sim_stats(r.sim).steps > 100) {
            fail_msg("%s, %s, %s: %ld events, %ld steps", holds[i % 4], drag, when,
                     trm_sim_events(r.sim), trm_sim_stats(r.sim).steps);
        }
        rig_close(&r);
    }
}

/// A move of 0.3 s in a run of 1000 s: the search for ranges sees nothing of its acceleration.
CLAIM(a_short_move_in_a_long_run)
{
    rig r =
        begin("{\"dimension\":2,\"bodies\":[{\"name\":\"b\",\"mass\":1,\"inertia\":1}],"
              "\"joints\":[{\"name\":\"J\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"b\"],"
              "\"at\":[0,0],\"axis\":[1,0],\"motion\":[{\"dwell\":0.3},"
              "{\"to\":0.2,\"in\":0.3,\"law\":\"cycloidal\"}]}],"
              "\"forces\":[{\"name\":\"d\",\"type\":\"joint_force\",\"joint\":\"J\","
              "\"value\":\"-0.1*sign(J.rate)\"}]}",
              of(1e-8));
    rig_run(&r, 1000);
    near("x", x_of(&r), 0.2, 1e-12);
    assert_true(trm_sim_stats(r.sim).steps < 500);
    rig_close(&r);
}
