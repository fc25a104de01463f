// Planar rigid bodies.
//
//   q = (x, y, angle)   v = (vx, vy, rate)   N = identity
//   M = diag(m, m, I)   v^T M v/2 = (m (vx^2 + vy^2) + I rate^2)/2

#include "bodies/dimensions.h"
#include "bodies/sincos.h"

void trm_planar_pose(const trm_bodies *bodies, const double *q, trm_pose *pose)
{
    const int n = bodies->n;
    for (int i = 0; i < n; i++) {
        if (!bodies->point[i]) {
            const double *qi = &q[bodies->q0[i]];
            pose->x[i] = qi[0];
            pose->y[i] = qi[1];
            pose->angle[i] = qi[2];
        }
    }
    pose->x[n] = pose->y[n] = pose->angle[n] = 0.0;
    trm_sincos(n + 1, pose->angle, pose->s, pose->c);
}

void trm_planar_gather(const trm_bodies *bodies, const double *v, double *V)
{
    for (int i = 0; i < bodies->n; i++, V += 3) {
        const double *vi = &v[bodies->v0[i]];
        V[0] = vi[0];
        V[1] = vi[1];
        V[2] = bodies->point[i] ? 0.0 : vi[2];
    }
}

void trm_planar_scatter(const trm_bodies *bodies, const double *V, double *v)
{
    for (int i = 0; i < bodies->n; i++, V += 3) {
        double *vi = &v[bodies->v0[i]];
        vi[0] = V[0];
        vi[1] = V[1];
        if (!bodies->point[i]) {
            vi[2] = V[2];
        }
    }
}

void trm_planar_multiply(const trm_bodies *bodies, const double *mass, const double *inertia,
                         double *x)
{
    for (int i = 0; i < bodies->n; i++) {
        double *xi = &x[bodies->v0[i]];
        xi[0] *= mass[i];
        xi[1] *= mass[i];
        if (!bodies->point[i]) {
            xi[2] *= inertia[i];
        }
    }
}

double trm_planar_kinetic(const trm_bodies *bodies, const double *V)
{
    double sum = 0.0;
    for (int i = 0; i < bodies->n; i++) {
        const double *v = &V[3 * i];
        sum += bodies->mass[i] * (v[0] * v[0] + v[1] * v[1]) + bodies->inertia[i] * v[2] * v[2];
    }
    return 0.5 * sum;
}
