/// Twists and wrenches about centres, world axes, of W numbers: in the plane 3, the last of them
/// turning; in space 6, the last three. W is a literal where these are called, and loops are
/// unrolled.
#ifndef TRM_TWIST_H
#define TRM_TWIST_H

#include "base/loops.h"
#include "bodies/vector.h"

TRM_INLINE double trm_twist_dot(int W, const double *x, const double *y)
{
    return W == 3 ? dot(x, y) : dot(x, y) + dot(x + 3, y + 3);
}

/// y := x, number by number: in one move the compiler would keep both in memory.
TRM_INLINE void trm_twist_copy(int W, const double *x, double *y)
{
    TRM_UNROLL
    for (int c = 0; c < W; c++) {
        y[c] = x[c];
    }
}

/// y := factor x
TRM_INLINE void trm_twist_scale(int W, double factor, const double *x, double *y)
{
    TRM_UNROLL
    for (int c = 0; c < W; c++) {
        y[c] = factor * x[c];
    }
}

/// y += factor x
TRM_INLINE void trm_twist_add(int W, double factor, const double *x, double *y)
{
    TRM_UNROLL
    for (int c = 0; c < W; c++) {
        y[c] += factor * x[c];
    }
}

/// lin += the turning of x cross d
TRM_INLINE void trm_twist_turn(int W, const double *x, const double *d, double *lin)
{
    if (W == 3) {
        lin[0] -= x[2] * d[1];
        lin[1] += x[2] * d[0];
    } else {
        double turned[3];
        add(lin, cross(x + 3, d, turned), lin);
    }
}

/// The numbers that are linear.
TRM_INLINE int trm_linear(int W)
{
    return W == 3 ? 2 : 3;
}

/// out := what the turning of x is at a point d away
TRM_INLINE void trm_twist_around(int W, const double *x, const double *d, double *out)
{
    TRM_UNROLL
    for (int c = 0; c < W; c++) {
        out[c] = c < trm_linear(W) ? 0 : x[c];
    }
    trm_twist_turn(W, x, d, out);
}

/// y += the linear part of x
TRM_INLINE void trm_twist_shift(int W, const double *x, double *y)
{
    TRM_UNROLL
    for (int c = 0; c < trm_linear(W); c++) {
        y[c] += x[c];
    }
}

/// out := the twist x, of a body, at a point d away
TRM_INLINE void trm_twist_carry(int W, const double *x, const double *d, double *out)
{
    trm_twist_around(W, x, d, out);
    trm_twist_shift(W, x, out);
}

/// on += the wrench P, d away
TRM_INLINE void trm_wrench_carry(int W, const double *P, const double *d, double *on)
{
    double turned[3];
    trm_twist_add(W, 1, P, on);
    if (W == 3) {
        on[2] += d[0] * P[1] - d[1] * P[0];
    } else {
        add(on + 3, cross(d, P, turned), on + 3);
    }
}

/// a += v x s: how the twist s changes that moves with v
TRM_INLINE void trm_twist_cross(int W, const double *v, const double *s, double *a)
{
    double x[3];
    trm_twist_turn(W, v, s, a);
    if (W == 3) {
        a[0] += v[1] * s[2];
        a[1] -= v[0] * s[2];
    } else {
        add(a, cross(v, s + 3, x), a);
        add(a + 3, cross(v + 3, s + 3, x), a + 3);
    }
}

/// A symmetric matrix of three rows: xx, xy, xz, yy, yz, zz. out := S v
TRM_INLINE double *trm_symmetric_times(const double *S, const double *v, double *out)
{
    return set3(out, S[0] * v[0] + S[1] * v[1] + S[2] * v[2],
                S[1] * v[0] + S[3] * v[1] + S[4] * v[2], S[2] * v[0] + S[4] * v[1] + S[5] * v[2]);
}

#endif
