// Runs: where they land, what a failed step leaves behind, restarts, samples, options, and that the
// same run gives the same bits: again, sampled or not, on one thread or on four.

#include "tests/rig.h"

#include <pthread.h>

/// Room for the state of the scenes used here.
enum { MAX_Q = 64, MAX_V = 64, MAX_C = 64 };

/// All that a run has to say, for comparison bit by bit.
typedef struct record {
    double t;
    double q[MAX_Q], v[MAX_V], a[MAX_V], lambda[MAX_C];
    double checks[17]; ///< drift, energy, report
    double steps[2];   ///< steps and rejections
    double work[6];    ///< the rest of the counters
} record;

static void take(const trm_sim *sim, const trm_model *model, record *out)
{
    const trm_sizes n = trm_model_sizes(model);
    const trm_state s = trm_sim_state(sim);
    const trm_drift drift = trm_sim_drift(sim);
    const trm_energy energy = trm_sim_energy(sim);
    const trm_stats stats = trm_sim_stats(sim);
    const trm_report report = trm_sim_report(sim);
    const double checks[17] = {drift.position,
                               drift.velocity,
                               drift.row,
                               energy.kinetic,
                               energy.potential,
                               energy.work,
                               report.position_drift,
                               report.velocity_drift,
                               report.worst_row,
                               report.energy_initial,
                               report.energy_error,
                               report.energy_error_relative,
                               (double)report.branch_changes,
                               report.first_branch_change,
                               (double)report.crossings,
                               report.rcond_min,
                               report.t_rcond_min};
    const double steps[2] = {(double)stats.steps, (double)stats.rejected};
    const double work[6] = {(double)stats.force_evals,    (double)stats.jacobian_evals,
                            (double)stats.factorizations, stats.epsilon,
                            stats.epsilon_safe,           stats.h};
    memset(out, 0, sizeof *out);
    assert_true(n.nq <= MAX_Q && n.nv <= MAX_V && n.nc <= MAX_C);
    out->t = s.t;
    memcpy(out->q, s.q, (size_t)n.nq * sizeof(double));
    memcpy(out->v, s.v, (size_t)n.nv * sizeof(double));
    memcpy(out->a, s.a, (size_t)n.nv * sizeof(double));
    memcpy(out->lambda, s.lambda, (size_t)n.nc * sizeof(double));
    memcpy(out->checks, checks, sizeof checks);
    memcpy(out->steps, steps, sizeof steps);
    memcpy(out->work, work, sizeof work);
}

/// Equal bit by bit; the counters of work only when asked, since samples cost evaluations.
static void check_same(const char *what, const record *a, const record *b, int with_counters)
{
    const int state = !memcmp(&a->t, &b->t, offsetof(record, checks));
    const int checks = !memcmp(a->checks, b->checks, sizeof a->checks);
    const int steps = !memcmp(a->steps, b->steps, sizeof a->steps);
    const int work = !with_counters || !memcmp(a->work, b->work, sizeof a->work);
    if (!state || !checks || !steps || !work) {
        fail_msg("%s: %s%s%s%s differ", what, state ? "" : "state ", checks ? "" : "checks ",
                 steps ? "" : "steps ", work ? "" : "counters");
    }
}

static const char *name_of(const trm_method *method)
{
    static char name[64];
    snprintf(name, sizeof name, "%s, %s", method->integrator_name, method->stabilization_name);
    return name;
}

static trm_options loose(const trm_method *method)
{
    trm_options options = trm_default_options(method->integrator, method->stabilization);
    if (!method->adaptive) {
        options.h = 0.004;
    }
    return options;
}

/// `t`, or a time before srm with E = I opens the spatial slider-crank by half its size.
static double end_of(const char *scene, const trm_method *method, double t)
{
    const int tears =
        method->stabilization == TRM_SRM && strcmp(scene, "spatial_slider_crank") == 0;
    return tears ? fmin(t, 0.12) : t;
}

// ----------------------------------------------------------------------------------------- landing

static const char spinning_pendulum[] =
    "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [{\"name\": \"bob\", \"mass\": 2,"
    " \"ends\": [[0, 0], [1, 0]]}], \"joints\": [{\"name\": \"O\", \"type\": \"revolute\","
    " \"bodies\": [\"ground\", \"bob\"], \"at\": [0, 0]}]}";

/// The same under weak gravity: every method is stable with steps of 0.1 s.
static const char lazy_pendulum[] =
    "{\"dimension\": 2, \"gravity\": [0, -0.5], \"bodies\": [{\"name\": \"bob\", \"mass\": 2,"
    " \"ends\": [[0, 0], [1, 0]]}], \"joints\": [{\"name\": \"O\", \"type\": \"revolute\","
    " \"bodies\": [\"ground\", \"bob\"], \"at\": [0, 0]}]}";

/// 0.1 * 3 is not 0.3: the end is hit all the same, and without a step of 5e-17 s.
static void every_method_lands_on_the_end(void **state)
{
    (void)state;
    const double ends[] = {0.1, 0.3, 0.1 * 3, 0.7, 1.0, 1.0 / 3.0 + 1.0, 1.9};
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);

    for (int i = 0; i < n; i++) {
        rig r = rig_parse(lazy_pendulum);
        trm_options options = trm_default_options(methods[i].integrator, methods[i].stabilization);
        options.h = 0.1;
        rig_start(&r, options);
        for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
            trm_error err = {.status = TRM_OK};
            // 0.1 * 3 comes after 0.3 and is larger by one bit
            rig_ok(trm_sim_run(r.sim, ends[k], NULL, NULL, &err), &err);
            assert_true(trm_sim_state(r.sim).t == ends[k]);
        }
        rig_close(&r);
    }
}

/// The smallest possible way to go, and none.
static void a_run_of_one_bit(void **state)
{
    (void)state;
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);

    for (int i = 0; i < n; i++) {
        rig r = rig_parse(spinning_pendulum);
        trm_options options = trm_default_options(methods[i].integrator, methods[i].stabilization);
        options.h = 0.01;
        rig_start(&r, options);
        rig_run(&r, 1.0);
        const double before = rig_q(&r, "bob", 2);
        rig_run(&r, 1.0);
        rig_run(&r, nextafter(1.0, 2.0));
        near(name_of(&methods[i]), rig_q(&r, "bob", 2), before, 1e-6); // S-implicit closes drift
        rig_run(&r, nextafter(1.0, 2.0) + 1e-13);
        rig_run(&r, 1.05);
        rig_close(&r);
    }
}

static int count_steps(trm_sim *sim, void *user)
{
    const double h = *(const double *)user;
    const trm_stats stats = trm_sim_stats(sim);
    assert_true(trm_sim_state(sim).t == (double)stats.steps * h); // n h, not a running sum
    return 0;
}

static void fixed_steps_end_at_multiples_of_h(void **state)
{
    (void)state;
    double h = 0.1;
    rig r = rig_parse(spinning_pendulum);

    rig_start(&r, rig_fixed(TRM_RK4, TRM_S_BOTH2, h));
    rig_observe(&r, 100 * 0.1, count_steps, &h);
    assert_int_equal(trm_sim_stats(r.sim).steps, 100);
    rig_close(&r);
}

static void an_end_beside_the_mesh_starts_a_new_mesh(void **state)
{
    (void)state;
    rig r = rig_parse(spinning_pendulum);
    trm_error err = {.status = TRM_OK};

    rig_start(&r, rig_fixed(TRM_HEUN, TRM_PLAIN, 0.25));
    rig_run(&r, 0.6);
    assert_int_equal(trm_sim_stats(r.sim).steps, 3);
    near("size of the last step", trm_sim_stats(r.sim).h, 0.1, 1e-15);
    rig_ok(trm_sim_step(r.sim, &err), &err);
    near("t", trm_sim_state(r.sim).t, 0.85, 1e-15);
    rig_close(&r);
}

/// Long after the start a mesh point and the end differ by more than a billionth of h.
static void no_crumb_of_a_step_is_left_at_large_t(void **state)
{
    (void)state;
    rig r = rig_parse(spinning_pendulum);
    trm_error err = {.status = TRM_OK};
    const trm_state s =
        (rig_start(&r, rig_fixed(TRM_HEUN, TRM_S_BOTH2, 1e-4)), trm_sim_state(r.sim));
    const double q[3] = {s.q[0], s.q[1], s.q[2]}, v[3] = {s.v[0], s.v[1], s.v[2]};

    for (int k = 0; k < 10; k++) {
        const double start = 1e5 + 0.1 * k;
        rig_ok(trm_sim_set_state(r.sim, start, q, v, &err), &err);
        rig_run(&r, (10.0 * start + 0.123) / 10.0 + 1.5e-11); // one bit beside a mesh point
        assert_int_equal(trm_sim_stats(r.sim).steps, 123);
    }
    rig_close(&r);
}

static void an_end_before_now_is_refused(void **state)
{
    (void)state;
    const double ends[] = {0.1, -1.0, NAN, INFINITY};
    rig r = rig_parse(spinning_pendulum);
    trm_error err = {.status = TRM_OK};

    rig_start(&r, rig_fixed(TRM_RK4, TRM_PLAIN, 0.1));
    rig_run(&r, 0.5);
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        assert_int_equal(trm_sim_run(r.sim, ends[k], NULL, NULL, &err), TRM_ERR_OPTIONS);
        assert_true(trm_sim_state(r.sim).t == 0.5);
    }
    rig_close(&r);
}

/// Steps longer than the run are cut.
static void a_step_longer_than_the_run(void **state)
{
    (void)state;
    rig r = rig_parse(spinning_pendulum);
    rig_start(&r, rig_fixed(TRM_RK4, TRM_S_BOTH2, 1e6));
    rig_run(&r, 1e-3);
    assert_int_equal(trm_sim_stats(r.sim).steps, 1);
    rig_close(&r);
}

// -------------------------------------------------------------------------------------- observers

static int stop_third(trm_sim *sim, void *user)
{
    (void)sim;
    return ++*(int *)user == 3;
}

static void an_observer_stops_a_run(void **state)
{
    (void)state;
    rig r = rig_parse(spinning_pendulum);
    trm_error err = {.status = TRM_OK};
    int calls = 0;

    rig_start(&r, rig_fixed(TRM_RK4, TRM_PLAIN, 0.1));
    assert_int_equal(trm_sim_run(r.sim, 5.0, stop_third, &calls, &err), TRM_STOPPED);
    assert_int_equal(err.status, TRM_OK); // nothing failed
    assert_int_equal(calls, 3);
    near("t", trm_sim_state(r.sim).t, 0.3, 1e-15);
    rig_run(&r, 5.0); // and goes on
    assert_int_equal(trm_sim_stats(r.sim).steps, 50);
    rig_close(&r);
}

// ------------------------------------------------------------------------------------- same bits

static void run_and_take(rig *r, trm_options options, double t_end, record *out)
{
    rig_start(r, options);
    rig_run(r, t_end);
    take(r->sim, r->model, out);
}

static const char *const scenes[] = {"slider_crank_turn", "arm_sine", "spatial_slider_crank"};
enum { SCENES = sizeof scenes / sizeof *scenes };

static void two_runs_give_the_same_bits(void **state)
{
    (void)state;
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);

    for (int k = 0; k < SCENES; k++) {
        rig r = rig_load(scenes[k], NULL), other = rig_load(scenes[k], NULL);
        for (int i = 0; i < n; i++) {
            if (!rig_fits(&r, &methods[i])) {
                continue;
            }
            record a, b;
            run_and_take(&r, loose(&methods[i]), 0.1, &a);
            run_and_take(&other, loose(&methods[i]), 0.1, &b);
            check_same(name_of(&methods[i]), &a, &b, 1);
        }
        rig_close(&r);
        rig_close(&other);
    }
}

/// A run, then set_state to the start, is a fresh run: nothing of the first one is remembered.
static void a_restart_is_a_fresh_run(void **state)
{
    (void)state;
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);

    for (int k = 0; k < SCENES; k++) {
        rig r = rig_load(scenes[k], NULL);
        for (int i = 0; i < n; i++) {
            if (!rig_fits(&r, &methods[i])) {
                continue;
            }
            record fresh, again;
            double q[MAX_Q], v[MAX_V];
            trm_error err = {.status = TRM_OK};
            run_and_take(&r, loose(&methods[i]), 0.1, &fresh);
            rig_run(&r, end_of(scenes[k], &methods[i], 0.45));
            trm_model_initial_state(r.model, q, v);
            rig_ok(trm_sim_set_state(r.sim, 0.0, q, v, &err), &err);
            assert_int_equal(trm_sim_stats(r.sim).steps, 0);
            rig_run(&r, 0.1);
            take(r.sim, r.model, &again);
            check_same(name_of(&methods[i]), &fresh, &again, 1);
        }
        rig_close(&r);
    }
}

static int sample_often(trm_sim *sim, void *user)
{
    double *before = user;
    const double now = trm_sim_state(sim).t;
    for (int k = 1; k <= 3; k++) {
        trm_sample sample;
        trm_error err = {.status = TRM_OK};
        rig_ok(trm_sim_sample(sim, *before + k / 3.5 * (now - *before), &sample, &err), &err);
    }
    *before = now;
    return 0;
}

/// Recording must not change what is recorded: the crank runs through its dead points here.
static void samples_leave_no_trace(void **state)
{
    (void)state;
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);

    for (int k = 0; k < SCENES; k++) {
        rig r = rig_load(scenes[k], NULL);
        for (int i = 0; i < n; i++) {
            if (!rig_fits(&r, &methods[i])) {
                continue;
            }
            record plain, sampled;
            double before = 0.0;
            const double end = end_of(scenes[k], &methods[i], 0.5);
            run_and_take(&r, loose(&methods[i]), end, &plain);
            rig_start(&r, loose(&methods[i]));
            rig_observe(&r, end, sample_often, &before);
            take(r.sim, r.model, &sampled);
            check_same(name_of(&methods[i]), &plain, &sampled, 0);
        }
        rig_close(&r);
    }
}

typedef struct job {
    const trm_model *model;
    trm_options options;
    record end;
    trm_status status;
} job;

static void *run_job(void *user)
{
    job *j = user;
    trm_sim *sim = NULL;
    j->status = trm_sim_create(j->model, &j->options, &sim, NULL);
    if (j->status == TRM_OK) {
        j->status = trm_sim_run(sim, 1.0, NULL, NULL, NULL);
        take(sim, j->model, &j->end);
    }
    trm_sim_destroy(sim);
    return NULL;
}

static void four_threads_share_one_model(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    const char *const shared[] = {"slider_crank_turn", "bricard", "arm_sine"};

    for (size_t k = 0; k < sizeof shared / sizeof *shared; k++) {
        rig r = rig_load(shared[k], NULL);
        job alone = {.model = r.model, .options = rig_choose(&r, 1e-6)}, jobs[THREADS];
        pthread_t threads[THREADS];
        run_job(&alone);
        assert_int_equal(alone.status, TRM_OK);
        for (int i = 0; i < THREADS; i++) {
            jobs[i] = (job){.model = r.model, .options = alone.options};
            assert_int_equal(pthread_create(&threads[i], NULL, run_job, &jobs[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            assert_int_equal(jobs[i].status, TRM_OK);
            check_same(shared[k], &alone.end, &jobs[i].end, 1);
        }
        rig_close(&r);
    }
}

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
               "\"expression\": \"tip.y - 0.1 + 0.1*(1 - t)^1.5 + 0.15*(1 - (1 - t)^0.5)^2*0\"}]}"),
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

/// The element is named, or an adaptive method came so near to t = 1 that no step was left to try.
static void check_message(const trm_method *method, trm_status status, const trm_error *err)
{
    const char *const name = "culprit";
    const int named = strstr(err->where, name) && strstr(err->message, name);
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

static void a_failed_step_leaves_the_last_state(void **state)
{
    (void)state;
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);

    for (int k = 0; k < FAILING; k++) {
        rig r = rig_parse(failing[k]);
        for (int i = 0; i < n; i++) {
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
static void a_force_may_refuse_or_abort(void **state)
{
    (void)state;
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
static void a_run_away_diverges(void **state)
{
    (void)state;
    const char json[] = "{\"dimension\": 2, \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"shape\": "
                        "{\"type\": \"point\"}, \"position\": [1, 0]}], \"markers\": [{\"name\": "
                        "\"m\", \"body\": \"b\", \"on\": [0, 0]}], \"forces\": [{\"name\": \"f\", "
                        "\"type\": \"force\", \"marker\": \"m\", \"value\": [\"6*m.x^2\", 0]}]}";
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);

    rig r = rig_parse(json);
    for (int i = 0; i < n; i++) {
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
static void a_run_that_makes_no_headway_ends(void **state)
{
    (void)state;
    const trm_integrator integrators[] = {TRM_DOPRI5, TRM_DOP853};
    for (int k = 0; k < 2; k++) {
        trm_error err = {.status = TRM_OK};
        rig stiff = wheel("-1e12*a.rate"), vibrating = wheel("-(2*pi*1000)^2*a.angle");
        rig_start(&stiff, trm_default_options(integrators[k], TRM_S_BOTH2));
        assert_int_equal(trm_sim_run(stiff.sim, 1e6, NULL, NULL, &err), TRM_ERR_DIVERGED);
        assert_non_null(strstr(err.message, "100000 steps in a row made no headway"));
        rig_start(&vibrating, trm_default_options(integrators[k], TRM_S_BOTH2));
        assert_int_equal(trm_sim_run(vibrating.sim, 3600, after_many_steps, NULL, &err),
                         TRM_STOPPED);
        rig_close(&stiff);
        rig_close(&vibrating);
    }
}

static void a_refused_restart_is_not_stepped_from(void **state)
{
    (void)state;
    rig r = rig_parse(spinning_pendulum);
    trm_error err = {.status = TRM_OK};
    const double good[3] = {0.5, 0, 0}, v[3] = {0, 0, 0};
    const double bad[][3] = {{0.7, 0, 0}, {NAN, 0, 0}, {0.5, INFINITY, 0}};

    rig_start(&r, rig_fixed(TRM_RK4, TRM_S_BOTH2, 0.1));
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
static void a_state_of_no_numbers_is_refused(void **state)
{
    (void)state;
    rig r = rig_parse("{\"dimension\": 2, \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"shape\": "
                      "{\"type\": \"point\"}, \"position\": [1, 0]}]}");
    trm_error err = {.status = TRM_OK};
    const double x[2] = {1, 0}, bad[2] = {1, NAN};

    rig_start(&r, rig_fixed(TRM_RK4, TRM_PLAIN, 0.1));
    assert_int_equal(trm_sim_set_state(r.sim, 0.0, bad, x, &err), TRM_ERR_INCONSISTENT);
    assert_int_equal(trm_sim_set_state(r.sim, 0.0, x, bad, &err), TRM_ERR_INCONSISTENT);
    assert_int_equal(trm_sim_set_state(r.sim, NAN, x, x, &err), TRM_ERR_INCONSISTENT);
    assert_int_equal(trm_sim_set_state(r.sim, INFINITY, x, x, &err), TRM_ERR_INCONSISTENT);
    rig_ok(trm_sim_set_state(r.sim, -3.0, x, x, &err), &err); // any time will do
    rig_run(&r, -2.0);
    rig_close(&r);
}

// ---------------------------------------------------------------------------------------- samples

static void samples_outside_the_last_step_are_refused(void **state)
{
    (void)state;
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);

    for (int i = 0; i < n; i++) {
        rig r = rig_parse(spinning_pendulum);
        trm_error err = {.status = TRM_OK};
        trm_sample sample;
        rig_start(&r, loose(&methods[i]));
        rig_ok(trm_sim_sample(r.sim, 0.0, &sample, &err), &err);
        assert_int_equal(trm_sim_sample(r.sim, -1e-9, &sample, &err), TRM_ERR_OPTIONS);
        assert_int_equal(trm_sim_sample(r.sim, 1e-9, &sample, &err), TRM_ERR_OPTIONS);
        rig_run(&r, 0.1);
        const double end = trm_sim_state(r.sim).t, begin = end - trm_sim_stats(r.sim).h;
        rig_ok(trm_sim_sample(r.sim, end, &sample, &err), &err);
        rig_ok(trm_sim_sample(r.sim, begin + 1e-9, &sample, &err), &err);
        const double outside[] = {begin - 1e-6, nextafter(end, 1.0), NAN, INFINITY, -INFINITY};
        for (size_t k = 0; k < sizeof outside / sizeof *outside; k++) {
            assert_int_equal(trm_sim_sample(r.sim, outside[k], &sample, &err), TRM_ERR_OPTIONS);
        }
        rig_close(&r);
    }
}

/// The largest distance between samples inside the steps of a run with steps h and the truth, a run
/// with tight tolerances landing there.
static double sample_error(trm_integrator integrator, double h)
{
    rig r = rig_parse(spinning_pendulum), truth = rig_parse(spinning_pendulum);
    trm_options options = trm_default_options(integrator, TRM_S_BOTH2);
    trm_error err = {.status = TRM_OK};
    double largest = 0.0;

    options.h = h;
    options.rtol = options.atol = 1.0; // every step is accepted
    rig_start(&r, options);
    rig_start(&truth, rig_adaptive(TRM_DOP853, TRM_S_BOTH2, 1e-13, 1e-13));
    for (int k = 1; k * h < 1.0; k++) {
        rig_run(&r, k * h);
        for (int j = 1; j < 4; j++) {
            trm_sample sample;
            const double t = (k - 1) * h + j / 4.0 * h;
            rig_ok(trm_sim_sample(r.sim, t, &sample, &err), &err);
            rig_run(&truth, t);
            assert_true(sample.state.t == t);
            largest = fmax(largest, fabs(sample.state.q[2] - rig_q(&truth, "bob", 2)));
            largest = fmax(largest, fabs(sample.state.v[2] - rig_v(&truth, "bob", 2)));
        }
    }
    rig_close(&r);
    rig_close(&truth);
    return largest;
}

/// Cubic Hermite: 4; the pairs' own: one more than their order, so that the method's own shows.
static void samples_have_their_order(void **state)
{
    (void)state;
    const struct {
        trm_integrator integrator;
        double h, order;
    } rows[] = {{TRM_HEUN, 1.0 / 64, 2},
                {TRM_MIDPOINT, 1.0 / 64, 2},
                {TRM_RK4, 1.0 / 32, 4},
                {TRM_DOPRI5, 1.0 / 16, 5},
                {TRM_DOP853, 1.0 / 4, 8}};

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const double coarse = sample_error(rows[k].integrator, rows[k].h);
        const double fine = sample_error(rows[k].integrator, rows[k].h / 2.0);
        const double order = log2(coarse / fine);
        if (!(order > rows[k].order - 0.5)) {
            fail_msg("integrator %d: order %.2f of samples, errors %.2e and %.2e",
                     (int)rows[k].integrator, order, coarse, fine);
        }
    }
}

/// A sample satisfies [ACC] and carries drift and energy of its own point.
static void a_sample_is_a_whole_state(void **state)
{
    (void)state;
    rig r = rig_parse(spinning_pendulum);
    trm_error err = {.status = TRM_OK};
    trm_sample s;

    rig_start(&r, rig_adaptive(TRM_DOP853, TRM_S_BOTH2, 1e-10, 1e-10));
    rig_run(&r, 0.5);
    rig_ok(trm_sim_sample(r.sim, 0.5 - trm_sim_stats(r.sim).h / 3.0, &s, &err), &err);
    // I phi'' = -m g l/2 cos phi, I = m l^2/3
    near("phi''", s.state.a[2], -9.81 * 1.5 * cos(s.state.q[2]), 1e-6);
    const double w = s.state.v[2], phi = s.state.q[2];
    near("kinetic", s.energy.kinetic, w * w / 3.0, 1e-8);
    near("potential + kinetic", s.energy.potential + s.energy.kinetic,
         trm_sim_report(r.sim).energy_initial, 1e-7);
    near("position", s.drift.position,
         fmax(fabs(s.state.q[0] - 0.5 * cos(phi)), fabs(s.state.q[1] - 0.5 * sin(phi))), 1e-15);
    // the force of the joint on the bob is -G^T lambda; m x'' = m g + it
    const double fx = 2.0 * s.state.a[0], fy = 2.0 * (s.state.a[1] + 9.81);
    near("|lambda|", hypot(s.state.lambda[0], s.state.lambda[1]), hypot(fx, fy), 1e-9);
    rig_close(&r);
}

// ---------------------------------------------------------------------------------------- options

static void check_refused(const trm_model *model, const trm_options *options, const char *name)
{
    trm_sim *sim = (void *)&model;
    trm_error err = {.status = TRM_OK};
    assert_int_equal(trm_sim_create(model, options, &sim, &err), TRM_ERR_OPTIONS);
    assert_null(sim);
    if (strcmp(err.where, name) != 0 || !strlen(err.message)) {
        fail_msg("expected %s to be named, got %s: %s", name, err.where, err.message);
    }
}

static void options_of_zero_are_refused(void **state)
{
    (void)state;
    rig r = rig_parse(spinning_pendulum);
    trm_options zero, shorter = trm_default_options(TRM_RK4, TRM_PLAIN);

    memset(&zero, 0, sizeof zero);
    check_refused(r.model, &zero, "trm_options");
    shorter.struct_size -= sizeof(double); // of an older version
    check_refused(r.model, &shorter, "trm_options");
    rig_close(&r);
}

static void values_out_of_range_are_refused_by_name(void **state)
{
    (void)state;
    const trm_options rk4 = trm_default_options(TRM_RK4, TRM_BAUMGARTE);
    const trm_options dop = trm_default_options(TRM_DOPRI5, TRM_S_BOTH2);
    const trm_options srm = trm_default_options(TRM_HEUN, TRM_SRM);
    const struct {
        trm_options from;
        size_t offset;
        const char *name;
        double bad[5];
        int count;
    } rows[] = {
        {rk4, offsetof(trm_options, h), "h", {0, -1, NAN, INFINITY, -INFINITY}, 5},
        {dop, offsetof(trm_options, h), "h", {-1e-300, NAN, INFINITY, -INFINITY}, 4},
        {dop, offsetof(trm_options, rtol), "rtol", {-1e-9, NAN, INFINITY}, 3},
        {dop, offsetof(trm_options, atol), "atol", {0, -1e-9, NAN, INFINITY}, 4},
        {rk4, offsetof(trm_options, baumgarte.alpha1), "alpha1", {-1, NAN, INFINITY}, 3},
        {rk4, offsetof(trm_options, baumgarte.alpha0), "alpha0", {-1, NAN, INFINITY}, 3},
        {srm, offsetof(trm_options, srm.epsilon), "epsilon", {-1, NAN, INFINITY}, 3},
        {dop, offsetof(trm_options, tolerance), "tolerance", {0, -1, NAN, INFINITY}, 4},
        {dop, offsetof(trm_options, damping), "damping", {0, -1e-10, 0.01, NAN, INFINITY}, 5},
    };
    rig r = rig_parse(spinning_pendulum);

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        for (int i = 0; i < rows[k].count; i++) {
            trm_options options = rows[k].from;
            memcpy((char *)&options + rows[k].offset, &rows[k].bad[i], sizeof(double));
            check_refused(r.model, &options, rows[k].name);
        }
    }
    const int counts[] = {0, -1, 1001, 2147483647};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        trm_options options = srm;
        options.srm.iterations = counts[i];
        check_refused(r.model, &options, "iterations");
    }
    trm_options options = srm;
    options.srm.E = (trm_E)7;
    check_refused(r.model, &options, "E");
    rig_close(&r);
}

/// Each family's options with methods of other families: refused by name, and the family is named.
static void options_that_the_method_does_not_read_are_refused(void **state)
{
    (void)state;
    const trm_options rk4 = trm_default_options(TRM_RK4, TRM_PLAIN);
    trm_options o[13];
    for (int i = 0; i < 13; i++) {
        o[i] = rk4;
    }
    static const char *const names[] = {"baumgarte.alpha1",   "baumgarte.alpha0", "alf.alpha2",
                                        "srm.epsilon",        "srm.iterations",   "srm.E",
                                        "srm.lambda0_zero",   "post.alpha",       "post.gamma",
                                        "post.formula",       "srm_p.passes",     "srm_p.degree",
                                        "state_space.tangent"};
    o[0].baumgarte.alpha1 = 1;
    o[1].baumgarte.alpha0 = 1;
    o[2].alf.alpha2 = 2;
    o[3].srm.epsilon = 1e-3;
    o[4].srm.iterations = 3;
    o[5].srm.E = TRM_E_GB_INVERSE;
    o[6].srm.lambda0_zero = 1;
    o[7].post.alpha = 0.5;
    o[8].post.gamma = 1;
    o[9].post.formula = TRM_FORMULA_PRINTED;
    o[10].srm_p.passes = 2;
    o[11].srm_p.degree = 1;
    o[12].state_space.tangent = 0;
    rig r = rig_parse(spinning_pendulum);
    for (int i = 0; i < 13; i++) {
        check_refused(r.model, &o[i], names[i]);
    }
    trm_options stage = trm_default_options(TRM_HEUN, TRM_S_BOTH2); // has no stage at the end
    stage.h = 1e-3;
    stage.post.formula = TRM_FORMULA_STAGE;
    check_refused(r.model, &stage, "post.formula");
    stage.post.formula = (trm_post_formula)3;
    check_refused(r.model, &stage, "formula");
    rig_close(&r);
}

static void pairs_that_do_not_mix_are_refused(void **state)
{
    (void)state;
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    rig r = rig_parse(spinning_pendulum);

    for (int i = -1; i < 40; i++) {
        for (int s = -1; s < 40; s++) {
            int listed = 0;
            for (int k = 0; k < n; k++) {
                listed |= (int)methods[k].integrator == i && (int)methods[k].stabilization == s;
            }
            const trm_options options =
                trm_default_options((trm_integrator)i, (trm_stabilization)s);
            if (!listed) {
                check_refused(r.model, &options, "trm_options");
            } else {
                rig_start(&r, options); // what trm_default_options says is acceptable
            }
        }
    }
    rig_close(&r);
}

/// Two bars that carry each other: no kinetic energy to compare an error with, but roundoff.
static void at_rest_the_relative_error_is_no_roundoff_over_roundoff(void **state)
{
    (void)state;
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

static void an_accuracy_out_of_range_is_refused(void **state)
{
    (void)state;
    const double bad[] = {0, -1e-6, 1, 2, NAN, INFINITY};
    rig r = rig_parse(spinning_pendulum);
    trm_options options;
    trm_error err = {.status = TRM_OK};

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_int_equal(trm_choose_options(r.model, bad[k], &options, NULL, &err),
                         TRM_ERR_OPTIONS);
        assert_string_equal(err.where, "accuracy");
    }
    rig_ok(trm_choose_options(r.model, 1e-6, &options, NULL, &err), &err);
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
static void weights_act_like_forces(void **state)
{
    (void)state;
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
static void pins_may_name_their_bodies_in_either_order(void **state)
{
    (void)state;
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
static void the_scale_of_energies_is_at_least_a_millionth_of_the_potential(void **state)
{
    (void)state;
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_lands_on_the_end),
        cmocka_unit_test(a_run_of_one_bit),
        cmocka_unit_test(fixed_steps_end_at_multiples_of_h),
        cmocka_unit_test(an_end_beside_the_mesh_starts_a_new_mesh),
        cmocka_unit_test(no_crumb_of_a_step_is_left_at_large_t),
        cmocka_unit_test(an_end_before_now_is_refused),
        cmocka_unit_test(a_step_longer_than_the_run),
        cmocka_unit_test(an_observer_stops_a_run),
        cmocka_unit_test(two_runs_give_the_same_bits),
        cmocka_unit_test(a_restart_is_a_fresh_run),
        cmocka_unit_test(samples_leave_no_trace),
        cmocka_unit_test(four_threads_share_one_model),
        cmocka_unit_test(a_failed_step_leaves_the_last_state),
        cmocka_unit_test(a_force_may_refuse_or_abort),
        cmocka_unit_test(a_run_away_diverges),
        cmocka_unit_test(a_run_that_makes_no_headway_ends),
        cmocka_unit_test(a_refused_restart_is_not_stepped_from),
        cmocka_unit_test(a_state_of_no_numbers_is_refused),
        cmocka_unit_test(samples_outside_the_last_step_are_refused),
        cmocka_unit_test(samples_have_their_order),
        cmocka_unit_test(a_sample_is_a_whole_state),
        cmocka_unit_test(options_of_zero_are_refused),
        cmocka_unit_test(values_out_of_range_are_refused_by_name),
        cmocka_unit_test(options_that_the_method_does_not_read_are_refused),
        cmocka_unit_test(pairs_that_do_not_mix_are_refused),
        cmocka_unit_test(at_rest_the_relative_error_is_no_roundoff_over_roundoff),
        cmocka_unit_test(an_accuracy_out_of_range_is_refused),
        cmocka_unit_test(weights_act_like_forces),
        cmocka_unit_test(the_scale_of_energies_is_at_least_a_millionth_of_the_potential),
        cmocka_unit_test(pins_may_name_their_bodies_in_either_order),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]); // by name, with * and ?
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
