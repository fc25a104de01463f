/// The projected form of sequential regularization against closed forms:
/// docs/explanation/contact.md.
#include "tests/rig.h"
#include "trammel/trammel_contact.h"

#define G 9.81

static const char ball[] =
    "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,"
    "\"position\":[0,1]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]},{\"name\":"
    "\"o\",\"body\":\"ground\",\"at\":[0,0]}],\"stops\":[{\"name\":\"floor\",\"marker\":\"p\","
    "\"on\":\"o\",\"normal\":[0,1],\"restitution\":%g}]}";

static rig begin(const char *text, double h)
{
    rig r = rig_parse(text);
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_MOREAU, TRM_STABILIZATION_S_BOTH2, h));
    return r;
}

static trm_contact_state contact_of(const rig *r, int i)
{
    trm_contact_state state;
    assert_int_equal(trm_sim_contact(r->sim, i, &state), 1);
    return state;
}

/// With e = 1 the energy is kept to roundoff, whatever the step: the scheme is symmetric about an
/// impact. With e = 0.5 all is lost, and the rest begins at T (1 + e)/(1 - e), a step for each
/// flight that is resolved off.
CLAIM(test_a_ball)
{
    char text[600];
    snprintf(text, sizeof text, ball, 1.0);
    rig r = begin(text, 0.01);
    rig_run(&r, 100);
    const double y = rig_q(&r, "a", 1), v = rig_v(&r, "a", 1);
    near("energy", G * y + v * v / 2, G, 1e-10);
    near("lost", trm_sim_impacts(r.sim).energy_lost, 0, 1e-12);
    rig_close(&r);
    snprintf(text, sizeof text, ball, 0.5);
    r = begin(text, 1e-3);
    const double rest = 3 * sqrt(2 / G);
    rig_run(&r, 2);
    near("when it rests", trm_sim_impacts(r.sim).last, rest, 0.02);
    assert_int_equal(contact_of(&r, 0).mode, TRM_CONTACT_MODE_LOW);
    near("its weight", contact_of(&r, 0).force, G, 1e-10);
    near("energy lost", trm_sim_impacts(r.sim).energy_lost, G, 1e-3);
    below("energy balance", trm_sim_report(r.sim).energy_error, 1e-11);
    rig_close(&r);
}

/// A block that slides to a halt on a rough floor, v/(mu g), and a wheel on a rough pin, I w/(mu r
/// m g), whose load is the joint's own reaction: to a step.
CLAIM(test_friction)
{
    const double h = 1e-3;
    rig r = begin("{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"a\",\"shape\":"
                  "{\"type\":\"point\"},\"mass\":2,\"position\":[0,0],\"velocity\":[2,0]}],"
                  "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]},{\"name\":\"o\","
                  "\"body\":\"ground\",\"at\":[0,0]}],\"stops\":[{\"name\":\"floor\",\"marker\":"
                  "\"p\",\"on\":\"o\",\"normal\":[0,1],\"friction\":0.3}]}",
                  h);
    const double stop = 2 / (0.3 * G);
    rig_run(&r, stop / 2);
    near("half of it", rig_v(&r, "a", 0), 1, 1e-9);
    near("friction", contact_of(&r, 1).force, -0.6 * G, 1e-9);
    rig_run(&r, 3);
    near("where it stands", rig_q(&r, "a", 0), stop, 0.3 * G * h * h);
    assert_int_equal(contact_of(&r, 1).mode, TRM_CONTACT_MODE_STICKS);
    rig_close(&r);
    r = begin("{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"a\",\"mass\":2,"
              "\"inertia\":3,\"position\":[0,0],\"rate\":5}],\"joints\":[{\"name\":\"O\",\"type\":"
              "\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],\"friction\":"
              "{\"coefficient\":0.2,\"radius\":0.1}}]}",
              h);
    const double torque = 0.2 * 0.1 * 2 * G, t = 3 * 5 / torque;
    rig_run(&r, t / 2);
    near("half of the rate", contact_of(&r, 0).rate, 2.5, 1e-8);
    rig_run(&r, t + 1);
    near("angle", contact_of(&r, 0).x, 5 * t / 2, torque / 3 * h * h);
    rig_close(&r);
}

/// What it is not for is refused; a saved state goes on with the same bits.
CLAIM(test_refusals_and_restarts)
{
    trm_error err = {.status = TRM_OK};
    rig r = rig_load("pendulum", NULL);
    const trm_options options = rig_fixed(TRM_INTEGRATOR_MOREAU, TRM_STABILIZATION_S_BOTH2, 1e-2);
    assert_int_equal(trm_sim_create(r.model, &options, &r.sim, &err), TRM_ERR_OPTIONS);
    assert_non_null(strstr(err.message, "there are none"));
    rig_close(&r);
    char text[600];
    snprintf(text, sizeof text, ball, 0.7);
    r = begin(text, 1e-3);
    rig_run(&r, 1.3);
    char *bytes = rig_save(&r);
    rig_run(&r, 3);
    const double y = rig_q(&r, "a", 1), lost = trm_sim_impacts(r.sim).energy_lost;
    rig_restore(&r, bytes);
    rig_run(&r, 3);
    assert_true(y == rig_q(&r, "a", 1) && lost == trm_sim_impacts(r.sim).energy_lost);
    free(bytes);
    rig_close(&r);
}

/// n bodies on each other, the lowest of mass r, the others 1 kg: a step of h from rest. Beside
/// them a pendulum, if any, whose pin has friction: such rows are found by sweeps alone.
static trm_status pile(int n, double r, int pendulum, double h, double *tolerance, trm_error *err)
{
    static const char joint[] =
        "\"joints\":[{\"name\":\"J\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],"
        "\"at\":[9,0],\"friction\":{\"coefficient\":0.1,\"radius\":0.01}}],";
    char *const text = malloc(300 * (size_t)n + 900);
    size_t used = (size_t)sprintf(text, "{\"dimension\":2,\"gravity\":[0,-9.81],%s\"bodies\":[%s",
                                  pendulum ? joint : "",
                                  pendulum ? "{\"name\":\"a\",\"mass\":1,\"inertia\":1,"
                                             "\"position\":[8,0]},"
                                           : "");
    for (int i = 0; i < n; i++) {
        used += (size_t)sprintf(text + used,
                                "%s{\"name\":\"b%d\",\"mass\":%.17g,\"inertia\":1,\"position\":"
                                "[0,%d]}",
                                i ? "," : "", i, i ? 1 : r, i + 1);
    }
    used += (size_t)sprintf(text + used, "],\"markers\":[");
    for (int i = 0; i < n; i++) {
        used += (size_t)sprintf(text + used, "%s{\"name\":\"p%d\",\"body\":\"b%d\",\"on\":[0,0]}",
                                i ? "," : "", i, i);
    }
    used += (size_t)sprintf(text + used, "],\"stops\":[{\"name\":\"s0\",\"gap\":\"p0.y - 1\"}");
    for (int i = 1; i < n; i++) {
        used += (size_t)sprintf(text + used, ",{\"name\":\"s%d\",\"gap\":\"p%d.y - p%d.y - 1\"}", i,
                                i, i - 1);
    }
    sprintf(text + used, "]}");
    rig pile = begin(text, h);
    *tolerance = 1e-8 * sqrt(G * hypot(9, n)); // options.tolerance, of a fall through all of it
    const trm_status status = trm_sim_run(pile.sim, h, NULL, NULL, err);
    if (status == TRM_OK && !pendulum) {
        near("weight", contact_of(&pile, 0).force, (n - 1 + r) * G, 0.01 * n * G);
    }
    rig_close(&pile);
    free(text);
    return status;
}

/// Sweeps until the rate h g has come to that tolerance: ln(h g/tolerance)/ln(1 + r) for masses r :
/// 1, ln(h g/tolerance)/-ln(cos^2(pi/(2 n))) for n equal ones; 20000 are made, pivots find the
/// rest.
CLAIM(test_sweeps_end)
{
    const double h = 1e-3;
    double tolerance;
    trm_error err = {.status = TRM_OK};
    rig_ok(pile(2, 1, 1, h, &tolerance, &err), &err);
    const double powers = log(h * G / tolerance), edge = powers / 20000;
    const int many = (int)(1.3 * pi / 2 / sqrt(edge));
    rig_ok(pile(2, 1.1 * edge, 1, h, &tolerance, &err), &err);
    rig_ok(pile((int)(0.8 * pi / 2 / sqrt(edge)), 1, 1, h, &tolerance, &err), &err);
    assert_int_equal(pile(2, 0.9 * edge, 1, h, &tolerance, &err), TRM_ERR_DIVERGED);
    assert_non_null(strstr(err.message, "iteration for the impulses of its contacts does not"));
    assert_int_equal(pile(many, 1, 1, h, &tolerance, &err), TRM_ERR_DIVERGED);
    rig_ok(pile(2, 0.9 * edge, 0, h, &tolerance, &err), &err);
    rig_ok(pile(many, 1, 0, h, &tolerance, &err), &err);
}
