/// One V-cycle for (c0 I + c1 GB) y = r, GB = -div grad on n by n
/// cells, the five-point differences:
///
///     (c0 + c1 d_k/h^2) y_k - c1/h^2 sum over neighbours y_l = r_k,    d_k neighbours
///
/// Gauss-Seidel in red and black before, in black and red after, so that the cycle is symmetric;
/// four cells make one, means down and constants up, the same differences on every grid. An odd n
/// ends the descent.
#include "validation/papers/flow/mac.h"

#include <stdlib.h>

enum { SWEEPS = 2, COARSEST = 60 }; ///< of smoothing on a grid; on the last

typedef struct grid {
    int n;
    double c0, c; ///< c = c1/h^2
    double *y, *r;
} grid;

static double neighbours(const grid *g, int i, int j, int *count)
{
    const int n = g->n;
    const double *y = g->y + j * n + i;
    double sum = 0;
    *count = (i > 0) + (i < n - 1) + (j > 0) + (j < n - 1);
    sum += i > 0 ? y[-1] : 0;
    sum += i < n - 1 ? y[1] : 0;
    sum += j > 0 ? y[-n] : 0;
    sum += j < n - 1 ? y[n] : 0;
    return sum;
}

static void smooth(const grid *g, int colour)
{
    for (int j = 0; j < g->n; j++) {
        for (int i = (j + colour) % 2; i < g->n; i += 2) {
            int count;
            const double sum = neighbours(g, i, j, &count);
            const double d = g->c0 + g->c * count;
            if (d > 0) {
                g->y[j * g->n + i] = (g->r[j * g->n + i] + g->c * sum) / d;
            }
        }
    }
}

/// coarse->r := means of the residual, coarse->y := 0.
static void restrict_to(const grid *g, const grid *coarse)
{
    const int m = coarse->n;
    for (int k = 0; k < m * m; k++) {
        coarse->r[k] = coarse->y[k] = 0;
    }
    for (int j = 0; j < g->n; j++) {
        for (int i = 0; i < g->n; i++) {
            int count;
            const double sum = neighbours(g, i, j, &count);
            const double y = g->y[j * g->n + i];
            const double left = g->r[j * g->n + i] - (g->c0 + g->c * count) * y + g->c * sum;
            coarse->r[j / 2 * m + i / 2] += left / 4;
        }
    }
}

static void cycle(const grid *g, double *work)
{
    const int n = g->n;
    const int last = n % 2 != 0 || n < 4;
    for (int s = 0; s < (last ? COARSEST : SWEEPS); s++) {
        smooth(g, 0);
        smooth(g, 1);
    }
    if (!last) {
        const int m = n / 2;
        const grid coarse = {m, g->c0, g->c / 4, work, work + m * m};
        restrict_to(g, &coarse);
        cycle(&coarse, work + 2 * m * m);
        for (int k = 0; k < n * n; k++) {
            g->y[k] += coarse.y[k / n / 2 * m + k % n / 2];
        }
    }
    for (int s = 0; s < (last ? COARSEST : SWEEPS); s++) {
        smooth(g, 1);
        smooth(g, 0);
    }
}

int trm_paper_mac_multigrid(double c0, double c1, double t, const double *x, const double *r,
                            double *out, void *user)
{
    (void)t, (void)x;
    const trm_paper_mac *mac = user;
    const int n = mac->n;
    const grid fine = {n, c0, c1 * n * n, out, mac->right};
    for (int k = 0; k < n * n; k++) {
        out[k] = 0;
        mac->right[k] = r[k];
    }
    cycle(&fine, mac->coarse);
    return 0;
}
