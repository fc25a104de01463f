/// M^-1 and rows by articulated inertias, from the leaves inwards: joint_tree.h.
///
/// An inertia is symmetric: in the plane xx, xy, xw, yy, yw, ww; in space A, C and B of
///
///     f = A a + B alpha,    torque = B^T a + C alpha.
#include "engine/joint_coordinates/joint_tree.h"
#include "engine/joint_coordinates/twist.h"

#include <string.h>

TRM_INLINE int numbers(int W)
{
    return W * (W + 1) / 2;
}

/// I := the own inertia of link i.
TRM_INLINE void begin(const trm_link_motion *motion, int W, int i, double *I)
{
    const trm_bodies *bodies = motion->bodies;
    const int b = motion->tree->links[i].body;
    const double m = bodies->mass[b], *J = motion->J + 6 * i;
    set3(I, m, 0, 0);
    set3(I + 3, m, 0, W == 3 ? bodies->inertia[b] : m);
    if (W == 6) {
        set3(I + 6, J[0], J[1], J[2]);
        set3(I + 9, J[3], J[4], J[5]);
        for (int r = 0; r < 3; r++) {
            set3(I + 12 + 3 * r, 0, 0, 0);
        }
    }
}

/// U := I s. Returns s . U.
TRM_INLINE double weigh(int W, const double *I, const double *s, double *U)
{
    double x[3], y[3];
    if (W == 3) {
        trm_symmetric_times(I, s, U);
    } else {
        const double *B = I + 12;
        add(trm_symmetric_times(I, s, x), rotate(B, s + 3, y), U);
        add(rotate_back(B, s, x), trm_symmetric_times(I + 6, s + 3, y), U + 3);
    }
    return trm_twist_dot(W, s, U);
}

/// S -= x y^T, symmetric.
TRM_INLINE void less(const double *x, const double *y, double *S)
{
    set3(S, S[0] - x[0] * y[0], S[1] - x[0] * y[1], S[2] - x[0] * y[2]);
    set3(S + 3, S[3] - x[1] * y[1], S[4] - x[1] * y[2], S[5] - x[2] * y[2]);
}

/// I -= U U^T / D, of 1/D.
TRM_INLINE void release(int W, double *I, const double *U, double inverse)
{
    double x[6];
    trm_twist_scale(W, inverse, U, x);
    less(x, U, I);
    if (W == 6) {
        less(x + 3, U + 3, I + 6);
        TRM_UNROLL
        for (int r = 0; r < 3; r++) {
            trm_twist_add(3, -x[r], U + 3, I + 12 + 3 * r);
        }
    }
}

/// on += I about a centre from which the own one is d away.
///
///     A' = A,   B' = B - A [d],   C' = C - B^T [d] + [d] B'
TRM_INLINE void hang_spatial(const double *I, const double d[3], double *on)
{
    const double *C = I + 6, *B = I + 12;
    const double A[3][3] = {{I[0], I[1], I[2]}, {I[1], I[3], I[4]}, {I[2], I[4], I[5]}};
    const double columns[3][3] = {{B[0], B[3], B[6]}, {B[1], B[4], B[7]}, {B[2], B[5], B[8]}};
    double x[3], moved[3][3], rows[3][3];
    TRM_UNROLL
    for (int r = 0; r < 3; r++) { // row r of A [d] is a x d
        subtract(B + 3 * r, cross(A[r], d, x), moved[r]);
        cross(columns[r], d, rows[r]);
    }
    const double by[6] = {d[1] * moved[2][0] - d[2] * moved[1][0] - rows[0][0],
                          d[1] * moved[2][1] - d[2] * moved[1][1] - rows[0][1],
                          d[1] * moved[2][2] - d[2] * moved[1][2] - rows[0][2],
                          d[2] * moved[0][1] - d[0] * moved[2][1] - rows[1][1],
                          d[2] * moved[0][2] - d[0] * moved[2][2] - rows[1][2],
                          d[0] * moved[1][2] - d[1] * moved[0][2] - rows[2][2]};
    trm_twist_add(6, 1, I, on);
    TRM_UNROLL
    for (int c = 0; c < 6; c++) {
        on[6 + c] += C[c] + by[c];
    }
    TRM_UNROLL
    for (int r = 0; r < 3; r++) {
        add(on + 12 + 3 * r, moved[r], on + 12 + 3 * r);
    }
}

TRM_INLINE void hang(int W, const double *I, const double *d, double *on)
{
    if (W == 6) {
        hang_spatial(I, d, on);
        return;
    }
    // the same with [d] = (-d_y, d_x)^T
    const double x = I[2] + I[0] * -d[1] + I[1] * d[0], y = I[4] + I[1] * -d[1] + I[3] * d[0];
    const double more[6] = {I[0], I[1], x, I[3], y, I[5] - d[1] * (I[2] + x) + d[0] * (I[4] + y)};
    trm_twist_add(6, 1, more, on);
}

/// Composite inertias, and with `factors` articulated ones; m[steps], unless NULL: s . I s.
TRM_INLINE void sweep(trm_link_motion *motion, int W, int factors, double *m)
{
    const trm_joint_tree *tree = motion->tree;
    const int N = numbers(W);
    for (int i = 0; i < tree->n; i++) {
        begin(motion, W, i, motion->I + N * i);
    }
    for (int i = tree->n - 1; i >= 0; i--) {
        const trm_joint_link *link = &tree->links[i];
        double *const I = motion->I + N * i;
        for (int k = link->first + link->n - 1; k >= link->first; k--) {
            double U[6];
            const double D = weigh(W, I, motion->s + W * k, U);
            if (factors) {
                motion->inverse[k] = 1 / D;
                release(W, I, U, motion->inverse[k]);
                trm_twist_copy(W, U, motion->U + W * k);
            } else {
                m[k] = D;
            }
        }
        if (link->parent >= 0) {
            hang(W, I, motion->arm + 3 * i, motion->I + N * link->parent);
        }
    }
}

TRM_WIDE static void factor_all(trm_link_motion *motion)
{
    if (motion->factored) {
        return;
    }
    if (motion->bodies->width == 3) {
        sweep(motion, 3, 1, NULL);
    } else {
        sweep(motion, 6, 1, NULL);
    }
    motion->factored = 1;
}

void trm_joints_factor(trm_link_motion *motion)
{
    factor_all(motion);
}

void trm_joints_mass_diagonal(trm_link_motion *motion, double *m)
{
    if (motion->bodies->width == 3) {
        sweep(motion, 3, 0, m);
    } else {
        sweep(motion, 6, 0, m);
    }
}

/// mu := D^-1 L^-1 (x + T^T P), x NULL: 0
TRM_INLINE void inwards(trm_link_motion *motion, int W, const double *x)
{
    const trm_joint_tree *tree = motion->tree;
    for (int i = tree->n - 1; i >= 0; i--) {
        const trm_joint_link *link = &tree->links[i];
        double *const P = motion->P + W * i;
        for (int k = link->first + link->n - 1; k >= link->first; k--) {
            const double along = trm_twist_dot(W, motion->s + W * k, P) + (x ? x[k] : 0);
            motion->mu[k] = along * motion->inverse[k];
            trm_twist_add(W, -motion->mu[k], motion->U + W * k, P);
        }
        if (link->parent >= 0) {
            trm_wrench_carry(W, P, motion->arm + 3 * i, motion->P + W * link->parent);
        }
    }
}

/// x := L^-T mu
TRM_INLINE void outwards(trm_link_motion *motion, int W, double *x)
{
    const trm_joint_tree *tree = motion->tree;
    for (int i = 0; i < tree->n; i++) {
        const trm_joint_link *link = &tree->links[i];
        double *const a = motion->X + W * i;
        trm_twist_carry(W, motion->X + W * link->parent, motion->arm + 3 * i, a);
        for (int k = link->first; k < link->first + link->n; k++) {
            x[k] = motion->mu[k] - trm_twist_dot(W, motion->U + W * k, a) * motion->inverse[k];
            trm_twist_add(W, x[k], motion->s + W * k, a);
        }
    }
}

TRM_WIDE static void solve_inwards(trm_link_motion *motion, const double *x)
{
    if (motion->bodies->width == 3) {
        inwards(motion, 3, x);
    } else {
        inwards(motion, 6, x);
    }
}

void trm_joints_solve(trm_link_motion *motion, double *x)
{
    memset(motion->P, 0, (size_t)(motion->tree->n * motion->bodies->width) * sizeof *x);
    trm_joints_factor(motion);
    solve_inwards(motion, x);
    trm_joints_solve_outwards(motion, x);
}

void trm_joints_accelerate(trm_link_motion *motion, double *x)
{
    trm_joints_factor(motion);
    solve_inwards(motion, NULL);
    trm_joints_solve_outwards(motion, x);
}

TRM_WIDE static void solve_outwards_all(trm_link_motion *motion, double *x)
{
    if (motion->bodies->width == 3) {
        outwards(motion, 3, x);
    } else {
        outwards(motion, 6, x);
    }
}

void trm_joints_solve_outwards(trm_link_motion *motion, double *x)
{
    solve_outwards_all(motion, x);
}

/// w := row r of a block for its body of link i.
TRM_INLINE void add_row(const trm_link_motion *motion, int W, int i, const double *row, double *w)
{
    if (W == 3) {
        add(w, row, w);
    } else {
        double turned[3];
        add(w, row, w);
        rotate(motion->pose->R + 9 * motion->tree->links[i].body, row + 3, turned);
        add(w + 3, turned, w + 3);
    }
}

TRM_INLINE void rows_of(trm_link_motion *motion, int W, int block, int rows, const double *G,
                        int plain, double *P, double *Z)
{
    const trm_joint_tree *tree = motion->tree;
    const trm_row_path *path = &tree->paths[block];
    memset(P, 0, (size_t)(path->n * rows * W) * sizeof *P);
    for (int e = 0; e < path->n; e++) {
        const trm_path_link *at = &tree->path[path->first + e];
        const trm_joint_link *link = &tree->links[at->link];
        double *const own = P + W * e * rows;
        for (int r = 0; at->side >= 0 && r < rows; r++) {
            add_row(motion, W, at->link, G + (at->side * rows + r) * W, own + W * r);
        }
        for (int k = link->first + link->n - 1; k >= link->first; k--) {
            const double *s = motion->s + W * k, *U = motion->U + W * k;
            double *const z = Z + at->Z + (k - link->first) * rows;
            for (int r = 0; r < rows; r++) {
                z[r] = trm_twist_dot(W, s, own + W * r);
                if (!plain) {
                    trm_twist_add(W, -z[r] * motion->inverse[k], U, own + W * r);
                }
            }
        }
        for (int r = 0; at->inward >= 0 && r < rows; r++) {
            trm_wrench_carry(W, own + W * r, motion->arm + 3 * at->link,
                             P + W * (at->inward * rows + r));
        }
    }
}

TRM_WIDE static void rows_all(trm_link_motion *motion, int block, int rows, const double *G,
                              int plain, double *P, double *Z)
{
    if (motion->bodies->width == 3) {
        rows_of(motion, 3, block, rows, G, plain, P, Z);
    } else {
        rows_of(motion, 6, block, rows, G, plain, P, Z);
    }
}

void trm_joints_rows(trm_link_motion *motion, int block, int rows, const double *G, int plain,
                     double *P, double *Z)
{
    rows_all(motion, block, rows, G, plain, P, Z);
}
