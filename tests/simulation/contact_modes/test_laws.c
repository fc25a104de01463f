/// Laws of friction and impact against quadrature and linear algebra by hand, what is refused, and
/// forces after a sample: docs/explanation/contact.md.
#include "tests/rig.h"
#include "trammel/trammel_contact.h"

static rig begin_by(const char *text, int time_stepping)
{
    rig r = rig_parse(text);
    const trm_stabilization s = TRM_STABILIZATION_S_BOTH2;
    rig_start(&r, time_stepping ? rig_fixed(TRM_INTEGRATOR_MOREAU, s, 1e-5)
                                : rig_adaptive(TRM_INTEGRATOR_DOP853, s, 1e-12, 1e-12));
    return r;
}

static rig begin(const char *text)
{
    return begin_by(text, 0);
}

/// Stribeck's law with a viscous part, F(v) = 2 + 3 exp(-(v/0.5)^2) + 0.4 v.
static double stribeck(double v)
{
    return 2 + 3 * exp(-v * v / 0.25) + 0.4 * v;
}

/// A block of 1.5 kg slides to a halt: t = int m dv/F, x = int m v dv/F from 0 to 3 m/s, by
/// Simpson's rule in 4000 parts (the error of 2000 is 16 times as large and below 1e-13).
CLAIM(test_stribeck)
{
    enum { N = 4000 };
    double t = 0, x = 0;
    for (int i = 0; i <= N; i++) {
        const double v = 3.0 * i / N;
        const double part = (i == 0 || i == N ? 1 : i % 2 ? 4 : 2) * 3.0 / N / 3;
        t += part * 1.5 / stribeck(v);
        x += part * 1.5 * v / stribeck(v);
    }
    rig r =
        begin("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1.5,\"inertia\":1,"
              "\"position\":[0,0],\"velocity\":[3,0]}],\"joints\":[{\"name\":\"S\",\"type\":"
              "\"prismatic\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],\"axis\":[1,0],"
              "\"friction\":{\"sliding\":2,\"sticking\":5,\"stribeck\":0.5,\"viscous\":0.4}}]}");
    rig_run(&r, t * (1 - 1e-9));
    assert_int_equal(rig_contact(&r, 0).mode, TRM_CONTACT_SLIDES);
    rig_run(&r, t * (1 + 1e-9));
    assert_int_equal(rig_contact(&r, 0).mode, TRM_CONTACT_MODE_STICKS);
    near("where", rig_contact(&r, 0).x, x, 1e-11);
    rig_close(&r);
}

/// A motor begins to turn, without a jump of its acceleration, behind a dwell in which its clutch
/// and the bearing of the load both stick. The weaker of them slides: the load follows, or stands.
CLAIM(test_the_weaker_friction_slides_behind_a_dwell)
{
    for (int follows = 0; follows < 2; follows++) {
        char text[900];
        snprintf(text, sizeof text,
                 "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1},"
                 "{\"name\":\"b\",\"mass\":1,\"inertia\":0.02}],\"joints\":[{\"name\":\"A\","
                 "\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],\"motor\":"
                 "\"step(t, 0.2, 0.7)\"},{\"name\":\"B\",\"type\":\"revolute\",\"bodies\":["
                 "\"ground\",\"b\"],\"at\":[0,0],\"friction\":{\"sliding\":%g,\"sticking\":%g}}],"
                 "\"constraints\":[{\"name\":\"C\",\"type\":\"coupling\",\"joints\":[\"A\",\"B\"],"
                 "\"coefficients\":[1,-1],\"friction\":1}]}",
                 follows ? 0.4 : 2, follows ? 0.5 : 2.1);
        rig r = begin(text);
        rig_run(&r, 1);
        near("load", rig_contact(&r, 0).x, follows, 1e-10);
        near("clutch", rig_contact(&r, 1).x, 1 - follows, 1e-10);
        assert_int_equal(trm_sim_impacts(r.sim).projected.steps, 0);
        rig_close(&r);
    }
}

/// A bar of half length 1, m = 1, I = 0.2, that falls with V = 1 m/s and turns with 0.3 rad/s onto
/// two stops, so that both ends come at t = 0.5: W = (6, -4; -4, 6), u = -(0.7, 1.3).
static rig two_ends(const char *law, double left, double right, int time_stepping)
{
    char text[1500];
    snprintf(text, sizeof text,
             "{\"dimension\":2,%s\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":0.2,"
             "\"position\":[0,0.5],\"angle\":0.15,\"velocity\":[0,-1],\"rate\":-0.3}],\"markers\":["
             "{\"name\":\"l\",\"body\":\"a\",\"on\":[-1,0]},{\"name\":\"r\",\"body\":\"a\",\"on\":"
             "[1,0]}],\"stops\":[{\"name\":\"L\",\"gap\":\"l.y\",\"restitution\":%g},"
             "{\"name\":\"R\",\"gap\":\"r.y\",\"restitution\":%g}]}",
             law, left, right);
    rig r = begin_by(text, time_stepping);
    rig_run(&r, time_stepping ? 0.5 + 2e-5 : 0.5 + 1e-6);
    return r;
}

/// Poisson: P_c = W^-1 (0.7, 1.3) = (0.47, 0.53), then e P_c in each, then what keeps an end from
/// closing again. Newton: e u in each. By events, and by time-stepping.
CLAIM(test_two_stops_at_once)
{
    static const struct {
        const char *law;
        double e[2], u[2];
    } cases[] = {
        {"\"impact\":\"poisson\",", {0.5, 0.4}, {6 * 0.235 - 4 * 0.212, -4 * 0.235 + 6 * 0.212}},
        // expansion alone gives (2.326, -1.374): the right end is pressed on, by 1.374/6
        {"\"impact\":\"poisson\",", {0.9, 0.1}, {2.326 - 4 * 1.374 / 6, 0}},
        {"\"impact\":\"poisson\",", {0.6, 0.6}, {0.6 * 0.7, 0.6 * 1.3}},
        {"", {0.5, 0.4}, {0.5 * 0.7, 0.4 * 1.3}},
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const size_t c = i / 2;
        rig r = two_ends(cases[c].law, cases[c].e[0], cases[c].e[1], i % 2);
        const double v = rig_v(&r, "a", 1), w = rig_v(&r, "a", 2);
        near("left end", v - w, cases[c].u[0], 1e-5); // cos of an angle of 1e-6
        near("right end", v + w, cases[c].u[1], 1e-5);
        const double before = 0.5 + 0.5 * 0.2 * 0.09, after = 0.5 * v * v + 0.1 * w * w;
        near("lost", trm_sim_impacts(r.sim).energy_lost, before - after, i % 2 ? 1e-8 : 1e-11);
        rig_close(&r);
    }
}

/// A rod of half length 1, m = 1 and I = 1/3 under 45 degrees that falls on its end, not turning:
/// W = (2.5, -1.5; -1.5, 2.5), u = (-1, 0.2) along the normal and along the floor. With e = 1 its
/// end sticks: P = (1.175, 0.625), which would add 0.2*0.625/2 J; Poisson's, 2 (0.55, 0.125), as
/// well. Plastic: P_0 = (0.55, 0.25), u_0 = 0, which takes 1/4 J. Of P - P_0 = (0.625, 0.375) and
/// (0.55, 0) as much as brings it back: s = sqrt(0.8), and sqrt(0.25/0.378125).
CLAIM(test_impacts_that_would_gain)
{
    static const double bounce[] = {1, 0, 1.375, -0.825};
    for (int i = 0; i < 4; i++) {
        const int poisson = i % 2;
        char text[800];
        snprintf(text, sizeof text,
                 "{\"dimension\":2,\"impact\":\"%s\",\"bodies\":[{\"name\":\"a\",\"mass\":1,"
                 "\"inertia\":\"1/3\",\"position\":[0,\"0.5 + sqrt(0.5)\"],\"angle\":\"pi/4\","
                 "\"velocity\":[0.2,-1]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":"
                 "[-1,0]},{\"name\":\"o\",\"body\":\"ground\",\"at\":[0,0]}],\"stops\":[{"
                 "\"name\":\"s\",\"marker\":\"p\",\"on\":\"o\",\"normal\":[0,1],\"friction\":0.6,"
                 "\"restitution\":1}]}",
                 poisson ? "poisson" : "newton");
        rig r = begin_by(text, i > 1);
        rig_run(&r, i > 1 ? 0.5 + 2e-5 : 0.5 + 1e-6);
        const double s = poisson ? sqrt(0.25 / 0.378125) : sqrt(0.8), h = sqrt(0.5);
        const double w = rig_v(&r, "a", 2);
        const double turned = i > 1 ? 1e-4 : 1e-5; // w^2 by the time since
        near("leaves", rig_v(&r, "a", 1) - h * w, s * bounce[2 * poisson], turned);
        near("slips", rig_v(&r, "a", 0) + h * w, s * bounce[2 * poisson + 1], turned);
        near("lost", trm_sim_impacts(r.sim).energy_lost, 0, 1e-14);
        rig_close(&r);
    }
}

/// A slide at 30 degrees whose point strikes a floor with s' = -1 m/s. Newton's law asks for s' =
/// e, by P (sin 30 - mu cos 30) = 1 + e: with mu = 0.7 there is no such P > 0. It jams, and loses
/// all.
CLAIM(test_friction_that_leaves_no_bounce)
{
    for (int i = 0; i < 4; i++) {
        const double mu = i % 2 ? 0.7 : 0.3, e = 0.5, after = i % 2 ? 0 : e;
        char text[800];
        snprintf(text, sizeof text,
                 "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,"
                 "\"position\":[\"cos(pi/6)/2\",0.25],\"velocity\":[\"-cos(pi/6)\",-0.5]}],"
                 "\"joints\":[{\"name\":\"S\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"a\"],"
                 "\"at\":[0,0],\"axis\":[\"cos(pi/6)\",0.5]}],\"markers\":[{\"name\":\"p\","
                 "\"body\":\"a\",\"on\":[0,0]},{\"name\":\"o\",\"body\":\"ground\",\"at\":[0,0]}],"
                 "\"stops\":[{\"name\":\"s\",\"marker\":\"p\",\"on\":\"o\",\"normal\":[0,1],"
                 "\"friction\":%g,\"restitution\":%g}]}",
                 mu, e);
        rig r = begin_by(text, i > 1);
        rig_run(&r, 0.6);
        near("rate", hypot(rig_v(&r, "a", 0), rig_v(&r, "a", 1)), after, 1e-7); // sweeps
        near("lost", trm_sim_impacts(r.sim).energy_lost, (1 - after * after) / 2, 1e-7);
        rig_close(&r);
    }
}

/// Pressed against its limit with 3 + sin t: trm_sim_contact tells the force of the step's end,
/// also where a sample within the step has been taken since.
static int look_back(trm_sim *sim, void *user)
{
    int *seen = user;
    const double end = trm_sim_state(sim).t;
    trm_contact_state state;
    trm_sample sample;
    trm_error err = {.status = TRM_OK};
    if (end > 0 && trm_sim_sample(sim, end * (1 - 1e-3), &sample, &err) == TRM_OK) {
        assert_int_equal(trm_sim_contact(sim, 0, &state), 1);
        near("force", state.force, 3 + sin(end), 1e-12);
        ++*seen;
    }
    return 0;
}

CLAIM(test_a_force_after_a_sample)
{
    int seen = 0;
    rig r =
        begin("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":2,\"inertia\":1}],"
              "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}],\"joints\":[{\"name\":"
              "\"S\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],"
              "\"axis\":[1,0],\"limits\":[0,1]}],\"forces\":[{\"name\":\"F\",\"type\":\"force\","
              "\"marker\":\"p\",\"value\":[\"-3 - sin(t)\",0]}]}");
    rig_observe(&r, 3, look_back, &seen);
    assert_true(seen > 2);
    rig_close(&r);
}
