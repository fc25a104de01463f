/// A rotor and a pendulum under torques that are inputs.
#pragma once

#include "tests/rig.h"

/// A disc of 2 kg m^2 that turns about its centre under a torque; exact: angle'' = u/2.
static const char rotor[] =
    "{\"dimension\":2,\"parameters\":{\"u\":{\"value\":0,\"input\":true}},"
    "\"bodies\":[{\"name\":\"rotor\",\"mass\":4,\"shape\":{\"type\":\"disc\",\"radius\":1}}],"
    "\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"rotor\"],"
    "\"at\":[0,0]}],"
    "\"forces\":[{\"name\":\"drive\",\"type\":\"torque\",\"body\":\"rotor\",\"value\":\"u\"}]}";

/// A bar of length 1 on a hinge, hanging, with a torque of its own.
static const char pendulum[] =
    "{\"dimension\":2,\"gravity\":[0,-9.81],\"parameters\":{\"u\":{\"value\":1,\"input\":true}},"
    "\"bodies\":[{\"name\":\"bar\",\"mass\":3,\"ends\":[[0,0],[0.6,-0.8]]}],"
    "\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"bar\"],"
    "\"at\":[0,0]}],"
    "\"forces\":[{\"name\":\"drive\",\"type\":\"torque\",\"body\":\"bar\",\"value\":\"u\"}]}";

static inline trm_options options_of(const trm_method *method, double h)
{
    trm_options options = trm_default_options(method->integrator, method->stabilization);
    if (method->adaptive) {
        options.rtol = options.atol = 1e-9;
    } else {
        options.h = h;
    }
    options.tolerance = 1e-2; // drift is not the question here, and a restart looks at it
    return options;
}

static inline void set(rig *r, const char *name, double value)
{
    trm_error err = {.status = TRM_OK};
    rig_ok(
        trm_sim_set_input(r->sim, trm_model_find(r->model, TRM_ELEMENT_INPUT, name), value, &err),
        &err);
}

static inline void step_to(rig *r, double t)
{
    trm_error err = {.status = TRM_OK};
    rig_ok(trm_sim_step_to(r->sim, t, &err), &err);
    assert_true(trm_sim_state(r->sim).t == t);
}
