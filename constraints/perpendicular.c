// A direction of a square to a direction of b; spatial only.
//
//   g = u . w,   u = R_a u_l,   w = R_b w_l
//   G_a = [0, u_l x R_a^T w],   G_b = [0, w_l x R_b^T u]
//   gamma = -(u'' . w + 2 u' . w' + u . w'')

#include "constraints/separation.h"

static void position(const trm_row_batch *batch, const trm_pose *pose, double *restrict g,
                     double *restrict G)
{
    for (int i = 0; i < batch->n; i++) {
        const double *Ra = &pose->R[9 * batch->a[i]], *Rb = &pose->R[9 * batch->b[i]];
        double *Ga = &G[batch->Ga[i]], *Gb = &G[batch->Gb[i]];
        double u_a[3], w_b[3], u[3], w[3], w_a[3], u_b[3];
        load(batch->ua, batch->stride, i, u_a);
        load(batch->ub, batch->stride, i, w_b);
        rotate(Ra, u_a, u);
        rotate(Rb, w_b, w);
        rotate_back(Ra, w, w_a);
        rotate_back(Rb, u, u_b);
        g[batch->row[i]] = dot(u, w);
        set3(Ga, 0.0, 0.0, 0.0);
        cross(u_a, w_a, Ga + 3);
        set3(Gb, 0.0, 0.0, 0.0);
        cross(w_b, u_b, Gb + 3);
    }
}

static void gamma(const trm_row_batch *batch, const trm_pose *pose, const double *V,
                  double *restrict out)
{
    for (int i = 0; i < batch->n; i++) {
        const int a = batch->a[i], b = batch->b[i];
        double u_a[3], w_b[3], u[3], u1[3], u2[3], w[3], w1[3], w2[3];
        load(batch->ua, batch->stride, i, u_a);
        load(batch->ub, batch->stride, i, w_b);
        turn_spatial_jet(&pose->R[9 * a], &V[6 * a + 3], u_a, u, u1, u2);
        turn_spatial_jet(&pose->R[9 * b], &V[6 * b + 3], w_b, w, w1, w2);
        out[batch->row[i]] = -(dot(u2, w) + 2.0 * dot(u1, w1) + dot(u, w2));
    }
}

const trm_row_ops trm_row_perpendicular_spatial = {1, position, gamma};
