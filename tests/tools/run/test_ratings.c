/// Verdicts, by the table of docs/reference/verdicts.md.
#include "program/verdict.h"
#include "tests/near.h"
#include "tests/rig.h"
#include "trammel/trammel.h"

CLAIM(a_check_is_good_to_a_millionth_and_fair_to_a_thousandth)
{
    const struct {
        double error;
        trm_verdict rating;
    } all[] = {{0, TRM_VERDICT_GOOD},    {1e-6, TRM_VERDICT_GOOD},     {1.001e-6, TRM_VERDICT_FAIR},
               {1e-3, TRM_VERDICT_FAIR}, {1.001e-3, TRM_VERDICT_POOR}, {INFINITY, TRM_VERDICT_POOR},
               {NAN, TRM_VERDICT_POOR}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_int_equal(trm_verdict_of(all[i].error), all[i].rating);
    }
    assert_string_equal(trm_verdict_name(TRM_VERDICT_GOOD), "good");
    assert_string_equal(trm_verdict_name(TRM_VERDICT_FAIR), "fair");
    assert_string_equal(trm_verdict_name(TRM_VERDICT_POOR), "POOR");
}

/// Nothing wrong.
static trm_report flawless(double accuracy)
{
    return (trm_report){.worst_row = 0, .energy_scale = 4, .accuracy = accuracy};
}

/// The motion between steps may err by 10 A, joints at the ends of steps may not.
CLAIM(what_was_asked_for_is_fair)
{
    const double asked[] = {0, 1e-5, 1e-4, 1e-3, 0.1};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const double A = asked[i], motion = fmax(1e-3, 10 * A), energy = fmax(1e-3, 20 * A);
        for (double part = 0.99; part < 1.02; part += 0.02) {
            const trm_verdict expected = part < 1 ? TRM_VERDICT_FAIR : TRM_VERDICT_POOR;
            trm_report r = flawless(A);
            r.between_relative = part * motion;
            assert_int_equal(trm_verdict_between(&r), expected);
            assert_int_equal(trm_verdict_of_constraints(&r), expected);
            assert_int_equal(trm_verdict_of_energy(&r), TRM_VERDICT_GOOD);
            assert_int_equal(trm_verdict_of_report(&r), expected);
            r = flawless(A);
            r.velocity_drift_relative = part * motion;
            assert_int_equal(trm_verdict_of_velocities(&r), expected);
            assert_int_equal(trm_verdict_of_constraints(&r), expected);
            assert_int_equal(trm_verdict_of_report(&r), expected);
            r = flawless(A);
            r.energy_error = 4 * part * energy;
            assert_int_equal(trm_verdict_of_energy(&r), expected);
            assert_int_equal(trm_verdict_of_report(&r), expected);
            r = flawless(A);
            r.position_drift_relative = part * 1e-3;
            assert_int_equal(trm_verdict_of_constraints(&r), expected);
            assert_int_equal(trm_verdict_of_report(&r), expected);
            r.worst_row = -1; // no rows
            assert_int_equal(trm_verdict_of_report(&r), TRM_VERDICT_GOOD);
        }
    }
}

/// What shows an error of more than 10 A is not good, where that is less than a millionth.
CLAIM(more_than_was_asked_for_is_not_good)
{
    const double asked[] = {0, 1e-3, 1e-6, 1e-8, 1e-9, 1e-12};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const double A = asked[i];
        const double gap = A > 0 ? fmin(1e-6, 10 * A) : 1e-6;
        const double loss = A > 0 ? fmin(1e-6, 20 * A) : 1e-6;
        for (double part = 0.99; part < 1.02; part += 0.02) {
            const trm_verdict expected = part < 1 ? TRM_VERDICT_GOOD : TRM_VERDICT_FAIR;
            trm_report r = flawless(A);
            r.between_relative = part * gap;
            assert_int_equal(trm_verdict_between(&r), expected);
            assert_int_equal(trm_verdict_of_report(&r), expected);
            r = flawless(A);
            r.velocity_drift_relative = part * gap;
            assert_int_equal(trm_verdict_of_velocities(&r), expected);
            assert_int_equal(trm_verdict_of_constraints(&r), expected);
            r = flawless(A);
            r.position_drift_relative = part * gap;
            assert_int_equal(trm_verdict_of_gap(part * gap, A), expected);
            assert_int_equal(trm_verdict_of_constraints(&r), expected);
            r = flawless(A);
            r.energy_error = 4 * part * loss;
            assert_int_equal(trm_verdict_of_loss(part * loss, A), expected);
            assert_int_equal(trm_verdict_of_energy(&r), expected);
            assert_int_equal(trm_verdict_of_report(&r), expected);
        }
    }
}

CLAIM(an_end_is_judged_by_what_was_asked_for)
{
    const double asked[] = {1e-9, 1e-6, 1e-2};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const double A = asked[i];
        assert_int_equal(trm_verdict_of_end(0.99 * A, A), TRM_VERDICT_GOOD);
        assert_int_equal(trm_verdict_of_end(1.01 * A, A), TRM_VERDICT_FAIR);
        assert_int_equal(trm_verdict_of_end(9.9 * A, A), TRM_VERDICT_FAIR);
        assert_int_equal(trm_verdict_of_end(10.1 * A, A), TRM_VERDICT_POOR);
    }
    assert_int_equal(trm_verdict_of_end(0.99e-6, 0), TRM_VERDICT_GOOD);
    assert_int_equal(trm_verdict_of_end(0.99e-3, 0), TRM_VERDICT_FAIR);
    assert_int_equal(trm_verdict_of_end(NAN, 1), TRM_VERDICT_POOR);
}

/// The accuracy that a run of these options is held to.
static double held_to(trm_options options)
{
    rig r = rig_parse("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1}]}");
    rig_start(&r, options);
    const double accuracy = trm_sim_report(r.sim).accuracy;
    rig_close(&r);
    return accuracy;
}

/// The accuracy that tolerances were chosen for, or that they are good for; steps that are fixed
/// are good for none that nobody names.
CLAIM(what_was_asked_for_is_told_by_the_options)
{
    trm_options options = trm_default_options(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_S_BOTH2);
    options.rtol = 1e-5;
    assert_near(held_to(options), 1e-3, 1e-18);
    options.accuracy = 1e-4;
    assert_near(held_to(options), 1e-4, 0);
    options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2);
    assert_near(held_to(options), 0, 0);
    options.accuracy = 1e-4;
    assert_near(held_to(options), 1e-4, 0);
}

CLAIM(an_energy_is_measured_by_what_moved)
{
    const trm_report moved = {.energy_error = 3, .energy_scale = 4}, rested = {.energy_error = 3};
    const trm_report little = {.energy_error = 3e-9, .energy_scale = 4e-9};
    assert_near(trm_energy_relative(&moved), 0.75, 0);
    assert_near(trm_energy_relative(&little), 0.75, 1e-15);
    assert_near(trm_energy_relative(&rested), 3, 0);
}

CLAIM(a_branch_is_poor_where_it_changed_or_was_chosen)
{
    trm_report r = flawless(0);
    r.crossings = 5;
    assert_int_equal(trm_verdict_of_branch(&r), TRM_VERDICT_GOOD);
    r.undecided = 1;
    assert_int_equal(trm_verdict_of_branch(&r), TRM_VERDICT_FAIR);
    assert_int_equal(trm_verdict_of_report(&r), TRM_VERDICT_FAIR);
    r.branch_changes = 1;
    assert_int_equal(trm_verdict_of_branch(&r), TRM_VERDICT_POOR);
    assert_int_equal(trm_verdict_of_report(&r), TRM_VERDICT_POOR);
    r = flawless(0);
    r.bifurcations = 1;
    assert_int_equal(trm_verdict_of_branch(&r), TRM_VERDICT_POOR);
    assert_int_equal(trm_verdict_of_report(&r), TRM_VERDICT_POOR);
}
