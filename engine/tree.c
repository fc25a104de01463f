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
    double **const arrays[] = {
        &motion->rate, &motion->c,      &motion->s,      &motion->dx,  &motion->dy,    &motion->ex,
        &motion->ey,   &motion->square, &motion->around, &motion->exx, &motion->exy,   &motion->eyy,
        &motion->fx,   &motion->fy,     &motion->torque, &motion->hx,  &motion->hy,    &motion->bx,
        &motion->by,   &motion->mu,     &motion->Ax,     &motion->Ay,  &motion->alpha, &motion->X,
        &motion->Y,    &motion->U,      &motion->V,      &motion->Fx,  &motion->Fy};
    motion->tree = tree;
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        *arrays[k] = trm_arena_doubles(arena, tree->n);
    }
    motion->sum = trm_arena_doubles(arena, 9 * tree->n);
}

/// d = R D, and w^2.
TRM_WIDE static void turn(int n, const double *restrict c, const double *restrict s,
                          const double *restrict Dx, const double *restrict Dy,
                          const double *restrict rate, double *restrict dx, double *restrict dy,
                          double *restrict square)
{
    for (int i = 0; i < n; i++) {
        dx[i] = c[i] * Dx[i] - s[i] * Dy[i];
        dy[i] = s[i] * Dx[i] + c[i] * Dy[i];
        square[i] = rate[i] * rate[i];
    }
}

/// e = R_a E, and what is made of it.
static void turn_pins(trm_tree_motion *motion)
{
    const trm_tree *tree = motion->tree;
    for (int i = 0; i < tree->n; i++) {
        const int a = tree->held_by[i];
        const double c = motion->c[a], s = motion->s[a];
        const double ex = c * tree->Ex[i] - s * tree->Ey[i];
        const double ey = s * tree->Ex[i] + c * tree->Ey[i];
        motion->ex[i] = ex;
        motion->ey[i] = ey;
        motion->around[i] = motion->square[a];
        motion->exx[i] = ey * ey;
        motion->exy[i] = -2 * (ex * ey);
        motion->eyy[i] = ex * ex;
    }
}

void trm_tree_place(trm_tree_motion *motion, const double *angle, const double *rate)
{
    const trm_tree *tree = motion->tree;
    memcpy(motion->rate, rate, (size_t)tree->n * sizeof(double));
    trm_sincos(tree->n, angle, motion->s, motion->c);
    turn(tree->n, motion->c, motion->s, tree->Dx, tree->Dy, rate, motion->dx, motion->dy,
         motion->square);
    turn_pins(motion);
}

void trm_tree_follow(trm_tree_motion *motion, const double *angle, const double *free,
                     const double *free_rate, double *q, double *v)
{
    const trm_tree *tree = motion->tree;
    double *X = motion->X, *Y = motion->Y, *U = motion->U, *V = motion->V;
    for (int k = 0; k < tree->nfree; k++) {
        const int i = tree->free[k];
        X[i] = free[2 * k];
        Y[i] = free[2 * k + 1];
        U[i] = free_rate[2 * k];
        V[i] = free_rate[2 * k + 1];
    }
    for (int i = 0; i < tree->n; i++) {
        const int a = tree->parent[i];
        const double w = motion->rate[i];
        if (a >= 0) {
            X[i] = X[a] + motion->ex[i];
            Y[i] = Y[a] + motion->ey[i];
            U[i] = U[a] - motion->rate[a] * motion->ey[i];
            V[i] = V[a] + motion->rate[a] * motion->ex[i];
        } else if (a == TRM_TREE_GROUND) {
            X[i] = tree->Ex[i];
            Y[i] = tree->Ey[i];
        }
        double *const qi = q + 3 * tree->body[i], *const vi = v + 3 * tree->body[i];
        qi[0] = X[i] + motion->dx[i];
        qi[1] = Y[i] + motion->dy[i];
        qi[2] = angle[i];
        vi[0] = U[i] - w * motion->dy[i];
        vi[1] = V[i] + w * motion->dx[i];
        vi[2] = w;
    }
}

void trm_tree_push(trm_tree_motion *motion, const double *f)
{
    const trm_tree *tree = motion->tree;
    for (int i = 0; i < tree->n; i++) {
        const double *const fi = f + 3 * tree->body[i];
        motion->fx[i] = fi[0];
        motion->fy[i] = fi[1];
        motion->torque[i] = fi[2];
    }
}

/// h, b and mu of each body alone.
TRM_WIDE static void start_sums(int n, const double *restrict m, const double *restrict dx,
                                const double *restrict dy, const double *restrict square,
                                const double *restrict fx, const double *restrict fy,
                                const double *restrict torque, double *restrict hx,
                                double *restrict hy, double *restrict bx, double *restrict by,
                                double *restrict mu)
{
    for (int i = 0; i < n; i++) {
        const double w = m[i] * square[i];
        hx[i] = -m[i] * dy[i];
        hy[i] = m[i] * dx[i];
        bx[i] = -w * dx[i] - fx[i];
        by[i] = -w * dy[i] - fy[i];
        mu[i] = (dy[i] * fx[i] - dx[i] * fy[i]) - torque[i];
    }
}

void trm_tree_accelerate(trm_tree_motion *motion, double *alpha, double *free)
{
    const trm_tree *tree = motion->tree;
    const double *fx = tree->constant ? tree->fx : motion->fx;
    const double *fy = tree->constant ? tree->fy : motion->fy;
    const double *torque = tree->constant ? tree->torque : motion->torque;
    start_sums(tree->n, tree->m, motion->dx, motion->dy, motion->square, fx, fy, torque, motion->hx,
               motion->hy, motion->bx, motion->by, motion->mu);
    trm_tree_sweep_in(motion);
    trm_tree_sweep_out(motion);
    memcpy(alpha, motion->alpha, (size_t)tree->n * sizeof(double));
    for (int k = 0; k < tree->nfree; k++) {
        free[2 * k] = motion->Ax[tree->free[k]];
        free[2 * k + 1] = motion->Ay[tree->free[k]];
    }
}
