/// Connected components: the velocities of a body, and of bodies that joints and constraints tie to
/// each other. A body tied to the ground alone is a mechanism of its own.
#include "engine/compiler/compile.h"

int trm_forest_root(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

void trm_compile_components(trm_model *model, const trm_draft *draft)
{
    const int nbodies = draft->scene->nbodies;
    int *part = trm_arena_ints(&model->arena, model->sizes.nv);
    int *body_of = trm_arena_ints(&model->arena, model->sizes.nv);
    model->component = part;
    model->body_of = body_of;
    if (!part || !body_of) {
        return;
    }
    for (int b = 0; b < nbodies; b++) {
        const trm_body_info *info = &model->body_info[b];
        for (int i = 0; i < info->nv; i++) {
            part[info->v0 + i] = info->v0;
            body_of[info->v0 + i] = info->v0;
        }
    }
    for (int v = model->sizes.nv - draft->scene->nstates; v < model->sizes.nv; v++) {
        part[v] = body_of[v] = v;
    }
    for (int i = 0; i < draft->nblocks; i++) {
        const int *bodies = draft->block_bodies + draft->blocks[i].body;
        int first = nbodies;
        for (int k = 0; k < draft->blocks[i].nbodies; k++) {
            if (bodies[k] < nbodies && first < nbodies) {
                part[trm_forest_root(part, model->body_info[bodies[k]].v0)] =
                    trm_forest_root(part, model->body_info[first].v0);
            }
            first = first < nbodies ? first : bodies[k];
        }
    }
    for (int v = 0; v < model->sizes.nv; v++) {
        part[v] = trm_forest_root(part, v);
    }
}
