/// Joints that fix a point (sides.h), the most frequent ones, add only
///
///     G_i W G_j^T = s_i s_j w [I 0; 0 0] + A_i W_r A_j^T,    W = diag(w, w, w, W_r)
///
/// over a body that they share. Every side of a joint is multiplied by the weight once: A^T and W_r
/// A^T, three rows each, so that a row of the block is a sum of three rows.
#include "engine/multibody/form_spatial.h"
#include "engine/linear/large_row.h"

/// W_r of a body.
static const double *turning(const trm_bodies *bodies, const double *inverse_inertia, int body)
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const double zero[9] = {0};
    return inverse_inertia ? inverse_inertia + 9 * body : bodies->point[body] ? zero : identity;
}

// ------------------------------------------------------------------------------------- the sides

/// H := A^T, then W A^T, of any number of rows; W may be diagonal.
TRM_INLINE void weigh(int rows, const double *G, const double *W, int diagonal, double *H)
{
    for (int r = 0; r < rows; r++) {
        const double *A = G + 6 * r + 3;
        for (int c = 0; c < 3; c++) {
            H[c * rows + r] = A[c];
            H[(3 + c) * rows + r] =
                diagonal ? W[4 * c] * A[c] : W[c] * A[0] + W[3 + c] * A[1] + W[6 + c] * A[2];
        }
    }
}

/// The same for n = 4 to 6 rows.
TRM_INLINE void weigh_large(int n, const double *G, const double *W, int diagonal, double *H)
{
    trm_large_row A[3], sum;
    TRM_UNROLL
    for (int c = 0; c < 3; c++) {
        trm_large_gather(n, G + 3 + c, 6, &A[c]);
        trm_large_store(n, &A[c], H + c * n);
    }
    TRM_UNROLL
    for (int c = 0; c < 3; c++) {
        if (diagonal) {
            trm_large_scale(n, W[4 * c], &A[c], &sum);
        } else {
            trm_large_scale(n, W[c], &A[0], &sum);
            trm_large_add_to(n, W[3 + c], &A[1], &sum);
            trm_large_add_to(n, W[6 + c], &A[2], &sum);
        }
        trm_large_store(n, &sum, H + (3 + c) * n);
    }
}

TRM_INLINE void weigh_side(int rows, const double *G, const double *W, int diagonal, double *H)
{
    switch (rows) {
    case 3:
        weigh(3, G, W, diagonal, H);
        break;
    case 4:
        weigh_large(4, G, W, diagonal, H);
        break;
    case 5:
        weigh_large(5, G, W, diagonal, H);
        break;
    case 6:
        weigh_large(6, G, W, diagonal, H);
        break;
    default:
        weigh(rows, G, W, diagonal, H);
    }
}

TRM_WIDE static void weigh_all(const trm_model *model, const double *inverse_inertia,
                               const double *G, double *H)
{
    for (const trm_side *side = model->sides; side < model->sides + model->nsides; side++) {
        const double *W = turning(&model->bodies, inverse_inertia, side->body);
        if (side->fixed_point == 0) {
            continue;
        }
        if (model->bodies.diagonal) {
            weigh_side(side->rows, G + side->G, W, 1, H + side->G);
        } else {
            weigh_side(side->rows, G + side->G, W, 0, H + side->G);
        }
    }
}

// ------------------------------------------------------------------------------------ the blocks

/// S := A_i W A_j^T and `linear` on the diagonal of its first three rows, or S += that, for any
/// number of rows; i and j point to what weigh made.
TRM_INLINE void couple(int rows_i, int rows_j, const double *i, const double *j, double linear,
                       int more, double *S)
{
    const double *weighed = i + 3 * rows_i;
    for (int a = 0; a < rows_i; a++) {
        for (int b = 0; b < rows_j; b++) {
            double sum = (weighed[a] * j[b] + weighed[rows_i + a] * j[rows_j + b]) +
                         weighed[2 * rows_i + a] * j[2 * rows_j + b];
            if (a == b && a < 3) {
                sum += linear;
            }
            S[a * rows_j + b] = more ? S[a * rows_j + b] + sum : sum;
        }
    }
}

/// The same for n = 4 to 6 rows in both.
TRM_INLINE void couple_large(int n, const double *i, const double *j, double linear, int more,
                             double *S)
{
    const double *weighed = i + 3 * n;
    static const double unit[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    trm_large_row A[3], sum, old;
    TRM_UNROLL
    for (int c = 0; c < 3; c++) {
        trm_large_load(n, j + c * n, &A[c]);
    }
    TRM_UNROLL
    for (int a = 0; a < n; a++) {
        trm_large_scale(n, weighed[a], &A[0], &sum);
        trm_large_add_to(n, weighed[n + a], &A[1], &sum);
        trm_large_add_to(n, weighed[2 * n + a], &A[2], &sum);
        if (a < 3) {
            sum.four += linear * *trm_quad_at(unit[a]);
        }
        if (more) {
            trm_large_load(n, S + a * n, &old);
            trm_large_add_to(n, 1, &old, &sum);
        }
        trm_large_store(n, &sum, S + a * n);
    }
}

/// S := G_i W G_j^T, or S += that, of blocks with all six columns.
static void couple_columns(const trm_coupling *c, const double *Gi, const double *Gj, double w,
                           const double *W, double *S)
{
    for (int a = 0; a < c->rows_i; a++, Gi += 6, S += c->stride) {
        double H[6];
        for (int k = 0; k < 3; k++) {
            H[k] = w * Gi[k];
            H[3 + k] = W[k] * Gi[3] + W[3 + k] * Gi[4] + W[6 + k] * Gi[5];
        }
        const double *G = Gj;
        for (int b = 0; b < c->rows_j; b++, G += 6) {
            const double sum =
                H[0] * G[0] + H[1] * G[1] + H[2] * G[2] + H[3] * G[3] + H[4] * G[4] + H[5] * G[5];
            S[b] = c->more ? S[b] + sum : sum;
        }
    }
}

/// One coupling of joints that fix a point.
TRM_INLINE void couple_points(const trm_coupling *c, const double *H, double w, int more, double *S)
{
    const double linear = c->fixed_point * w;
    switch (c->rows_i == c->rows_j ? c->rows_i : 0) {
    case 3:
        couple(3, 3, H + c->Gi, H + c->Gj, linear, more, S);
        break;
    case 4:
        couple_large(4, H + c->Gi, H + c->Gj, linear, more, S);
        break;
    case 5:
        couple_large(5, H + c->Gi, H + c->Gj, linear, more, S);
        break;
    case 6:
        couple_large(6, H + c->Gi, H + c->Gj, linear, more, S);
        break;
    default:
        couple(c->rows_i, c->rows_j, H + c->Gi, H + c->Gj, linear, more, S);
    }
}

TRM_WIDE static void couple_all(const trm_model *model, const double *inverse_inertia,
                                const double *G, const double *H, double *S)
{
    const trm_bodies *bodies = &model->bodies;
    const double *w = inverse_inertia ? bodies->inverse_mass : bodies->moves;
    for (const trm_coupling *c = model->couplings; c < model->couplings + model->ncouplings; c++) {
        if (c->fixed_point == 0) {
            couple_columns(c, G + c->Gi, G + c->Gj, w[c->body],
                           turning(bodies, inverse_inertia, c->body), S + c->S);
        } else if (c->more) {
            couple_points(c, H, w[c->body], 1, S + c->S);
        } else {
            couple_points(c, H, w[c->body], 0, S + c->S);
        }
    }
}

void trm_form_spatial(const trm_model *model, const double *inverse_inertia, const double *G,
                      double *H, double *S)
{
    weigh_all(model, inverse_inertia, G, H);
    couple_all(model, inverse_inertia, G, H, S);
}
