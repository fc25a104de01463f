#include "base/loops.h"
#include "engine/multibody/tree.h"

#include <stddef.h>

/// A body with all that hangs on it, see tree.h; K is K_xx and K_yy.
typedef struct sums {
    trm_lane L, mu, Kxy;
    trm_pair K, h, b;
} sums;

static inline void add(sums *to, const sums *x)
{
    to->K = trm_plus(to->K, x->K);
    to->h = trm_plus(to->h, x->h);
    to->b = trm_plus(to->b, x->b);
    to->L += x->L;
    to->mu += x->mu;
    to->Kxy += x->Kxy;
}

static inline sums load(const trm_lane *from)
{
    return (sums){.K = trm_pair_load(from),
                  .h = trm_pair_load(from + 2),
                  .b = trm_pair_load(from + 4),
                  .L = from[6],
                  .mu = from[7],
                  .Kxy = from[8]};
}

static inline void store(const sums *x, trm_lane *to)
{
    trm_pair_store(x->K, to);
    trm_pair_store(x->h, to + 2);
    trm_pair_store(x->b, to + 4);
    to[6] = x->L;
    to[7] = x->mu;
    to[8] = x->Kxy;
}

/// The sums of body i without what hangs on it; w^2 is kept.
static inline sums alone(const trm_tree_motion *motion, const trm_lane *w, const trm_lane *f,
                         ptrdiff_t i)
{
    const trm_link *const link = &motion->tree->link[i];
    const ptrdiff_t n = motion->tree->n;
    const trm_lane c = motion->c[i], s = motion->s[i], square = w[i] * w[i];
    const trm_pair d = trm_turned(c, s, link->D), Jd = trm_turned_left(c, s, link->D);
    const trm_pair force = trm_pair_of(f[i], f[n + i]);
    motion->square[i] = square;
    return (sums){.K = trm_pair_of(link->m, link->m),
                  .h = trm_scaled(link->m, Jd),
                  .b = trm_plus(trm_scaled(link->m * square, d), force),
                  .L = link->L,
                  .mu = f[2 * n + i] + trm_pair_dot(Jd, force)};
}

/// What a body passes on over its pin at e, on top of what is known there: with p = J e
///
///     K - h h^T/L,          K p - h (h.p)/L,           b + w^2 K e - h y/L,
///     p.K p - (h.p)^2/L,    p.(b + w^2 K e) - (h.p) y/L,    y = mu + w^2 h.e
///
/// Only the last term of each waits for the division.
static inline sums pass(const sums *x, const sums *known, trm_pair e, trm_lane square,
                        trm_lane inverse)
{
    const trm_pair swap = trm_swapped(e);
    const trm_pair p = trm_times(trm_pair_of(trm_lane_of(-1), trm_lane_of(1)), swap);
    const trm_pair q = trm_times(trm_pair_of(trm_lane_of(1), trm_lane_of(-1)), e);
    const trm_pair Kp = trm_plus(trm_times(x->K, p), trm_scaled(x->Kxy, q));
    const trm_lane hp = trm_pair_dot(x->h, p);
    const trm_lane L = (known->L + trm_pair_dot(Kp, p)) - hp * hp * inverse;
    const trm_pair Ke = trm_plus(trm_times(x->K, e), trm_scaled(x->Kxy, swap));
    const trm_pair b = trm_plus(x->b, trm_scaled(square, Ke));
    const trm_lane y = x->mu + square * trm_pair_dot(x->h, e);
    const trm_pair g = trm_scaled(inverse, x->h);
    return (sums){.L = L,
                  .h = trm_minus(trm_plus(known->h, Kp), trm_scaled(hp, g)),
                  .K = trm_minus(trm_plus(known->K, x->K), trm_times(x->h, g)),
                  .Kxy = x->Kxy - trm_first(x->h) * trm_second(g), // a body alone has none
                  .b = trm_minus(trm_plus(known->b, b), trm_scaled(y, g)),
                  .mu = (known->mu + trm_pair_dot(b, p)) - hp * y * inverse};
}

/// K' and b' of a body, as the sums of one that has no moment.
static inline sums eliminated(const sums *x, trm_lane inverse)
{
    const trm_pair g = trm_scaled(inverse, x->h);
    return (sums){.K = trm_minus(x->K, trm_times(x->h, g)),
                  .Kxy = x->Kxy - trm_first(x->h) * trm_second(g),
                  .b = trm_minus(x->b, trm_scaled(x->mu, g)),
                  .L = trm_lane_of(1)};
}

/// What hangs on a body that no pin holds moves by itself: K' A = b'.
static void let_go(const sums *of, trm_lane inverse, trm_lane *A)
{
    const sums it = eliminated(of, inverse);
    const trm_lane determinant = trm_first(it.K) * trm_second(it.K) - it.Kxy * it.Kxy;
    const trm_pair x =
        trm_minus(trm_times(trm_swapped(it.K), it.b), trm_scaled(it.Kxy, trm_swapped(it.b)));
    trm_pair_store(trm_pair_of(trm_first(x) / determinant, trm_second(x) / determinant), A);
}

/// What a path has to pass on, with the body behind it.
static sums join(trm_path_motion *path, const sums *behind, trm_lane inverse)
{
    sums x = eliminated(behind, inverse);
    trm_path_join(path, &x.K, &x.Kxy, &x.b);
    return x;
}

TRM_WIDE static void sweep_in(const trm_tree_motion *all, const trm_lane *w, const trm_lane *f)
{
    const trm_tree_motion motion = *all; // for no store to change it
    const trm_tree *const tree = motion.tree;
    const sums nothing = {0};
    sums x = nothing;
    int from_chain = 0; // x has what the next body of a chain has passed on
    int path = tree->npaths - 1;
    for (ptrdiff_t i = tree->n - 1; i >= 0; i--) {
        const trm_link *link = &tree->link[i];
        if (!from_chain) {
            x = alone(&motion, w, f, i);
        }
        if (link->forks > 0) {
            trm_lane *const there = motion.sum + 9 * i;
            const sums others = load(there);
            add(&x, &others);
            store(&nothing, there);
        }
        trm_lane inverse = 1 / x.L;
        const trm_pair g = trm_scaled(inverse, x.h);
        motion.h[i] = trm_first(g);
        motion.h[tree->n + i] = trm_second(g);
        motion.mu[i] = x.mu * inverse;
        if (path >= 0 && i == trm_path_end(&tree->path[path])) {
            x = join(&motion.path[path], &x, inverse);
            inverse = trm_lane_of(1);
            i = tree->path[path--].first;
            link = &tree->link[i];
        }
        const ptrdiff_t a = link->parent;
        from_chain = a >= 0 && a == i - 1;
        if (a >= 0) {
            const trm_pair e = trm_turned(motion.c[a], motion.s[a], link->E);
            trm_lane *const there = motion.sum + 9 * a;
            const sums known = from_chain ? alone(&motion, w, f, a) : load(there);
            trm_pair_store(e, motion.e + 2 * i);
            x = pass(&x, &known, e, w[a] * w[a], inverse);
            if (!from_chain) {
                x.Kxy += known.Kxy;
                store(&x, there);
            }
        } else if (a == TRM_TREE_FREE) {
            let_go(&x, inverse, motion.A + 2 * i);
        }
    }
}

void trm_tree_sweep_in(trm_tree_motion *motion, const trm_lane *w, const trm_lane *f)
{
    sweep_in(motion, w, f);
}

/// By components: each body waits for the body before, and rearranging would take as long as a sum.
TRM_WIDE static void sweep_out(const trm_tree_motion *all, trm_lane *alpha)
{
    const trm_tree_motion motion = *all;
    const trm_tree *const tree = motion.tree;
    const trm_lane *const h = motion.h, *const mu = motion.mu, *const square = motion.square;
    trm_lane *const A = motion.A;
    trm_lane Ax = {0}, Ay = {0}, turned = {0}; // of the body before; turned = h.A/L
    int path = 0;
    for (ptrdiff_t i = 0; i < tree->n; i++) {
        const ptrdiff_t a = tree->link[i].parent;
        if (a >= 0) {
            if (a != i - 1) {
                Ax = A[2 * a];
                Ay = A[2 * a + 1];
                turned = mu[a] - alpha[a];
            }
            // A + alpha_a J e - w_a^2 e, what does not depend on A first
            const trm_lane ex = motion.e[2 * i], ey = motion.e[2 * i + 1];
            Ax = (Ax - (mu[a] * ey + square[a] * ex)) + turned * ey;
            Ay = (Ay + (mu[a] * ex - square[a] * ey)) - turned * ex;
        } else { // the ground, at rest, or what let_go has left
            Ax = A[2 * i];
            Ay = A[2 * i + 1];
        }
        if (path < tree->npaths && i == tree->path[path].first) {
            trm_lane reached[2] = {Ax, Ay};
            i = trm_path_end(&tree->path[path]);
            trm_path_release(&motion, path++, reached, alpha);
            Ax = reached[0];
            Ay = reached[1];
        }
        A[2 * i] = Ax;
        A[2 * i + 1] = Ay;
        turned = h[i] * Ax + h[tree->n + i] * Ay;
        alpha[i] = mu[i] - turned;
    }
}

void trm_tree_sweep_out(trm_tree_motion *motion, trm_lane *alpha)
{
    sweep_out(motion, alpha);
}
