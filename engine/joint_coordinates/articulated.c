/// M^-1 and rows by articulated inertias, from the leaves inwards: joint_tree.h.
#include "bodies/vector.h"
#include "engine/joint_coordinates/joint_tree.h"

#include <string.h>

/// A symmetric matrix: xx, xy, xz, yy, yz, zz.
typedef double symmetric[6];

/// Where the entries of its rows are.
static const int entry[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

/// out := S v
static inline double *times(const symmetric S, const double v[3], double out[3])
{
    return set3(out, S[0] * v[0] + S[1] * v[1] + S[2] * v[2],
                S[1] * v[0] + S[3] * v[1] + S[4] * v[2], S[2] * v[0] + S[4] * v[1] + S[5] * v[2]);
}

/// An inertia about the centre, world axes: f = A a + B alpha, torque = B^T a + C alpha.
typedef struct inertia {
    symmetric A, C;
    double B[9];
} inertia;

static inline void begin(const trm_link_motion *motion, int i, inertia *I)
{
    const trm_bodies *bodies = motion->bodies;
    const int b = motion->tree->links[i].body;
    const double *R = motion->R + 9 * i, m = bodies->mass[b];
    *I = (inertia){.A = {m, 0, 0, m, 0, m}};
    if (bodies->dimension == 2) {
        I->C[5] = bodies->inertia[b];
        return;
    }
    for (int r = 0; r < 3; r++) { // R J R^T
        double turned[3];
        rotate(bodies->inertia + 9 * b, R + 3 * r, turned);
        for (int c = r; c < 3; c++) {
            I->C[entry[r][c]] = dot(R + 3 * c, turned);
        }
    }
}

/// U := I s. Returns s . U.
static inline double weigh(const inertia *I, const double *s, double *U)
{
    double x[3], y[3];
    add(times(I->A, s, x), rotate(I->B, s + 3, y), U);
    add(rotate_back(I->B, s, x), times(I->C, s + 3, y), U + 3);
    return dot(s, U) + dot(s + 3, U + 3);
}

/// I -= U U^T / D, of 1/D.
static inline void release(inertia *I, const double *U, double inverse)
{
    double x[6];
    for (int c = 0; c < 6; c++) {
        x[c] = U[c] * inverse;
    }
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            I->B[3 * r + c] -= x[r] * U[3 + c];
        }
        for (int c = r; c < 3; c++) {
            I->A[entry[r][c]] -= x[r] * U[c];
            I->C[entry[r][c]] -= x[3 + r] * U[3 + c];
        }
    }
}

/// on += I about a centre from which the own one is d away.
///
///     A' = A,   B' = B - A [d],   C' = C - B^T [d] + [d] B'
static inline void hang(const inertia *I, const double d[3], inertia *on)
{
    double B[9];
    for (int r = 0; r < 3; r++) { // row r of A [d] is a x d
        const double a[3] = {I->A[entry[r][0]], I->A[entry[r][1]], I->A[entry[r][2]]};
        double x[3];
        subtract(I->B + 3 * r, cross(a, d, x), B + 3 * r);
    }
    for (int r = 0; r < 3; r++) {
        const double column[3] = {I->B[r], I->B[3 + r], I->B[6 + r]}; // of B: row of B^T
        const int j = (r + 1) % 3, k = (r + 2) % 3;
        double x[3];
        cross(column, d, x);
        for (int c = 0; c < 3; c++) {
            on->B[3 * r + c] += B[3 * r + c];
        }
        for (int c = r; c < 3; c++) {
            const double turned = d[j] * B[3 * k + c] - d[k] * B[3 * j + c];
            on->A[entry[r][c]] += I->A[entry[r][c]];
            on->C[entry[r][c]] += I->C[entry[r][c]] - x[c] + turned;
        }
    }
}

void trm_joints_factor(trm_link_motion *motion)
{
    const trm_joint_tree *tree = motion->tree;
    inertia *const I = (inertia *)(void *)motion->I;
    if (motion->factored) {
        return;
    }
    for (int i = 0; i < tree->n; i++) {
        begin(motion, i, &I[i]);
    }
    for (int i = tree->n - 1; i >= 0; i--) {
        const trm_joint_link *link = &tree->links[i];
        for (int k = link->first + link->n - 1; k >= link->first; k--) {
            motion->inverse[k] = 1 / weigh(&I[i], motion->s + 6 * k, motion->U + 6 * k);
            release(&I[i], motion->U + 6 * k, motion->inverse[k]);
        }
        if (link->parent >= 0) {
            double d[3];
            subtract(motion->p + 3 * i, motion->p + 3 * link->parent, d);
            hang(&I[i], d, &I[link->parent]);
        }
    }
    motion->factored = 1;
}

/// The wrench P of link i, added to that of its parent.
static inline void pass_on(const trm_link_motion *motion, int i, const double *P, double *on)
{
    double d[3], x[3];
    subtract(motion->p + 3 * i, motion->p + 3 * motion->tree->links[i].parent, d);
    add(on, P, on);
    add(on + 3, P + 3, on + 3);
    add(on + 3, cross(d, P, x), on + 3);
}

void trm_joints_solve(trm_link_motion *motion, double *x)
{
    const trm_joint_tree *tree = motion->tree;
    double *const P = motion->P, *const A = motion->A;
    trm_joints_factor(motion);
    memset(P, 0, (size_t)tree->n * 6 * sizeof *P);
    for (int i = tree->n - 1; i >= 0; i--) {
        const trm_joint_link *link = &tree->links[i];
        double *const own = P + 6 * i;
        for (int k = link->first + link->n - 1; k >= link->first; k--) {
            const double *s = motion->s + 6 * k, *U = motion->U + 6 * k;
            motion->mu[k] = (x[k] - dot(s, own) - dot(s + 3, own + 3)) * motion->inverse[k];
            for (int c = 0; c < 6; c++) {
                own[c] += U[c] * motion->mu[k];
            }
        }
        if (link->parent >= 0) {
            pass_on(motion, i, own, P + 6 * link->parent);
        }
    }
    for (int i = 0; i < tree->n; i++) {
        const trm_joint_link *link = &tree->links[i];
        double *const a = A + 6 * i, d[3], turned[3];
        memset(a, 0, 6 * sizeof *a);
        if (link->parent >= 0) {
            const double *on = A + 6 * link->parent;
            subtract(motion->p + 3 * i, motion->p + 3 * link->parent, d);
            add(on, cross(on + 3, d, turned), a);
            memcpy(a + 3, on + 3, 3 * sizeof *a);
        }
        for (int k = link->first; k < link->first + link->n; k++) {
            const double *s = motion->s + 6 * k, *U = motion->U + 6 * k;
            x[k] = motion->mu[k] - (dot(U, a) + dot(U + 3, a + 3)) * motion->inverse[k];
            for (int c = 0; c < 6; c++) {
                a[c] += s[c] * x[k];
            }
        }
    }
}

void trm_joints_rows(trm_link_motion *motion, int block, int rows, const double *G, int plain,
                     double *P, double *Z)
{
    const trm_joint_tree *tree = motion->tree;
    const trm_row_path *path = &tree->paths[block];
    const int width = motion->bodies->width;
    memset(P, 0, (size_t)(path->n * rows) * 6 * sizeof *P);
    for (int e = 0; e < path->n; e++) {
        const trm_path_link *at = &tree->path[path->first + e];
        const trm_joint_link *link = &tree->links[at->link];
        double *const own = P + 6 * e * rows;
        for (int r = 0; at->side >= 0 && r < rows; r++) {
            const double *row = G + (at->side * rows + r) * width;
            double turned[3] = {0, 0, width == 3 ? row[2] : 0};
            if (width == 6) {
                rotate(motion->R + 9 * at->link, row + 3, turned);
            }
            own[6 * r] += row[0];
            own[6 * r + 1] += row[1];
            own[6 * r + 2] += width == 6 ? row[2] : 0;
            add(own + 6 * r + 3, turned, own + 6 * r + 3);
        }
        for (int k = link->first + link->n - 1; k >= link->first; k--) {
            const double *s = motion->s + 6 * k, *U = motion->U + 6 * k;
            double *const z = Z + at->Z + (k - link->first) * rows;
            for (int r = 0; r < rows; r++) {
                double *const w = own + 6 * r;
                z[r] = dot(s, w) + dot(s + 3, w + 3);
                for (int c = 0; !plain && c < 6; c++) {
                    w[c] -= U[c] * (z[r] * motion->inverse[k]);
                }
            }
        }
        for (int r = 0; at->inward >= 0 && r < rows; r++) {
            pass_on(motion, at->link, own + 6 * r, P + 6 * (at->inward * rows + r));
        }
    }
}

void trm_joints_mass_diagonal(trm_link_motion *motion, double *m)
{
    const trm_joint_tree *tree = motion->tree;
    inertia *const I = (inertia *)(void *)motion->I;
    double U[6], d[3];
    for (int i = 0; i < tree->n; i++) {
        begin(motion, i, &I[i]);
    }
    for (int i = tree->n - 1; i >= 0; i--) {
        const trm_joint_link *link = &tree->links[i];
        for (int k = link->first; k < link->first + link->n; k++) {
            m[k] = weigh(&I[i], motion->s + 6 * k, U);
        }
        if (link->parent >= 0) {
            subtract(motion->p + 3 * i, motion->p + 3 * link->parent, d);
            hang(&I[i], d, &I[link->parent]);
        }
    }
}
