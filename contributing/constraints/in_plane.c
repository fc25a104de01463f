// A point of b in a plane of a; the coordinate of b's point along a direction of a.
//
//   g = n . d,   d = r_b - r_a,   n = R_a n_l
//   planar    G_a = [-n, n x (d + R_a l_a)],          G_b = [n, R_b l_b x n]
//   spatial   G_a = [-n, n_l x (R_a^T d + l_a)],      G_b = [n, l_b x R_b^T n]
//   gamma = -(2 n' . d' + n'' . d + n . d'')

#include "constraints/separation.h"

TRM_WIDE static void planar_position(const trm_row_batch *batch, const trm_pose *pose,
                                     double *restrict g, double *restrict G)
{
    for (int i = 0; i < batch->n; i++) {
        double *Ga = &G[batch->Ga[i]], *Gb = &G[batch->Gb[i]];
        const planar_separation at = separation_planar(batch, pose, i);
        const trm_pair n = turn_planar(pose, batch->a[i], batch->ua, batch->stride, i);
        g[batch->row[i]] = dot_planar(n, at.d);
        trm_pair_store(-n, Ga);
        trm_pair_store(n, Gb);
        Ga[2] = cross_planar(n, at.d + at.arm_a);
        Gb[2] = cross_planar(at.arm_b, n);
    }
}

TRM_WIDE static void planar_gamma(const trm_row_batch *batch, const trm_pose *pose, const double *V,
                                  double *restrict gamma)
{
    for (int i = 0; i < batch->n; i++) {
        const double rate = velocity_of(pose, V, batch->a[i])[2];
        const planar_jet at = separation_planar_jet(batch, pose, V, i);
        const trm_pair n = turn_planar(pose, batch->a[i], batch->ua, batch->stride, i);
        const double n1_d1 = rate * cross_planar(n, at.d1);
        gamma[batch->row[i]] = -(2.0 * n1_d1 + dot_planar(n, at.d2 - rate * rate * at.d));
    }
}

static void spatial_position(const trm_row_batch *batch, const trm_pose *pose, double *restrict g,
                             double *restrict G)
{
    for (int i = 0; i < batch->n; i++) {
        const double *Ra = &pose->R[9 * batch->a[i]], *Rb = &pose->R[9 * batch->b[i]];
        double *Ga = &G[batch->Ga[i]], *Gb = &G[batch->Gb[i]];
        double la[3], lb[3], d[3], n_a[3], n[3], n_b[3], lever[3];
        separation_spatial(batch, pose, i, la, lb, d);
        load(batch->ua, batch->stride, i, n_a);
        rotate(Ra, n_a, n);
        rotate_back(Rb, n, n_b);
        rotate_back(Ra, d, lever);
        add(lever, la, lever);
        g[batch->row[i]] = dot(n, d);
        scale(-1.0, n, Ga);
        cross(n_a, lever, Ga + 3);
        scale(1.0, n, Gb);
        cross(lb, n_b, Gb + 3);
    }
}

static void spatial_gamma(const trm_row_batch *batch, const trm_pose *pose, const double *V,
                          double *restrict gamma)
{
    for (int i = 0; i < batch->n; i++) {
        const int a = batch->a[i];
        double d[3], d1[3], d2[3], n_a[3], n[3], n1[3], n2[3];
        separation_spatial_jet(batch, pose, V, i, d, d1, d2);
        load(batch->ua, batch->stride, i, n_a);
        turn_spatial_jet(&pose->R[9 * a], &V[6 * a + 3], n_a, n, n1, n2);
        gamma[batch->row[i]] = -(2.0 * dot(n1, d1) + dot(n2, d) + dot(n, d2));
    }
}

const trm_row_ops trm_row_in_plane_planar = {1, planar_position, planar_gamma};
const trm_row_ops trm_row_in_plane_spatial = {1, spatial_position, spatial_gamma};
