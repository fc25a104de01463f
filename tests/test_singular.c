// Singular positions: crossings, tolerances, starts, noise, bifurcations, the passport; the claims of
// docs/singular.md in reduced length. The tables themselves: tools/singular_tables.c.

#include "tests/rig.h"

/// phi2 of the slider-crank off by 1e-9, so that no symmetry hides an error.
static const char *const disturbed[] = {"disturb", "1e-9", NULL};

static trm_options assembling(trm_options options)
{
    options.assemble = 1;
    return options;
}

static trm_report run_to(rig *r, trm_options options, double t_end)
{
    rig_start(r, assembling(options));
    rig_run(r, t_end);
    return trm_sim_report(r->sim);
}

static void check_kept(const char *what, trm_report report, long crossings, double energy)
{
    if (report.crossings != crossings || report.branch_changes != 0) {
        fail_msg("%s: %ld crossings, %ld changes of branch", what, report.crossings,
                 report.branch_changes);
    }
    below(what, report.energy_error_relative, energy);
    below(what, report.position_drift, 1e-9);
}

static void two_hundred_crossings_by_the_default_method(void **state)
{
    (void)state;
    rig bars = rig_load("double_four_bar", NULL);
    check_kept("double_four_bar", run_to(&bars, rig_choose(&bars, 1e-6), 194), 200, 1e-8);
    rig_close(&bars);
    rig crank = rig_load("slider_crank_turn", disturbed);
    check_kept("slider_crank_turn", run_to(&crank, rig_choose(&crank, 1e-6), 186.2), 200, 1e-7);
    rig_close(&crank);
}

/// A tighter tolerance may not make the energy worse, but for roundoff and a factor.
static void check_ladder(const char *scene, const char *const *settings, trm_integrator integrator)
{
    const double factor = 2, roundoff = 1e-11;
    rig r = rig_load(scene, settings);
    double before = INFINITY;
    for (int k = 5; k <= 12; k++) {
        const double rtol = pow(10, -k);
        const trm_options options = rig_adaptive(integrator, TRM_S_BOTH2, rtol, rtol);
        const trm_report report = run_to(&r, options, 5);
        assert_int_equal(report.branch_changes, 0);
        below(scene, report.energy_error_relative, factor * before + roundoff);
        below(scene, report.energy_error_relative, 100 * rtol + roundoff + (k == 5 ? 1e-3 : 0));
        assert_true(trm_sim_stats(r.sim).steps < 5000);
        before = fmin(before, report.energy_error_relative);
    }
    rig_close(&r);
}

static void tighter_is_never_worse(void **state)
{
    (void)state;
    check_ladder("double_four_bar", NULL, TRM_DOP853);
    check_ladder("double_four_bar", NULL, TRM_DOPRI5);
    check_ladder("slider_crank_turn", disturbed, TRM_DOP853);
    check_ladder("slider_crank_turn", disturbed, TRM_DOPRI5);
    check_ladder("four_bar_40", NULL, TRM_DOP853);
}

static void fixed_steps_pass(void **state)
{
    (void)state;
    const double h[] = {1e-2, 1e-3, 1e-4};
    rig bars = rig_load("double_four_bar", NULL);
    rig crank = rig_load("slider_crank_turn", disturbed);
    for (int k = 0; k < 3; k++) {
        const trm_options options = rig_fixed(TRM_RK4, TRM_S_BOTH2, h[k]);
        check_kept("double_four_bar", run_to(&bars, options, 3), 3, 1e-6);
        check_kept("slider_crank_turn", run_to(&crank, options, 3), 3, 3e-6);
    }
    rig_close(&bars);
    rig_close(&crank);
}

static void a_run_may_land_on_the_singular_position(void **state)
{
    (void)state;
    rig r = rig_load("double_four_bar", NULL);
    trm_crossing crossing;
    run_to(&r, rig_adaptive(TRM_DOP853, TRM_S_BOTH2, 1e-13, 1e-13), 1);
    assert_true(trm_sim_crossing(r.sim, 0, &crossing));
    rig_start(&r, rig_choose(&r, 1e-6));
    rig_run(&r, crossing.t);
    rig_run(&r, 3);
    check_kept("landed", trm_sim_report(r.sim), 3, 1e-7);
    rig_close(&r);
}

static void a_run_may_start_in_it(void **state)
{
    (void)state;
    const char *const upright[] = {"phi0", "pi/2", "disturb", "1e-9", NULL};
    rig r = rig_load("slider_crank_turn", upright);
    const trm_report report = run_to(&r, rig_choose(&r, 1e-6), 2);
    trm_crossing crossing;
    below("energy", report.energy_error_relative, 1e-6);
    assert_int_equal(report.bifurcations, 0);
    assert_true(trm_sim_crossing(r.sim, 0, &crossing));
    near("time", crossing.t, 0, 1e-8);
    rig_close(&r);
}

static void rest_in_a_singular_position_is_a_bifurcation(void **state)
{
    (void)state;
    const char *const speeds[] = {"0", "1e-9"};
    for (int k = 0; k < 2; k++) {
        const char *const settings[] = {"phi0", "pi/2", "v0", speeds[k], NULL};
        rig r = rig_load("slider_crank_turn", settings);
        const trm_report report = run_to(&r, rig_choose(&r, 1e-6), 0.1);
        assert_int_equal(report.bifurcations, 1);
        near("time", report.first_bifurcation, 0, 0);
        rig_close(&r);
    }
}

static void the_passport_says_what_happened(void **state)
{
    (void)state;
    rig r = rig_load("slider_crank_turn", disturbed);
    const trm_report report = run_to(&r, rig_choose(&r, 1e-6), 2);
    trm_crossing crossing;
    assert_int_equal(report.crossings, 2);
    assert_false(trm_sim_crossing(r.sim, 2, &crossing));
    assert_false(trm_sim_crossing(r.sim, -1, &crossing));
    assert_true(trm_sim_crossing(r.sim, 0, &crossing));
    near("t", crossing.t, 0.353233, 1e-5); // the one-angle equation
    below("sigma", crossing.sigma, 1e-4);
    assert_int_equal(crossing.rank_before, 5);
    assert_int_equal(crossing.rank_at, 4);
    assert_int_equal(crossing.rank_after, 5);
    assert_int_equal(crossing.bifurcation, 0);
    assert_int_equal(crossing.branch_changed, 0);
    assert_true(crossing.judged && crossing.h > 0);
    below("energy lost", fabs(crossing.energy_lost), 1e-8);
    assert_int_equal(crossing.nrows, 3); // all bars in line: the rows across the line
    const char *const joints[] = {"O", "P", "S"};
    for (int i = 0; i < 3; i++) {
        assert_string_equal(trm_model_row_info(r.model, crossing.rows[i]).name, joints[i]);
    }
    rig_close(&r);
}

static void forty_ranks_drop_at_once(void **state)
{
    (void)state;
    rig r = rig_load("four_bar_40", NULL);
    check_kept("four_bar_40", run_to(&r, rig_choose(&r, 1e-6), 3), 3, 1e-9);
    trm_crossing crossing;
    assert_true(trm_sim_crossing(r.sim, 0, &crossing));
    assert_int_equal(crossing.rank_before, 242);
    assert_int_equal(crossing.rank_at, 202);
    rig_close(&r);
    rig bricard = rig_load("bricard", NULL);
    check_kept("bricard", run_to(&bricard, rig_choose(&bricard, 1e-6), 3), 0, 1e-6);
    rig_close(&bricard);
}

static void noise_does_not_throw_it_off(void **state)
{
    (void)state;
    rig r = rig_load("slider_crank_turn", disturbed);
    unsigned long long seed = 12345;
    double dq[6];
    rig_start(&r, assembling(rig_fixed(TRM_RK4, TRM_PROJECTION, 2e-3)));
    for (int n = 0; n < 2500; n++) {
        trm_error err = {.status = TRM_OK};
        for (int i = 0; i < 6; i++) {
            seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
            dq[i] = 1e-7 * ((double)(seed >> 11) / 4503599627370496.0 - 1);
        }
        rig_ok(trm_sim_step(r.sim, &err), &err);
        rig_ok(trm_sim_shift(r.sim, dq, NULL, &err), &err);
    }
    assert_int_equal(trm_sim_report(r.sim).branch_changes, 0);
    below("energy", trm_sim_report(r.sim).energy_error_relative, 0.01);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_hundred_crossings_by_the_default_method),
        cmocka_unit_test(tighter_is_never_worse),
        cmocka_unit_test(fixed_steps_pass),
        cmocka_unit_test(a_run_may_land_on_the_singular_position),
        cmocka_unit_test(a_run_may_start_in_it),
        cmocka_unit_test(rest_in_a_singular_position_is_a_bifurcation),
        cmocka_unit_test(the_passport_says_what_happened),
        cmocka_unit_test(forty_ranks_drop_at_once),
        cmocka_unit_test(noise_does_not_throw_it_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
