#include <stdio.h>
#include <trammel/trammel.h>

int main(void)
{
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_sim *sim = NULL;
    trm_options options;
    trm_error err;
    if (trm_scene_load("scenes/slider_crank_swing.json", &scene, &err) ||
        trm_model_build(scene, &model, &err) ||
        trm_choose_options(model, 1e-6, &options, NULL, &err) ||
        trm_sim_create(model, &options, &sim, &err) || trm_sim_run(sim, 10, NULL, NULL, &err))
        return fprintf(stderr, "%s: %s\n", err.where, err.message) > 0;
    printf("crank angle %.9f rad at t = 10 s\n", trm_sim_state(sim).q[2]);
    trm_sim_destroy(sim);
    trm_model_destroy(model);
    trm_scene_destroy(scene);
}
