// Point masses.
//
//   q = position   v = velocity   M = m, N = identity
//
// Among its neighbours a point is a body that never turns: its rotation has no coordinate, its
// angle is 0, its R = I, and its inertia and inverse inertia are zero, so that loops over slots
// need not know it.

#include "bodies/dimensions.h"
#include "bodies/vector.h"

static void place_planar(const double *q, int i, trm_pose *pose)
{
    pose->x[i] = q[0];
    pose->y[i] = q[1];
    pose->angle[i] = 0.0;
}

static void place_spatial(const double *q, int i, trm_pose *pose)
{
    double *R = &pose->R[9 * i];
    set3(&pose->p[3 * i], q[0], q[1], q[2]);
    set3(R, 1.0, 0.0, 0.0);
    set3(R + 3, 0.0, 1.0, 0.0);
    set3(R + 6, 0.0, 0.0, 1.0);
}

void trm_point_mass_place(int dimension, const double *q, int i, trm_pose *pose)
{
    if (dimension == 2) {
        place_planar(q, i, pose);
    } else {
        place_spatial(q, i, pose);
    }
}

void trm_point_masses_place(const trm_bodies *bodies, const double *q, trm_pose *pose)
{
    for (int i = 0; i < bodies->n; i++) {
        if (!bodies->point[i]) {
            continue;
        }
        trm_point_mass_place(bodies->dimension, &q[bodies->q0[i]], i, pose);
    }
}
