#include "engine/multibody/model.h"

#include <string.h>

/// of_row[nc] := the velocity that stands for the part whose bodies the row's block moves; 0 where
/// it moves none.
static void find_rows(const trm_model *model, int *of_row)
{
    memset(of_row, 0, (size_t)model->sizes.nc * sizeof(int));
    for (int b = 0; b < model->nblocks; b++) {
        const trm_block *block = &model->blocks[b];
        for (int k = 0; k < block->nbodies; k++) {
            const int body = model->block_bodies[block->body + k];
            for (int i = 0; body < model->sizes.nbody && i < block->rows; i++) {
                of_row[block->row + i] = model->component[model->body_info[body].v0];
            }
        }
    }
}

/// first[components + 1] and list[]: those i with of[i] == p, component by component.
static void sort(int n, const int *of, int components, int *first, int *list)
{
    memset(first, 0, (size_t)(components + 1) * sizeof(int));
    for (int i = 0; i < n; i++) {
        if (of[i] >= 0) {
            first[of[i] + 1]++;
        }
    }
    for (int p = 0; p < components; p++) {
        first[p + 1] += first[p];
    }
    for (int i = 0; i < n; i++) { // first[p] moves to the end of its part, which is the next one's
        if (of[i] >= 0) {
            list[first[of[i]]++] = i;
        }
    }
    memmove(first + 1, first, (size_t)components * sizeof(int));
    first[0] = 0;
}

void trm_model_find_components(trm_model *model)
{
    const int nc = model->sizes.nc, nv = model->sizes.nv;
    trm_connected_components *components = &model->components;
    TRM_ARENA_INTS(&model->arena, nc, &components->of_row, &components->row);
    TRM_ARENA_INTS(&model->arena, nv, &components->of_velocity, &components->column);
    TRM_ARENA_INTS(&model->arena, nc + 1, &components->first_row, &components->first_column);
    if (!model->arena.base) {
        return;
    }
    find_rows(model, components->of_row);
    for (int i = 0; i < nv; i++) {
        components->of_velocity[i] = -1;
    }
    components->n = 0;
    for (int i = 0; i < nc; i++) { // of_velocity[representative] is the number of the part, for now
        int *number = &components->of_velocity[model->component ? components->of_row[i] : 0];
        *number = *number < 0 ? components->n++ : *number;
        components->of_row[i] = *number;
    }
    for (int i = 0; i < nv; i++) {
        components->of_velocity[i] =
            components->of_velocity[model->component ? model->component[i] : 0];
    }
    sort(nc, components->of_row, components->n, components->first_row, components->row);
    sort(nv, components->of_velocity, components->n, components->first_column, components->column);
}
