/// Which models a method can run, and the method that is recommended.
#include "integrators/registry.h"
#include "tests/rig.h"

#define BALL                                                                                       \
    "\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,"  \
    "\"position\":[0,1]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}]"

static const char ball[] = "{" BALL "}";
static const char stopped[] = "{" BALL ",\"stops\":[{\"name\":\"floor\",\"gap\":\"p.y\"}]}";
static const char one_row[] =
    "{" BALL ",\"constraints\":[{\"name\":\"c\",\"expression\":\"p.y - 1\"}]}";
static const char pinned[] = "{" BALL ",\"joints\":[{\"name\":\"O\",\"type\":\"revolute\","
                             "\"bodies\":[\"ground\",\"a\"],\"at\":[0,2]}]}";
static const char skates[] =
    "{" BALL ",\"constraints\":[{\"name\":\"c\",\"expression\":\"p.y - 1\"},"
    "{\"name\":\"left\",\"type\":\"knife_edge\",\"marker\":\"p\",\"normal\":[0,1]}]}";

/// The ball falls onto the floor and rests: by events, or in steps of moreau of the order h.
static void check_rest(const trm_method *m)
{
    const double h = 1e-3, g = 9.81;
    rig r = rig_parse(stopped);
    rig_start(&r, m->adaptive ? rig_adaptive(m->integrator, m->stabilization, 1e-8, 1e-8)
                              : rig_fixed(m->integrator, m->stabilization, h));
    rig_run(&r, 1.0);
    const double bound = m->integrator == TRM_INTEGRATOR_MOREAU ? 2 * g * h : 1e-9;
    near(m->stabilization_name, rig_q(&r, "a", 1), 0.0, bound);
    near(m->integrator_name, rig_v(&r, "a", 1), 0.0, bound);
    rig_close(&r);
}

/// These pairs take contacts, whatever else does.
static int must_take(const trm_method *m)
{
    return m->integrator == TRM_INTEGRATOR_MOREAU ||
           (strstr(" heun midpoint rk4 dopri5 dop853 ", m->integrator_name) &&
            strstr(" plain projection baumgarte s-both2 s-both s-full s-vel s-pos ",
                   m->stabilization_name));
}

CLAIM(a_method_that_takes_contacts_brings_a_ball_to_rest)
{
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    rig with = rig_parse(stopped), without = rig_parse(ball);
    for (int i = 0; i < n; i++) {
        const trm_method *m = &methods[i];
        trm_error err = {.status = TRM_OK};
        const trm_status status = trm_method_fits(m, with.model, &err);
        if (status == TRM_OK) {
            check_rest(m);
        } else if (must_take(m)) {
            fail_msg("%s with %s: %s", m->integrator_name, m->stabilization_name, err.message);
        } else {
            assert_int_equal(status, TRM_ERR_OPTIONS);
            char names[TRM_METHOD_NAMES];
            trm_methods_with_contacts(names);
            assert_non_null(strstr(err.message, names));
            assert_non_null(strstr(err.message, "'floor' has limits, friction or a stop"));
        }
        const trm_status alone = trm_method_fits(m, without.model, &err);
        const int moreau = m->integrator == TRM_INTEGRATOR_MOREAU;
        assert_int_equal(alone, moreau ? TRM_ERR_OPTIONS : TRM_OK);
        if (moreau) {
            assert_non_null(strstr(err.message, "and there are none"));
            assert_int_equal(m->order, 1);
        }
    }
    assert_int_equal(trm_method_fits(NULL, with.model, NULL), TRM_ERR_OPTIONS);
    assert_int_equal(trm_method_fits(methods, NULL, NULL), TRM_ERR_OPTIONS);
    rig_close(&with);
    rig_close(&without);
}

/// Plain corrects nothing: the ball falls onto the floor and rests.
CLAIM(a_contact_needs_no_correction)
{
    rig r = rig_parse(stopped);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_PLAIN, 1e-8, 1e-8));
    rig_run(&r, 1.0);
    near("y", rig_q(&r, "a", 1), 0.0, 1e-9);
    near("v", rig_v(&r, "a", 1), 0.0, 1e-9);
    rig_close(&r);
}

CLAIM(state_space_needs_equations_of_positions)
{
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    rig r = rig_parse(skates), positions = rig_parse(one_row);
    for (int i = 0; i < n; i++) {
        trm_error err = {.status = TRM_OK};
        const int any = methods[i].integrator != TRM_INTEGRATOR_MOREAU;
        const int space = methods[i].stabilization == TRM_STABILIZATION_STATE_SPACE;
        const trm_status status = trm_method_fits(&methods[i], r.model, &err);
        assert_int_equal(status == TRM_OK, any && !space);
        if (space) {
            assert_non_null(strstr(err.message, "'left' holds velocities alone"));
        }
        assert_int_equal(trm_method_fits(&methods[i], positions.model, &err) == TRM_OK, any);
    }
    rig_close(&r);
    rig_close(&positions);
}

/// The recommended method of a model, its tolerance and what is said of it.
static void recommends(rig r, double accuracy, trm_stabilization stabilization, double rtol,
                       const char *reason)
{
    trm_error err = {.status = TRM_OK};
    trm_options options;
    char text[256];
    rig_ok(trm_choose_options(r.model, accuracy, &options, text, &err), &err);
    assert_int_equal(options.integrator, TRM_INTEGRATOR_DOP853);
    assert_int_equal(options.stabilization, stabilization);
    assert_string_equal(text, reason);
    near("rtol", options.rtol, rtol, 1e-12 * rtol);
    near("atol", options.atol, rtol, 1e-12 * rtol);
    rig_close(&r);
}

CLAIM(a_method_is_recommended_by_the_joints)
{
    static const char tree[] = "high order, corrected to the constraints after each step";
    static const char loops[] =
        "for closed loops: high order, corrected after each step, robust at singular positions";
    recommends(rig_parse(ball), 1e-6, TRM_STABILIZATION_PLAIN, 1e-8,
               "for free bodies: an explicit method of high order");
    recommends(rig_parse(one_row), 1e-6, TRM_STABILIZATION_S_BOTH2, 1e-8, loops);
    recommends(rig_load("heavy_top", NULL), 1e-6, TRM_STABILIZATION_S_BOTH2, 1e-8, tree);
    recommends(rig_parse(pinned), 1e-6, TRM_STABILIZATION_S_BOTH2, 1e-8, tree);
    recommends(rig_load("chain_10", NULL), 1e-4, TRM_STABILIZATION_S_BOTH2, 1e-6, tree);
    recommends(
        rig_load("four_bar", NULL), 1e-6, TRM_STABILIZATION_S_BOTH2, 1e-8,
        "for closed loops: high order, corrected after each step, robust at singular positions");
}

CLAIM(no_tolerance_is_below_double_precision)
{
    static const char plain[] = "for free bodies: an explicit method of high order";
    recommends(rig_parse(ball), 1.005e-11, TRM_STABILIZATION_PLAIN, 1.005e-13, plain);
    recommends(rig_parse(ball), 0.9e-11, TRM_STABILIZATION_PLAIN, 1e-13,
               "for free bodies: an explicit method of high order; no tolerance below 1e-13 in "
               "double precision");
}

/// A parallelogram of equal bars, 1 m long, at this place.
static rig loop_at(double x)
{
    char json[1500];
    snprintf(json, sizeof json,
             "{\"dimension\": 2, \"bodies\": ["
             "{\"name\": \"a\", \"ends\": [[%g, 0], [%g, 1]], \"mass\": 1},"
             "{\"name\": \"b\", \"ends\": [[%g, 1], [%g, 1]], \"mass\": 1},"
             "{\"name\": \"c\", \"ends\": [[%g, 0], [%g, 1]], \"mass\": 1}], \"joints\": ["
             "{\"name\": \"A\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"a\"],"
             "\"at\": [%g, 0]}, {\"name\": \"B\", \"type\": \"revolute\", \"bodies\": [\"a\","
             "\"b\"], \"at\": [%g, 1]}, {\"name\": \"C\", \"type\": \"revolute\", \"bodies\": ["
             "\"b\", \"c\"], \"at\": [%g, 1]}, {\"name\": \"D\", \"type\": \"revolute\","
             "\"bodies\": [\"c\", \"ground\"], \"at\": [%g, 0]}]}",
             x, x, x, x + 1, x + 1, x + 1, x, x, x + 1, x + 1);
    return rig_parse(json);
}

/// Places are rounded to eps of their distance from the origin, and sizes of mechanisms count.
CLAIM(places_far_away_allow_less)
{
    for (int k = 0; k <= 4; k++) {
        char reason[256];
        trm_error err = {.status = TRM_OK};
        trm_options options;
        const double away = pow(10, k);
        rig r = loop_at(away);
        rig_ok(trm_choose_options(r.model, 1e-6, &options, reason, &err), &err);
        near("rtol", options.rtol, 1e-8, 1e-20);
        rig_ok(trm_choose_options(r.model, 1e-12, &options, reason, &err), &err);
        assert_true(options.rtol >= 0.5e-13 * away && options.rtol <= 2e-13 * away);
        assert_true(k == 0 || strstr(reason, ", so far from the origin") != NULL);
        rig_close(&r);
    }
}
