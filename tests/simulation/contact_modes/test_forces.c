/// The verdict on forces: right ones are good to rounding, falsified ones are POOR.
#include "program/verdict.h"
#include "simulation/run/simulation.h"
#include "tests/rig.h"
#include "tests/simulation/contact_modes/contact_scenes.h"

static const double g = 9.81;

static rig started(rig r)
{
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-9, 1e-9));
    return r;
}

static rig begin(const char *text)
{
    return started(rig_parse(text));
}

static void good(const rig *r)
{
    const trm_forces forces = trm_sim_forces(r->sim);
    below("friction", forces.friction, 1e-12);
    below("contacts", forces.contacts, 1e-12);
    below("work", forces.work, 1e-12);
    below("reactions", forces.reactions, 1e-12);
    assert_string_equal(trm_sim_verdicts(r->sim).forces, "good");
}

/// What the check makes of a point where contact 0 exerts p and books `booked` W.
static trm_forces judge(rig *r, double p, double booked)
{
    trm_sim *const sim = r->sim;
    trm_force_check check = {.worst = -1};
    sim->run.contact->force[0] = p;
    trm_force_check_add(
        &check, sim->run.contact, &sim->run,
        &(trm_force_point){
            .h = 1, .size = sim->size, .lambda = sim->pressed.lambda, .booked = booked});
    return (trm_forces){.friction = check.friction,
                        .contacts = check.contacts,
                        .work = check.work > 0 ? check.work_gap / check.work : 0,
                        .t_none = NAN};
}

static void judged(rig *r, trm_forces forces, trm_verdict expected)
{
    const trm_report report = trm_sim_report(r->sim);
    assert_int_equal(trm_verdict_of_forces(&forces, &report), expected);
}

/// Up an incline of 30 degrees with 2 m/s and 12 N of friction, 2 kg: it slides, then sticks by
/// m g/2 = 9.81 N.
CLAIM(friction_of_a_block)
{
    rig r = begin(BLOCK("2", "\"friction\":12"));
    rig_run(&r, 0.1);
    const double speed = 2 - 0.1 * (g / 2 + 6);
    near("sliding", rig_contact(&r, 0).force, -12, 1e-12);
    near("speed", rig_contact(&r, 0).rate, speed, 1e-12);
    good(&r);
    judged(&r, judge(&r, -12, -12 * speed), TRM_VERDICT_GOOD);
    judged(&r, judge(&r, -12 * 1.01, -12 * speed), TRM_VERDICT_POOR); // above its bound
    judged(&r, judge(&r, -12 * 0.99, -12 * speed), TRM_VERDICT_POOR); // not by its law
    judged(&r, judge(&r, 0, 0), TRM_VERDICT_POOR);                    // lost
    judged(&r, judge(&r, 12, -12 * speed), TRM_VERDICT_POOR);         // with the rate
    judged(&r, judge(&r, -12, -11 * speed), TRM_VERDICT_POOR);        // booked otherwise
    rig_run(&r, 1);
    near("sticking", fabs(rig_contact(&r, 0).force), g, 1e-10);
    good(&r);
    judged(&r, judge(&r, -12.1, 0), TRM_VERDICT_POOR); // more than it holds
    rig_close(&r);
}

/// 9.81 N hold a ball on the floor; a floor does not pull, nor press what is above it.
CLAIM(pressure_of_a_stop)
{
    rig r = begin(BALL("0", ""));
    rig_run(&r, 0.2);
    near("free", rig_contact(&r, 0).force, 0, 1e-15);
    good(&r);
    judged(&r, judge(&r, 1, 0), TRM_VERDICT_POOR); // across a gap
    rig_run(&r, 1);
    near("pressing", rig_contact(&r, 0).force, g, 1e-12);
    good(&r);
    judged(&r, judge(&r, g, 0), TRM_VERDICT_GOOD);
    judged(&r, judge(&r, -0.01 * g, 0), TRM_VERDICT_POOR);
    rig_close(&r);
}

/// Released level, a bar of length 2 on its hinge turns by theta with w^2 = 3/2 g sin theta: the
/// hinge bears 5/2 m g sin theta along the bar and m g cos theta/4 across it.
CLAIM(reactions_of_a_pendulum)
{
    rig r = begin("{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"a\",\"mass\":3,"
                  "\"inertia\":1,\"position\":[1,0]}],\"joints\":[{\"name\":\"O\",\"type\":"
                  "\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0]}]}");
    rig_run(&r, 0.6);
    const double theta = -rig_q(&r, "a", 2), weight = 3 * g;
    double *const lambda = r.sim->run.now.lambda;
    near("reaction", hypot(lambda[0], lambda[1]),
         weight * hypot(2.5 * sin(theta), 0.25 * cos(theta)), 1e-7);
    good(&r);
    lambda[0] *= 1.1;
    assert_string_equal(trm_sim_verdicts(r.sim).forces, "POOR");
    rig_close(&r);
}

/// A motor pushes a block that a stop holds from 2 s on: no forces fit.
CLAIM(none_that_fit)
{
    rig r = begin(
        "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,\"position\":[0,0]},"
        "{\"name\":\"b\",\"mass\":1,\"inertia\":1,\"position\":[1,0]}],\"joints\":[{\"name\":\"L\","
        "\"type\":\"prismatic\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],\"axis\":[1,0],"
        "\"motor\":\"0.3*t^2\"},{\"name\":\"R\",\"type\":\"prismatic\",\"bodies\":[\"ground\","
        "\"b\"],\"at\":[1,0],\"axis\":[1,0],\"limits\":[-1,0.2]}],\"markers\":[{\"name\":\"ma\","
        "\"body\":\"a\",\"at\":[0,0]},{\"name\":\"mb\",\"body\":\"b\",\"at\":[1,0]}],\"stops\":[{"
        "\"name\":\"push\",\"marker\":\"mb\",\"on\":\"ma\",\"normal\":[1,0]}]}");
    rig_run(&r, 1.9);
    good(&r);
    assert_true(isnan(trm_sim_forces(r.sim).t_none));
    assert_int_equal(trm_sim_run(r.sim, 3, NULL, NULL, NULL), TRM_ERR_SINGULAR);
    near("none fit at", trm_sim_forces(r.sim).t_none, 2, 1e-9);
    assert_string_equal(trm_sim_verdicts(r.sim).forces, "POOR");
    rig_close(&r);
}

/// Rows a and b are the same up to a factor, c is another; what they are to do contradicts itself
/// by 1e-10, as roundoff of joints makes it: forces are those without it, and not by 1e-10/delta.
CLAIM(shares_of_rows_that_repeat)
{
    enum { n = 3 };
    int set[n], list[n];
    double A[n * n], U[n * n], y[2 * n], r[n], D[n], heavy[n] = {0.5, 1, -0.4};
    trm_complementarity room = {n, set, list, A, U, y, r, D, NULL};
    const double W[n * n] = {0.3, 0.6, 0.1, 0.6, 1.2, 0.2, 0.1, 0.2, 0.7}; // b = 2 a
    double p[n] = {0.5 + 2e-10, 1 - 1e-10, -0.4}, clean[n] = {0.5, 1, -0.4};
    assert_int_equal(trm_semidefinite_solve(&room, n, NULL, W, n, 1e-9, p), 0);
    // in units of D = diag(W) forces are least along D^-1 (1, 2): p_a = 2 p_b, p_a + 2 p_b = s
    const double s = (0.5 * 0.7 + 0.4 * 0.1) / (0.3 * 0.7 - 0.1 * 0.1);
    near("of the lighter row", p[0], s / 2, 1e-9);
    near("twice that of the other", p[0] - 2 * p[1], 0, 1e-12);
    assert_int_equal(trm_semidefinite_solve(&room, n, NULL, W, n, 1e-9, clean), 0);
    near("by roundoff", p[0], clean[0], 1e-9);
    room.unit = (double[n]){4, 1, 1}; // D is 1.2 for both: p_b = 2 p_a
    assert_int_equal(trm_semidefinite_solve(&room, n, NULL, W, n, 1e-9, heavy), 0);
    near("of the lighter row, that weighs more", heavy[0], s / 5, 1e-9);
    assert_int_not_equal( // not by roundoff: no forces
        trm_semidefinite_solve(&room, n, NULL, W, n, 1e-9, (double[]){0.5, 0.9, -0.4}), 0);
}

/// Where a law of motion comes to rest its rate is roundoff of terms that cancel, which turns no
/// friction: no step is projected. At the end there are no forces but what underflows.
CLAIM(laws_of_motion_against_friction)
{
    rig r = started(rig_load("../tests/scenes/laws_against_friction", NULL));
    rig_run(&r, 0.05);
    good(&r);
    assert_int_equal(trm_sim_impacts(r.sim).projected.steps, 0);
    near("undetermined", rig_contact(&r, 0).force, 0, 1e-300);
    rig_close(&r);
    r = started(rig_load("../tests/scenes/underflow", NULL));
    rig_run(&r, 0.4);
    good(&r);
    rig_close(&r);
}

/// Friction by the load acts again behind a dead point, where the joints decide its rate.
CLAIM(friction_behind_a_dead_point)
{
    rig r = started(rig_load("../tests/scenes/dead_point", NULL));
    rig_run(&r, 0.4);
    assert_true(rig_q(&r, "a", 2) > pi / 4 && rig_contact(&r, 0).force < -0.01);
    good(&r);
    below("balance", rig_energy_error(&r), 1e-8);
    rig_close(&r);
}

/// What rates that are roundoff make of x_1'' where no force acts is none: both stick, and hold.
CLAIM(friction_of_two_holds_where_no_force_acts)
{
    rig r = started(rig_load("../tests/scenes/two_sliders", NULL));
    rig_run(&r, 0.25);
    const double x = rig_q(&r, "a", 0);
    rig_run(&r, 1);
    near("it stays", rig_q(&r, "a", 0), x, 1e-12);
    near("share of both", rig_contact(&r, 0).force + 1.74 * rig_contact(&r, 1).force, 1.8, 1e-4);
    good(&r);
    rig_close(&r);
}
