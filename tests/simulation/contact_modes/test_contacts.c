/// Limits, stops, impacts and dry friction against closed forms: docs/explanation/contact.md.
#include "tests/simulation/contact_modes/contact_scenes.h"
#include "trammel/trammel_contact.h"

#include <float.h>
#include <stdlib.h>

#define G 9.81

static trm_options tight(void)
{
    trm_options options = trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2);
    options.rtol = options.atol = 1e-12;
    return options;
}

static rig begin(const char *text)
{
    rig r = rig_parse(text);
    rig_start(&r, tight());
    return r;
}

// ---------------------------------------------------------------------------------------- impacts

typedef struct times {
    long count;
    double t[100];
} times;

static int note_impact(trm_sim *sim, void *user)
{
    times *seen = user;
    const trm_impacts impacts = trm_sim_impacts(sim);
    if (impacts.count > seen->count && impacts.count <= 100) {
        seen->t[impacts.count - 1] = impacts.last;
        seen->count = impacts.count;
    }
    return 0;
}

/// T = sqrt(2h/g); bounce n at T (1 + 2 (e + ... + e^n)), the end at T (1 + e)/(1 - e), all of the
/// energy lost there.
CLAIM(test_a_ball_bounces_as_a_geometric_series)
{
    static const struct {
        double e;
        const char *text;
    } cases[] = {{0.5, BALL("0.5", "")}, {0.8, BALL("0.8", "")}, {0.9, BALL("0.9", "")}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const double e = cases[c].e, T = sqrt(2 / G);
        rig r = begin(cases[c].text);
        times seen = {0};
        trm_error err = {.status = TRM_OK};
        rig_ok(trm_sim_run(r.sim, 20, note_impact, &seen, &err), &err);
        double t = T;
        for (int n = 0; n < 30; n++) {
            near("bounce", seen.t[n], t, 1e-13 * 20);
            t += 2 * T * pow(e, n + 1);
        }
        const trm_impacts impacts = trm_sim_impacts(r.sim);
        near("end of bouncing", impacts.rest, T * (1 + e) / (1 - e), 1e-12);
        near("energy lost", impacts.energy_lost, G, 1e-9);
        assert_int_equal(impacts.settled, 1);
        assert_int_equal(rig_contact(&r, 0).mode, TRM_CONTACT_MODE_LOW);
        near("it rests", rig_q(&r, "a", 1), 0, 1e-15);
        near("its weight", rig_contact(&r, 0).force, G, 1e-12);
        below("energy balance", rig_energy_error(&r), 1e-10);
        rig_close(&r);
    }
}

/// e = 1: a hundred thousand impacts change the energy by roundoff.
CLAIM(test_many_impacts_do_not_drift)
{
    rig_figures();
    const long most =
        getenv("TRAMMEL_NUMBER") != NULL ? 1000 : 100000; // of contact_numbers, 25 times
    rig r = begin(BALL("1", ""));
    const double T = sqrt(2 / G);
    rig_run(&r, 2 * T * (double)most);
    assert_in_range(trm_sim_impacts(r.sim).count, most - 1, most + 1);
    below("energy", rig_energy_error(&r), 1e-10);
    near("lost", trm_sim_impacts(r.sim).energy_lost, 0, 1e-9);
    near("the top", fmax(rig_q(&r, "a", 1), 1 - 1e-6), 1, 1e-6);
    rig_close(&r);
}

/// Five balls on threads: the right one leaves with the speed of the left one, and comes back.
CLAIM(test_newtons_cradle)
{
    char text[8000];
    int n = snprintf(text, sizeof text, "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[");
    for (int i = 0; i < 5; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "%s{\"name\":\"b%d\",\"shape\":{\"type\":\"point\"},\"mass\":1,\"position\":"
                      "[%.17g,%.17g]}",
                      i ? "," : "", i, 0.1 * i - (i ? 0 : sin(0.3)), i ? -1 : -cos(0.3));
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "],\"markers\":[");
    for (int i = 0; i < 5; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "%s{\"name\":\"m%d\",\"body\":\"b%d\",\"on\":[0,0]}", i ? "," : "", i, i);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "],\"joints\":[");
    for (int i = 0; i < 5; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "%s{\"name\":\"r%d\",\"type\":\"rod\",\"bodies\":[\"ground\",\"b%d\"],"
                      "\"on\":{\"ground\":[%.17g,0],\"b%d\":[0,0]},\"length\":1}",
                      i ? "," : "", i, i, 0.1 * i, i);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "],\"stops\":[");
    for (int i = 0; i < 4; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "%s{\"name\":\"s%d\",\"restitution\":1,"
                      "\"gap\":\"hypot(m%d.x - m%d.x, m%d.y - m%d.y) - 0.1\"}",
                      i ? "," : "", i, i + 1, i, i + 1, i);
    }
    snprintf(text + n, sizeof text - (size_t)n, "]}");
    rig r = begin(text);
    double v = sqrt(2 * G * (1 - cos(0.3)));
    rig_run(&r, 0.6); // a quarter of the period is 0.51 s
    assert_int_equal(trm_sim_impacts(r.sim).count, 1);
    for (int i = 0; i < 4; i++) {
        char name[] = {'b', (char)('0' + i), 0};
        near("the others rest", rig_v(&r, name, 0), 0, 1e-12);
    }
    const double y = rig_q(&r, "b4", 1) + 1;
    near("the right ball has all of it", pow(rig_v(&r, "b4", 0), 2) + pow(rig_v(&r, "b4", 1), 2),
         v * v - 2 * G * y, 1e-10);
    rig_run(&r, 20);
    assert_int_equal(trm_sim_impacts(r.sim).count, 20); // half a period, 1.0088 s, apart
    near("nothing is lost", trm_sim_impacts(r.sim).energy_lost, 0, 1e-10);
    below("energy", rig_energy_error(&r), 1e-9);
    rig_close(&r);
}

/// A bar that falls flat on two stops: both at once, each with half of m (1 + e) v. The redundant
/// third in the middle changes nothing.
CLAIM(test_several_stops_at_once)
{
    rig r = begin("{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"a\",\"mass\":2,"
                  "\"inertia\":0.3,\"position\":[0,0.5]}],\"markers\":["
                  "{\"name\":\"l\",\"body\":\"a\",\"at\":[-1,0.5]},"
                  "{\"name\":\"m\",\"body\":\"a\",\"at\":[0,0.5]},"
                  "{\"name\":\"r\",\"body\":\"a\",\"at\":[1,0.5]}],\"stops\":["
                  "{\"name\":\"L\",\"gap\":\"l.y\",\"restitution\":0.5},"
                  "{\"name\":\"M\",\"gap\":\"m.y\",\"restitution\":0.5},"
                  "{\"name\":\"R\",\"gap\":\"r.y\",\"restitution\":0.5}]}");
    const double T = sqrt(1 / G);
    rig_run(&r, 1.5 * T);
    near("rise", rig_v(&r, "a", 1), 0.5 * G * T - G * 0.5 * T, 1e-12);
    near("no turn", rig_v(&r, "a", 2), 0, 1e-12);
    rig_run(&r, 3);
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        assert_true(rig_contact(&r, i).force >= -1e-9);
        sum += rig_contact(&r, i).force;
    }
    near("weight", sum, 2 * G, 1e-10);
    near("all of it lost", trm_sim_impacts(r.sim).energy_lost, 2 * G * 0.5, 1e-9);
    below("energy", rig_energy_error(&r), 1e-10);
    rig_close(&r);
}

/// A pendulum with a stop in its lowest position: it leaves as it came, e times as fast. The joints
/// take their part.
CLAIM(test_a_limit_of_a_hinge)
{
    rig r = begin("{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"a\",\"ends\":"
                  "[[0,0],[1,0]],\"mass\":1}],\"joints\":[{\"name\":\"O\",\"type\":\"revolute\","
                  "\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],\"limits\":[\"-90*deg\",null],"
                  "\"restitution\":0.5}]}");
    const double I = 1.0 / 3 + 0;
    rig_run(&r, 0.9);
    const trm_impacts impacts = trm_sim_impacts(r.sim);
    assert_int_equal(impacts.count, 1);
    // what falls is m g l/2
    near("lost", impacts.energy_lost, 0.75 * G * 0.5, 1e-9);
    const double w = rig_v(&r, "a", 2), angle = rig_contact(&r, 0).x;
    near("what it has left", 0.5 * I * w * w + 0.5 * G * (sin(angle) + 1), 0.25 * G * 0.5, 1e-9);
    below("energy", rig_energy_error(&r), 1e-9);
    rig_run(&r, 30);
    assert_int_equal(rig_contact(&r, 0).mode,
                     TRM_CONTACT_MODE_OPEN); // at -90 degrees there is no weight on it
    near("it hangs", rig_contact(&r, 0).x, -pi / 2, 1e-7);
    rig_close(&r);
}

/// In space: a point thrown on a plane that rises at 45 degrees about y, at rest otherwise; it
/// drops h and leaves with e of the normal part: v = sqrt(2 g h), v_n = v/sqrt 2.
CLAIM(test_a_plane_in_space)
{
    rig r = begin("{\"dimension\":3,\"gravity\":[0,0,-9.81],\"bodies\":[{\"name\":\"a\",\"shape\":"
                  "{\"type\":\"point\"},\"mass\":2,\"position\":[1,3,1.5]}],\"markers\":[{\"name\":"
                  "\"p\",\"body\":\"a\",\"on\":[0,0,0]},{\"name\":\"o\",\"body\":\"ground\",\"at\":"
                  "[0,0,0]}],\"stops\":[{\"name\":\"s\",\"marker\":\"p\",\"on\":\"o\",\"normal\":"
                  "[-1,0,1],\"restitution\":0.6}]}");
    const double T = sqrt(2 * 0.5 / G), v = G * T, n = v / sqrt(2), t = 0.1;
    rig_run(&r, T + t);
    const double out = 0.6 * n / sqrt(2), along = -n / sqrt(2); // of the normal, and of the plane
    near("x", rig_v(&r, "a", 0), -out + along, 1e-11);
    near("y", rig_v(&r, "a", 1), 0, 1e-14);
    near("z", rig_v(&r, "a", 2), out + along - G * t, 1e-11);
    near("lost", trm_sim_impacts(r.sim).energy_lost, n * n * (1 - 0.36), 1e-11);
    below("energy", rig_energy_error(&r), 1e-10);
    rig_close(&r);
}

/// Two balls of 0.5 m and 0.3 m, of 1 kg and 3 kg, one thrown at the other beside its centre by 0.4
/// m: they touch where sin a = 0.4/0.8, and change the rate along the line of centres alone.
CLAIM(test_two_balls_in_space)
{
    rig r =
        begin("{\"dimension\":3,\"bodies\":[{\"name\":\"a\",\"shape\":{\"type\":\"point\"},"
              "\"mass\":1,\"position\":[-3,0.4,1],\"velocity\":[2,0,0]},{\"name\":\"b\",\"shape\":"
              "{\"type\":\"point\"},\"mass\":3,\"position\":[0,0,1]}],\"markers\":[{\"name\":\"p\","
              "\"body\":\"a\",\"on\":[0,0,0]},{\"name\":\"o\",\"body\":\"b\",\"on\":[0,0,0]}],"
              "\"stops\":[{\"name\":\"s\",\"marker\":\"p\",\"on\":\"o\",\"distance\":0.8,"
              "\"restitution\":0.5}]}");
    const double c = sqrt(0.75), s = 0.5, P = 1.5 * 2 * c * 0.75; // (1 + e) u/(1/m + 1/M)
    rig_run(&r, 2);
    near("when", trm_sim_impacts(r.sim).last, (3 - 0.8 * c) / 2, 1e-12);
    near("the other", rig_v(&r, "b", 0), P * c / 3, 1e-12);
    near("across", rig_v(&r, "b", 1), -P * s / 3, 1e-12);
    near("the first", rig_v(&r, "a", 0), 2 - P * c, 1e-12);
    near("its side", rig_v(&r, "a", 1), P * s, 1e-12);
    rig_close(&r);
}

// ---------------------------------------------------------------------------------------- friction

/// m g sin 30 = 9.81 N: 10 N hold it for ever and do not creep, 9 N do not.
CLAIM(test_a_block_sticks_or_slides)
{
    rig r = begin(BLOCK("0", "\"friction\":10"));
    rig_run(&r, 1e4);
    assert_int_equal(rig_contact(&r, 0).mode, TRM_CONTACT_MODE_STICKS);
    near("no creep", rig_contact(&r, 0).x, 0, 1e-15);
    near("what it needs", rig_contact(&r, 0).force, G, 1e-12);
    rig_close(&r);
    r = begin(BLOCK("0", "\"friction\":9"));
    rig_run(&r, 2);
    near("it slides", rig_contact(&r, 0).x, -0.5 * (G - 9) / 2 * 4, 1e-12);
    below("energy", rig_energy_error(&r), 1e-12);
    rig_close(&r);
}

/// Pushed up with 3 m/s it stops at v m/(m g s + f), and stays where m g s < f.
CLAIM(test_a_block_stops_in_time)
{
    rig r = begin(BLOCK("3", "\"friction\":12"));
    const double a = (G + 12) / 2, t = 3 / a;
    rig_run(&r, t * (1 - 1e-9));
    assert_int_equal(rig_contact(&r, 0).mode, TRM_CONTACT_SLIDES);
    rig_run(&r, t * (1 + 1e-9));
    assert_int_equal(rig_contact(&r, 0).mode, TRM_CONTACT_MODE_STICKS);
    rig_run(&r, 100);
    near("where", rig_contact(&r, 0).x, 0.5 * a * t * t, 1e-13);
    near("held by", rig_contact(&r, 0).force, G, 1e-12);
    below("energy", rig_energy_error(&r), 1e-12);
    rig_close(&r);
    r = begin(BLOCK("3", "\"friction\":9")); // comes down again, against friction that way
    rig_run(&r, 1);
    const double up = 3 / ((G + 9) / 2), x = 0.5 * 3 * up;
    near("down", rig_contact(&r, 0).x, x - 0.5 * (G - 9) / 2 * (1 - up) * (1 - up), 1e-12);
    rig_close(&r);
}

/// A mass on a spring, on a belt of v = 1 m/s (seen from the belt, whose ground the anchor leaves
/// behind): it sticks until k x = static, then slides on an ellipse about dynamic/k. With w =
/// sqrt(k/m), d = (static - dynamic)/k the slip lasts 2 (pi - atan(v0/(w d)))... /w, and the stick
/// 2 d/v0.
CLAIM(test_stick_slip_on_a_belt)
{
    rig r = begin("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,"
                  "\"position\":[0,0]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"at\":[0,0]}],"
                  "\"joints\":[{\"name\":\"S\",\"type\":\"prismatic\",\"bodies\":[\"ground\","
                  "\"a\"],\"at\":[0,0],\"axis\":[1,0],\"friction\":{\"sliding\":4,"
                  "\"sticking\":6}}],\"forces\":[{\"name\":\"f\",\"type\":\"force\",\"marker\":"
                  "\"p\",\"value\":[\"100*(t - p.x)\",0]}]}");
    const double k = 100, v = 1, w = 10, d = 2 / k;
    const double first = 6 / k / v; // the spring pulls 6 N
    const double slip = 2 * (pi - atan(w * d / v)) / w, stick = 2 * d / v;
    rig_run(&r, first * (1 - 1e-9));
    assert_int_equal(rig_contact(&r, 0).mode, TRM_CONTACT_MODE_STICKS);
    for (int n = 0; n < 20; n++) {
        const double t = first + n * (slip + stick);
        rig_run(&r, t + 1e-8);
        assert_int_equal(rig_contact(&r, 0).mode, TRM_CONTACT_SLIDES);
        rig_run(&r, t + slip - 1e-8);
        assert_int_equal(rig_contact(&r, 0).mode, TRM_CONTACT_SLIDES);
        rig_run(&r, t + slip + 1e-8);
        assert_int_equal(rig_contact(&r, 0).mode, TRM_CONTACT_MODE_STICKS);
        rig_run(&r, t + slip + stick - 1e-8);
        assert_int_equal(rig_contact(&r, 0).mode, TRM_CONTACT_MODE_STICKS);
    }
    below("energy", rig_energy_error(&r), 1e-9);
    rig_close(&r);
}

/// Coulomb's friction of a slider on its own reaction m g cos 30: it sticks from mu = tan 30 on, up
/// it goes with g (sin + mu cos), down with g (sin - mu cos).
CLAIM(test_a_block_on_a_rough_incline)
{
    const double s = 0.5, c = sqrt(0.75);
    rig r = begin(BLOCK("0", "\"friction\":{\"coefficient\":0.578}")); // tan 30 = 0.57735
    rig_run(&r, 1e4);
    assert_int_equal(rig_contact(&r, 0).mode, TRM_CONTACT_MODE_STICKS);
    near("no creep", rig_contact(&r, 0).x, 0, 1e-15);
    rig_close(&r);
    r = begin(BLOCK("0", "\"friction\":{\"coefficient\":0.577}"));
    rig_run(&r, 10);
    near("it slides", rig_contact(&r, 0).x, -0.5 * G * (s - 0.577 * c) * 100, 1e-10);
    rig_close(&r);
    r = begin(BLOCK("2", "\"friction\":{\"coefficient\":0.6}"));
    const double up = 2 / (G * (s + 0.6 * c));
    rig_run(&r, up * (1 - 1e-9));
    assert_int_equal(rig_contact(&r, 0).mode, TRM_CONTACT_SLIDES);
    rig_run(&r, up * (1 + 1e-9));
    assert_int_equal(rig_contact(&r, 0).mode, TRM_CONTACT_MODE_STICKS);
    near("where", rig_contact(&r, 0).x, up, 1e-12); // v up/2
    below("energy", rig_energy_error(&r), 1e-12);
    rig_close(&r);
}

/// A wheel on a pin of radius 0.1 m: its weight m g brakes it with mu r m g, and it stands after I
/// w/(mu r m g).
CLAIM(test_a_pin_with_friction)
{
    rig r =
        begin("{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"a\",\"mass\":2,"
              "\"inertia\":3,\"position\":[0,0],\"rate\":5}],\"joints\":[{\"name\":\"O\",\"type\":"
              "\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],\"friction\":"
              "{\"coefficient\":0.2,\"radius\":0.1}}]}");
    const double torque = 0.2 * 0.1 * 2 * G, t = 3 * 5 / torque;
    rig_run(&r, t / 2);
    near("half of it", rig_contact(&r, 0).rate, 2.5, 1e-10);
    near("torque", rig_contact(&r, 0).force, -torque, 1e-12);
    rig_run(&r, t * (1 + 1e-9));
    assert_int_equal(rig_contact(&r, 0).mode, TRM_CONTACT_MODE_STICKS);
    near("angle", rig_contact(&r, 0).x, 5 * t / 2, 1e-9);
    rig_close(&r);
}

/// A mass on a rough floor: dropped with v it keeps v - mu (1 + e) u at each bounce, all together
/// as much as mu g t takes; on the floor mu g brakes it.
CLAIM(test_friction_of_a_stop)
{
    rig r =
        begin("{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"a\",\"shape\":"
              "{\"type\":\"point\"},\"mass\":2,\"position\":[0,1],\"velocity\":[2,0]}],"
              "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]},{\"name\":\"o\","
              "\"body\":\"ground\",\"at\":[0,0]}],\"stops\":[{\"name\":\"floor\",\"marker\":\"p\","
              "\"on\":\"o\",\"normal\":[0,1],\"friction\":0.3,\"restitution\":0.1}]}");
    const double T = sqrt(8 / G), c = 0.165 * G * T, v = 2 - c / 0.9; // c, c/10, ... of each
    rig_run(&r, 0.9 * 2 / (0.3 * G));
    near("behind the impacts", rig_v(&r, "a", 0), 0.1 * 2, 1e-12);
    rig_run(&r, 5);
    near("it stands", rig_q(&r, "a", 0), T * (1 + v / 9 + c / 89.1) + v * v / (0.6 * G), 1e-12);
    assert_int_equal(rig_contact(&r, 1).mode, TRM_CONTACT_MODE_STICKS);
    below("energy", rig_energy_error(&r), 1e-12);
    rig_close(&r);
}

/// Painleve's rod: mass 1, length 2, its lower end slides with v on a floor of friction mu, at 1
/// rad. Sliding one way mu (3 sin cos) > 1 + 3 cos^2 leaves no force; turning so fast that the end
/// would rise it has two motions.
CLAIM(test_painleves_rod)
{
    static const struct {
        double mu, v, w;
        const char *says; ///< NULL: it goes
    } cases[] = {{1.9, -1, 0, "no force holds it"},
                 {1.9, 1, 0, NULL},
                 {1.37, -1, 0, NULL}, // the edge is at 1.3753
                 {1.38, -1, 0, "no force holds it"},
                 {1.9, -1, 5, "two motions"},
                 {1.3, -1, 5, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        const double c = cos(1), s = sin(1), w = cases[i].w;
        snprintf(
            text, sizeof text,
            "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"r\",\"mass\":1,"
            "\"inertia\":%.17g,\"position\":[%.17g,%.17g],\"velocity\":[%.17g,%.17g],\"rate\":%g}],"
            "\"markers\":[{\"name\":\"p\",\"body\":\"r\",\"at\":[0,0]},{\"name\":\"o\",\"body\":"
            "\"ground\",\"at\":[0,0]}],\"stops\":[{\"name\":\"floor\",\"marker\":\"p\",\"on\":"
            "\"o\",\"normal\":[0,1],\"friction\":%g}]}",
            1.0 / 3, c, s, cases[i].v - w * s, w * c, w, cases[i].mu);
        rig r = rig_parse(text);
        trm_options options = tight();
        trm_error err = {.status = TRM_OK};
        const trm_status status = trm_sim_create(r.model, &options, &r.sim, &err);
        if (cases[i].says) {
            assert_int_equal(status, TRM_ERR_SINGULAR);
            assert_non_null(strstr(err.message, "Painleve"));
            assert_non_null(strstr(err.message, "'floor'"));
            if (!strstr(err.message, cases[i].says)) {
                fail_msg("%s", err.message);
            }
        } else {
            rig_ok(status, &err);
        }
        rig_close(&r);
    }
}

// ----------------------------------------------------------------------------- compliant, backlash

/// A mass meets a spring of k with v: it leaves with v after pi sqrt(m/k), v sqrt(m/k) deep at
/// most. Hertz' exponent: the depth is (5 m v^2/(4 k))^(2/5). Damped as Hunt and Crossley say, its
/// loss is that of their law, found by quadrature: with u = x', m u du = -k d (1 + c u) dd, so that
/// (v - u)/c - ln((1 + c v)/(1 + c u))/c^2 = k/m d^2/2 at every d.
CLAIM(test_compliant_stops)
{
    static const char scene[] =
        "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"shape\":{\"type\":\"point\"},\"mass\":2,"
        "\"position\":[1,0],\"velocity\":[-3,0]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\","
        "\"on\":[0,0]}],"
        "\"stops\":[{\"name\":\"s\",\"gap\":\"p.x\",%s}]}";
    char text[600];
    snprintf(text, sizeof text, scene, "\"stiffness\":800");
    rig r = begin(text);
    rig_run(&r, 1.0 / 3 + 0.5 * pi * 0.05);
    near("depth", rig_q(&r, "a", 0), -3 * 0.05, 1e-11);
    rig_run(&r, 1.0 / 3 + pi * 0.05 + 1);
    near("way back", rig_q(&r, "a", 0), 3, 1e-10);
    near("speed", rig_v(&r, "a", 0), 3, 1e-11);
    rig_close(&r);
    snprintf(text, sizeof text, scene, "\"stiffness\":800,\"exponent\":1.5");
    r = begin(text);
    double least = 0;
    for (int i = 0; i < 4000; i++) {
        rig_run(&r, 0.43 + 1e-5 * i);
        least = fmin(least, rig_q(&r, "a", 0));
    }
    near("Hertz' depth", -least, pow(5 * 2 * 9 / (4 * 800.0), 0.4), 1e-6);
    rig_close(&r);
    snprintf(text, sizeof text, scene, "\"stiffness\":800,\"damping\":0.2");
    r = begin(text);
    rig_run(&r, 2);
    const double c = 0.2, v = 3, u = rig_v(&r, "a", 0); // closing rates v and -u
    near("Hunt and Crossley", v / c - log(1 + c * v) / (c * c), -u / c - log(1 - c * u) / (c * c),
         1e-9);
    rig_close(&r);
}

/// A mass leaves a spring whose force falls steeply to zero, while another stop is held: the spring
/// exerts nothing afterwards, and no work.
CLAIM(test_a_spring_that_is_left_exerts_nothing)
{
    rig r =
        begin("{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":["
              "{\"name\":\"a\",\"shape\":{\"type\":\"point\"},\"mass\":2,\"position\":[1,0],"
              "\"velocity\":[-3,0]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}],"
              "\"stops\":[{\"name\":\"spring\",\"gap\":\"p.x\",\"stiffness\":1e6,"
              "\"exponent\":0.3},{\"name\":\"floor\",\"gap\":\"p.y\"}]}");
    trm_contact_state spring;
    trm_sensor force;
    trm_error err = {.status = TRM_OK};
    double read = NAN;
    rig_run(&r, 1);
    assert_true(rig_q(&r, "a", 0) > 1);
    assert_int_equal(trm_sim_contact(r.sim, 0, &spring), 1);
    near("force", spring.force, 0, 0);
    rig_ok(trm_model_sensor(r.model, "spring.contact_force", &force, &err), &err);
    rig_ok(trm_sim_read(r.sim, &force, &read, &err), &err);
    near("sensor", read, 0, 0);
    near("speed", rig_v(&r, "a", 0), 3, 1e-6);
    below("energy", rig_energy_error(&r), 1e-6);
    rig_close(&r);
}

/// Backlash: limits of a difference of two joints. The driven flywheel takes the other along after
/// b/w, by an impact that makes them one: J1 w = (J1 + J2) w'.
CLAIM(test_backlash)
{
    rig r =
        begin("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":2,\"position\":"
              "[0,0],\"rate\":3},{\"name\":\"b\",\"mass\":1,\"inertia\":1,\"position\":[1,0]}],"
              "\"joints\":[{\"name\":\"A\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],"
              "\"at\":[0,0]},{\"name\":\"B\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"b\"],"
              "\"at\":[1,0]}],\"stops\":[{\"name\":\"on\",\"gap\":\"0.1 + 2*B.angle - A.angle\"},"
              "{\"name\":\"back\",\"gap\":\"0.1 - 2*B.angle + A.angle\"}]}");
    rig_run(&r, 1);
    const trm_impacts impacts = trm_sim_impacts(r.sim);
    assert_int_equal(impacts.count, 1);
    near("when", impacts.last, 0.1 / 3, 1e-13);
    // the gap's inertia: W = 4/1 + 1/2, u = -3, P = 3/W
    const double P = 3 / 4.5;
    near("the driven one", rig_v(&r, "b", 2), 2 * P, 1e-13);
    near("the driving one", rig_v(&r, "a", 2), 3 - P / 2, 1e-13);
    near("lost", impacts.energy_lost, 3 * P / 2, 1e-13);
    rig_close(&r);
}

/// A follower on a cam of lift a sin: it leaves where a w^2 sin > g, at sin wt = g/(a w^2), not
/// before.
CLAIM(test_a_cam_follower_lifts_off)
{
    static const char scene[] =
        "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"f\",\"shape\":{\"type\":"
        "\"point\"},\"mass\":1,\"position\":[0,0],\"velocity\":[0,\"0.1*%g\"]}],\"markers\":[{"
        "\"name\":"
        "\"p\",\"body\":\"f\",\"on\":[0,0]}],\"stops\":[{\"name\":\"cam\",\"gap\":"
        "\"p.y - 0.1*sin(%g*t)\"}]}";
    char text[600];
    const double edge = sqrt(G / 0.1);
    snprintf(text, sizeof text, scene, edge * 0.999, edge * 0.999);
    rig r = begin(text);
    rig_run(&r, 1.9);
    assert_int_equal(rig_contact(&r, 0).mode, TRM_CONTACT_MODE_LOW);
    assert_int_equal(trm_sim_impacts(r.sim).count, 0);
    below("work of the cam", rig_energy_error(&r), 1e-9);
    rig_close(&r);
    const double w = 20, off = asin(G / (0.1 * w * w)) / w;
    snprintf(text, sizeof text, scene, w, w);
    r = begin(text);
    rig_run(&r, off - 1e-7);
    assert_int_equal(rig_contact(&r, 0).mode, TRM_CONTACT_MODE_LOW);
    rig_run(&r, off + 1e-7);
    assert_int_equal(rig_contact(&r, 0).mode, TRM_CONTACT_MODE_OPEN);
    const double y = 0.1 * sin(w * off), v = 0.1 * w * cos(w * off);
    rig_run(&r, off + 0.05);
    near("its flight", rig_q(&r, "f", 1), y + v * 0.05 - 0.5 * G * 0.05 * 0.05, 1e-9);
    rig_close(&r);
}

/// Poisson's law: of one stop the same as Newton's. Of a bar that lands on one end while the other
/// rests it is not.
CLAIM(test_poissons_law)
{
    rig r = begin(BALL("0.5", ",\"impact\":\"poisson\""));
    rig_run(&r, 5);
    near("end of bouncing", trm_sim_impacts(r.sim).rest, sqrt(2 / G) * 3, 1e-12);
    rig_close(&r);
}

/// A wheel that hangs off its centre, 0.02 kg m^2 about its hinge, with (0.02 kg m^2)(3 - 4 t)/s^2
/// beside what carries its weight: it rests at 0, leaves at t = 3/4 s by -2/3 (t - 3/4)^3, is at
/// the other limit, -0.3, at t = 3/4 + 0.45^(1/3), and goes back by e 2 (t - 3/4)^2. It lets go
/// without force; that is no reason to see the other limit late, or its own one when it returns.
CLAIM(test_what_has_let_go_meets_a_limit_on_time)
{
    rig r = begin("{\"dimension\": 2, \"gravity\": [0, -9.81],"
                  "\"bodies\": [{\"name\": \"w\", \"mass\": 1, \"inertia\": 0.01}],"
                  "\"joints\": [{\"name\": \"O\", \"type\": \"revolute\", \"at\": [0.1, 0],"
                  "\"bodies\": [\"ground\", \"w\"], \"limits\": [-0.3, 0], \"restitution\": 0.5}],"
                  "\"forces\": [{\"name\": \"f\", \"type\": \"joint_force\", \"joint\": \"O\","
                  "\"value\": \"0.02*(3 - 4*t) - 0.981*cos(O.angle)\"}]}");
    times seen = {0};
    trm_error err = {.status = TRM_OK};
    rig_ok(trm_sim_run(r.sim, 1.6, note_impact, &seen, &err), &err);
    const double fall = cbrt(0.45), since = 1.6 - 0.75 - fall;
    near("the other limit", seen.t[0], 0.75 + fall, 1e-12);
    near("angle", rig_q(&r, "w", 2),
         -0.3 + fall * fall * since - fall * since * since * 2 - 2 * since * since * since / 3,
         1e-11);
    rig_close(&r);
}

/// A cart that -cos(w t) presses against its limit and draws off from pi/(2 w) on: x = (t - t0)/w +
/// cos(w t)/w^2. What it does at first, (t - t0)^3, is below the error of a long step, which showed
/// that it strikes at once, without end.
CLAIM(test_a_force_draws_off_slowly)
{
    static const double rtol[] = {1e-4, 1e-5, 1e-6, 1e-8};
    for (int i = 0; i < 32; i++) {
        const double w = 2.3 + 1.37 * (i / 4);
        char scene[500];
        snprintf(scene, sizeof scene,
                 "{\"dimension\": 2, \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": 1}],"
                 "\"joints\": [{\"name\": \"J\", \"type\": \"prismatic\", \"at\": [0, 0],"
                 "\"axis\": [1, 0], \"bodies\": [\"ground\", \"b\"], \"limits\": [0, 50]}],"
                 "\"forces\": [{\"name\": \"f\", \"type\": \"joint_force\", \"joint\": \"J\","
                 "\"value\": \"-cos(%.17g*t)\"}]}",
                 w);
        rig r = rig_parse(scene);
        trm_options options = tight();
        options.rtol = options.atol = rtol[i % 4];
        rig_start(&r, options);
        rig_run(&r, 5);
        near("x", rig_q(&r, "b", 0), (5 - pi / 2 / w) / w + cos(5 * w) / w / w, 100 * rtol[i % 4]);
        assert_true(trm_sim_stats(r.sim).steps < 200);
        rig_close(&r);
    }
}

/// A load that hangs from a trolley, held by friction of its pin. The trolley's acceleration is
/// zero at both ends of its move and in the middle, and beyond what friction holds in between: J
/// a'' = -m l/2 (cos(a) s'' + g sin(a)) -+ F, where s'' is known (SciPy, DOP853 to 1e-12).
CLAIM(test_a_force_peaks_while_nothing_moves)
{
    rig r = rig_parse(
        "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [{\"name\": \"c\", \"mass\": 1,"
        "\"inertia\": 1}, {\"name\": \"b\", \"mass\": 1.2, \"inertia\": 0.016, \"position\":"
        "[0, -0.2]}], \"joints\": [{\"name\": \"R\", \"type\": \"prismatic\", \"bodies\":"
        "[\"ground\", \"c\"], \"at\": [0, 0], \"axis\": [1, 0], \"motor\": \"step(t, 0, 1.5)\"},"
        "{\"name\": \"P\", \"type\": \"revolute\", \"bodies\": [\"c\", \"b\"], \"at\": [0, 0],"
        "\"friction\": 0.2}]}");
    rig_start(&r, tight());
    rig_run(&r, 0.5);
    near("angle", rig_q(&r, "b", 2), -0.266743599879, 1e-9);
    rig_close(&r);
}

/// A ball a nanometre above the floor is in the air: what counts as touching is of its size.
CLAIM(test_a_small_ball_bounces)
{
    rig r = rig_parse(
        "{\"dimension\": 2, \"gravity\": [0, -10], \"bodies\": [{\"name\": \"a\", \"mass\": 1,"
        "\"inertia\": 1e-18, \"position\": [0, 1e-9]}], \"markers\": [{\"name\": \"p\", \"body\":"
        "\"a\", \"on\": [0, 0]}, {\"name\": \"o\", \"body\": \"ground\", \"at\": [0, 0]}],"
        "\"stops\": [{\"name\": \"floor\", \"marker\": \"p\", \"on\": \"o\", \"normal\": [0, 1],"
        "\"restitution\": 1}]}");
    rig_start(&r, tight());
    const double fall = sqrt(2e-10);
    rig_run(&r, 2 * fall);
    near("height", rig_q(&r, "a", 1) * 1e9, 1, 1e-6);
    assert_true(trm_sim_impacts(r.sim).count == 1);
    rig_close(&r);
}

/// The same bits, saved while it is in contact, sticks, or is about to bounce.
CLAIM(test_a_saved_state_goes_on_alike)
{
    static const double at[] = {0.3, 0.7, 1.2, 3};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        rig r =
            begin(BALL("0.5", ",\"joints\":[{\"name\":\"S\",\"type\":\"prismatic\",\"bodies\":"
                              "[\"ground\",\"a\"],\"at\":[0,0],\"axis\":[0,1],\"friction\":1}]"));
        rig_run(&r, at[i]);
        char *bytes = rig_save(&r);
        rig_run(&r, 5);
        const double y = rig_q(&r, "a", 1), lost = trm_sim_impacts(r.sim).energy_lost;
        rig_restore(&r, bytes);
        rig_run(&r, 5);
        assert_true(y == rig_q(&r, "a", 1));
        assert_true(lost == trm_sim_impacts(r.sim).energy_lost);
        free(bytes);
        rig_close(&r);
    }
}
