#include "engine/model.h"
#include "engine/compile.h"
#include "engine/status.h"

#include <stdlib.h>
#include <string.h>

static void compile(trm_model *model, const trm_draft *draft)
{
    trm_compile_bodies(model, draft);
    trm_compile_rows(model, draft);
    trm_compile_forces(model, draft);
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
    return model->sizes;
}

int trm_model_body(const trm_model *model, const char *name)
{
    for (int b = 0; b < model->sizes.nbody; b++) {
        if (strcmp(model->body_info[b].name, name) == 0) {
            return b;
        }
    }
    return -1;
}

trm_body_info trm_model_body_info(const trm_model *model, int body)
{
    return model->body_info[body];
}

trm_row_info trm_model_row_info(const trm_model *model, int row)
{
    return model->row_info[row];
}

void trm_model_initial_state(const trm_model *model, double *q, double *v)
{
    memcpy(q, model->q0, (size_t)model->sizes.nq * sizeof(double));
    memcpy(v, model->v0, (size_t)model->sizes.nv * sizeof(double));
}
