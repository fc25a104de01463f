/// Stiffness as explicit pairs see it: its counters, its rate and its direction in closed form.
#include "integrators/trajectory/stiffness.h"
#include "tests/rig.h"
#include "trammel/trammel_report.h"

static const double zero[3] = {0.0, 0.0, 0.0};

/// |k - k*| / |y - y*| = 10/5, and steps of h.
static int note(trm_stiffness *s, double h)
{
    static const double y[3] = {3.0, 0.0, 4.0}, k[3] = {0.0, 6.0, 8.0};
    const trm_stage_twins twins = {
        .n = 3, .h = h, .border = 3.9, .y = y, .y_star = zero, .k = k, .k_star = zero};
    return trm_stiffness_note(s, &twins);
}

/// Found after fifteen steps at the border, forgotten after six in a row within it.
static void fifteen_steps_find_it_and_six_forget(void **state)
{
    (void)state;
    trm_stiffness s;
    memset(&s, 0, sizeof s);
    for (int i = 1; i <= 15; i++) {
        assert_int_equal(s.found, 0);
        assert_true(trm_stiffness_is_due(&s, 65) == (i > 1));
        assert_int_equal(note(&s, 2.0), 1);
        near("rate", s.rate, 2.0, 1e-15);
        for (int calm = 0; calm < 5 && i < 15; calm++) {
            assert_int_equal(note(&s, 1.9), 0);
            assert_int_equal(s.border, i);
        }
    }
    assert_true(s.found);
    for (int calm = 1; calm <= 6; calm++) {
        assert_true(s.found && s.rate > 0.0);
        assert_int_equal(note(&s, 1.9), 0);
    }
    assert_true(!s.found && s.rate == 0.0 && s.border == 0 && s.calm == 0);
    assert_true(trm_stiffness_is_due(&s, 0) && trm_stiffness_is_due(&s, 128));
    assert_true(!trm_stiffness_is_due(&s, 1) && !trm_stiffness_is_due(&s, 127));
    const trm_stage_twins same = {
        .n = 3, .h = 1e9, .border = 3.9, .y = zero, .y_star = zero, .k = zero, .k_star = zero};
    assert_int_equal(trm_stiffness_note(&s, &same), 0);
}

/// A mass of 2 kg behind a damper of 20000 N s/m, and a bullet that nothing holds and that is no
/// part of the stiff direction.
static void a_damper_is_named_with_its_rate(void **state)
{
    (void)state;
    static const char text[] =
        "{\"dimension\":2,\"gravity\":[0,0],\"bodies\":["
        "{\"name\":\"a\",\"mass\":2,\"inertia\":1,\"position\":[1,0],\"velocity\":[1e-3,0]},"
        "{\"name\":\"b\",\"mass\":3,\"inertia\":1,\"position\":[0,5],\"velocity\":[100,0]}],"
        "\"markers\":[{\"name\":\"A\",\"body\":\"a\",\"at\":[1,0]},"
        "{\"name\":\"O\",\"body\":\"ground\",\"at\":[-9,0]}],"
        "\"forces\":[{\"name\":\"d\",\"type\":\"spring_damper\",\"markers\":[\"O\",\"A\"],"
        "\"stiffness\":3,\"rest_length\":9,\"damping\":20000}]}";
    static const trm_integrator both[] = {TRM_INTEGRATOR_DOPRI5, TRM_INTEGRATOR_DOP853};
    for (int i = 0; i < 2; i++) {
        rig r = rig_parse(text);
        trm_stiff stiff;
        rig_start(&r, rig_adaptive(both[i], TRM_STABILIZATION_S_BOTH2, 1e-5, 1e-5));
        assert_int_equal(trm_sim_stiff(r.sim, &stiff), 0);
        rig_run(&r, 1.0);
        assert_true(trm_sim_stiff(r.sim, &stiff));
        near("rate", stiff.rate, 1e4, 0.01 * 1e4);
        assert_string_equal(stiff.source, "d");
        near("c", stiff.coefficient, 20000.0, 1.0);
        near("m", stiff.inertia, 2.0, 1e-3);
        near("c/m", stiff.share_rate, 1e4, 1.0);
        assert_string_equal(trm_stiff_unit(&stiff), "N s/m");
        assert_true(!stiff.is_rotation && !stiff.is_spring);
        rig_close(&r);
    }
}

/// The same damper as three of a third each: none has half of the rate, so none is its source.
static void of_many_alike_none_is_named(void **state)
{
    (void)state;
    static const char text[] =
        "{\"dimension\":2,\"gravity\":[0,0],\"bodies\":["
        "{\"name\":\"a\",\"mass\":2,\"inertia\":1,\"position\":[1,0],\"velocity\":[1e-3,0]}],"
        "\"markers\":[{\"name\":\"A\",\"body\":\"a\",\"at\":[1,0]},"
        "{\"name\":\"O\",\"body\":\"ground\",\"at\":[-9,0]}],"
        "\"forces\":[{\"repeat\":{\"i\":3},\"name\":\"d{i}\",\"type\":\"spring_damper\","
        "\"markers\":[\"O\",\"A\"],\"stiffness\":1,\"rest_length\":9,\"damping\":\"20000/3\"}]}";
    rig r = rig_parse(text);
    trm_stiff stiff;
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_S_BOTH2, 1e-5, 1e-5));
    rig_run(&r, 1.0);
    assert_true(trm_sim_stiff(r.sim, &stiff));
    near("rate", stiff.rate, 1e4, 0.01 * 1e4);
    assert_string_equal(stiff.source, "");
    rig_close(&r);
}

/// A lever of I = 1 about its hinge, with a damper of 1e4 N m s/rad in it, in the coordinate of the
/// hinge.
static void a_damper_in_a_tree_has_its_rate(void **state)
{
    (void)state;
    static const char text[] =
        "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":["
        "{\"name\":\"a\",\"mass\":3,\"ends\":[[0,0],[1,0]]}],\"joints\":[{\"name\":\"P\","
        "\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0]}],\"forces\":["
        "{\"name\":\"d\",\"type\":\"joint_spring_damper\",\"joint\":\"P\",\"damping\":10000}]}";
    static const trm_integrator both[] = {TRM_INTEGRATOR_DOPRI5, TRM_INTEGRATOR_DOP853};
    for (int i = 0; i < 2; i++) {
        rig r = rig_parse(text);
        trm_stiff stiff;
        rig_start(&r, rig_adaptive(both[i], TRM_STABILIZATION_TREE, 1e-5, 1e-5));
        rig_run(&r, 1.0);
        assert_true(trm_sim_stiff(r.sim, &stiff));
        near("rate", stiff.rate, 1e4, 0.01 * 1e4);
        assert_string_equal(stiff.source, "d");
        assert_true(stiff.is_rotation && !stiff.is_spring);
        assert_string_equal(trm_stiff_unit(&stiff), "N m s/rad");
        rig_close(&r);
    }
}

/// A coordinate that a row moves, whose reaction works with 1e20 W, beside one with a damper of 1e4
/// N s/m on 1 kg.
static int driven_and_damped(const trm_model *model, double t, const double *q, const double *v,
                             double *f, void *user)
{
    (void)model, (void)q, (void)user;
    f[0] = 1e20 * cos(40.0 * t);
    f[1] = -1e4 * (v[1] - cos(t));
    return 0;
}

static int clock_g(const trm_model *model, double t, const double *q, double *g, void *user)
{
    (void)model, (void)user;
    g[0] = q[0] - t;
    return 0;
}

static int clock_G(const trm_model *model, double t, const double *q, double *G, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    G[0] = 1.0;
    G[1] = 0.0;
    return 0;
}

static int clock_g_t(const trm_model *model, double t, const double *q, double *g_t, void *user)
{
    (void)model, (void)t, (void)q, (void)user;
    g_t[0] = -1.0;
    return 0;
}

static int clock_gamma(const trm_model *model, double t, const double *q, const double *v,
                       double *gamma, void *user)
{
    (void)model, (void)t, (void)q, (void)v, (void)user;
    gamma[0] = 0.0;
    return 0;
}

/// Coordinates and velocities show it; the work, however large, is none of them. Stages tell 1e-7 m
/// apart at 1e9 m, a step of the damper 1e-9 m: the last velocity alone has the rate.
static void work_is_not_looked_at(void **state)
{
    (void)state;
    static const trm_integrator both[] = {TRM_INTEGRATOR_DOPRI5, TRM_INTEGRATOR_DOP853};
    const double q0[2] = {0.0, 1e9}, v0[2] = {1.0, 1.0};
    for (int i = 0; i < 2; i++) {
        rig r = rig_equations(&(trm_equations){.name = "stiff",
                                               .nq = 2,
                                               .nv = 2,
                                               .nc = 1,
                                               .q0 = q0,
                                               .v0 = v0,
                                               .M = rig_unit_M,
                                               .f = driven_and_damped,
                                               .g = clock_g,
                                               .G = clock_G,
                                               .g_t = clock_g_t,
                                               .gamma = clock_gamma});
        trm_stiff stiff;
        rig_start(&r, rig_adaptive(both[i], TRM_STABILIZATION_S_BOTH2, 1e-5, 1e-5));
        rig_run(&r, 1.0);
        assert_true(trm_sim_stiff(r.sim, &stiff));
        near("rate", stiff.rate, 1e4, 0.01 * 1e4);
        rig_close(&r);
    }
}

/// The run of a damper asks for ida once its pair is at the border, and may not ask without ida.
static void a_stiff_run_asks_for_ida(void **state)
{
    (void)state;
    for (int chosen = 0; chosen < 2; chosen++) {
        rig r = rig_parse(
            "{\"dimension\":2,\"gravity\":[0,0],\"bodies\":[{\"name\":\"a\",\"mass\":2,"
            "\"inertia\":1,\"position\":[1,0],\"velocity\":[1e-3,0]}],\"markers\":[{\"name\":\"A\","
            "\"body\":\"a\",\"at\":[1,0]},{\"name\":\"O\",\"body\":\"ground\",\"at\":[-9,0]}],"
            "\"forces\":[{\"name\":\"d\",\"type\":\"spring_damper\",\"markers\":[\"O\",\"A\"],"
            "\"stiffness\":3,\"rest_length\":9,\"damping\":20000}]}");
        const trm_options options =
            rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_S_BOTH2, 1e-5, 1e-5);
        trm_stiff_switching change;
        trm_error err = {.status = TRM_OK};
        trm_stiff_switching_start(&change, r.model, &options, chosen);
        rig_start(&r, options);
        while (!change.found && trm_sim_state(r.sim).t < 1) {
            rig_ok(trm_sim_step(r.sim, &err), &err);
            trm_stiff_switching_observe(&change, r.sim);
        }
        assert_true(change.found && change.t_found == trm_sim_state(r.sim).t);
        assert_true(change.change_wanted == (change.may_change && chosen));
        assert_string_equal(change.stiff.source, "d");
        // at the border a step of 3.3/1e4 s takes several evaluations
        assert_true(change.pace > 0 && change.pace < 3.4e-4);
        rig_close(&r);
    }
}

/// Where ida is the slower one the explicit pair comes back, and stays for ten times as long as ida
/// was tried; a method that refuses leaves the run as it is, and is not asked again.
static void a_slower_ida_is_left(void **state)
{
    (void)state;
    static const char text[] =
        "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":["
        "{\"name\":\"a\",\"mass\":2,\"ends\":[[0,0],[1,0]]}],\"joints\":[{\"name\":\"P\","
        "\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0]}]}";
    rig r = rig_parse(text);
    const trm_options options =
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-6, 1e-6);
    trm_stiff_switching change;
    trm_error err = {.status = TRM_OK};
    trm_stiff_switching_start(&change, r.model, &options, 1);
    rig_start(&r, options);
    rig_run(&r, 0.1);
    if (!change.may_change) { // a build without SUNDIALS
        rig_close(&r);
        return;
    }
    trm_sim *const before = r.sim;
    const double rtol = change.implicit.rtol;
    change.implicit.rtol = -1;
    rig_ok(trm_stiff_switching_apply(&change, &r.sim, &err), &err);
    assert_true(r.sim == before && !change.may_change && !change.in_ida &&
                change.method_changes == 0);
    change.implicit.rtol = rtol;
    rig_ok(trm_stiff_switching_apply(&change, &r.sim, &err), &err);
    assert_true(change.in_ida && change.method_changes == 1 && change.t_entered == 0.1);
    change.pace = INFINITY; // no method is as fast
    for (double end = 0.2; !change.change_wanted && end < 100; end += 0.1) {
        rig_run(&r, end);
        trm_stiff_switching_observe(&change, r.sim);
    }
    const double t = trm_sim_state(r.sim).t;
    assert_true(change.change_wanted);
    near("not before", change.t_retry, t + 10 * (t - 0.1), 1e-12 * t);
    rig_ok(trm_stiff_switching_apply(&change, &r.sim, &err), &err);
    assert_true(!change.in_ida && change.method_changes == 2);
    rig_close(&r);
}

int test_stiffness(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fifteen_steps_find_it_and_six_forget),
        cmocka_unit_test(work_is_not_looked_at),
        cmocka_unit_test(a_damper_is_named_with_its_rate),
        cmocka_unit_test(of_many_alike_none_is_named),
        cmocka_unit_test(a_damper_in_a_tree_has_its_rate),
        cmocka_unit_test(a_stiff_run_asks_for_ida),
        cmocka_unit_test(a_slower_ida_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
