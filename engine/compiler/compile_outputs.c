/// Outputs of a scene -> functions of the model, and the sensors that stand in them.
#include "base/status.h"
#include "engine/compiler/compile.h"
#include "trammel/trammel_simulation.h"
#include "trammel/trammel_status.h"

static void compile_output(trm_model *model, const trm_draft *draft, const trm_scene_output *def,
                           trm_output_formula *out)
{
    trm_arena *const arena = &model->arena;
    const trm_output_info info = {.name = trm_arena_text(arena, def->name),
                                  .unit = trm_arena_text(arena, def->unit),
                                  .value = trm_arena_text(arena, def->value.text)};
    trm_function function = {0};
    trm_function_compile(draft, &def->value, model, &function);
    if (out) {
        const int room = trm_function_scratch(&function);
        model->output_room = room > model->output_room ? room : model->output_room;
        *out = (trm_output_formula){.info = info, .value = function};
    }
}

void trm_compile_outputs(trm_model *model, const trm_draft *draft)
{
    const trm_scene *const scene = draft->scene;
    const size_t n = (size_t)scene->noutputs;
    model->sizes.noutput = scene->noutputs;
    model->outputs = trm_arena_take(&model->arena, n, sizeof *model->outputs);
    model->nreadings = scene->nreadings;
    model->readings =
        trm_arena_take(&model->arena, (size_t)scene->nreadings, sizeof *model->readings);
    for (int i = 0; i < scene->noutputs; i++) {
        compile_output(model, draft, &scene->outputs[i],
                       model->outputs ? &model->outputs[i] : NULL);
    }
}

trm_status trm_find_readings(trm_model *model, const trm_scene *scene, trm_error *err)
{
    for (int i = 0; i < scene->nreadings; i++) {
        const trm_reading *const reading = &scene->readings[i];
        trm_sensor *const sensor = &model->readings[i];
        char where[200];
        trm_error why;
        const trm_status status = trm_model_sensor(model, reading->name, sensor, &why);
        trm_scene_where(scene, reading->place, where, sizeof where);
        if (status != TRM_OK) {
            return TRM_FAIL(err, TRM_ERR_SCENE, where, "%.400s", why.message);
        }
        if (sensor->size != 1) {
            return TRM_FAIL(err, TRM_ERR_SCENE, where,
                            "\"%.60s\" has %d numbers, and a formula takes one: \"x\" of a "
                            "position, \"force_x\" of a force",
                            reading->name, sensor->size);
        }
    }
    return TRM_OK;
}
