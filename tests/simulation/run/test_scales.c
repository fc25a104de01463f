/// The scales of a run: weights, relative errors at rest, the scale of energies; and pins, whose
/// bodies may be named in either order.
#include "simulation/run/simulation.h"
#include "tests/rig.h"

/// Two bars that carry each other: the kinetic energy is roundoff, no measure for an error.
CLAIM(at_rest_the_relative_error_is_no_roundoff_over_roundoff)
{
    rig r = rig_parse("{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": ["
                      "{\"name\": \"a\", \"ends\": [[0, 0], [1, 0.7]], \"mass\": 1},"
                      "{\"name\": \"b\", \"ends\": [[1, 0.7], [1.9, 0]], \"mass\": 1}],"
                      "\"joints\": [{\"name\": \"O\", \"type\": \"revolute\","
                      "\"bodies\": [\"ground\", \"a\"], \"at\": [0, 0]}, {\"name\": \"P\","
                      "\"type\": \"revolute\", \"bodies\": [\"a\", \"b\"], \"at\": [1, 0.7]},"
                      "{\"name\": \"Q\", \"type\": \"revolute\","
                      "\"bodies\": [\"b\", \"ground\"], \"at\": [1.9, 0]}]}");
    rig_start(&r, rig_choose(&r, 1e-6));
    rig_run(&r, 1);
    below("relative energy error", trm_sim_report(r.sim).energy_error_relative, 1e-6);
    rig_close(&r);
}

/// A crank, on whose end a bead hangs by a rod.
#define HANGING_BEAD                                                                               \
    "\"bodies\": [{\"name\": \"crank\", \"shape\": {\"type\": \"rod\", \"length\": 1}, \"mass\": " \
    "2, \"position\": [0.5, 0], \"rate\": 1, \"velocity\": [0, 0.5]}, {\"name\": \"bead\", "       \
    "\"shape\": {\"type\": \"point\"}, \"mass\": 3, \"position\": [1, -1], \"velocity\": [0, "     \
    "1]}], "                                                                                       \
    "\"markers\": [{\"name\": \"middle\", \"body\": \"crank\", \"on\": [0, 0]}, {\"name\": "       \
    "\"centre\", \"body\": \"bead\", \"on\": [0, 0]}], \"joints\": [{\"name\": \"O\", \"type\": "  \
    "\"revolute\", \"bodies\": [\"ground\", \"crank\"], \"at\": [0, 0]}, {\"name\": \"rod\", "     \
    "\"type\": \"rod\", \"bodies\": [\"crank\", \"bead\"], \"on\": {\"crank\": [0.5, 0], "         \
    "\"bead\": [0, 0]}}]"

static void run_to_one(rig *r)
{
    rig_start(r, rig_choose(r, 1e-9));
    rig_run(r, 1);
}

/// Weights are constant and found once, forces by formulas at every stage.
CLAIM(weights_act_like_forces)
{
    rig falls = rig_parse("{\"dimension\": 2, \"gravity\": [0, -9.81], " HANGING_BEAD "}");
    rig pulled = rig_parse("{\"dimension\": 2, " HANGING_BEAD ", \"forces\": [{\"name\": \"f\", "
                           "\"type\": \"force\", \"marker\": \"middle\", \"value\": [0, "
                           "\"-2*9.81\"]}, {\"name\": \"g\", \"type\": \"force\", \"marker\": "
                           "\"centre\", \"value\": [0, \"-3*9.81\"]}]}");
    run_to_one(&falls);
    run_to_one(&pulled);
    near("angle", rig_q(&falls, "crank", 2), rig_q(&pulled, "crank", 2), 1e-8);
    near("bead", rig_q(&falls, "bead", 1), rig_q(&pulled, "bead", 1), 1e-8);
    assert_true(fabs(rig_q(&falls, "crank", 2)) > 0.5);
    rig_close(&falls);
    rig_close(&pulled);
}

/// A slider-crank whose pins name their bodies in either order.
static rig slider_crank(const char *O, const char *P)
{
    char json[1100];
    snprintf(
        json, sizeof json,
        "{\"dimension\": 2, \"gravity\": [4, -9.81], \"bodies\": [{\"name\": \"crank\", \"shape\": "
        "{\"type\": \"rod\", \"length\": 1}, \"mass\": 2, \"position\": [1, 2.5], \"angle\": "
        "\"pi/2\"}, {\"name\": \"rod\", \"shape\": {\"type\": \"rod\", \"length\": 2}, \"mass\": "
        "3, "
        "\"position\": [\"1 + sqrt(3)/2\", 2.5], \"angle\": \"-pi/6\"}], \"joints\": [{\"name\": "
        "\"O\", \"type\": \"revolute\", \"bodies\": [%s], \"at\": [1, 2]}, {\"name\": \"P\", "
        "\"type\": \"revolute\", \"bodies\": [%s], \"at\": [1, 3]}, {\"name\": \"S\", \"type\": "
        "\"pin_in_slot\", \"bodies\": [\"ground\", \"rod\"], \"at\": [\"1 + sqrt(3)\", 2], "
        "\"axis\": [1, 0]}]}",
        O, P);
    return rig_parse(json);
}

/// The motion is the same, and the reactions have the sign of the second body.
CLAIM(pins_may_name_their_bodies_in_either_order)
{
    rig one = slider_crank("\"ground\", \"crank\"", "\"crank\", \"rod\"");
    rig other = slider_crank("\"crank\", \"ground\"", "\"rod\", \"crank\"");
    run_to_one(&one);
    run_to_one(&other);
    const trm_state a = trm_sim_state(one.sim), b = trm_sim_state(other.sim);
    for (int i = 0; i < trm_model_sizes(one.model).nq; i++) {
        near("q", b.q[i], a.q[i], 1e-9);
        near("v", b.v[i], a.v[i], 1e-9);
    }
    for (int i = 0; i < 5; i++) {
        near("lambda", b.lambda[i], i < 4 ? -a.lambda[i] : a.lambda[i], 1e-7);
    }
    assert_true(fabs(a.lambda[0]) > 1 && fabs(a.q[2] - pi / 2) > 0.1);
    rig_close(&one);
    rig_close(&other);
}

/// A wheel that turns so slowly that its energy, 5e-9 J, is less than a millionth of the potential
/// energy of its weight.
CLAIM(the_scale_of_energies_is_at_least_a_millionth_of_the_potential)
{
    rig r = rig_parse("{\"dimension\": 2, \"gravity\": [0, -9.81],"
                      "\"bodies\": [{\"name\": \"wheel\", \"mass\": 2, \"inertia\": 1,"
                      "\"position\": [0, 3], \"rate\": 1e-4}],"
                      "\"joints\": [{\"name\": \"O\", \"type\": \"revolute\","
                      "\"bodies\": [\"ground\", \"wheel\"], \"at\": [0, 3]}]}");
    rig_start(&r, rig_choose(&r, 1e-6));
    rig_run(&r, 1);
    near("scale", trm_sim_report(r.sim).energy_scale, 1e-6 * 2 * 9.81 * 3, 1e-9);
    rig_close(&r);
}

/// A run that begins where a table ends at 0: the rounding of t leaves a torque for an instant, an
/// energy of 1e-50 J, and a balance that is off by all of it.
CLAIM(an_instant_of_roundoff_is_no_motion)
{
    const char *const kinds[] = {"linear", "cubic", "monotone"};
    for (int i = 0; i < 30; i++) {
        char json[1024];
        const double end = 0.1 * (i + 7);
        snprintf(
            json, sizeof json,
            "{\"dimension\": 2, \"tables\": {\"T\": {\"points\": [[0, 0], [0.3, 2], [0.45, "
            "-1], [%.17g, 0]], \"interpolation\": \"%s\", \"outside\": \"hold\"}}, \"bodies\": "
            "[{\"name\": \"wheel\", \"mass\": 1, \"inertia\": 0.1}], \"joints\": [{\"name\": "
            "\"O\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"wheel\"], \"at\": [0, "
            "0]}], \"forces\": [{\"name\": \"f\", \"type\": \"torque\", \"body\": \"wheel\", "
            "\"value\": \"table(T, t + %.17g)\"}]}",
            end, kinds[i % 3], end - 1e-16 * (i % 4));
        rig r = rig_parse(json);
        rig_start(&r, rig_choose(&r, 1e-6));
        rig_run(&r, 5);
        below("turned", fabs(rig_q(&r, "wheel", 2)), 1e-12);
        assert_string_equal(trm_sim_verdicts(r.sim).energy, "good");
        below("relative", trm_sim_report(r.sim).energy_error_relative, 1e-6);
        rig_close(&r);
    }
}

/// A mass on a spring that is 1 % faster from some time on: its energy is off by a hundredth, which
/// is told of a motion by 1e-4 of the size as of one by all of it.
CLAIM(small_motions_are_judged_by_their_energy)
{
    const double amplitudes[] = {1, 1e-4};
    for (int k = 0; k < 2; k++) {
        char json[1024];
        snprintf(
            json, sizeof json,
            "{\"dimension\": 2, \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": 1, "
            "\"velocity\": [%g, 0]}], \"markers\": [{\"name\": \"p\", \"body\": \"a\", \"on\": "
            "[0, 0]}], \"joints\": [{\"name\": \"P\", \"type\": \"prismatic\", \"bodies\": "
            "[\"ground\", \"a\"], \"at\": [0, 0], \"axis\": [1, 0]}], \"forces\": [{\"name\": "
            "\"f\", \"type\": \"force\", \"marker\": \"p\", \"value\": [\"-p.x\", 0]}]}",
            amplitudes[k]);
        rig r = rig_parse(json);
        rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-10, 1e-12));
        rig_run(&r, 6);
        assert_string_equal(trm_sim_verdicts(r.sim).energy, "good");
        r.sim->run.now.z[r.sim->run.system->nq] *= 1.01;
        rig_run(&r, 12);
        assert_string_equal(trm_sim_verdicts(r.sim).energy, "POOR");
        rig_close(&r);
    }
}
