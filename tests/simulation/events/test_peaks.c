/// Bells of the state that a step passes over: who looks for them, and what a run says that could
/// not look everywhere. A cart of 1 kg passes a bell of the force, of 0.3 J: v^2 = 1 + 0.6.
#include "program/run_details.h"
#include "tests/rig.h"

/// A cart from 0 with 1 m/s along the x axis; a rope from a wall at -1 over two points of the cart
/// that are one, and a rope to a wall at 30, both slack.
static rig begin(const char *force, trm_options options)
{
    char text[2000];
    snprintf(text, sizeof text,
             "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,"
             "\"position\":[0,0],\"velocity\":[1,0]}],"
             "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]},"
             "{\"name\":\"q\",\"body\":\"a\",\"on\":[0,0]},"
             "{\"name\":\"g\",\"body\":\"ground\",\"on\":[-1,0]},"
             "{\"name\":\"h\",\"body\":\"ground\",\"on\":[30,0]}],"
             "\"joints\":[{\"name\":\"P\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"a\"],"
             "\"at\":[0,0],\"axis\":[1,0]}],"
             "\"forces\":[{\"name\":\"back\",\"type\":\"tendon\",\"markers\":[\"g\",\"p\",\"q\"],"
             "\"stiffness\":1,\"rest_length\":99},"
             "{\"name\":\"ahead\",\"type\":\"tendon\",\"markers\":[\"p\",\"h\"],\"stiffness\":1,"
             "\"rest_length\":99},"
             "{\"name\":\"f\",\"type\":\"force\",\"marker\":\"p\",\"value\":[\"%s\",0]}]}",
             force);
    rig r = rig_parse(text);
    rig_start(&r, options);
    return r;
}

static trm_options with(trm_integrator integrator)
{
    trm_options options = trm_default_options(integrator, integrator == TRM_INTEGRATOR_IDA
                                                              ? TRM_STABILIZATION_GGL
                                                              : TRM_STABILIZATION_S_BOTH2);
    options.rtol = options.atol = 1e-8;
    options.h = 1.5;
    return options;
}

/// A bell of the energy 0.3 J about u = 0, of this width.
static const char *bell(const char *u, double width)
{
    static char text[300];
    snprintf(text, sizeof text, "%.17g*exp(-((%s)/%.17g)^2)", 0.3 / (width * sqrt(pi)), u, width);
    return text;
}

static int has_ida(void)
{
    const trm_method *methods = NULL;
    int any = 0;
    for (int i = trm_methods(&methods) - 1; i >= 0; i--) {
        any |= methods[i].integrator == TRM_INTEGRATOR_IDA;
    }
    return any;
}

CLAIM(test_every_adaptive_method_sees_a_bell)
{
    const trm_integrator methods[] = {TRM_INTEGRATOR_DOP853, TRM_INTEGRATOR_DOPRI5,
                                      TRM_INTEGRATOR_IDA};
    for (int i = 0; i < 3 * (has_ida() ? 3 : 2); i++) {
        rig r = begin(bell("p.x-5", pow(10, -2 - i % 3)), with(methods[i / 3]));
        rig_run(&r, 9);
        near("v", trm_sim_state(r.sim).v[0], sqrt(1.6), 1e-5);
        assert_int_equal(trm_sim_input_coverage(r.sim).inputs, TRM_INPUTS_NONE);
        rig_close(&r);
    }
}

/// Points that meet, and lengths of which one grows as the other one shrinks: nothing is left open.
CLAIM(test_bells_of_lengths)
{
    const char *const places[] = {"back.length-6", "p.x+(back.length+ahead.length)-36",
                                  "sqrt((p.x+1)^2+(q.y-p.y)^2)-6"};
    for (int i = 0; i < 3 * 2; i++) {
        rig r = begin(bell(places[i / 2], 1e-3),
                      with(i % 2 ? TRM_INTEGRATOR_DOPRI5 : TRM_INTEGRATOR_DOP853));
        rig_run(&r, 9);
        near(places[i / 2], trm_sim_state(r.sim).v[0], sqrt(1.6), 1e-5);
        assert_int_equal(trm_sim_input_coverage(r.sim).inputs, TRM_INPUTS_NONE);
        rig_close(&r);
    }
}

/// Bells of functions of the place, u'(x) times a bell of u: the same energy.
CLAIM(test_bells_of_functions)
{
    const struct {
        const char *u, *slope;
        double at_5;
    } places[] = {{"p.x^7-78125", "7*p.x^6", 109375},
                  {"1/36-(p.x+1)^(-2)", "2*(p.x+1)^(-3)", 0.0093},
                  {"tan(p.x/8)-tan(5/8)", "(1+tan(p.x/8)^2)/8", 0.19},
                  {"asin(p.x/20)-asin(5/20)", "1/(20*sqrt(1-p.x^2/400))", 0.052}};
    for (int i = 0; i < 4; i++) {
        char force[400];
        snprintf(force, sizeof force, "%s*%s", places[i].slope,
                 bell(places[i].u, 0.01 * places[i].at_5));
        rig r = begin(force, with(TRM_INTEGRATOR_DOP853));
        rig_run(&r, 9);
        near("v", trm_sim_state(r.sim).v[0], sqrt(1.6), 1e-5);
        rig_close(&r);
    }
}

/// What is not searched is told: the tensions of the two ropes; of a scene without, none.
CLAIM(test_what_is_not_searched)
{
    rig ropes = begin("0.1*sin(p.x)", with(TRM_INTEGRATOR_DOP853));
    assert_int_equal(trm_sim_input_coverage(ropes.sim).unsearched, 2);
    rig_close(&ropes);
    rig point = rig_parse("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"shape\":{"
                          "\"type\":\"point\"},\"position\":[0,1]}],\"markers\":[{\"name\":\"p\","
                          "\"body\":\"a\",\"at\":[0,1]}],\"forces\":[{\"name\":\"f\",\"type\":"
                          "\"force\",\"marker\":\"p\",\"value\":[\"sin(p.x)\",0]}]}");
    rig_start(&point, with(TRM_INTEGRATOR_DOP853));
    assert_int_equal(trm_sim_input_coverage(point.sim).unsearched, 0);
    rig_close(&point);
}

/// Steps of fixed size look too, and tell; a formula that only falls hides nothing from them.
CLAIM(test_fixed_steps_tell_of_a_bell)
{
    rig falls = begin("1e-3*exp(-p.x)", with(TRM_INTEGRATOR_RK4));
    rig_run(&falls, 9);
    assert_int_equal(trm_sim_input_coverage(falls.sim).inputs, TRM_INPUTS_NONE);
    rig_close(&falls);
    rig passes = begin(bell("p.x-5", 1e-3), with(TRM_INTEGRATOR_RK4));
    rig_run(&passes, 9);
    assert_int_equal(trm_sim_input_coverage(passes.sim).inputs, TRM_INPUTS_UNCHECKED);
    assert_int_equal(trm_sim_input_coverage(passes.sim).unproved, 1);
    rig_close(&passes);
}

/// Zero along the whole motion, of which intervals know only in 1e6 boxes: the search ends, the
/// motion is right, and the run says that it was not checked.
CLAIM(test_a_search_that_runs_out)
{
    const trm_integrator methods[] = {TRM_INTEGRATOR_DOP853, TRM_INTEGRATOR_DOPRI5,
                                      TRM_INTEGRATOR_RK4};
    for (int i = 0; i < 3; i++) {
        rig r = begin("sin(1000*p.x)^2+cos(1000*p.x)^2-1", with(methods[i]));
        rig_run(&r, 9);
        near("x", trm_sim_state(r.sim).q[0], 9, 1e-12);
        assert_int_equal(trm_sim_input_coverage(r.sim).inputs, TRM_INPUTS_UNCHECKED);
        assert_true(trm_sim_input_coverage(r.sim).unproved > 0);
        rig_close(&r);
    }
}
