// Crossings between and on mesh points, at starts and ends of runs; their log, and the singular
// value.

#include "tests/simulation/singular/singular.h"

/// Wherever the singular positions lie between and on mesh points, the energy is that of the
/// method.
CLAIM(no_fixed_step_meets_it)
{
    const char *const scenes[] = {"double_four_bar", "slider_crank_turn"};
    const double aside[] = {0, 1e-9, 1e-6, -1e-4, 1e-3};
    for (int i = 0; i < 2; i++) {
        rig r = rig_load(scenes[i], i == 1 ? disturbed : NULL);
        const double t = first_crossing(&r);
        for (int k = 0; k < 40; k++) {
            const double n = 60 + 0.125 * (k / 5) + aside[k % 5];
            const trm_report report =
                run_to(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, t / n), 2.3);
            check_kept(scenes[i], report, report.crossings, 1e-6);
            assert_true(report.crossings >= 2);
        }
        rig_close(&r);
    }
}

/// Mesh points on the singular position are met like all others: t = n h.
CLAIM(the_mesh_stays)
{
    rig r = rig_load("double_four_bar", NULL);
    const double h = first_crossing(&r) / 20;
    trm_error err = {.status = TRM_OK};
    rig_start(&r, assembling(rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, h)));
    for (int n = 1; trm_sim_state(r.sim).t < 2; n++) {
        rig_ok(trm_sim_step(r.sim, &err), &err);
        near("mesh", trm_sim_state(r.sim).t / h, n, 1e-9);
    }
    const trm_report report = trm_sim_report(r.sim);
    assert_true(report.crossings >= 2 && report.branch_changes == 0);
    below("energy", report.energy_error_relative, 1e-4);
    const double gap = report.position_drift;
    rig_close(&r);
    below("gap", gap, 3e-9); // 9e-11 to 2.1e-9 for mesh points within 1e-6 s of the position
}

enum { LOOPS = 8 };

/// Parallelograms of equal bars side by side, each with another speed: its bars are in line where
/// its crank is at k pi.
static rig eight_loops(double apart)
{
    static char json[32768];
    size_t n = (size_t)snprintf(json, sizeof json,
                                "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [");
    for (int k = 0; k < LOOPS; k++) {
        const double x = apart * k, v = 1 + 0.05 * k;
        n += (size_t)snprintf(
            json + n, sizeof json - n,
            "%s{\"name\": \"a%d\", \"ends\": [[%g, 0], [%g, 1]], \"mass\": 1,"
            "\"velocity\": [%g, 0], \"rate\": %g}, {\"name\": \"b%d\", \"mass\": 1,"
            "\"ends\": [[%g, 1], [%g, 1]], \"velocity\": [%g, 0]}, {\"name\": \"c%d\", \"mass\": 1,"
            "\"ends\": [[%g, 0], [%g, 1]], \"velocity\": [%g, 0], \"rate\": %g}",
            k ? ", " : "", k, x, x, v / 2, -v, k, x, x + 1, v, k, x + 1, x + 1, v / 2, -v);
    }
    n += (size_t)snprintf(json + n, sizeof json - n, "], \"joints\": [");
    for (int k = 0; k < LOOPS; k++) {
        const double x = apart * k;
        n += (size_t)snprintf(
            json + n, sizeof json - n,
            "%s{\"name\": \"A%d\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"a%d\"],"
            "\"at\": [%g, 0]}, {\"name\": \"B%d\", \"type\": \"revolute\", \"bodies\": [\"a%d\","
            "\"b%d\"], \"at\": [%g, 1]}, {\"name\": \"C%d\", \"type\": \"revolute\", \"bodies\": ["
            "\"b%d\", \"c%d\"], \"at\": [%g, 1]}, {\"name\": \"D%d\", \"type\": \"revolute\","
            "\"bodies\": [\"c%d\", \"ground\"], \"at\": [%g, 0]}",
            k ? ", " : "", k, k, x, k, k, k, x, k, k, k, x + 1, k, k, x + 1);
    }
    snprintf(json + n, sizeof json - n, "]}");
    return rig_parse(json);
}

typedef struct turns {
    double angle[LOOPS];
    long passed[LOOPS];
} turns;

static int take_turns(trm_sim *sim, void *user)
{
    turns *const at = user;
    for (int k = 0; k < LOOPS; k++) {
        const double angle = trm_sim_state(sim).q[9 * k + 2];
        at->passed[k] += labs(lround(floor(angle / pi) - floor(at->angle[k] / pi)));
        at->angle[k] = angle;
    }
    return 0;
}

/// Each crossing is that of one loop, and judged: of[loop] := how many are its own.
static void count_by_rows(const rig *r, long n, long of[LOOPS])
{
    for (long i = 0; i < n; i++) {
        trm_crossing crossing;
        assert_true(trm_sim_crossing(r->sim, i, &crossing) && crossing.judged);
        assert_true(crossing.nrows > 0 && crossing.rank_after == crossing.rank_before);
        const char *const first = trm_model_row_info(r->model, crossing.rows[0]).name;
        for (int k = 1; k < crossing.nrows; k++) {
            assert_int_equal(trm_model_row_info(r->model, crossing.rows[k]).name[1], first[1]);
        }
        of[first[1] - '0']++;
    }
}

/// Run loops with this accuracy; each crossing of a crank is counted once.
static void check_counted(rig *r, double accuracy)
{
    trm_error err;
    turns at = {.passed = {0}};
    long of[LOOPS] = {0};
    rig_start(r, assembling(rig_choose(r, accuracy)));
    for (int i = 0; i < LOOPS; i++) {
        at.angle[i] = trm_sim_state(r->sim).q[9 * i + 2];
    }
    rig_ok(trm_sim_run(r->sim, 10, take_turns, &at, &err), &err);
    const trm_report report = trm_sim_report(r->sim);
    count_by_rows(r, report.crossings, of);
    for (int i = 0; i < LOOPS; i++) {
        assert_int_equal(of[i], at.passed[i]);
        assert_true(of[i] >= 10);
    }
    assert_int_equal(report.branch_changes, 0);
}

/// What a step says of one loop has nothing to do with the others: where several cross in a step,
/// looking for the position of one must not change what is known of the next; where steps are
/// short, one begins to cross before another has ended.
CLAIM(loops_are_counted_each)
{
    rig r = eight_loops(3);
    for (int k = 2; k <= 24; k++) {
        check_counted(&r, pow(10, -k / 2.0));
    }
    rig_close(&r);
}

/// Places of 140 m are rounded to 3e-14 m, and accelerations beside a singular position to that
/// over the square of the distance: steps pass it all the same, in one step each, and the tolerance
/// is what such places allow.
CLAIM(loops_far_away_are_passed)
{
    rig r = eight_loops(20);
    for (int k = 20; k <= 24; k++) {
        check_counted(&r, pow(10, -k / 2.0));
        below("steps", (double)trm_sim_stats(r.sim).steps, 2000);
        below("energy", trm_sim_report(r.sim).energy_error_relative, 1e-7);
    }
    assert_true(rig_choose(&r, 1e-11).rtol > 1e-12);
    rig_close(&r);
}

/// An end that rounding puts a little before the mesh point is that mesh point, in a singular
/// position as well.
CLAIM(an_end_on_the_mesh_is_met)
{
    rig r = rig_load("double_four_bar", NULL);
    const double h = first_crossing(&r) / 40;
    rig_start(&r, assembling(rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, h)));
    rig_run(&r, 40 * h * (1 - 1e-14));
    rig_run(&r, 42 * h);
    assert_int_equal(trm_sim_stats(r.sim).steps, 42);
    below("energy", trm_sim_report(r.sim).energy_error_relative, 1e-5);
    rig_close(&r);
}

CLAIM(a_run_may_land_on_the_singular_position)
{
    rig r = rig_load("double_four_bar", NULL);
    const double t = first_crossing(&r);
    rig_start(&r, rig_choose(&r, 1e-6));
    rig_run(&r, t);
    rig_run(&r, 3);
    check_kept("landed", trm_sim_report(r.sim), 3, 1e-7);
    rig_close(&r);
}

/// A crossing counts in the run that passed it, however shortly before its end, and once only.
CLAIM(the_last_step_counts)
{
    const char *const scenes[] = {"double_four_bar", "slider_crank_turn"};
    for (int k = 0; k < 2; k++) {
        rig r = rig_load(scenes[k], k == 1 ? disturbed : NULL);
        const double t = first_crossing(&r);
        const double behind[] = {1e-7, 1e-5, 1e-4, 5e-4, 1e-3, 3e-3, 0.01, 0.02, 0.03, 0.05};
        for (int i = 0; i < 10; i++) {
            trm_crossing crossing;
            rig_start(&r, assembling(rig_choose(&r, 1e-6)));
            rig_run(&r, t - behind[i]);
            if (behind[i] > 5e-3) { // nearer to it a run has met it
                assert_int_equal(trm_sim_report(r.sim).crossings, 0);
            }
            rig_start(&r, assembling(rig_choose(&r, 1e-6)));
            rig_run(&r, t + behind[i]);
            check_kept("ends behind it", trm_sim_report(r.sim), 1, 1e-6);
            assert_true(trm_sim_crossing(r.sim, 0, &crossing));
            near("time", crossing.t, t, 1e-3); // an end within the dip is its time
            rig_run(&r, t + 0.1);
            check_kept("goes on", trm_sim_report(r.sim), 1, 1e-6);
            assert_true(trm_sim_crossing(r.sim, 0, &crossing) && crossing.judged);
        }
        rig_close(&r);
    }
}

/// Looking behind at every millisecond finds each crossing once.
CLAIM(many_ends_count_once)
{
    const double steps[] = {1e-3, 0.01, 0.03};
    for (int k = 0; k < 3; k++) {
        rig r = rig_load("double_four_bar", NULL);
        rig_start(&r, rig_choose(&r, 1e-6));
        for (int i = 1; i * steps[k] <= 9.7; i++) {
            rig_run(&r, i * steps[k]);
        }
        check_kept("ends", trm_sim_report(r.sim), 10, 1e-6);
        rig_close(&r);
    }
}

CLAIM(a_run_may_start_in_it)
{
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

CLAIM(rest_in_a_singular_position_is_a_bifurcation)
{
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

CLAIM(the_log_says_what_happened)
{
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

/// Energies of the steps of a run.
typedef struct energies {
    int n;
    double t[400], E[400];
} energies;

static int note_energy(trm_sim *sim, void *user)
{
    energies *const e = user;
    const trm_energy now = trm_sim_energy(sim);
    if (e->n < 400) {
        e->t[e->n] = trm_sim_state(sim).t;
        e->E[e->n++] = now.kinetic + now.potential - now.work;
    }
    return 0;
}

/// kinetic + potential - work of one of the two steps before it less that of one of the 40 behind.
CLAIM(what_a_crossing_loses_is_what_was_there_less_what_is)
{
    rig r = rig_load("slider_crank_turn", disturbed);
    energies e = {0};
    int compared = 0;
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_S_BOTH2,
                            0.02)); // loses at one and gains at the next
    rig_observe(&r, 4, note_energy, &e);
    trm_crossing c;
    for (long i = 0; trm_sim_crossing(r.sim, i, &c); i++) {
        int last = 0, met = 0;
        while (last + 1 < e.n && e.t[last + 1] < c.t) {
            last++;
        }
        for (int a = last - 1; a <= last; a++) {
            for (int b = last + 1; b < e.n && b <= last + 40; b++) {
                met |= fabs(e.E[a] - e.E[b] - c.energy_lost) < 1e-12 * fabs(e.E[a]);
            }
        }
        if (c.judged && fabs(c.energy_lost) > 1e-6) {
            assert_true(met);
            compared++;
        }
    }
    assert_true(compared >= 2);
    rig_close(&r);
}

/// A point on two rods with an angle phi between them: S is (1 c; c 1) up to scale, c = cos phi,
/// and its smallest eigenvalue is 1 - c.
CLAIM(the_singular_value_of_two_rods)
{
    const double angles[] = {1.5, 0.5, 0.1, 0.02, 0.01};
    for (int k = 0; k < 5; k++) {
        char json[800];
        const double exact = 1 - cos(angles[k]);
        double sigma = 0;
        trm_error err = {.status = TRM_OK};
        snprintf(json, sizeof json,
                 "{\"dimension\": 2, \"bodies\": [{\"name\": \"p\", \"mass\": 3, \"shape\": "
                 "{\"type\": \"point\"}, \"position\": [2, 0]}], \"joints\": ["
                 "{\"name\": \"a\", \"type\": \"rod\", \"bodies\": [\"ground\", \"p\"], \"on\": "
                 "{\"ground\": [0, 0], \"p\": [0, 0]}, \"length\": 2}, "
                 "{\"name\": \"b\", \"type\": \"rod\", \"bodies\": [\"ground\", \"p\"], \"on\": "
                 "{\"ground\": [%.17g, %.17g], \"p\": [0, 0]}, \"length\": 3}]}",
                 2 - 3 * cos(angles[k]), 3 * sin(angles[k]));
        rig r = rig_parse(json);
        rig_start(&r, rig_choose(&r, 1e-6));
        rig_ok(trm_sim_singular_value(r.sim, 0, &sigma, &err), &err);
        assert_true(sigma * sigma > exact * (1 - 1e-6));
        below("from above", sigma * sigma / exact - 1, 0.5 * exact + 1e-3);
        rig_close(&r);
    }
}

/// What is asked within the step that passes a crossing is what the log says of it, rises like
/// the distance on both sides, and changes nothing in the run.
CLAIM(the_singular_value_vanishes_at_a_crossing)
{
    rig asked = rig_load("double_four_bar", NULL), other = rig_load("double_four_bar", NULL);
    const double t = first_crossing(&other);
    trm_error err = {.status = TRM_OK};
    int passed = 0;
    rig_start(&asked, rig_choose(&asked, 1e-6));
    rig_start(&other, rig_choose(&other, 1e-6));
    while (trm_sim_state(asked.sim).t < 1) {
        const double from = trm_sim_state(asked.sim).t;
        rig_ok(trm_sim_step(asked.sim, &err), &err);
        rig_ok(trm_sim_step(other.sim, &err), &err);
        const double to = trm_sim_state(asked.sim).t, x = 0.1 * fmin(t - from, to - t);
        double at[3] = {0, 0, 0};
        for (int k = 0; k < 3 && from < t && to > t; k++) {
            rig_ok(trm_sim_singular_value(asked.sim, t + k * x, &at[k], &err), &err);
        }
        if (at[2] > 0) {
            below("at t*", at[0], 1e-4);
            near("a straight line", at[2] / at[1], 2, 0.1);
            passed++;
        }
        rig_ok(trm_sim_singular_value(asked.sim, to, &at[0], &err), &err);
        assert_true(at[0] > 0 && at[0] <= 1);
    }
    assert_int_equal(passed, 1);
    assert_true(trm_sim_state(asked.sim).t == trm_sim_state(other.sim).t);
    assert_true(rig_q(&asked, "crank_0", 0) == rig_q(&other, "crank_0", 0));
    rig_close(&asked);
    rig_close(&other);
}
