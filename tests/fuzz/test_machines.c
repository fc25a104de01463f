/// Each machine of machines.h is a scene that the library takes, closed at the start, and goes some
/// steps: a fuzzer that makes refused scenes alone tries the reader alone.
#include "tests/fuzz/mechanism.h"
#include "trammel/trammel_methods.h"

static trm_status go(const scene_text *text, trm_error *err)
{
    enum { STEPS = 20 };
    trm_scene *scene = NULL;
    trm_model *model = NULL;
    trm_sim *sim = NULL;
    const trm_options o = trm_default_options(TRM_INTEGRATOR_DOPRI5, TRM_STABILIZATION_S_BOTH2);
    trm_status status = trm_scene_parse(text->text, text->used, &scene, err);
    status = status == TRM_OK ? trm_model_build(scene, &model, err) : status;
    status = status == TRM_OK ? trm_sim_create(model, &o, &sim, err) : status;
    for (int k = 0; k < STEPS && status == TRM_OK; k++) {
        status = trm_sim_step(sim, err);
    }
    trm_sim_destroy(sim);
    trm_model_destroy(model);
    trm_scene_destroy(scene);
    return status;
}

static int fails(int which, int dimension)
{
    static scene_text part[SECTIONS], text;
    uint8_t bytes[64]; // the machine, then numbers
    trm_error err = {.status = TRM_OK};
    bytes_left b = {bytes, sizeof bytes};
    memset(bytes, 60, sizeof bytes);
    bytes[0] = (uint8_t)which;
    clear(part);
    put_machine(part, &b, 0, dimension);
    join(part, dimension, "false", &text);
    if (go(&text, &err) == TRM_OK) {
        return 0;
    }
    fprintf(stderr, "machine %d: %s\n%s\n", which, err.message, text.text);
    return 1;
}

int main(void)
{
    int failed = 0;
    for (int i = 0; i < MACHINES; i++) {
        failed += machines[i].dimension != 3 && fails(i, 2);
        failed += machines[i].dimension != 2 && fails(i, 3);
    }
    return failed != 0;
}
