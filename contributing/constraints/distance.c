// Two points at a distance L.
//
//   g = (d . d - L^2)/(2 L),   d = r_b - r_a
//   planar    G_a = -[d, R_a l_a x d]/L,          G_b = [d, R_b l_b x d]/L
//   spatial   G_a = -[d, l_a x R_a^T d]/L,        G_b = [d, l_b x R_b^T d]/L
//   gamma = -(d' . d' + d . d'')/L
//
// A polynomial in the coordinates, without the kink that |d| - L has at d = 0; where g = 0 the two
// have the same gradient.

#include "constraints/separation.h"

TRM_WIDE static void planar_position(const trm_row_batch *batch, const trm_pose *pose,
                                     double *restrict g, double *restrict G)
{
    for (int i = 0; i < batch->n; i++) {
        const double L = batch->constant[i];
        double *Ga = &G[batch->Ga[i]], *Gb = &G[batch->Gb[i]];
        const planar_separation at = separation_planar(batch, pose, i);
        const trm_pair e = at.d / L;
        g[batch->row[i]] = 0.5 * (dot_planar(at.d, e) - L);
        trm_pair_store(-e, Ga);
        trm_pair_store(e, Gb);
        Ga[2] = cross_planar(e, at.arm_a);
        Gb[2] = cross_planar(at.arm_b, e);
    }
}

TRM_WIDE static void planar_gamma(const trm_row_batch *batch, const trm_pose *pose, const double *V,
                                  double *restrict gamma)
{
    for (int i = 0; i < batch->n; i++) {
        const planar_jet at = separation_planar_jet(batch, pose, V, i);
        gamma[batch->row[i]] =
            -(dot_planar(at.d1, at.d1) + dot_planar(at.d, at.d2)) / batch->constant[i];
    }
}

static void spatial_position(const trm_row_batch *batch, const trm_pose *pose, double *restrict g,
                             double *restrict G)
{
    for (int i = 0; i < batch->n; i++) {
        const double L = batch->constant[i];
        double *Ga = &G[batch->Ga[i]], *Gb = &G[batch->Gb[i]];
        double la[3], lb[3], d[3], e[3], e_a[3], e_b[3];
        separation_spatial(batch, pose, i, la, lb, d);
        scale(1.0 / L, d, e);
        rotate_back(&pose->R[9 * batch->a[i]], e, e_a);
        rotate_back(&pose->R[9 * batch->b[i]], e, e_b);
        g[batch->row[i]] = 0.5 * (dot(d, e) - L);
        scale(-1.0, e, Ga);
        cross(e_a, la, Ga + 3);
        scale(1.0, e, Gb);
        cross(lb, e_b, Gb + 3);
    }
}

static void spatial_gamma(const trm_row_batch *batch, const trm_pose *pose, const double *V,
                          double *restrict gamma)
{
    for (int i = 0; i < batch->n; i++) {
        double d[3], d1[3], d2[3];
        separation_spatial_jet(batch, pose, V, i, d, d1, d2);
        gamma[batch->row[i]] = -(dot(d1, d1) + dot(d, d2)) / batch->constant[i];
    }
}

const trm_row_ops trm_row_distance_planar = {1, planar_position, planar_gamma};
const trm_row_ops trm_row_distance_spatial = {1, spatial_position, spatial_gamma};
