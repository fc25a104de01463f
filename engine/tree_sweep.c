#include "engine/loops.h"
#include "engine/tree.h"

#include <stddef.h>

/// A body with all that hangs on it, see tree.h; K is K_xx and K_yy.
typedef struct sums {
    double L, mu, Kxy;
    trm_pair K, h, b;
} sums;

static inline double dot(trm_pair x, trm_pair y)
{
    const trm_pair both = x * y;
    return both[0] + both[1];
}

static inline trm_pair swapped(trm_pair x)
{
    return (trm_pair){x[1], x[0]};
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

/// The sums of a body without what hangs on it.
static inline sums alone(const trm_link *link, double c, double s, double square, const double *f)
{
    const double m = link->m;
    const trm_pair d = trm_turned(c, s, link->D), across = trm_turned(-s, c, link->D);
    const trm_pair push = trm_pair_load(f);
    return (sums){.K = {m, m},
                  .h = m * across,
                  .b = -(m * square) * d - push,
                  .L = link->L,
                  .mu = -f[2] - dot(across, push)};
}

/// What a body passes on over its pin at e, on top of what is known there: with p = J e
///
///     K - h h^T/L,          K p - h (h.p)/L,           b - w^2 K e - h y/L,
///     p.K p - (h.p)^2/L,    p.(b - w^2 K e) - (h.p) y/L,    y = mu - w^2 h.e
///
/// Nothing but the last term of each waits for the division.
static inline sums pass(const sums *x, const sums *known, trm_pair e, double square, double inverse)
{
    const trm_pair swap = swapped(e);
    const trm_pair p = {-swap[0], swap[1]}, swap_p = {e[0], -e[1]};
    const trm_pair Kp = x->K * p + x->Kxy * swap_p;
    const double hp = dot(x->h, p);
    const double L = (known->L + dot(Kp, p)) - hp * hp * inverse;
    const trm_pair b = x->b - square * (x->K * e + x->Kxy * swap);
    const double y = x->mu - square * dot(x->h, e);
    const trm_pair g = x->h * inverse;
    return (sums){.L = L,
                  .h = (known->h + Kp) - hp * g,
                  .K = (known->K + x->K) - x->h * g,
                  .Kxy = (known->Kxy + x->Kxy) - x->h[0] * g[1],
                  .b = (known->b + b) - y * g,
                  .mu = (known->mu + dot(b, p)) - hp * y * inverse};
}

/// What hangs on a body that no pin holds moves by itself: K' A + b' = 0.
static void let_go(const sums *x, double inverse, double *A)
{
    const trm_pair g = x->h * inverse;
    const trm_pair K = x->K - x->h * g, b = x->b - x->mu * g;
    const double Kxy = x->Kxy - x->h[0] * g[1];
    const double determinant = K[0] * K[1] - Kxy * Kxy;
    trm_pair_store((Kxy * swapped(b) - swapped(K) * b) / determinant, A);
}

TRM_WIDE static void sweep_in(const trm_tree *tree, const double *c, const double *s,
                              const double *rate, const double *f, trm_tree_motion *motion)
{
    double *const to_h = motion->h, *const to_mu = motion->mu, *const to_e = motion->e;
    double *const square = motion->square;
    const sums nothing = {0};
    sums x = nothing;
    int from_chain = 0; // x has what the next body of a chain has passed on
    for (ptrdiff_t i = tree->n - 1; i >= 0; i--) {
        const trm_link *const link = &tree->link[i];
        if (!from_chain) {
            square[i] = rate[i] * rate[i];
            x = alone(link, c[i], s[i], square[i], f + 3 * i);
        }
        if (link->forks > 0) {
            double *const there = motion->sum + 9 * i;
            const sums others = load(there);
            add(&x, &others);
            store(&nothing, there);
        }
        const double inverse = 1 / x.L;
        trm_pair_store(x.h * inverse, to_h + 2 * i);
        to_mu[i] = x.mu * inverse;
        const ptrdiff_t a = link->parent;
        from_chain = a >= 0 && a == i - 1;
        if (from_chain) {
            const double w = rate[i - 1] * rate[i - 1];
            const trm_pair e = trm_turned(c[i - 1], s[i - 1], link->E);
            const sums known = alone(link - 1, c[i - 1], s[i - 1], w, f + 3 * (i - 1));
            square[i - 1] = w;
            trm_pair_store(e, to_e + 2 * i);
            x = pass(&x, &known, e, w, inverse);
        } else if (a >= 0) {
            double *const there = motion->sum + 9 * a;
            const trm_pair e = trm_turned(c[a], s[a], link->E);
            const sums others = load(there);
            const sums passed = pass(&x, &others, e, rate[a] * rate[a], inverse);
            trm_pair_store(e, to_e + 2 * i);
            store(&passed, there);
        } else if (a == TRM_TREE_FREE) {
            let_go(&x, inverse, motion->A + 2 * i);
        }
    }
}

void trm_tree_sweep_in(trm_tree_motion *motion, const double *rate)
{
    const trm_tree *tree = motion->tree;
    sweep_in(tree, motion->c, motion->s, rate, tree->constant ? tree->f : motion->f, motion);
}

TRM_WIDE static void sweep_out(const trm_tree *tree, const double *e, const double *h,
                               const double *mu, const double *square, double *to_A, double *alpha)
{
    trm_pair A = {0, 0}; // of the body before
    for (ptrdiff_t i = 0; i < tree->n; i++) {
        const ptrdiff_t a = tree->link[i].parent;
        if (a >= 0) {
            if (a != i - 1) {
                A = trm_pair_load(to_A + 2 * a);
            }
            // A + alpha_a J e - w_a^2 e, what does not depend on A first
            const trm_pair ei = trm_pair_load(e + 2 * i), across = {-ei[1], ei[0]};
            A = (A - (mu[a] * across + square[a] * ei)) - dot(trm_pair_load(h + 2 * a), A) * across;
            trm_pair_store(A, to_A + 2 * i);
        } else { // the ground, at rest, or what let_go has left
            A = trm_pair_load(to_A + 2 * i);
        }
        alpha[i] = -(dot(trm_pair_load(h + 2 * i), A) + mu[i]);
    }
}

void trm_tree_sweep_out(trm_tree_motion *motion)
{
    sweep_out(motion->tree, motion->e, motion->h, motion->mu, motion->square, motion->A,
              motion->alpha);
}
