/// States of a scene against closed forms: in every kind of method, with limits, linearized.
#include "tests/rig.h"

static double output(const rig *r, const char *name)
{
    trm_error err = {.status = TRM_OK};
    trm_sensor sensor;
    double x = NAN;
    rig_ok(trm_model_sensor(r->model, name, &sensor, &err), &err);
    rig_ok(trm_sim_read(r->sim, &sensor, &x, &err), &err);
    return x;
}

/// A motor of R = 1, L = 0.01, k = 0.1 at 12 V turns J = 0.002, the current a state; `end` is
/// a third equation, whose rate is the angle.
static rig motor(int dimension)
{
    char json[900];
    snprintf(json, sizeof json,
             "{\"dimension\":%d,\"parameters\":{\"R\":1,\"L\":0.01,\"k\":0.1},"
             "\"states\":{\"i\":{\"rate\":\"(12 - R*i - k*O.rate)/L\",\"start\":0,\"scale\":5,"
             "\"unit\":\"A\"},\"sum\":\"O.angle\"},"
             "\"outputs\":{\"heat\":{\"value\":\"R*i^2\",\"unit\":\"W\"}},"
             "\"bodies\":[{\"name\":\"rotor\",\"mass\":1,\"inertia\":%s}],"
             "\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"rotor\"],"
             "\"at\":[0,0%s}],"
             "\"forces\":[{\"name\":\"M\",\"type\":\"joint_force\",\"joint\":\"O\","
             "\"value\":\"k*i\"}]}",
             dimension, dimension == 2 ? "0.002" : "[0.001,0.003,0.002]",
             dimension == 2 ? "]" : ",0],\"axis\":[0,0,1]");
    return rig_parse(json);
}

/// s^2 + R/L s + k^2/(J L) = 0:
///
///   i = U/L (E2 - E1)/(s2 - s1),   rate = k U/(J L) (D2 - D1)/(s2 - s1),
///   E = exp(s t),   D = (E - 1)/s,   angle and its integral by integrals of D
static void exact(double t, double *i, double *rate, double *angle, double *sum)
{
    const double root = sqrt(2500. - 500), s[2] = {-50 - root, -50 + root};
    double E[2], D[2], A[2], S[2];
    for (int n = 0; n < 2; n++) {
        E[n] = exp(s[n] * t);
        D[n] = (E[n] - 1) / s[n];
        A[n] = (D[n] - t) / s[n];
        S[n] = (A[n] - t * t / 2) / s[n];
    }
    const double U_L = 1200 / (s[1] - s[0]), k_J = 50;
    *i = U_L * (E[1] - E[0]);
    *rate = U_L * k_J * (D[1] - D[0]);
    *angle = U_L * k_J * (A[1] - A[0]);
    *sum = U_L * k_J * (S[1] - S[0]);
}

static void check_motor(const rig *r, double t, double tolerance)
{
    double i, rate, angle, sum;
    exact(t, &i, &rate, &angle, &sum);
    near("current", output(r, "i"), i, tolerance * 10);
    near("rate", output(r, "O.rate"), rate, tolerance * 100);
    near("angle", output(r, "O.angle"), angle, tolerance * 40);
    near("sum", output(r, "sum"), sum, tolerance * 10);
    near("heat", output(r, "heat"), i * i, tolerance * 100);
}

CLAIM(every_method_steps_them)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        const trm_options options[] = {
            rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12),
            rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_BAUMGARTE, 1e-12, 1e-12),
            rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 2e-4),
            rig_adaptive(TRM_INTEGRATOR_IDA, TRM_STABILIZATION_GGL, 1e-11, 1e-11),
            rig_adaptive(TRM_INTEGRATOR_IDA, TRM_STABILIZATION_PLAIN, 1e-11, 1e-11)};
        for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
            rig r = motor(dimension);
            assert_int_equal(trm_model_sizes(r.model).nstate, 2);
            rig_start(&r, options[k]);
            near("start", output(&r, "i"), 0, 0);
            rig_run(&r, 0.1);
            check_motor(&r, 0.1, 1e-8);
            rig_run(&r, 0.5);
            check_motor(&r, 0.5, 1e-8);
            rig_close(&r);
        }
    }
}

/// A rate that stops at a limit is cut exactly there; an event on a state ends the run.
CLAIM(limits_and_conditions_are_events)
{
    rig r = rig_load("../tests/scenes/limits_and_conditions_are_events", NULL);
    trm_error err = {.status = TRM_OK};
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12));
    rig_run(&r, 0.2);
    near("before", output(&r, "x"), 0.22, 1e-11);
    assert_int_equal(trm_sim_run(r.sim, 5, NULL, NULL, &err), TRM_STOPPED);
    near("when", trm_sim_state(r.sim).t, log(20) / 3, 1e-9);
    near("held", output(&r, "x"), 0.3, 1e-10);
    rig_close(&r);
}

/// The eigenvalues of the motor: s^2 + 100 s + 500 = 0.
CLAIM(they_are_states_of_a_linearization)
{
    rig r = motor(3);
    trm_error err = {.status = TRM_OK};
    trm_query *query = NULL;
    trm_linear *linear = NULL;
    double q[16], v[16];
    rig_ok(trm_query_create(r.model, &query, &err), &err);
    trm_model_initial_state(r.model, q, v);
    assert_int_equal(trm_query_freedoms(query, 0, q, &err), 1);
    const trm_status status = trm_query_linearize(query, 0, q, v, NULL, &linear, &err);
    if (status == TRM_ERR_OPTIONS && strstr(err.message, "LAPACK")) {
        trm_query_destroy(query);
        rig_close(&r);
        skip();
    }
    rig_ok(status, &err);
    assert_int_equal(linear->p, 1);
    assert_int_equal(linear->d, 3);
    assert_int_equal(linear->n, 4);
    near("slow", linear->modes[linear->nmodes - 2].re, -50 + sqrt(2000), 1e-8);
    near("fast", linear->modes[linear->nmodes - 1].re, -50 - sqrt(2000), 1e-8);
    trm_linear_destroy(linear);
    trm_equilibrium found;
    // a constant voltage turns it for ever: nothing rests
    assert_int_equal(trm_query_equilibrium(query, NULL, q, NULL, &found, &err), TRM_ERR_DIVERGED);
    trm_query_destroy(query);
    rig_close(&r);
}

/// A servo of kp = 4, kd = 2, ki = 1 on 1 kg against a constant load of 3: x''' + 2 x'' + 4 x' + x
/// = 0 after the start, and x comes to its target. Compared with the same equations as states.
CLAIM(the_integral_of_a_servo_is_a_state)
{
    rig r = rig_load("../tests/scenes/the_integral_of_a_servo_is_a_state", NULL);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12));
    for (int k = 1; k <= 4; k++) {
        rig_run(&r, k);
        near("x", output(&r, "S.position"), output(&r, "X"), 1e-8);
        near("integral", output(&r, "pid.integral"), output(&r, "I"), 1e-8);
        near("x behind the lag", output(&r, "T.position"), output(&r, "Y"), 1e-8);
        near("integral behind the lag", output(&r, "slow.integral"), output(&r, "L2"), 1e-8);
        near("effort", output(&r, "slow.effort"), output(&r, "F"), 1e-8);
    }
    rig_run(&r, 80);
    near("at its target", output(&r, "S.position"), 0.5, 1e-8);
    near("what it carries", output(&r, "pid.integral"), 3, 1e-8);
    rig_close(&r);
}

static void refused(const char *parts, const char *where, const char *message)
{
    char json[900];
    trm_scene *scene = NULL;
    trm_error err = {.status = TRM_OK};
    snprintf(json, sizeof json,
             "{\"dimension\":2,\n%s,\n\"bodies\":[{\"name\":\"bar\",\"mass\":1,"
             "\"ends\":[[0,0],[2,0]]}]}",
             parts);
    assert_int_equal(trm_scene_parse(json, strlen(json), &scene, &err), TRM_ERR_SCENE);
    assert_string_equal(err.where, where);
    assert_string_equal(err.message, message);
}

CLAIM(mistakes_are_told_with_their_place)
{
    refused("\"states\":{\"i\":{\"rate\":\"-i\"}}", "scene:2:15 /states/i",
            "missing key \"start\"");
    refused("\"states\":{\"i\":\"-j\"}", "scene:2:17 /states/i", "no parameter \"j\"");
    refused("\"outputs\":{\"a\":\"b\",\"b\":\"i + a\"},\"states\":{\"i\":\"a\"}",
            "scene:2:29 /outputs/b", "\"a\" is defined by itself (used in line 2)");
    refused("\"definitions\":{\"i\":1},\"states\":{\"i\":\"-i\"}", "scene:2:33 /states/i",
            "\"i\" is a definition (line 2) already");
    refused("\"states\":{\"i\":\"1\"},\"constraints\":[{\"name\":\"c\",\"expression\":"
            "\"bar.angle - i\"}]",
            "scene:2:73 /constraints/0/expression",
            "\"i\" is a state, which has one derivative in time, and what is held here needs two; "
            "a servo or a force may follow it");
}
