// Runs of a batch are runs: to the last bit those of trm_sim, whatever the number of threads, and
// whatever the others do.

#include "tests/near.h"
#include "tests/rig.h"

#include <float.h>

enum { RUNS = 13, PERIODS = 12 };
static const double period = 0.05;

/// What drives input k of run i in period p.
static double drive(int i, int p, int k)
{
    return 0.3 * i - 0.1 * p * (k + 1);
}

/// The same runs by hand: q and v at the end.
static void by_hand(const trm_model *model, const trm_options *options, int i, double *q, double *v)
{
    trm_error err = {.status = TRM_OK};
    trm_sim *sim = NULL;
    const trm_sizes n = trm_model_sizes(model);
    rig_ok(trm_sim_create(model, options, &sim, &err), &err);
    double t = 0;
    for (int p = 0; p < PERIODS; p++) {
        for (int k = 0; k < n.ninput; k++) {
            rig_ok(trm_sim_set_input(sim, k, drive(i, p, k), &err), &err);
        }
        t += period;
        rig_ok(trm_sim_step_to(sim, t, &err), &err);
    }
    const trm_state state = trm_sim_state(sim);
    memcpy(q, state.q, (size_t)n.nq * sizeof *q);
    memcpy(v, state.v, (size_t)n.nv * sizeof *v);
    trm_sim_destroy(sim);
}

static void run_batch(trm_batch *batch, trm_sizes n, const int *only)
{
    trm_error err = {.status = TRM_OK};
    double *const inputs = trm_batch_arrays_of(batch).inputs;
    for (int p = 0; p < PERIODS; p++) {
        for (int i = 0; i < trm_batch_arrays_of(batch).n; i++) {
            for (int k = 0; k < n.ninput; k++) {
                inputs[i * n.ninput + k] = drive(only ? *only : i, p, k);
            }
        }
        rig_ok(trm_batch_step_by(batch, period, &err), &err);
    }
}

static void check_bits(const char *scene, const trm_options *given)
{
    trm_error err = {.status = TRM_OK};
    rig r = rig_load(scene, NULL);
    trm_options options;
    char reason[256];
    rig_ok(trm_choose_options(r.model, 1e-6, &options, reason, &err), &err);
    options = given ? *given : options;
    const trm_sizes n = trm_model_sizes(r.model);
    double q[RUNS][300], v[RUNS][300];
    for (int i = 0; i < RUNS; i++) {
        by_hand(r.model, &options, i, q[i], v[i]);
    }
    for (int threads = 0; threads <= 4; threads++) {
        trm_batch *batch = NULL;
        rig_ok(trm_batch_create(r.model, &options, RUNS, threads, &batch, &err), &err);
        for (int again = 0; again < 2; again++) {
            run_batch(batch, n, NULL);
            for (int i = 0; i < RUNS; i++) {
                assert_memory_equal(trm_batch_arrays_of(batch).q + i * n.nq, q[i],
                                    (size_t)n.nq * sizeof(double));
                assert_memory_equal(trm_batch_arrays_of(batch).v + i * n.nv, v[i],
                                    (size_t)n.nv * sizeof(double));
                rig_ok(trm_batch_reset(batch, i, 0, NULL, NULL, &err), &err);
                assert_true(trm_batch_arrays_of(batch).t[i] == 0);
            }
        }
        trm_batch_destroy(batch);
    }
    rig_close(&r);
}

CLAIM(runs_have_the_bits_of_single_runs)
{
    check_bits("four_bar", NULL);
    check_bits("slider_crank_turn", NULL);
    const trm_options rk4 = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2);
    check_bits("four_bar", &rk4);
    check_bits("../docs/examples/leg/leg", NULL); // with inputs
}

static const char pushed[] =
    "{'dimension':2,'parameters':{'u':{'value':0,'input':true},'w':{'value':1,'input':true}},"
    "'bodies':[{'name':'m','mass':1,'inertia':1,'position':[0,0]}],"
    "'markers':[{'name':'p','body':'m','at':[0,0]}],"
    "'forces':[{'name':'f','type':'force','marker':'p','value':['u','w/(1-0.5*t)']}]}";

static trm_model *model_of(const char *text)
{
    trm_error err = {.status = TRM_OK};
    char json[1000];
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    snprintf(json, sizeof json, "%s", text);
    for (char *at = json; *at; at++) {
        *at = *at == '\'' ? '"' : *at;
    }
    rig_ok(trm_scene_parse(json, strlen(json), &scene, &err), &err);
    rig_ok(trm_model_build(scene, &model, &err), &err);
    trm_scene_destroy(scene);
    return model;
}

/// To one time, whatever time each is at: x'' = u, by hand; who is there or beyond stays.
CLAIM(runs_meet_at_one_time)
{
    trm_error err = {.status = TRM_OK};
    trm_model *const model = model_of(pushed);
    const trm_options options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN);
    trm_batch *batch = NULL;
    rig_ok(trm_batch_create(model, &options, 3, 2, &batch, &err), &err);
    const double q[3] = {0}, v[3] = {0};
    rig_ok(trm_batch_reset(batch, 1, 0.75, q, v, &err), &err);
    rig_ok(trm_batch_reset(batch, 2, 1.5, q, v, &err), &err);
    for (int i = 0; i < 3; i++) {
        trm_batch_arrays_of(batch).inputs[2 * i] = 2;
        trm_batch_arrays_of(batch).inputs[2 * i + 1] = 0;
    }
    for (int again = 0; again < 2; again++) {
        rig_ok(trm_batch_step_to(batch, 1, &err), &err);
        static const double t[3] = {1, 1, 1.5}, x[3] = {1, 0.0625, 0};
        for (int i = 0; i < 3; i++) {
            assert_near(trm_batch_arrays_of(batch).t[i], t[i], 0);
            assert_near(trm_batch_arrays_of(batch).q[3 * i], x[i], 1e-13);
        }
    }
    assert_int_equal(trm_batch_step_to(batch, NAN, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_batch_step_to(NULL, 1, &err), TRM_ERR_OPTIONS);
    trm_batch_destroy(batch);
    trm_model_destroy(model);
}

/// x'' = u: after each second with u_k, v = sum u_k, x = sum of v + u/2.
CLAIM(inputs_and_readings)
{
    trm_error err = {.status = TRM_OK};
    trm_model *const model = model_of(pushed);
    const trm_options options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN);
    trm_batch *batch = NULL;
    trm_sensor sensors[2];
    rig_ok(trm_batch_create(model, &options, 3, 2, &batch, &err), &err);
    assert_null(trm_batch_arrays_of(batch).sensor_values);
    rig_ok(trm_model_sensor(model, "p.position", &sensors[0], &err), &err);
    rig_ok(trm_model_sensor(model, "u", &sensors[1], &err), &err);
    rig_ok(trm_batch_set_sensors(batch, 2, sensors, &err), &err);
    assert_int_equal(trm_batch_arrays_of(batch).sensor_width, 4);
    double *const u = trm_batch_arrays_of(batch).inputs;
    assert_true(u[1] == 1 && u[5] == 1 && u[0] == 0);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3; i++) {
            u[2 * i] = i + k;
            u[2 * i + 1] = 0;
        }
        rig_ok(trm_batch_step_by(batch, 0.5, &err), &err);
    }
    for (int i = 0; i < 3; i++) {
        const double *const reading = trm_batch_arrays_of(batch).sensor_values + 4 * i;
        assert_near(reading[0], 0.125 * i + 0.25 * i + 0.125 * (i + 1), 1e-13);
        assert_near(reading[3], i + 1, 0);
        assert_near(trm_batch_arrays_of(batch).t[i], 1, 0);
    }
    const double q[3] = {7, 0, 0}, v[3] = {1, 0, 0};
    rig_ok(trm_batch_reset(batch, 1, 3, q, v, &err), &err);
    assert_near(trm_batch_arrays_of(batch).sensor_values[4], 7, 0);
    assert_true(trm_batch_arrays_of(batch).inputs[2] == 0 &&
                trm_batch_arrays_of(batch).inputs[3] == 1);
    rig_ok(trm_batch_set_sensors(batch, 0, NULL, &err), &err);
    assert_null(trm_batch_arrays_of(batch).sensor_values);
    trm_batch_destroy(batch);
    trm_model_destroy(model);
}

//// An input that is no number is refused.
CLAIM(a_run_that_fails_is_told_and_takes_no_other_with_it)
{
    trm_error err = {.status = TRM_OK};
    trm_model *const model = model_of(pushed);
    const trm_options options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN);
    trm_batch *batch = NULL;
    rig_ok(trm_batch_create(model, &options, 4, 3, &batch, &err), &err);
    double *const u = trm_batch_arrays_of(batch).inputs;
    u[5] = NAN; // of run 2
    assert_int_equal(trm_batch_step_by(batch, 0.5, &err), TRM_ERR_OPTIONS);
    assert_non_null(strstr(err.where, "run 2"));
    assert_int_equal(trm_batch_arrays_of(batch).status[2], TRM_ERR_OPTIONS);
    for (int i = 0; i < 4; i++) {
        assert_true(trm_batch_arrays_of(batch).t[i] == (i == 2 ? 0 : 0.5));
    }
    rig_ok(trm_batch_reset(batch, 2, 0, NULL, NULL, &err), &err);
    rig_ok(trm_batch_step_by(batch, 0.25, &err), &err);
    assert_true(trm_batch_arrays_of(batch).t[2] == 0.25 && trm_batch_arrays_of(batch).t[1] == 0.75);
    trm_batch_destroy(batch);
    trm_model_destroy(model);
}

CLAIM(misuse_is_refused)
{
    trm_error err = {.status = TRM_OK};
    trm_model *const model = model_of(pushed), *const other = model_of(pushed);
    const trm_options options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN);
    trm_batch *batch = NULL;
    trm_sensor sensor;
    assert_int_equal(trm_batch_create(NULL, &options, 2, 0, &batch, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_batch_create(model, &options, 0, 0, &batch, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_batch_create(model, &options, 2, -1, &batch, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_batch_create(model, NULL, 2, 0, &batch, &err), TRM_ERR_OPTIONS);
    assert_null(batch);
    rig_ok(trm_batch_create(model, &options, 2, 0, &batch, &err), &err);
    const double bad[] = {0, NAN, -1, INFINITY};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(trm_batch_step_by(batch, bad[i], &err), TRM_ERR_OPTIONS);
    }
    rig_ok(trm_model_sensor(other, "t", &sensor, &err), &err);
    assert_int_equal(trm_batch_set_sensors(batch, 1, &sensor, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_batch_set_sensors(batch, 1, NULL, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_batch_reset(batch, 2, 0, NULL, NULL, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_batch_reset(batch, 0, 0, bad, NULL, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_batch_step_by(NULL, 1, &err), TRM_ERR_OPTIONS);
    assert_null(trm_batch_arrays_of(NULL).q);
    assert_int_equal(trm_batch_arrays_of(NULL).n, 0);
    trm_batch_destroy(NULL);
    trm_batch_destroy(batch);
    trm_model_destroy(model);
    trm_model_destroy(other);
}
