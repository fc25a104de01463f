/// Friction of several rows at once, redundant ones among them, against closed forms:
/// docs/explanation/contact.md.
#include "tests/rig.h"
#include "trammel/trammel_contact.h"

#define G 9.81

static rig begin(const char *text)
{
    trm_options options = trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2);
    options.rtol = options.atol = 1e-12;
    rig r = rig_parse(text);
    rig_start(&r, options);
    return r;
}

/// A parallelogram of two cranks of 1 m, upright, and a coupler that a force F pulls along x. All
/// four hinges turn at the same rate: their friction, in bounds 1, 2, 3 and 4 N m, holds F = 10 N.
/// Once they turn they take the part `sliding` of that.
static rig parallelogram(const char *force, double sliding)
{
    static const char *const bodies[] = {"\"ground\",\"l\"", "\"ground\",\"r\"", "\"l\",\"c\"",
                                         "\"r\",\"c\""};
    char text[2000], joints[1000] = "";
    for (int i = 0; i < 4; i++) {
        const size_t used = strlen(joints);
        snprintf(joints + used, sizeof joints - used,
                 "%s{\"name\":\"%c\",\"type\":\"revolute\",\"bodies\":[%s],\"at\":[%d,%d],"
                 "\"friction\":{\"sliding\":%g,\"sticking\":%d}}",
                 i ? "," : "", 'A' + i, bodies[i], 2 * (i % 2), i / 2, sliding * (i + 1), i + 1);
    }
    snprintf(text, sizeof text,
             "{\"dimension\":2,\"bodies\":["
             "{\"name\":\"l\",\"ends\":[[0,0],[0,1]],\"mass\":3},"
             "{\"name\":\"r\",\"ends\":[[2,0],[2,1]],\"mass\":3},"
             "{\"name\":\"c\",\"ends\":[[0,1],[2,1]],\"mass\":2}],"
             "\"markers\":[{\"name\":\"p\",\"body\":\"c\",\"at\":[1,1]}],\"joints\":[%s],"
             "\"forces\":[{\"name\":\"f\",\"type\":\"force\",\"marker\":\"p\","
             "\"value\":[\"%s\",0]}]}",
             joints, force);
    return begin(text);
}

/// They share a force that they hold, and one that grows: each holds its bound as long as the
/// others keep it. A force that they do not hold accelerates the turning parts, of inertia
/// 2 (1/3) 3 + 2 = 4 kg m^2.
CLAIM(test_friction_of_four_hinges)
{
    for (int i = 0; i < 4; i++) {
        const double sliding = i < 2 ? 1 : 0.5;
        rig r = parallelogram(i % 2 ? "min(t, 9.99)" : "9.99", sliding);
        rig_run(&r, 100);
        near("it sticks", rig_v(&r, "l", 2), 0, 1e-15);
        double sum = 0;
        for (int k = 0; k < 4; k++) {
            assert_true(fabs(rig_contact(&r, k).force) <= k + 1 + 1e-9);
            sum += fabs(rig_contact(&r, k).force);
        }
        near("what they hold", sum, 9.99, 1e-9);
        below("work of what does not move", trm_sim_forces(r.sim).work, 1e-12);
        rig_close(&r);
        r = parallelogram(i % 2 ? "t < 10 ? t : 10.01" : "10.01", sliding);
        rig_run(&r, i % 2 ? 10.01 : 0.01);
        near("it turns", rig_v(&r, "l", 2), -(10.01 - 10 * sliding) / 4 * 0.01, 1e-9);
        rig_close(&r);
    }
}

/// They come to a halt together, under a force between what they slide with and what they hold.
CLAIM(four_hinges_halt_together)
{
    rig r = parallelogram("t < 0.01 ? 20 : -8", 0.5);
    rig_run(&r, 1);
    near("it sticks", rig_v(&r, "l", 2), 0, 1e-15);
    const double rate = (20 - 5) / 4.0 * 0.01, slows = (8 + 5) / 4.0;
    near("angle", rig_q(&r, "l", 2), pi / 2 - rate * (0.01 + rate / slows) / 2, 1e-9);
    rig_close(&r);
}

/// A brake that is open at first, bound 0, and friction of 0.3 N m behind a gear of 2, both in one
/// freedom, of inertia 2 + 2^2 0.5 = 4 kg m^2. It closes while they move, at 0.01 rad/s: they halt,
/// and slide again under 2 t > 1.6 N m.
CLAIM(a_brake_that_is_open_at_first)
{
    rig r =
        begin("{\"dimension\":2,\"bodies\":[{\"name\":\"b\",\"mass\":1,\"inertia\":2},"
              "{\"name\":\"c\",\"mass\":1,\"inertia\":0.5,\"position\":[1,0]}],\"joints\":["
              "{\"name\":\"B\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"b\"],\"at\":[0,0],"
              "\"friction\":{\"bound\":\"t < 0.5 ? 0 : 1\"}},"
              "{\"name\":\"C\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"c\"],\"at\":[1,0],"
              "\"friction\":0.3}],\"constraints\":[{\"name\":\"g\",\"type\":\"gear\","
              "\"joints\":[\"B\",\"C\"],\"ratio\":2}],\"forces\":[{\"name\":\"f\","
              "\"type\":\"joint_force\",\"joint\":\"B\",\"value\":\"2*t\"}]}");
    rig_run(&r, 1);
    near("rate", rig_v(&r, "b", 2), (1 - 0.8) * (1 - 0.8) / 4, 1e-9);
    near("the brake", rig_contact(&r, 0).force, -1, 1e-12);
    rig_close(&r);
}

/// A box of 2 m x 1 m on a floor of 20 degrees, its lower corner with friction 0.2, the upper one
/// with `mu`. N1 + N2 = m g cos, (N_low - N_up) 1 = F 0.5, F = m g sin: N_up/(m g) = (cos - 0.5
/// sin)/2, N_low likewise.
static rig box(double mu)
{
    char text[2000];
    const double a = 20 * pi / 180;
    const double c = cos(a), s = sin(a);
    snprintf(text, sizeof text,
             "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"a\",\"mass\":3,"
             "\"inertia\":1.25,\"position\":[%.17g,%.17g],\"angle\":%.17g}],\"markers\":["
             "{\"name\":\"o\",\"body\":\"ground\",\"at\":[0,0]},"
             "{\"name\":\"u\",\"body\":\"a\",\"at\":[%.17g,%.17g]},"
             "{\"name\":\"d\",\"body\":\"a\",\"at\":[%.17g,%.17g]}],\"stops\":["
             "{\"name\":\"U\",\"marker\":\"u\",\"on\":\"o\",\"normal\":[%.17g,%.17g],"
             "\"friction\":%.17g},"
             "{\"name\":\"D\",\"marker\":\"d\",\"on\":\"o\",\"normal\":[%.17g,%.17g],"
             "\"friction\":0.2}]}",
             -0.5 * s, 0.5 * c, a, c, s, -c, -s, -s, c, mu, -s, c);
    return begin(text);
}

CLAIM(test_a_box_of_two_corners)
{
    const double a = 20 * pi / 180, c = cos(a), s = sin(a);
    const double up = (c - 0.5 * s) / 2, low = (c + 0.5 * s) / 2;
    const double edge = (s - 0.2 * low) / up; // 0.619
    rig r = box(edge * 1.001);
    rig_run(&r, 1e4);
    near("it rests", rig_v(&r, "a", 0), 0, 1e-15);
    near("no creep", rig_q(&r, "a", 0), -0.5 * s, 1e-13);
    near("its weight", rig_contact(&r, 0).force + rig_contact(&r, 2).force, 3 * G * c, 1e-9);
    near("friction", fabs(rig_contact(&r, 1).force + rig_contact(&r, 3).force), 3 * G * s, 1e-9);
    rig_close(&r);
    // sliding, F = mu N_up + 0.2 N_low, (N_low - N_up) = F/2, N_up + N_low = c
    const double mu = edge * 0.99;
    r = box(mu);
    const double x = c * (1 - 0.1) / (2 + 0.5 * mu - 0.1), F = mu * x + 0.2 * (c - x);
    rig_run(&r, 1);
    near("it slides", hypot(rig_v(&r, "a", 0), rig_v(&r, "a", 1)), G * (s - F), 1e-9);
    rig_close(&r);
}

/// A regularized law: a load W below the bound b, which friction would hold, creeps with u/sqrt(1 +
/// u^2) = W/b.
CLAIM(test_regularized_friction_creeps)
{
    rig r = begin("{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"a\",\"mass\":1,"
                  "\"inertia\":1}],\"joints\":[{\"name\":\"S\",\"type\":\"prismatic\",\"bodies\":"
                  "[\"ground\",\"a\"],\"at\":[0,0],\"axis\":[0,1],\"friction\":{\"sliding\":12,"
                  "\"regularized\":0.001}}]}");
    const double part = G / 12;
    rig_run(&r, 1);
    near("it creeps", rig_contact(&r, 0).rate, -0.001 * part / sqrt(1 - part * part), 1e-12);
    near("its force", rig_contact(&r, 0).force, G, 1e-9);
    assert_int_equal(rig_contact(&r, 0).mode, TRM_CONTACT_MODE_REGULARIZED);
    rig_close(&r);
}
