/// A step that opens a joint by about the size of the mechanism is no result: every method refuses
/// it, and the state before it stays.
#include "tests/rig.h"

enum { NQ = 9 };

typedef struct left {
    double t, q[NQ], v[NQ], a[NQ], gap;
} left;

static left look(const trm_sim *sim)
{
    const trm_state s = trm_sim_state(sim);
    left x = {.t = s.t, .gap = trm_sim_drift(sim).position};
    memcpy(x.q, s.q, sizeof x.q);
    memcpy(x.v, s.v, sizeof x.v);
    memcpy(x.a, s.a, sizeof x.a);
    return x;
}

/// Steps until one is refused, at most 400. Returns whether one was.
static int step_until_torn(rig *r, const char *name, double size)
{
    trm_error err = {.status = TRM_OK};
    for (int i = 0; i < 400; i++) {
        const left before = look(r->sim);
        const long steps = trm_sim_stats(r->sim).steps;
        const trm_status status = trm_sim_step(r->sim, &err);
        const left now = look(r->sim);
        if (status != TRM_OK) {
            assert_int_equal(trm_sim_stats(r->sim).steps, steps);
            if (memcmp(&before, &now, sizeof now) != 0 || !*err.where || !*err.message) {
                fail_msg("%s: not the state before: '%s': %s", name, err.where, err.message);
            }
            assert_true(trm_sim_step(r->sim, &err) < 0 || trm_sim_drift(r->sim).position < size);
            return 1;
        }
        if (!(now.gap <= size)) {
            fail_msg("%s: t = %g s accepted with a gap of %g m", name, now.t, now.gap);
        }
    }
    return 0;
}

CLAIM(no_method_accepts_a_torn_mechanism)
{
    rig_figures();
    const double steps[] = {0.01, 0.03, 0.1, 0.3};
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    int torn = 0;
    rig r = rig_load("../tests/scenes/spun", NULL);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++) {
            trm_options o = trm_default_options(methods[i].integrator, methods[i].stabilization);
            if (methods[i].adaptive) {
                o.rtol = k < 2 ? 1e-2 : 1e3;
                o.atol = k < 2 ? 1e-2 : 1e3;
            } else {
                o.h = steps[k];
            }
            trm_error err = {.status = TRM_OK};
            char name[100];
            snprintf(name, sizeof name, "%s+%s %g", methods[i].integrator_name,
                     methods[i].stabilization_name, steps[k]);
            trm_sim_destroy(r.sim);
            r.sim = NULL;
            const trm_status status = trm_sim_create(r.model, &o, &r.sim, &err);
            if (status == TRM_OK) {
                torn += step_until_torn(&r, name, 0.85);
            }
        }
    }
    assert_true(torn > n);
    rig_close(&r);
}

/// A drift that shows the mechanism still is the method's own affair.
CLAIM(drift_is_no_constraint_violation)
{
    trm_error err = {.status = TRM_OK};
    rig r = rig_load("../tests/scenes/spun", NULL);
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_PLAIN, 2e-3));
    trm_status status = TRM_OK;
    double gap = 0;
    while (status == TRM_OK && gap < 0.05) {
        status = trm_sim_step(r.sim, &err);
        gap = trm_sim_drift(r.sim).position;
    }
    rig_ok(status, &err);
    rig_close(&r);
}

/// Too large for a step, but a number: the message names its cause, and no spring that is sound.
CLAIM(an_absurd_force_blames_no_other)
{
    const char json[] =
        "{\"dimension\": 2, \"parameters\": {\"u\": {\"value\": 0, \"input\": true}}, \"bodies\": ["
        "{\"name\": \"a\", \"ends\": [[0, 0], [1, 0]], \"mass\": 1}], \"joints\": [{\"name\": "
        "\"O\","
        " \"type\": \"revolute\", \"bodies\": [\"ground\", \"a\"], \"at\": [0, 0]}], \"forces\": ["
        "{\"name\": \"drive\", \"type\": \"joint_force\", \"joint\": \"O\", \"value\": \"u\"},"
        "{\"name\": \"innocent\", \"type\": \"joint_spring_damper\", \"joint\": \"O\","
        " \"damping\": 0.1}]}";
    const double values[] = {1e60, 1e120, 1e200, 1e300};
    rig r = rig_parse(json);
    for (int k = 0; k < 8; k++) {
        trm_error err = {.status = TRM_OK};
        const trm_options options =
            k % 2 ? rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-8,
                                 1e-8) // TREE follows 1e60 rad/s^2
                  : rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-3);
        rig_start(&r, options);
        rig_ok(trm_sim_set_input(r.sim, 0, values[k / 2], &err), &err);
        const trm_status status = trm_sim_step_to(r.sim, 1, &err);
        if (status != TRM_ERR_DIVERGED || strstr(err.message, "innocent") || !*err.where) {
            fail_msg("u = %g: %s, '%s': %s", values[k / 2], trm_status_name(status), err.where,
                     err.message);
        }
        assert_true(isfinite(trm_sim_state(r.sim).q[2]));
        rig_ok(trm_sim_set_input(r.sim, 0, 0, &err), &err); // and the run goes on
        rig_ok(trm_sim_step_to(r.sim, 0.1, &err), &err);
    }
    rig_close(&r);
}

CLAIM(an_end_without_end_is_refused)
{
    trm_error err = {.status = TRM_OK};
    rig r = rig_load("../tests/scenes/spun", NULL);
    rig_start(&r, rig_choose(&r, 1e-6));
    assert_int_equal(trm_sim_step_to(r.sim, INFINITY, &err), TRM_ERR_OPTIONS);
    assert_string_equal(err.message, "the end must be finite, got inf");
    rig_close(&r);
}
