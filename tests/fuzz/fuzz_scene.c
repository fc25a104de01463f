/// Any bytes as a scene: read, build, check, run some steps with the method Trammel chooses.
#include "tests/fuzz/target.h"
#include "trammel/trammel_methods.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    trm_error err = {.status = TRM_OK};
    trm_scene *scene = (trm_scene *)(uintptr_t)1;
    trm_model *model = NULL;
    trm_sim *sim = NULL;
    trm_options options;
    if (trm_scene_parse((const char *)bytes, size, &scene, &err) != TRM_OK) {
        PROMISE(scene == NULL && err.message[0] != '\0');
        return 0;
    }
    if (trm_model_build(scene, &model, &err) == TRM_OK) {
        const trm_sizes n = trm_model_sizes(model);
        if (n.nc <= 40 && n.nv <= 100 &&
            trm_choose_options(model, 1e-4, &options, NULL, &err) == TRM_OK) {
            options.assemble = trm_scene_simulation(scene).assemble;
            if (trm_sim_create(model, &options, &sim, &err) == TRM_OK) {
                take_steps(sim, model, 5);
            }
            PROMISE(sim != NULL || err.message[0] != '\0');
            trm_sim_destroy(sim);
        }
    } else {
        PROMISE(model == NULL && err.message[0] != '\0');
    }
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return 0;
}
