/// Sampled blocks and events that set inputs by formulas, against recursions.
#include "tests/rig.h"

#define ROTOR(events)                                                                              \
    "{\"dimension\":2,\"parameters\":{\"u\":{\"value\":0,\"input\":true},\"sum\":{\"value\":0,"    \
    "\"input\":true},\"late\":{\"value\":0,\"input\":true}},"                                      \
    "\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":0.5}],"                                    \
    "\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],"             \
    "\"at\":[0,0]}],\"forces\":[{\"name\":\"M\",\"type\":\"joint_force\",\"joint\":\"O\","         \
    "\"value\":\"late\"}],\"events\":[" events "]}"

#define CONTROL                                                                                    \
    ROTOR("{\"name\":\"control\",\"every\":0.01,\"set\":{"                                         \
          "\"u\":\"clamp(8*(1 - O.angle) - 3*O.rate + sum, -4, 4)\","                              \
          "\"sum\":\"sum + 0.05*(1 - O.angle)\",\"late\":\"u\"}}")

static double input(const rig *r, const char *name)
{
    int i = 0;
    while (strcmp(trm_model_input_info(r->model, i).name, name) != 0) {
        i++;
    }
    return trm_sim_input(r->sim, i);
}

/// J = 1/2 under the torque of the sample before: between samples w' = 2 M, exactly.
typedef struct recursion {
    double angle, rate, u, sum, late;
} recursion;

static void sample(recursion *x)
{
    const double e = 1 - x->angle, wanted = 8 * e - 3 * x->rate + x->sum;
    x->late = x->u;
    x->u = fmax(-4, fmin(4, wanted));
    x->sum += 0.05 * e;
}

static void move(recursion *x, double h)
{
    x->angle += h * x->rate + h * h * x->late;
    x->rate += 2 * h * x->late;
}

static void check(const rig *r, const recursion *x)
{
    near("angle", trm_sim_state(r->sim).q[2], x->angle, 1e-10);
    near("rate", trm_sim_state(r->sim).v[2], x->rate, 1e-10);
    near("u", input(r, "u"), x->u, 1e-9);
    near("sum", input(r, "sum"), x->sum, 1e-10);
    near("late", input(r, "late"), x->late, 1e-9);
}

CLAIM(every_method_holds_samples)
{
    const trm_options options[] = {
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12),
        rig_adaptive(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_BAUMGARTE, 1e-12, 1e-12),
        rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 3e-3),
        rig_adaptive(TRM_INTEGRATOR_IDA, TRM_STABILIZATION_GGL, 1e-11, 1e-11)};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        rig r = rig_parse(CONTROL);
        recursion x = {0};
        rig_start(&r, options[k]);
        for (int n = 0; n < 100; n++) {
            sample(&x);
            move(&x, 0.01);
        }
        rig_run(&r, 0.3);  // at a sample
        rig_run(&r, 0.45); // and once more
        rig_run(&r, 0.999999);
        move(&x, -1e-6);
        check(&r, &x);
        assert_int_equal(trm_sim_events(r.sim), 0);
        rig_close(&r);
    }
}

/// A run restored between samples goes on with what is held.
CLAIM(a_saved_state_has_them)
{
    rig r = rig_parse(CONTROL);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12));
    rig_run(&r, 0.2345);
    char *saved = rig_save(&r);
    rig_run(&r, 0.777);
    const double angle = trm_sim_state(r.sim).q[2], sum = input(&r, "sum");
    rig_restore(&r, saved);
    rig_run(&r, 0.777);
    assert_true(trm_sim_state(r.sim).q[2] == angle && input(&r, "sum") == sum);
    free(saved);
    rig_close(&r);
}

/// 8*0.009 and 9*0.008 differ by rounding: both blocks see the values before 72 ms.
CLAIM(times_that_differ_by_rounding_are_one)
{
    rig r = rig_parse(ROTOR("{\"name\":\"a\",\"every\":0.009,\"set\":{\"u\":\"u + 1\"}},"
                            "{\"name\":\"b\",\"every\":0.008,\"set\":{\"sum\":\"u\"}},"
                            "{\"name\":\"c\",\"every\":0.006,\"set\":{\"late\":\"u\"}}"));
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-8, 1e-8));
    for (int k = 1; k <= 60; k++) {
        rig_run(&r, 0.072 * k + 0.0005);
        near("counted", input(&r, "u"), 8 * k + 1, 0);
        near("seen at 8 ms", input(&r, "sum"), 8 * k, 0);
        near("seen at 6 ms", input(&r, "late"), 8 * k, 0);
    }
    rig_close(&r);
}

/// What one instant sets is computed with all values before it: two inputs are exchanged.
CLAIM(values_before_count)
{
    rig r =
        rig_parse(ROTOR("{\"name\":\"a\",\"when\":\"t >= 0.5\",\"set\":{\"u\":3,\"sum\":\"2^3\"}},"
                        "{\"name\":\"b\",\"when\":\"t >= 1\",\"set\":{\"u\":\"sum\"}},"
                        "{\"name\":\"c\",\"when\":\"t >= 1\",\"set\":{\"sum\":\"u + t\"}}"));
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-10, 1e-10));
    rig_run(&r, 2);
    near("u", input(&r, "u"), 8, 0);
    near("sum", input(&r, "sum"), 4, 1e-15);
    assert_int_equal(trm_sim_events(r.sim), 3);
    rig_close(&r);
}

static void refused(const char *text, trm_status status, const char *words)
{
    trm_error err = {.status = TRM_OK};
    trm_scene *scene = NULL;
    if (trm_scene_parse(text, strlen(text), &scene, &err) == TRM_OK) {
        trm_scene_destroy(scene);
        rig r = rig_parse(text);
        rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-8, 1e-8));
        trm_sim_run(r.sim, 2, NULL, NULL, &err);
        rig_close(&r);
    }
    assert_int_equal(err.status, status);
    if (!strstr(err.message, words)) {
        fail_msg("%s", err.message);
    }
}

CLAIM(what_is_refused)
{
    refused(ROTOR("{\"name\":\"a\",\"every\":0,\"set\":{\"u\":1}}"), TRM_ERR_SCENE, "every");
    refused(ROTOR("{\"name\":\"a\",\"every\":1}"), TRM_ERR_SCENE, "set");
    refused(ROTOR("{\"name\":\"a\",\"every\":1,\"when\":\"t > 1\",\"set\":{\"u\":1}}"),
            TRM_ERR_SCENE, "every");
    refused(ROTOR("{\"name\":\"a\",\"every\":1,\"set\":{\"u\":\"1/(t - 1)\"}}"), TRM_ERR_CALLBACK,
            "stopped at t = 1 s: event 'a' would set 'u' to");
    refused(ROTOR("{\"name\":\"a\",\"every\":1,\"set\":{\"u\":\"t\"}},"
                  "{\"name\":\"b\",\"when\":\"t >= 1\",\"set\":{\"u\":7}}"),
            TRM_ERR_DIVERGED, "events 'a' and 'b' set 'u' at one time, to 1 and to 7");
}

/// A state that rises by 1/s and is set back by 1 at 1: what is left of the time, whatever method.
CLAIM(an_event_sets_a_state)
{
    const trm_options options[] = {
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-12, 1e-12),
        rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 3e-3),
        rig_adaptive(TRM_INTEGRATOR_IDA, TRM_STABILIZATION_GGL, 1e-11, 1e-11)};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        rig r = rig_parse(
            "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":0.5}],\"joints\":["
            "{"
            "\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0]}],"
            "\"forces\":[{\"name\":\"M\",\"type\":\"joint_force\",\"joint\":\"O\",\"value\":\"z\"}]"
            ","
            "\"states\":{\"z\":{\"rate\":1,\"start\":0.25,\"scale\":4}},\"events\":[{\"name\":"
            "\"e\","
            "\"when\":\"z >= 1\",\"set\":{\"z\":\"z - 1\"}}],\"outputs\":{\"y\":\"z\"}}");
        trm_sensor z;
        trm_error err = {.status = TRM_OK};
        double found;
        rig_ok(trm_model_sensor(r.model, "z", &z, &err), &err);
        rig_start(&r, options[k]);
        rig_run(&r, 3.5);
        rig_ok(trm_sim_read(r.sim, &z, &found, &err), &err);
        near("z", found, 0.75, 1e-9);
        assert_int_equal(trm_sim_events(r.sim), 3);
        // w' = 2 z: 2 (area of the saw teeth)
        near("rate", trm_sim_state(r.sim).v[2], 0.75 * (0.25 + 1) + 2 + 0.75 * 0.75, 1e-8);
        rig_close(&r);
    }
}
