// All bodies of a model: the part common to both dimensions; the rest is in planar.c and spatial.c.
//
// q and v hold the bodies one after the other, v the states behind them; slots hold `width`
// components of every body and of the ground, then the states.

#include <string.h>

#include "base/loops.h"
#include "bodies/bodies.h"
#include "bodies/dimensions.h"
#include "bodies/planar_energy.h"

/// The number of velocity components of body i; the rotation of a point has none.
static int components(const trm_bodies *bodies, int i)
{
    return bodies->point[i] ? bodies->dimension : bodies->width;
}

void trm_bodies_pose(const trm_bodies *bodies, double t, const double *q, trm_pose *pose)
{
    pose->t = t;
    if (bodies->points > 0) {
        trm_point_masses_place(bodies, q, pose);
    }
    if (bodies->dimension == 2) {
        trm_planar_pose(bodies, q, pose);
    } else {
        trm_spatial_pose(bodies, q, pose);
    }
}

void trm_bodies_place(const trm_bodies *bodies, int i, const double *q, const double *v,
                      trm_pose *pose, double *V)
{
    double *const slots = &V[bodies->width * i];
    q += bodies->q0[i];
    if (bodies->point[i]) {
        trm_point_mass_place(bodies->dimension, q, i, pose);
    } else if (bodies->dimension == 2) {
        trm_planar_place(q, i, pose);
    } else {
        trm_spatial_place(q, i, pose);
    }
    memset(slots, 0, (size_t)bodies->width * sizeof *slots);
    memcpy(slots, &v[bodies->v0[i]], (size_t)components(bodies, i) * sizeof *slots);
}

trm_bodies trm_bodies_one(const trm_bodies *bodies, int i)
{
    static const int zero = 0;
    const int v0 = bodies->v0[i], square = bodies->dimension == 2 ? 1 : 9;
    trm_bodies one = *bodies;
    one.n = 1;
    one.nv = components(bodies, i);
    one.states = 0;
    one.points = bodies->point[i] != 0;
    one.q0 = one.v0 = &zero;
    one.point += i;
    one.mass += i;
    one.inverse_mass += i;
    one.inertia += square * i;
    one.inverse_inertia += square * i;
    one.M = bodies->diagonal ? bodies->M + v0 : NULL;
    one.inverse_M = bodies->diagonal ? bodies->inverse_M + v0 : NULL;
    return one;
}

/// The ground does not move.
static void clear_ground(const trm_bodies *bodies, double *V)
{
    double *ground = &V[bodies->width * bodies->n];
    ground[0] = ground[1] = ground[2] = 0;
    if (bodies->width == 6) {
        ground[3] = ground[4] = ground[5] = 0;
    }
}

int trm_bodies_slots(const trm_bodies *bodies)
{
    return bodies->width * (bodies->n + 1) + bodies->states;
}

/// States stand behind the ground in slots, behind the bodies in v.
static void copy_states(const trm_bodies *bodies, const double *from, double *to)
{
    for (int i = 0; i < bodies->states; i++) {
        to[i] = from[i];
    }
}

void trm_bodies_gather(const trm_bodies *bodies, const double *v, double *V)
{
    const int width = bodies->width, own = bodies->nv - bodies->states;
    clear_ground(bodies, V);
    copy_states(bodies, v + own, V + width * (bodies->n + 1));
    if (bodies->points == 0) {
        memcpy(V, v, (size_t)own * sizeof *V);
        return;
    }
    for (int i = 0; i < bodies->n; i++) {
        const int n = components(bodies, i);
        memset(&V[width * i], 0, (size_t)width * sizeof *V);
        memcpy(&V[width * i], &v[bodies->v0[i]], (size_t)n * sizeof *V);
    }
}

void trm_bodies_scatter(const trm_bodies *bodies, const double *V, double *v)
{
    const int width = bodies->width, own = bodies->nv - bodies->states;
    copy_states(bodies, V + width * (bodies->n + 1), v + own);
    if (bodies->points == 0) {
        memcpy(v, V, (size_t)own * sizeof *V);
        return;
    }
    for (int i = 0; i < bodies->n; i++) {
        const int n = components(bodies, i);
        memcpy(&v[bodies->v0[i]], &V[width * i], (size_t)n * sizeof *V);
    }
}

TRM_WIDE static void multiply(int n, const double *restrict diagonal, const double *restrict x,
                              double *restrict out)
{
    for (int i = 0; i < n; i++) {
        out[i] = diagonal[i] * x[i];
    }
}

TRM_WIDE static void multiply_in_place(int n, const double *restrict diagonal, double *restrict x)
{
    for (int i = 0; i < n; i++) {
        x[i] *= diagonal[i];
    }
}

void trm_bodies_scatter_solved(const trm_bodies *bodies, const double *F, double *v)
{
    if (bodies->diagonal && bodies->points + bodies->states == 0) {
        multiply(bodies->nv, bodies->inverse_M, F, v);
    } else {
        trm_bodies_scatter(bodies, F, v);
        trm_bodies_solve(bodies, v);
    }
}

TRM_WIDE static void subtract(int n, const double *restrict diagonal, const double *restrict x,
                              double *restrict out)
{
    for (int i = 0; i < n; i++) {
        out[i] -= diagonal[i] * x[i];
    }
}

void trm_bodies_subtract_solved(const trm_bodies *bodies, const double *F, double *room, double *v)
{
    if (bodies->diagonal && bodies->points + bodies->states == 0) {
        subtract(bodies->nv, bodies->inverse_M, F, v);
        return;
    }
    trm_bodies_scatter_solved(bodies, F, room);
    for (int i = 0; i < bodies->nv; i++) {
        v[i] -= room[i];
    }
}

void trm_bodies_rates(const trm_bodies *bodies, const double *q, const double *v, double *qdot)
{
    if (bodies->dimension == 2) {
        memcpy(qdot, v, (size_t)bodies->nq * sizeof *qdot);
    } else {
        trm_spatial_rates(bodies, q, v, qdot);
    }
}

void trm_bodies_move(const trm_bodies *bodies, const double *dx, double *q)
{
    if (bodies->dimension == 2) {
        for (int i = 0; i < bodies->nq; i++) {
            q[i] += dx[i];
        }
    } else {
        trm_spatial_move(bodies, dx, q);
    }
}

void trm_bodies_normalize(const trm_bodies *bodies, double *q)
{
    if (bodies->dimension == 3) {
        trm_spatial_normalize(bodies, q);
    }
}

void trm_bodies_multiply(const trm_bodies *bodies, double *x)
{
    if (bodies->diagonal) {
        multiply_in_place(bodies->nv, bodies->M, x);
    } else {
        trm_spatial_multiply(bodies, bodies->mass, bodies->inertia, x);
    }
}

void trm_bodies_solve(const trm_bodies *bodies, double *x)
{
    if (bodies->diagonal) {
        multiply_in_place(bodies->nv, bodies->inverse_M, x);
    } else {
        trm_spatial_multiply(bodies, bodies->inverse_mass, bodies->inverse_inertia, x);
    }
}

void trm_bodies_solve_heavy(const trm_bodies *bodies, double *x)
{
    trm_spatial_multiply(bodies, bodies->inverse_mass, bodies->inverse_heavy, x);
}

void trm_bodies_gyroscopic(const trm_bodies *bodies, const double *V, double *F)
{
    if (bodies->dimension == 3) {
        trm_spatial_gyroscopic(bodies, V, F);
    }
}

double trm_bodies_kinetic(const trm_bodies *bodies, const double *V)
{
    return bodies->dimension == 2 ? trm_planar_kinetic(bodies->n, bodies->mass, bodies->inertia, V)
                                  : trm_spatial_kinetic(bodies, V);
}
