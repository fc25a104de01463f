#include "engine/multibody/tree.h"
#include "base/loops.h"
#include "bodies/sincos.h"

#include <string.h>

int trm_tree_freedoms(const trm_tree *tree)
{
    return tree->n + 2 * tree->nfree;
}

void trm_tree_layout(trm_tree_motion *motion, const trm_tree *tree, trm_arena *arena)
{
    const int n = tree->n;
    motion->tree = tree;
    const size_t workspace = arena->used;
    motion->c = trm_arena_doubles(arena, n);
    motion->s = trm_arena_doubles(arena, n);
    motion->square = trm_arena_doubles(arena, n);
    motion->f = trm_arena_doubles(arena, tree->constant ? 0 : 3 * n);
    motion->e = trm_arena_doubles(arena, 2 * n);
    motion->h = trm_arena_doubles(arena, 2 * n);
    motion->mu = trm_arena_doubles(arena, n);
    motion->sum = trm_arena_doubles(arena, 9 * n);
    trm_arena_workspace(arena, workspace);
    motion->A = trm_arena_doubles(arena, 2 * n);
    motion->X = trm_arena_doubles(arena, 2 * n);
    motion->U = trm_arena_doubles(arena, 2 * n);
    motion->F = trm_arena_doubles(arena, 2 * n);
    trm_path_motion *paths = trm_arena_take(arena, (size_t)tree->npaths, sizeof *paths);
    for (int k = 0; k < tree->npaths; k++) {
        const size_t rows = (size_t)tree->path[k].rows;
        trm_path_row *row = trm_arena_take(arena, rows, sizeof *row);
        if (paths) {
            paths[k].row = row;
        }
    }
    motion->path = paths;
}

void trm_tree_place(trm_tree_motion *motion, const double *angle)
{
    trm_sincos(motion->tree->n, angle, motion->s, motion->c);
}

void trm_tree_push(trm_tree_motion *motion, const double *f)
{
    const trm_tree *tree = motion->tree;
    for (int i = 0; i < tree->n; i++) {
        for (int k = 0; k < 3; k++) {
            motion->f[k * tree->n + i] = f[3 * tree->link[i].body + k];
        }
    }
}

void trm_tree_accelerate(trm_tree_motion *motion, const double *w, double *wdot)
{
    const trm_tree *tree = motion->tree;
    const double *f = tree->constant ? tree->f : motion->f;
    for (int k = 0; k < tree->npaths; k++) {
        trm_path_condense(motion, k, w, f);
    }
    trm_tree_sweep_in(motion, w, f);
    trm_tree_sweep_out(motion, wdot);
    for (int k = 0; k < tree->nfree; k++) {
        trm_pair_store(trm_pair_load(motion->A + 2 * tree->free[k]), wdot + tree->n + 2 * k);
    }
}
