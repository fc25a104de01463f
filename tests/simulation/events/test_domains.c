/// Formulas whose modes end where they are defined, on motions that pass there: roots and powers of
/// magnitudes, of what max cuts off. Against closed forms with Euler's beta function.
#include "program/run_details.h"
#include "tests/rig.h"

/// A point of 1 kg on the x axis, from x with v, under this force.
static rig begin(const char *force, double x, double v, trm_options options)
{
    char text[900];
    snprintf(text, sizeof text,
             "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,"
             "\"position\":[%.17g,0],\"velocity\":[%.17g,0]}],"
             "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}],"
             "\"joints\":[{\"name\":\"P\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"a\"],"
             "\"at\":[0,0],\"axis\":[1,0]}],"
             "\"forces\":[{\"name\":\"f\",\"type\":\"force\",\"marker\":\"p\","
             "\"value\":[\"%s\",0]}],\"events\":[{\"name\":\"down\",\"when\":\"p.x < 0\"}]}",
             x, v, force);
    rig r = rig_parse(text);
    rig_start(&r, options);
    return r;
}

static trm_options with(trm_integrator integrator, double tolerance)
{
    trm_options options = trm_default_options(integrator, integrator == TRM_INTEGRATOR_IDA
                                                              ? TRM_STABILIZATION_GGL
                                                              : TRM_STABILIZATION_S_BOTH2);
    options.rtol = options.atol = tolerance;
    return options;
}

static double beta(double a, double b)
{
    return tgamma(a) * tgamma(b) / tgamma(a + b);
}

static double event_time(const rig *r, long i)
{
    trm_event event;
    assert_int_equal(trm_sim_event(r->sim, i, &event), 1);
    return event.t;
}

/// x'' = -sign(x) |x|^n from 1 at rest: the energy gives the quarter of a period,
///     integral from 0 to 1 of dx/sqrt(2/(n+1) (1 - x^(n+1))) = B(1/(n+1), 1/2)/sqrt(2 (n+1)).
static void oscillates(const char *force, double n, trm_options options, double within)
{
    const double quarter = beta(1 / (n + 1), 0.5) / sqrt(2 * (n + 1));
    rig r = begin(force, 1, 0, options);
    rig_run(&r, 20 * quarter);
    assert_int_equal(trm_sim_events(r.sim), 5);
    for (int k = 0; k < 5; k++) {
        near(force, event_time(&r, k), (4 * k + 1) * quarter, within);
    }
    near(force, trm_sim_state(r.sim).q[0], 1, within);
    near(force, trm_sim_state(r.sim).v[0], 0, within);
    rig_close(&r);
}

CLAIM(test_powers_of_magnitudes)
{
    const trm_options tight = with(TRM_INTEGRATOR_DOP853, 1e-13),
                      other = with(TRM_INTEGRATOR_DOPRI5, 1e-13);
    oscillates("-sign(p.x)*sqrt(abs(p.x))", 0.5, tight, 1e-10);
    oscillates("-sign(p.x)*abs(p.x)^0.5", 0.5, other, 1e-9);
    oscillates("-sign(p.x)*abs(p.x)^1.5", 1.5, tight, 1e-10);
    oscillates("-sign(p.x)*abs(p.x)^2.5", 2.5, tight, 1e-10);
    oscillates("-p.x*abs(p.x)^1.5", 2.5, other, 1e-9);
    oscillates("max(0, -p.x)^1.5 - max(0, p.x)^1.5", 1.5, tight, 1e-10);
    oscillates("if(p.x > 0, -p.x^2.5, (-p.x)^2.5)", 2.5, tight, 1e-10);
    oscillates("-sign(p.x)*exp(0.5*log(abs(p.x) + 1e-300))", 0.5, tight, 1e-10);
}

/// The same in space, about a hinge: the angle for x.
CLAIM(test_a_root_about_a_spatial_hinge)
{
    const double quarter = beta(1 / 1.5, 0.5) / sqrt(3);
    rig r = rig_parse("{\"dimension\":3,\"bodies\":[{\"name\":\"a\",\"mass\":1,"
                      "\"inertia\":[2,3,1]}],\"joints\":[{\"name\":\"O\",\"type\":\"revolute\","
                      "\"bodies\":[\"ground\",\"a\"],\"at\":[0,0,0],\"axis\":[0,0,1]}],"
                      "\"forces\":[{\"name\":\"f\",\"type\":\"joint_force\",\"joint\":\"O\","
                      "\"value\":\"sign(1 - O.angle)*sqrt(abs(O.angle - 1))\"}],"
                      "\"events\":[{\"name\":\"up\",\"when\":\"O.angle > 1\"}]}");
    rig_start(&r, with(TRM_INTEGRATOR_DOP853, 1e-13));
    rig_run(&r, 8 * quarter);
    for (int k = 0; k < 2; k++) {
        near("zero", event_time(&r, k), (4 * k + 1) * quarter, 1e-10);
    }
    rig_close(&r);
}

/// A ball meets a wall that pushes back with k times the depth to the power 3/2 [Hertz]: the
/// contact lasts 2 xm/v (2/5) B(2/5, 1/2), xm: v^2/2 = (2/5) k xm^(5/2), and it leaves as fast as
/// it came.
CLAIM(test_contact_by_hertz)
{
    static const char *const laws[] = {"1e6*max(0, -p.x)^1.5", "if(p.x < 0, 1e6*(-p.x)^1.5, 0)",
                                       "1e6*abs(min(p.x, 0))^1.5",
                                       "1e6*(-clamp(p.x, -1, 0))*sqrt(-clamp(p.x, -1, 0))"};
    const double v = 2, deepest = pow(v * v / 2 * 2.5 / 1e6, 0.4);
    const double lasts = 2 * deepest / v * 0.4 * beta(0.4, 0.5);
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        for (double tolerance = 1e-5; tolerance > 1e-12; tolerance *= 1e-3) {
            rig r = begin(laws[i], 1, -v, with(TRM_INTEGRATOR_DOP853, tolerance));
            rig_run(&r, 1);
            near("touches", event_time(&r, 0), 0.5, 1e-14);
            near("rate", trm_sim_state(r.sim).v[0], v, 100 * tolerance);
            near("place", trm_sim_state(r.sim).q[0], v * (0.5 - lasts), 100 * tolerance);
            rig_close(&r);
        }
    }
}

/// Roots of the time: v by integration; the formula is followed, its infinite slope included.
CLAIM(test_roots_of_the_time)
{
    const struct {
        const char *force;
        double v; ///< at t = 3
    } cases[] = {
        {"sqrt(abs(t - 1))", 2.0 / 3 * (1 + pow(2, 1.5))},
        {"abs(t - 1)^2.5", 1 / 3.5 * (1 + pow(2, 3.5))},
        {"max(0, 1 - t)^1.5 + max(0, 3*t - 8.1)^0.5", 0.4 + 2.0 / 9 * pow(0.9, 1.5)},
        {"sqrt(abs(sin(pi*t)))", 3 / pi * beta(0.75, 0.5)},
        {"acos(clamp(t - 1, -1, 1))", pi + 0.0},
        {"if(t < 1, sqrt(1 - t), 0)", 2.0 / 3},
    };
    static const double tolerances[] = {1e-5, 1e-8, 1e-11};
    const size_t n = sizeof cases / sizeof *cases;
    for (size_t i = 0; i < 3 * n; i += EVERY) {
        const char *const force = cases[i % n].force;
        const double tolerance = tolerances[i / n];
        rig r = begin(force, 0, 0, with(TRM_INTEGRATOR_DOP853, tolerance));
        rig_run(&r, 3);
        near(force, trm_sim_state(r.sim).v[0], cases[i % n].v, 100 * tolerance);
        assert_int_equal(trm_sim_input_coverage(r.sim).inputs, TRM_INPUTS_PROVED);
        rig_close(&r);
    }
}

/// A table of a magnitude that begins at 0, where both change at once: x'' = -2 x, at fifty phases.
CLAIM(test_a_table_of_a_magnitude)
{
    for (int k = 0; k < 50; k += EVERY) {
        char text[1000];
        const double x = 1 + 0.01 * k;
        snprintf(text, sizeof text,
                 "{\"dimension\":2,\"tables\":{\"k\":{\"points\":[[0,0],[0.5,1],[9,18]]}},"
                 "\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,\"position\":[%.17g,0]}],"
                 "\"joints\":[{\"name\":\"P\",\"type\":\"prismatic\",\"bodies\":[\"ground\","
                 "\"a\"],\"at\":[0,0],\"axis\":[1,0]}],\"markers\":[{\"name\":\"p\","
                 "\"body\":\"a\",\"on\":[0,0]}],\"forces\":[{\"name\":\"f\",\"type\":\"force\","
                 "\"marker\":\"p\",\"value\":[\"-sign(p.x)*table(k, abs(p.x))\",0]}]}",
                 x);
        rig r = rig_parse(text);
        rig_start(&r, with(TRM_INTEGRATOR_DOP853, 1e-12));
        rig_run(&r, 30);
        near("x", trm_sim_state(r.sim).q[0], x * cos(sqrt(2) * 30), 1e-9);
        rig_close(&r);
    }
}

/// What has no value at the root is refused there, with its place and its reason; a motion that
/// turns before is not.
CLAIM(test_what_is_infinite_at_its_root)
{
    const struct {
        const char *force, *reason;
    } cases[] = {
        {"log(abs(p.x))", "log of 0"},
        {"sqrt(log(1 + abs(p.x))) + log(max(p.x, 0))", "log of 0"},
        {"-p.x/abs(p.x)^0.25", "and 0"},
        {"log(abs(t - 0.5))", "log of 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trm_error err = {.status = TRM_OK};
        rig r = begin(cases[i].force, 1, -3, with(TRM_INTEGRATOR_DOP853, 1e-9));
        const trm_status status = trm_sim_run(r.sim, 3, NULL, NULL, &err);
        if (status != TRM_ERR_CALLBACK || !strstr(err.message, cases[i].reason) ||
            !strstr(err.message, "'f'") || strncmp(err.where, "scene:1:", 8) != 0) {
            fail_msg("%s: %d %s (%s)", cases[i].force, status, err.message, err.where);
        }
        rig_close(&r);
    }
    rig r = begin("-log(abs(p.x))", 1, -1,
                  with(TRM_INTEGRATOR_DOP853, 1e-12)); // less than 1 J to reach 0
    trm_error err = {.status = TRM_OK};
    rig_ok(trm_sim_run(r.sim, 1.5, NULL, NULL, &err), &err);
    const double x = trm_sim_state(r.sim).q[0], v = trm_sim_state(r.sim).v[0];
    near("energy", v * v / 2 + x * log(x) - x, -0.5, 1e-10);
    rig_close(&r);
}
