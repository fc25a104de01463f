/// Functions of the user that call back, come from a second thread, fail or give no number: the
/// step stops with a sentence.
#include "tests/simulation/run/site.h"

#include <pthread.h>

static trm_sample sample;

// ------------------------------------------------------------------------- calls at the wrong time

static int greedy_observer(trm_sim *sim, void *user)
{
    trm_error *err = user;
    double q[3], v[3];
    static char bytes[1 << 17];
    trm_sample here;
    memcpy(q, trm_sim_state(sim).q, sizeof q);
    memcpy(v, trm_sim_state(sim).v, sizeof v);
    assert_int_equal(trm_sim_sample(sim, trm_sim_state(sim).t, &here, NULL), TRM_OK);
    assert_int_equal(trm_sim_save(sim, bytes, sizeof bytes, NULL), TRM_OK);
    assert_int_equal(trm_sim_step(sim, NULL), TRM_ERR_OPTIONS);
    assert_int_equal(trm_sim_run(sim, 9, NULL, NULL, NULL), TRM_ERR_OPTIONS);
    assert_int_equal(trm_sim_set_state(sim, 0, q, v, NULL), TRM_ERR_OPTIONS);
    assert_int_equal(trm_sim_restore(sim, bytes, sizeof bytes, err), TRM_ERR_OPTIONS);
    return trm_sim_state(sim).t > 0.3;
}

CLAIM(an_observer_may_not_step)
{
    site s = open_site();
    trm_error inner = {.status = TRM_OK}, err = {.status = TRM_OK};
    assert_int_equal(trm_sim_run(s.sim, 1, greedy_observer, &inner, &err), TRM_STOPPED);
    assert_string_equal(
        inner.message,
        "an observer may read and sample its run, not step, shift, restart or restore it");
    rig_ok(trm_sim_step(s.sim, &err), &err);
    close_site(&s);
}

/// A force that meddles with the run that asks for it.
typedef struct meddler {
    trm_sim *sim;
    int refused, asked;
    trm_error err;
} meddler;

static int meddle(const trm_model *model, double t, const double *q, const double *v, double *f,
                  void *user)
{
    meddler *m = user;
    const trm_terms terms = {.f = (double[3]){0}};
    double x[3];
    trm_sensor sensor;
    (void)t, (void)f;
    if (!m->sim) {
        return 0;
    }
    m->asked += 5;
    trm_model_sensor(model, "bar.position", &sensor, NULL);
    m->refused += trm_sim_step(m->sim, NULL) == TRM_ERR_OPTIONS;
    m->refused += trm_sim_terms(m->sim, 0, q, v, NULL, &terms, NULL) == TRM_ERR_OPTIONS;
    m->refused += trm_sim_set_input(m->sim, 0, 3, NULL) == TRM_ERR_OPTIONS;
    m->refused += trm_sim_read(m->sim, &sensor, x, NULL) == TRM_ERR_OPTIONS;
    m->refused += trm_sim_set_state(m->sim, 0, q, v, &m->err) == TRM_ERR_OPTIONS;
    return 0;
}

/// The scene with a force of the user.
static rig pushed(const trm_force_def *def, trm_options options)
{
    trm_error err = {.status = TRM_OK};
    rig r = {NULL, NULL, NULL};
    rig_ok(trm_scene_parse(scene_text, strlen(scene_text), &r.scene, &err), &err);
    rig_ok(trm_scene_add_force(r.scene, def, &err), &err);
    rig_ok(trm_model_build(r.scene, &r.model, &err), &err);
    rig_start(&r, options);
    return r;
}

CLAIM(a_function_of_the_user_may_not_call_back_into_its_run)
{
    meddler m = {0};
    const trm_force_def def = {.name = "meddler", .force = meddle, .user = &m};
    trm_error err = {.status = TRM_OK};
    rig r = pushed(&def, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-3));
    m.sim = r.sim;
    rig_ok(trm_sim_step(r.sim, &err), &err);
    assert_true(m.asked >= 20);
    assert_int_equal(m.refused, m.asked);
    assert_string_equal(m.err.message,
                        "another call is at work on this run: one of a second thread, "
                        "or the one that called this function");
    rig_close(&r);
}

typedef struct intruder {
    trm_sim *sim;
    trm_status status;
} intruder;

static void *intrude(void *user)
{
    intruder *i = user;
    i->status = trm_sim_step(i->sim, NULL);
    return NULL;
}

/// In the middle of a step a second thread asks for a step of the same run.
static int let_in(const trm_model *model, double t, const double *q, const double *v, double *f,
                  void *user)
{
    intruder *i = user;
    pthread_t thread;
    (void)model, (void)t, (void)q, (void)v, (void)f;
    if (!i->sim || i->status != TRM_OK) {
        return 0;
    }
    return pthread_create(&thread, NULL, intrude, i) || pthread_join(thread, NULL);
}

CLAIM(a_second_thread_is_turned_away)
{
    intruder i = {.sim = NULL};
    const trm_force_def def = {.name = "door", .force = let_in, .user = &i};
    trm_error err = {.status = TRM_OK};
    rig r = pushed(&def, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-3));
    i.sim = r.sim;
    rig_ok(trm_sim_step(r.sim, &err), &err);
    assert_int_equal(i.status, TRM_ERR_OPTIONS);
    rig_close(&r);
}

CLAIM(a_refused_restart_leaves_nothing_to_step_from)
{
    static const char sentence[] = "there is no state to go on from: the last restart was refused";
    site s = open_site();
    trm_error err = {.status = TRM_OK};
    const double q[3] = {NAN, 0, 0};
    trm_sensor sensor;
    double x[3];
    rig_ok(trm_model_sensor(s.model, "bar.position", &sensor, &err), &err);
    assert_int_equal(trm_sim_set_state(s.sim, 0, q, s.v, &err), TRM_ERR_INCONSISTENT);
    assert_int_equal(trm_sim_step(s.sim, &err), TRM_ERR_INCONSISTENT);
    assert_string_equal(err.message, sentence);
    assert_int_equal(trm_sim_step_to(s.sim, 1, &err), TRM_ERR_INCONSISTENT);
    assert_int_equal(trm_sim_perturb(s.sim, NULL, s.v, &err), TRM_ERR_INCONSISTENT);
    assert_int_equal(trm_sim_sample(s.sim, 0, &sample, &err), TRM_ERR_INCONSISTENT);
    assert_int_equal(trm_sim_save(s.sim, s.state, sizeof s.state, &err), TRM_ERR_INCONSISTENT);
    assert_int_equal(trm_sim_read(s.sim, &sensor, x, &err), TRM_ERR_INCONSISTENT);
    assert_string_equal(err.message, sentence);
    rig_ok(trm_sim_set_state(s.sim, 0, s.q, s.v, &err), &err);
    rig_ok(trm_sim_step(s.sim, &err), &err);
    close_site(&s);
}

// ------------------------------------------------------------------------ functions that misbehave

typedef struct moody {
    int code;
    double value;
    double from; ///< s
} moody;

static int moody_force(const trm_model *model, double t, const double *q, const double *v,
                       double *f, void *user)
{
    const moody *m = user;
    (void)model, (void)q, (void)v;
    f[2] += t >= m->from ? m->value : 0;
    return t >= m->from ? m->code : 0;
}

CLAIM(a_function_that_fails_or_returns_nan_stops_the_step)
{
    static const moody moods[] = {{-1, 0, 0.1}, {1, 0, 0.1}, {0, NAN, 0.1}, {0, INFINITY, 0.1}};
    static const trm_integrator integrators[] = {TRM_INTEGRATOR_RK4, TRM_INTEGRATOR_DOPRI5,
                                                 TRM_INTEGRATOR_DOP853, TRM_INTEGRATOR_HEM3};
    for (size_t i = 0; i < sizeof moods / sizeof *moods; i++) {
        for (size_t k = 0; k < sizeof integrators / sizeof *integrators; k++) {
            moody mood = moods[i];
            const trm_force_def def = {.name = "moody", .force = moody_force, .user = &mood};
            trm_error err = {.status = TRM_OK};
            rig r = pushed(&def, trm_default_options(integrators[k], TRM_STABILIZATION_S_BOTH2));
            const trm_status status = trm_sim_step_to(r.sim, 1, &err);
            assert_true(status == TRM_ERR_CALLBACK || status == TRM_ERR_DIVERGED);
            assert_true(strlen(err.message) > 20 && trm_sim_state(r.sim).t <= 0.1);
            assert_true(isfinite(trm_sim_state(r.sim).q[2]) && isfinite(err.t));
            mood.from = INFINITY; // it has calmed down: the run goes on from its last good state
            rig_ok(trm_sim_step_to(r.sim, 1, &err), &err);
            rig_close(&r);
        }
    }
}

/// The bar held at its angle by functions, one of which misbehaves.
typedef struct moody_rows {
    moody mood;
    int which; ///< 0 g, 1 G, 2 g_t, 3 gamma
} moody_rows;

static int one_row(const moody_rows *m, int which, double t, double value, double *out)
{
    const int bad = m->which == which && t >= m->mood.from;
    *out = bad ? value + m->mood.value : value;
    return bad ? m->mood.code : 0;
}

static int row_g(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)model;
    return one_row(user, 0, t, q[2], out);
}

static int row_G(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)model, (void)q;
    out[0] = out[1] = 0;
    return one_row(user, 1, t, 1, &out[2]);
}

static int row_g_t(const trm_model *model, double t, const double *q, double *out, void *user)
{
    (void)model, (void)q;
    return one_row(user, 2, t, 0, out);
}

static int row_gamma(const trm_model *model, double t, const double *q, const double *v,
                     double *out, void *user)
{
    (void)model, (void)q, (void)v;
    return one_row(user, 3, t, 0, out);
}

CLAIM(rows_that_fail_or_return_nan_stop_the_step)
{
    static const moody moods[] = {{-1, 0, 0.1}, {1, 0, 0.1}, {0, NAN, 0.1}, {0, INFINITY, 0.1}};
    static const trm_integrator integrators[] = {TRM_INTEGRATOR_RK4, TRM_INTEGRATOR_DOP853};
    for (int i = 0; i < 32; i++) {
        moody_rows m = {moods[i % 4], i / 4 % 4};
        const trm_constraint_def def = {.name = "held",
                                        .rows = 1,
                                        .g = row_g,
                                        .G = row_G,
                                        .g_t = row_g_t,
                                        .gamma = row_gamma,
                                        .user = &m};
        trm_error err = {.status = TRM_OK};
        rig r = {NULL, NULL, NULL};
        rig_ok(trm_scene_parse(scene_text, strlen(scene_text), &r.scene, &err), &err);
        rig_ok(trm_scene_add_constraint(r.scene, &def, &err), &err);
        rig_ok(trm_model_build(r.scene, &r.model, &err), &err);
        rig_start(&r, trm_default_options(integrators[i / 16], TRM_STABILIZATION_S_BOTH2));
        const trm_status status = trm_sim_step_to(r.sim, 1, &err);
        if (status == TRM_OK || !isfinite(trm_sim_state(r.sim).q[2]) ||
            trm_sim_state(r.sim).t > 0.1 + 1e-9 || strlen(err.message) < 20) {
            fail_msg("function %d, mood %d: %s at t = %g: %s", i / 4 % 4, i % 4,
                     trm_status_name(status), trm_sim_state(r.sim).t, err.message);
        }
        m.mood.from = INFINITY;
        rig_ok(trm_sim_step_to(r.sim, 1, &err), &err);
        near("held", rig_q(&r, "bar", 2), 0, 1e-8);
        rig_close(&r);
    }
}
