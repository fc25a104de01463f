/// A pendulum in a program of your own. Three ways to build it: CMakeLists.txt, meson.build, or
///     cc pendulum.c $(pkg-config --cflags --libs trammel)
#include <stdio.h>
#include <string.h>
#include <trammel/trammel.h>

static const char scene_text[] =
    "{\"dimension\": 2, \"gravity\": [0, -9.81],"
    " \"bodies\": [{\"name\": \"bob\", \"mass\": 1, \"ends\": [[0, 0], [1, 0]]}],"
    " \"joints\": [{\"name\": \"pin\", \"type\": \"revolute\", \"bodies\": [\"ground\", \"bob\"],"
    "               \"at\": [0, 0]}]}";

int main(void)
{
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_sim *sim = NULL;
    trm_options options;
    trm_error err;
    const int failed = trm_scene_parse(scene_text, strlen(scene_text), &scene, &err) ||
                       trm_model_build(scene, &model, &err) ||
                       trm_choose_options(model, 1e-6, &options, NULL, &err) ||
                       trm_sim_create(model, &options, &sim, &err) ||
                       trm_sim_run(sim, 1, NULL, NULL, &err);
    if (failed) {
        fprintf(stderr, "%s: %s\n", err.where, err.message);
    } else {
        printf("angle %.6f rad at t = %g s\n", trm_sim_state(sim).q[2], trm_sim_state(sim).t);
    }
    trm_sim_destroy(sim);
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return failed;
}
