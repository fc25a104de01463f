/// Several stops with friction on one body in space, by events, against closed forms:
/// docs/explanation/contact.md.
#include "engine/contact/contact_numbers.h"
#include "tests/rig.h"
#include "trammel/trammel_contact.h"

#include <stdlib.h>

#define G 9.81
#define MASS 3.0
#define INERTIA 1.5 // about z
#define HEIGHT 0.3  // of the centre of mass above the feet

/// A plate: its feet, and what it begins with.
typedef struct plate {
    int feet;
    double radius, mu, restitution;
    double tilt, towards;     // rad: of the plane, and along what direction it falls
    double v[3], turn;        // m/s; rad/s about z
    const char *force, *pull; // formulas of the torque about z and of the force along x
} plate;

static void foot(const plate *p, int i, double at[2])
{
    at[0] = p->radius * cos(2 * pi * i / p->feet);
    at[1] = p->radius * sin(2 * pi * i / p->feet);
}

static void write(char *text, size_t size, const plate *p)
{
    const double s = G * sin(p->tilt), c = G * cos(p->tilt);
    int n = snprintf(text, size,
                     "{\"dimension\":3,\"gravity\":[%.17g,%.17g,%.17g],\"bodies\":[{\"name\":\"a\","
                     "\"mass\":%g,\"inertia\":[1,1,%g],\"position\":[0,0,%g],\"velocity\":[%.17g,"
                     "%.17g,%.17g],\"rate\":[0,0,%.17g]}],\"forces\":[{\"name\":\"T\",\"type\":"
                     "\"torque\",\"body\":\"a\",\"value\":[0,0,\"%s\"]},{\"name\":\"F\",\"type\":"
                     "\"force\",\"marker\":\"m\",\"value\":[\"%s\",0,0]}],\"markers\":[{\"name\":"
                     "\"o\",\"body\":\"ground\",\"at\":[0,0,0]},{\"name\":\"m\",\"body\":\"a\","
                     "\"at\":[0,0,%g]}",
                     s * cos(p->towards), s * sin(p->towards), -c, MASS, INERTIA, HEIGHT, p->v[0],
                     p->v[1], p->v[2], p->turn, p->force ? p->force : "0", p->pull ? p->pull : "0",
                     HEIGHT);
    for (int i = 0; i < p->feet; i++) {
        double at[2];
        foot(p, i, at);
        n += snprintf(text + n, size - (size_t)n,
                      ",{\"name\":\"p%d\",\"body\":\"a\",\"at\":[%.17g,%.17g,0]}", i, at[0], at[1]);
    }
    for (int i = 0; i < p->feet; i++) {
        n += snprintf(text + n, size - (size_t)n,
                      "%s{\"name\":\"f%d\",\"marker\":\"p%d\",\"on\":\"o\",\"normal\":[0,0,1],"
                      "\"friction\":%.17g,\"restitution\":%g}",
                      i ? "," : "],\"stops\":[", i, i, p->mu, p->restitution);
    }
    snprintf(text + n, size - (size_t)n, "]}");
}

/// tolerance 0: rk4 with steps of 1 ms.
static rig begin(const plate *p, double tolerance)
{
    char text[4000];
    write(text, sizeof text, p);
    rig r = rig_parse(text);
    rig_start(&r, tolerance > 0 ? rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2,
                                               tolerance, tolerance)
                                : rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-3));
    return r;
}

static double turned(const rig *r)
{
    return 2 * atan2(rig_q(r, "a", 6), rig_q(r, "a", 3));
}

/// It goes straight with mu g against it, whatever its height, and stands after v/(mu g). Its feet
/// then hold still, and share its weight.
CLAIM(test_it_slides_and_halts)
{
    for (int feet = 3; feet <= 4; feet++) {
        for (int fixed = 0; fixed < 2; fixed++) {
            const plate p = {.feet = feet, .radius = 1, .mu = 0.3, .v = {1, 2, 0}};
            const double v = sqrt(5), t = v / (p.mu * G), way = v * t / 2;
            rig r = begin(&p, fixed ? 0 : 1e-11);
            rig_run(&r, t * (1 - 1e-6));
            assert_int_equal(rig_contact(&r, 1).mode, TRM_CONTACT_SLIDES);
            rig_run(&r, t * (1 + 1e-9));
            double weight = 0;
            for (int i = 0; i < feet; i++) {
                assert_int_equal(rig_contact(&r, 3 * i + 1).mode, TRM_CONTACT_MODE_STICKS);
                assert_int_equal(rig_contact(&r, 3 * i + 2).mode, TRM_CONTACT_MODE_STICKS);
                weight += rig_contact(&r, 3 * i).force;
            }
            rig_run(&r, t + 0.1);
            near("x", rig_q(&r, "a", 0), way / v, 1e-11);
            near("y", rig_q(&r, "a", 1), 2 * way / v, 1e-11);
            near("it stands", hypot(rig_v(&r, "a", 0), rig_v(&r, "a", 1)), 0, 1e-15);
            near("weight", weight, MASS * G, 1e-9);
            near("energy", rig_energy_error(&r), 0, 1e-11);
            rig_close(&r);
        }
    }
}

/// Turning about its centre it is held back by mu m g r of all feet together.
CLAIM(test_it_turns_and_halts)
{
    for (int feet = 3; feet <= 4; feet++) {
        const plate p = {.feet = feet, .radius = 0.8, .mu = 0.25, .turn = 3};
        const double slower = p.mu * MASS * G * p.radius / INERTIA, t = p.turn / slower;
        rig r = begin(&p, 1e-11);
        rig_run(&r, 0.5 * t);
        near("rate", rig_v(&r, "a", 5), 0.5 * p.turn, 1e-10);
        rig_run(&r, t * (1 - 1e-6));
        assert_int_equal(rig_contact(&r, 1).mode, TRM_CONTACT_SLIDES);
        rig_run(&r, t + 1);
        near("angle", turned(&r), 0.5 * p.turn * t, 1e-10);
        near("it stands", rig_v(&r, "a", 5), 0, 1e-15);
        assert_int_equal(rig_contact(&r, 1).mode, TRM_CONTACT_MODE_STICKS);
        rig_close(&r);
    }
}

/// On an incline it sticks up to tan(tilt) = mu although its lower feet carry more, and does not
/// creep; above it goes with g (sin - mu cos).
CLAIM(test_an_incline)
{
    for (int feet = 3; feet <= 4; feet++) {
        plate p = {.feet = feet, .radius = 1, .mu = 0.3, .towards = 0.7};
        p.tilt = atan(0.9999 * p.mu);
        rig r = begin(&p, 1e-9);
        rig_run(&r, 1e3);
        near("no creep", hypot(rig_q(&r, "a", 0), rig_q(&r, "a", 1)), 0, 1e-14);
        double x = 0, y = 0;
        for (int i = 0; i < feet; i++) {
            const double one = rig_contact(&r, 3 * i + 1).force;
            const double two = rig_contact(&r, 3 * i + 2).force;
            const double N = rig_contact(&r, 3 * i).force;
            assert_true(hypot(one, two) <= p.mu * N * (1 + 1e-9));
            x += one;
            y += two;
        }
        near("what it needs", hypot(x, y), MASS * G * sin(p.tilt), 1e-9);
        rig_close(&r);
        p.tilt = atan(1.05 * p.mu);
        r = begin(&p, 1e-9);
        rig_run(&r, 2);
        const double way = 0.5 * G * (sin(p.tilt) - p.mu * cos(p.tilt)) * 4;
        near("x", rig_q(&r, "a", 0), way * cos(p.towards), 1e-8);
        near("y", rig_q(&r, "a", 1), way * sin(p.towards), 1e-8);
        rig_close(&r);
    }
}

/// A torque that grows by 1 N m/s turns it from mu m g r on, and a force from mu m g on: then
/// (t - t0)^3/6 over inertia or mass.
CLAIM(test_a_growing_load)
{
    rig_figures();
    const plate turns = {.feet = 3, .radius = 0.5, .mu = 0.2, .force = "t"};
    const double t0 = turns.mu * MASS * G * turns.radius;
    rig r = begin(&turns, 1e-7);
    rig_run(&r, t0 * (1 - 1e-5));
    near("it sticks", rig_v(&r, "a", 5), 0, 1e-15);
    rig_run(&r, t0 + 0.5);
    near("it turns", turned(&r), 0.125 / 6 / INERTIA, 1e-6);
    rig_close(&r);
    for (int feet = EVERY > 1 ? 4 : 3; feet <= 4; feet++) {
        const plate goes = {.feet = feet, .radius = 1, .mu = 0.1, .pull = "t"};
        const double t1 = goes.mu * MASS * G;
        r = begin(&goes, 1e-7);
        rig_run(&r, t1 * (1 - 1e-5));
        near("it sticks", rig_v(&r, "a", 0), 0, 1e-15);
        rig_run(&r, t1 + 0.5);
        near("it goes", rig_q(&r, "a", 0), 0.125 / 6 / MASS, 1e-6);
        rig_close(&r);
    }
}

/// A box that spins to rest on its corners: what slows it presses on them, and its load crosses a
/// diagonal while the fourth bears nothing. It goes over to that one without an impact.
CLAIM(test_a_load_that_crosses_the_diagonal)
{
    rig r = rig_parse(
        "{\"dimension\":3,\"gravity\":[0,0,-9.81],\"bodies\":[{\"name\":\"a\",\"mass\":1,"
        "\"shape\":{\"type\":\"box\",\"size\":[0.258,0.297,0.345]},\"position\":[0,0,"
        "0.1725],\"velocity\":[0.11,0.83,0],\"rate\":[0,0,-1.43]}],\"markers\":[{\"name\":"
        "\"o\",\"body\":\"ground\",\"at\":[0,0,0]}],\"contacts\":[{\"name\":\"f\",\"bodies\":"
        "[\"a\",\"ground\"],\"friction\":0.74,\"shapes\":[{\"type\":\"box\",\"size\":[0.258,"
        "0.297,0.345]},{\"type\":\"plane\",\"at\":\"o\",\"normal\":[0,0,1]}]}]}");
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-11, 1e-11));
    rig_run(&r, 0.3);
    near("energy", trm_sim_report(r.sim).energy_error, 0, 1e-12);
    assert_int_equal(trm_sim_impacts(r.sim).projected.steps, 0);
    near("height", rig_q(&r, "a", 2), 0.1725, 1e-14);
    rig_close(&r);
}

/// It lands with all feet at once: mu (1 + e) u is taken from the rate along the plane, in each
/// impact; the same bits from a saved state in contact.
CLAIM(test_it_lands)
{
    const double u = 0.7, e = 0.5;
    const plate p = {.feet = 4, .radius = 1, .mu = 0.2, .restitution = e, .v = {3, 4, -u}};
    const double v = 5 - p.mu * (1 + e) * u;
    rig r = begin(&p, 1e-11);
    near("x", rig_v(&r, "a", 0), 0.6 * v, 1e-12);
    near("y", rig_v(&r, "a", 1), 0.8 * v, 1e-12);
    near("z", rig_v(&r, "a", 2), e * u, 1e-12);
    near("lost", trm_sim_impacts(r.sim).energy_lost,
         0.5 * MASS * (25 - v * v + u * u * (1 - e * e)), 1e-11);
    // it bounces 2 e u/(g (1 - e)) long, each impact taking mu (1 + e) u e^k: then it slides on
    const double end = 2 * e * u / (G * (1 - e));
    const double then = 5 - p.mu * (1 + e) * u / (1 - e);
    rig_run(&r, end + 0.1);
    // bouncing ends below 64 roundings of the height, sqrt(2 g 64 eps 1 m) = 5e-7 m/s
    near("it slides", hypot(rig_v(&r, "a", 0), rig_v(&r, "a", 1)), then - p.mu * G * 0.1, 1e-6);
    char *bytes = rig_save(&r);
    rig_run(&r, 4);
    const double y = rig_q(&r, "a", 1);
    rig_restore(&r, bytes);
    rig_run(&r, 4);
    assert_true(y == rig_q(&r, "a", 1));
    near("it stands", hypot(rig_v(&r, "a", 0), rig_v(&r, "a", 1)), 0, 1e-15);
    free(bytes);
    rig_close(&r);
}

/// A plate on feet of different friction under a load that grows and turns: at each of its steps
/// the forces are those of Coulomb's law, and what slides is pushed against its way.
static const char uneven[] =
    "{\"dimension\":3,\"gravity\":[3.1,-1.1,-9.24],\"bodies\":[{\"name\":\"a\",\"mass\":3,"
    "\"inertia\":[1,1,1.5],\"position\":[0,0,0.3]}],\"markers\":[{\"name\":\"o\",\"body\":"
    "\"ground\",\"at\":[0,0,0]},{\"name\":\"m\",\"body\":\"a\",\"at\":[0,0,0.3]},"
    "{\"name\":\"p0\",\"body\":\"a\",\"at\":[0.82,0.59,0]},"
    "{\"name\":\"p1\",\"body\":\"a\",\"at\":[0.28,-0.17,0]},"
    "{\"name\":\"p2\",\"body\":\"a\",\"at\":[0.78,0.056,0]},"
    "{\"name\":\"p3\",\"body\":\"a\",\"at\":[-0.77,0.24,0]}],\"stops\":["
    "{\"name\":\"f0\",\"marker\":\"p0\",\"on\":\"o\",\"normal\":[0,0,1],\"friction\":0.26},"
    "{\"name\":\"f1\",\"marker\":\"p1\",\"on\":\"o\",\"normal\":[0,0,1],\"friction\":0.35},"
    "{\"name\":\"f2\",\"marker\":\"p2\",\"on\":\"o\",\"normal\":[0,0,1],\"friction\":0.18},"
    "{\"name\":\"f3\",\"marker\":\"p3\",\"on\":\"o\",\"normal\":[0,0,1],\"friction\":0.5}],"
    "\"forces\":[{\"name\":\"T\",\"type\":\"torque\",\"body\":\"a\",\"value\":[0,0,"
    "\"2.28*sin(8.08*t)\"]},{\"name\":\"F\",\"type\":\"force\",\"marker\":\"m\",\"value\":["
    "\"11.4*sin(4.34*t)\",\"9.28*t\",\"17.9*sin(7.11*t)\"]}]}";

/// Three feet, which bear what statics gives; the load grows by 4/s from half of what releases them
/// on, beside their centre, so that some slide while others are held.
static const char growing[] =
    "{\"dimension\":3,\"gravity\":[0,0,-9.81],\"bodies\":[{\"name\":\"a\",\"mass\":3,"
    "\"inertia\":[1,1,1.5],\"position\":[0,0,0.3]}],\"markers\":[{\"name\":\"o\",\"body\":"
    "\"ground\",\"at\":[0,0,0]},{\"name\":\"q\",\"body\":\"a\",\"at\":[0.591,0.851,0.3]},"
    "{\"name\":\"p0\",\"body\":\"a\",\"at\":[1.043,0.104,0]},"
    "{\"name\":\"p1\",\"body\":\"a\",\"at\":[-0.353,0.511,0]},"
    "{\"name\":\"p2\",\"body\":\"a\",\"at\":[-0.199,-0.839,0]}],\"stops\":["
    "{\"name\":\"f0\",\"marker\":\"p0\",\"on\":\"o\",\"normal\":[0,0,1],\"friction\":0.495},"
    "{\"name\":\"f1\",\"marker\":\"p1\",\"on\":\"o\",\"normal\":[0,0,1],\"friction\":0.591},"
    "{\"name\":\"f2\",\"marker\":\"p2\",\"on\":\"o\",\"normal\":[0,0,1],\"friction\":0.328}],"
    "\"forces\":[{\"name\":\"F\",\"type\":\"force\",\"marker\":\"q\",\"value\":["
    "\"9.884*(0.5+4*t)\",\"-1.72*(0.5+4*t)\",\"5*sin(9*t)\"]}]}";

typedef struct feet {
    int n;
    double mu[4], at[4][3]; // m, in the body
    rig r;
} feet;

static const feet four = {
    .n = 4,
    .mu = {0.26, 0.35, 0.18, 0.5},
    .at = {{0.82, 0.59, -0.3}, {0.28, -0.17, -0.3}, {0.78, 0.056, -0.3}, {-0.77, 0.24, -0.3}}};
static const feet three = {
    .n = 3,
    .mu = {0.495, 0.591, 0.328},
    .at = {{1.043, 0.104, -0.3}, {-0.353, 0.511, -0.3}, {-0.199, -0.839, -0.3}}};

/// N, of all feet: mu N
static double borne(const feet *f)
{
    double sum = 0;
    for (int i = 0; i < f->n; i++) {
        sum += f->mu[i] * rig_contact(&f->r, 3 * i).force;
    }
    return sum;
}

static void check_foot(const feet *f, int i)
{
    const rig *r = &f->r;
    const trm_contact_state normal = rig_contact(r, 3 * i);
    const trm_contact_state one = rig_contact(r, 3 * i + 1), two = rig_contact(r, 3 * i + 2);
    const trm_state s = trm_sim_state(r->sim);
    const double most = f->mu[i] * normal.force, held = hypot(one.force, two.force);
    double x[3], u[3];
    trm_model_point(r->model, 0, f->at[i], s.q, s.v, x, u);
    const double rate = hypot(u[0], u[1]);
    assert_true(normal.force >= 0);
    assert_true(held <= most + 2 * TRM_CONTACT_SHARE * borne(f)); // known to so much, of two shares
    if (rate > 1e-6) { // what sticks creeps by roundoff alone
        near("it slides at its bound", held, most, 1e-6);
    }
    // below sum of |G| (atol + rtol |v|), here at most two rows of 1 + 1.1 + 0.3 times 2e-6, a rate
    // has no direction: docs/explanation/contact.md
    if (rate > 1e-5) {
        near("against its way", one.force * one.rate + two.force * two.rate, -held * rate,
             1e-6 * held * rate);
    }
}

static int check_feet(trm_sim *sim, void *user)
{
    feet f = *(const feet *)user;
    f.r.sim = sim;
    for (int i = 0; i < f.n; i++) {
        check_foot(&f, i);
    }
    return 0;
}

static void obeys_coulomb(const char *scene, feet f, double end, trm_options options)
{
    f.r = rig_parse(scene);
    rig_start(&f.r, options);
    rig_observe(&f.r, end, check_feet, &f);
    near("energy", rig_energy_error(&f.r), 0, 1e-5);
    rig_close(&f.r);
}

CLAIM(test_uneven_feet_obey_coulomb)
{
    rig_figures();
    obeys_coulomb(uneven, four, 0.1,
                  rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_S_BOTH2, 1e-6, 1e-6));
    obeys_coulomb(growing, three, 0.3,
                  rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PLAIN, 1e-8, 1e-8));
}
