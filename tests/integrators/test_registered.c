/// Methods from outside: those of docs/examples/blajer.c have their orders, close the mechanism,
/// live through a jump, and what is wrong with a method is said.
#include "tests/rig.h"

#include "docs/examples/blajer.c" // its functions, and trammel_load

static trm_registry registry(trm_error *err)
{
    return (trm_registry){.version = TRM_REGISTER_VERSION,
                          .stabilization = trm_register_stabilization,
                          .integrator = trm_register_integrator,
                          .err = err};
}

/// The pair of these names.
static trm_options options_of(const char *integrator, const char *stabilization, double h)
{
    const trm_method *methods;
    const int n = trm_methods(&methods);
    for (int i = 0; i < n; i++) {
        if (strcmp(methods[i].integrator_name, integrator) == 0 &&
            strcmp(methods[i].stabilization_name, stabilization) == 0) {
            trm_options o = trm_default_options(methods[i].integrator, methods[i].stabilization);
            o.h = h;
            return o;
        }
    }
    fail_msg("no %s with %s", integrator, stabilization);
    return (trm_options){0};
}

/// Before each claim; what is registered stays.
static int load(void **state)
{
    static int loaded;
    (void)state;
    trm_error err = {.status = TRM_OK};
    const trm_registry all = registry(&err);
    return loaded++ ? 0 : trammel_load(&all);
}

/// crank_0.x of the four-bar at t = 0.5 after steps of h.
static double end_of(trm_options o)
{
    rig r = rig_load("four_bar", NULL);
    rig_start(&r, o);
    rig_run(&r, 0.5);
    const double x = rig_q(&r, "crank_0", 0);
    rig_close(&r);
    return x;
}

static double order_of(const char *integrator, const char *stabilization, double exact)
{
    const double coarse = end_of(options_of(integrator, stabilization, 0.01)) - exact;
    const double fine = end_of(options_of(integrator, stabilization, 0.005)) - exact;
    return log2(fabs(coarse / fine));
}

CLAIM_BETWEEN(methods_from_outside_have_their_orders, load, NULL)
{
    trm_options o = trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2);
    o.rtol = o.atol = 1e-13;
    const double exact = end_of(o);
    near("rk4+blajer", order_of("rk4", "blajer", exact), 4, 0.3);
    near("ab2+s-both2", order_of("ab2", "s-both2", exact), 2, 0.3);
    near("ab2+blajer", order_of("ab2", "blajer", exact), 2, 0.3);
    o = options_of("dop853", "blajer", 0);
    o.rtol = o.atol = 1e-10;
    near("dop853+blajer", end_of(o), exact, 1e-8);
}

CLAIM_BETWEEN(its_correction_closes_the_mechanism, load, NULL)
{
    rig r = rig_load("four_bar", NULL);
    rig_start(&r, options_of("rk4", "blajer", 0.01));
    rig_run(&r, 2);
    const trm_report report = trm_sim_report(r.sim);
    below("gap", report.position_drift, 1e-9);
    below("G v", report.velocity_drift, 1e-9);
    rig_close(&r);
}

/// The order is kept through the jump of an input, in the middle of a step: the last rates are
/// those of before it. Free flight under a thrust that is switched: z is a parabola on each side.
CLAIM_BETWEEN(its_memory_begins_anew_behind_a_jump, load, NULL)
{
    rig r = rig_parse("{\"dimension\": 2, \"gravity\": [0, 0], \"bodies\": [{\"name\": \"b\","
                      "\"mass\": 1, \"inertia\": 1}], \"forces\": [{\"name\": \"f\", \"type\": "
                      "\"force\", \"marker\": \"m\", \"value\": [\"t < 0.505 ? 0 : 1\", 0]}],"
                      "\"markers\": [{\"name\": \"m\", \"body\": \"b\", \"at\": [0, 0]}]}");
    rig_start(&r, options_of("ab2", "plain", 0.01));
    rig_run(&r, 1);
    // Euler's first step behind the jump errs by h^2/2, here of 0.005 s; AB2 keeps that
    near("v", rig_v(&r, "b", 0), 0.495, 1e-12);
    near("x", rig_q(&r, "b", 0), 0.495 * 0.495 / 2, 0.01 * 0.01);
    rig_close(&r);
}

static int nan_rates(const trm_mechanism *m, double t, const double *q, const double *v, double *a,
                     double *lambda, void *user)
{
    (void)user;
    const int code = m->accelerate(m, t, q, v, a, lambda);
    a[0] = t > 0.3 ? NAN : a[0];
    return code;
}

CLAIM_BETWEEN(a_method_that_returns_nan_is_named, load, NULL)
{
    trm_error err = {.status = TRM_OK};
    const trm_own_stabilization own = {
        .version = TRM_REGISTER_VERSION, .name = "no-number", .rates = nan_rates};
    trm_stabilization id;
    rig_ok(trm_register_stabilization(&own, &id, &err), &err);
    rig r = rig_load("four_bar", NULL);
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, id, 0.01));
    assert_int_equal(trm_sim_run(r.sim, 1, NULL, NULL, &err), TRM_ERR_CALLBACK);
    assert_non_null(strstr(err.message, "the value of 'no-number' is not a finite number"));
    near("t", err.t, 0.3, 0.011);
    rig_close(&r);
}

CLAIM_BETWEEN(what_cannot_be_registered_is_refused, load, NULL)
{
    trm_error err = {.status = TRM_OK};
    const trm_own_stabilization good = {
        .version = TRM_REGISTER_VERSION, .name = "fine", .correct = correct};
    trm_own_stabilization bad = good;
    bad.version = 7;
    assert_int_equal(trm_register_stabilization(&bad, NULL, &err), TRM_ERR_OPTIONS);
    assert_non_null(strstr(err.message, "version 7"));
    bad = good;
    bad.correct = NULL;
    assert_int_equal(trm_register_stabilization(&bad, NULL, &err), TRM_ERR_OPTIONS);
    assert_non_null(strstr(err.message, "neither"));
    const char *const names[] = {NULL, "", "two words", "s-both2", "rk4", "blajer"};
    for (int i = 0; i < 6; i++) {
        bad = good;
        bad.name = names[i];
        assert_int_equal(trm_register_stabilization(&bad, NULL, &err), TRM_ERR_OPTIONS);
        assert_string_equal(err.where, "name");
    }
    assert_int_equal(trm_register_stabilization(NULL, NULL, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_register_integrator(NULL, NULL, NULL, &err), TRM_ERR_OPTIONS);
    const trm_own_integrator none = {.version = TRM_REGISTER_VERSION, .name = "none", .order = 1};
    assert_int_equal(trm_register_integrator(&none, NULL, NULL, &err), TRM_ERR_OPTIONS);
    assert_string_equal(err.where, "step");
}
