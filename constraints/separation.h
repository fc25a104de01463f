/// The two points of an entry of a batch, and how they move.
///
///   r = p + R l,   d = r_b - r_a
///   planar    (R l)' = rate (-y, x),       (R l)'' = -rate^2 (x, y),  (x, y) = R l
///   spatial   (R l)' = R (omega x l),      (R l)'' = R (omega x (omega x l))
///
/// Second derivatives are those with all accelerations zero: the part that belongs to gamma.
#pragma once

#include "base/loops.h"
#include "base/pair.h"
#include "bodies/vector.h"
#include "constraints/rows.h"

/// (-y, x)
static inline trm_pair left_of(trm_pair x)
{
    return (trm_pair){-x[1], x[0]};
}

static inline double dot_planar(trm_pair x, trm_pair y)
{
    const trm_pair products = x * y;
    return products[0] + products[1];
}

static inline double cross_planar(trm_pair x, trm_pair y)
{
    const trm_pair products = x * (trm_pair){y[1], y[0]};
    return products[0] - products[1];
}

/// R l for entry i of a component-major array.
static inline trm_pair turn_planar(const trm_pose *pose, int body, const double *l, int stride,
                                   int i)
{
    const trm_pair own = {l[i], l[stride + i]};
    return pose->c[body] * own + pose->s[body] * left_of(own);
}

/// Arms R_a l_a and R_b l_b, and d.
typedef struct planar_separation {
    trm_pair arm_a, arm_b, d;
} planar_separation;

static inline planar_separation separation_planar(const trm_row_batch *batch, const trm_pose *pose,
                                                  int i)
{
    const int a = batch->a[i], b = batch->b[i];
    const trm_pair arm_a = turn_planar(pose, a, batch->la, batch->stride, i);
    const trm_pair arm_b = turn_planar(pose, b, batch->lb, batch->stride, i);
    const trm_pair r_a = (trm_pair){pose->x[a], pose->y[a]} + arm_a;
    const trm_pair r_b = (trm_pair){pose->x[b], pose->y[b]} + arm_b;
    return (planar_separation){arm_a, arm_b, r_b - r_a};
}

/// Velocity and rate of a body, in slots that need not hold the ground's.
static inline const double *velocity_of(const trm_pose *pose, const double *V, int body)
{
    static const double rest[3] = {0};
    return body < pose->nbody ? &V[3 * body] : rest;
}

/// d, d', d''.
typedef struct planar_jet {
    trm_pair d, d1, d2;
} planar_jet;

static inline planar_jet separation_planar_jet(const trm_row_batch *batch, const trm_pose *pose,
                                               const double *V, int i)
{
    const double *va = velocity_of(pose, V, batch->a[i]), *vb = velocity_of(pose, V, batch->b[i]);
    const planar_separation at = separation_planar(batch, pose, i);
    const trm_pair u_a = trm_pair_load(va) + va[2] * left_of(at.arm_a);
    const trm_pair u_b = trm_pair_load(vb) + vb[2] * left_of(at.arm_b);
    return (planar_jet){at.d, u_b - u_a, va[2] * va[2] * at.arm_a - vb[2] * vb[2] * at.arm_b};
}

/// Entry i of a component-major array.
static inline void load(const double *x, int stride, int i, double out[3])
{
    set3(out, x[i], x[stride + i], x[2 * stride + i]);
}

/// Points l_a and l_b in their bodies' frames, and d.
TRM_INLINE void separation_spatial(const trm_row_batch *batch, const trm_pose *pose, int i,
                                   double la[3], double lb[3], double d[3])
{
    const int a = batch->a[i], b = batch->b[i];
    double ra[3], rb[3];
    load(batch->la, batch->stride, i, la);
    load(batch->lb, batch->stride, i, lb);
    add(&pose->p[3 * a], rotate(&pose->R[9 * a], la, ra), ra);
    add(&pose->p[3 * b], rotate(&pose->R[9 * b], lb, rb), rb);
    subtract(rb, ra, d);
}

/// R l, (R l)', (R l)'' in world axes.
static inline void turn_spatial_jet(const double *R, const double *omega, const double l[3],
                                    double r[3], double r1[3], double r2[3])
{
    double first[3], second[3];
    cross(omega, l, first);
    cross(omega, first, second);
    rotate(R, l, r);
    rotate(R, first, r1);
    rotate(R, second, r2);
}

/// d, d', d''.
TRM_INLINE void separation_spatial_jet(const trm_row_batch *batch, const trm_pose *pose,
                                       const double *V, int i, double d[3], double d1[3],
                                       double d2[3])
{
    const int a = batch->a[i], b = batch->b[i];
    const double *va = &V[6 * a], *vb = &V[6 * b];
    double la[3], lb[3], r[2][3], r1[2][3], r2[2][3];
    load(batch->la, batch->stride, i, la);
    load(batch->lb, batch->stride, i, lb);
    turn_spatial_jet(&pose->R[9 * a], va + 3, la, r[0], r1[0], r2[0]);
    turn_spatial_jet(&pose->R[9 * b], vb + 3, lb, r[1], r1[1], r2[1]);
    for (int k = 0; k < 3; k++) {
        d[k] = (pose->p[3 * b + k] + r[1][k]) - (pose->p[3 * a + k] + r[0][k]);
        d1[k] = (vb[k] + r1[1][k]) - (va[k] + r1[0][k]);
        d2[k] = r2[1][k] - r2[0][k];
    }
}
