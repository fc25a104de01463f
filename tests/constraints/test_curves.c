// Points on curves: derivatives against differences, pendulums and helices, splines, ends.

#include "tests/derivatives.h"

#include "base/expression/curve.h"
#include "bodies/guide.h"

/// As rig_run, but an event ends the run before `latest`.
static void run_to_event(rig *r, double latest)
{
    trm_error err = {.status = TRM_OK};
    const trm_status status = trm_sim_run(r->sim, latest, NULL, NULL, &err);
    assert_int_equal(status, TRM_STOPPED);
}

// ------------------------------------------------------------------------------------ derivatives

static const char plane[] =
    "{\"dimension\":2,\"bodies\":["
    "{\"name\":\"plate\",\"position\":[0.2,0.1],\"angle\":0.3,\"mass\":1,\"inertia\":0.2},"
    "{\"name\":\"arm\",\"position\":[5,0],\"mass\":1,\"inertia\":0.1}],"
    "\"markers\":[{\"name\":\"pin\",\"body\":\"arm\",\"on\":[0.1,0.2]},"
    "{\"name\":\"o\",\"body\":\"plate\",\"on\":[0.3,-0.1]},"
    "{\"name\":\"floor\",\"body\":\"ground\",\"at\":[0,1]}],"
    "\"constraints\":["
    "{\"name\":\"a\",\"type\":\"curve\",\"markers\":[\"pin\",\"o\"],\"closed\":true,"
    "\"formulas\":[\"5*cos(s)\",\"4*sin(s)+0.3*cos(2*s)\"],\"range\":[0,\"2*pi\"]},"
    "{\"name\":\"b\",\"type\":\"curve\",\"markers\":[\"pin\",\"floor\"],"
    "\"points\":[[3,-9],[5,-4],[6,0],[5.5,5],[3,9]]},"
    "{\"name\":\"c\",\"type\":\"curve\",\"markers\":[\"o\",\"pin\"],\"parameter\":\"u\","
    "\"formulas\":[\"-5+0.1*u^2\",\"2*u\"],\"range\":[-3,3]},"
    "{\"name\":\"e\",\"type\":\"curve\",\"markers\":[\"pin\",\"o\"],"
    "\"points\":[[3,-9],[5,-4],[6,0],[5.5,5],[3,9]]},"
    "{\"name\":\"d\",\"expression\":\"a.parameter*2 + b.parameter^2 - 0.3*t + c.parameter\"}]}";

static const char space[] =
    "{\"dimension\":3,\"bodies\":["
    "{\"name\":\"plate\",\"position\":[0.2,0.1,0.4],\"rpy\":[0.3,0.2,0.5],\"mass\":1,"
    "\"inertia\":[0.2,0.3,0.4]},"
    "{\"name\":\"arm\",\"position\":[5,0,0.2],\"rpy\":[-0.3,0.4,0.1],\"mass\":1,"
    "\"inertia\":[0.1,0.15,0.2]}],"
    "\"markers\":[{\"name\":\"pin\",\"body\":\"arm\",\"on\":[0.1,0.2,-0.2]},"
    "{\"name\":\"o\",\"body\":\"plate\",\"on\":[0.3,-0.1,0.1]},"
    "{\"name\":\"floor\",\"body\":\"ground\",\"at\":[0,1,0]}],"
    "\"constraints\":["
    "{\"name\":\"a\",\"type\":\"curve\",\"markers\":[\"pin\",\"o\"],\"closed\":true,"
    "\"formulas\":[\"5*cos(s)\",\"4*sin(s)\",\"0.7*sin(2*s)\"],\"range\":[0,\"2*pi\"]},"
    "{\"name\":\"b\",\"type\":\"curve\",\"markers\":[\"pin\",\"floor\"],"
    "\"points\":[[3,-9,1],[5,-4,0],[6,0,0.5],[5.5,5,-1],[3,9,2]]},"
    "{\"name\":\"e\",\"type\":\"curve\",\"markers\":[\"pin\",\"o\"],"
    "\"points\":[[3,-9,1],[5,-4,0],[6,0,0.5],[5.5,5,-1],[3,9,2]]},"
    "{\"name\":\"d\",\"expression\":\"a.parameter*2 + b.parameter^2 - 0.3*t\"}]}";

/// Third derivatives jump at the knots of splines, and differences across one are off by that times
/// their step; of roundoff 1e-10 is left at this one.
CLAIM(rows_have_exact_derivatives)
{
    little = 2e-5;
    check_scene(plane);
    check_scene(space);
}

// ----------------------------------------------------------------------------------- closed forms

/// A bead of 2 kg at (x, y), on a curve about the origin; g = 9.81.
static rig bead(double x, double y, const char *velocity, const char *curve)
{
    char json[6000];
    snprintf(
        json, sizeof json,
        "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"bead\",\"mass\":2,"
        "\"shape\":{\"type\":\"point\"},\"position\":[%.17g,%.17g],\"velocity\":%s}],"
        "\"markers\":[{\"name\":\"b\",\"body\":\"bead\",\"on\":[0,0]},"
        "{\"name\":\"o\",\"body\":\"ground\",\"at\":[0,0]}],"
        "\"constraints\":[{\"name\":\"wire\",\"type\":\"curve\",\"markers\":[\"b\",\"o\"],%s}]}",
        x, y, velocity, curve);
    rig r = rig_parse(json);
    trm_options options =
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12);
    options.assemble = 1;
    rig_start(&r, options);
    return r;
}

/// 2 pi sqrt(r/g)/agm(1, cos(amplitude/2))
static double pendulum_period(double r, double amplitude)
{
    double a = 1, b = cos(amplitude / 2);
    for (int k = 0; k < 8; k++) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return 2 * pi * sqrt(r / 9.81) / a;
}

CLAIM(a_bead_on_a_circle_is_a_pendulum)
{
    const double r = 0.7, a = 2.1, T = pendulum_period(r, a);
    rig c = bead(r * sin(a), -r * cos(a), "[0,0]",
                 "\"formulas\":[\"0.7*cos(s)\",\"0.7*sin(s)\"],\"range\":[0,\"2*pi\"],"
                 "\"closed\":true");
    rig_run(&c, T / 2);
    near("other side", rig_q(&c, "bead", 0), -r * sin(a), 1e-8);
    rig_run(&c, 3 * T);
    near("x", rig_q(&c, "bead", 0), r * sin(a), 1e-7);
    near("y", rig_q(&c, "bead", 1), -r * cos(a), 1e-7);
    rig_close(&c);
}

/// Huygens: 4 pi sqrt(r/g), however far it swings.
CLAIM(a_cycloid_is_isochronous)
{
    const double r = 0.25, T = 4 * pi * sqrt(r / 9.81);
    for (double s = 0.6; s < 3; s += 0.8) {
        const double x = r * (s - sin(s)), y = -r * (1 - cos(s));
        rig c = bead(x, y, "[0,0]",
                     "\"formulas\":[\"0.25*(s - sin(s))\",\"-0.25*(1 - cos(s))\"],"
                     "\"range\":[0.1,6.1]");
        rig_run(&c, T);
        near("x", rig_q(&c, "bead", 0), x, 1e-9);
        near("y", rig_q(&c, "bead", 1), y, 1e-9);
        near("speed", hypot(rig_v(&c, "bead", 0), rig_v(&c, "bead", 1)), 0, 1e-7);
        rig_close(&c);
    }
}

/// Down a helix of radius R that rises by p per radian: (R^2 + p^2) s'' = -p g, and the wire
/// carries m (R s'^2) inwards and m g R/sqrt(R^2 + p^2) perpendicular to it and to the radius.
CLAIM(a_bead_runs_down_a_helix)
{
    const double R = 0.6, p = 0.2, m = 2, g = 9.81, t = 1.3;
    rig r = rig_parse(
        "{\"dimension\":3,\"gravity\":[0,0,-9.81],\"bodies\":[{\"name\":\"bead\",\"mass\":2,"
        "\"shape\":{\"type\":\"point\"},\"position\":[0.6,0,0]}],"
        "\"markers\":[{\"name\":\"b\",\"body\":\"bead\",\"on\":[0,0,0]},"
        "{\"name\":\"o\",\"body\":\"ground\",\"at\":[0,0,0]}],"
        "\"constraints\":[{\"name\":\"wire\",\"type\":\"curve\",\"markers\":[\"b\",\"o\"],"
        "\"formulas\":[\"0.6*cos(s)\",\"0.6*sin(s)\",\"0.2*s\"],\"range\":[-9,1]}]}");
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12));
    rig_run(&r, t);
    const double bend = -p * g / (R * R + p * p), s = bend * t * t / 2, rate = bend * t;
    near("x", rig_q(&r, "bead", 0), R * cos(s), 1e-9);
    near("y", rig_q(&r, "bead", 1), R * sin(s), 1e-9);
    near("z", rig_q(&r, "bead", 2), p * s, 1e-9);
    near("vz", rig_v(&r, "bead", 2), p * rate, 1e-9);
    double lambda[2], a[3];
    trm_error err = {.status = TRM_OK};
    const trm_state now = trm_sim_state(r.sim);
    const trm_terms wanted = {.a = a, .lambda = lambda};
    rig_ok(trm_sim_terms(r.sim, now.t, now.q, now.v, NULL, &wanted, &err), &err);
    near("az", a[2], p * bend, 1e-9);
    near("ax", a[0], -R * (bend * sin(s) + rate * rate * cos(s)), 1e-8);
    const double force = m * hypot(R * rate * rate, g * R / sqrt(R * R + p * p));
    near("force", hypot(lambda[0], lambda[1]), force, 1e-5 * force); // see curve_build.c
    rig_close(&r);
}

/// The length of x = cos s, y = sin(2 s)/2: a periodic integrand, so the trapezoidal rule has all
/// digits.
static double length_of_the_eight(void)
{
    double sum = 0;
    for (int k = 0; k < 2000; k++) {
        const double s = 2 * pi * k / 2000;
        sum += hypot(sin(s), cos(2 * s)) * 2 * pi / 2000;
    }
    return sum;
}

/// Without gravity the speed stays; it crosses its own way and keeps to its branch, ten times, and
/// the parameter counts the turns.
CLAIM(an_eight_is_run_through_its_crossing)
{
    rig r = rig_parse(
        "{\"dimension\":2,\"bodies\":[{\"name\":\"bead\",\"mass\":2,"
        "\"shape\":{\"type\":\"point\"},\"position\":[1,0],\"velocity\":[0,3]}],"
        "\"markers\":[{\"name\":\"b\",\"body\":\"bead\",\"on\":[0,0]},"
        "{\"name\":\"o\",\"body\":\"ground\",\"at\":[0,0]}],"
        "\"constraints\":[{\"name\":\"wire\",\"type\":\"curve\",\"markers\":[\"b\",\"o\"],"
        "\"formulas\":[\"cos(s)\",\"sin(2*s)/2\"],\"range\":[0,\"2*pi\"],\"closed\":true}],"
        "\"events\":[{\"name\":\"lap\",\"when\":\"wire.parameter > 20*pi\",\"stop\":true}]}");
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12));
    const double lap = length_of_the_eight() / 3;
    rig_run(&r, lap / 2);
    near("half", rig_q(&r, "bead", 0), -1, 1e-8);
    near("upwards there", rig_v(&r, "bead", 1), 3, 1e-8);
    run_to_event(&r, 11 * lap);
    near("ten laps", trm_sim_state(r.sim).t, 10 * lap, 1e-8);
    near("x", rig_q(&r, "bead", 0), 1, 1e-8);
    near("y", rig_q(&r, "bead", 1), 0, 1e-8);
    rig_close(&r);
}

/// A range that ends at 0, and a start in the fourth turn of a spiral: the parameter belongs to the
/// turn of the start; the turns between it and 0 do not count.
CLAIM(a_bead_starts_where_it_is)
{
    rig c = bead(-5, 0, "[1,0]", "\"formulas\":[\"s\",\"0\"],\"range\":[-9,0]");
    rig_run(&c, 2);
    near("along the wire", rig_q(&c, "bead", 0), -3, 1e-10);
    rig_close(&c);
    const double s = 23;
    c = bead((1 + 0.1 * s) * cos(s), (1 + 0.1 * s) * sin(s), "[0,0]",
             "\"formulas\":[\"(1 + 0.1*s)*cos(s)\",\"(1 + 0.1*s)*sin(s)\"],\"range\":[-5,40]");
    trm_sensor sensor;
    trm_error err = {.status = TRM_OK};
    double x[3];
    rig_ok(trm_model_sensor(c.model, "bead.position", &sensor, &err), &err);
    rig_ok(trm_sim_read(c.sim, &sensor, x, &err), &err);
    near("on its turn", hypot(x[0], x[1]), 1 + 0.1 * s, 1e-12);
    rig_close(&c);
}

// ---------------------------------------------------------------------------------------- splines

static double worst_radius(int n)
{
    double(*points)[3] = calloc((size_t)n, sizeof *points), worst = 0, s;
    for (int i = 0; i < n; i++) {
        points[i][0] = cos(2 * pi * i / n);
        points[i][1] = sin(2 * pi * i / n);
    }
    trm_curve_source source = {
        .dimension = 2, .closed = 1, .n = n, .points = (const double(*)[3])points};
    trm_curve_fault fault;
    int derivative;
    trm_curve *curve = trm_curve_create(&source, &fault, &s, &derivative);
    assert_non_null(curve);
    assert_int_equal(trm_curve_workspace(curve), 0);
    for (int i = 0; i < 1000; i++) {
        double c[3][3];
        trm_curve_place(curve, curve->hi * i / 1000, NULL, c);
        worst = fmax(worst, fabs(hypot(c[0][0], c[0][1]) - 1));
        if (i % 100 == 0) { // one turn on, the same
            double again[3][3];
            trm_curve_place(curve, curve->hi * (1 + i / 1000.0), NULL, again);
            near("turn", again[0][0], c[0][0], 1e-12);
        }
    }
    free(points);
    free(curve);
    return worst;
}

/// The names in the formulas below.
static int only_s(const char *text, size_t length, trm_symbol *out, void *user)
{
    (void)user;
    *out = length == 2 ? (trm_symbol){.index = -1, .value = pi} : (trm_symbol){.index = 0};
    return (length == 1 && text[0] == 's') || (length == 2 && !strncmp(text, "pi", 2));
}

static trm_curve *curve_of(const char *x, const char *y, double lo, double hi, int closed)
{
    trm_expression *form[2] = {NULL, NULL};
    trm_expression_error error;
    trm_curve_fault fault;
    double s;
    int derivative;
    assert_int_equal(trm_expression_compile(NULL, x, only_s, NULL, &form[0], &error), TRM_OK);
    assert_int_equal(trm_expression_compile(NULL, y, only_s, NULL, &form[1], &error), TRM_OK);
    const trm_curve_source source = {
        .dimension = 2, .closed = closed, .lo = lo, .hi = hi, .form = {form[0], form[1]}};
    trm_curve *const curve = trm_curve_create(&source, &fault, &s, &derivative);
    assert_non_null(curve);
    trm_expression_destroy(form[0]);
    trm_expression_destroy(form[1]);
    return curve;
}

/// A circle from s = 1 on: the same a turn or more before and behind; its nearest knots; its left
/// side; a_2 is z.
CLAIM(a_closed_curve_repeats)
{
    trm_curve *const curve = curve_of("cos(s)", "sin(s)", 1, 1 + 2 * pi, 1);
    double work[64];
    const double h = 2 * pi / (curve->knots - 1); // a_1 is a spline of unit normals
    const double within[3] = {h * h * h * h / 300, h * h * h / 20, h * h / 6};
    assert_true(trm_curve_workspace(curve) <= 64);
    for (double s = -20; s < 20; s += 0.37) {
        trm_curve_point at;
        memset(&at, 0xff, sizeof at);
        trm_curve_at(curve, s, work, &at);
        for (int d = 0; d < 3; d++) {
            near("x", at.c[d][0], cos(s + d * pi / 2), 1e-13);
            near("y", at.c[d][1], sin(s + d * pi / 2), 1e-13);
            near("a_1 x", at.side[0][d][0], -cos(s + d * pi / 2), within[d]);
            near("a_1 y", at.side[0][d][1], -sin(s + d * pi / 2), within[d]);
            for (int k = 0; k < 3; k++) {
                near("a_2", at.side[1][d][k], d == 0 && k == 2, 0);
            }
            near("z", fabs(at.c[d][2]) + fabs(at.side[0][d][2]), 0, 0);
        }
        const double beside[3] = {3 * cos(s), 3 * sin(s), 0};
        const double off = remainder(trm_curve_nearest(curve, beside) - s, 2 * pi);
        below("nearest", fabs(off), 1.001 * pi / (curve->knots - 1));
    }
    free(curve);
}

/// Formulas that do not repeat themselves: beyond the first turn they are read within it.
CLAIM(a_closed_curve_is_read_in_its_first_turn)
{
    trm_curve *const curve =
        curve_of("cos(s) + 1e-4*(s - 1)^3*(1 + 2*pi - s)^3", "sin(s)", 1, 1 + 2 * pi, 1);
    double work[64], c[3][3];
    for (double s = -20; s < 20; s += 0.37) {
        const double u = s - 1 - 2 * pi * floor((s - 1) / (2 * pi));
        trm_curve_place(curve, s, work, c);
        near("x", c[0][0], cos(s) + 1e-4 * pow(u * (2 * pi - u), 3), 1e-12);
        near("y", c[0][1], sin(s), 1e-13);
    }
    free(curve);
}

/// Behind its ends an open curve is the parabola of its end.
CLAIM(an_open_curve_goes_on_as_a_parabola)
{
    trm_curve *const curve = curve_of("exp(s)", "2*s", 1, 2, 0);
    double work[64];
    for (int side = 0; side < 2; side++) {
        const double end = 1 + side, e = exp(end);
        for (double beyond = 0; beyond < 2; beyond += 0.3) {
            const double d = side ? beyond : -beyond;
            trm_curve_point at;
            double place[3][3];
            memset(place, 0xff, sizeof place);
            trm_curve_at(curve, end + d, work, &at);
            trm_curve_place(curve, end + d, work, place);
            near("x", at.c[0][0], e * (1 + d + d * d / 2), 1e-12);
            near("x'", at.c[1][0], e * (1 + d), 1e-12);
            near("x''", at.c[2][0], e, 1e-12);
            near("y", at.c[0][1], 2 * (end + d), 1e-12);
            assert_memory_equal(at.c, place, sizeof place);
        }
        const double tip[3] = {e, 2 * end, 0};
        near("nearest", trm_curve_nearest(curve, tip), end, 1e-15);
    }
    free(curve);
}

/// Through points of a circle: off it by h^4/384, h the angle between them.
CLAIM(a_spline_converges)
{
    for (int n = 16; n <= 128; n *= 2) {
        const double h = 2 * pi / n, theory = h * h * h * h / 384;
        near("off the circle", worst_radius(n), theory, 0.1 * theory);
    }
}

/// Through points of a circle from end to end: the pendulum's period, to the error of the spline.
CLAIM(a_bead_on_a_spline_swings_as_on_its_curve)
{
    const double r = 0.7, a = 1.2, T = pendulum_period(r, a);
    double off[2];
    for (int k = 0; k < 2; k++) {
        const int n = k ? 65 : 33;
        char points[5000] = "\"points\":[";
        size_t used = strlen(points);
        for (int i = 0; i < n; i++) { // from 2 rad to -2 rad
            const double angle = 2 - 4.0 * i / (n - 1);
            used += (size_t)snprintf(points + used, sizeof points - used, "%s[%.17g,%.17g]",
                                     i ? "," : "", r * sin(angle), -r * cos(angle));
        }
        snprintf(points + used, sizeof points - used, "]");
        rig c = bead(r * sin(a), -r * cos(a), "[0,0]", points);
        rig_run(&c, T);
        off[k] = hypot(rig_q(&c, "bead", 0) - r * sin(a), rig_q(&c, "bead", 1) + r * cos(a));
        rig_close(&c);
    }
    below("33 points", off[0], 1e-5);
    below("65 points", off[1], off[0] / 8);
}

// ------------------------------------------------------------------------------------- two bodies

#define PAIR(link)                                                                                 \
    "{\"dimension\":2,\"gravity\":[0,-3],\"bodies\":["                                             \
    "{\"name\":\"plate\",\"position\":[0,0],\"mass\":1,\"inertia\":0.2,\"rate\":1},"               \
    "{\"name\":\"arm\",\"position\":[1,0.2],\"mass\":0.5,\"inertia\":0.1,\"rate\":2,"              \
    "\"velocity\":[0,1]}],"                                                                        \
    "\"markers\":[{\"name\":\"pin\",\"body\":\"arm\",\"on\":[-0.1,-0.2]},"                         \
    "{\"name\":\"o\",\"body\":\"plate\",\"on\":[0.1,0]}],"                                         \
    "\"joints\":[{\"name\":\"A\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"plate\"],"         \
    "\"at\":[-0.5,0.1]}" link "]}"

#define PAIR_3D(link)                                                                              \
    "{\"dimension\":3,\"gravity\":[0,0,-3],\"bodies\":["                                           \
    "{\"name\":\"plate\",\"position\":[0,0,0],\"mass\":1,\"inertia\":[0.2,0.3,0.4]},"              \
    "{\"name\":\"arm\",\"position\":[1,0.2,0.3],\"mass\":0.5,\"inertia\":[0.1,0.2,0.15],"          \
    "\"rate\":[0.5,2,1]}],"                                                                        \
    "\"markers\":[{\"name\":\"pin\",\"body\":\"arm\",\"on\":[-0.1,-0.2,-0.3]},"                    \
    "{\"name\":\"o\",\"body\":\"plate\",\"on\":[0.1,0,0]}],"                                       \
    "\"joints\":[{\"name\":\"A\",\"type\":\"spherical\",\"bodies\":[\"ground\",\"plate\"],"        \
    "\"at\":[-0.5,0.1,0]}" link "]}"

#define AT ",\"bodies\":[\"plate\",\"arm\"],\"at\":"

static void run_both(const char *joints, const char *curve)
{
    const char *const json[2] = {joints, curve};
    double q[2][14], energy[2];
    for (int k = 0; k < 2; k++) {
        rig r = rig_parse(json[k]);
        trm_options options =
            rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-11, 1e-11);
        options.assemble = 1;
        rig_start(&r, options);
        const trm_energy first = trm_sim_energy(r.sim);
        rig_run(&r, 2);
        const trm_energy last = trm_sim_energy(r.sim);
        energy[k] = last.kinetic + last.potential;
        near("energy", energy[k], first.kinetic + first.potential, 1e-8);
        for (int i = 0; i < trm_model_sizes(r.model).nq; i++) {
            q[k][i] = trm_sim_state(r.sim).q[i];
        }
        for (int i = 0; k && i < trm_model_sizes(r.model).nq; i++) {
            near("q", q[1][i], q[0][i], 1e-8);
        }
        rig_close(&r);
    }
}

/// A pin in a round slot of another body is a rod to its centre; in space, and in its plane.
CLAIM(a_round_slot_is_a_rod)
{
    run_both(
        PAIR(",{\"name\":\"L\",\"type\":\"rod\"" AT "[[0.1,0],[0.9,0]]}"),
        PAIR("],\"constraints\":[{\"name\":\"L\",\"type\":\"curve\",\"markers\":[\"pin\",\"o\"]"
             ",\"formulas\":[\"0.8*cos(s)\",\"0.8*sin(s)\"],\"range\":[0,\"2*pi\"],"
             "\"closed\":true}"));
    run_both(PAIR_3D(",{\"name\":\"L\",\"type\":\"rod\"" AT "[[0.1,0,0],[0.9,0,0]]},"
                     "{\"name\":\"P\",\"type\":\"point_on_plane\",\"axis\":[0,0,1]" AT
                     "[[0.1,0,0],[0.9,0,0]]}"),
             PAIR_3D("],\"constraints\":[{\"name\":\"L\",\"type\":\"curve\","
                     "\"markers\":[\"pin\",\"o\"],"
                     "\"formulas\":[\"0.8*cos(s)\",\"0.8*sin(s)\",0],\"range\":[0,\"2*pi\"],"
                     "\"closed\":true}"));
}

/// Points on a straight line of another body: the spline is that line, the pin one in a slot.
CLAIM(a_straight_slot_by_points_is_a_pin_in_a_slot)
{
    run_both(
        PAIR(",{\"name\":\"L\",\"type\":\"pin_in_slot\",\"bodies\":[\"plate\",\"arm\"],"
             "\"at\":[0.9,0],\"axis\":[1,0]}"),
        PAIR("],\"constraints\":[{\"name\":\"L\",\"type\":\"curve\",\"markers\":[\"pin\",\"o\"],"
             "\"points\":[[-9,0],[-2,0],[0.3,0],[1,0],[9,0]]}"));
}

/// Points on a circle of another body: as the rod to its centre, with an error that falls as
/// h^4, 16 times.
CLAIM(a_round_slot_by_points_comes_to_be_a_rod)
{
    double q[3][6], off[2] = {0, 0};
    for (int k = 0; k < 3; k++) {
        const int n = k == 1 ? 24 : 48;
        char json[4000], points[3000] = "";
        size_t used = 0;
        for (int i = 0; i < n; i++) {
            used += (size_t)snprintf(points + used, sizeof points - used, "%s[%.15g,%.15g]",
                                     i ? "," : "", 0.8 * cos(2 * pi * i / n),
                                     0.8 * sin(2 * pi * i / n));
        }
        snprintf(json, sizeof json,
                 PAIR("],\"constraints\":[{\"name\":\"L\",\"type\":\"curve\","
                      "\"markers\":[\"pin\",\"o\"],\"closed\":true,\"points\":[%s]}"),
                 points);
        rig r =
            rig_parse(k ? json : PAIR(",{\"name\":\"L\",\"type\":\"rod\"" AT "[[0.1,0],[0.9,0]]}"));
        trm_options options =
            rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-9, 1e-9);
        options.assemble = 1;
        rig_start(&r, options);
        rig_run(&r, 1);
        memcpy(q[k], trm_sim_state(r.sim).q, sizeof q[k]);
        for (int i = 0; k && i < 6; i++) {
            off[k - 1] = fmax(off[k - 1], fabs(q[k][i] - q[0][i]));
        }
        rig_close(&r);
    }
    below("24 points", off[0], 1e-4);
    below("48 points", off[1], off[0] / 8);
}

// ------------------------------------------------------------------------------------------- ends

/// Down a slope of 0.6 from rest: it is 5 m long, and left after sqrt(2 5/(0.6 g)).
CLAIM(a_run_ends_where_the_wire_does)
{
    rig c = bead(0, 0, "[0,0]", "\"points\":[[0,0],[4,-3]]");
    run_to_event(&c, 10);
    near("end", trm_sim_state(c.sim).t, sqrt(10 / (0.6 * 9.81)), 1e-8);
    near("x", rig_q(&c, "bead", 0), 4, 1e-7);
    rig_close(&c);
}

/// A thousand million lengths beside it: what is missing is roundoff of the distance.
CLAIM(a_point_far_from_its_curve_has_a_place_on_it)
{
    trm_curve *const curve = curve_of("0.6*s", "0.8*s", 0, 1, 0);
    const trm_guide guide = {.curve = curve, .a = 1, .b = 0};
    double x[2] = {0}, y[2] = {0}, angle[2] = {0}, room[64], c[2] = {1, 1}, sine[2] = {0, 0};
    const trm_pose pose = {
        .nbody = 1, .width = 3, .x = x, .y = y, .angle = angle, .c = c, .s = sine, .room = room};
    for (double far = 1e9; far < 2e9; far *= 1.0371) {
        trm_guided at;
        x[0] = 0.3 - 0.8 * far;
        y[0] = 0.4 + 0.6 * far;
        trm_guide_measure(&guide, &pose, &at);
        near("s", at.x[0], 0.5, 1e-6);
        near("g", at.x[1], far, 1e-6);
    }
    free(curve);
}
