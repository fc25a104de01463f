/// Steps of moreau against the formulas of srm_projected.c, written once more for one coordinate: a
/// slider between two limits, with friction, restitution and springs at the limits.
#include "tests/rig.h"
#include "trammel/trammel_contact.h"

static const double m = 2.0, lo = -0.3, hi = 0.25, h = 1e-3;

/// The force along the slider, N.
static double pull(double t)
{
    return 30.0 * cos(3.0 * t) + 2.0 * t;
}

typedef struct slider {
    double restitution, stiffness, damping, sliding, sticking, viscous;
    double x, v;
    double force; ///< of a rigid contact, a mean of the step
    double last;  ///< impulse without an impact, N s
    int rests, mode;
} slider;

/// Hunt and Crossley with exponent 1.5 or, of joints, 1.
static double spring(const slider *s, double x, double v)
{
    const double in = x < lo ? lo - x : x > hi ? x - hi : 0.0;
    const double closing = x < lo ? -v : v;
    const double F = in > 0.0 ? s->stiffness * in * (1.0 + s->damping * closing) : 0.0;
    return (x < lo ? 1.0 : -1.0) * fmax(F, 0.0);
}

static void step(slider *s, double t)
{
    const double before = s->v, x = s->x + 0.5 * h * s->v, middle = t + 0.5 * h;
    const double own = -s->viscous * s->v + (s->stiffness > 0.0 ? spring(s, x, s->v) : 0.0);
    const double a = (pull(middle) + own) / m;
    const double half = 0.5 * h * a, way = h * (fabs(s->v) + fabs(half));
    const double reach = s->sliding > 0.0 ? 0.0 : way; // friction holds anywhere
    const int before_it = s->x <= lo ? -1 : s->x >= hi ? 1 : 0;
    const int comes = x <= lo + reach ? -1 : x >= hi - reach ? 1 : before_it;
    const int side = s->stiffness > 0.0 ? 0 : comes;
    const double left = side < 0 ? x - lo : hi - x;
    const double room = side && s->sliding == 0.0 ? 2.0 * fmax(left, 0.0) / h : 0.0;
    const int halts = fabs(before) <= 1e-8 || (before * a < 0.0 && fabs(before) <= fabs(h * a));
    const double dry = h * (s->rests || halts ? s->sticking : s->sliding);
    const int listed = side || s->sliding > 0.0, pressed = side * s->last < -dry;
    double P = 0.0, p = 0.0;
    if (listed && !pressed && side * s->v > fmax(fabs(half), 1e-8) &&
        side * (s->v + 2.0 * half) > room) {
        P = -m * (s->v + half) * (1.0 + s->restitution);
        P = side > 0 ? fmin(P, 0.0) : fmax(P, 0.0);
    }
    const double least = side > 0 ? -INFINITY : -dry, most = side < 0 ? INFINITY : dry;
    if (listed) {
        p = fmin(fmax(-m * (s->v + P / m + 2.0 * half - side * room), least), most);
    }
    s->v += h * a + (P + p) / m;
    s->x = x + 0.5 * h * s->v;
    s->x = side && side * (s->x - (side < 0 ? lo : hi)) > 1e-8 ? (side < 0 ? lo : hi) : s->x;
    s->last = p;
    const int pushes = side * p < -dry;
    s->rests = listed && !pushes && !side && fabs(p) < most;
    s->force = listed ? (P + p) / h - s->viscous * before : 0.0;
    s->mode = pushes     ? (side < 0 ? TRM_CONTACT_MODE_LOW : TRM_CONTACT_MODE_HIGH)
              : s->rests ? TRM_CONTACT_MODE_STICKS
                         : TRM_CONTACT_MODE_OPEN;
}

static rig open_slider(const slider *s)
{
    char text[1200], springs[80] = "", friction[120] = "";
    if (s->stiffness > 0.0) {
        snprintf(springs, sizeof springs, ",\"limit_stiffness\":%g,\"limit_damping\":%g",
                 s->stiffness, s->damping);
    } else {
        snprintf(springs, sizeof springs, ",\"restitution\":%g", s->restitution);
    }
    if (s->sliding > 0.0) {
        snprintf(friction, sizeof friction,
                 ",\"friction\":{\"sliding\":%g,\"sticking\":%g,\"viscous\":%g}", s->sliding,
                 s->sticking, s->viscous);
    }
    snprintf(text, sizeof text,
             "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":%g,\"inertia\":1,\"velocity\":"
             "[%.17g,0]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}],\"joints\":[{"
             "\"name\":\"S\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],"
             "\"axis\":[1,0],\"limits\":[%g,%g]%s%s}],\"forces\":[{\"name\":"
             "\"f\",\"type\":\"force\",\"marker\":\"p\",\"value\":[\"30*cos(3*t) + 2*t\",0]}]}",
             m, s->v, lo, hi, springs, friction);
    rig r = rig_parse(text);
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_MOREAU, TRM_STABILIZATION_S_BOTH2, h));
    return r;
}

/// Three seconds, in which the contact is in each of the wanted modes.
static void follow(slider s, const int *wanted)
{
    rig r = open_slider(&s);
    int seen[4] = {0};
    const int row = s.stiffness > 0.0 && s.sliding > 0.0; // friction beside a spring is the second
    for (int k = 0; k < 3000; k++) {
        trm_error err;
        trm_contact_state contact;
        const double before = s.v;
        step(&s, k * h);
        rig_ok(trm_sim_step(r.sim, &err), &err);
        assert_int_equal(trm_sim_contact(r.sim, row, &contact), 1);
        near("x", rig_q(&r, "a", 0), s.x, 1e-9);
        near("v", rig_v(&r, "a", 0), s.v, 1e-8);
        const int slides = s.mode == TRM_CONTACT_MODE_OPEN && s.sliding > 0.0;
        assert_int_equal(contact.mode, slides ? TRM_CONTACT_SLIDES : s.mode);
        if (s.stiffness == 0.0) {
            near("force", contact.force, s.force, 1e-5);
        }
        near("a", trm_sim_state(r.sim).a[0], (s.v - before) / h, 1e-5);
        seen[s.mode]++;
    }
    for (const int *mode = wanted; *mode >= 0; mode++) {
        assert_true(seen[*mode] > 10);
    }
    rig_close(&r);
}

enum { OPEN = TRM_CONTACT_MODE_OPEN, LOW = TRM_CONTACT_MODE_LOW, HIGH = TRM_CONTACT_MODE_HIGH };

CLAIM(rigid_limits)
{
    follow((slider){.v = 1.0}, (const int[]){OPEN, LOW, HIGH, -1});
    follow((slider){.restitution = 0.6, .v = -1.0}, (const int[]){OPEN, -1});
}

CLAIM(rigid_limits_with_friction)
{
    const slider rough = {.sliding = 12.0, .sticking = 15.0, .viscous = 3.0, .v = 1.0};
    slider elastic = rough;
    elastic.restitution = 0.4;
    follow(rough, (const int[]){OPEN, LOW, HIGH, -1});
    follow(elastic, (const int[]){OPEN, HIGH, TRM_CONTACT_MODE_STICKS, -1});
}

CLAIM(springs_at_the_limits)
{
    const slider smooth = {.stiffness = 4000.0, .damping = 0.5, .v = 1.0};
    slider rough = smooth;
    rough.sliding = 12.0;
    rough.sticking = 15.0;
    rough.viscous = 3.0;
    slider soft = smooth; // as good as none
    soft.stiffness = 0.5;
    follow(soft, (const int[]){OPEN, -1});
    follow(smooth, (const int[]){OPEN, -1});
    follow(rough, (const int[]){OPEN, TRM_CONTACT_MODE_STICKS, -1});
}

/// What comes to its limit in a step ends it there; dry friction takes part wherever it is.
CLAIM(a_row_comes_to_its_limit)
{
    const double near_it = 2.5e-7; // a step falls by a h^2/2 = 1.5e-6 m
    for (int side = -1; side <= 1; side += 2) {
        for (int far = 0; far < 2; far++) {
            char text[600], limits[80];
            trm_error err;
            const double end = side * (far ? 2.0 : 0.0) * near_it;
            snprintf(limits, sizeof limits, side < 0 ? "%.17g,null" : "null,%.17g", end);
            snprintf(text, sizeof text,
                     "{\"dimension\":2,\"gravity\":[%d,0],\"bodies\":[{\"name\":\"a\",\"mass\":2,"
                     "\"inertia\":1,\"position\":[0,1]}],\"joints\":[{\"name\":\"S\",\"type\":"
                     "\"prismatic\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,1],\"axis\":[1,0],"
                     "\"limits\":[%s]}]}",
                     3 * side, limits);
            rig r = rig_parse(text);
            rig_start(&r, rig_fixed(TRM_INTEGRATOR_MOREAU, TRM_STABILIZATION_S_BOTH2, h));
            rig_ok(trm_sim_step(r.sim, &err), &err);
            near("x", rig_q(&r, "a", 0), end, 1e-15);
            near("v", rig_v(&r, "a", 0), 2.0 * end / h, 1e-12);
            rig_close(&r);
        }
    }
}

/// A body at its limit (restitution 0) is hit by an equal one (restitution 1): the rows that close
/// first exchange their velocities, then the limit takes what is left. Were all rows struck at
/// once, the second body would come back.
CLAIM(impacts_come_in_waves)
{
    for (int side = -1; side <= 1; side += 2) {
        char text[900];
        snprintf(
            text, sizeof text,
            "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":2,\"inertia\":1},{\"name\":"
            "\"b\",\"mass\":2,\"inertia\":1,\"position\":[%g,0],\"velocity\":[%d,0]}],"
            "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]},{\"name\":\"o\","
            "\"body\":\"b\",\"on\":[0,0]}],\"joints\":[{\"name\":\"A\",\"type\":\"prismatic\","
            "\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],\"axis\":[1,0],\"limits\":[%s]},{"
            "\"name\":\"B\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"b\"],\"at\":[%g,0],"
            "\"axis\":[1,0]}],\"stops\":[{\"name\":\"s\",\"gap\":\"%d*(p.x - o.x)\","
            "\"restitution\":1}]}",
            -0.01 * side, 2 * side, side > 0 ? "null,0" : "0,null", -0.01 * side, side);
        rig r = rig_parse(text);
        rig_start(&r, rig_fixed(TRM_INTEGRATOR_MOREAU, TRM_STABILIZATION_S_BOTH2, h));
        rig_run(&r, 0.1);
        near("v of a", rig_v(&r, "a", 0), 0.0, 1e-12);
        near("v of b", rig_v(&r, "b", 0), 0.0, 1e-12);
        near("lost", trm_sim_impacts(r.sim).energy_lost, 4.0, 1e-12);
        rig_close(&r);
    }
}

/// Between two steps positions are on a straight line; before the first one they are the start.
CLAIM(samples_lie_on_a_line)
{
    const slider s = {.v = 1.0};
    trm_sample sample;
    trm_error err;
    rig r = open_slider(&s);
    rig_ok(trm_sim_sample(r.sim, 0.0, &sample, &err), &err);
    near("v", sample.state.v[0], 1.0, 0.0);
    rig_run(&r, 0.1);
    const double x = rig_q(&r, "a", 0), v = rig_v(&r, "a", 0), t = trm_sim_state(r.sim).t;
    rig_ok(trm_sim_step(r.sim, &err), &err);
    const double dx = rig_q(&r, "a", 0) - x, dv = rig_v(&r, "a", 0) - v;
    rig_ok(trm_sim_sample(r.sim, t + 0.25 * h, &sample, &err), &err);
    near("x", sample.state.q[0], x + 0.25 * dx, 1e-13);
    near("v", sample.state.v[0], v + 0.25 * dv, 1e-12);
    assert_true(fabs(dx) > 1e-4 && fabs(dv) > 1e-3);
    rig_close(&r);
}

// ------------------------------------------------------------------------------------ what is told

/// Under constant forces the work of a step is P + p times the mean rate, to roundoff: of dry
/// friction, of limits, of a floor that rises by itself or by a motor, and of impacts with it.
CLAIM(energy_is_balanced)
{
    static const char slides[] =
        "{\"dimension\":2,\"gravity\":[3,0],\"bodies\":[{\"name\":\"a\",\"mass\":2,"
        "\"inertia\":1,\"velocity\":[-1,0]}],\"joints\":[{\"name\":\"S\",\"type\":"
        "\"prismatic\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],\"axis\":[1,0],"
        "\"limits\":[-0.1,0.2],\"restitution\":%g,\"friction\":2}]}";
    static const char rises[] =
        "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"a\",\"mass\":2,"
        "\"inertia\":1,\"position\":[0,0.1],\"velocity\":[0,-1]}],\"markers\":[{\"name\":"
        "\"p\",\"body\":\"a\",\"on\":[0,0]}],\"stops\":[{\"name\":\"floor\",\"gap\":"
        "\"p.y - 0.3*t\",\"restitution\":%g}]}";
    static const char lifted[] =
        "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"a\",\"mass\":2,"
        "\"inertia\":1,\"position\":[0,0.1],\"velocity\":[0,-1]},{\"name\":\"b\",\"mass\":5,"
        "\"inertia\":1,\"velocity\":[0,0.3]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\","
        "\"on\":[0,0]},{\"name\":\"o\",\"body\":\"b\",\"on\":[0,0]}],\"joints\":[{\"name\":"
        "\"S\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"b\"],\"at\":[0,0],\"axis\":"
        "[0,1],\"motor\":\"0.3*t\"}],\"stops\":[{\"name\":\"floor\",\"gap\":\"p.y - o.y\","
        "\"restitution\":%g}]}";
    char text[1000];
    static const char *const all[] = {slides, rises, lifted};
    for (int k = 0; k < 6; k++) {
        snprintf(text, sizeof text, all[k / 2], k % 2 ? 0.5 : 0.0);
        rig r = rig_parse(text);
        rig_start(&r, rig_fixed(TRM_INTEGRATOR_MOREAU, TRM_STABILIZATION_S_BOTH2, h));
        rig_run(&r, 1.0);
        below("energy", trm_sim_report(r.sim).energy_error, 1e-11);
        assert_true(fabs(trm_sim_energy(r.sim).work) > 0.1);
        assert_true(trm_sim_impacts(r.sim).energy_lost > 0.1);
        if (k == 4) { // at rest on the platform, whose motor carries both
            near("motor", fabs(trm_sim_state(r.sim).lambda[2]), 7.0 * 9.81, 1e-6);
        }
        rig_close(&r);
    }
}

/// A smooth law of friction, -F u/sqrt(1 + u^2) with u = rate/0.1, holds nothing: its force is that
/// of the rate at the beginning of the step.
CLAIM(regularized_friction_is_its_law)
{
    rig r = rig_parse("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":2,\"inertia\":1,"
                      "\"velocity\":[0.3,0]}],\"joints\":[{\"name\":\"S\",\"type\":\"prismatic\","
                      "\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],\"axis\":[1,0],\"friction\":{"
                      "\"sliding\":5,\"regularized\":0.1}}]}");
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_MOREAU, TRM_STABILIZATION_S_BOTH2, h));
    for (int k = 0; k < 200; k++) {
        trm_error err;
        trm_contact_state contact;
        const double u = rig_v(&r, "a", 0) / 0.1, force = -5.0 * u / sqrt(1.0 + u * u);
        rig_ok(trm_sim_step(r.sim, &err), &err);
        assert_int_equal(trm_sim_contact(r.sim, 0, &contact), 1);
        near("force", contact.force, force, 1e-12);
        near("v", rig_v(&r, "a", 0), 0.1 * u + h * force / 2.0, 1e-12);
    }
    rig_close(&r);
}

/// A weight of 0.05 N at rest on a limit of 0.5 N/m, which is 0.1 m above the start: its force is
/// the weight.
CLAIM(a_spring_at_a_limit_carries_a_weight)
{
    rig r =
        rig_parse("{\"dimension\":2,\"gravity\":[-1,0],\"bodies\":[{\"name\":\"a\",\"mass\":0.05,"
                  "\"inertia\":1}],\"joints\":[{\"name\":\"S\",\"type\":\"prismatic\",\"bodies\":"
                  "[\"ground\",\"a\"],\"at\":[0,0],\"axis\":[1,0],\"limits\":[0.1,null],"
                  "\"limit_stiffness\":0.5}]}");
    trm_contact_state contact;
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_MOREAU, TRM_STABILIZATION_S_BOTH2, h));
    rig_run(&r, 0.1);
    assert_int_equal(trm_sim_contact(r.sim, 0, &contact), 1);
    near("force", contact.force, 0.05, 1e-12);
    near("q", rig_q(&r, "a", 0), 0.0, 1e-12);
    rig_close(&r);
}

/// A hinge that a torque of 1 N m turns, 1 kg m^2 by t^2/2, ends at its limit, and leaves no gap.
CLAIM(nothing_stays_beyond_a_limit)
{
    const double limit = 0.10037;
    for (int side = -1; side <= 1; side += 2) {
        char text[500];
        snprintf(
            text, sizeof text,
            "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":2,\"inertia\":1}],\"joints\":[{"
            "\"name\":\"S\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],"
            "\"limits\":[-%g,%g]}],\"forces\":[{\"name\":\"f\",\"type\":\"torque\",\"body\":"
            "\"a\",\"value\":%d}]}",
            limit, limit, side);
        rig r = rig_parse(text);
        rig_start(&r, rig_fixed(TRM_INTEGRATOR_MOREAU, TRM_STABILIZATION_S_BOTH2, h));
        rig_run(&r, 0.4);
        assert_true(trm_sim_report(r.sim).position_drift_relative < 1e-12);
        rig_run(&r, 0.6);
        near("angle", trm_sim_state(r.sim).q[2], side * limit, 1e-8);
        assert_true(trm_sim_report(r.sim).position_drift_relative < 1e-6); // a h^2
        rig_close(&r);
    }
}

/// A block of 2 kg on a rail, another of 1 kg on it, without friction between them: the rail's
/// reaction is the weight of both, 3 g, and the first slows down by mu 3 g/2.
CLAIM(what_presses_on_a_joint_adds_to_its_friction)
{
    rig r = rig_parse(
        "{\"dimension\":2,\"gravity\":[0,-10],\"bodies\":[{\"name\":\"a\",\"mass\":2,\"inertia\":1,"
        "\"velocity\":[1,0]},{\"name\":\"b\",\"mass\":1,\"shape\":{\"type\":\"point\"},"
        "\"position\":"
        "[0,0]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]},{\"name\":\"o\","
        "\"body\":"
        "\"b\",\"on\":[0,0]}],\"joints\":[{\"name\":\"S\",\"type\":\"prismatic\",\"bodies\":["
        "\"ground\","
        "\"a\"],\"at\":[0,0],\"axis\":[1,0],\"friction\":{\"coefficient\":0.2}}],\"stops\":[{"
        "\"name\":"
        "\"s\",\"gap\":\"o.y - p.y\"}]}");
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_MOREAU, TRM_STABILIZATION_S_BOTH2, h));
    rig_run(&r, 0.1);
    near("v", rig_v(&r, "a", 0), 1.0 - 0.1 * 0.2 * 3.0 * 10.0 / 2.0, 1e-6);
    rig_close(&r);
}

/// An impact from 1e150 m/s within 1e-160 s: velocity and place are finite behind it, the change of
/// velocity over the step is not. The step is refused.
CLAIM(a_step_ends_with_finite_accelerations)
{
    rig r = rig_parse(
        "{\"dimension\":2,\"gravity\":[0,0],\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,"
        "\"velocity\":[-1e150,0]}],\"joints\":[{\"name\":\"S\",\"type\":\"prismatic\",\"bodies\":["
        "\"ground\",\"a\"],\"at\":[0,0],\"axis\":[1,0],\"limits\":[0,1]}]}");
    trm_error err = {.status = TRM_OK};
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_MOREAU, TRM_STABILIZATION_S_BOTH2, 1e-160));
    assert_int_equal(trm_sim_step(r.sim, &err), TRM_ERR_DIVERGED);
    assert_non_null(strstr(err.message, "the state is not finite after the step"));
    assert_true(trm_sim_state(r.sim).t == 0.0);
    rig_close(&r);
}
