/// Joints that events close and open, and coordinates that they lock, against closed forms.
#include "program/verdict.h"
#include "tests/rig.h"

static trm_options exact(void)
{
    return rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12);
}

static const trm_options *methods(size_t *n)
{
    static trm_options list[4];
    list[0] = exact();
    list[1] = rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_BAUMGARTE, 1e-12, 1e-12);
    list[2] = rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-3);
    list[3] = rig_fixed(TRM_INTEGRATOR_MOREAU, TRM_STABILIZATION_S_BOTH2, 1e-3);
    *n = 4;
    return list;
}

static void refused(const char *text, const char *says)
{
    size_t n;
    for (const trm_options *options = methods(&n); n > 0; options++, n--) {
        trm_error err = {.status = TRM_OK};
        rig r = {.sim = NULL};
        trm_status status = trm_scene_parse(text, strlen(text), &r.scene, &err);
        status = status ? status : trm_model_build(r.scene, &r.model, &err);
        status = status ? status : trm_sim_create(r.model, options, &r.sim, &err);
        status = status ? status : trm_sim_run(r.sim, 3, NULL, NULL, &err);
        assert_true(status < 0);
        const char *const what = n < 4 ? strstr(says, "': ") : says; // which row is seen first
        if (!strstr(err.message, what ? what : says)) {
            fail_msg("\"%s\" at \"%s\"", err.message, err.where);
        }
        rig_close(&r);
    }
}

/// A point on a string of 1 m that turns without gravity at 2 rad/s, let go at 1 s; then it falls.
#define SLING(more)                                                                                \
    "{\"dimension\":2,\"gravity\":[0,-9.81],\"parameters\":{\"w\":2},\"bodies\":["                 \
    "{\"name\":\"wheel\",\"mass\":1,\"inertia\":1,\"rate\":2},"                                    \
    "{\"name\":\"ball\",\"mass\":0.5,\"inertia\":0.1,\"position\":[1,0],\"velocity\":[0,2],"       \
    "\"rate\":2}],\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\","       \
    "\"wheel\"],\"at\":[0,0],\"motor\":\"2*t\"},{\"name\":\"hook\",\"bodies\":[\"wheel\","         \
    "\"ball\"],\"at\":[1,0]," more

CLAIM(what_is_let_go_flies_as_a_parabola)
{
    size_t n;
    const trm_options *const options = methods(&n);
    for (size_t i = 0; i + 1 < n; i++) { // moreau is of order 1
        rig r = rig_parse(SLING("\"type\":\"weld\",\"switch\":\"closed\"}],\"events\":[{"
                                "\"name\":\"off\",\"when\":\"O.angle > 2\",\"release\":"
                                "\"hook\"}]}"));
        const double T = 0.7, x = cos(2) - 2 * sin(2) * T;
        rig_start(&r, options[i]);
        rig_run(&r, 1 + T);
        near("x", rig_q(&r, "ball", 0), x, 1e-9);
        near("y", rig_q(&r, "ball", 1), sin(2) + 2 * cos(2) * T - 9.81 * T * T / 2, 1e-9);
        near("angle", rig_q(&r, "ball", 2), 2 + 2 * T, 1e-9);
        assert_int_equal(trm_sim_events(r.sim), 1);
        near("impacts", (double)trm_sim_impacts(r.sim).count, 0, 0);
        rig_close(&r);
    }
}

/// The reaction of a switched joint is that of an ordinary one, in both kinds of coordinates.
CLAIM(reactions_are_those_of_a_joint)
{
    double of[3][3];
    for (int i = 0; i < 3; i++) {
        rig r = rig_parse(i ? SLING("\"type\":\"weld\",\"switch\":\"closed\"}]}")
                            : SLING("\"type\":\"weld\"}]}"));
        trm_sensor force, torque;
        trm_error err = {.status = TRM_OK};
        rig_take(&r, i < 2 ? TRM_COORDINATES_ABSOLUTE : TRM_COORDINATES_JOINT);
        rig_start(&r, exact());
        rig_run(&r, 0.4);
        rig_ok(trm_model_sensor(r.model, "hook.force", &force, &err), &err);
        rig_ok(trm_model_sensor(r.model, "hook.torque_z", &torque, &err), &err);
        rig_ok(trm_sim_read(r.sim, &force, of[i], &err), &err);
        rig_ok(trm_sim_read(r.sim, &torque, of[i] + 2, &err), &err);
        rig_close(&r);
    }
    for (int i = 1; i < 3; i++) {
        near("x", of[i][0], of[0][0], 1e-10);
        near("y", of[i][1], of[0][1], 1e-10);
        near("torque", of[i][2], of[0][2], 1e-10);
    }
}

/// Two rotors of 2 and 3 kg m^2 at 5 and -1 rad/s: locked they turn at 7/5 rad/s; lost is
/// J1 J2/(J1 + J2) (w1 - w2)^2/2.
#define ROTORS(lock)                                                                               \
    "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":2,\"rate\":5},"           \
    "{\"name\":\"b\",\"mass\":1,\"inertia\":3,\"rate\":-1}],\"joints\":[{\"name\":\"A\","          \
    "\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0]},{\"name\":\"clutch\","      \
    "\"type\":\"revolute\",\"bodies\":[\"a\",\"b\"],\"at\":[0,0],\"switch\":\"free\"}],"           \
    "\"events\":[" lock "]}"

CLAIM(a_lock_keeps_the_momentum)
{
    size_t n;
    const trm_options *const options = methods(&n);
    for (size_t i = 0; i < n; i++) {
        rig r = rig_parse(ROTORS("{\"name\":\"engage\",\"when\":\"t >= 0.5\",\"lock\":\"clutch\"}"
                                 ",{\"name\":\"off\",\"when\":\"t >= 1\",\"release\":["
                                 "\"clutch\"]}"));
        const double lost = 2.0 * 3 / 5 * 36 / 2;
        rig_start(&r, options[i]);
        rig_run(&r, 0.75);
        near("rate of a", rig_v(&r, "a", 2), 7.0 / 5, 1e-10);
        near("rate of b", rig_v(&r, "b", 2), 7.0 / 5, 1e-10);
        near("angle", rig_q(&r, "a", 2), 0.5 * 5 + 0.25 * 7 / 5, 1e-9);
        near("lost", trm_sim_impacts(r.sim).energy_lost, lost, 1e-9);
        rig_run(&r, 1.5);
        near("work", trm_sim_energy(r.sim).work, -lost, 1e-8);
        near("impacts", (double)trm_sim_impacts(r.sim).count, 1, 0);
        rig_close(&r);
    }
}

/// Friction of 0.5 N m holds no impulse: locked to what turns at its end, a bar at rest goes with
/// the moment about O of both, I w = 0.4 (cos 0.2 + 0.2) + 0.1, and is then braked.
CLAIM(a_lock_tears_resting_friction_loose)
{
    size_t n;
    const trm_options *const options = methods(&n);
    const double I = 0.35 + 0.05 + 1.04 + 0.4 * cos(0.2);
    const double w = (0.4 * (cos(0.2) + 0.2) + 0.1) / I;
    for (size_t i = 0; i + 1 < n; i++) {
        rig r = rig_load("../tests/scenes/lock_beside_friction", NULL);
        rig_start(&r, options[i]);
        rig_run(&r, 0.5);
        near("rate", rig_v(&r, "a", 2), w - 0.5 / I * 0.4, 1e-8);
        near("angle", rig_q(&r, "a", 2), 0.4 * w - 0.5 / I * 0.08, 1e-8);
        below("balance", rig_energy_error(&r), 1e-8);
        rig_close(&r);
    }
}

/// A bar with dry friction held against gravity by its lock, which bears all of m g r; friction is
/// undetermined. Released at 0.3 s it swings against friction F: I w' = m g r - F at first.
CLAIM(a_lock_beside_friction_bears_the_load)
{
    size_t n;
    const trm_options *const options = methods(&n);
    for (size_t i = 0; i + 1 < n; i++) {
        rig r = rig_load("../tests/scenes/locked_load", NULL);
        trm_contact_state friction, lock;
        rig_start(&r, options[i]);
        rig_run(&r, 0.29);
        assert_true(trm_sim_contact(r.sim, 0, &friction) && trm_sim_contact(r.sim, 1, &lock));
        near("lock", lock.force, 9.81 * 0.3, 1e-12);
        near("friction", friction.force, 0, 1e-300);
        assert_true(trm_sim_impacts(r.sim).projected.steps == 0);
        near("y at rest", rig_q(&r, "b", 1), 0, 1e-15);
        rig_run(&r, 0.301);
        const double falls = (9.81 * 0.3 - 0.3) / (0.05 + 0.09) * 0.3 * 0.5 * 1e-6;
        near("y", rig_q(&r, "b", 1), -falls, 1e-3 * falls);
        rig_close(&r);
    }
}

/// A bar that friction holds is locked: nothing moves, and what roundoff does is no work.
CLAIM(a_lock_of_what_rests_does_no_work)
{
    rig r = rig_load("../tests/scenes/a_lock_of_what_rests_does_no_work", NULL);
    rig_start(&r, exact());
    rig_run(&r, 0.6);
    const trm_forces forces = trm_sim_forces(r.sim);
    const trm_report report = trm_sim_report(r.sim);
    assert_int_equal(trm_verdict_of_forces(&forces, &report), TRM_VERDICT_GOOD);
    rig_close(&r);
}

/// A hand that moves at 1 m/s takes a ball of the same mass 0.3 m aside: a weld closes where it is,
/// so both turn about their common centre with J = 2 + 2 m 0.15^2, v = 1/2.
CLAIM(a_payload_is_taken_and_dropped)
{
    rig r = rig_load("../tests/scenes/a_payload_is_taken_and_dropped", NULL);
    const double w = 0.15 / (2 + 2 * 0.15 * 0.15); // angular momentum about the centre over J
    rig_start(&r, exact());
    rig_run(&r, 1.8);
    near("rate", rig_v(&r, "hand", 2), w, 1e-11);
    near("rate", rig_v(&r, "ball", 2), w, 1e-11);
    near("angle", rig_q(&r, "ball", 2), 0.4 + 0.8 * w, 1e-10);
    near("x", rig_q(&r, "ball", 0), 1 + 0.8 / 2 - 0.15 * sin(0.8 * w), 1e-10);
    near("y", rig_q(&r, "ball", 1), 0.15 + 0.15 * cos(0.8 * w), 1e-10);
    rig_run(&r, 3); // both fly on along their tangents
    near("x", rig_q(&r, "ball", 0), 1 + 1 - 0.15 * (sin(w) + w * cos(w)), 1e-10);
    near("y", rig_q(&r, "ball", 1), 0.15 + 0.15 * (cos(w) - w * sin(w)), 1e-10);
    rig_close(&r);
}

/// In space, where both are turned: linear and angular momentum stay, and so does the place of one
/// in the other from there on.
CLAIM(a_weld_in_space_closes_where_it_is)
{
    rig r = rig_load("../tests/scenes/a_weld_in_space_closes_where_it_is", NULL);
    trm_sensor r00, r12;
    trm_error err = {.status = TRM_OK};
    double before[2], after[2];
    rig_ok(trm_model_sensor(r.model, "r00", &r00, &err), &err);
    rig_ok(trm_model_sensor(r.model, "r12", &r12, &err), &err);
    rig_start(&r, exact());
    rig_run(&r, 0.7);
    rig_ok(trm_sim_read(r.sim, &r00, &before[0], &err), &err);
    rig_ok(trm_sim_read(r.sim, &r12, &before[1], &err), &err);
    rig_run(&r, 4);
    rig_ok(trm_sim_read(r.sim, &r00, &after[0], &err), &err);
    rig_ok(trm_sim_read(r.sim, &r12, &after[1], &err), &err);
    near("turned by", after[0], before[0], 1e-9);
    near("turned by", after[1], before[1], 1e-9);
    for (int k = 0; k < 3; k++) {
        const double p[3] = {-0.5, 0.3, 0.1};
        near("momentum", 2 * rig_v(&r, "a", k) + rig_v(&r, "b", k), p[k], 1e-11);
    }
    below("energy", rig_energy_error(&r), 1e-9);
    rig_close(&r);
}

/// A force of 10 t N breaks a slide that holds 25 N at 2.5 s; 2 kg then move as 5 (t^3 - ...)/6.
CLAIM(a_joint_breaks_at_its_load)
{
    static const char scene[] =
        "{\"dimension\":2,\"parameters\":{\"F\":{\"value\":10,\"input\":true}},\"bodies\":[{"
        "\"name\":\"a\",\"mass\":2,\"inertia\":1}],\"joints\":[{\"name\":\"S\",\"type\":"
        "\"prismatic\",\"axis\":[1,0],\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],\"switch\":"
        "\"locked\",\"breaks_at\":25}],\"forces\":[{\"name\":\"pull\",\"type\":\"joint_force\","
        "\"joint\":\"S\",\"value\":\"F*t\"}],\"events\":[{\"name\":\"broken\",\"when\":"
        "\"S.switch == 0\"}]}";
    trm_error err = {.status = TRM_OK};
    trm_event event;
    rig r = rig_parse(scene);
    rig_start(&r, exact());
    rig_run(&r, 4);
    const double u = 1.5; // a = 5 (t), from 2.5
    near("x", rig_q(&r, "a", 0), 12.5 * u * u / 2 + 5 * u * u * u / 6, 1e-9);
    assert_int_equal(trm_sim_event(r.sim, 0, &event), 1);
    near("broken at", event.t, 2.5, 1e-10);
    rig_start(&r, exact());
    rig_run(&r, 1);
    rig_ok(trm_sim_set_input(r.sim, 0, 100, &err), &err); // above at once
    rig_run(&r, 1.5);
    assert_int_equal(trm_sim_event(r.sim, 0, &event), 1);
    near("broken at", event.t, 1, 0);
    near("x", rig_q(&r, "a", 0), 50 * (0.5 * 0.5 / 2 + 0.5 * 0.5 * 0.5 / 6), 1e-9);
    rig_close(&r);
}

CLAIM(a_saved_state_has_switches)
{
    rig r = rig_parse(ROTORS("{\"name\":\"engage\",\"when\":\"t >= 0.5\",\"lock\":\"clutch\"}"));
    trm_error err = {.status = TRM_OK};
    rig_start(&r, exact());
    rig_run(&r, 0.4);
    const size_t size = trm_sim_state_size(r.sim);
    char *const saved = malloc(size), *const locked = malloc(size);
    assert_true(saved && locked);
    rig_ok(trm_sim_save(r.sim, saved, size, &err), &err);
    rig_run(&r, 0.6);
    rig_ok(trm_sim_save(r.sim, locked, size, &err), &err);
    rig_run(&r, 1);
    const double angle = rig_q(&r, "b", 2);
    rig_ok(trm_sim_restore(r.sim, saved, size, &err), &err);
    near("free again", rig_v(&r, "b", 2), -1, 1e-12);
    rig_run(&r, 1);
    near("angle", rig_q(&r, "b", 2), angle, 1e-10);
    rig_ok(trm_sim_restore(r.sim, locked, size, &err), &err);
    rig_run(&r, 1);
    assert_true(rig_q(&r, "b", 2) == angle);
    near("impacts", (double)trm_sim_impacts(r.sim).count, 1, 0);
    free(saved);
    free(locked);
    rig_close(&r);
}

/// A program switches as events do: the switch is an input.
CLAIM(a_program_switches)
{
    rig r = rig_parse(ROTORS(""));
    trm_error err = {.status = TRM_OK};
    const int input = trm_model_find(r.model, TRM_ELEMENT_INPUT, "clutch.switch");
    assert_int_equal(input, 0);
    rig_start(&r, exact());
    rig_run(&r, 0.5);
    rig_ok(trm_sim_set_input(r.sim, input, 1, &err), &err);
    rig_run(&r, 1);
    near("rate", rig_v(&r, "b", 2), 7.0 / 5, 1e-12);
    assert_int_equal(rig_contact(&r, 0).mode, TRM_CONTACT_MODE_LOCKED);
    rig_ok(trm_sim_set_input(r.sim, input, 0, &err), &err);
    rig_run(&r, 1.5);
    assert_int_equal(rig_contact(&r, 0).mode, TRM_CONTACT_MODE_OPEN);
    rig_close(&r);
}

/// What is closed strikes as what is welded: 1 and 3 kg on a floor, with friction and e = 1/2.
CLAIM(what_is_locked_strikes_as_one)
{
    double y[2], lost[2];
    for (int i = 0; i < 2; i++) {
        char text[1500];
        snprintf(text, sizeof text,
                 "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"a\",\"mass\":1,"
                 "\"inertia\":0.2,\"position\":[0,1]},{\"name\":\"b\",\"mass\":3,\"inertia\":0.5,"
                 "\"position\":[0.5,2]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]},"
                 "{\"name\":\"o\",\"body\":\"ground\",\"at\":[0,0]}],\"joints\":[{\"name\":\"W\","
                 "\"type\":\"weld\",\"bodies\":[\"a\",\"b\"],\"at\":[0.2,1.3]%s}],\"stops\":[{"
                 "\"name\":\"floor\",\"marker\":\"p\",\"on\":\"o\",\"normal\":[0,1],"
                 "\"restitution\":0.5,\"friction\":0.2}]}",
                 i == 0 ? ",\"switch\":\"closed\"" : "");
        rig r = rig_parse(text);
        rig_start(&r, exact());
        rig_run(&r, 1);
        y[i] = rig_q(&r, "b", 1);
        lost[i] = trm_sim_impacts(r.sim).energy_lost;
        rig_close(&r);
    }
    near("y", y[0], y[1], 1e-9);
    near("lost", lost[0], lost[1], 1e-9);
}

CLAIM(what_cannot_close_is_refused)
{
    refused("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1}],\"joints\":[{"
            "\"name\":\"hook\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[[0.3,0],"
            "[0,0]],\"switch\":\"open\"}],\"events\":[{\"name\":\"e\",\"when\":\"t >= 1\","
            "\"lock\":\"hook\"}]}",
            "contact 'hook.x': it cannot close here: it is -0.3 m apart");
    refused("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,\"rate\":3},{"
            "\"name\":"
            "\"b\",\"mass\":1,\"inertia\":1,\"rate\":-3}],\"joints\":[{\"name\":\"A\",\"type\":"
            "\"revolute\","
            "\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],\"motor\":\"3*t\"},{\"name\":\"B\","
            "\"type\":\"revolute\",\"bodies\":[\"ground\",\"b\"],\"at\":[0,0],\"switch\":"
            "\"free\"}],\"constraints\":[{\"name\":\"gear\",\"expression\":\"a.angle + b.angle\"}],"
            "\"events\":[{\"name\":\"e\",\"when\":\"t >= 1\",\"lock\":\"B\"}]}",
            "contact 'B.lock': it cannot close here: motors or other joints keep its bodies moving "
            "against each other, by -3 rad/s");
    // of which roundoff leaves 1e-45 of a response
    refused(
        "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1.9,\"ends\":[[0,0],[0.3,-0.08]]},"
        "{\"name\":\"b\",\"mass\":1.7,\"ends\":[[1,0],[0.8,-0.3]]}],\"joints\":[{\"name\":\"A\","
        "\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],\"motor\":\"t^2\"},"
        "{\"name\":\"B\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"b\"],\"at\":[1,0],"
        "\"switch\":\"free\"}],\"constraints\":[{\"name\":\"gear\",\"type\":\"gear\","
        "\"joints\":[\"A\",\"B\"],\"ratio\":1.1}],"
        "\"events\":[{\"name\":\"e\",\"when\":\"B.rate > 1\",\"lock\":\"B\"}]}",
        "motors or other joints keep its bodies moving against each other, by 1 rad/s");
    refused("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1}],\"joints\":[{"
            "\"name\":\"A\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],"
            "\"motor\":\"t^2\"},{\"name\":\"W\",\"type\":\"weld\",\"bodies\":[\"ground\",\"a\"],"
            "\"at\":[1,0],\"switch\":\"closed\"}]}",
            "contact 'W.x': it cannot stay closed: motors or other joints move its bodies");
    // it opens by less than it may at the usual accuracy, and steps vanish
    refused(
        "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"ends\":[[0,0],[1,0]]},{\"name\":"
        "\"c\",\"mass\":1,\"ends\":[[1,0],[2,0.3]]}],\"joints\":[{\"name\":\"A\",\"type\":"
        "\"revolute\","
        "\"bodies\":[\"ground\",\"a\"],\"at\":[0,0]},{\"name\":\"P\",\"type\":\"prismatic\","
        "\"bodies\":["
        "\"a\",\"c\"],\"at\":[1.08,0.06],\"axis\":[0.88,1],\"motor\":\"t^2\"},{\"name\":\"W\","
        "\"type\":"
        "\"revolute\",\"bodies\":[\"a\",\"c\"],\"at\":[1,0],\"switch\":\"closed\"}]}",
        "contact 'W.x': it cannot stay closed: motors or other joints move its bodies");
    refused(ROTORS("{\"name\":\"e\",\"when\":\"t >= 1\",\"lock\":\"clutch\"},{\"name\":\"f\","
                   "\"when\":\"t >= 1\",\"release\":\"clutch\"}"),
            "events 'e' and 'f' set 'clutch.switch' at one time, to 1 and to 0");
    refused(ROTORS("{\"name\":\"e\",\"when\":\"t >= 1\",\"lock\":\"A\"}"),
            "joint \"A\" is not switched; give it \"switch\"");
    refused("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1}],\"joints\":[{"
            "\"name\":\"A\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],"
            "\"friction\":1,\"switch\":\"closed\"}]}",
            "a joint that is closed and opened cannot have \"friction\"");
    refused("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1}],\"joints\":[{"
            "\"name\":\"A\",\"type\":\"weld\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],"
            "\"switch\":\"free\"}]}",
            "a weld joint has not one coordinate to be locked");
}

/// A weld beside a slider or a hinge of the same bodies, all turning at 2 rad/s: rows that the
/// joint holds already bear nothing, in any direction.
#define TWICE(type)                                                                                \
    SLING("\"type\":\"weld\",\"switch\":\"closed\"},{\"name\":\"P\",\"bodies\":[\"wheel\","        \
          "\"ball\"],\"at\":[1,0],\"type\":" type "}]}")
CLAIM(a_weld_repeats_what_a_joint_holds)
{
    for (int i = 0; i < 2; i++) {
        rig r = rig_parse(i ? TWICE("\"prismatic\",\"axis\":[0.6,0.8]") : TWICE("\"revolute\""));
        rig_start(&r, exact());
        rig_run(&r, 2);
        near("x", rig_q(&r, "ball", 0), cos(4), 1e-9);
        near("y", rig_q(&r, "ball", 1), sin(4), 1e-9);
        rig_close(&r);
    }
}

/// x_a = t^2 and x_b = 0, locked, give x_c = x_a + x_b friction of 0.5 m g: that, and 1 kg of c at
/// 2 m/s^2, is the force of the lock.
CLAIM(friction_of_what_a_motor_and_a_lock_decide)
{
    rig r = rig_parse(
        "{\"dimension\":2,\"gravity\":[0,-9.81],\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":"
        "1},{"
        "\"name\":\"b\",\"mass\":1,\"inertia\":1},{\"name\":\"c\",\"mass\":1,\"inertia\":1}],"
        "\"joints\":[{\"name\":\"A\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"a\"],\"at\":["
        "0,0],"
        "\"axis\":[1,0],\"motor\":\"t^2\"},{\"name\":\"B\",\"type\":\"prismatic\",\"bodies\":["
        "\"ground\","
        "\"b\"],\"at\":[0,0],\"axis\":[1,0],\"switch\":\"locked\"},{\"name\":\"C\",\"type\":"
        "\"prismatic\","
        "\"bodies\":[\"ground\",\"c\"],\"at\":[0,0],\"axis\":[1,0],\"friction\":{\"coefficient\":0."
        "5}}],"
        "\"constraints\":[{\"name\":\"K\",\"type\":\"coupling\",\"joints\":[\"A\",\"B\",\"C\"],"
        "\"coefficients\":[1,1,-1]}]}");
    rig_start(&r, exact());
    rig_run(&r, 1);
    trm_contact_state lock;
    assert_true(trm_sim_contact(r.sim, 1, &lock));
    near("lock", lock.force, 2 + 0.5 * 9.81, 1e-9);
    rig_close(&r);
}

/// Two discs that a clutch of 1 N m holds together turn at 0.5 rad/s. At 0.1 s the second is
/// locked: no bound is a match for its impulse, so that the first turns on and slides, 1 N m on 2
/// kg m^2.
CLAIM(a_clutch_slips_when_a_lock_closes)
{
    rig r = rig_parse(
        "{\"dimension\":2,\"bodies\":[{\"name\":\"b\",\"mass\":1,\"inertia\":2,\"rate\":0.5},"
        "{\"name\":\"c\",\"mass\":1,\"inertia\":0.5,\"position\":[1,0],\"rate\":0.5}],\"joints\":["
        "{\"name\":\"B\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"b\"],\"at\":[0,0]},"
        "{\"name\":\"C\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"c\"],\"at\":[1,0],"
        "\"switch\":\"free\"}],\"constraints\":[{\"name\":\"k\",\"type\":\"coupling\","
        "\"joints\":[\"B\",\"C\"],\"coefficients\":[1,-1],\"friction\":1}],"
        "\"events\":[{\"name\":\"e\",\"when\":\"t > 0.1\",\"lock\":\"C\"}]}");
    rig_start(&r, trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2));
    rig_run(&r, 0.6);
    near("it turns on", rig_v(&r, "b", 2), 0.5 - 0.5 / 2, 1e-9);
    near("lost", trm_sim_impacts(r.sim).energy_lost, 0.5 * 0.25 / 2, 1e-12);
    rig_run(&r, 2);
    near("it halts", rig_q(&r, "b", 2), 0.05 + 0.25, 1e-9);
    rig_close(&r);
}
