#include <stdio.h>
#include <trammel/trammel.h>

int main(void)
{
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_result *result = NULL;
    trm_error err;
    if (trm_scene_load("scenes/slider_crank_swing.json", &scene, &err) ||
        trm_model_build(scene, &model, &err) || trm_simulate(model, 10, 1e-6, NULL, &result, &err))
        return fprintf(stderr, "%s: %s\n", err.where, err.message) > 0;
    const trm_accuracy known = trm_result_accuracy(result);
    printf("crank angle %.9f rad at t = 10 s\n", trm_sim_state(trm_result_sim(result)).q[2]);
    printf("known to %.0e of the motion: %s\n", known.differs, trm_verdict_name(known.rating));
    trm_result_destroy(result);
    trm_model_destroy(model);
    trm_scene_destroy(scene);
}
