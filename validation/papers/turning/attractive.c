/// -eps u'' - (f_+-(x,u))' + g_+- = 0 with f_+- = x (u - u_+-), g_+- = u - u_+-, u_+- = +-1 the
/// reduced solutions of the two sides:
///
///     -eps D''w_i - D'_+- f_+-(x_i, w_i) + g_+-(x_i, w_i) = 0
///
/// with D' forward for x >= 0, else backward. The mesh is x = lambda(t), odd, with lambda = beta mu
/// t/(gamma - t) up to t = a0, mu = sqrt(eps), and a cubic from there to lambda(1) = 1 that keeps
/// two derivatives. a0 = beta = 1/2, gamma = a0 + sqrt(mu): the constants of the thesis cannot be
/// read. Solution: erf(x/sqrt(2 eps))/erf(1/sqrt(2 eps)).
#include "validation/papers/turning/turning.h"

#include <math.h>
#include <stdlib.h>

static double lambda(double eps, double t)
{
    const double mu = sqrt(eps), a0 = 0.5, beta = 0.5;
    const double gamma = a0 + sqrt(mu);
    if (t < 0) {
        return -lambda(eps, -t);
    }
    if (t <= a0) {
        return beta * mu * t / (gamma - t);
    }
    const double value = beta * mu * a0 / (gamma - a0);
    const double slope = beta * mu * gamma / ((gamma - a0) * (gamma - a0));
    const double bend = 2 * slope / (gamma - a0);
    const double s = t - a0, S = 1 - a0;
    const double cubic = (1 - value - slope * S - bend * S * S / 2) / (S * S * S);
    return value + s * (slope + s * (bend / 2 + s * cubic));
}

/// The row of w_i: below, own, above, right side.
static void row_of(double eps, const double x[3], double row[4])
{
    const double left = x[1] - x[0], right = x[2] - x[1];
    row[0] = -2 * eps / (left * (left + right));
    row[2] = -2 * eps / (right * (left + right));
    row[1] = -row[0] - row[2];
    if (x[1] >= 0) { // -(x_{i+1} (w_{i+1} - 1) - x_i (w_i - 1))/h + w_i - 1
        row[1] += x[1] / right + 1;
        row[2] -= x[2] / right;
        row[3] = x[1] / right - x[2] / right + 1;
    } else { // -(x_i (w_i + 1) - x_{i-1} (w_{i-1} + 1))/h + w_i + 1
        row[1] += -x[1] / left + 1;
        row[0] += x[0] / left;
        row[3] = x[1] / left - x[0] / left - 1;
    }
}

double trm_paper_attractive(double eps, int N)
{
    const int n = 2 * N;
    double *const w = calloc(3 * ((size_t)n + 1), sizeof *w);
    if (w == NULL) {
        return NAN;
    }
    double *const x = w + n + 1, *const up = x + n + 1;
    for (int i = 0; i <= n; i++) {
        x[i] = lambda(eps, (double)(i - N) / N);
    }
    w[0] = -1;
    w[n] = 1;
    for (int i = 1; i < n; i++) { // elimination downwards, no pivots: an M-matrix
        double row[4];
        row_of(eps, x + i - 1, row);
        const double pivot = row[1] - row[0] * up[i - 1];
        up[i] = row[2] / pivot;
        w[i] = (row[3] - row[0] * w[i - 1]) / pivot;
    }
    double off = 0;
    for (int i = n - 1; i > 0; i--) {
        w[i] -= up[i] * w[i + 1];
        const double exact = erf(x[i] / sqrt(2 * eps)) / erf(1 / sqrt(2 * eps));
        off += (x[i + 1] - x[i - 1]) / 2 * fabs(w[i] - exact);
    }
    free(w);
    return off;
}
