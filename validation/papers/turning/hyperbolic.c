/// The fitted scheme (6.63), explicit, with h = k:
///
///     gamma1 u_{t tbar} - gamma2 u_{x xbar} + a u_t + b u_xbar + c u = f,
///     u(k) - u(0) = k psi,
///     gamma1 = a k/(e^z - 1), z = a k/eps;   gamma2 = b h/(e^w - 1), w = b h/eps
///
/// a = 2, b = 1, c = 1/2, f = sin(pi x) (1 + t), u(x,0) = x^2 (1-x), u_t(x,0) =
/// sin(pi x), u = 0 at both ends: data that agree at the corner of the reduced
/// problem, which would have a kink otherwise.
#include "validation/papers/turning/turning.h"

#include <math.h>
#include <stdlib.h>

static const double a = 2, b = 1, c = 0.5;
static const double pi = 3.14159265358979323846;

static void first_levels(int n, double *old, double *now)
{
    for (int i = 0; i <= n; i++) {
        const double x = (double)i / n;
        old[i] = x * x * (1 - x);
        now[i] = old[i] + sin(pi * x) / n;
    }
}

/// u at t = 1 into now; old and next are work.
static void march(double eps, int n, int fitted, double *old, double *now, double *next)
{
    const double h = 1.0 / n, k = h;
    const double gamma1 = fitted ? a * k / expm1(a * k / eps) : eps;
    const double gamma2 = fitted ? b * h / expm1(b * h / eps) : eps;
    first_levels(n, old, now);
    for (int level = 1; level < n; level++) {
        const double t = level * k;
        for (int i = 1; i < n; i++) {
            const double f = sin(pi * i * h) * (1 + t);
            const double known = f - c * now[i] - b * (now[i] - now[i - 1]) / h +
                                 gamma2 * (now[i + 1] - 2 * now[i] + now[i - 1]) / (h * h) +
                                 gamma1 * (2 * now[i] - old[i]) / (k * k) + a * now[i] / k;
            next[i] = known / (gamma1 / (k * k) + a / k);
        }
        next[0] = next[n] = 0;
        for (int i = 0; i <= n; i++) {
            old[i] = now[i];
            now[i] = next[i];
        }
    }
}

double trm_paper_hyperbolic(double eps, int n, int fitted)
{
    const size_t room = 2 * (size_t)n + 1;
    double *const block = calloc(4 * room, sizeof *block);
    if (block == NULL) {
        return NAN;
    }
    double *const coarse = block + 3 * room;
    march(eps, n, fitted, block, coarse, block + room);
    march(eps, 2 * n, fitted, block, block + room, block + 2 * room);
    double off = 0;
    for (int i = 0; i <= n; i++) {
        off = fmax(off, fabs(coarse[i] - block[room + 2 * (size_t)i]));
    }
    free(block);
    return off;
}
