/// What a failed step or a refused restart leaves: the last state, and a sentence.
#include "tests/simulation/run/runs.h"

// ----------------------------------------------------------------------------------- failed steps

/// A pendulum whose drive, force or constraint has no value after t = 1.
#define SCENE_WITH(element)                                                                        \
    "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [{\"name\": \"arm\", \"mass\": 1,"    \
    " \"ends\": [[0, 0], [1, 0]]}, {\"name\": \"end\", \"mass\": 1, \"ends\": [[1, 0], [2, 0]]}]," \
    " \"markers\": [{\"name\": \"tip\", \"body\": \"end\", \"on\": [0.5, 0]}]," element

#define TWO_JOINTS                                                                                 \
    "{\"name\": \"O\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"arm\"], \"at\": [0, "    \
    "0]},"                                                                                         \
    "{\"name\": \"P\", \"type\": \"revolute\", \"bodies\": [\"arm\", \"end\"], \"at\": [1, 0]}"

static const char *const failing[] = {
    SCENE_WITH("\"joints\": [" TWO_JOINTS "], \"forces\": [{\"name\": \"culprit\", \"type\": "
               "\"force\", \"marker\": \"tip\", \"value\": [\"log(1 - t)\", 0]}]}"),
    SCENE_WITH("\"joints\": [" TWO_JOINTS "], \"forces\": [{\"name\": \"culprit\", \"type\": "
               "\"torque\", \"body\": \"arm\", \"value\": \"sqrt(1 - t)\"}]}"),
    SCENE_WITH("\"joints\": [" TWO_JOINTS "], \"constraints\": [{\"name\": \"culprit\", "
               "\"expression\": \"tip.y - 0.1 + 0.1*(1 - t)^1.5 + 1e-9*(1 - t)^0.5\"}]}"),
    SCENE_WITH("\"joints\": [{\"name\": \"culprit\", \"type\": \"revolute\", \"bodies\": "
               "[\"ground\", \"arm\"], \"at\": [0, 0], \"motor\": \"1 - (1 - t)^1.5 - 1.5*t\"},"
               "{\"name\": \"P\", \"type\": \"revolute\", \"bodies\": [\"arm\", \"end\"], "
               "\"at\": [1, 0]}]}"),
};

enum { FAILING = sizeof failing / sizeof *failing };

typedef struct watched {
    const trm_model *model;
    record last;
} watched;

static int watch(trm_sim *sim, void *user)
{
    watched *w = user;
    take(sim, w->model, &w->last);
    return 0;
}

/// The element is named, in `where` or by the place of its formula; or an adaptive method came so
/// near to t = 1 that no step was left to try.
static void check_message(const trm_method *method, trm_status status, const trm_error *err)
{
    const char *const name = "culprit";
    const int placed = strstr(err->where, name) || strncmp(err->where, "scene:1:", 8) == 0;
    const int named = placed && strstr(err->message, name);
    const int near_the_end = method->adaptive && err->t > 1.0 - 1e-12;
    assert_int_equal(err->status, status);
    if (!(status == TRM_ERR_CALLBACK && named) && !(status == TRM_ERR_DIVERGED && near_the_end)) {
        fail_msg("%s: %s: %s: %s", name_of(method), trm_status_name(status), err->where,
                 err->message);
    }
}

static void check_failure(rig *r, const trm_method *method)
{
    watched w = {.model = r->model};
    trm_error err = {.status = TRM_OK};
    trm_options options = loose(method);
    trm_sample sample;
    record after;

    options.assemble = 1;
    rig_start(r, options);
    take(r->sim, r->model, &w.last);
    const trm_status status = trm_sim_run(r->sim, 2.0, watch, &w, &err);
    check_message(method, status, &err);
    // the last accepted state, bit by bit
    take(r->sim, r->model, &after);
    after.steps[1] = w.last.steps[1]; // more were rejected
    check_same(name_of(method), &w.last, &after, 0);
    assert_true(after.t <= 1.0 && after.t > 0.9);
    assert_true(err.t == after.t);
    // it can be sampled there, and fails again from there
    rig_ok(trm_sim_sample(r->sim, after.t, &sample, &err), &err);
    assert_true(sample.state.q[0] == after.q[0]);
    // the step before it is gone, and does not pretend to be there
    assert_int_equal(trm_sim_sample(r->sim, after.t - 1e-9, &sample, &err), TRM_ERR_OPTIONS);
    assert_int_equal(trm_sim_step(r->sim, &err), status);
    take(r->sim, r->model, &after);
    after.steps[1] = w.last.steps[1];
    check_same(name_of(method), &w.last, &after, 0);
}

CLAIM(a_failed_step_leaves_the_last_state)
{
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);

    for (int k = 0; k < FAILING; k++) {
        rig r = rig_parse(failing[k]);
        for (int i = 0; i < n; i++) {
            if (methods[i].integrator == TRM_INTEGRATOR_MOREAU) {
                continue; // there are no contacts
            }
            if (!rig_fits(&r, &methods[i])) {
                continue;
            }
            check_failure(&r, &methods[i]);
        }
        rig_close(&r);
    }
}

typedef struct domain {
    int code;    ///< what the force returns from t = 1 on
    long beyond; ///< how often it was asked there
} domain;

static int force_with_a_domain(const trm_model *model, double t, const double *q, const double *v,
                               double *f, void *user)
{
    (void)model, (void)q, (void)v;
    domain *d = user;
    f[0] += 1.0;
    d->beyond += t >= 1.0;
    return t >= 1.0 ? d->code : 0;
}

/// > 0: an adaptive method comes as near as it can; < 0: nobody tries again.
CLAIM(a_force_may_refuse_or_abort)
{
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);

    for (int code = -3; code <= 3; code += 6) {
        trm_scene *scene = NULL;
        trm_error err = {.status = TRM_OK};
        domain d = {.code = code};
        const trm_force_def def = {.name = "wind", .force = force_with_a_domain, .user = &d};
        rig_ok(trm_scene_parse(spinning_pendulum, sizeof spinning_pendulum - 1, &scene, &err),
               &err);
        rig_ok(trm_scene_add_force(scene, &def, &err), &err);
        rig r = {.scene = scene};
        rig_ok(trm_model_build(scene, &r.model, &err), &err);
        for (int i = 0; i < n; i++) {
            if (methods[i].integrator == TRM_INTEGRATOR_MOREAU) {
                continue; // there are no contacts
            }
            d.beyond = 0;
            rig_start(&r, loose(&methods[i]));
            assert_int_equal(trm_sim_run(r.sim, 2.0, NULL, NULL, &err), TRM_ERR_CALLBACK);
            assert_non_null(strstr(err.where, "wind"));
            const double t = trm_sim_state(r.sim).t;
            if (methods[i].adaptive && code > 0) {
                near(name_of(&methods[i]), t, 1.0, 1e-12);
                assert_true(d.beyond > 10);
            } else {
                assert_true(t < 1.0);
                // SRM-P repeats a step without its prediction
                if (d.beyond < 1 || d.beyond > (code > 0 ? 2 : 1)) {
                    fail_msg("%s, %d: asked %ld times", name_of(&methods[i]), code, d.beyond);
                }
            }
        }
        rig_close(&r);
    }
}

/// Forces that grow out of all bounds: the run says so, and keeps its last finite state.
CLAIM(a_run_away_diverges)
{
    const char json[] = "{\"dimension\": 2, \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"shape\": "
                        "{\"type\": \"point\"}, \"position\": [1, 0]}], \"markers\": [{\"name\": "
                        "\"m\", \"body\": \"b\", \"on\": [0, 0]}], \"forces\": [{\"name\": \"f\", "
                        "\"type\": \"force\", \"marker\": \"m\", \"value\": [\"6*m.x^2\", 0]}]}";
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);

    rig r = rig_parse(json);
    for (int i = 0; i < n; i++) {
        if (methods[i].integrator == TRM_INTEGRATOR_MOREAU) {
            continue; // there are no contacts
        }
        if (!rig_fits(&r, &methods[i])) {
            continue;
        }
        trm_error err = {.status = TRM_OK};
        rig_start(&r, loose(&methods[i]));
        const trm_status status = trm_sim_run(r.sim, 20.0, NULL, NULL, &err);
        assert_true(status == TRM_ERR_DIVERGED || status == TRM_ERR_CALLBACK);
        assert_true(isfinite(rig_q(&r, "b", 0)) && isfinite(rig_v(&r, "b", 0)));
        assert_true(isfinite(trm_sim_state(r.sim).a[0]));
    }
    rig_close(&r);
}

// ------------------------------------------------------------------------------- refused restarts

/// A wheel on a shaft, turned by a torque.
static rig wheel(const char *torque)
{
    char json[400];
    snprintf(json, sizeof json,
             "{\"dimension\": 2, \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": 1, "
             "\"rate\": 1}], \"joints\": [{\"name\": \"O\", \"type\": \"revolute\", "
             "\"bodies\": [\"ground\", \"a\"], \"at\": [0, 0]}], \"forces\": [{\"name\": "
             "\"d\", \"type\": \"joint_force\", \"joint\": \"O\", \"value\": \"%s\"}]}",
             torque);
    return rig_parse(json);
}

static int after_many_steps(trm_sim *sim, void *user)
{
    (void)user;
    return trm_sim_stats(sim).steps >= 101000;
}

/// Steps of a picosecond would take longer than a life to the end: that is said. Those of an hour
/// of a vibration at 1 kHz, a hundred million, only take long.
CLAIM(a_run_that_makes_no_headway_ends)
{
    const trm_integrator integrators[] = {TRM_INTEGRATOR_DOPRI5, TRM_INTEGRATOR_DOP853};
    for (int k = 0; k < 2; k++) {
        trm_error err = {.status = TRM_OK};
        rig stiff = wheel("-1e12*a.rate"), vibrating = wheel("-(2*pi*1000)^2*a.angle");
        rig_start(&stiff, trm_default_options(integrators[k], TRM_STABILIZATION_S_BOTH2));
        assert_int_equal(trm_sim_run(stiff.sim, 1e6, NULL, NULL, &err), TRM_ERR_DIVERGED);
        assert_non_null(strstr(err.message, "100000 steps in a row made no headway"));
        rig_start(&vibrating, trm_default_options(integrators[k], TRM_STABILIZATION_S_BOTH2));
        assert_int_equal(trm_sim_run(vibrating.sim, 3600, after_many_steps, NULL, &err),
                         TRM_STOPPED);
        rig_close(&stiff);
        rig_close(&vibrating);
    }
}

CLAIM(a_refused_restart_is_not_stepped_from)
{
    rig r = rig_parse(spinning_pendulum);
    trm_error err = {.status = TRM_OK};
    const double good[3] = {0.5, 0, 0}, v[3] = {0, 0, 0};
    const double bad[][3] = {{0.7, 0, 0}, {NAN, 0, 0}, {0.5, INFINITY, 0}};

    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 0.1));
    rig_run(&r, 0.3);
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(trm_sim_set_state(r.sim, 0.0, bad[k], v, &err), TRM_ERR_INCONSISTENT);
        assert_true(k > 0 || strstr(err.message, "'O'"));
        assert_int_equal(trm_sim_step(r.sim, &err), TRM_ERR_INCONSISTENT);
        assert_int_equal(trm_sim_run(r.sim, 5.0, NULL, NULL, &err), TRM_ERR_INCONSISTENT);
        rig_ok(trm_sim_set_state(r.sim, 0.0, good, v, &err), &err);
        rig_run(&r, 0.2);
    }
    rig_close(&r);
}

/// Without constraints nothing checks a state but its being a state.
CLAIM(a_state_of_no_numbers_is_refused)
{
    rig r = rig_parse("{\"dimension\": 2, \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"shape\": "
                      "{\"type\": \"point\"}, \"position\": [1, 0]}]}");
    trm_error err = {.status = TRM_OK};
    const double x[2] = {1, 0}, bad[2] = {1, NAN};

    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN, 0.1));
    assert_int_equal(trm_sim_set_state(r.sim, 0.0, bad, x, &err), TRM_ERR_INCONSISTENT);
    assert_int_equal(trm_sim_set_state(r.sim, 0.0, x, bad, &err), TRM_ERR_INCONSISTENT);
    assert_int_equal(trm_sim_set_state(r.sim, NAN, x, x, &err), TRM_ERR_INCONSISTENT);
    assert_int_equal(trm_sim_set_state(r.sim, INFINITY, x, x, &err), TRM_ERR_INCONSISTENT);
    rig_ok(trm_sim_set_state(r.sim, -3.0, x, x, &err), &err); // any time will do
    rig_run(&r, -2.0);
    rig_close(&r);
}
