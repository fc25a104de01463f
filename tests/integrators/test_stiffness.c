/// Stiffness as explicit pairs see it: its counters, its rate and its direction in closed form.
#include "integrators/trajectory/stiffness.h"
#include "program/run_details.h"
#include "simulation/studies/stiff_switching.h"
#include "tests/rig.h"

enum { N = 3 };

typedef double curve(double t);

static double back_and_forth; // of every second point

/// Points of a motion, h apart, as accepted steps give them. Returns in how many of them the steps
/// are shorter than it asks for.
static int points_found(curve *x, double h, int count, double tolerance)
{
    double past[TRM_STIFF_POINTS][N];
    trm_stiffness s = {.found = 0};
    int found = 0;
    for (int j = 0; j < TRM_STIFF_POINTS; j++) {
        s.past[j] = past[j];
    }
    for (int i = 0; i < count * TRM_STIFF_SPAN; i++) {
        const double t = i * h, wiggle = i / TRM_STIFF_SPAN % 2 ? back_and_forth : 0;
        const double y[N] = {x(t) + wiggle, x(t + 1) + wiggle, x(t + 2)};
        if (trm_stiffness_is_due(&s)) {
            trm_stiffness_note(&s, t, N, y, NULL, tolerance, tolerance);
        }
        found += s.found && s.steps == 0;
    }
    return found;
}

static double slow(double t)
{
    return cos(0.1 * t);
}

static double fast(double t)
{
    return cos(t);
}

static double rest(double t)
{
    (void)t;
    return 0.7;
}

/// A method of order 8 has errors like h^8/9! in a step of h radians. Even where it takes steps of
/// a quarter of what that allows, no formula of backward differences gets on by four of them.
CLAIM(a_motion_that_is_resolved_is_not_stiff)
{
    for (double tolerance = 1e-2; tolerance > 1e-13; tolerance /= 10) {
        const double h = 0.9 * pow(tolerance * 362880, 1.0 / 8) / TRM_STIFF_SPAN;
        assert_int_equal(points_found(fast, h, 60, tolerance), 0);
    }
}

/// A thousand steps in a time in which the motion turns by a thousandth of a radian.
CLAIM(steps_shorter_than_the_motion_asks_for_are_stiff)
{
    for (double tolerance = 1e-2; tolerance > 1e-13; tolerance /= 10) {
        // the first six points are kept only; then all say so
        assert_int_equal(points_found(slow, 1e-5, 60, tolerance), 60 - TRM_STIFF_POINTS);
        assert_int_equal(points_found(rest, 1e-5, 60, tolerance), 60 - TRM_STIFF_POINTS);
    }
}

/// Motion back and forth within the tolerance is none: a law that is narrower does that.
CLAIM(motion_within_the_tolerance_does_not_hide_it)
{
    const double tolerance = 1e-5;
    back_and_forth = 0.3 * tolerance;
    assert_true(points_found(slow, 1e-5, 60, tolerance) > 40);
    back_and_forth = 30 * tolerance;
    assert_int_equal(points_found(slow, 1e-5, 60, tolerance), 0);
    back_and_forth = 0;
}

/// Steps that come ever nearer to what lies before them, a third of the last each, say nothing: the
/// past points do not show it. Where they no longer shrink they do.
CLAIM(steps_that_shrink_are_cut_for_what_comes)
{
    double past[TRM_STIFF_POINTS][N];
    trm_stiffness s = {.found = 0};
    for (int j = 0; j < TRM_STIFF_POINTS; j++) {
        s.past[j] = past[j];
    }
    double t = 0, h = 0.1;
    for (int i = 0; i < 40; i++) {
        const double y[N] = {t, 1, 2 * t};
        trm_stiffness_note(&s, t, N, y, NULL, 1e-6, 1e-6);
        assert_true(i < 20 ? !s.found : i < 20 + TRM_STIFF_POINTS || s.found);
        h = i < 20 ? h / 3 : h;
        t += h;
    }
}

/// |k - k*| / |y - y*| = 10/5; no difference, no rate.
CLAIM(two_stages_have_a_rate)
{
    static const double zero[N] = {0.0, 0.0, 0.0}, y[N] = {3.0, 0.0, 4.0}, k[N] = {0.0, 6.0, 8.0};
    const trm_stage_twins twins = {.n = N, .y = y, .y_star = zero, .k = k, .k_star = zero};
    const trm_stage_twins same = {.n = N, .y = zero, .y_star = zero, .k = k, .k_star = zero};
    double direction[N];
    trm_stiffness found = {.direction = direction};
    trm_stiffness_measure(&found, &twins);
    near("rate", found.rate, 2.0, 1e-15);
    assert_memory_equal(direction, y, sizeof y);
    trm_stiffness_measure(&found, &same);
    assert_true(found.rate == 0.0);
}

/// A mass of 2 kg behind a damper of 20000 N s/m, and a bullet that nothing holds and that is no
/// part of the stiff direction.
CLAIM(a_damper_is_named_with_its_rate)
{
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
        assert_string_equal(stiff.unit, "N s/m");
        assert_true(!stiff.is_rotation && !stiff.is_spring);
        rig_close(&r);
    }
}

/// 2 kg at 1e-3 m/s, on a spring and damper without its numbers.
#define BLOCK                                                                                      \
    "{\"dimension\":2,\"gravity\":[0,0],\"bodies\":[{\"name\":\"a\",\"mass\":2,\"inertia\":1,"     \
    "\"position\":[1,0],\"velocity\":[1e-3,0]}],\"markers\":[{\"name\":\"A\",\"body\":\"a\","      \
    "\"at\":"                                                                                      \
    "[1,0]},{\"name\":\"O\",\"body\":\"ground\",\"at\":[-9,0]}],\"forces\":[{\"type\":"            \
    "\"spring_damper\",\"markers\":[\"O\",\"A\"],\"rest_length\":9,"

/// The same damper as three of a third each: none has half of the rate, so none is its source.
CLAIM(of_many_alike_none_is_named)
{
    rig r = rig_parse(BLOCK "\"repeat\":{\"i\":3},\"name\":\"d{i}\",\"stiffness\":1,"
                            "\"damping\":\"20000/3\"}]}");
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
CLAIM(a_damper_in_a_tree_has_its_rate)
{
    static const char text[] =
        "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":["
        "{\"name\":\"a\",\"mass\":3,\"ends\":[[0,0],[1,0]]}],\"joints\":[{\"name\":\"P\","
        "\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0]}],\"forces\":["
        "{\"name\":\"d\",\"type\":\"joint_spring_damper\",\"joint\":\"P\",\"damping\":10000}],"
        "\"simulation\":{\"coordinates\":\"joint\"}}";
    static const trm_integrator both[] = {TRM_INTEGRATOR_DOPRI5, TRM_INTEGRATOR_DOP853};
    for (int i = 0; i < 2; i++) {
        rig r = rig_parse(text);
        trm_stiff stiff;
        rig_start(&r, rig_adaptive(both[i], TRM_STABILIZATION_PLAIN, 1e-5, 1e-5));
        rig_run(&r, 1.0);
        assert_true(trm_sim_stiff(r.sim, &stiff));
        near("rate", stiff.rate, 1e4, 0.01 * 1e4);
        assert_string_equal(stiff.source, "d");
        assert_true(stiff.is_rotation && !stiff.is_spring);
        assert_string_equal(stiff.unit, "N m s/rad");
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
CLAIM(work_is_not_looked_at)
{
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

/// 2 kg on a damper of 20000 N s/m: a rate of 1e4 1/s.
static rig dragged(const trm_options *options)
{
    rig r = rig_parse(BLOCK "\"name\":\"d\",\"stiffness\":3,\"damping\":20000}]}");
    rig_start(&r, *options);
    return r;
}

/// Found with the force and the rate that make it stiff, whether or not it may be handed over.
CLAIM(a_stiff_run_is_handed_over)
{
    for (int may = 0; may < 2; may++) {
        trm_error err = {.status = TRM_OK};
        trm_options options =
            rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_S_BOTH2, 1e-5, 1e-5);
        options.hand_over = may;
        rig r = dragged(&options);
        trm_sim *const before = r.sim;
        while (!trm_sim_hand_over(r.sim).found && trm_sim_state(r.sim).t < 1) {
            rig_ok(trm_sim_step(r.sim, &err), &err);
        }
        const trm_hand_over told = trm_sim_hand_over(r.sim);
        assert_true(told.found && told.t == r.sim->run.before.t && r.sim == before);
        assert_true(told.implicit == (told.available && may) && told.changes == told.implicit);
        assert_string_equal(told.stiff.source, "d");
        // at the border a step of 3.3/1e4 s takes several evaluations
        assert_true(r.sim->stiff_switching.pace > 0 && r.sim->stiff_switching.pace < 3.4e-4);
        if (told.implicit) { // in an instant, where the pair would take 2e5 steps
            rig_run(&r, 100);
            assert_true(trm_sim_stats(r.sim).steps < 2000);
            const double q[] = {1, 0, 0}, v[] = {1e-3, 0, 0};
            rig_ok(trm_sim_set_state(r.sim, 0, q, v, &err), &err);
            rig_ok(trm_sim_step(r.sim, &err), &err);
            assert_false(trm_sim_hand_over(r.sim).implicit);
        }
        rig_close(&r);
    }
}

/// Saved while ida steps it, a run is handed back; it and the run restored from it take the same
/// steps. A run of ida that is restored goes on by its own method.
CLAIM(a_run_of_ida_is_saved_and_restored)
{
    trm_error err = {.status = TRM_OK};
    trm_options options =
        rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_S_BOTH2, 1e-5, 1e-5);
    options.hand_over = 1;
    rig r = dragged(&options), other = r;
    rig_ok(trm_sim_create(r.model, &options, &other.sim, &err), &err);
    const size_t size = trm_sim_state_size(r.sim);
    char *const bytes = malloc(size);
    assert_non_null(bytes);
    rig_run(&r, 1);
    rig_run(&other, 1);
    trm_sim *const address = other.sim;
    if (trm_sim_hand_over(r.sim).available) { // else a build without SUNDIALS
        assert_true(trm_sim_hand_over(r.sim).implicit && trm_sim_hand_over(other.sim).implicit);
    }
    assert_int_equal(trm_sim_state_size(r.sim), size);
    rig_ok(trm_sim_save(r.sim, bytes, size, &err), &err);
    assert_false(trm_sim_hand_over(r.sim).implicit);
    assert_int_equal(trm_sim_restore(other.sim, bytes, size / 2, &err), TRM_ERR_OPTIONS);
    assert_true(trm_sim_state(other.sim).t == 1); // as it was
    rig_ok(trm_sim_restore(other.sim, bytes, size, &err), &err);
    assert_true(other.sim == address && !trm_sim_hand_over(other.sim).implicit);
    for (int k = 0; k < 300; k++) {
        rig_ok(trm_sim_step(r.sim, &err), &err);
        rig_ok(trm_sim_step(other.sim, &err), &err);
        assert_true(trm_sim_state(r.sim).t == trm_sim_state(other.sim).t);
        assert_true(rig_q(&r, "a", 0) == rig_q(&other, "a", 0));
    }
    free(bytes);
    trm_sim_destroy(other.sim);
    rig_close(&r);
}

/// Where ida is the slower one the explicit pair comes back, and stays for ten times as long as the
/// steps that showed it; a method that refuses leaves the run as it is, and is not asked again. A
/// new state begins by the explicit pair.
CLAIM(a_slower_ida_is_left)
{
    trm_error err = {.status = TRM_OK};
    static const char text[] =
        "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":["
        "{\"name\":\"a\",\"mass\":2,\"ends\":[[0,0],[1,0]]}],\"joints\":[{\"name\":\"P\","
        "\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0]}]}";
    rig r = rig_parse(text);
    trm_options options =
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-4, 1e-4);
    options.hand_over = 1;
    rig_start(&r, options);
    rig_run(&r, 0.1);
    if (!trm_sim_hand_over(r.sim).available) { // a build without SUNDIALS
        rig_close(&r);
        return;
    }
    trm_stiff_switching *const change = &r.sim->stiff_switching;
    const double rtol = r.sim->run.options.rtol;
    for (int refused = 1; refused >= 0; refused--) {
        r.sim->run.stiffness.found = 1;
        r.sim->run.stiffness.rate = 1;
        change->step_mark = -1000;
        change->ida = TRM_IDA_MAY_STEP;
        r.sim->run.options.rtol = refused ? -1 : rtol;
        rig_ok(trm_stiff_switching_where_due(r.sim, &err), &err);
        assert_true((change->ida == TRM_IDA_MAY_STEP) == !refused && change->in_ida == !refused);
        assert_true(change->method_changes == !refused);
        r.sim->run.options.rtol = rtol;
    }
    change->pace = INFINITY; // no method is as fast
    double t = 0, since = 0;
    while (change->in_ida && t < 100) {
        t = trm_sim_state(r.sim).t;
        since = change->t_mark;
        rig_ok(trm_sim_step(r.sim, &err), &err);
    }
    assert_true(!change->in_ida && change->method_changes == 2);
    near("not before", change->t_retry, t + 10 * (t - since), 1e-12 * t);
    const double q[] = {0.5, 0, 0}, v[] = {0, 0, 0};
    rig_ok(trm_sim_set_state(r.sim, 0, q, v, &err), &err);
    rig_run(&r, 1);
    assert_true(change->method_changes == 0 && !change->in_ida);
    rig_close(&r);
}
