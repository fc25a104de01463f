/// The scene, model and run that calls of the user work on.
#pragma once

#include "tests/rig.h"
#include "trammel/trammel_check.h"
#include "trammel/trammel_dae.h"
#include "trammel/trammel_query.h"

static const char scene_text[] =
    "{\"dimension\":2,\"gravity\":[0,-9.81],\"parameters\":{\"u\":{\"value\":1,\"input\":true}},"
    "\"bodies\":[{\"name\":\"bar\",\"mass\":3,\"ends\":[[0,0],[1,0]]}],"
    "\"joints\":[{\"name\":\"O\",\"type\":\"revolute\",\"bodies\":[\"ground\",\"bar\"],"
    "\"at\":[0,0]}],"
    "\"forces\":[{\"name\":\"drive\",\"type\":\"joint_force\",\"joint\":\"O\",\"value\":\"u\"}]}";

/// What the calls work on.
typedef struct site {
    trm_scene *scene;
    trm_model *model;
    trm_sim *sim;
    trm_options options;
    double q[3], v[3];
    char state[1 << 17];
} site;

static inline site open_site(void)
{
    rig r = rig_parse(scene_text);
    rig_start(&r, rig_fixed(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2, 1e-3));
    rig_run(&r, 0.25);
    site s = {.scene = r.scene, .model = r.model, .sim = r.sim};
    s.options = trm_default_options(TRM_INTEGRATOR_RK4, TRM_STABILIZATION_S_BOTH2);
    trm_model_initial_state(r.model, s.q, s.v);
    return s;
}

static inline void close_site(site *s)
{
    trm_sim_destroy(s->sim);
    trm_model_destroy(s->model);
    trm_scene_destroy(s->scene);
}
