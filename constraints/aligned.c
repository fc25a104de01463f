// An axis of a parallel to an axis of b: perpendicular to two directions of b; spatial only.
//
//   g = (u . w, u . x),   u = R_a u_l,   w = R_b w_l,   x = R_b x_l
//   G_b = [0, w_l x R_b^T u],   G_a = -G_b R_b^T R_a,   x likewise
//   gamma = -(u'' . w + 2 u' . w' + u . w''),   x likewise
//
// Terms common to both rows are computed once, in the axes of b.

#include "constraints/separation.h"

TRM_WIDE static void position(const trm_row_batch *batch, const trm_pose *pose, double *restrict g,
                              double *restrict G)
{
    for (int i = 0; i < batch->n; i++) {
        const double *Ra = &pose->R[9 * batch->a[i]], *Rb = &pose->R[9 * batch->b[i]];
        double u_a[3], w[2][3], world[3], u[3];
        load(batch->ua, batch->stride, i, u_a);
        load(batch->ub, batch->stride, i, w[0]);
        load(batch->sb, batch->stride, i, w[1]);
        rotate_back(Rb, rotate(Ra, u_a, world), u);
        for (int k = 0; k < 2; k++) {
            double *Ga = &G[batch->Ga[i] + 6 * k], *Gb = &G[batch->Gb[i] + 6 * k];
            double turn[3], back[3];
            g[batch->row[i] + k] = dot(u, w[k]);
            cross(w[k], u, turn);
            rotate_back(Ra, rotate(Rb, turn, world), back);
            set3(Ga, 0.0, 0.0, 0.0);
            scale(-1.0, back, Ga + 3);
            set3(Gb, 0.0, 0.0, 0.0);
            set3(Gb + 3, turn[0], turn[1], turn[2]);
        }
    }
}

/// With Omega the angular velocities, u' = Omega_a x u, w' = Omega_b x w, and
///
///   u'' . w = (Omega_a . u)(Omega_a . w) - Omega_a^2 u . w,    u . w'' likewise,
///   u' . w' = (Omega_a . Omega_b)(u . w) - (Omega_a . w)(Omega_b . u)
TRM_WIDE static void gamma(const trm_row_batch *batch, const trm_pose *pose, const double *V,
                           double *restrict out)
{
    for (int i = 0; i < batch->n; i++) {
        const int a = batch->a[i], b = batch->b[i];
        const double *Ra = &pose->R[9 * a], *Rb = &pose->R[9 * b], *omega_b = &V[6 * b + 3];
        double u_a[3], w[2][3], world[3], u[3], omega_a[3], relative[3];
        load(batch->ua, batch->stride, i, u_a);
        load(batch->ub, batch->stride, i, w[0]);
        load(batch->sb, batch->stride, i, w[1]);
        rotate_back(Rb, rotate(Ra, u_a, world), u);
        rotate_back(Rb, rotate(Ra, &V[6 * a + 3], world), omega_a);
        subtract(omega_a, omega_b, relative);
        const double square = dot(relative, relative);
        const double b_u = dot(omega_b, u), rest = dot(omega_a, u) - 2.0 * b_u;
        for (int k = 0; k < 2; k++) {
            out[batch->row[i] + k] =
                square * dot(u, w[k]) - dot(omega_a, w[k]) * rest - dot(omega_b, w[k]) * b_u;
        }
    }
}

const trm_row_ops trm_row_aligned_spatial = {2, position, gamma};
