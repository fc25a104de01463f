/// Limits, stops and friction that are refused: the sentence, and the key.
#include "tests/simulation/contact_modes/contact_scenes.h"

static void refused(const char *text, const char *says, const char *where)
{
    trm_error err = {.status = TRM_OK};
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_sim *sim = NULL;
    const trm_options options =
        rig_adaptive(TRM_INTEGRATOR_DOP853, TRM_STABILIZATION_S_BOTH2, 1e-8, 1e-8);
    trm_status status = trm_scene_parse(text, strlen(text), &scene, &err);
    status = status ? status : trm_model_build(scene, &model, &err);
    status = status ? status : trm_sim_create(model, &options, &sim, &err);
    status = status ? status : trm_sim_run(sim, 10, NULL, NULL, &err);
    assert_true(status < 0);
    if (!strstr(err.message, says) || !strstr(err.where, where)) {
        fail_msg("\"%s\" at \"%s\"", err.message, err.where);
    }
    trm_sim_destroy(sim);
    trm_model_destroy(model);
    trm_scene_destroy(scene);
}

CLAIM(limits_and_stops)
{
    refused(BLOCK("0", "\"limits\":[1,-1]"), "limits must be [lo, hi] with lo <= hi, got [1, -1]",
            "/joints/0/limits");
    refused(BLOCK("0", "\"limits\":[0.5,1]"),
            "the start is outside the limits of 'S': it is at 0 m, "
            "below 0.5",
            "/joints/0/limits");
    refused(BLOCK("0", "\"restitution\":0.5"), "\"restitution\" has no effect without \"limits\"",
            "/joints/0/restitution");
    refused(BLOCK("0", "\"limits\":[0,1],\"restitution\":1.5"),
            "restitution must be 0 to 1, got 1.5", "/joints/0/restitution");
    refused(BLOCK("0", "\"friction\":-1"), "friction must be >= 0, got -1", "/joints/0/friction");
    refused(BLOCK("0", "\"friction\":{\"sliding\":2,\"sticking\":1}"),
            "friction that sticks, 1, must not be less than friction that slides, 2",
            "/joints/0/friction");
    refused(
        "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1}],\"joints\":["
        "{\"name\":\"W\",\"type\":\"weld\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],"
        "\"friction\":1}]}",
        "joint \"W\" cannot have \"friction\": a weld joint has not one coordinate, as a revolute "
        "or prismatic one",
        "/joints/0/friction");
    refused("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1}],\"joints\":["
            "{\"name\":\"H\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],"
            "\"friction\":{\"coefficient\":1}}]}",
            "missing key \"radius\"", "/joints/0/friction");
    // a press: one wall comes towards the other
    refused("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,\"position\":[0,"
            "0]}],"
            "\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"at\":[0,0]}],\"stops\":[{\"name\":"
            "\"piston\","
            "\"gap\":\"p.x - t + 1\"},{\"name\":\"wall\",\"gap\":\"1 - p.x\"}]}",
            "the stops that touch leave no motion", "/stops/");
    refused(BALL("2", ""), "restitution must be 0 to 1, got 2", "/stops/0/restitution");
}

#define SLIDER(friction)                                                                           \
    "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1}],\"joints\":["         \
    "{\"name\":\"S\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"a\"],\"at\":[0,0],"           \
    "\"axis\":[1,0],\"friction\":" friction "}]}"

CLAIM(friction_and_places)
{
    refused(SLIDER("{\"coefficient\":0.2,\"regularized\":0.1}"),
            "\"regularized\" is for friction of a bound, not of a \"coefficient\"",
            "/joints/0/friction");
    refused(SLIDER("{\"sliding\":1,\"regularized\":0}"), "regularized must be > 0, got 0",
            "/joints/0/friction/regularized");
    refused(SLIDER("{\"coefficient\":0.2,\"radius\":0.1}"), "\"radius\" is for hinges",
            "/joints/0/friction");
    refused("{\"dimension\":3,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":[1,1,1]}],"
            "\"joints\":[{\"name\":\"B\",\"type\":\"spherical\",\"bodies\":[\"ground\",\"a\"],"
            "\"at\":[0,0,0],\"friction\":1}]}",
            "joint \"B\" cannot have \"friction\": a spherical joint has not one coordinate; its "
            "freedoms take it: \"angle\": {...}",
            "/joints/0/friction");
    // between x >= 1 and x <= 0.5 there is no place
    refused("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,\"position\":"
            "[0.7,0]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}],\"stops\":["
            "{\"name\":\"low\",\"gap\":\"p.x - 1\"},{\"name\":\"high\",\"gap\":\"0.5 - p.x\"}]}",
            "'low' and 'high' (scene:1:167 /stops/1) leave no position: the start is 0.3 m "
            "outside the first, and at its limit it would be 0.5 m outside the second",
            "scene:1:136 /stops/0");
    // a slide that ends at 0.4 m, and a stop beyond; the stop's row is the joint's
    refused("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1}],"
            "\"joints\":[{\"name\":\"S\",\"type\":\"prismatic\",\"bodies\":[\"ground\",\"a\"],"
            "\"at\":[0,0],\"axis\":[1,0],\"limits\":[-1,0.4]}],\"markers\":[{\"name\":\"p\","
            "\"body\":\"a\",\"on\":[0,0]},{\"name\":\"o\",\"body\":\"ground\",\"at\":[0.5,0]}],"
            "\"stops\":[{\"name\":\"wall\",\"marker\":\"p\",\"on\":\"o\",\"normal\":[1,0]}]}",
            "'wall' and 'S' (", "/stops/0");
    // with the same row the other way there is room: only the start is outside
    refused("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1,\"position\":"
            "[0.7,0]}],\"markers\":[{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}],\"stops\":["
            "{\"name\":\"low\",\"gap\":\"p.x - 1\"},{\"name\":\"high\",\"gap\":\"1.5 - p.x\"}]}",
            "the start is outside the limits of 'low': it is at -0.3 m, below 0", "/stops/0");
    refused("{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1}],\"markers\":["
            "{\"name\":\"p\",\"body\":\"a\",\"on\":[0,0]}],\"stops\":[{\"name\":\"s\",\"gap\":"
            "\"p.x\",\"friction\":0.3}]}",
            "stop \"s\" cannot have friction: a gap by a formula has no direction along it",
            "/stops/0/friction");
}

#define JACK(keys)                                                                                 \
    "{\"dimension\":2,\"bodies\":[{\"name\":\"a\",\"mass\":1,\"inertia\":1},{\"name\":\"b\","      \
    "\"mass\":1,\"inertia\":1}],\"joints\":[{\"name\":\"A\",\"type\":\"revolute\",\"bodies\":"     \
    "[\"ground\",\"a\"],\"at\":[0,0]},{\"name\":\"B\",\"type\":\"prismatic\",\"bodies\":"          \
    "[\"ground\",\"b\"],\"at\":[0,0],\"axis\":[0,1]}],\"constraints\":[{\"name\":\"s\",\"type\":"  \
    "\"screw\",\"joints\":[\"A\",\"B\"],\"lead\":0.01," keys "}]}"

CLAIM(friction_of_a_screw)
{
    refused(JACK("\"friction\":0.1"),
            "missing key \"radius\": friction of a screw acts at its thread",
            "/constraints/0/friction");
    refused(JACK("\"radius\":0.1"), "\"radius\" has no effect without \"friction\"",
            "/constraints/0/radius");
    refused(JACK("\"radius\":0,\"friction\":0.1"), "radius must be > 0, got 0",
            "/constraints/0/radius");
    refused(JACK("\"radius\":0.1,\"friction\":-0.1"), "friction must be >= 0, got -0.1",
            "/constraints/0/friction");
}
