/// A small disturbance followed beside a run: growth against closed forms, a run that is not
/// touched by it, and where nothing is known.
#include "tests/rig.h"

#include <float.h>

/// A point of 1 kg under a force; it starts at (0, 1).
#define POINT(fx, fy)                                                                              \
    "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"shape\":{\"type\":\"point\"},"      \
    "\"position\":[0,1]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"at\":[0,1]}],"             \
    "\"forces\":[{\"name\":\"f\",\"type\":\"force\",\"marker\":\"p\",\"value\":[\"" fx "\",\"" fy  \
    "\"]}]}"

/// To t in steps, looked at: what trm_tangent_propagation_growth returns. x = t, y at the end.
static int follow_with(trm_options options, const char *text, double t, trm_growth *out,
                       double x[2])
{
    trm_error err = {.status = TRM_OK};
    trm_tangent_propagation *d = NULL;
    rig r = rig_parse(text);
    rig_start(&r, options);
    rig_ok(trm_tangent_propagation_create(r.sim, &d, &err), &err);
    for (int i = 0; trm_sim_state(r.sim).t < t && i < 100000; i++) {
        rig_ok(trm_sim_step(r.sim, &err), &err);
        (void)trm_tangent_propagation_step(d, r.sim);
    }
    const int known = trm_tangent_propagation_growth(d, out);
    x[0] = trm_sim_state(r.sim).t;
    x[1] = trm_sim_state(r.sim).q[1];
    if (known) {
        assert_true((double)out->evaluations <= 0.1 * (double)trm_sim_stats(r.sim).force_evals);
    }
    trm_tangent_propagation_destroy(d);
    rig_close(&r);
    return known;
}

static int follow(const char *text, double t, trm_growth *out, double x[2])
{
    return follow_with(trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2), text,
                       t, out, x);
}

/// What errors of steps of (atol + rtol |v|)/10, any sign, in each own period grow to in t s beside
/// a saddle of rate mu: the first dominates, e sinh(mu t)/mu.
static double beside_saddle(double mu, double t)
{
    const double e =
        0.1 * trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2).atol;
    return log10(e * sinh(mu * t) / mu);
}

/// Where pulses begin and end, accelerations jump by 10 m/s^2: no part of a disturbance of 1e-6. A
/// mass that is free keeps errors e of each own period, which move it by e t; beside a saddle
/// errors grow as without pulses. Of a body that spins about the axis of its largest inertia they
/// grow with the time, up to the factor that the formula may err by.
static void test_pulses(void **state)
{
    (void)state;
    trm_growth g;
    double at[2];
    const double e =
        0.1 * trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2).atol;
    assert_int_equal(follow(POINT("0", "10*pulse(mod(t, 1), 0.5, 0.51)"), 20, &g, at), 1);
    below("free", g.error, e * (1 + 2) * at[0] * (1 + at[0]));
    near("unseen", g.unseen, 0, 0.1);
    assert_int_equal(follow(POINT("p.x", "10*pulse(mod(t, 1), 0.5, 0.51)-p.y"), 30, &g, at), 1);
    near("saddle", log10(g.error), beside_saddle(1, at[0]), 0.5);
    assert_int_equal(follow("{\"dimension\":3,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":"
                            "[1,2,3],\"rate\":[0,0,0.5]}],\"forces\":[{\"name\":\"f\",\"type\":"
                            "\"torque\",\"body\":\"a\",\"value\":[0,0,"
                            "\"10*pulse(mod(t, 1), 0.5, 0.51)\"]}]}",
                            20, &g, at),
                     1);
    below("it spins", g.error, pow(10, g.unseen) * e * (1 + 2.5) * at[0] * (1 + at[0]));
}

/// y = cos t beside a saddle, x = 0: an error in x grows as sinh(mu t). How much of the error lies
/// along x is 10^0.5 at most.
static void test_a_saddle(void **state)
{
    (void)state;
    trm_growth g;
    double at[2];
    assert_int_equal(follow(POINT("p.x", "-p.y"), 30, &g, at), 1);
    near("mu = 1", log10(g.error), beside_saddle(1, at[0]), 0.5);
    near("mu = 1, of regular motion", g.digits + g.unseen,
         (at[0] - log(2) - log(1 + at[0]) - log(at[0] / 2 / pi)) / log(10), 0.5);
    assert_int_equal(follow(POINT("0.25*p.x", "-p.y"), 60, &g, at), 1);
    near("mu = 0.5", log10(g.error), beside_saddle(0.5, at[0]), 0.5);
    assert_int_equal(follow("{\"dimension\":3,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"shape\":"
                            "{\"type\":\"point\"},\"position\":[0,1,0]}],\"markers\":[{\"name\":"
                            "\"p\",\"body\":\"a\",\"at\":[0,1,0]}],\"forces\":[{\"name\":\"f\","
                            "\"type\":\"force\",\"marker\":\"p\",\"value\":[\"p.x\",\"-p.y\","
                            "\"-p.z\"]}]}",
                            30, &g, at),
                     1);
    near("in space", log10(g.error), beside_saddle(1, at[0]), 0.5);
}

/// The same motion a million times slower: its velocities are below their tolerance, and steps err
/// by that of coordinates all the same. How long the steps are against the motion is a factor of
/// three.
static void test_a_slow_saddle(void **state)
{
    (void)state;
    trm_growth g;
    double at[2];
    assert_int_equal(follow(POINT("1e-12*p.x", "-1e-12*p.y"), 30e6, &g, at), 1);
    near("slow", log10(g.error), beside_saddle(1, 1e-6 * at[0]), 1);
}

/// Errors die out for 20 s, by e^-20; those committed later grow by sinh(15) all the same.
static void test_errors_grow_from_when_they_are_committed(void **state)
{
    (void)state;
    trm_growth g;
    double at[2];
    assert_int_equal(follow(POINT("if(t < 20, -p.x - 2*p.vx, p.x)", "-p.y"), 35, &g, at), 1);
    near("after 20 s", log10(g.error), beside_saddle(1, at[0] - 20), 1);
}

static void test_regular_motion_loses_nothing(void **state)
{
    (void)state;
    trm_growth g;
    double at[2];
    static const char *const texts[] = {POINT("-2*p.x", "-p.y"), POINT("0", "-p.y^3"),
                                        POINT("0", "-9.81")};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(follow(texts[i], 100, &g, at), 1);
        near(texts[i], g.digits, 0, 1e-12);
    }
}

/// The same bits with and without it.
static void test_the_run_is_not_touched(void **state)
{
    (void)state;
    trm_error err = {.status = TRM_OK};
    trm_growth g;
    double at[2];
    (void)follow(POINT("p.x", "-p.y^3"), 20, &g, at);
    rig r = rig_parse(POINT("p.x", "-p.y^3"));
    rig_start(&r, trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2));
    while (trm_sim_state(r.sim).t < 20) {
        rig_ok(trm_sim_step(r.sim, &err), &err);
    }
    assert_true(trm_sim_state(r.sim).t == at[0] && trm_sim_state(r.sim).q[1] == at[1]);
    rig_close(&r);
}

/// A jump that depends on the state, nothing that moves, and arguments that are none.
static void test_where_nothing_is_known(void **state)
{
    (void)state;
    trm_error err = {.status = TRM_OK};
    trm_growth g;
    double at[2];
    trm_tangent_propagation *none = NULL;
    assert_int_equal(follow(POINT("0", "-sign(p.y)"), 10, &g, at), 0);
    assert_int_equal(follow(POINT("0", "0"), 10, &g, at), 0);
    assert_int_equal(trm_tangent_propagation_create(NULL, &none, &err), TRM_ERR_OPTIONS);
    assert_null(none);
    rig r = rig_parse(POINT("0", "0"));
    rig_start(&r, trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2));
    assert_int_equal(trm_tangent_propagation_create(r.sim, NULL, &err), TRM_ERR_OPTIONS);
    rig_close(&r);
    assert_int_equal(trm_tangent_propagation_step(NULL, NULL), 0);
    assert_int_equal(trm_tangent_propagation_growth(NULL, &g), 0);
    trm_tangent_propagation_destroy(NULL);
}

/// Two bars that turn over, at tolerances so loose that the formula errs by all digits: from then
/// on nothing is spent, and what is told stays.
static void test_what_tells_nothing_more_is_not_followed(void **state)
{
    (void)state;
    static const char *const bars =
        "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"a\",\"mass\":1,\"ends\":"
        "[[0,0],[1,0.2]]},{\"name\":\"b\",\"mass\":1,\"ends\":[[1,0.2],[1.3,1.1]]}],\"joints\":"
        "[{\"name\":\"A\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0]},"
        "{\"name\":\"B\",\"type\":\"revolute\",\"bodies\":[\"a\",\"b\"],\"at\":[1,0.2]}]}";
    trm_options loose = trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_TREE);
    trm_growth early, late;
    double at[2];
    loose.atol = loose.rtol = 1e-4;
    assert_int_equal(follow_with(loose, bars, 100, &early, at), 1);
    assert_int_equal(follow_with(loose, bars, 200, &late, at), 1);
    assert_true(early.unseen > -log10(DBL_EPSILON) && early.error > 1e3 && early.digits <= 0);
    assert_int_equal(late.evaluations, early.evaluations);
    assert_true(late.error == early.error && late.unseen == early.unseen);
    loose.atol = loose.rtol = 1e-10; // the formula knows better
    assert_int_equal(follow_with(loose, bars, 10, &early, at), 1);
    assert_int_equal(follow_with(loose, bars, 20, &late, at), 1);
    assert_true(late.evaluations > early.evaluations + 50);
}

int test_tangent_propagation(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_saddle),
        cmocka_unit_test(test_pulses),
        cmocka_unit_test(test_a_slow_saddle),
        cmocka_unit_test(test_errors_grow_from_when_they_are_committed),
        cmocka_unit_test(test_regular_motion_loses_nothing),
        cmocka_unit_test(test_the_run_is_not_touched),
        cmocka_unit_test(test_where_nothing_is_known),
        cmocka_unit_test(test_what_tells_nothing_more_is_not_followed),
    };
    return cmocka_run_group_tests_name("disturbance", tests, NULL, NULL);
}
