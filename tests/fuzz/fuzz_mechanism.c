/// A mechanism made of the bytes, run by every method that fits: finite states, joints that stay
/// closed, time that moves.
#include "tests/fuzz/mechanism.h"
#include "trammel/trammel_methods.h"

static void run(const trm_model *model, const trm_method *method, int assemble)
{
    trm_error err = {.status = TRM_OK};
    trm_sim *sim = NULL;
    trm_options o = trm_default_options(method->integrator, method->stabilization);
    o.h = method->adaptive ? 0 : 1e-3;
    o.assemble = assemble;
    if (trm_sim_create(model, &o, &sim, &err) != TRM_OK) {
        PROMISE(sim == NULL && err.message[0] != '\0');
        return;
    }
    const trm_drift start = trm_sim_drift(sim);
    PROMISE(start.position <= 1e-6 &&
            start.velocity <= 1e-6); // what was closed is, what was not is refused
    take_steps(sim, model, 6);
    trm_sim_destroy(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    bytes_left b = {bytes, size};
    trm_scene *scene = NULL;
    const trm_method *methods = NULL;
    const int n = trm_methods(&methods);
    trm_model *const model = model_of_mechanism(&b, &scene);
    for (int i = 0; model && i < n; i++) {
        if (trm_method_fits(&methods[i], model, NULL) == TRM_OK) {
            run(model, &methods[i], trm_scene_simulation(scene).assemble);
        }
    }
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return 0;
}
