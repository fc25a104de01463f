/// Motors: a joint coordinate prescribed by an expression of t, over many turns.
#include "tests/near.h"

#include "trammel/trammel.h"

#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/// Run the scene to `end` with the default method at accuracy 1e-8, assembled first.
static trm_sim *driven(const char *json, double end, trm_model **model)
{
    trm_scene *scene = NULL;
    trm_sim *sim = NULL;
    trm_options options;
    trm_error err = {.message = ""};
    trm_status status = trm_scene_parse(json, strlen(json), &scene, &err);
    status = status ? status : trm_model_build(scene, model, &err);
    status = status ? status : trm_choose_options(*model, 1e-8, &options, NULL, &err);
    options.assemble = 1;
    status = status ? status : trm_sim_create(*model, &options, &sim, &err);
    status = status ? status : trm_sim_run(sim, end, NULL, NULL, &err);
    trm_scene_destroy(scene);
    if (status) {
        print_error("%s: %s\n", err.where, err.message);
    }
    assert_int_equal(status, TRM_OK);
    return sim;
}

CLAIM(a_spatial_shaft_turns_as_often_as_its_motor_says)
{
    trm_model *model = NULL;
    trm_sim *sim = driven("{\"dimension\": 3, \"bodies\": [{\"name\": \"shaft\", \"mass\": 2,"
                          " \"inertia\": [1, 2, 3]}], \"joints\": [{\"name\": \"bearing\","
                          " \"type\": \"revolute\", \"bodies\": [\"ground\", \"shaft\"],"
                          " \"at\": [0, 0, 0], \"axis\": [1, 0, 0], \"motor\": \"10*t + t^2\"}]}",
                          5, &model);
    assert_near(trm_sim_state(sim).v[3], 20, 1e-9); // c' = 10 + 2 t
    assert_near(trm_sim_drift(sim).position, 0, 1e-12);
    assert_near(fabs(trm_sim_state(sim).lambda[5]), 2, 1e-9); // I c''
    assert_near(trm_sim_report(sim).energy_error, 0, 1e-7);
    trm_sim_destroy(sim);
    trm_model_destroy(model);
}

/// Two shafts with an angle b between them, joined by a universal joint: from the driven rate w1,
/// w2 = w1 cos b/(1 - sin^2 b sin^2 phi), phi the angle of the driving fork from the common normal
/// (its axis u = (0, -sin phi, cos phi) stays perpendicular to the other fork's, n x u).
CLAIM(a_universal_joint_transmits_with_its_known_ratio)
{
    trm_model *model = NULL;
    trm_sim *sim =
        driven("{\"dimension\": 3, \"parameters\": {\"b\": \"30*deg\"}, \"bodies\": ["
               "{\"name\": \"in\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [-1, 0, 0]},"
               "{\"name\": \"out\", \"mass\": 1, \"inertia\": [1, 1, 1],"
               " \"position\": [\"cos(b)\", \"sin(b)\", 0]}], \"joints\": ["
               "{\"name\": \"A\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"in\"],"
               " \"at\": [-1, 0, 0], \"axis\": [1, 0, 0], \"motor\": \"5*t\"},"
               "{\"name\": \"cross\", \"type\": \"universal\", \"bodies\": [\"in\", \"out\"],"
               " \"at\": [0, 0, 0], \"axis\": [0, 0, 1], \"axis2\": [\"-sin(b)\", \"cos(b)\", 0]},"
               "{\"name\": \"B\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"out\"],"
               " \"at\": [\"cos(b)\", \"sin(b)\", 0], \"axis\": [\"cos(b)\", \"sin(b)\", 0]}]}",
               3.3, &model);
    const trm_state now = trm_sim_state(sim);
    const double *v = now.v + 6;
    const double w2 = sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]);
    const double b = pi / 6;
    const double s = sin(b) * sin(5 * 3.3); // the fork's axis starts perpendicular to both shafts
    assert_near(w2, 5 * cos(b) / (1 - s * s), 1e-6);
    assert_near(trm_sim_report(sim).position_drift, 0, 1e-9);
    trm_sim_destroy(sim);
    trm_model_destroy(model);
}

CLAIM(a_run_that_blows_up_says_so)
{
    static const char json[] =
        "{\"dimension\": 2, \"gravity\": [0, -9.81], \"bodies\": [{\"name\": \"bar\", \"mass\": 1,"
        " \"ends\": [[0, 0], [1, 0]], \"rate\": 30, \"velocity\": [0, 15]}], \"joints\": ["
        "{\"name\": \"pin\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"bar\"],"
        " \"at\": [0, 0]}]}";
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_sim *sim = NULL;
    trm_error err;
    trm_options options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_PLAIN);
    options.h = 0.5;
    assert_int_equal(trm_scene_parse(json, strlen(json), &scene, &err), TRM_OK);
    assert_int_equal(trm_model_build(scene, &model, &err), TRM_OK);
    assert_int_equal(trm_sim_create(model, &options, &sim, &err), TRM_OK);
    assert_int_equal(trm_sim_run(sim, 1000, NULL, NULL, &err), TRM_ERR_DIVERGED);
    trm_sim_destroy(sim);
    trm_model_destroy(model);
    trm_scene_destroy(scene);
}

/// A parallelogram whose two cranks are driven, and part like t^3/50.
static const char two_motors[] =
    "{\"dimension\": 2, \"bodies\": [{\"name\": \"a\", \"ends\": [[0, 0], [1, 0]], \"mass\": 1},"
    "{\"name\": \"b\", \"ends\": [[1, 0], [1, 1]], \"mass\": 1},"
    "{\"name\": \"c\", \"ends\": [[0, 1], [1, 1]], \"mass\": 1}], \"joints\": ["
    "{\"name\": \"A\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"a\"],"
    "\"at\": [0, 0], \"motor\": \"0.3*t^2\"}, {\"name\": \"B\", \"type\": \"revolute\","
    "\"bodies\": [\"a\", \"b\"], \"at\": [1, 0]}, {\"name\": \"C\", \"type\": \"revolute\","
    "\"bodies\": [\"b\", \"c\"], \"at\": [1, 1]}, {\"name\": \"D\", \"type\": \"revolute\","
    "\"bodies\": [\"ground\", \"c\"], \"at\": [0, 1], \"motor\": \"0.3*t^2 + 0.02*t^3\"}]}";

/// Run the scene to t = 2 and expect it to fail.
static trm_status failing(const char *json, trm_options options, trm_error *err)
{
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_sim *sim = NULL;
    assert_int_equal(trm_scene_parse(json, strlen(json), &scene, err), TRM_OK);
    assert_int_equal(trm_model_build(scene, &model, err), TRM_OK);
    trm_status status = trm_sim_create(model, &options, &sim, err);
    status = status ? status : trm_sim_run(sim, 2, NULL, NULL, err);
    trm_sim_destroy(sim);
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return status;
}

static trm_options with_steps(const trm_method *method, double h)
{
    trm_options options = trm_default_options(method->integrator, method->stabilization);
    options.h = method->adaptive ? 0 : h;
    return options;
}

/// Whatever the method, the run stops, and says which motors cannot both have their way.
CLAIM(motors_that_contradict_are_named)
{
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    int named = 0;
    for (int i = 0; i < n; i++) {
        if (methods[i].integrator == TRM_INTEGRATOR_MOREAU) {
            continue; // there are no contacts
        }
        trm_error err = {.message = ""};
        const trm_status status = failing(two_motors, with_steps(&methods[i], 0.01), &err);
        assert_true(status == TRM_ERR_DIVERGED || status == TRM_ERR_SINGULAR);
        assert_true(err.t < 0.2);
        if (methods[i].stabilization != TRM_STABILIZATION_STATE_SPACE &&
            methods[i].integrator != TRM_INTEGRATOR_HEM3) {
            assert_non_null(strstr(err.message, "joint 'A' and joint 'D' contradict each other"));
            assert_string_equal(err.where, "joint 'A'");
            named++;
        }
    }
    assert_true(named > 40);
}

/// A crank of 1 m drives a coupler of 1 m and a rocker of 0.3 m about a pin 2.2 m away: they are
/// stretched when its tip is 1.3 m from that pin.
static const char stretched[] =
    "{\"dimension\": 2, \"parameters\": {\"a\": \"2.35/2.4\", \"y\": \"sqrt(1 - a^2)\"}, "
    "\"bodies\": ["
    "{\"name\": \"crank\", \"ends\": [[0, 0], [1, 0]], \"mass\": 1, \"rate\": 0},"
    "{\"name\": \"coupler\", \"ends\": [[1, 0], [\"1 + a\", \"y\"]], \"mass\": 1},"
    "{\"name\": \"rocker\", \"ends\": [[2.2, 0], [\"1 + a\", \"y\"]], \"mass\": 1}], \"joints\": ["
    "{\"name\": \"A\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"crank\"], \"at\": [0, 0],"
    "\"motor\": \"t^2\"}, {\"name\": \"B\", \"type\": \"revolute\", \"bodies\": [\"crank\","
    "\"coupler\"], \"at\": [1, 0]}, {\"name\": \"C\", \"type\": \"revolute\", \"bodies\":"
    "[\"coupler\", \"rocker\"], \"at\": [\"1 + a\", \"y\"]}, {\"name\": \"D\","
    "\"type\": \"revolute\", \"bodies\": [\"ground\", \"rocker\"], \"at\": [2.2, 0]}]}";

CLAIM(a_motor_that_leads_out_of_reach_is_named)
{
    const double t = sqrt(acos((1 + 2.2 * 2.2 - 1.3 * 1.3) / 4.4)); // by the cosine rule
    const trm_options options[] = {
        trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_BAUMGARTE),
        trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2),
        trm_default_options(TRM_INTEGRATOR_HEUN, TRM_STABILIZATION_PROJECTION),
        trm_default_options(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2)};
    for (int i = 0; i < 4; i++) {
        trm_error err = {.message = ""};
        assert_int_equal(failing(stretched, options[i], &err), TRM_ERR_DIVERGED);
        assert_non_null(strstr(err.message, "'A' lead out of the mechanism's reach"));
        assert_near(err.t, t, 0.02);
    }
}
