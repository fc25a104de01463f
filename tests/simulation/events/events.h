// What tests of events share: a run begun, the events and the state that it has.
#pragma once

#include "tests/rig.h"

/// A cart of 1 kg on a line through "p", with elements of the caller: forces, events.
#define CART(dimension_free_x, elements)                                                           \
    "{\"dimension\":2,\"parameters\":{\"u\":{\"value\":0,\"input\":true}},"                        \
    "\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,\"position\":[" dimension_free_x         \
    ",0]}],"                                                                                       \
    "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"at\":[" dimension_free_x ",0]}],"               \
    "\"joints\":[{\"name\":\"P\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"a\"],"            \
    "\"at\":[0,0],\"axis\":[1,0]}]," elements "}"
#define FORCE(value)                                                                               \
    "\"forces\":[{\"name\":\"f\",\"type\":\"force\",\"marker\":\"p\",\"value\":[\"" value "\",0]}" \
    "]"

static inline trm_options of(double rtol)
{
    trm_options options = trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2);
    options.rtol = options.atol = rtol;
    return options;
}

static inline trm_options tight(void)
{
    return of(1e-13);
}

static inline rig begin(const char *text, trm_options options)
{
    rig r = rig_parse(text);
    rig_start(&r, options);
    return r;
}

static inline trm_event event_of(const rig *r, long i)
{
    trm_event event;
    assert_int_equal(trm_sim_event(r->sim, i, &event), 1);
    return event;
}

static inline double x_of(const rig *r)
{
    return trm_sim_state(r->sim).q[0];
}

static inline double v_of(const rig *r)
{
    return trm_sim_state(r->sim).v[0];
}
