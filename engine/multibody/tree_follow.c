/// All bodies of a tree from its independent coordinates: places, velocities, accelerations, and
/// the forces at the pins.
#include "engine/multibody/tree.h"

/// The roots: at the ground, at rest, or where u and w have them.
static void follow_roots(trm_tree_motion *motion, const trm_lane *u, const trm_lane *w)
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

void trm_tree_follow(trm_tree_motion *motion, const trm_lane *u, const trm_lane *w, trm_lane *q,
                     trm_lane *v)
{
    const trm_tree *tree = motion->tree;
    const trm_lane *c = motion->c, *s = motion->s;
    trm_lane *X = motion->X, *U = motion->U;
    follow_roots(motion, u, w);
    for (int k = 0; k < tree->n; k++) {
        const int i = tree->outward[k];
        const trm_link *link = &tree->link[i];
        const int a = link->parent;
        trm_pair x = trm_pair_load(X + 2 * i), speed = trm_pair_load(U + 2 * i);
        if (a >= 0) {
            x = trm_plus(trm_pair_load(X + 2 * a), trm_turned(c[a], s[a], link->E));
            speed = trm_plus(trm_pair_load(U + 2 * a),
                             trm_scaled(w[a], trm_turned_left(c[a], s[a], link->E)));
            trm_pair_store(x, X + 2 * i);
            trm_pair_store(speed, U + 2 * i);
        }
        trm_lane *const qi = q + 3 * link->body, *const vi = v + 3 * link->body;
        trm_pair_store(trm_plus(x, trm_turned(c[i], s[i], link->D)), qi);
        trm_pair_store(trm_plus(speed, trm_scaled(w[i], trm_turned_left(c[i], s[i], link->D))), vi);
        qi[2] = u[i];
        vi[2] = w[i];
    }
}

/// A + alpha J x - w^2 x of a point x in a frame that turns.
static inline trm_pair moved(trm_pair A, trm_lane alpha, trm_lane square, trm_lane c, trm_lane s,
                             const trm_lane x[2][2])
{
    return trm_minus(trm_plus(A, trm_scaled(alpha, trm_turned_left(c, s, x))),
                     trm_scaled(square, trm_turned(c, s, x)));
}

/// A of all pins, a of all bodies, and F of each body without those that hang on it.
static void accelerate_bodies(trm_tree_motion *motion, const trm_lane *wdot, const trm_lane *f,
                              trm_lane *a)
{
    const trm_tree *tree = motion->tree;
    trm_lane *const A = motion->A;
    for (int k = 0; k < tree->n; k++) {
        const int i = tree->outward[k];
        const trm_link *link = &tree->link[i];
        const int on = link->parent;
        trm_pair Ai = trm_pair_load(A + 2 * i);
        if (on >= 0) {
            const trm_lane c = motion->c[on], s = motion->s[on];
            Ai = moved(trm_pair_load(A + 2 * on), wdot[on], motion->square[on], c, s, link->E);
            trm_pair_store(Ai, A + 2 * i);
        }
        const trm_lane c = motion->c[i], s = motion->s[i], alpha = wdot[i];
        const trm_pair ai = moved(Ai, alpha, motion->square[i], c, s, link->D);
        trm_pair_store(ai, a + 3 * link->body);
        a[3 * link->body + 2] = alpha;
        const trm_pair fi = trm_pair_of(f[i], f[tree->n + i]);
        trm_pair_store(trm_minus(trm_scaled(link->m, ai), fi), motion->F + 2 * i);
    }
}

void trm_tree_react(trm_tree_motion *motion, const trm_lane *wdot, trm_lane *a, trm_lane *lambda)
{
    const trm_tree *tree = motion->tree;
    trm_lane *const F = motion->F;
    accelerate_bodies(motion, wdot, tree->constant ? tree->f : motion->f, a);
    for (int k = tree->n - 1; k >= 0; k--) {
        const int i = tree->outward[k];
        const trm_link *link = &tree->link[i];
        const trm_pair Fi = trm_pair_load(F + 2 * i);
        if (link->parent >= 0) {
            trm_lane *const held_by = F + 2 * link->parent;
            trm_pair_store(trm_plus(trm_pair_load(held_by), Fi), held_by);
        }
        if (link->parent != TRM_TREE_FREE) {
            trm_pair_store(trm_scaled(link->sign, Fi), lambda + link->row);
        }
    }
}
