/// What sensors and queries say of limits, stops and friction.
#include "tests/rig.h"
#include "trammel/trammel_contact.h"
#include "trammel/trammel_query.h"

// ---------------------------------------------------------------------------------------- sensors

/// A slider of 2 kg is pressed against its limit with 3 + sin t: sensors read it within steps and
/// at their ends, and the acceleration is zero there.
static const char pressed[] =
    "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":2,\"inertia\":1}],"
    "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}],"
    "\"joints\":[{\"name\":\"S\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"a\"],"
    "\"at\":[0,0],\"axis\":[1,0],\"limits\":[0,1]}],"
    "\"forces\":[{\"name\":\"F\",\"type\":\"force\",\"marker\":\"p\","
    "\"value\":[\"-3 - sin(t)\",0]}]}";

typedef struct watching {
    trm_sensor sensors[3];
    int within; ///< samples inside of steps
} watching;

static int watch_force(trm_sim *sim, void *user)
{
    watching *w = user;
    const double end = trm_sim_state(sim).t;
    for (int k = 0; k <= 2 && end > 0; k++) {
        trm_sample sample;
        trm_error err = {.status = TRM_OK};
        double x[3];
        const double t = end * (1 - 1e-3 * (2 - k));
        if (trm_sim_sample(sim, t, &sample, &err) != TRM_OK) {
            continue; // before this step
        }
        rig_ok(trm_sim_read_sample(sim, &sample, 3, w->sensors, x, &err), &err);
        near("force", x[0], 3 + sin(t), 1e-12);
        near("gap", x[1], 0, 1e-15);
        near("acceleration", x[2], 0, 1e-12);
        rig_ok(trm_sim_read(sim, &w->sensors[0], x, &err), &err);
        near("force at the end", x[0], 3 + sin(end), 1e-12);
        w->within += k < 2;
    }
    return 0;
}

CLAIM(sensors_read_what_presses)
{
    trm_error err = {.status = TRM_OK};
    rig r = rig_parse(pressed);
    rig_start(&r, rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-10, 1e-10));
    watching w = {.within = 0};
    rig_ok(trm_model_sensor(r.model, "S.contact_force", &w.sensors[0], &err), &err);
    rig_ok(trm_model_sensor(r.model, "S.gap", &w.sensors[1], &err), &err);
    rig_ok(trm_model_sensor(r.model, "a.ax", &w.sensors[2], &err), &err);
    assert_string_equal(w.sensors[0].unit, "N");
    assert_string_equal(w.sensors[1].unit, "m");
    rig_ok(trm_sim_run(r.sim, 3, watch_force, &w, &err), &err);
    assert_true(w.within > 2);
    rig_close(&r);
}

// ---------------------------------------------------------------------------------------- queries

/// A slider of 2 kg on a spring of 8 N/m that rests at `rest`.
static rig spring(const char *keys, double rest, trm_query **query)
{
    char json[700];
    trm_error err = {.status = TRM_OK};
    snprintf(json, sizeof json,
             "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":2,\"inertia\":1}],"
             "\"joints\":[{\"name\":\"S\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"a\"],"
             "\"at\":[0,0],\"axis\":[1,0],%s}],"
             "\"forces\":[{\"name\":\"k\",\"type\":\"joint_spring_damper\",\"joint\":\"S\","
             "\"stiffness\":8,\"rest\":%g}]}",
             keys, rest);
    rig r = rig_parse(json);
    rig_ok(trm_query_create(r.model, query, &err), &err);
    return r;
}

/// Refused at a limit and with friction, with a sentence; between limits the frequency is
/// sqrt(8/2).
CLAIM(linearizations_are_not_blind)
{
    static const char *const with[] = {"\"limits\":[0,1]", "\"limits\":[-1,1]", "\"friction\":0.5"};
    static const char *const said[] = {
        "\"S\" is at 0 m, at its limit 0 m: a linearization holds on one side of it only", NULL,
        "\"S\" has dry friction: a linearization cannot account for it"};
    for (int k = 0; k < 3; k++) {
        trm_query *query = NULL;
        trm_linear *linear = NULL;
        trm_error err = {.status = TRM_OK};
        const double q[3] = {0}, v[3] = {0};
        rig r = spring(with[k], 0, &query);
        const trm_status status = trm_query_linearize(query, 0, q, v, NULL, &linear, &err);
        if (said[k]) {
            assert_int_equal(status, TRM_ERR_OPTIONS);
            assert_string_equal(err.message, said[k]);
        } else {
            rig_ok(status, &err);
            near("frequency", fabs(linear->modes[0].im), 2, 1e-9);
        }
        trm_linear_destroy(linear);
        trm_query_destroy(query);
        rig_close(&r);
    }
}

/// The spring would rest at 2, beyond the limit 1: that is no equilibrium; with a limit of 3 it is.
CLAIM(an_equilibrium_beyond_a_limit_is_none)
{
    for (int k = 0; k < 2; k++) {
        trm_query *query = NULL;
        trm_equilibrium found;
        trm_error err = {.status = TRM_OK};
        double q[3] = {0};
        rig r = spring(k ? "\"limits\":[-1,3]" : "\"limits\":[-1,1]", 2, &query);
        const trm_status status = trm_query_equilibrium(query, NULL, q, NULL, &found, &err);
        assert_int_equal(status, k ? TRM_OK : TRM_ERR_OPTIONS);
        if (k) {
            near("rest", q[0], 2, 1e-9);
        } else {
            assert_string_equal(err.message, "\"S\" is at 2 m, beyond its limit 1 m: the "
                                             "equilibrium found without it is none");
        }
        trm_query_destroy(query);
        rig_close(&r);
    }
}
