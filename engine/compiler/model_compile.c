/// The steps of compilation, in order.
#include "base/rank_numbers.h"
#include "base/status.h"
#include "engine/compiler/compile.h"
#include "engine/multibody/extent.h"

#include <math.h>
#include <stdlib.h>

static void compile(trm_model *model, const trm_draft *draft)
{
    trm_compile_bodies(model, draft);
    trm_compile_guides(model, draft);
    trm_compile_components(model, draft);
    trm_compile_pins(model, draft);
    trm_compile_rows(model, draft);
    trm_model_find_components(model);
    trm_compile_forces(model, draft);
    trm_compile_structure(model, draft);
    trm_compile_names(model, draft);
    trm_compile_switching(model, draft);
    trm_compile_events(model, draft);
    trm_compile_contacts(model, draft);
    trm_compile_outputs(model, draft);
    trm_model_index_names(model);
}

/// Whether the rank of G can drop: not when joints form a tree, each adding a body of its own.
/// -1 without memory.
static int may_lose_rank(const trm_draft *draft)
{
    const int n = draft->scene->nbodies + 1;
    int loops = draft->scene->nconstraints + draft->scene->nuser_constraints + draft->nheld;
    int *parent = malloc((size_t)n * sizeof(int));
    if (!parent) {
        return -1;
    }
    for (int b = 0; b < n; b++) {
        parent[b] = b;
    }
    for (int j = 0; j < draft->scene->njoints; j++) {
        const int a = trm_forest_root(parent, draft->frames[j].a);
        const int b = trm_forest_root(parent, draft->frames[j].b);
        loops += a == b;
        parent[a] = b;
    }
    free(parent);
    return loops > 0;
}

/// least[row] := the part TRM_LEAST_SCALE of what a body of the row has by itself where it moves by
/// its extent, 1/m of lengths: a row is judged by its own bodies, at any size and beside any
/// others.
static void find_least(const trm_model *model, const trm_extents *extents, double *least)
{
    for (int b = 0; b < model->nblocks; b++) {
        const trm_block *const block = &model->blocks[b];
        double lightest = 0; // 1/(kg m^2)
        for (int k = 0; k < block->nbodies; k++) {
            const int body = model->block_bodies[block->body + k];
            if (body < model->sizes.nbody) {
                const double size = extents->size[body];
                lightest = fmax(lightest, model->bodies.inverse_mass[body] / (size * size));
            }
        }
        for (int i = block->row; i < block->row + block->rows; i++) {
            least[i] =
                TRM_LEAST_SCALE * extents->g[i] * extents->g[i] * (lightest > 0 ? lightest : 1);
        }
    }
}

/// The least diagonal entries of S. Returns zero when memory is short.
static int set_least(const trm_model *model)
{
    const int nq = model->sizes.nq, nv = model->sizes.nv, nc = model->sizes.nc;
    double *const room =
        calloc((size_t)(nq + nv + 2 * nc + model->sizes.nbody + 1), sizeof(double));
    double *const least = room + nq + nv + nc;
    trm_extents extents = {.q = room, .v = room + nq, .g = room + nq + nv, .size = least + nc};
    int ok = room != NULL;
    if (ok) {
        trm_extents_measure(&extents, model, model->q0);
        find_least(model, &extents, least);
        ok = trm_pattern_set_least(model->pattern, least);
    }
    free(room);
    return ok;
}

trm_status trm_model_compile(const trm_draft *draft, trm_model *model, trm_error *err)
{
    model->may_lose_rank = may_lose_rank(draft);
    model->misfit = draft->scene->simulation.misfit;
    model->pattern = trm_pattern_create(draft->nblocks, draft->size, draft->npairs, draft->pairs);
    int ok = model->pattern && model->may_lose_rank >= 0;
    if (ok) {
        compile(model, draft);
        ok = trm_arena_open(&model->arena);
    }
    if (ok) {
        compile(model, draft);
        ok = set_least(model);
    }
    if (!ok) {
        return trm_arena_refuse(&model->arena, draft->scene->path, "model", err);
    }
    return trm_find_readings(model, draft->scene, err);
}
