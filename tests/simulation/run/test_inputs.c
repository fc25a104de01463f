/// Inputs: set between steps, taken up by every method as if the run had been started anew, landing
/// exactly where a control loop asks for it.
#include "tests/rig.h"
#include "tests/simulation/run/control.h"

// ---------------------------------------------------------------------------- landing, closed form

/// Full torque forth for 30 ms, back for 50 ms, at 1 kHz.
static double bang(int k)
{
    return k < 30 ? 3 : -3;
}

CLAIM(every_method_lands_at_1_kHz_and_turns_as_the_torque_wants)
{
    const trm_method *methods;
    const int n = trm_methods(&methods);
    for (int i = 0; i < n; i++) {
        if (methods[i].integrator == TRM_INTEGRATOR_MOREAU) {
            continue; // there are no contacts
        }
        rig r = rig_parse(rotor);
        char what[80];
        snprintf(what, sizeof what, "%s with %s", methods[i].integrator_name,
                 methods[i].stabilization_name);
        rig_start(&r, options_of(&methods[i], 0.0007)); // no whole number of steps per period
        for (int k = 0; k < 80; k++) {
            set(&r, "u", bang(k));
            step_to(&r, (k + 1) * 1e-3);
        }
        // angle'' = 1.5 for 0.03 s, then -1.5 for 0.05 s
        near(what, rig_v(&r, "rotor", 2), 1.5 * 0.03 - 1.5 * 0.05, 1e-9);
        near(what, rig_q(&r, "rotor", 2), 0.75 * 0.03 * 0.03 + 0.045 * 0.05 - 0.75 * 0.05 * 0.05,
             1e-9);
        const trm_energy energy = trm_sim_energy(r.sim);
        near(what, energy.work, energy.kinetic, 1e-9);
        below(what, trm_sim_report(r.sim).energy_error, 1e-9);
        rig_close(&r);
    }
}

// ------------------------------------------------------------------- a jump is a new beginning

/// The pendulum at 1.2 s, its torque set to another value every 0.3 s; either in one run, or every
/// piece in a run that is restarted from the state of the last one.
static void swing(rig *r, const trm_options *options, int restart, double out[2])
{
    static const double u[4] = {1, -4, 6, 0.5};
    trm_error err = {.status = TRM_OK};
    rig_start(r, *options);
    for (int k = 0; k < 4; k++) {
        double q[3], v[3];
        set(r, "u", u[k]);
        memcpy(q, trm_sim_state(r->sim).q, sizeof q);
        memcpy(v, trm_sim_state(r->sim).v, sizeof v);
        if (restart) {
            rig_ok(trm_sim_set_state(r->sim, 0.3 * k, q, v, &err), &err);
        }
        step_to(r, 0.3 * (k + 1));
    }
    out[0] = rig_q(r, "bar", 2);
    out[1] = rig_v(r, "bar", 2);
}

CLAIM(every_method_takes_a_jump_as_a_restart_does)
{
    const trm_method *methods;
    const int n = trm_methods(&methods);
    rig r = rig_parse(pendulum);
    double exact[2];
    trm_options best = rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-13, 1e-13);
    swing(&r, &best, 1, exact);
    for (int i = 0; i < n; i++) {
        if (methods[i].integrator == TRM_INTEGRATOR_MOREAU) {
            continue; // there are no contacts
        }
        const trm_options options = options_of(&methods[i], 1e-3);
        double one[2], restarted[2];
        char what[80];
        snprintf(what, sizeof what, "%s with %s", methods[i].integrator_name,
                 methods[i].stabilization_name);
        swing(&r, &options, 0, one);
        swing(&r, &options, 1, restarted);
        for (int c = 0; c < 2; c++) {
            const double error = fabs(restarted[c] - exact[c]);
            near(what, one[c], exact[c], 2 * error + 1e-7);
        }
    }
    rig_close(&r);
}

CLAIM(fourth_order_stays_fourth_order_across_jumps)
{
    rig r = rig_parse(pendulum);
    double exact[2], error[2];
    trm_options best = rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-13, 1e-13);
    swing(&r, &best, 1, exact);
    const trm_stabilization stabilizations[] = {TRM_STABILIZATION_S_BOTH2,
                                                TRM_STABILIZATION_PROJECTION};
    for (int s = 0; s < 2; s++) {
        for (int k = 0; k < 2; k++) {
            const trm_options options =
                rig_fixed(TRM_INTEGRATOR_RK4, stabilizations[s], k ? 0.005 : 0.01);
            double end[2];
            swing(&r, &options, 0, end);
            error[k] = hypot(end[0] - exact[0], end[1] - exact[1]);
        }
        near("order", log2(error[0] / error[1]), 4, 0.5);
    }
    rig_close(&r);
}

/// After hours of simulated time the period of a control loop is short against all that lies
/// behind: no reason to think that the run makes no headway.
CLAIM(a_control_loop_may_go_on_for_hours)
{
    trm_error err = {.status = TRM_OK};
    rig r = rig_parse(rotor);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_PLAIN, 1e-9, 1e-9));
    step_to(&r, 3e4);
    for (int k = 1; k <= 100200; k++) {
        rig_ok(trm_sim_step_to(r.sim, 3e4 + 1e-3 * k, &err), &err);
    }
    rig_close(&r);
}

CLAIM(samples_are_not_counted)
{
    rig r = rig_parse(pendulum);
    trm_error err = {.status = TRM_OK};
    trm_sample sample;
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-9, 1e-9));
    rig_ok(trm_sim_step(r.sim, &err), &err);
    const trm_stats before = trm_sim_stats(r.sim);
    rig_ok(trm_sim_sample(r.sim, trm_sim_state(r.sim).t / 2, &sample, &err), &err);
    const trm_stats after = trm_sim_stats(r.sim);
    assert_int_equal(after.force_evals, before.force_evals);
    assert_int_equal(after.jacobian_evals, before.jacobian_evals);
    assert_int_equal(after.factorizations, before.factorizations);
    rig_close(&r);
}

// --------------------------------------------------------------------------- nothing without need

CLAIM(the_value_it_has_changes_nothing)
{
    trm_error err = {.status = TRM_OK};
    rig one = rig_parse(pendulum), other = rig_parse(pendulum);
    rig_start(&one, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-9, 1e-9));
    rig_start(&other, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-9, 1e-9));
    for (int k = 0; k < 20; k++) {
        set(&one, "u", 7);
        set(&one, "u", 1); // what it had; 7 never came into force
        rig_ok(trm_sim_step(one.sim, &err), &err);
        rig_ok(trm_sim_step(other.sim, &err), &err);
        assert_true(trm_sim_state(one.sim).t == trm_sim_state(other.sim).t);
        for (int c = 0; c < 3; c++) {
            assert_true(trm_sim_state(one.sim).q[c] == trm_sim_state(other.sim).q[c]);
        }
    }
    rig_close(&one);
    rig_close(&other);
}

CLAIM(a_restart_keeps_what_was_set)
{
    trm_error err = {.status = TRM_OK};
    double q[3], v[3];
    rig r = rig_parse(rotor);
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-3));
    near("at the start", trm_sim_input(r.sim, 0), 0, 0);
    set(&r, "u", 5);
    near("as set", trm_sim_input(r.sim, 0), 5, 0);
    step_to(&r, 0.1);
    trm_model_initial_state(r.model, q, v);
    rig_ok(trm_sim_set_state(r.sim, 0, q, v, &err), &err);
    near("after the restart", trm_sim_input(r.sim, 0), 5, 0);
    near("acceleration", trm_sim_state(r.sim).a[2], 2.5, 1e-12);
    rig_close(&r);
}

CLAIM(a_sample_of_the_last_step_has_the_input_of_that_step)
{
    trm_error err = {.status = TRM_OK};
    trm_sample sample;
    rig r = rig_parse(rotor);
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-2));
    set(&r, "u", 2);
    step_to(&r, 0.01);
    set(&r, "u", -8);
    rig_ok(trm_sim_sample(r.sim, 0.004, &sample, &err), &err);
    near("acceleration", sample.state.a[2], 1, 1e-12);
    near("acceleration at the end", trm_sim_state(r.sim).a[2], 1, 1e-12);
    step_to(&r, 0.02);
    rig_ok(trm_sim_sample(r.sim, 0.014, &sample, &err), &err);
    near("acceleration", sample.state.a[2], -4, 1e-12);
    near("angle", sample.state.q[2], 0.5 * 1e-4 + 0.01 * 0.004 - 2 * 16e-6, 1e-12);
    rig_close(&r);
}

/// The same for every method: looked at between its ends, the last step is what it was, whatever
/// has been set since.
CLAIM(no_method_mixes_the_last_step_with_what_was_set_after_it)
{
    const trm_method *methods;
    const int n = trm_methods(&methods);
    for (int i = 0; i < n; i++) {
        if (methods[i].integrator == TRM_INTEGRATOR_MOREAU) {
            continue; // there are no contacts
        }
        trm_error err = {.status = TRM_OK};
        trm_sample sample;
        rig r = rig_parse(rotor);
        char what[80];
        snprintf(what, sizeof what, "%s with %s", methods[i].integrator_name,
                 methods[i].stabilization_name);
        rig_start(&r, options_of(&methods[i], 1e-3));
        set(&r, "u", 2);
        step_to(&r, 0.01);
        const double t = 0.01 - 0.3 * trm_sim_stats(r.sim).h;
        set(&r, "u", -8);
        rig_ok(trm_sim_sample(r.sim, t, &sample, &err), &err);
        near(what, sample.state.a[2], 1, 1e-8);
        near(what, sample.state.v[2], t, 1e-9);
        near(what, sample.state.q[2], 0.5 * t * t, 1e-9);
        rig_close(&r);
    }
}

// ------------------------------------------------------------------ torques in singular positions

/// A wild torque at 1 kHz changes the acceleration in every step, also next to a singular position:
/// no reason to see another branch there, or to lose energy.
CLAIM(wild_torques_do_not_throw_it_off_in_singular_positions)
{
    const trm_options options[3] = {
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-8, 1e-8),
        rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-3),
        rig_adaptive(TRM_INTEGRATOR_ADAMS, TRM_STABILIZATION_SRM, 1e-8, 1e-8)};
    long crossings[3];
    for (int i = 0; i < 3; i++) {
        unsigned long long seed = 1;
        rig r = rig_load("../tests/scenes/two_four_bars", NULL);
        rig_start(&r, options[i]);
        for (int k = 1; k <= 4000; k++) {
            seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
            set(&r, "u", 20 * ((double)(seed >> 33) / 1073741824.0 - 1));
            step_to(&r, k * 1e-3);
        }
        const trm_report report = trm_sim_report(r.sim);
        crossings[i] = report.crossings;
        assert_int_equal(report.branch_changes, 0);
        below("energy", report.energy_error_relative, 1e-5);
        below("drift", report.position_drift, 1e-9);
        rig_close(&r);
    }
    assert_true(crossings[0] >= 3);
    assert_int_equal(crossings[1], crossings[0]);
    assert_int_equal(crossings[2], crossings[0]);
}

// ------------------------------------------------------------------------- what is held exactly

static const char driven[] =
    "{\"dimension\":2,\"gravity\":[0,-9.81],"
    "\"parameters\":{\"turn\":{\"value\":0,\"input\":true,\"smooth\":0.2},"
    "\"lift\":{\"value\":0.5,\"input\":true,\"smooth\":0.1}},"
    "\"bodies\":[{\"name\":\"bar\",\"mass\":3,\"ends\":[[0,0],[1,0]]},"
    "{\"name\":\"bead\",\"mass\":1,\"shape\":{\"type\":\"point\"},\"position\":[2,0.5]}],"
    "\"markers\":[{\"name\":\"b\",\"body\":\"bead\",\"on\":[0,0]}],"
    "\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"bar\"],"
    "\"at\":[0,0],\"motor\":\"2*turn\"}],"
    "\"constraints\":[{\"name\":\"height\",\"expression\":\"b.y - lift^2*2\"}]}";

/// 10 x^3 - 15 x^4 + 6 x^5: from 0 to 1 with two derivatives zero at both ends.
static double smoothstep(double x)
{
    return x * x * x * (10 + x * (-15 + 6 * x));
}

static double smoothstep_rate(double x)
{
    return 30 * x * x * (1 - x) * (1 - x);
}

CLAIM(motors_and_constraints_follow_a_smooth_input)
{
    rig r = rig_parse(driven);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-11, 1e-11));
    step_to(&r, 0.05);
    set(&r, "turn", 0.4);
    set(&r, "lift", 0.6);
    step_to(&r, 0.10);
    near("angle on the way", rig_q(&r, "bar", 2), 0.8 * smoothstep(0.25), 1e-10);
    near("rate on the way", rig_v(&r, "bar", 2), 0.8 * smoothstep_rate(0.25) / 0.2, 1e-9);
    const double lift = 0.5 + 0.1 * smoothstep(0.5);
    near("height", rig_q(&r, "bead", 1), 2 * lift * lift, 1e-10);
    near("rise", rig_v(&r, "bead", 1), 4 * lift * 0.1 * smoothstep_rate(0.5) / 0.1, 1e-9);
    step_to(&r, 0.4);
    near("angle", rig_q(&r, "bar", 2), 0.8, 1e-10);
    near("rate", rig_v(&r, "bar", 2), 0, 1e-9);
    near("height", rig_q(&r, "bead", 1), 0.72, 1e-10);
    below("drift", trm_sim_report(r.sim).position_drift, 1e-10);
    below("velocity drift", trm_sim_report(r.sim).velocity_drift, 1e-9);
    below("energy", trm_sim_report(r.sim).energy_error, 1e-8);
    rig_close(&r);
}

/// u goes from 0 to 1 between 0.05 s and 0.25 s and is 1/2 in the middle, so that u + t passes 0.65
/// at 0.15 s, and 1.3 at 0.3 s, after its arrival; u t never passes 0.3 before that.
CLAIM(events_are_found_on_the_way_of_a_smooth_input)
{
    static const char text[] =
        "{\"dimension\":2,\"parameters\":{\"u\":{\"value\":0,\"input\":true,\"smooth\":0.2}},"
        "\"bodies\":[{\"name\":\"a\",\"mass\":1,\"shape\":{\"type\":\"point\"}}],"
        "\"events\":[{\"name\":\"middle\",\"when\":\"u + t > 0.65\"},"
        "{\"name\":\"later\",\"when\":\"u + t > 1.3\"},"
        "{\"name\":\"product\",\"when\":\"u*t > 0.3\"}]}";
    static const char *const names[] = {"middle", "later", "product"};
    static const double times[] = {0.15, 0.3, 0.3};
    rig r = rig_parse(text);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_PLAIN, 1e-9, 1e-9));
    step_to(&r, 0.05);
    set(&r, "u", 1);
    step_to(&r, 1);
    assert_int_equal(trm_sim_events(r.sim), 3);
    for (int i = 0; i < 3; i++) {
        trm_event event;
        assert_int_equal(trm_sim_event(r.sim, i, &event), 1);
        near(names[i], event.t, times[i], 1e-9);
    }
    rig_close(&r);
}

/// Set again before it arrives, it goes on from where it is, as fast as it is.
CLAIM(a_smooth_input_turns_round_without_a_jump)
{
    rig r = rig_parse(driven);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-11, 1e-11));
    set(&r, "turn", 1);
    for (int k = 1; k <= 40; k++) {
        const double before = rig_v(&r, "bar", 2), a = trm_sim_state(r.sim).a[2];
        step_to(&r, 0.005 * k);
        // |angle'''| is below 2 * 60 / 0.2^3 for a ramp of 1, and a few times that when it turns
        near("rate", rig_v(&r, "bar", 2) - before, 0.005 * a, 1.2e5 * 0.005 * 0.005 / 2);
        if (k == 17) {
            set(&r, "turn", -1);
        }
    }
    step_to(&r, 0.4);
    near("angle", rig_q(&r, "bar", 2), -2, 1e-9);
    below("velocity drift", trm_sim_report(r.sim).velocity_drift, 1e-8);
    rig_close(&r);
}

CLAIM(a_restart_ends_what_is_on_its_way)
{
    trm_error err = {.status = TRM_OK};
    double q[5], v[5];
    rig r = rig_parse(driven);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-11, 1e-11));
    trm_model_initial_state(r.model, q, v);
    set(&r, "turn", 0.3);
    step_to(&r, 0.1);
    assert_int_equal(trm_sim_set_state(r.sim, 0, q, v, &err), TRM_ERR_INCONSISTENT);
    q[0] = 0.5 * cos(0.6);
    q[1] = 0.5 * sin(0.6);
    q[2] = 0.6;
    rig_ok(trm_sim_set_state(r.sim, 0, q, v, &err), &err);
    step_to(&r, 0.1);
    near("angle", rig_q(&r, "bar", 2), 0.6, 1e-10);
    rig_close(&r);
}

// ------------------------------------------------------------------------------ saved and restored

CLAIM(a_run_restored_in_the_middle_of_control_goes_on_to_the_bit)
{
    const trm_method *methods;
    const int n = trm_methods(&methods);
    for (int i = 0; i < n; i++) {
        if (methods[i].integrator == TRM_INTEGRATOR_MOREAU) {
            continue; // there are no contacts
        }
        trm_error err = {.status = TRM_OK};
        rig r = rig_parse(driven);
        if (!rig_fits(&r, &methods[i])) {
            rig_close(&r);
            continue;
        }
        double q[2][5], v[2][5];
        trm_options options = options_of(&methods[i], 1e-3);
        rig_start(&r, options);
        const size_t size = trm_sim_state_size(r.sim);
        char *const bytes = malloc(size + 1);
        assert_non_null(bytes);
        set(&r, "turn", 0.02);
        step_to(&r, 0.013);
        set(&r, "lift", 0.51); // set, and not yet taken up
        if (size > 0) {
            rig_ok(trm_sim_save(r.sim, bytes, size, &err), &err);
            for (int k = 0; k < 2; k++) {
                step_to(&r, 0.02);
                set(&r, "turn", -0.01);
                step_to(&r, 0.03);
                memcpy(q[k], trm_sim_state(r.sim).q, sizeof q[k]);
                memcpy(v[k], trm_sim_state(r.sim).v, sizeof v[k]);
                rig_ok(trm_sim_restore(r.sim, bytes, size, &err), &err);
                near("input restored", trm_sim_input(r.sim, 0), 0.02, 0);
            }
            assert_memory_equal(q[0], q[1], sizeof q[0]);
            assert_memory_equal(v[0], v[1], sizeof v[0]);
        }
        free(bytes);
        rig_close(&r);
    }
}

// --------------------------------------------------------------------------------- as parameters

/// An input starts where its expression, or --set, says; with "input": false it is a plain number.
CLAIM(an_input_is_a_parameter_too)
{
    static const char json[] =
        "{\"dimension\":2,\"parameters\":{\"l\":3,\"first\":{\"value\":\"2*l\",\"input\":true},"
        "\"m\":{\"value\":\"l - 1\",\"input\":false},"
        "\"second\":{\"input\":true,\"smooth\":\"l/10\",\"value\":-1}},"
        "\"bodies\":[{\"name\":\"a\",\"mass\":\"m\",\"shape\":{\"type\":\"point\"}}],"
        "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}],"
        "\"forces\":[{\"name\":\"F\",\"type\":\"force\",\"marker\":\"p\","
        "\"value\":[\"first\",\"second\"]}]}";
    trm_error err = {.status = TRM_OK};
    rig r = rig_parse(json);
    assert_int_equal(trm_model_sizes(r.model).ninput, 2);
    assert_int_equal(trm_model_find(r.model, TRM_ELEMENT_INPUT, "m"), -1);
    assert_int_equal(trm_model_find(r.model, TRM_ELEMENT_INPUT, "second"), 1);
    assert_string_equal(trm_model_input_info(r.model, 0).name, "first");
    near("value", trm_model_input_info(r.model, 0).value, 6, 0);
    near("smooth", trm_model_input_info(r.model, 0).smooth, 0, 0);
    near("smooth", trm_model_input_info(r.model, 1).smooth, 0.3, 1e-15);
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN, 1e-2));
    near("acceleration", trm_sim_state(r.sim).a[0], 3, 1e-15);
    near("acceleration", trm_sim_state(r.sim).a[1], -0.5, 1e-15);
    rig_ok(trm_scene_set(r.scene, "first", "8", &err), &err);
    rig_ok(trm_scene_set(r.scene, "m", "4", &err), &err);
    trm_sim_destroy(r.sim);
    r.sim = NULL;
    trm_model_destroy(r.model);
    rig_ok(trm_model_build(r.scene, &r.model, &err), &err);
    near("value", trm_model_input_info(r.model, 0).value, 8, 0);
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN, 1e-2));
    near("acceleration", trm_sim_state(r.sim).a[0], 2, 1e-15);
    rig_close(&r);
}

// ------------------------------------------------------------------------------------------ misuse

static void refuses(trm_status status, const trm_error *err, const char *sentence)
{
    assert_int_equal(status, TRM_ERR_OPTIONS);
    assert_int_equal(err->status, TRM_ERR_OPTIONS);
    assert_string_equal(err->message, sentence);
}

CLAIM(what_cannot_be_set_is_refused)
{
    trm_error err = {.status = TRM_OK};
    rig r = rig_parse(rotor);
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-3));
    refuses(trm_sim_set_input(NULL, 0, 1, &err), &err, "expected a run, got NULL");
    refuses(trm_sim_set_input(r.sim, -1, 1, &err), &err,
            "expected the index of one of the 1 inputs of the scene, got -1");
    refuses(trm_sim_set_input(r.sim, 1, 1, &err), &err,
            "expected the index of one of the 1 inputs of the scene, got 1");
    refuses(trm_sim_set_input(r.sim, 0, NAN, &err), &err, "an input must be finite, got nan");
    assert_string_equal(err.where, "u");
    refuses(trm_sim_set_input(r.sim, 0, -INFINITY, &err), &err,
            "an input must be finite, got -inf");
    assert_true(isnan(trm_sim_input(r.sim, 1)));
    assert_true(isnan(trm_sim_input(r.sim, -1)));
    assert_int_equal(trm_model_find(r.model, TRM_ELEMENT_INPUT, "v"), -1);
    assert_int_equal(trm_model_find(r.model, TRM_ELEMENT_INPUT, NULL), -1);
    assert_null(trm_model_input_info(r.model, 1).name);
    assert_null(trm_model_body_info(r.model, -2).name);
    assert_null(trm_model_row_info(r.model, 99).name);
    near("unchanged", trm_sim_input(r.sim, 0), 0, 0);
    refuses(trm_sim_step_to(r.sim, -1, &err), &err, "expected an end at or after t = 0, got -1");
    refuses(trm_sim_step_to(r.sim, INFINITY, &err), &err, "the end must be finite, got inf");
    rig_close(&r);
}

/// A formula that fails for a value fails the step, and the run goes on with another value.
CLAIM(a_value_that_a_formula_cannot_take_stops_the_step_only)
{
    trm_error err = {.status = TRM_OK};
    rig r = rig_parse("{\"dimension\":2,\"parameters\":{\"u\":{\"value\":1,\"input\":true}},"
                      "\"bodies\":[{\"name\":\"a\",\"mass\":1,\"shape\":{\"type\":\"point\"}}],"
                      "\"markers\":[{\"name\":\"m\",\"body\":\"a\",\"on\":[0,0]}],"
                      "\"forces\":[{\"name\":\"F\",\"type\":\"force\",\"marker\":\"m\",\"value\":["
                      "\"sqrt(u)\",0]}]}");
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-2));
    step_to(&r, 0.1);
    const double x = trm_sim_state(r.sim).q[0];
    set(&r, "u", -1);
    assert_int_equal(trm_sim_step_to(r.sim, 0.2, &err), TRM_ERR_CALLBACK);
    assert_non_null(strstr(err.message, "'F'"));
    assert_true(trm_sim_state(r.sim).t == 0.1 && trm_sim_state(r.sim).q[0] == x);
    near("acceleration", trm_sim_state(r.sim).a[0], 1, 1e-15);
    set(&r, "u", 4);
    step_to(&r, 0.2);
    near("speed", trm_sim_state(r.sim).v[0], 0.1 + 0.2, 1e-12);
    rig_close(&r);
}
