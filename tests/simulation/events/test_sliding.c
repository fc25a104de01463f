/// Motions that slide along an edge, and others whose switching functions change without end: each
/// is refused, with its switching function, after a bounded number of steps.
#include "program/run_details.h"
#include "tests/simulation/events/events.h"

/// The motion to `end` under a force on 1 kg along x, from rest at 0, is refused with this text at
/// time t.
static void slides(const char *force, double t, const char *text)
{
    char scene[800];
    snprintf(scene, sizeof scene, CART("0", FORCE("%s")), force);
    for (int i = 0; i < 3; i++) {
        static const double rtol[] = {1e-4, 1e-8, 1e-13};
        trm_options options = of(rtol[i]);
        rig r = begin(scene, options);
        trm_error err;
        assert_int_equal(trm_sim_run(r.sim, 10, NULL, NULL, &err), TRM_ERR_DIVERGED);
        if (!strstr(err.message, text)) {
            fail_msg("%s: %s", force, err.message);
        }
        near("when", trm_sim_state(r.sim).t, t, 1e-4 * t);
        assert_true(trm_sim_stats(r.sim).steps < 5000);
        rig_close(&r);
    }
}

/// From one side the motion comes back slowly: its velocity, 0.5 and a rounding, stays what it is
/// for longer than times are told apart, and the run did not go on.
CLAIM(test_coming_back_slowly)
{
    static const char *const rate[] = {"-1", "-0.1", "-0.01", "-0.001", "-1e-06"};
    for (size_t i = 0; i < sizeof rate / sizeof *rate; i++) {
        char force[100], text[100];
        snprintf(force, sizeof force, "if(p.vx < 0.5, 3, %s)", rate[i]);
        snprintf(text, sizeof text, "comes back to this edge (3 and %s 1/s)", rate[i]);
        slides(force, 0.5 / 3, text);
        snprintf(force, sizeof force, "if(p.vx > -0.5, -3, %s)", rate[i] + 1);
        snprintf(text, sizeof text, "comes back to this edge (%s and -3 1/s)", rate[i] + 1);
        slides(force, 0.5 / 3, text);
    }
}

/// Along an edge of products and of the time, and in a window: v t = 3/4 is passed at 0.5 s
/// with v = 1.5 m/s, and met again at 1.5 s with 0.5 m/s; v^2 = 1/4.
CLAIM(test_sliding_along_formulas)
{
    slides("if(p.vx*t < 0.75, 3, -1)", 1.5, "back and forth for ever; from both sides");
    slides("if(mod(p.vx^2, 0.43) < 0.25, 3, -1)", 0.5 / 3, "from both sides");
    slides("3 - 4*floor(p.vx^2 + 0.75)", 0.5 / 3, "from both sides");
    slides("3*(mod(0.5 - p.vx, 1.5) < 0.6) - 1", 0.25, "comes back to this edge (0.667 and -1.33");
}

/// A ball that bounces 22193 times within 894 s and rests: changes of contacts are no crawl. (With
/// a restitution of 0.99, where numbers are scaled: about a tenth of them.)
CLAIM(test_bouncing_is_none)
{
    char scene[600];
    snprintf(scene, sizeof scene,
             "{\"dimension\":2,\"gravity\":[0,-10],\"bodies\":[{\"name\":\"b\",\"mass\":1,"
             "\"inertia\":1,\"position\":[0,1]}],\"markers\":[{\"name\":\"p\",\"body\":\"b\","
             "\"on\":[0,0]},{\"name\":\"o\",\"body\":\"ground\",\"at\":[0,0]}],"
             "\"stops\":[{\"name\":\"floor\",\"marker\":\"p\",\"on\":\"o\",\"normal\":[0,1],"
             "\"restitution\":%g}]}",
             EVERY > 1 ? 0.99 : 0.999);
    rig r = begin(scene, trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2));
    rig_run(&r, 1e5);
    near("height", trm_sim_state(r.sim).q[1], 0, 1e-8);
    near("rate", trm_sim_state(r.sim).v[1], 0, 1e-8);
    rig_close(&r);
}

/// A cart that a step of the force and a damper bring to x = 0: 4 N from below, -0.4 N from above.
/// Its swings about the edge end as 1/n^2, never: it slides, and e^(t/tau) of them would come. (A
/// run did not end for minutes.)
CLAIM(test_swings_that_die_out_at_an_edge)
{
    rig_figures();
    if (EVERY > 1) {
        return; // ten thousand changes
    }
    rig r = begin(CART("0.3", FORCE("if(p.x < 0, 4, -0.4) - 20*p.vx - 10*p.x")), of(1e-8));
    trm_error err;
    assert_int_equal(trm_sim_run(r.sim, 1000, NULL, NULL, &err), TRM_ERR_DIVERGED);
    assert_non_null(strstr(err.message, "farther from its edge than the tolerance"));
    near("x", trm_sim_state(r.sim).q[0], 0, 1e-8);
    rig_close(&r);
}

/// A body at x = 0 that is left alone, and an event.
static rig thrown(double speed, const char *when, trm_options options)
{
    char scene[500];
    snprintf(scene, sizeof scene,
             "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,"
             "\"velocity\":[%.17g,0]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}],"
             "\"events\":[{\"name\":\"e\",\"when\":\"%s\"}]}",
             speed, when);
    return begin(scene, options);
}

/// Where mod comes back to zero, floor of it is 0, and not -1 for the rounding of that zero: of
/// x = t each of these conditions holds at all times, so that it happens once, at the start.
CLAIM(test_a_jump_to_an_edge)
{
    static const char *const always[] = {
        "mod(floor(3*mod(p.x + 0.01, %.17g)), 0.9) < 0.7", "floor(mod(p.x + 0.01, %.17g)) > -1",
        "abs(floor(mod(-p.x - 0.01, %.17g))) >= 0", "mod(mod(p.x + 0.01, %.17g), 10) < 9"};
    for (int i = 0; i < 160; i += EVERY) {
        char when[100];
        snprintf(when, sizeof when, always[i / EVERY % 4], 0.31 + 0.0017 * i);
        rig r = thrown(1, when, tight());
        rig_run(&r, 3);
        if (trm_sim_events(r.sim) != 1) {
            fail_msg("%s begins to hold %ld times", when, trm_sim_events(r.sim));
        }
        rig_close(&r);
    }
}

/// Windows of x^2, x = 20 t, that come ever faster, up to 150 within a thousandth of a step: x^2 =
/// 0.4 n is passed for n <= 2249 up to 1.4999 s. (The switching functions of one window undid each
/// other's changes, or the run was refused.)
CLAIM(test_windows_faster_than_steps)
{
    static const char *const when[] = {"mod(p.x*p.x, 0.4) < 0.2868",
                                       "floor(3*mod(p.x*p.x, 0.4)) < 1",
                                       "mod(p.x*p.x + 0.1, 0.4) > 0.1"};
    for (int i = 0; i < 3; i += EVERY) {
        rig r = thrown(20, when[i], of(1e-8));
        const double end = EVERY > 1 ? 0.7499 : 1.4999;
        rig_run(&r, end);
        assert_int_equal(trm_sim_events(r.sim), 1 + (long)(400 * end * end / 0.4));
        rig_close(&r);
    }
}

/// x = t. At 1 s a jump opens a window that closes a short while later, much less than a thousandth
/// of a step. (It was passed.)
CLAIM(test_a_jump_opens_a_window)
{
    static const char *const to[] = {"1.001", "1.0001", "1.000001", "1.0000001"};
    for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
        char when[100];
        snprintf(when, sizeof when, "p.x < if(p.x >= 1, %s, -5)", to[i]);
        rig r = thrown(1, when, of(1e-8));
        rig_run(&r, 3);
        assert_int_equal(trm_sim_events(r.sim), 1);
        near("opens", event_of(&r, 0).t, 1, 1e-12);
        rig_close(&r);
    }
}

/// A cart at rest on the edge x = 0 that is pushed away from it, smoothly or at once, at the start
/// or later: it leaves the edge on one side, once. (A run was refused, or passed the other side.)
CLAIM(test_leaving_an_edge_from_rest)
{
    static const struct {
        const char *force;
        double t;
    } pushes[] = {{"t", 0},
                  {"sin(3*t)", 0},
                  {"t^3", 0},
                  {"step(t, 0, 1)", 0},
                  {"sign(sin(7*t))", 0},
                  {"if(t < 0.3, 0, 1)", 0.3},
                  {"if(t < 0.3, 0, t - 0.3)", 0.3},
                  {"max(0, t - 0.3)^2", 0.3}};
    for (size_t i = 0; i < 2 * sizeof pushes / sizeof *pushes; i++) {
        const int back = i % 2 == 1;
        char scene[1000];
        snprintf(scene, sizeof scene,
                 CART("0", FORCE("%s(%s)") ",\"events\":[{\"name\":\"e\",\"when\":\"p.x %s 0\"},"
                                           "{\"name\":\"d\",\"when\":\"p.x %s 0\"},"
                                           "{\"name\":\"m\",\"when\":\"p.x %s 0\"}]"),
                 back ? "-" : "", pushes[i / 2].force, back ? "<=" : ">=", back ? "<" : ">",
                 back ? ">" : "<");
        rig r = begin(scene, tight());
        rig_run(&r, 0.4);
        assert_int_equal(trm_sim_events(r.sim), 2);
        assert_int_equal(event_of(&r, 0).event, 0);
        assert_int_equal(event_of(&r, 1).event, 1);
        near("at rest", event_of(&r, 0).t, 0, 0);
        near("leaves", event_of(&r, 1).t, pushes[i / 2].t, 1e-12);
        rig_close(&r);
    }
}

/// Dry friction as a steep line within its bounds, of 1e6 to 1e10 1/s: the width of the line is the
/// tolerance, so that steps at the border of stability end on its ends. They are known as stiff all
/// the same. (The count of such steps began anew at each end; at 1e8 it took 1e8 steps.)
CLAIM(test_a_steep_line_is_stiff)
{
    for (int i = 6; i <= 10; i++) {
        char scene[500];
        snprintf(scene, sizeof scene,
                 "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,"
                 "\"velocity\":[1,0]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}]"
                 "," FORCE("clamp(-1e%d*p.vx, -1, 1)") "}",
                 i);
        trm_options options = of(1e-8);
        rig r = begin(scene, options);
        trm_stiff stiff;
        int steps = 0;
        while (steps < 1000 && !trm_sim_stiff(r.sim, &stiff)) {
            trm_error err;
            rig_ok(trm_sim_step(r.sim, &err), &err);
            steps++;
        }
        assert_true(steps < 1000);
        near("stopped", v_of(&r), 0, 1e-6);
        near("place", x_of(&r), 0.5, 1e-6);
        rig_close(&r);
    }
}

/// A velocity goes through zero, where its mod jumps from 1.7 to 0, and an event there doubles the
/// acceleration. Rounding leaves it before zero in half of the runs: no second event.
CLAIM(test_an_event_in_a_jump)
{
    for (int i = 0; i < 40; i++) {
        const double v = 0.1 + 0.0173 * i;
        char scene[800];
        snprintf(scene, sizeof scene,
                 "{\"dimension\":2,\"parameters\":{\"u\":{\"value\":0,\"input\":true}},"
                 "\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,\"velocity\":[-%g,0]}],"
                 "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}]," FORCE(
                     "1 + u") ",\"events\":[{\"name\":\"e\",\"when\":"
                              "\"mod(p.vx, 1.7) < 0.8\",\"set\":{\"u\":1}}]}",
                 v);
        rig r = begin(scene, tight());
        rig_run(&r, v + 0.2);
        assert_int_equal(trm_sim_events(r.sim), 1);
        near("through zero", event_of(&r, 0).t, v, 1e-12);
        rig_close(&r);
    }
}

/// Jumps within jumps: where p.x goes through 0, functions jump from one whole number to another,
/// and what depends on them holds all the time, or on one side: each begins to hold once.
CLAIM(test_jumps_within_jumps)
{
    static const char *const jumps[] = {
        "mod(sign(p.x), 1) < 0.43",      "mod(ceil(p.x), 1) < 0.43",
        "mod(floor(p.x)^2, 1) < 0.6",    "mod(3*(p.x > 0), 1) < 0.4",
        "mod(3*floor(p.x), 1) < 0.4",    "mod(3*floor(p.x), 2) < 0.4",
        "floor(sign(p.x) + 0.5) > -5",   "mod(2.5*sign(p.x) + 0.25, 1) < 0.8",
        "floor(sign(p.x) + 0.5) > -0.5", "mod(mod(3*sign(p.x), 2), 1) < 0.4",
    };
    for (size_t i = 0; i < 20 * sizeof jumps / sizeof *jumps; i++) {
        const double x = (i % 2 ? -1 : 1) * (0.05 + 0.00737 * (double)(i / 2 % 10));
        const char *const when = jumps[i / 20];
        char scene[800];
        snprintf(scene, sizeof scene,
                 "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,"
                 "\"position\":[%.17g,0],\"velocity\":[%.17g,0]}],"
                 "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}],"
                 "\"events\":[{\"name\":\"e\",\"when\":\"%s\"}]}",
                 x, -x, when);
        rig r = begin(scene, tight());
        rig_run(&r, 1.7);
        if (trm_sim_events(r.sim) != 1) {
            fail_msg("%s from %g: %ld times", when, x, trm_sim_events(r.sim));
        }
        rig_close(&r);
    }
}

/// A run that begins at 0 with a velocity begins on the edges of these, and each holds there.
CLAIM(test_the_instant_of_the_beginning)
{
    static const char *const when[] = {
        "floor(p.x) == 0",     "mod(p.x, 1) == 0",     "sign(p.x) == 0",       "(p.x == 0) == 1",
        "floor(p.x + 1) == 1", "abs(sign(p.x)) < 0.5", "mod(p.x, 1.7) < 0.01", "max(p.x, 0) == 0"};
    for (size_t i = 0; i < 2 * sizeof when / sizeof *when; i++) {
        char scene[800];
        snprintf(scene, sizeof scene,
                 "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,"
                 "\"velocity\":[%d,0]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}],"
                 "\"events\":[{\"name\":\"e\",\"when\":\"%s\"}]}",
                 i % 2 ? 1 : -1, when[i / 2]);
        rig r = begin(scene, tight());
        rig_run(&r, 0.9);
        if (trm_sim_events(r.sim) != 1) {
            fail_msg("%s: %ld times", when[i / 2], trm_sim_events(r.sim));
        }
        near(when[i / 2], event_of(&r, 0).t, 0, 0);
        rig_close(&r);
    }
}

/// A velocity comes to `edge` at about t with 1 m/s^2; there events turn the force, by an input
/// that takes `smooth` to turn. The motion stays within smooth of the edge: it returns while the
/// input is on its way, or behind that.
static void stays_at_edge(double edge, double t, double smooth, const char *back, const char *on)
{
    enum { STEPS = 100 };
    char scene[1000];
    snprintf(
        scene, sizeof scene,
        "{\"dimension\":2,\"parameters\":{\"u\":{\"value\":0,\"input\":true,\"smooth\":%.17g}},"
        "\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,\"velocity\":[%.17g,0]}],"
        "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}]," FORCE(
            "u") ",\"events\":[{\"name\":\"back\",\"when\":\"%s %.17g\",\"set\":{\"u\":-1}},"
                 "{\"name\":\"on\",\"when\":\"%s %.17g\",\"set\":{\"u\":1}}]}",
        smooth, edge - t, back, edge, on, edge);
    rig r = begin(scene, of(1e-8));
    trm_error err;
    trm_status status = TRM_OK;
    for (int i = 0; i < STEPS && status == TRM_OK; i++) {
        status = trm_sim_step(r.sim, &err);
    }
    assert_true(status == TRM_OK || status == TRM_ERR_DIVERGED);
    if (!(fabs(v_of(&r) - edge) <= 1e-6 * t)) {
        fail_msg("smooth %g, %s %g at %g s: %.17g m/s at %g s", smooth, back, edge, t, v_of(&r),
                 trm_sim_state(r.sim).t);
    }
    rig_close(&r);
}

/// Inputs that turn within some roundings of the time and more: where the motion leaves the edge
/// both conditions change. (Of v > 1/2 and v < 1/2 the first changed alone, since an input on its
/// way told nothing of the second: the force stayed as it was, to -40 m at the end.)
CLAIM(test_inputs_that_turn_within_roundings)
{
    for (int i = 0; i <= 20; i += EVERY) {
        const double smooth = i > 0 ? pow(10, -16 + 0.5 * (i - 1)) : 0;
        stays_at_edge(0.5, 0.5, smooth, "p.vx >", "p.vx <");
        stays_at_edge(0, 1000, smooth, "p.vx >", "p.vx <");
        stays_at_edge(0, 1e4, smooth, "p.vx >", "p.vx <=");
        stays_at_edge(1000, 1, smooth, "p.vx >", "p.vx <");
    }
}

/// Drag by the square of a rate that dies out (eigenvalues -5 and -20 1/s). Below the tolerance
/// the errors of steps as long as stability allows are larger than the rate; they show changes of
/// its sign that shorter steps do not have, again and again: such runs took 1e5 steps and more.
/// Stability allows some 6/20 s a step, 20 steps in all; 1000 are far above and far below.
CLAIM(test_a_rate_that_dies_out)
{
    for (int i = 0; i < 3; i++) {
        static const double rtol[] = {1e-5, 1e-8, 1e-11};
        rig r =
            begin(CART("0", FORCE("100*(0.3 - p.x) - 25*p.vx - 20*p.vx*abs(p.vx)")), of(rtol[i]));
        trm_error err;
        rig_ok(trm_sim_run(r.sim, 8, NULL, NULL, &err), &err);
        near("place", rig_q(&r, "a", 0), 0.3, 100 * rtol[i]);
        assert_true(trm_sim_stats(r.sim).steps < 1000);
        rig_close(&r);
    }
}
