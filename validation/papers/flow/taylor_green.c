#include "validation/papers/flow/taylor_green.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static double decay(const trm_paper_mac *mac, double t)
{
    return exp(-2 * pi * pi * mac->nu * t);
}

void trm_paper_taylor_green(const trm_paper_mac *mac, double t, double *x)
{
    const int n = mac->n;
    const double F = decay(mac, t);
    for (int j = 0; j < n; j++) {
        for (int i = 1; i < n; i++) {
            const double along = pi * i / n, across = pi * (j + 0.5) / n;
            x[trm_paper_mac_u(mac, i, j)] = sin(along) * cos(across) * F;
            x[trm_paper_mac_v(mac, j, i)] = -cos(across) * sin(along) * F;
        }
    }
}

double trm_paper_taylor_green_eu(const trm_paper_mac *mac, double t, const double *x)
{
    const int n = mac->n;
    const double F = decay(mac, t);
    double off = 0;
    for (int j = 0; j < n; j++) {
        for (int i = 1; i < n; i++) {
            const double exact = sin(pi * i / n) * cos(pi * (j + 0.5) / n) * F;
            off = fmax(off, fabs(x[trm_paper_mac_u(mac, i, j)] - exact));
            off = fmax(off, fabs(x[trm_paper_mac_v(mac, j, i)] + exact));
        }
    }
    return off;
}

double trm_paper_taylor_green_ep(const trm_paper_mac *mac, double t, const double *y)
{
    const int n = mac->n;
    const double F = decay(mac, t);
    double off = 0, mean = 0;
    for (int k = 0; k < n * n; k++) {
        mean += y[k] / (n * n);
    }
    for (int k = 0; k < n * n; k++) {
        const double px = (k % n + 0.5) / n, py = (k / n + 0.5) / n;
        const double exact = (cos(2 * pi * px) + cos(2 * pi * py)) * F * F / 4;
        off = fmax(off, fabs(y[k] - mean - exact));
    }
    return off;
}
