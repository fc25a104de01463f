// Two points coincide.
//
//   g = d = r_b - r_a
//   planar    G_a = -[I, (-y_a, x_a)],     G_b = [I, (-y_b, x_b)],     (x, y) = R l
//   spatial   G_a = -[I, -R_a [l_a]x],     G_b = [I, -R_b [l_b]x]
//   gamma = -d''
//
// Row k of -R [l]x is l x (row k of R).

#include "constraints/separation.h"

TRM_WIDE static void planar_position(const trm_row_batch *batch, const trm_pose *pose,
                                     double *restrict g, double *restrict G)
{
    for (int i = 0; i < batch->n; i++) {
        double *Ga = &G[batch->Ga[i]], *Gb = &G[batch->Gb[i]];
        const planar_separation at = separation_planar(batch, pose, i);
        trm_pair_store(at.d, g + batch->row[i]);
        set3(Ga, -1.0, 0.0, at.arm_a[1]);
        set3(Ga + 3, 0.0, -1.0, -at.arm_a[0]);
        set3(Gb, 1.0, 0.0, -at.arm_b[1]);
        set3(Gb + 3, 0.0, 1.0, at.arm_b[0]);
    }
}

TRM_WIDE static void planar_gamma(const trm_row_batch *batch, const trm_pose *pose, const double *V,
                                  double *restrict gamma)
{
    for (int i = 0; i < batch->n; i++) {
        trm_pair_store(-separation_planar_jet(batch, pose, V, i).d2, gamma + batch->row[i]);
    }
}

/// [sign I, -sign R [l]x]
TRM_INLINE void block(double sign, const double *R, const double l[3], double *G)
{
    for (int k = 0; k < 3; k++) {
        double moment[3];
        cross(l, &R[3 * k], moment);
        set3(&G[6 * k], k == 0 ? sign : 0.0, k == 1 ? sign : 0.0, k == 2 ? sign : 0.0);
        scale(sign, moment, &G[6 * k + 3]);
    }
}

TRM_WIDE static void spatial_position(const trm_row_batch *batch, const trm_pose *pose,
                                      double *restrict g, double *restrict G)
{
    for (int i = 0; i < batch->n; i++) {
        double la[3], lb[3], d[3];
        separation_spatial(batch, pose, i, la, lb, d);
        set3(&g[batch->row[i]], d[0], d[1], d[2]);
        block(-1.0, &pose->R[9 * batch->a[i]], la, &G[batch->Ga[i]]);
        block(1.0, &pose->R[9 * batch->b[i]], lb, &G[batch->Gb[i]]);
    }
}

TRM_WIDE static void spatial_gamma(const trm_row_batch *batch, const trm_pose *pose,
                                   const double *V, double *restrict gamma)
{
    for (int i = 0; i < batch->n; i++) {
        double d[3], d1[3], d2[3];
        separation_spatial_jet(batch, pose, V, i, d, d1, d2);
        set3(&gamma[batch->row[i]], -d2[0], -d2[1], -d2[2]);
    }
}

const trm_row_ops trm_row_coincident_planar = {2, planar_position, planar_gamma};
const trm_row_ops trm_row_coincident_spatial = {3, spatial_position, spatial_gamma};
