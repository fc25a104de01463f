#include "base/status.h"
#include "engine/compiler/compile.h"
#include "trammel/trammel_simulate.h"

#include <stdlib.h>

static trm_status build(trm_draft draft, trm_model **out, trm_error *err)
{
    const trm_scene *const scene = draft.scene;
    trm_model *model = calloc(1, sizeof *model);
    trm_status status = trm_draft_create(&draft, err);
    if (status == TRM_OK && !model) {
        status = TRM_FAIL(err, TRM_ERR_MEMORY, scene->path, "not enough memory for a model");
    }
    status = status == TRM_OK ? trm_model_compile(&draft, model, err) : status;
    if (draft.nheld == 0) { // else the run has gone on from its start
        status = status == TRM_OK ? trm_compile_start(model, scene, err) : status;
        status = status == TRM_OK ? trm_compile_joint_tree(model, &draft, err) : status;
    }
    trm_draft_destroy(&draft);
    if (status != TRM_OK) {
        trm_model_destroy(model);
        return status;
    }
    *out = model;
    return TRM_OK;
}

trm_status trm_model_build(const trm_scene *scene, trm_model **out, trm_error *err)
{
    TRM_CLEAR(out);
    if (!scene || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, scene ? "out" : "scene",
                        "expected a scene and a place for the model, got NULL");
    }
    return build((trm_draft){.scene = scene}, out, err);
}

trm_status trm_model_build_in_joints(const trm_scene *scene, trm_model **out, trm_error *err)
{
    trm_scene copy = *scene;
    copy.simulation.coordinates = TRM_COORDINATES_JOINT;
    return trm_model_build(&copy, out, err);
}

trm_status trm_model_build_held(const trm_scene *scene, int n, const trm_held_row *held,
                                trm_model **out, trm_error *err)
{
    return build((trm_draft){.scene = scene, .nheld = n, .held = held}, out, err);
}
