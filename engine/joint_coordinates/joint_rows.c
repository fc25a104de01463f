/// Rows of cuts seen from the joints, four side by side: Z, the blocks of S, and M^-1 T^T G^T y.
///
/// A wrench of four rows is three quads in the plane, six in space, component by component.
#include "engine/joint_coordinates/joint_tree.h"
#include "engine/joint_coordinates/twist.h"

#include <string.h>

/// Where component c of a wrench of rows is in a twist.
TRM_INLINE int in_twist(int N, int c)
{
    return N == 6 && c > 2 ? c + 1 : c;
}

/// w += n <= 4 rows of a block, G[n][N], for their body, of link i.
TRM_INLINE void add_rows(const trm_link_motion *motion, int N, int n, int i, const double *G,
                         trm_quad *w)
{
    static const double none[6] = {0};
    const double *const b = n > 1 ? G + N : none, *const c = n > 2 ? G + 2 * N : none;
    const double *const d = n > 3 ? G + 3 * N : none;
    TRM_UNROLL
    for (int k = 0; k < 3; k++) {
        w[k] += (trm_quad){G[k], b[k], c[k], d[k]};
    }
    TRM_UNROLL
    for (int k = 3; k < N; k++) { // turns: to world axes
        const double *const R = motion->R + 12 * i + 4 * (k - 3);
        const trm_quad turn = {G[k], b[k], c[k], d[k]};
        w[3] += turn * R[0];
        w[4] += turn * R[1];
        w[5] += turn * R[2];
    }
}

/// w := the wrenches of rows d away.
TRM_INLINE void carry_rows(int N, const double *d, trm_quad *w)
{
    if (N == 3) {
        w[2] += w[1] * d[0] - w[0] * d[1];
    } else {
        w[3] += w[2] * d[1] - w[1] * d[2];
        w[4] += w[0] * d[2] - w[2] * d[0];
        w[5] += w[1] * d[0] - w[0] * d[1];
    }
}

/// w -= U z
TRM_INLINE void take_rows(int N, const double *U, const trm_quad *z, trm_quad *w)
{
    TRM_UNROLL
    for (int c = 0; c < N; c++) {
        w[c] -= *z * U[in_twist(N, c)];
    }
}

/// n <= 4 rows of a block, G and Z from the first of them on, over its path.
TRM_INLINE void rows_of(trm_link_motion *motion, int N, int block, int n, int rows, const double *G,
                        int plain, double *P, double *Z)
{
    const trm_joint_tree *tree = motion->tree;
    const trm_row_path *path = &tree->paths[block];
    const int W = N == 3 ? TRM_PLANAR_TWIST : TRM_SPATIAL_TWIST;
    for (int e = 0; e < path->n; e++) {
        const trm_path_link *at = &tree->path[path->first + e];
        trm_quad w[6] = {{0}}, z = {0, 0, 0, 0};
        if (!at->outer) {
            TRM_UNROLL
            for (int c = 0; c < N; c++) {
                w[c] = *trm_quad_at(P + 4 * (N * e + c));
            }
        }
        if (at->side >= 0) {
            add_rows(motion, N, n, at->link, G + at->side * rows * N, w);
        }
        for (int k = at->dof + at->n - 1; k >= at->dof; k--) {
            const double *s = motion->s + W * k;
            z = w[0] * s[0];
            TRM_UNROLL
            for (int c = 1; c < N; c++) {
                z += w[c] * s[in_twist(N, c)];
            }
            *trm_quad_to(Z + at->Z + (k - at->dof) * trm_rows_apart(rows)) = z;
            z = plain ? z * 0 : z * motion->inverse[k];
            if (k > at->dof) {
                take_rows(N, motion->U + W * k, &z, w);
            }
        }
        if (at->inward < 0) {
            continue;
        }
        double *const on = P + 4 * N * at->inward;
        carry_rows(N, motion->arm + 4 * at->link, w);
        if (at->n > 0) {
            take_rows(N, motion->U + W * at->dof, &z, w);
        }
        if (at->adds) {
            TRM_UNROLL
            for (int c = 0; c < N; c++) {
                w[c] += *trm_quad_at(on + 4 * c);
            }
        }
        TRM_UNROLL
        for (int c = 0; c < N; c++) {
            *trm_quad_to(on + 4 * c) = w[c];
        }
    }
}

/// One row r of a block in space over its path, as a wrench.
TRM_INLINE void row_alone(trm_link_motion *motion, int block, int r, int rows, const double *G,
                          int plain, double *P, double *Z)
{
    enum { W = TRM_SPATIAL_TWIST };
    static const double none[W] = {0};
    const trm_joint_tree *tree = motion->tree;
    const trm_row_path *path = &tree->paths[block];
    for (int e = 0; e < path->n; e++) {
        const trm_path_link *at = &tree->path[path->first + e];
        double *const w = P + W * e;
        double mu = 0;
        if (at->outer) {
            trm_twist_copy(W, none, w);
        }
        if (at->side >= 0) {
            const double *const row = G + 6 * (at->side * rows + r);
            trm_quad turn;
            *trm_quad_to(w) += (trm_quad){row[0], row[1], row[2], 0};
            *trm_quad_to(w + 4) += *trm_columns_times(motion->R + 12 * at->link, row + 3, &turn);
        }
        for (int k = at->dof + at->n - 1; k >= at->dof; k--) {
            const double z = trm_twist_dot(W, motion->s + W * k, w);
            *trm_quad_to(Z + at->Z + (k - at->dof) * trm_rows_apart(rows) + r) =
                (trm_quad){z, 0, 0, 0};
            mu = plain ? 0 : z * motion->inverse[k];
            if (k > at->dof) {
                trm_twist_add(W, -mu, motion->U + W * k, w);
            }
        }
        if (at->inward >= 0) {
            double *const on = P + W * at->inward;
            if (!at->adds) {
                trm_twist_copy(W, none, on);
            }
            trm_wrench_carry(W, w, motion->arm + 4 * at->link, on);
            if (at->n > 0) {
                trm_twist_add(W, -mu, motion->U + W * at->dof, on);
            }
        }
    }
}

TRM_WIDE static void rows_all(trm_link_motion *motion, int block, int rows, const double *G,
                              int plain, double *P, double *Z)
{
    for (int r = 0; r < rows; r += 4) {
        const int n = rows - r < 4 ? rows - r : 4;
        if (motion->W == TRM_SPATIAL_TWIST && n == 1) {
            row_alone(motion, block, r, rows, G, plain, P, Z);
        } else if (motion->W == TRM_PLANAR_TWIST) {
            rows_of(motion, 3, block, n, rows, G + 3 * r, plain, P, Z + r);
        } else {
            rows_of(motion, 6, block, n, rows, G + 6 * r, plain, P, Z + r);
        }
    }
}

void trm_joints_rows(trm_link_motion *motion, int block, int rows, const double *G, int plain,
                     double *P, double *Z)
{
    rows_all(motion, block, rows, G, plain, P, Z);
}

/// n <= 5 rows from r on, m columns from c on, of S := Z_i^T D^-1 Z_j over the dofs that both
/// paths have; `inverse` NULL: without D^-1. Literal n and m where they are frequent; `same`: i is
/// j, and a fifth column is the fifth row.
TRM_INLINE void couple(const trm_joint_tree *tree, const trm_row_pair *pair, int r, int c, int n,
                       int m, int same, const double *inverse, const double *Z, double *S)
{
    const trm_row_path *i = &tree->paths[pair->i], *j = &tree->paths[pair->j];
    const trm_path_link *a = tree->path + i->first, *b = tree->path + j->first;
    const trm_path_link *const end_a = a + i->n, *const end_b = b + j->n;
    const int apart_i = trm_rows_apart(tree->cut->blocks[pair->i].rows);
    const int apart_j = trm_rows_apart(tree->cut->blocks[pair->j].rows);
    trm_quad sum[5][2] = {{{0}}};
    while (a < end_a && b < end_b) {
        if (a->link != b->link) {
            *(a->link > b->link ? &a : &b) += 1;
            continue;
        }
        const double *x = Z + a->Z + r, *y = Z + b->Z + c;
        for (int k = a->dof; k < a->dof + a->n; k++, x += apart_i, y += apart_j) {
            const double weight = inverse ? inverse[k] : 1;
            const trm_quad first = *trm_quad_at(y) * weight;
            const trm_quad second = m > 4 ? *trm_quad_at(y + 4) * weight : first;
            TRM_UNROLL
            for (int e = 0; e < n; e++) {
                sum[e][0] += first * x[e];
                if (!same || e == 4) {
                    sum[e][1] += second * x[e];
                }
            }
        }
        a++, b++;
    }
    S += r * pair->stride + c;
    TRM_UNROLL
    for (int e = 0; e < n; e++, S += pair->stride) {
        if (m >= 4) {
            *trm_quad_to(S) = sum[e][0];
        }
        TRM_UNROLL
        for (int f = m < 4 ? 0 : 4; f < m; f++) {
            S[f] = same && e < 4 && f == 4 ? sum[4][0][e] : sum[e][f / 4][f % 4];
        }
    }
}

TRM_WIDE static void couple_all(const trm_joint_tree *tree, const double *inverse, const double *Z,
                                double *S)
{
    for (int k = 0; k < tree->npairs; k++) {
        const trm_row_pair *pair = &tree->pairs[k];
        const int i = tree->cut->blocks[pair->i].rows, j = tree->cut->blocks[pair->j].rows;
        if (i == 5 && pair->i == pair->j) {
            couple(tree, pair, 0, 0, 5, 5, 1, inverse, Z, S + pair->S);
        } else if (i == 5 && j == 5) {
            couple(tree, pair, 0, 0, 5, 5, 0, inverse, Z, S + pair->S);
        } else if (i == 3 && j == 3) {
            couple(tree, pair, 0, 0, 3, 3, 0, inverse, Z, S + pair->S);
        } else if (i == 2 && j == 2) {
            couple(tree, pair, 0, 0, 2, 2, 0, inverse, Z, S + pair->S);
        } else if (i == 1 && j == 1) { // rods
            couple(tree, pair, 0, 0, 1, 1, 0, inverse, Z, S + pair->S);
        } else {
            for (int r = 0; r < i; r += 4) {
                for (int c = 0; c < j; c += 4) {
                    couple(tree, pair, r, c, i - r < 4 ? i - r : 4, j - c < 4 ? j - c : 4, 0,
                           inverse, Z, S + pair->S);
                }
            }
        }
    }
}

void trm_joints_form_S(const trm_link_motion *motion, int plain, const double *Z, double *S)
{
    const trm_joint_tree *tree = motion->tree;
    const int values = tree->cut->pattern->values;
    const int rows = tree->npairs == 1 ? tree->cut->blocks[tree->pairs->i].rows : 0;
    if (values > rows * rows) { // entries that no pair writes
        memset(S, 0, (size_t)values * sizeof *S);
    }
    couple_all(tree, plain ? NULL : motion->inverse, Z, S);
}

/// Four numbers of y[n], or as many as there are.
TRM_INLINE trm_quad *four_of(int n, const double *y, trm_quad *out)
{
    if (n >= 4) {
        *out = *trm_quad_at(y);
    } else {
        *out = (trm_quad){n > 0 ? y[0] : 0, n > 1 ? y[1] : 0, n > 2 ? y[2] : 0, 0};
    }
    return out;
}

/// mu += D^-1 Z y over the path of block b, of up to 8 rows from r on.
TRM_INLINE void sum_block(trm_link_motion *motion, int b, int r, int n, const double *Z,
                          const double *y)
{
    const trm_joint_tree *tree = motion->tree;
    const int apart = trm_rows_apart(tree->cut->blocks[b].rows);
    const trm_path_link *at = tree->path + tree->paths[b].first;
    const double *const inverse = motion->inverse;
    double *const mu = motion->mu;
    trm_quad first, second;
    four_of(n, y, &first);
    four_of(n - 4, y + 4, &second);
    for (const trm_path_link *end = at + tree->paths[b].n; at < end; at++) {
        const double *z = Z + at->Z + r;
        for (int k = at->dof, over = k + at->n; k < over; k++, z += apart) {
            trm_quad product = *trm_quad_at(z) * first;
            if (n > 4) {
                product += *trm_quad_at(z + 4) * second;
            }
            mu[k] += inverse[k] * trm_quad_sum(&product);
        }
    }
}

TRM_WIDE static void sum_rows(trm_link_motion *motion, const double *Z, const double *y)
{
    const trm_joint_tree *tree = motion->tree;
    const trm_block *block = tree->cut->blocks + tree->block0;
    for (int k = 0; k < tree->ndofs; k += 4) {
        *trm_quad_to(motion->mu + k) = (trm_quad){0, 0, 0, 0};
    }
    for (int b = tree->block0; b < tree->nblocks; b++, block++) {
        for (int r = 0; r < block->rows; r += 8) {
            sum_block(motion, b, r, block->rows - r, Z, y + block->row + r);
        }
    }
}

void trm_joints_spread_rows(trm_link_motion *motion, const double *Z, const double *y, double *x)
{
    sum_rows(motion, Z, y);
    trm_joints_solve_outwards(motion, x);
}
