/// A small disturbance followed beside a run: growth against closed forms, a run that is not
/// touched by it, and where nothing is known.
#include "tests/rig.h"

/// A point of 1 kg under a force; it starts at (0, 1).
#define POINT(fx, fy)                                                                              \
    "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"shape\":{\"type\":\"point\"},"      \
    "\"position\":[0,1]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"at\":[0,1]}],"             \
    "\"forces\":[{\"name\":\"f\",\"type\":\"force\",\"marker\":\"p\",\"value\":[\"" fx "\",\"" fy  \
    "\"]}]}"

/// To t in steps, looked at: what trm_disturbance_digits returns.
static int follow(const char *text, double t, double *digits, double *unseen, double x[2])
{
    trm_error err = {.status = TRM_OK};
    trm_disturbance *d = NULL;
    rig r = rig_parse(text);
    rig_start(&r, trm_default_options(TRM_DOP853, TRM_S_BOTH2));
    rig_ok(trm_disturbance_create(r.sim, &d, &err), &err);
    for (int i = 0; trm_sim_state(r.sim).t < t && i < 100000; i++) {
        rig_ok(trm_sim_step(r.sim, &err), &err);
        (void)trm_disturbance_look(d, r.sim);
    }
    const int known = trm_disturbance_digits(d, digits, unseen);
    x[0] = trm_sim_state(r.sim).t;
    x[1] = trm_sim_state(r.sim).q[1];
    trm_disturbance_destroy(d);
    rig_close(&r);
    return known;
}

/// y = cos t beside a saddle, x = 0: what is off in x grows as cosh(mu t), against 1 + t of regular
/// motion at 1 rad/s. How much of the disturbance lies along x is 10^0.5 at most.
static void test_a_saddle(void **state)
{
    (void)state;
    double digits, unseen, at[2];
    assert_int_equal(follow(POINT("p.x", "-p.y"), 30, &digits, &unseen, at), 1);
    near("mu = 1", digits + unseen, (at[0] - log(2) - log(1 + at[0])) / log(10), 0.5);
    near("unseen", unseen, 0, 1);
    assert_int_equal(follow(POINT("0.25*p.x", "-p.y"), 60, &digits, &unseen, at), 1);
    near("mu = 0.5", digits + unseen, (at[0] / 2 - log(2) - log(1 + at[0])) / log(10), 0.5);
}

static void test_regular_motion_loses_nothing(void **state)
{
    (void)state;
    double digits, unseen, at[2];
    static const char *const texts[] = {POINT("-2*p.x", "-p.y"), POINT("0", "-p.y^3"),
                                        POINT("0", "-9.81")};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(follow(texts[i], 100, &digits, &unseen, at), 1);
        near(texts[i], digits, 0, 1e-12);
    }
}

/// The same bits with and without it.
static void test_the_run_is_not_touched(void **state)
{
    (void)state;
    trm_error err = {.status = TRM_OK};
    double digits, unseen, at[2];
    (void)follow(POINT("p.x", "-p.y^3"), 20, &digits, &unseen, at);
    rig r = rig_parse(POINT("p.x", "-p.y^3"));
    rig_start(&r, trm_default_options(TRM_DOP853, TRM_S_BOTH2));
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
    double digits, unseen, at[2];
    trm_disturbance *none = NULL;
    assert_int_equal(follow(POINT("0", "-sign(p.y)"), 10, &digits, &unseen, at), 0);
    assert_int_equal(follow(POINT("0", "0"), 10, &digits, &unseen, at), 0);
    assert_int_equal(trm_disturbance_create(NULL, &none, &err), TRM_ERR_OPTIONS);
    assert_null(none);
    rig r = rig_parse(POINT("0", "0"));
    rig_start(&r, trm_default_options(TRM_DOP853, TRM_S_BOTH2));
    assert_int_equal(trm_disturbance_create(r.sim, NULL, &err), TRM_ERR_OPTIONS);
    rig_close(&r);
    assert_int_equal(trm_disturbance_look(NULL, NULL), 0);
    assert_int_equal(trm_disturbance_digits(NULL, &digits, &unseen), 0);
    trm_disturbance_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_saddle),
        cmocka_unit_test(test_regular_motion_loses_nothing),
        cmocka_unit_test(test_the_run_is_not_touched),
        cmocka_unit_test(test_where_nothing_is_known),
    };
    return cmocka_run_group_tests_name("disturbance", tests, NULL, NULL);
}
