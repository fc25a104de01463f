/// Friction of stops in space against closed forms: docs/explanation/contact.md.
#include "tests/rig.h"
#include "trammel/trammel_contact.h"

#define G 9.81

static rig begin(const char *text, trm_integrator integrator, double h)
{
    rig r = rig_parse(text);
    trm_options options = trm_default_options(integrator, TRM_STABILIZATION_S_BOTH2);
    options.h = h;
    if (h == 0) {
        options.rtol = options.atol = 1e-11;
    }
    rig_start(&r, options);
    return r;
}

/// A point of 2 kg with velocity (vx, vy, 0) at height z above a plane that falls by `tilt` along
/// x.
static void point(char *text, size_t size, double tilt, double mu, double e, const double x[3])
{
    snprintf(text, size,
             "{\"dimension\":3,\"gravity\":[0,0,-9.81],\"bodies\":[{\"name\":\"a\",\"shape\":"
             "{\"type\":\"point\"},\"mass\":2,\"position\":[0,0,%.17g],\"velocity\":[%.17g,%.17g,"
             "0]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0,0]},{\"name\":\"o\","
             "\"body\":\"ground\",\"at\":[0,0,0]}],\"stops\":[{\"name\":\"f\",\"marker\":\"p\","
             "\"on\":\"o\",\"normal\":[%.17g,0,%.17g],\"friction\":%.17g,\"restitution\":%g}]}",
             x[2], x[0], x[1], sin(tilt), cos(tilt), mu, e);
}

/// On a level floor it goes straight and stands after v/(mu g), v^2/(2 mu g) on.
CLAIM(test_a_halt)
{
    char text[1000];
    const double x[] = {1, 2, 0}, v = sqrt(5), t = v / (0.3 * G), way = v * t / 2;
    point(text, sizeof text, 0, 0.3, 0, x);
    rig r = begin(text, TRM_INTEGRATOR_DOP853, 0);
    rig_run(&r, t * (1 - 1e-6));
    assert_int_equal(rig_contact(&r, 1).mode, TRM_CONTACT_SLIDES);
    rig_run(&r, 100);
    assert_int_equal(rig_contact(&r, 1).mode, TRM_CONTACT_MODE_STICKS);
    near("x", rig_q(&r, "a", 0), way / v, 1e-11);
    near("y", rig_q(&r, "a", 1), 2 * way / v, 1e-11);
    near("it stands", hypot(rig_v(&r, "a", 0), rig_v(&r, "a", 1)), 0, 1e-15);
    rig_close(&r);
    r = begin(text, TRM_INTEGRATOR_MOREAU, 1e-3); // exact up to the step in which it stops
    rig_run(&r, 2);
    near("x by steps", rig_q(&r, "a", 0), way / v, 0.3 * G * 1e-6);
    near("y by steps", rig_q(&r, "a", 1), 2 * way / v, 0.3 * G * 1e-6);
    rig_close(&r);
}

/// Thrown across an incline: with k = mu/tan(tilt) and the angle b of its velocity from the line of
/// fall, v sin b = v0 tan(b/2)^k. (v' = g sin(tilt) (cos b - k), v b' = -g sin(tilt) sin b.)
/// Friction turns all the way; for k = 1 the speed tends to v0/2.
CLAIM(test_a_curve_on_an_incline)
{
    static const double parts[] = {0.8, 1, 1.5};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char text[1000];
        const double tilt = pi / 6, k = parts[i], x[] = {0, 2, 0};
        point(text, sizeof text, tilt, k * tan(tilt), 0, x);
        rig r = begin(text, TRM_INTEGRATOR_DOP853, 0);
        for (int n = 1; n <= 4; n++) {
            rig_run(&r, 0.1 * n);
            const double across = rig_v(&r, "a", 1), down = rig_v(&r, "a", 0) / cos(tilt);
            const double half = across / (hypot(across, down) + down); // tan(b/2)
            near("hodograph", across, 2 * pow(half, k), 1e-9);
        }
        below("energy", trm_sim_report(r.sim).energy_error, 1e-8);
        rig_close(&r);
    }
}

/// It sticks up to tan(tilt) and does not creep; from rest it slides down with g (sin - mu cos).
CLAIM(test_sticking)
{
    char text[1000];
    const double tilt = pi / 6, x[] = {0, 0, 0}, s = sin(tilt), c = cos(tilt);
    point(text, sizeof text, tilt, tan(tilt) * 1.001, 0, x);
    rig r = begin(text, TRM_INTEGRATOR_DOP853, 0);
    rig_run(&r, 1e3);
    near("no creep", hypot(rig_q(&r, "a", 0), rig_q(&r, "a", 1)), 0, 1e-15);
    near("what it needs", hypot(rig_contact(&r, 1).force, rig_contact(&r, 2).force), 2 * G * s,
         1e-12);
    // at height 0: what is off is roundoff of the weight, not all of the energy that there is
    below("part of the load", trm_sim_report(r.sim).energy_error_relative, 1e-9);
    near("its scale", trm_sim_report(r.sim).energy_scale, 2 * G * (s + c), 1e-9);
    rig_close(&r);
    const double mu = tan(tilt) * 0.999;
    point(text, sizeof text, tilt, mu, 0, x);
    r = begin(text, TRM_INTEGRATOR_DOP853, 0);
    rig_run(&r, 10);
    near("it slides", rig_q(&r, "a", 0), 0.5 * G * (s - mu * c) * 100 * c, 1e-10);
    rig_close(&r);
}

/// Dropped, each impact takes mu (1 + e) u along the velocity, against which it is.
CLAIM(test_an_impact)
{
    char text[1000];
    const double x[] = {3, 4, 1}, T = sqrt(2 / G), u = G * T, v = 5 - 0.3 * 1.5 * u;
    point(text, sizeof text, 0, 0.3, 0.5, x);
    rig r = begin(text, TRM_INTEGRATOR_DOP853, 0);
    rig_run(&r, T + 0.1);
    near("x behind it", rig_v(&r, "a", 0), 0.6 * v, 1e-12);
    near("y behind it", rig_v(&r, "a", 1), 0.8 * v, 1e-12);
    near("lost", trm_sim_impacts(r.sim).energy_lost, 0.75 * u * u + 25 - v * v, 1e-11);
    rig_run(&r, 1.2);
    char *bytes = rig_save(&r);
    rig_run(&r, 3);
    const double y = rig_q(&r, "a", 1);
    rig_restore(&r, bytes);
    rig_run(&r, 3);
    assert_true(y == rig_q(&r, "a", 1));
    free(bytes);
    rig_close(&r);
}

/// A box of four corners, by steps and by events. It slides with g (sin - mu cos).
CLAIM(test_four_corners)
{
    char text[3000];
    static const double at[4][2] = {{-1, -0.5}, {1, -0.5}, {1, 0.5}, {-1, 0.5}};
    const double s = 0.5, c = sqrt(0.75), mu = 0.5;
    int n = snprintf(text, sizeof text,
                     "{\"dimension\":3,\"gravity\":[%.17g,%.17g,%.17g],\"bodies\":[{\"name\":\"a\","
                     "\"mass\":3,\"inertia\":[1,1,1],\"position\":[0,0,0.3]}],\"markers\":["
                     "{\"name\":\"o\",\"body\":\"ground\",\"at\":[0,0,0]}",
                     0.6 * G * s, 0.8 * G * s, -G * c);
    for (int i = 0; i < 4; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n,
                      ",{\"name\":\"p%d\",\"body\":\"a\",\"at\":[%g,%g,0]}", i, at[i][0], at[i][1]);
    }
    for (int i = 0; i < 4; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "%s{\"name\":\"f%d\",\"marker\":\"p%d\",\"on\":\"o\",\"normal\":[0,0,1],"
                      "\"friction\":%g}",
                      i ? "," : "],\"stops\":[", i, i, mu);
    }
    snprintf(text + n, sizeof text - (size_t)n, "]}");
    rig r = rig_parse(text);
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_MOREAU, TRM_STABILIZATION_S_BOTH2, 1e-3));
    rig_run(&r, 2);
    const double v = G * (s - mu * c) * 2;
    near("x", rig_v(&r, "a", 0), 0.6 * v, 1e-3);
    near("y", rig_v(&r, "a", 1), 0.8 * v, 1e-3);
    double sum = 0;
    for (int i = 0; i < 12; i += 3) {
        sum += rig_contact(&r, i).force;
    }
    near("weight", sum, 3 * G * c, 1e-3);
    rig_close(&r);
    r = rig_parse(text);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-8, 1e-8));
    rig_run(&r, 2);
    near("x by events", rig_v(&r, "a", 0), 0.6 * v, 1e-7);
    near("y by events", rig_v(&r, "a", 1), 0.8 * v, 1e-7);
    rig_close(&r);
}

/// Painleve's rod of test_contacts.c in space: an upright plane that holds it stands at `plane`
/// round the vertical, its lower end slides at `aside` from that plane. Friction has of its
/// direction cos(aside) in the plane: no sliding solution from mu cos(aside) = (1 + 3 cos^2)/(3 sin
/// cos) = 1.3753 at 1 rad on.
CLAIM(test_painleves_rod)
{
    static const struct {
        double mu, v, w, plane, aside;
        const char *says; ///< NULL: it goes
    } cases[] = {{1.9, -1, 0, 0, 0, "no force holds it"},
                 {1.9, 1, 0, 0, 0, NULL},
                 {1.37, -1, 0, 0.7, 0, NULL}, // the edge is at 1.3753
                 {1.38, -1, 0, 0.7, 0, "no force holds it"},
                 {1.9, -1, 5, 0, 0, "two motions"},
                 {1.9, -1, 5, 2, 0, "two motions"},
                 {1.3, -1, 5, 0, 0, NULL},
                 {1.374 / 0.8, -1, 0, 0.7, 0.64350110879328439, NULL},
                 {1.377 / 0.8, -1, 0, 0.7, 0.64350110879328439, "no force holds it"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        const double c = cos(1), s = sin(1), w = cases[i].w;
        const double C = cos(cases[i].plane), S = sin(cases[i].plane);
        const double along = cases[i].v * cos(cases[i].aside) - w * s;
        const double across = cases[i].v * sin(cases[i].aside);
        snprintf(text, sizeof text,
                 "{\"dimension\":3,\"gravity\":[0,0,-9.81],\"bodies\":[{\"name\":\"r\",\"mass\":1,"
                 "\"inertia\":[%.17g,%.17g,%.17g],\"position\":[%.17g,%.17g,%.17g],\"velocity\":"
                 "[%.17g,%.17g,%.17g],\"rate\":[%.17g,%.17g,0]}],\"markers\":[{\"name\":\"p\","
                 "\"body\":\"r\",\"at\":[0,0,0]},{\"name\":\"o\",\"body\":\"ground\",\"at\":"
                 "[0,0,0]}],\"stops\":[{\"name\":\"floor\",\"marker\":\"p\",\"on\":\"o\","
                 "\"normal\":[0,0,1],\"friction\":%.17g}]}",
                 1.0 / 3, 1.0 / 3, 1.0 / 3, c * C, c * S, s, along * C - across * S,
                 along * S + across * C, w * c, w * S, -w * C, cases[i].mu);
        rig r = rig_parse(text);
        const trm_options options =
            rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-9, 1e-9);
        trm_error err = {.status = TRM_OK};
        const trm_status status = trm_sim_create(r.model, &options, &r.sim, &err);
        if (cases[i].says) {
            assert_int_equal(status, TRM_ERR_SINGULAR);
            if (!strstr(err.message, "Painleve") || !strstr(err.message, "'floor'") ||
                !strstr(err.message, cases[i].says)) {
                fail_msg("%d: %s", (int)i, err.message);
            }
        } else {
            rig_ok(status, &err);
        }
        rig_close(&r);
    }
}
