// The angle of b relative to a.
//
// Planar, any number of turns:
//
//   g = angle_b - angle_a - constant,   G_a = [0, 0, -1],   G_b = [0, 0, 1],   gamma = 0
//
// Spatial, in (-pi, pi], about the axis u of a, from the direction s_a to the direction s_b of b:
//
//   x = R_a s_a,   y = R_a (u x s_a),   z = R_b s_b,   c = z . x,   s = z . y,   g = atan2(s, c)
//   h = (c y - s x)/(c^2 + s^2),   g' = h . (z' - omega_a x z)
//   G_a = [0, R_a^T (h x z)],   G_b = [0, s_b x R_b^T h]
//   gamma = -((c s'' - s c'')/rho - g' rho'/rho),   rho = c^2 + s^2,   g' = (c s' - s c')/rho
//
// Exact also where the hinge is open and z leaves the plane of x and y; undefined only where z
// stands on that plane.

#include <math.h>

#include "constraints/separation.h"

static void planar_position(const trm_row_batch *batch, const trm_pose *pose, double *restrict g,
                            double *restrict G)
{
    for (int i = 0; i < batch->n; i++) {
        g[batch->row[i]] = pose->angle[batch->b[i]] - pose->angle[batch->a[i]] - batch->constant[i];
        set3(&G[batch->Ga[i]], 0.0, 0.0, -1.0);
        set3(&G[batch->Gb[i]], 0.0, 0.0, 1.0);
    }
}

static void planar_gamma(const trm_row_batch *batch, const trm_pose *pose, const double *V,
                         double *restrict gamma)
{
    (void)pose;
    (void)V;
    for (int i = 0; i < batch->n; i++) {
        gamma[batch->row[i]] = 0.0;
    }
}

/// s_a, u x s_a and s_b of entry i.
static inline void load_directions(const trm_row_batch *batch, int i, double x_a[3], double y_a[3],
                                   double z_b[3])
{
    double u[3];
    load(batch->ua, batch->stride, i, u);
    load(batch->sa, batch->stride, i, x_a);
    load(batch->sb, batch->stride, i, z_b);
    cross(u, x_a, y_a);
}

static void spatial_position(const trm_row_batch *batch, const trm_pose *pose, double *restrict g,
                             double *restrict G)
{
    for (int i = 0; i < batch->n; i++) {
        const double *Ra = &pose->R[9 * batch->a[i]], *Rb = &pose->R[9 * batch->b[i]];
        double *Ga = &G[batch->Ga[i]], *Gb = &G[batch->Gb[i]];
        double x_a[3], y_a[3], z_b[3], z[3], z_a[3], h_a[3], h[3], h_b[3];
        load_directions(batch, i, x_a, y_a, z_b);
        rotate(Rb, z_b, z);
        rotate_back(Ra, z, z_a);
        const double c = dot(z_a, x_a), s = dot(z_a, y_a), rho = c * c + s * s;
        for (int k = 0; k < 3; k++) {
            h_a[k] = (c * y_a[k] - s * x_a[k]) / rho;
        }
        rotate(Ra, h_a, h);
        rotate_back(Rb, h, h_b);
        g[batch->row[i]] = atan2(s, c);
        set3(Ga, 0.0, 0.0, 0.0);
        cross(h_a, z_a, Ga + 3);
        set3(Gb, 0.0, 0.0, 0.0);
        cross(z_b, h_b, Gb + 3);
    }
}

static void spatial_gamma(const trm_row_batch *batch, const trm_pose *pose, const double *V,
                          double *restrict gamma)
{
    for (int i = 0; i < batch->n; i++) {
        const int a = batch->a[i], b = batch->b[i];
        const double *Ra = &pose->R[9 * a], *omega_a = &V[6 * a + 3];
        double x_a[3], y_a[3], z_b[3], x[3][3], y[3][3], z[3][3], c[3], s[3];
        load_directions(batch, i, x_a, y_a, z_b);
        turn_spatial_jet(Ra, omega_a, x_a, x[0], x[1], x[2]);
        turn_spatial_jet(Ra, omega_a, y_a, y[0], y[1], y[2]);
        turn_spatial_jet(&pose->R[9 * b], &V[6 * b + 3], z_b, z[0], z[1], z[2]);
        dot_jet(z, x, c);
        dot_jet(z, y, s);
        const double rho = c[0] * c[0] + s[0] * s[0];
        const double rho1 = 2.0 * (c[0] * c[1] + s[0] * s[1]);
        const double g1 = (c[0] * s[1] - s[0] * c[1]) / rho;
        gamma[batch->row[i]] = -((c[0] * s[2] - s[0] * c[2]) - g1 * rho1) / rho;
    }
}

const trm_row_ops trm_row_angle_planar = {1, planar_position, planar_gamma};
const trm_row_ops trm_row_angle_spatial = {1, spatial_position, spatial_gamma};
