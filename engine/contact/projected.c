#include "engine/contact/projected.h"
#include "engine/contact/contact_numbers.h"

#include <math.h>

void trm_projected_link(int n, const double *W, int *links)
{
    for (int i = 0; i < n; i++) {
        int *const own = links + (long)i * (n + 1);
        own[0] = 0;
        for (int j = 0; j < n; j++) {
            own[1 + own[0]] = j;
            own[0] += W[i * n + j] != 0;
        }
    }
}

double trm_projected_rate(int n, const int *links, const double *W, const double *b,
                          const double *p, int i)
{
    const int *const own = links + (long)i * (n + 1);
    double w = b[i];
    for (int j = 1; j <= own[0]; j++) {
        w += W[i * n + own[j]] * p[own[j]];
    }
    return w;
}

static double sweep_row(int n, const trm_coulomb_row *row, const int *links, const double *W,
                        const double *b, double part, int i, double *p)
{
    const double own = W[i * n + i];
    const double most = row->kin >= 0 ? row->mu * fmax(p[row->kin], 0) : 0;
    const double lo = row->kin >= 0 ? -most : row->lo, hi = row->kin >= 0 ? most : row->hi;
    const double before = p[i];
    if (!(own > 0) || (lo == 0 && hi == 0 && before == 0)) { // held by the joints, or takes no part
        return 0;
    }
    const double w = trm_projected_rate(n, links, W, b, p, i);
    const double change = fmin(fmax(before - w / own, lo), hi) - before;
    p[i] = before + part * change;
    return fabs(change) * own;
}

/// Rows i and j, friction in space.
static double sweep_pair(int n, const trm_coulomb_row *rows, const int *links, const double *W,
                         const double *b, int i, int j, double *p)
{
    const trm_coulomb_row *row = &rows[i], *other = &rows[j];
    const double a = W[i * n + i], c = W[j * n + j], d = W[i * n + j];
    const double largest = 0.5 * (a + c) + hypot(0.5 * (a - c), d);
    const double most = row->mu * fmax(p[row->kin], 0);
    if (!(largest > 0)) {
        return 0;
    }
    if (row->slip) {
        const double change = most - hypot(p[i], p[j]);
        p[i] = -row->way * most;
        p[j] = -other->way * most;
        return fabs(change) * largest;
    }
    const double x = p[i] - trm_projected_rate(n, links, W, b, p, i) / largest;
    const double y = p[j] - trm_projected_rate(n, links, W, b, p, j) / largest;
    const double length = hypot(x, y), part = length > most ? most / length : 1;
    const double change = hypot(part * x - p[i], part * y - p[j]) * largest;
    p[i] = part * x;
    p[j] = part * y;
    return change;
}

double trm_projected_sweep(int n, const trm_coulomb_row *rows, const int *links, const double *W,
                           const double *b, double part, double *p)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        const int mate = rows[i].mate;
        if (mate <= i && mate >= 0) {
            continue; // with its mate
        }
        const double change = mate > i ? sweep_pair(n, rows, links, W, b, i, mate, p)
                                       : sweep_row(n, &rows[i], links, W, b, part, i, p);
        most = change > most || isnan(change) ? change : most;
    }
    return most;
}

int trm_projected_has_pairs(int n, const trm_coulomb_row *rows)
{
    for (int i = 0; i < n; i++) {
        if (rows[i].mate >= 0) {
            return 1;
        }
    }
    return 0;
}

int trm_projected_solve(int n, const trm_coulomb_row *rows, const int *links, const double *W,
                        const double *b, double least, int sweeps, double *p)
{
    enum { HALVINGS = 4 }; // mu |W_nt|/W_nn up to 2^5 - 1
    double change = INFINITY, part = 1;
    const int most = trm_projected_has_pairs(n, rows) ? HALVINGS : 0;
    for (int i = 0; i <= most && !(change <= least); i++, part *= 0.5) {
        for (int j = 0; j < n && i > 0; j++) {
            p[j] = 0;
        }
        change = INFINITY;
        for (int s = 0; s < sweeps && change > least; s++) {
            change = trm_projected_sweep(n, rows, links, W, b, part, p);
        }
    }
    return !(change <= least);
}

int trm_projected_gains(int n, const int *links, const double *W, const double *u, const double *p,
                        double *lost)
{
    double exchanged = *lost = 0;
    for (int i = 0; i < n; i++) {
        *lost -= p[i] * u[i] / 2;
        *lost -= p[i] * trm_projected_rate(n, links, W, u, p, i) / 2;
        exchanged += fabs(p[i] * u[i]);
    }
    return *lost < -TRM_CONTACT_ROUNDOFF * exchanged;
}

void trm_projected_bound(int n, const int *links, const double *W, const double *u, double *bounces,
                         double *p)
{
    double lost = 0, first = 0, second = 0; // J: lost + first s - second s^2
    for (int i = 0; i < n; i++) {
        bounces[i] -= p[i];
    }
    for (int i = 0; i < n; i++) {
        const double left = trm_projected_rate(n, links, W, u, p, i);
        lost -= p[i] * (u[i] + left) / 2;
        first -= bounces[i] * left;
        second += bounces[i] * (trm_projected_rate(n, links, W, u, bounces, i) - u[i]) / 2;
    }
    const double root = sqrt(first * first + 4 * second * fmax(lost, 0));
    const double s = second > 0 ? fmin((first + root) / (2 * second), 1) : 0;
    for (int i = 0; i < n; i++) {
        p[i] += s * bounces[i];
    }
}
