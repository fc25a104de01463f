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
static rig parallelogram(double force)
{
    char text[2000];
    snprintf(text, sizeof text,
             "{\"dimension\":2,\"bodies\":["
             "{\"name\":\"l\",\"ends\":[[0,0],[0,1]],\"mass\":3},"
             "{\"name\":\"r\",\"ends\":[[2,0],[2,1]],\"mass\":3},"
             "{\"name\":\"c\",\"ends\":[[0,1],[2,1]],\"mass\":2}],"
             "\"markers\":[{\"name\":\"p\",\"body\":\"c\",\"at\":[1,1]}],\"joints\":["
             "{\"name\":\"A\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"l\"],\"at\":[0,0],"
             "\"friction\":1},"
             "{\"name\":\"B\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"r\"],\"at\":[2,0],"
             "\"friction\":2},"
             "{\"name\":\"C\",\"type\":\"revolute\",\"bodies\":[\"l\",\"c\"],\"at\":[0,1],"
             "\"friction\":3},"
             "{\"name\":\"D\",\"type\":\"revolute\",\"bodies\":[\"r\",\"c\"],\"at\":[2,1],"
             "\"friction\":4}],\"forces\":[{\"name\":\"f\",\"type\":\"force\",\"marker\":\"p\","
             "\"value\":[%g,0]}]}",
             force);
    return begin(text);
}

/// They share a force that they hold; a force that they do not hold accelerates the turning parts,
/// of inertia 2 (1/3) 3 + 2 = 4 kg m^2.
CLAIM(test_friction_of_four_hinges)
{
    rig r = parallelogram(9.99);
    rig_run(&r, 100);
    near("it sticks", rig_v(&r, "l", 2), 0, 1e-15);
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        assert_true(fabs(rig_contact(&r, i).force) <= i + 1 + 1e-9);
        sum += fabs(rig_contact(&r, i).force);
    }
    near("what they hold", sum, 9.99, 1e-9);
    rig_close(&r);
    r = parallelogram(10.01);
    rig_run(&r, 0.01);
    near("it turns", rig_v(&r, "l", 2), -0.01 / 4 * 0.01, 1e-9);
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
