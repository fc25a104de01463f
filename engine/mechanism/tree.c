#include "engine/mechanism/tree.h"
#include "bodies/sincos.h"
#include "engine/base/loops.h"

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

/// The roots: at the ground, at rest, or where u and w have them.
static void follow_roots(trm_tree_motion *motion, const double *u, const double *w)
{
    const trm_tree *tree = motion->tree;
    for (int i = 0; i < tree->n; i++) {
        if (tree->link[i].parent == TRM_TREE_GROUND) {
            trm_pair_store(trm_pair_load(tree->link[i].E[0]), motion->X + 2 * i);
        }
    }
    for (int k = 0; k < tree->nfree; k++) {
        const int i = tree->free[k];
        trm_pair_store(trm_pair_load(u + tree->n + 2 * k), motion->X + 2 * i);
        trm_pair_store(trm_pair_load(w + tree->n + 2 * k), motion->U + 2 * i);
    }
}

void trm_tree_follow(trm_tree_motion *motion, const double *u, const double *w, double *q,
                     double *v)
{
    const trm_tree *tree = motion->tree;
    const double *c = motion->c, *s = motion->s;
    double *X = motion->X, *U = motion->U;
    follow_roots(motion, u, w);
    for (int k = 0; k < tree->n; k++) {
        const int i = tree->outward[k];
        const trm_link *link = &tree->link[i];
        const int a = link->parent;
        trm_pair x = trm_pair_load(X + 2 * i), speed = trm_pair_load(U + 2 * i);
        if (a >= 0) {
            x = trm_pair_load(X + 2 * a) + trm_turned(c[a], s[a], link->E);
            speed = trm_pair_load(U + 2 * a) + w[a] * trm_turned_left(c[a], s[a], link->E);
            trm_pair_store(x, X + 2 * i);
            trm_pair_store(speed, U + 2 * i);
        }
        double *const qi = q + 3 * link->body, *const vi = v + 3 * link->body;
        trm_pair_store(x + trm_turned(c[i], s[i], link->D), qi);
        trm_pair_store(speed + w[i] * trm_turned_left(c[i], s[i], link->D), vi);
        qi[2] = u[i];
        vi[2] = w[i];
    }
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

/// A of all pins, a of all bodies, and F of each body without those that hang on it.
static void accelerate_bodies(trm_tree_motion *motion, const double *wdot, const double *f,
                              double *a)
{
    const trm_tree *tree = motion->tree;
    double *const A = motion->A;
    for (int k = 0; k < tree->n; k++) {
        const int i = tree->outward[k];
        const trm_link *link = &tree->link[i];
        const int on = link->parent;
        trm_pair Ai = trm_pair_load(A + 2 * i);
        if (on >= 0) {
            const double c = motion->c[on], s = motion->s[on];
            Ai = trm_pair_load(A + 2 * on) + wdot[on] * trm_turned_left(c, s, link->E) -
                 motion->square[on] * trm_turned(c, s, link->E);
            trm_pair_store(Ai, A + 2 * i);
        }
        const double c = motion->c[i], s = motion->s[i], alpha = wdot[i];
        const trm_pair ai = Ai + alpha * trm_turned_left(c, s, link->D) -
                            motion->square[i] * trm_turned(c, s, link->D);
        trm_pair_store(ai, a + 3 * link->body);
        a[3 * link->body + 2] = alpha;
        const trm_pair fi = {f[i], f[tree->n + i]};
        trm_pair_store(link->m * ai - fi, motion->F + 2 * i);
    }
}

void trm_tree_react(trm_tree_motion *motion, const double *wdot, double *a, double *lambda)
{
    const trm_tree *tree = motion->tree;
    double *const F = motion->F;
    accelerate_bodies(motion, wdot, tree->constant ? tree->f : motion->f, a);
    for (int k = tree->n - 1; k >= 0; k--) {
        const int i = tree->outward[k];
        const trm_link *link = &tree->link[i];
        const trm_pair Fi = trm_pair_load(F + 2 * i);
        if (link->parent >= 0) {
            double *const held_by = F + 2 * link->parent;
            trm_pair_store(trm_pair_load(held_by) + Fi, held_by);
        }
        if (link->parent != TRM_TREE_FREE) {
            trm_pair_store(link->sign * Fi, lambda + link->row);
        }
    }
}
