/// The verdict on forces: right ones are good to rounding, falsified ones are POOR.
#include "program/verdict.h"
#include "simulation/run/simulation.h"
#include "tests/rig.h"
#include "tests/simulation/contact_modes/contact_scenes.h"

static const double g = 9.81;

static rig begin(const char *text)
{
    rig r = rig_parse(text);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-9, 1e-9));
    return r;
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
        "\"motor\":"
        "\"0.3*t^2\"},{\"name\":\"R\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"b\"],\"at\":"
        "[1,0],\"axis\":[1,0],\"limits\":[-1,0.2]}],\"markers\":[{\"name\":\"ma\",\"body\":\"a\","
        "\"at\":[0,0]},{\"name\":\"mb\",\"body\":\"b\",\"at\":[1,0]}],\"stops\":[{\"name\":"
        "\"push\","
        "\"marker\":\"mb\",\"on\":\"ma\",\"normal\":[1,0]}]}");
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
    double A[n * n], L[n * n], y[2 * n], r[n];
    trm_complementarity room = {
        .room = n, .set = set, .list = list, .A = A, .L = L, .y = y, .r = r};
    const double W[n * n] = {0.3, 0.6, 0.1, 0.6, 1.2, 0.2, 0.1, 0.2, 0.7}; // b = 2 a
    double p[n] = {0.5 + 2e-10, 1 - 1e-10, -0.4}, clean[n] = {0.5, 1, -0.4};
    assert_int_equal(trm_semidefinite_solve(&room, n, NULL, W, n, 1e-9, p), 0);
    // in units of D = diag(W) forces are least along D^-1 (1, 2): p_a = 2 p_b, p_a + 2 p_b = s
    const double s = (0.5 * 0.7 + 0.4 * 0.1) / (0.3 * 0.7 - 0.1 * 0.1);
    near("of the lighter row", p[0], s / 2, 1e-9);
    near("twice that of the other", p[0] - 2 * p[1], 0, 1e-12);
    assert_int_equal(trm_semidefinite_solve(&room, n, NULL, W, n, 1e-9, clean), 0);
    near("by roundoff", p[0], clean[0], 1e-9);
    assert_int_not_equal( // not by roundoff: no forces
        trm_semidefinite_solve(&room, n, NULL, W, n, 1e-9, (double[]){0.5, 0.9, -0.4}), 0);
}

/// A slider of 1 kg goes by laws of motion, and rests at last. Where a law comes to rest its rate
/// is roundoff of terms that cancel, which turns no friction: 0.5 N against the rate, by forces
/// alone. At the end gravity alone is left.
CLAIM(laws_of_motion_against_friction)
{
    rig r = begin(
        "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"b\",\"mass\":1,\"inertia\":"
        "1}],"
        "\"joints\":[{\"name\":\"S\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"b\"],\"at\":["
        "0,0],"
        "\"axis\":[1,-0.41037414757605783],\"friction\":{\"sliding\":0.5,\"sticking\":0.9},"
        "\"motion\":["
        "{\"to\":-0.0070874196207959626,\"in\":0.01476449658219784,\"law\":\"345\"},"
        "{\"to\":-0.0058588021799069932,\"in\":0.010012779404047423,\"law\":\"345\"},"
        "{\"to\":-0.0078673878060548223,\"in\":0.016820143246705357,\"law\":\"cycloidal\"}]}]}");
    rig_run(&r, 0.05);
    good(&r);
    assert_int_equal(trm_sim_impacts(r.sim).projected.steps, 0);
    near("undetermined", rig_contact(&r, 0).force, 0, 1e-300);
    near("x", rig_q(&r, "b", 0), -0.0078673878060548223 / hypot(1, 0.41037414757605783), 1e-15);
    below("balance", rig_energy_error(&r), 1e-7);
    rig_close(&r);
}

/// A slider without weight comes to rest: what is left of its forces underflows, and is none.
CLAIM(forces_that_underflow)
{
    rig r = begin(
        "{\"dimension\":3,\"bodies\":[{\"name\":\"b\",\"mass\":3,\"inertia\":[2e-4,1.6e-4,1.7e-4],"
        "\"position\":[-0.006,0.007,-0.005]}],\"joints\":[{\"name\":\"J\",\"type\":\"revolute\","
        "\"bodies\":"
        "[\"ground\",\"b\"],\"at\":[0,0,0],\"axis\":[-0.477,-0.582,0.659],\"friction\":{"
        "\"sliding\":0.07,"
        "\"viscous\":8e-4},\"motor\":\"-0.5*(step(t, 0.1, 0.2) - step(t, 0.25, 0.3))\"}]}");
    rig_run(&r, 0.4);
    good(&r);
    rig_close(&r);
}

/// A groove turns a bar about the end of a free one, by -sin(2 x)/4 of its angle x: at x = pi/4 the
/// pin between them stands still, and its friction by the load acts again behind that.
CLAIM(friction_behind_a_dead_point)
{
    rig r = begin(
        "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"a\",\"position\":[0.5,0],"
        "\"mass\":1,\"inertia\":0.1,\"rate\":5,\"velocity\":[0,2.5]},{\"name\":\"b\",\"position\":"
        "[1.2,0],\"mass\":1,\"inertia\":0.05,\"rate\":2.5,\"velocity\":[0,5.5]}],\"joints\":[{"
        "\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0]},{"
        "\"name\":\"A\",\"type\":\"revolute\",\"bodies\":[\"a\",\"b\"],\"at\":[1,0],"
        "\"friction\":{\"coefficient\":0.2,\"radius\":0.1}}],\"constraints\":[{\"name\":\"k\","
        "\"type\":\"cam\",\"follower\":\"A\",\"profile\":\"-0.25*sin(2*O.angle)\"}]}");
    rig_run(&r, 0.4);
    assert_true(rig_q(&r, "a", 2) > pi / 4);
    good(&r);
    below("balance", rig_energy_error(&r), 1e-8);
    assert_true(rig_contact(&r, 0).force < -0.01);
    rig_close(&r);
}

/// Two sliders, x_1 = 1.72 x_0 + 0.22 x_0^2, halt by friction of 25 and 0.0015 N where no force
/// acts: what rates that are roundoff make of x_1'' is none, and both stick. 1.8 N do not move
/// them.
CLAIM(friction_of_two_holds_where_no_force_acts)
{
    rig r =
        begin("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":3,\"inertia\":1,\"velocity\":["
              "-0.5508203836931611,-0.10117109088241734]},{\"name\":\"b\",\"mass\":0.2,\"inertia\":"
              "1,\"velocity\":["
              "-1.4173153021967952,-0.527892243568858]}],\"joints\":[{\"name\":\"S\",\"type\":"
              "\"prismatic\","
              "\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],\"axis\":[-0.9835471662320329,-0."
              "18065152032833257],"
              "\"friction\":24.750814259112563},{\"name\":\"T\",\"type\":\"prismatic\",\"bodies\":["
              "\"a\",\"b\"],"
              "\"at\":[0,0],\"axis\":[-0.8971136252493158,-0.4417998906654801],\"friction\":0."
              "001547328956687981}],"
              "\"constraints\":[{\"name\":\"k\",\"type\":\"coupling\",\"joints\":[\"T\",\"S\"],"
              "\"polynomial\":["
              "0,1.7246610506508477,0.22193185675341737]}],\"forces\":[{\"name\":\"F\",\"type\":"
              "\"joint_force\","
              "\"joint\":\"S\",\"value\":\"t < 0.3 ? 0 : -1.8\"}]}");
    rig_run(&r, 0.25);
    const double x = rig_q(&r, "a", 0);
    rig_run(&r, 1);
    near("it stays", rig_q(&r, "a", 0), x, 1e-12);
    near("share of both", rig_contact(&r, 0).force + 1.74 * rig_contact(&r, 1).force, 1.8, 1e-4);
    good(&r);
    rig_close(&r);
}
