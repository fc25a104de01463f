// Crossings of singular positions at any accuracy, by fixed steps, with noise, and rest beside one;
// the claims of docs/explanation/singular_positions.md in reduced length. The tables themselves:
// validation/singular/.

#include "simulation/run/simulation.h"
#include "tests/simulation/singular/singular.h"

CLAIM(two_hundred_crossings_by_the_default_method)
{
    rig bars = rig_load("double_four_bar", NULL);
    check_kept("double_four_bar", run_to(&bars, rig_choose(&bars, 1e-6), 194), 200, 1e-6);
    rig_close(&bars);
    rig crank = rig_load("slider_crank_turn", disturbed);
    check_kept("slider_crank_turn", run_to(&crank, rig_choose(&crank, 1e-6), 186.2), 200, 1e-6);
    rig_close(&crank);
}

/// Steps are then so long that velocities cannot be extrapolated to a crossing, and few of them lie
/// between two crossings.
CLAIM(a_loose_accuracy_keeps_the_branch)
{
    for (int k = 1; k <= 4; k++) {
        const double accuracy = pow(10, -1 - k / 2.0);
        rig bars = rig_load("double_four_bar", NULL);
        check_kept("bars", run_to(&bars, rig_choose(&bars, accuracy), 9.7), 10, accuracy);
        rig_close(&bars);
        rig crank = rig_load("slider_crank_turn", disturbed);
        check_kept("crank", run_to(&crank, rig_choose(&crank, accuracy), 9.3), 10, accuracy);
        rig_close(&crank);
    }
}

/// No accuracy is unlucky: the lengths of the steps between two crossings are all met once.
CLAIM(no_accuracy_misses_a_crossing)
{
    rig crank = rig_load("slider_crank_turn", disturbed);
    for (int k = 0; k < 60; k++) {
        const double accuracy = pow(10, -0.9 - k / 40.0);
        check_kept("crank", run_to(&crank, rig_choose(&crank, accuracy), 9.3), 10, accuracy);
    }
    rig_close(&crank);
}

/// Long steps are no jumps of the velocity.
CLAIM(no_accuracy_takes_long_steps_for_jumps)
{
    rig bars = rig_load("four_bar", NULL);
    for (int k = 0; k < 40; k++) {
        const double accuracy = pow(10, -0.05 - k / 40.0);
        const trm_report report = run_to(&bars, rig_choose(&bars, accuracy), 9.7);
        assert_int_equal(report.branch_changes, 0);
        assert_int_equal(report.crossings, 10);
        below("four_bar", report.energy_error_relative, accuracy);
        assert_true((double)trm_sim_stats(bars.sim).steps < 50 * pow(accuracy, -1.0 / 12));
    }
    rig_close(&bars);
}

/// Off the constraints a redundant row is independent, and its demand there is an error. An idle
/// row lets a step be as long as the motion allows.
CLAIM(redundant_rows_do_not_shorten_steps)
{
    rig r = rig_load("bricard", NULL);
    for (int k = 0; k <= 12; k++) {
        const double accuracy = pow(10, -0.2 - k / 2.0);
        const trm_report report = run_to(&r, rig_choose(&r, accuracy), 10);
        check_kept("bricard", report, 0, accuracy);
        const trm_stats stats = trm_sim_stats(r.sim);
        assert_true((double)stats.steps < 30 * pow(accuracy, -1.0 / 12));
        assert_true(stats.rejected <= 1);
    }
    rig_close(&r);
}

/// A tighter tolerance may not make the energy worse, apart from roundoff, a factor, and errors far
/// below the tolerance.
static void check_ladder(const char *scene, const char *const *settings, trm_integrator integrator,
                         int tightest)
{
    // 5000 steps at most, the energy of each off by about 10 eps: 1e-11. No theory gives the
    // factor: it says how much luck one tolerance may have over the next.
    const double factor = 2, roundoff = 1e-11;
    rig r = rig_load(scene, settings);
    double before = INFINITY;
    for (int k = 5; k <= tightest; k++) {
        const double rtol = pow(10, -k);
        const trm_options options = rig_adaptive(integrator, TRM_STABILIZATION_S_BOTH2, rtol, rtol);
        const trm_report report = run_to(&r, options, 5);
        assert_int_equal(report.branch_changes, 0);
        below(scene, report.energy_error_relative, factor * fmax(before, rtol) + roundoff);
        below(scene, report.energy_error_relative, 100 * rtol + roundoff + (k == 5 ? 1e-3 : 0));
        assert_true(trm_sim_stats(r.sim).steps < 5000);
        before = fmin(before, report.energy_error_relative);
    }
    rig_close(&r);
}

CLAIM(tighter_is_never_worse)
{
    check_ladder("double_four_bar", NULL, TRM_INTEGRATOR_DOP853, 12);
    check_ladder("double_four_bar", NULL, TRM_INTEGRATOR_DOPRI5, 12);
    check_ladder("slider_crank_turn", disturbed, TRM_INTEGRATOR_DOP853, 12);
    check_ladder("slider_crank_turn", disturbed, TRM_INTEGRATOR_DOPRI5, 12);
    // forty directions at once: docs/explanation/singular_positions.md, Limits
    check_ladder("four_bar_40", NULL, TRM_INTEGRATOR_DOP853, 9);
    check_ladder("four_bar_40", NULL, TRM_INTEGRATOR_DOPRI5, 9);
}

/// At tolerances as loose as these the branch is kept, if not many digits.
CLAIM(loose_tolerances_keep_the_branch)
{
    const char *const scenes[] = {"double_four_bar", "slider_crank_turn", "four_bar_40"};
    const double rtol[] = {3e-4, 1e-4, 3e-5};
    for (int i = 0; i < 3; i++) {
        rig r = rig_load(scenes[i], i == 1 ? disturbed : NULL);
        for (int k = 0; k < 6; k++) {
            const trm_options options =
                rig_adaptive(k % 2 ? TRM_INTEGRATOR_DOPRI5 : TRM_INTEGRATOR_DOP853,
                             TRM_STABILIZATION_S_BOTH2, rtol[k / 2], rtol[k / 2]);
            const trm_report report = run_to(&r, options, 5);
            assert_int_equal(report.branch_changes, 0);
            below(scenes[i], report.energy_error_relative, 0.02);
        }
        rig_close(&r);
    }
}

CLAIM(fixed_steps_pass)
{
    const double h[] = {1e-2, 1e-3, 1e-4};
    rig bars = rig_load("double_four_bar", NULL);
    rig crank = rig_load("slider_crank_turn", disturbed);
    for (int k = 0; k < 3; k++) {
        const trm_options options = rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, h[k]);
        check_kept("double_four_bar", run_to(&bars, options, 3), 3, 1e-6);
        check_kept("slider_crank_turn", run_to(&crank, options, 3), 3, 3e-6);
    }
    rig_close(&bars);
    rig_close(&crank);
}

/// At the zero of the row that vanishes the rest is closed before anything is told: a position open
/// by what a coarse step errs by looks like that of bars which let pass only beside it.
CLAIM(coarse_steps_do_not_make_equal_bars_unequal)
{
    const trm_stabilization methods[] = {TRM_STABILIZATION_S_BOTH2, TRM_STABILIZATION_S_POS,
                                         TRM_STABILIZATION_BAUMGARTE};
    rig r = rig_load("slider_crank_turn", NULL);
    for (int k = 0; k < 3; k++) {
        const trm_report report = run_to(&r, rig_fixed(TRM_INTEGRATOR_RK4, methods[k], 0.05), 2);
        assert_int_equal(report.crossings, 2);
        assert_int_equal(report.undecided, 0);
    }
    rig_close(&r);
}

/// A step may end within the dip of sigma: the crossing is the zero in between, not that end.
CLAIM(an_end_within_the_dip_does_not_blur_the_zero)
{
    rig r = rig_load("slider_crank_turn", NULL);
    const double t = first_crossing(&r);
    for (int n = 5; n <= 40; n *= 2) {
        trm_crossing crossing;
        run_to(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, t / n), 1);
        assert_true(trm_sim_crossing(r.sim, 0, &crossing));
        below("sigma", crossing.sigma, trm_direction_blind());
    }
    rig_close(&r);
}

/// What a failure there names: of the rows that are lost the one with the largest part, none where
/// no row is weak.
CLAIM(the_weakest_row_is_one_that_is_lost)
{
    const char *const upright[] = {"phi0", "pi/2", NULL};
    rig r = rig_load("slider_crank_turn", upright);
    trm_crossing crossing;
    rig_start(&r, assembling(rig_choose(&r, 1e-6)));
    assert_true(trm_sim_crossing(r.sim, 0, &crossing));
    int loss = 0;
    for (int i = 0; i < crossing.nrows; i++) {
        loss |= crossing.rows[i] == r.sim->run.weak_row;
    }
    assert_true(loss);
    below("sigma", r.sim->run.weak_sigma, trm_direction_blind());
    rig_run(&r, 0.3);
    assert_int_equal(r.sim->run.weak_row, -1);
    rig_close(&r);
}

/// Joints of a drifting form are open by a part of a thousandth: each crossing that is told of, and
/// no other one, still lies where the run's own crank stands upright, to a step.
CLAIM(an_open_run_crosses_where_its_crank_is_upright)
{
    enum { STEPS = 200 };
    const trm_integrator integrators[] = {TRM_INTEGRATOR_RK4, TRM_INTEGRATOR_RK4,
                                          TRM_INTEGRATOR_HEUN, TRM_INTEGRATOR_HEUN,
                                          TRM_INTEGRATOR_MIDPOINT};
    const double h[] = {0.05, 0.02, 0.03, 0.01, 0.02};
    rig r = rig_load("slider_crank_turn", NULL);
    for (int i = 0; i < 5; i++) {
        double angle[STEPS + 1] = {pi / 4};
        rig_start(&r, assembling(rig_fixed(integrators[i], TRM_STABILIZATION_BAUMGARTE, h[i])));
        for (int k = 1; k <= STEPS; k++) {
            rig_run(&r, k * h[i]);
            angle[k] = trm_sim_state(r.sim).q[2];
        }
        long n = 0;
        for (int k = 1; k <= STEPS; k++) {
            trm_crossing crossing;
            if (cos(angle[k - 1]) * cos(angle[k]) < 0) {
                assert_true(trm_sim_crossing(r.sim, n++, &crossing));
                near("crossing", crossing.t, (k - 0.5) * h[i], h[i]);
            }
        }
        assert_int_equal(trm_sim_report(r.sim).crossings, n);
        assert_true(n > 1);
    }
    rig_close(&r);
}

CLAIM(forty_ranks_drop_at_once)
{
    rig r = rig_load("four_bar_40", NULL);
    trm_error err = {.status = TRM_OK};
    trm_crossing crossing;
    long found = 0; // directions, in all steps: eight tell nothing where forty fold
    rig_start(&r, assembling(rig_choose(&r, 1e-6)));
    for (; trm_sim_state(r.sim).t < 3; found += r.sim->monitor.ncontinuations) {
        rig_ok(trm_sim_step(r.sim, &err), &err);
    }
    assert_true(found < trm_sim_stats(r.sim).steps + TRM_CONTINUATIONS);
    check_kept("four_bar_40", trm_sim_report(r.sim), 3, 1e-8);
    assert_true(trm_sim_crossing(r.sim, 0, &crossing));
    assert_int_equal(crossing.rank_before, 242);
    assert_int_equal(crossing.rank_at, 202);
    rig_close(&r);
}

CLAIM(noise_does_not_throw_it_off)
{
    rig r = rig_load("slider_crank_turn", disturbed);
    unsigned long long seed = 12345;
    double dq[6];
    rig_start(&r, assembling(rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PROJECTION, 2e-3)));
    for (int n = 0; n < 2500; n++) {
        trm_error err = {.status = TRM_OK};
        for (int i = 0; i < 6; i++) {
            seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
            dq[i] = 1e-7 * ((double)(seed >> 11) / 4503599627370496.0 - 1);
        }
        rig_ok(trm_sim_step(r.sim, &err), &err);
        rig_ok(trm_sim_perturb(r.sim, dq, NULL, &err), &err);
    }
    assert_int_equal(trm_sim_report(r.sim).branch_changes, 0);
    below("energy", trm_sim_report(r.sim).energy_error_relative, 0.01);
    rig_close(&r);
}

/// Accepted points open by 1e-5, some of them within 1e-4 of the singular position: the
/// acceleration there is that of the motion, not that of the open row. 0.05 is chosen: 15000 shifts
/// of up to 1e-5 m change the energy by some thousandths of itself, since they add up at random.
CLAIM(points_open_by_noise_go_on)
{
    rig r = rig_load("slider_crank_turn", NULL);
    for (int k = 1; k <= 6; k++) {
        unsigned long long seed = (unsigned long long)k * 7919 + 1;
        double dq[6];
        rig_start(&r, assembling(rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 2e-3)));
        while (trm_sim_state(r.sim).t < 30) {
            trm_error err = {.status = TRM_OK};
            rig_ok(trm_sim_step(r.sim, &err), &err);
            for (int i = 0; i < 6; i++) {
                seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
                dq[i] = 1e-5 * ((double)(long long)(seed >> 11) / 4503599627370496.0 - 1);
            }
            rig_ok(trm_sim_perturb(r.sim, dq, NULL, &err), &err);
        }
        assert_int_equal(trm_sim_report(r.sim).branch_changes, 0);
        below("energy", trm_sim_report(r.sim).energy_error_relative, 0.05);
    }
    rig_close(&r);
}

/// What is left of the velocity is roundoff, and so are its jumps. At the end the spring carries
/// the weight of both bars: 2000 (1.4 + rest - phi) = 9.81 cos(phi).
CLAIM(it_may_come_to_rest_nearby)
{
    const trm_stabilization post[] = {TRM_STABILIZATION_S_BOTH, TRM_STABILIZATION_S_BOTH2,
                                      TRM_STABILIZATION_PROJECTION};
    for (int k = 0; k < 6; k++) {
        rig r = rig_load("../tests/scenes/held_loop", NULL);
        const trm_integrator integrator = k < 3 ? TRM_INTEGRATOR_DOPRI5 : TRM_INTEGRATOR_DOP853;
        run_to(&r, rig_adaptive(integrator, post[k % 3], 1e-8, 1e-8), 10);
        const double phi = rig_q(&r, "crank", 2);
        near("phi", phi, 1.55 - 9.81 * cos(phi) / 2000, 1e-7);
        assert_int_equal(trm_sim_report(r.sim).branch_changes, 0);
        rig_close(&r);
    }
}
