#include "engine/tree.h"

/// A body with all that hangs on it, see tree.h.
typedef struct sums {
    double Kxx, Kxy, Kyy, hx, hy, L, bx, by, mu;
} sums;

static inline void add(sums *to, const sums *x)
{
    to->Kxx += x->Kxx;
    to->Kxy += x->Kxy;
    to->Kyy += x->Kyy;
    to->hx += x->hx;
    to->hy += x->hy;
    to->L += x->L;
    to->bx += x->bx;
    to->by += x->by;
    to->mu += x->mu;
}

/// What hangs on a body that no pin holds moves by itself: K A + b = 0.
static void let_go(trm_tree_motion *motion, int i, double Kxx, double Kxy, double Kyy, double bx,
                   double by)
{
    const double determinant = Kxx * Kyy - Kxy * Kxy;
    motion->Ax[i] = (Kxy * by - Kyy * bx) / determinant;
    motion->Ay[i] = (Kxy * bx - Kxx * by) / determinant;
}

void trm_tree_sweep_in(trm_tree_motion *motion)
{
    const trm_tree *tree = motion->tree;
    sums *const others = (sums *)motion->sum;
    const sums nothing = {0};
    sums held = nothing; // what the next body of a chain has passed on
    for (int i = tree->n - 1; i >= 0; i--) {
        const double m = tree->m[i];
        sums all = {m,
                    0,
                    m,
                    motion->hx[i],
                    motion->hy[i],
                    tree->L[i],
                    motion->bx[i],
                    motion->by[i],
                    motion->mu[i]};
        add(&all, &held);
        if (tree->forks[i] > 0) {
            add(&all, &others[i]);
            others[i] = nothing;
        }
        // K' = K - h h^T/L,  b' = b - h mu/L
        const double inverse = 1 / all.L;
        const double u = all.mu * inverse;
        const double Kxx = all.Kxx - all.hx * all.hx * inverse;
        const double Kxy = all.Kxy - all.hx * all.hy * inverse;
        const double Kyy = all.Kyy - all.hy * all.hy * inverse;
        const double bx = all.bx - all.hx * u;
        const double by = all.by - all.hy * u;
        motion->hx[i] = all.hx * inverse;
        motion->hy[i] = all.hy * inverse;
        motion->mu[i] = u;
        // over the pin
        const int a = tree->parent[i];
        held = nothing;
        if (a >= 0) {
            const double ex = motion->ex[i], ey = motion->ey[i], around = motion->around[i];
            sums passed = {.Kxx = Kxx, .Kxy = Kxy, .Kyy = Kyy};
            passed.hx = Kxy * ex - Kxx * ey;
            passed.hy = Kyy * ex - Kxy * ey;
            passed.L = motion->exx[i] * Kxx + (motion->exy[i] * Kxy + motion->eyy[i] * Kyy);
            passed.bx = bx - around * (Kxx * ex + Kxy * ey);
            passed.by = by - around * (Kxy * ex + Kyy * ey);
            passed.mu = ex * passed.by - ey * passed.bx;
            if (a == i - 1) {
                held = passed;
            } else {
                add(&others[a], &passed);
            }
        } else if (a == TRM_TREE_FREE) {
            let_go(motion, i, Kxx, Kxy, Kyy, bx, by);
        }
    }
}

void trm_tree_sweep_out(trm_tree_motion *motion)
{
    const trm_tree *tree = motion->tree;
    double *const alpha = motion->alpha;
    double Ax = 0, Ay = 0, turned = 0; // of the body before
    for (int i = 0; i < tree->n; i++) {
        const int a = tree->parent[i];
        if (a != i - 1 && a >= 0) {
            Ax = motion->Ax[a];
            Ay = motion->Ay[a];
            turned = alpha[a];
        }
        if (a >= 0) {
            const double ex = motion->ex[i], ey = motion->ey[i], around = motion->around[i];
            Ax = (Ax - around * ex) - turned * ey;
            Ay = (Ay - around * ey) + turned * ex;
            motion->Ax[i] = Ax;
            motion->Ay[i] = Ay;
        } else { // the ground, at rest, or what let_go has left
            Ax = motion->Ax[i];
            Ay = motion->Ay[i];
        }
        turned = -((motion->hx[i] * Ax + motion->hy[i] * Ay) + motion->mu[i]);
        alpha[i] = turned;
    }
}

void trm_tree_react(trm_tree_motion *motion, double *a, double *lambda)
{
    const trm_tree *tree = motion->tree;
    const double *fx = tree->constant ? tree->fx : motion->fx;
    const double *fy = tree->constant ? tree->fy : motion->fy;
    double *Fx = motion->Fx, *Fy = motion->Fy;
    for (int i = 0; i < tree->n; i++) {
        const double dx = motion->dx[i], dy = motion->dy[i];
        const double alpha = motion->alpha[i], square = motion->square[i];
        double *const ai = a + 3 * tree->body[i];
        ai[0] = (motion->Ax[i] - square * dx) - alpha * dy;
        ai[1] = (motion->Ay[i] - square * dy) + alpha * dx;
        ai[2] = alpha;
        Fx[i] = tree->m[i] * ai[0] - fx[i];
        Fy[i] = tree->m[i] * ai[1] - fy[i];
    }
    for (int i = tree->n - 1; i >= 0; i--) {
        const int held_by = tree->parent[i];
        if (held_by >= 0) {
            Fx[held_by] += Fx[i];
            Fy[held_by] += Fy[i];
        }
        if (held_by != TRM_TREE_FREE) {
            lambda[tree->row[i]] = tree->sign[i] * Fx[i];
            lambda[tree->row[i] + 1] = tree->sign[i] * Fy[i];
        }
    }
}
