// Spatial rigid bodies.
//
//   q = (p, quat)   v = (p', omega), omega in body axes
//   quat' = 1/2 quat * (0, omega)
//   M = diag(m, m, m, J)   v^T M v/2 = (m p' . p' + omega . J omega)/2
//   gyroscopic part of f: -omega x J omega
//
// quat = (w, x, y, z) takes body axes to world axes. R(quat) divides by |quat|^2,
// so it is orthogonal also while an integrator lets the length drift; N(q) is
// linear in quat, so omega keeps its meaning.

#include <math.h>

#include "bodies/dimensions.h"
#include "bodies/rotation.h"
#include "bodies/vector.h"

/// R = I + 2/|quat|^2 (w [u]x + [u]x [u]x),   u = (x, y, z)
static void rotation(const double *quat, double *R)
{
    const double w = quat[0], x = quat[1], y = quat[2], z = quat[3];
    const double f = 2.0 / (w * w + x * x + y * y + z * z);
    set3(R, 1.0 - f * (y * y + z * z), f * (x * y - w * z), f * (x * z + w * y));
    set3(R + 3, f * (x * y + w * z), 1.0 - f * (x * x + z * z), f * (y * z - w * x));
    set3(R + 6, f * (x * z - w * y), f * (y * z + w * x), 1.0 - f * (x * x + y * y));
}

static void normalize(double *quat)
{
    const double length =
        sqrt(quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3]);
    for (int k = 0; k < 4; k++) {
        quat[k] /= length;
    }
}

void trm_spatial_place(const double *q, int i, trm_pose *pose)
{
    set3(&pose->p[3 * i], q[0], q[1], q[2]);
    rotation(q + 3, &pose->R[9 * i]);
}

void trm_spatial_pose(const trm_bodies *bodies, const double *q, trm_pose *pose)
{
    const int n = bodies->n;
    for (int i = 0; i < n; i++) {
        if (!bodies->point[i]) {
            trm_spatial_place(&q[bodies->q0[i]], i, pose);
        }
    }
    set3(&pose->p[3 * n], 0.0, 0.0, 0.0);
    set3(&pose->R[9 * n + 0], 1.0, 0.0, 0.0);
    set3(&pose->R[9 * n + 3], 0.0, 1.0, 0.0);
    set3(&pose->R[9 * n + 6], 0.0, 0.0, 1.0);
}

void trm_spatial_rates(const trm_bodies *bodies, const double *q, const double *v, double *qdot)
{
    for (int i = 0; i < bodies->n; i++) {
        const double *qi = &q[bodies->q0[i]], *vi = &v[bodies->v0[i]];
        double *out = &qdot[bodies->q0[i]];
        set3(out, vi[0], vi[1], vi[2]);
        if (!bodies->point[i]) {
            trm_quaternion_rate(qi + 3, vi + 3, out + 3);
        }
    }
}

void trm_spatial_move(const trm_bodies *bodies, const double *dx, double *q)
{
    for (int i = 0; i < bodies->n; i++) {
        double *qi = &q[bodies->q0[i]], dquat[4];
        const double *dxi = &dx[bodies->v0[i]];
        add(qi, dxi, qi);
        if (!bodies->point[i]) {
            trm_quaternion_rate(qi + 3, dxi + 3, dquat);
            for (int k = 0; k < 4; k++) {
                qi[3 + k] += dquat[k];
            }
            normalize(qi + 3);
        }
    }
}

void trm_spatial_normalize(const trm_bodies *bodies, double *q)
{
    for (int i = 0; i < bodies->n; i++) {
        if (!bodies->point[i]) {
            normalize(&q[bodies->q0[i] + 3]);
        }
    }
}

void trm_spatial_multiply(const trm_bodies *bodies, const double *mass, const double *inertia,
                          double *x)
{
    for (int i = 0; i < bodies->n; i++) {
        double *xi = &x[bodies->v0[i]], turned[3];
        scale(mass[i], xi, xi);
        if (!bodies->point[i]) {
            rotate(&inertia[9 * i], xi + 3, turned);
            set3(xi + 3, turned[0], turned[1], turned[2]);
        }
    }
}

void trm_spatial_gyroscopic(const trm_bodies *bodies, const double *V, double *F)
{
    for (int i = 0; i < bodies->n; i++) {
        const double *omega = &V[6 * i + 3];
        double *torque = &F[6 * i + 3], momentum[3], turning[3];
        cross(omega, rotate(&bodies->inertia[9 * i], omega, momentum), turning);
        subtract(torque, turning, torque);
    }
}

double trm_spatial_kinetic(const trm_bodies *bodies, const double *V)
{
    double sum = 0.0;
    for (int i = 0; i < bodies->n; i++) {
        const double *v = &V[6 * i], *omega = v + 3;
        double momentum[3];
        rotate(&bodies->inertia[9 * i], omega, momentum);
        sum += bodies->mass[i] * dot(v, v) + dot(omega, momentum);
    }
    return 0.5 * sum;
}
