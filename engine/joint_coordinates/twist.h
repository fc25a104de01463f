/// Twists and wrenches about centres, world axes. In the plane three numbers, the last of them
/// turning; in space eight, two vectors as quads, the second one turning. W is a literal where
/// these are called.
#pragma once

#include "base/loops.h"
#include "bodies/vector.h"
#include "engine/joint_coordinates/quad_vector.h"

enum { TRM_PLANAR_TWIST = 3, TRM_SPATIAL_TWIST = 8 };

TRM_INLINE double trm_twist_dot(int W, const double *x, const double *y)
{
    if (W == 3) {
        return dot(x, y);
    }
    const trm_quad sum =
        *trm_quad_at(x) * *trm_quad_at(y) + *trm_quad_at(x + 4) * *trm_quad_at(y + 4);
    return trm_quad_sum(&sum);
}

/// y := x
TRM_INLINE void trm_twist_copy(int W, const double *x, double *y)
{
    if (W == 3) {
        set3(y, x[0], x[1], x[2]);
    } else {
        *trm_quad_to(y) = *trm_quad_at(x);
        *trm_quad_to(y + 4) = *trm_quad_at(x + 4);
    }
}

/// y := factor x
TRM_INLINE void trm_twist_scale(int W, double factor, const double *x, double *y)
{
    if (W == 3) {
        scale(factor, x, y);
    } else {
        *trm_quad_to(y) = *trm_quad_at(x) * factor;
        *trm_quad_to(y + 4) = *trm_quad_at(x + 4) * factor;
    }
}

/// y += factor x
TRM_INLINE void trm_twist_add(int W, double factor, const double *x, double *y)
{
    if (W == 3) {
        set3(y, y[0] + factor * x[0], y[1] + factor * x[1], y[2] + factor * x[2]);
    } else {
        *trm_quad_to(y) += *trm_quad_at(x) * factor;
        *trm_quad_to(y + 4) += *trm_quad_at(x + 4) * factor;
    }
}

/// lin += the turning of x cross d
TRM_INLINE void trm_twist_turn(int W, const double *x, const double *d, double *lin)
{
    if (W == 3) {
        lin[0] -= x[2] * d[1];
        lin[1] += x[2] * d[0];
    } else {
        trm_quad turned;
        *trm_quad_to(lin) += *trm_quad_cross(x + 4, d, &turned);
    }
}

/// out := what the turning of x is at a point d away
TRM_INLINE void trm_twist_around(int W, const double *x, const double *d, double *out)
{
    if (W == 3) {
        set3(out, -x[2] * d[1], x[2] * d[0], x[2]);
    } else {
        trm_quad turned;
        *trm_quad_to(out) = *trm_quad_cross(x + 4, d, &turned);
        *trm_quad_to(out + 4) = *trm_quad_at(x + 4);
    }
}

/// y += the linear part of x
TRM_INLINE void trm_twist_shift(int W, const double *x, double *y)
{
    if (W == 3) {
        y[0] += x[0];
        y[1] += x[1];
    } else {
        *trm_quad_to(y) += *trm_quad_at(x);
    }
}

/// out := the twist x, of a body, at a point d away
TRM_INLINE void trm_twist_carry(int W, const double *x, const double *d, double *out)
{
    trm_twist_around(W, x, d, out);
    trm_twist_shift(W, x, out);
}

/// out := the wrench P, d away
TRM_INLINE void trm_wrench_at(int W, const double *P, const double *d, double *out)
{
    trm_twist_copy(W, P, out);
    if (W == 3) {
        out[2] += d[0] * P[1] - d[1] * P[0];
    } else {
        trm_quad turned;
        *trm_quad_to(out + 4) += *trm_quad_cross(d, P, &turned);
    }
}

/// on += the wrench P, d away
TRM_INLINE void trm_wrench_carry(int W, const double *P, const double *d, double *on)
{
    double moved[TRM_SPATIAL_TWIST];
    trm_wrench_at(W, P, d, moved);
    trm_twist_add(W, 1, moved, on);
}

/// a += v x s: how the twist s changes that moves with v
TRM_INLINE void trm_twist_cross(int W, const double *v, const double *s, double *a)
{
    trm_twist_turn(W, v, s, a);
    if (W == 3) {
        a[0] += v[1] * s[2];
        a[1] -= v[0] * s[2];
    } else {
        trm_quad x;
        *trm_quad_to(a) += *trm_quad_cross(v, s + 4, &x);
        *trm_quad_to(a + 4) += *trm_quad_cross(v + 4, s + 4, &x);
    }
}
