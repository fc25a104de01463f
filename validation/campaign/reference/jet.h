// Truncated Taylor series in one variable s: Dual to first, Jet to second order.
// The derivatives of constraints come from these, not from formulas written per joint.
#pragma once
#include <cmath>

struct Dual { // a + b s
    double a, b;
    Dual(double value = 0, double first = 0) : a(value), b(first)
    {
    }
};
struct Jet { // a + b s + c s^2 / 2
    double a, b, c;
    Jet(double value = 0, double first = 0, double second = 0) : a(value), b(first), c(second)
    {
    }
};

inline Dual operator+(Dual x, Dual y)
{
    return {x.a + y.a, x.b + y.b};
}
inline Dual operator-(Dual x, Dual y)
{
    return {x.a - y.a, x.b - y.b};
}
inline Dual operator*(Dual x, Dual y)
{
    return {x.a * y.a, x.a * y.b + x.b * y.a};
}
inline Jet operator+(Jet x, Jet y)
{
    return {x.a + y.a, x.b + y.b, x.c + y.c};
}
inline Jet operator-(Jet x, Jet y)
{
    return {x.a - y.a, x.b - y.b, x.c - y.c};
}
inline Jet operator*(Jet x, Jet y)
{
    return {x.a * y.a, x.a * y.b + x.b * y.a, x.a * y.c + 2 * x.b * y.b + x.c * y.a};
}

// f(x) from the values of f, f', f'' at x.a
inline double chain(double, double f, double, double)
{
    return f;
}
inline Dual chain(Dual x, double f, double f1, double)
{
    return {f, f1 * x.b};
}
inline Jet chain(Jet x, double f, double f1, double f2)
{
    return {f, f1 * x.b, f1 * x.c + f2 * x.b * x.b};
}
inline double value(double x)
{
    return x;
}
inline double value(Dual x)
{
    return x.a;
}
inline double value(Jet x)
{
    return x.a;
}

template <class T> T inverse(T x)
{
    double a = value(x);
    return chain(x, 1 / a, -1 / (a * a), 2 / (a * a * a));
}
template <class T> T j_sin(T x)
{
    double a = value(x);
    return chain(x, sin(a), cos(a), -sin(a));
}
template <class T> T j_cos(T x)
{
    double a = value(x);
    return chain(x, cos(a), -sin(a), -cos(a));
}
template <class T> T j_exp(T x)
{
    double e = exp(value(x));
    return chain(x, e, e, e);
}
template <class T> T j_log(T x)
{
    double a = value(x);
    return chain(x, log(a), 1 / a, -1 / (a * a));
}
template <class T> T j_sqrt(T x)
{
    double r = sqrt(value(x));
    return chain(x, r, 0.5 / r, -0.25 / (r * r * r));
}
template <class T> T j_atan(T x)
{
    double a = value(x), w = 1 / (1 + a * a);
    return chain(x, atan(a), w, -2 * a * w * w);
}
template <class T> T j_asin(T x)
{
    double a = value(x), w = 1 / sqrt(1 - a * a);
    return chain(x, asin(a), w, a * w * w * w);
}
template <class T> T j_atan2(T y, T x)
{
    T angle =
        fabs(value(x)) >= fabs(value(y)) ? j_atan(y * inverse(x)) : T(0) - j_atan(x * inverse(y));
    return angle + T(atan2(value(y), value(x)) - value(angle));
}
template <class T> T j_pow(T x, double n)
{
    double a = value(x);
    if (n == 0)
        return T(1);
    return chain(x, pow(a, n), n == 1 ? 1 : n * pow(a, n - 1),
                 n == 1   ? 0
                 : n == 2 ? 2
                          : n * (n - 1) * pow(a, n - 2));
}

template <class T> struct Vec {
    T x, y, z;
};
template <class T> Vec<T> operator+(const Vec<T> &a, const Vec<T> &b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T> Vec<T> operator-(const Vec<T> &a, const Vec<T> &b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T> Vec<T> operator*(const Vec<T> &a, T f)
{
    return {a.x * f, a.y * f, a.z * f};
}
template <class T> T dot(const Vec<T> &a, const Vec<T> &b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T> Vec<T> cross(const Vec<T> &a, const Vec<T> &b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
using V3 = Vec<double>;
inline double norm(const V3 &a)
{
    return sqrt(dot(a, a));
}
inline V3 unit(const V3 &a)
{
    return a * (1 / norm(a));
}

template <class T> struct Mat { // three columns
    Vec<T> c[3];
};
template <class T> Vec<T> operator*(const Mat<T> &m, const V3 &v)
{
    return m.c[0] * T(v.x) + m.c[1] * T(v.y) + m.c[2] * T(v.z);
}
using M3 = Mat<double>;
inline V3 transposed_times(const M3 &m, const V3 &v)
{
    return {dot(m.c[0], v), dot(m.c[1], v), dot(m.c[2], v)};
}
inline M3 transpose(const M3 &m)
{
    return {{{m.c[0].x, m.c[1].x, m.c[2].x},
             {m.c[0].y, m.c[1].y, m.c[2].y},
             {m.c[0].z, m.c[1].z, m.c[2].z}}};
}
