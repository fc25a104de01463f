/// With f(x,u) = int_0^u b ds = -x u and E(x) = int_0^x g(t, v(t)) dt =
/// -sin x the problem is once integrated:
///
///     eps y' + f(x,y) = E(x),    y(1) = 2
///
/// and stepped from x = 1 towards the turning point. With d = (f - E)/x and e = d + m1 y, m1 x >=
/// -f_u:
///
///     k_i = exp(-m1 (x_{i+1}^2 - x_i^2)/(2 eps)),   y_i = k_i y_{i+1} + (1 - k_i) e(x_{i+1},
///     y_{i+1})/m1
///
/// on a mesh that is graded in the layer at x = 1. By substitution
/// the same equation has the solution
///
///     y(x) = 2 e^{-S} + int_0^S (sin t/t) e^{-s} ds,   t^2 = x^2 + 2 eps s,  S = (1 - x^2)/(2
///     eps).
#include "validation/papers/turning/turning.h"

#include <math.h>
#include <stdlib.h>

static const double end = 2; // u(+-1)

static double sinc(double t)
{
    return t > 1e-4 ? sin(t) / t : 1 - t * t / 6;
}

/// Gauss's three points on intervals of length 1/8 at most; e^-40 is nothing.
static double exact(double eps, double x)
{
    static const double weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    const double S = (1 - x * x) / (2 * eps);
    const double reach = S < 40 ? S : 40;
    const int pieces = (int)ceil(8 * reach) + 1;
    double sum = 0;
    for (int k = 0; k < 3 * pieces; k++) {
        const double s = reach / pieces * (k / 3 + 0.5 + (k % 3 - 1) * sqrt(0.15));
        sum += weight[k % 3] * sinc(sqrt(x * x + 2 * eps * s)) * exp(-s);
    }
    return end * exp(-S) + reach / pieces * sum;
}

/// x_i = 1 + eps ln(1 - (N - i)(1 - eps)/N1) for the last N1 = N/2 intervals, uniform below.
static void mesh(double eps, int N, double *x)
{
    const int N1 = N / 2;
    for (int i = N - N1; i <= N; i++) {
        x[i] = 1 + eps * log1p(-(N - i) * (1 - eps) / N1);
    }
    for (int i = 0; i < N - N1; i++) {
        x[i] = x[N - N1] * i / (N - N1);
    }
}

double trm_paper_repulsive(double eps, int N)
{
    double *const x = calloc((size_t)N + 1, sizeof *x);
    if (x == NULL || eps >= 1) { // the graded mesh is that of eps < 1
        free(x);
        return NAN;
    }
    mesh(eps, N, x);
    double y = end, off = fabs(sinc(0) - exact(eps, 0)); // y(0) := v(0), the reduced solution
    for (int i = N - 1; i > 0; i--) {
        const double right = x[i + 1];
        const double e = (-right * y + sin(right)) / right + y; // m1 = 1
        const double k = exp(-(right - x[i]) * (right + x[i]) / (2 * eps));
        y = k * y + (1 - k) * e;
        off = fmax(off, fabs(y - exact(eps, x[i])));
    }
    free(x);
    return off;
}
