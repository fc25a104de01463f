#include "engine/tree.h"
#include "bodies/sincos.h"
#include "engine/loops.h"

#include <string.h>

int trm_tree_freedoms(const trm_tree *tree)
{
    return tree->n + 2 * tree->nfree;
}

void trm_tree_layout(trm_tree_motion *motion, const trm_tree *tree, trm_arena *arena)
{
    const int n = tree->n;
    motion->tree = tree;
    motion->c = trm_arena_doubles(arena, n);
    motion->s = trm_arena_doubles(arena, n);
    motion->square = trm_arena_doubles(arena, n);
    motion->f = trm_arena_doubles(arena, tree->constant ? 0 : 3 * n);
    motion->e = trm_arena_doubles(arena, 2 * n);
    motion->h = trm_arena_doubles(arena, 2 * n);
    motion->mu = trm_arena_doubles(arena, n);
    motion->b = trm_arena_doubles(arena, 2 * n);
    motion->sum = trm_arena_doubles(arena, 9 * n);
    motion->A = trm_arena_doubles(arena, 2 * n);
    motion->alpha = trm_arena_doubles(arena, n);
    motion->X = trm_arena_doubles(arena, 2 * n);
    motion->U = trm_arena_doubles(arena, 2 * n);
    motion->F = trm_arena_doubles(arena, 2 * n);
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
    for (int i = 0; i < tree->n; i++) {
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

/// w^2, and m J d, m w^2 d + f and (J d).f + tau of each body, its own part of h, b and mu.
TRM_WIDE static void start_sums(int n, const trm_tree *tree, const double *restrict c,
                                const double *restrict s, const double *restrict rate,
                                const double *restrict f, double *restrict square,
                                double *restrict h, double *restrict b, double *restrict mu)
{
    const double *restrict const m = tree->m;
    const double *restrict const Dx = tree->Dx, *restrict const Dy = tree->Dy;
    const double *restrict const fx = f, *restrict const fy = f + n, *restrict const tau = fy + n;
    double *restrict const hx = h, *restrict const hy = h + n;
    double *restrict const bx = b, *restrict const by = b + n;
    for (int i = 0; i < n; i++) {
        const double dx = c[i] * Dx[i] - s[i] * Dy[i], dy = s[i] * Dx[i] + c[i] * Dy[i];
        const double ww = rate[i] * rate[i], w = m[i] * ww;
        square[i] = ww;
        hx[i] = -m[i] * dy;
        hy[i] = m[i] * dx;
        bx[i] = w * dx + fx[i];
        by[i] = w * dy + fy[i];
        mu[i] = tau[i] + (dx * fy[i] - dy * fx[i]);
    }
}

/// e of all bodies as if each hung on the one before it.
TRM_WIDE static void turn_pins(int n, const double *restrict Ex, const double *restrict Ey,
                               const double *restrict c, const double *restrict s,
                               double *restrict e)
{
    for (int i = 1; i < n; i++) {
        e[2 * i] = c[i - 1] * Ex[i] - s[i - 1] * Ey[i];
        e[2 * i + 1] = s[i - 1] * Ex[i] + c[i - 1] * Ey[i];
    }
}

void trm_tree_accelerate(trm_tree_motion *motion, const double *w, double *wdot)
{
    const trm_tree *tree = motion->tree;
    start_sums(tree->n, tree, motion->c, motion->s, w, tree->constant ? tree->f : motion->f,
               motion->square, motion->h, motion->b, motion->mu);
    turn_pins(tree->n, tree->Ex, tree->Ey, motion->c, motion->s, motion->e);
    trm_tree_sweep_in(motion);
    trm_tree_sweep_out(motion);
    memcpy(wdot, motion->alpha, (size_t)tree->n * sizeof(double));
    for (int k = 0; k < tree->nfree; k++) {
        trm_pair_store(trm_pair_load(motion->A + 2 * tree->free[k]), wdot + tree->n + 2 * k);
    }
}

void trm_tree_react(trm_tree_motion *motion, double *a, double *lambda)
{
    const trm_tree *tree = motion->tree;
    const double *f = tree->constant ? tree->f : motion->f;
    double *F = motion->F;
    for (int i = 0; i < tree->n; i++) {
        const trm_link *link = &tree->link[i];
        const double c = motion->c[i], s = motion->s[i], alpha = motion->alpha[i];
        const trm_pair ai = trm_pair_load(motion->A + 2 * i) +
                            alpha * trm_turned_left(c, s, link->D) -
                            motion->square[i] * trm_turned(c, s, link->D);
        trm_pair_store(ai, a + 3 * link->body);
        a[3 * link->body + 2] = alpha;
        const trm_pair fi = {f[i], f[tree->n + i]};
        trm_pair_store(link->m * ai - fi, F + 2 * i);
    }
    for (int i = tree->n - 1; i >= 0; i--) {
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
