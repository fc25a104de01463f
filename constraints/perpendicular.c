// A direction of a perpendicular to a direction of b; spatial only.
//
//   g = u . w,   u = R_a u_l,   w = R_b w_l
//   G_a = [0, u_l x R_a^T w],   G_b = [0, w_l x R_b^T u]
//   gamma = -(u'' . w + 2 u' . w' + u . w'')

#include "constraints/separation.h"

TRM_WIDE static void position(const trm_row_batch *batch, const trm_pose *pose, double *restrict g,
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

/// With Omega the angular velocities in world axes, u' = Omega_a x u, w' = Omega_b x w, and
///
///   u'' . w = (Omega_a . u)(Omega_a . w) - Omega_a^2 u . w,    u . w'' likewise,
///   u' . w' = (Omega_a . Omega_b)(u . w) - (Omega_a . w)(Omega_b . u)
TRM_WIDE static void gamma(const trm_row_batch *batch, const trm_pose *pose, const double *V,
                           double *restrict out)
{
    for (int i = 0; i < batch->n; i++) {
        const int a = batch->a[i], b = batch->b[i];
        const double *Ra = &pose->R[9 * a], *Rb = &pose->R[9 * b];
        double u_a[3], w_b[3], u[3], w[3], omega_a[3], omega_b[3], relative[3];
        load(batch->ua, batch->stride, i, u_a);
        load(batch->ub, batch->stride, i, w_b);
        rotate(Ra, u_a, u);
        rotate(Rb, w_b, w);
        rotate(Ra, &V[6 * a + 3], omega_a);
        rotate(Rb, &V[6 * b + 3], omega_b);
        subtract(omega_a, omega_b, relative);
        out[batch->row[i]] = dot(relative, relative) * dot(u, w) -
                             dot(omega_a, w) * (dot(omega_a, u) - 2.0 * dot(omega_b, u)) -
                             dot(omega_b, w) * dot(omega_b, u);
    }
}

const trm_row_ops trm_row_perpendicular_spatial = {1, position, gamma};
