/// Vectors of three components. Functions with a result vector return it; it may not be an argument
/// of the same call unless said otherwise.
#pragma once

static inline double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double *set3(double out[3], double x, double y, double z)
{
    out[0] = x;
    out[1] = y;
    out[2] = z;
    return out;
}

/// a x b
static inline double *cross(const double a[3], const double b[3], double out[3])
{
    return set3(out, a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                a[0] * b[1] - a[1] * b[0]);
}

/// a + b; out may be a or b.
static inline double *add(const double a[3], const double b[3], double out[3])
{
    return set3(out, a[0] + b[0], a[1] + b[1], a[2] + b[2]);
}

/// a - b; out may be a or b.
static inline double *subtract(const double a[3], const double b[3], double out[3])
{
    return set3(out, a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// factor a; out may be a.
static inline double *scale(double factor, const double a[3], double out[3])
{
    return set3(out, factor * a[0], factor * a[1], factor * a[2]);
}

/// R a, R row-major.
static inline double *rotate(const double *R, const double a[3], double out[3])
{
    return set3(out, dot(R, a), dot(R + 3, a), dot(R + 6, a));
}

/// R^T a, R row-major.
static inline double *rotate_back(const double *R, const double a[3], double out[3])
{
    return set3(out, R[0] * a[0] + R[3] * a[1] + R[6] * a[2],
                R[1] * a[0] + R[4] * a[1] + R[7] * a[2], R[2] * a[0] + R[5] * a[1] + R[8] * a[2]);
}

/// (e, e', e'') of e = a . b, each given by its three derivatives.
static inline void dot_jet(double a[3][3], double b[3][3], double out[3])
{
    out[0] = dot(a[0], b[0]);
    out[1] = dot(a[1], b[0]) + dot(a[0], b[1]);
    out[2] = dot(a[2], b[0]) + 2.0 * dot(a[1], b[1]) + dot(a[0], b[2]);
}
