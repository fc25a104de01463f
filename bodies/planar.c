// Planar rigid bodies.
//
//   q = (x, y, angle)   v = (vx, vy, rate)   N = identity
//   M = diag(m, m, I)   v^T M v/2 = (m (vx^2 + vy^2) + I rate^2)/2

#include "bodies/dimensions.h"
#include "bodies/sincos.h"

void trm_planar_place(const double *q, int i, trm_pose *pose)
{
    pose->x[i] = q[0];
    pose->y[i] = q[1];
    pose->angle[i] = q[2];
    trm_sincos(1, &pose->angle[i], &pose->s[i], &pose->c[i]);
}

void trm_planar_pose(const trm_bodies *bodies, const double *q, trm_pose *pose)
{
    const int n = bodies->n;
    for (int i = 0; i < n; i++) {
        if (bodies->points == 0 || !bodies->point[i]) {
            const double *qi = bodies->points == 0 ? &q[3 * i] : &q[bodies->q0[i]];
            pose->x[i] = qi[0];
            pose->y[i] = qi[1];
            pose->angle[i] = qi[2];
        }
    }
    pose->x[n] = pose->y[n] = pose->angle[n] = pose->s[n] = 0.0;
    pose->c[n] = 1.0;
    trm_sincos(n % 4 == 3 ? n + 1 : n, pose->angle, pose->s, pose->c); // four are one
}
