#include "engine/base/loops.h"
#include "engine/mechanism/tree.h"

#include <stddef.h>

/// A body with all that hangs on it, see tree.h; K is K_xx and K_yy.
typedef struct sums {
    double L, mu, Kxy;
    trm_pair K, h, b;
} sums;

static inline trm_pair swapped(trm_pair x)
{
    return (trm_pair){x[1], x[0]};
}

static inline double dot(trm_pair x, trm_pair y)
{
    const trm_pair products = x * y;
    return (products + swapped(products))[0];
}

static inline void add(sums *to, const sums *x)
{
    to->K += x->K;
    to->h += x->h;
    to->b += x->b;
    to->L += x->L;
    to->mu += x->mu;
    to->Kxy += x->Kxy;
}

static inline sums load(const double *from)
{
    return (sums){.K = trm_pair_load(from),
                  .h = trm_pair_load(from + 2),
                  .b = trm_pair_load(from + 4),
                  .L = from[6],
                  .mu = from[7],
                  .Kxy = from[8]};
}

static inline void store(const sums *x, double *to)
{
    trm_pair_store(x->K, to);
    trm_pair_store(x->h, to + 2);
    trm_pair_store(x->b, to + 4);
    to[6] = x->L;
    to[7] = x->mu;
    to[8] = x->Kxy;
}

/// The sums of body i without what hangs on it; w^2 is kept.
static inline sums alone(const trm_tree_motion *motion, const double *w, const double *f,
                         ptrdiff_t i)
{
    const trm_link *const link = &motion->tree->link[i];
    const ptrdiff_t n = motion->tree->n;
    const double c = motion->c[i], s = motion->s[i], square = w[i] * w[i];
    const trm_pair d = trm_turned(c, s, link->D), Jd = trm_turned_left(c, s, link->D);
    const trm_pair force = {f[i], f[n + i]};
    motion->square[i] = square;
    return (sums){.K = {link->m, link->m},
                  .h = link->m * Jd,
                  .b = link->m * square * d + force,
                  .L = link->L,
                  .mu = f[2 * n + i] + dot(Jd, force)};
}

/// What a body passes on over its pin at e, on top of what is known there: with p = J e
///
///     K - h h^T/L,          K p - h (h.p)/L,           b + w^2 K e - h y/L,
///     p.K p - (h.p)^2/L,    p.(b + w^2 K e) - (h.p) y/L,    y = mu + w^2 h.e
///
/// Only the last term of each waits for the division.
static inline sums pass(const sums *x, const sums *known, trm_pair e, double square, double inverse)
{
    const trm_pair left = {-1, 1}, right = {1, -1};
    const trm_pair swap = swapped(e), p = left * swap;
    const trm_pair Kp = x->K * p + x->Kxy * (right * e);
    const double hp = dot(x->h, p);
    const double L = (known->L + dot(Kp, p)) - hp * hp * inverse;
    const trm_pair b = x->b + square * (x->K * e + x->Kxy * swap);
    const double y = x->mu + square * dot(x->h, e);
    const trm_pair g = x->h * inverse;
    return (sums){.L = L,
                  .h = (known->h + Kp) - hp * g,
                  .K = (known->K + x->K) - x->h * g,
                  .Kxy = x->Kxy - x->h[0] * g[1], // a body alone has none
                  .b = (known->b + b) - y * g,
                  .mu = (known->mu + dot(b, p)) - hp * y * inverse};
}

/// K' and b' of a body, as the sums of one that has no moment.
static inline sums eliminated(const sums *x, double inverse)
{
    const trm_pair g = x->h * inverse;
    return (sums){
        .K = x->K - x->h * g, .Kxy = x->Kxy - x->h[0] * g[1], .b = x->b - x->mu * g, .L = 1};
}

/// What hangs on a body that no pin holds moves by itself: K' A = b'.
static void let_go(const sums *x, double inverse, double *A)
{
    const sums it = eliminated(x, inverse);
    const double determinant = it.K[0] * it.K[1] - it.Kxy * it.Kxy;
    trm_pair_store((swapped(it.K) * it.b - it.Kxy * swapped(it.b)) / determinant, A);
}

/// What a path has to pass on, with the body behind it.
static sums join(trm_path_motion *path, const sums *behind, double inverse)
{
    sums x = eliminated(behind, inverse);
    trm_path_join(path, &x.K, &x.Kxy, &x.b);
    return x;
}

TRM_WIDE static void sweep_in(const trm_tree_motion *all, const double *w, const double *f)
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
            double *const there = motion.sum + 9 * i;
            const sums others = load(there);
            add(&x, &others);
            store(&nothing, there);
        }
        double inverse = 1 / x.L;
        const trm_pair g = x.h * inverse;
        motion.h[i] = g[0];
        motion.h[tree->n + i] = g[1];
        motion.mu[i] = x.mu * inverse;
        if (path >= 0 && i == trm_path_end(&tree->path[path])) {
            x = join(&motion.path[path], &x, inverse);
            inverse = 1;
            i = tree->path[path--].first;
            link = &tree->link[i];
        }
        const ptrdiff_t a = link->parent;
        from_chain = a >= 0 && a == i - 1;
        if (a >= 0) {
            const trm_pair e = trm_turned(motion.c[a], motion.s[a], link->E);
            double *const there = motion.sum + 9 * a;
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

void trm_tree_sweep_in(trm_tree_motion *motion, const double *w, const double *f)
{
    sweep_in(motion, w, f);
}

/// By components: each body waits for the body before, and rearranging would take as long as a sum.
TRM_WIDE static void sweep_out(const trm_tree_motion *all, double *alpha)
{
    const trm_tree_motion motion = *all;
    const trm_tree *const tree = motion.tree;
    const double *const h = motion.h, *const mu = motion.mu, *const square = motion.square;
    double *const A = motion.A;
    double Ax = 0, Ay = 0, turned = 0; // of the body before; turned = h.A/L
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
            const double ex = motion.e[2 * i], ey = motion.e[2 * i + 1];
            Ax = (Ax - (mu[a] * ey + square[a] * ex)) + turned * ey;
            Ay = (Ay + (mu[a] * ex - square[a] * ey)) - turned * ex;
        } else { // the ground, at rest, or what let_go has left
            Ax = A[2 * i];
            Ay = A[2 * i + 1];
        }
        if (path < tree->npaths && i == tree->path[path].first) {
            double reached[2] = {Ax, Ay};
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

void trm_tree_sweep_out(trm_tree_motion *motion, double *alpha)
{
    sweep_out(motion, alpha);
}
