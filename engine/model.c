#include "engine/model.h"
#include "engine/compile.h"
#include "engine/status.h"

#include <stdlib.h>
#include <string.h>

static void compile(trm_model *model, const trm_draft *draft)
{
    trm_compile_bodies(model, draft);
    trm_compile_parts(model, draft);
    trm_compile_pins(model, draft);
    trm_compile_rows(model, draft);
    trm_compile_forces(model, draft);
    trm_compile_structure(model, draft);
    trm_compile_tree(model, draft);
    trm_compile_names(model, draft);
}

/// Root of a body in the forest of bodies that joints have tied together so far.
static int root(int *parent, int body)
{
    while (parent[body] != body) {
        parent[body] = parent[parent[body]];
        body = parent[body];
    }
    return body;
}

/// Whether the rank of G can drop: not when joints form a tree, each adding a body of its own.
/// -1 without memory.
static int may_lose_rank(const trm_draft *draft)
{
    const int n = draft->scene->nbodies + 1;
    int loops = draft->scene->nconstraints + draft->scene->nuser_constraints;
    int *parent = malloc((size_t)n * sizeof(int));
    if (!parent) {
        return -1;
    }
    for (int b = 0; b < n; b++) {
        parent[b] = b;
    }
    for (int j = 0; j < draft->scene->njoints; j++) {
        const int a = root(parent, draft->frames[j].a);
        const int b = root(parent, draft->frames[j].b);
        loops += a == b;
        parent[a] = b;
    }
    free(parent);
    return loops > 0;
}

static trm_status build(const trm_draft *draft, trm_model *model, trm_error *err)
{
    model->may_lose_rank = may_lose_rank(draft);
    model->pattern = trm_pattern_create(draft->nblocks, draft->size, draft->npairs, draft->pairs);
    int ok = model->pattern && model->may_lose_rank >= 0;
    if (ok) {
        compile(model, draft);
        ok = trm_arena_open(&model->arena);
    }
    if (!ok) {
        return TRM_FAIL(err, TRM_ERR_MEMORY, draft->scene->path, "not enough memory for a model");
    }
    compile(model, draft);
    return TRM_OK;
}

trm_status trm_model_build(const trm_scene *scene, trm_model **out, trm_error *err)
{
    if (!scene || !out) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, scene ? "out" : "scene",
                        "expected a scene and a place for the model, got NULL");
    }
    *out = NULL;
    trm_draft draft;
    trm_model *model = calloc(1, sizeof *model);
    trm_status status = trm_draft_create(scene, &draft, err);
    if (status == TRM_OK && !model) {
        status = TRM_FAIL(err, TRM_ERR_MEMORY, scene->path, "not enough memory for a model");
    }
    if (status == TRM_OK) {
        status = build(&draft, model, err);
    }
    trm_draft_destroy(&draft);
    if (status != TRM_OK) {
        trm_model_destroy(model);
        return status;
    }
    *out = model;
    return TRM_OK;
}

void trm_model_destroy(trm_model *model)
{
    if (model) {
        trm_pattern_destroy(model->pattern);
        trm_arena_close(&model->arena);
        free(model);
    }
}

trm_system *trm_model_system(const trm_model *model, double delta, trm_arena *arena)
{
    return model->from_equations ? trm_equations_layout(model, delta, arena)
                                 : trm_assembler_layout(model, delta, arena);
}

trm_sizes trm_model_sizes(const trm_model *model)
{
    return model ? model->sizes : (trm_sizes){0};
}

/// A place in an array of `count` infos whose first member is the name, by that name; -1.
static int find(const char *name, const void *infos, int count, size_t size)
{
    for (int i = 0; name && i < count; i++) {
        const char *const *own = (const void *)((const char *)infos + (size_t)i * size);
        if (strcmp(*own, name) == 0) {
            return i;
        }
    }
    return -1;
}

int trm_model_body(const trm_model *model, const char *name)
{
    return model ? find(name, model->body_info, model->sizes.nbody, sizeof *model->body_info) : -1;
}

int trm_model_marker(const trm_model *model, const char *name)
{
    return model ? find(name, model->marker_info, model->sizes.nmarker, sizeof(trm_marker_info))
                 : -1;
}

int trm_model_joint(const trm_model *model, const char *name)
{
    return model ? find(name, model->joint_info, model->sizes.njoint, sizeof(trm_joint_info)) : -1;
}

int trm_model_input(const trm_model *model, const char *name)
{
    return model ? find(name, model->input_info, model->sizes.ninput, sizeof(trm_input_info)) : -1;
}

trm_body_info trm_model_body_info(const trm_model *model, int body)
{
    const int known = model && body >= 0 && body < model->sizes.nbody;
    return known ? model->body_info[body] : (trm_body_info){0};
}

trm_row_info trm_model_row_info(const trm_model *model, int row)
{
    const int known = model && row >= 0 && row < model->sizes.nc;
    return known ? model->row_info[row] : (trm_row_info){0};
}

trm_marker_info trm_model_marker_info(const trm_model *model, int marker)
{
    const int known = model && marker >= 0 && marker < model->sizes.nmarker;
    return known ? model->marker_info[marker] : (trm_marker_info){.body = TRM_GROUND};
}

trm_joint_info trm_model_joint_info(const trm_model *model, int joint)
{
    const int known = model && joint >= 0 && joint < model->sizes.njoint;
    return known ? model->joint_info[joint] : (trm_joint_info){0};
}

trm_input_info trm_model_input_info(const trm_model *model, int input)
{
    const int known = model && input >= 0 && input < model->sizes.ninput;
    return known ? model->input_info[input] : (trm_input_info){0};
}

trm_actuator_info trm_model_actuator_info(const trm_model *model, int actuator)
{
    const int known = model && actuator >= 0 && actuator < model->sizes.nactuator;
    return known ? model->actuators[actuator].info : (trm_actuator_info){0};
}

void trm_model_initial_state(const trm_model *model, double *q, double *v)
{
    if (model && q) {
        memcpy(q, model->q0, (size_t)model->sizes.nq * sizeof(double));
    }
    if (model && v) {
        memcpy(v, model->v0, (size_t)model->sizes.nv * sizeof(double));
    }
}
