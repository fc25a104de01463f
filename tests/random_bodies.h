/// Three bodies in a random state, for tests that compare formulas with differences: a rigid body,
/// a point mass, another rigid body; the ground behind them. The same seed gives the same state.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "bodies/bodies.h"
#include "bodies/vector.h"

enum { BODIES = 3, GROUND = 3, SLOTS = 6 * (BODIES + 1), COORDINATES = 7 * BODIES };

typedef struct world {
    uint64_t seed;
    trm_bodies bodies;
    int q0[BODIES], v0[BODIES], point[BODIES];
    double mass[BODIES + 1], inverse_mass[BODIES + 1];
    double inertia[9 * (BODIES + 1)], inverse_inertia[9 * (BODIES + 1)];
    double M[3 * BODIES], inverse_M[3 * BODIES];

    double t, q[COORDINATES], v[6 * BODIES], V[SLOTS];
    trm_pose pose;
    double x[BODIES + 1], y[BODIES + 1], angle[BODIES + 1], c[BODIES + 1], s[BODIES + 1];
    double p[3 * (BODIES + 1)], R[9 * (BODIES + 1)], scratch[1000];
} world;

/// Uniform in (-1, 1).
static inline double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

static inline void random_vector(uint64_t *seed, double *out, int n)
{
    for (int k = 0; k < n; k++) {
        out[k] = uniform(seed);
    }
}

/// A vector of unit length, not too close to the axes' planes to be special.
static inline void random_direction(uint64_t *seed, double *out, int n)
{
    double length = 0.0;
    random_vector(seed, out, n);
    for (int k = 0; k < n; k++) {
        out[k] += out[k] < 0.0 ? -0.1 : 0.1;
        length += out[k] * out[k];
    }
    for (int k = 0; k < n; k++) {
        out[k] /= sqrt(length);
    }
}

/// Principal moments 1, 2, 2.5 turned by a random rotation, and the inverse.
static inline void random_inertia(uint64_t *seed, double *J, double *inverse)
{
    static const double moment[3] = {1.0, 2.0, 2.5};
    double e[3][3], other[3];
    random_direction(seed, e[0], 3);
    random_direction(seed, other, 3);
    cross(e[0], other, e[1]);
    scale(1.0 / sqrt(dot(e[1], e[1])), e[1], e[1]);
    cross(e[0], e[1], e[2]);
    for (int k = 0; k < 9; k++) {
        J[k] = inverse[k] = 0.0;
        for (int i = 0; i < 3; i++) {
            J[k] += moment[i] * e[i][k / 3] * e[i][k % 3];
            inverse[k] += e[i][k / 3] * e[i][k % 3] / moment[i];
        }
    }
}

static inline void random_masses(world *w)
{
    const int planar = w->bodies.dimension == 2;
    memset(w->inertia, 0, sizeof w->inertia);
    memset(w->inverse_inertia, 0, sizeof w->inverse_inertia);
    w->mass[GROUND] = w->inverse_mass[GROUND] = 0.0;
    for (int i = 0; i < BODIES; i++) {
        w->mass[i] = 2.0 + uniform(&w->seed);
        w->inverse_mass[i] = 1.0 / w->mass[i];
        if (w->point[i]) {
            continue;
        }
        if (planar) {
            w->inertia[i] = 3.0 + uniform(&w->seed);
            w->inverse_inertia[i] = 1.0 / w->inertia[i];
        } else {
            random_inertia(&w->seed, &w->inertia[9 * i], &w->inverse_inertia[9 * i]);
        }
    }
}

/// M of planar bodies.
static inline void fill_diagonal(world *w)
{
    for (int i = 0; i < BODIES; i++) {
        for (int k = 0; k < (w->point[i] ? 2 : 3); k++) {
            w->M[w->v0[i] + k] = k < 2 ? w->mass[i] : w->inertia[i];
            w->inverse_M[w->v0[i] + k] = k < 2 ? w->inverse_mass[i] : w->inverse_inertia[i];
        }
    }
}

static inline void place(world *w)
{
    trm_bodies_pose(&w->bodies, w->t, w->q, &w->pose);
}

/// A random state, poses and slots up to date.
static inline void random_state(world *w)
{
    random_vector(&w->seed, w->q, w->bodies.nq);
    random_vector(&w->seed, w->v, w->bodies.nv);
    for (int i = 0; i < BODIES; i++) {
        if (w->bodies.dimension == 3 && !w->point[i]) {
            random_direction(&w->seed, &w->q[w->q0[i] + 3], 4);
        }
    }
    w->t = uniform(&w->seed);
    place(w);
    trm_bodies_gather(&w->bodies, w->v, w->V);
}

static inline void make_world(world *w, int dimension, uint64_t seed)
{
    *w = (world){.seed = seed, .point = {0, 1, 0}};
    int nq = 0, nv = 0;
    for (int i = 0; i < BODIES; i++) {
        w->q0[i] = nq;
        w->v0[i] = nv;
        nq += w->point[i] ? dimension : (dimension == 2 ? 3 : 7);
        nv += w->point[i] ? dimension : (dimension == 2 ? 3 : 6);
    }
    w->bodies = (trm_bodies){.n = BODIES,
                             .dimension = dimension,
                             .width = dimension == 2 ? 3 : 6,
                             .nq = nq,
                             .nv = nv,
                             .q0 = w->q0,
                             .v0 = w->v0,
                             .point = w->point,
                             .points = 1,
                             .mass = w->mass,
                             .inverse_mass = w->inverse_mass,
                             .inertia = w->inertia,
                             .inverse_inertia = w->inverse_inertia,
                             .diagonal = dimension == 2,
                             .M = w->M,
                             .inverse_M = w->inverse_M};
    w->pose = (trm_pose){.nbody = BODIES,
                         .width = w->bodies.width,
                         .x = w->x,
                         .y = w->y,
                         .angle = w->angle,
                         .c = w->c,
                         .s = w->s,
                         .p = w->p,
                         .R = w->R,
                         .scratch = w->scratch};
    random_masses(w);
    if (dimension == 2) {
        fill_diagonal(w);
    }
    random_state(w);
}

/// a * b of quaternions wxyz.
static inline void quaternion_product(const double *a, const double *b, double *out)
{
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/// The quaternion of the rotation by the angle |turn| about turn.
static inline void quaternion_exponential(const double turn[3], double *out)
{
    const double angle = sqrt(dot(turn, turn));
    const double f = angle > 0.0 ? sin(0.5 * angle) / angle : 0.5;
    out[0] = cos(0.5 * angle);
    scale(f, turn, out + 1);
}

/// Where q is after dt of motion with constant slot velocities: exact, of no code under test.
static inline void flow(const world *w, double dt, double *q)
{
    memcpy(q, w->q, sizeof w->q);
    for (int i = 0; i < BODIES; i++) {
        double *qi = &q[w->q0[i]], turn[3], step[4];
        const double *vi = &w->v[w->v0[i]];
        const int linear = w->bodies.dimension == 2 && !w->point[i] ? 3 : w->bodies.dimension;
        for (int k = 0; k < linear; k++) {
            qi[k] += dt * vi[k];
        }
        if (w->bodies.dimension == 3 && !w->point[i]) {
            quaternion_exponential(scale(dt, vi + 3, turn), step);
            quaternion_product(&w->q[w->q0[i] + 3], step, qi + 3);
        }
    }
}

/// The pose after dt of motion with constant slot velocities; dt = 0 returns to where w is.
static inline void place_after(world *w, double dt)
{
    double q[COORDINATES];
    flow(w, dt, q);
    trm_bodies_pose(&w->bodies, w->t + dt, q, &w->pose);
}

/// The pose after a displacement h of velocity component k alone, by trm_bodies_move.
static inline void place_moved(world *w, int k, double h)
{
    double q[COORDINATES], dx[6 * BODIES] = {0.0};
    memcpy(q, w->q, sizeof q);
    dx[k] = h;
    trm_bodies_move(&w->bodies, dx, q);
    trm_bodies_pose(&w->bodies, w->t, q, &w->pose);
}

/// Steps of the five-point difference formulas below; f[2] is in the middle.
static const double five[5] = {-2.0, -1.0, 0.0, 1.0, 2.0};

static inline double first_difference(const double f[5], double h)
{
    return (f[0] - 8.0 * f[1] + 8.0 * f[3] - f[4]) / (12.0 * h);
}

static inline double second_difference(const double f[5], double h)
{
    return (-f[0] + 16.0 * f[1] - 30.0 * f[2] + 16.0 * f[3] - f[4]) / (12.0 * h * h);
}
