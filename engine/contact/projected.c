#include "engine/contact/projected.h"
#include "engine/contact/contact_numbers.h"

#include <math.h>

void trm_projected_layout(trm_projected_rows *rows, int room, trm_arena *arena)
{
    const size_t all = (size_t)room * (size_t)room;
    rows->first = trm_arena_ints(arena, room + 1);
    rows->column = trm_arena_take(arena, all, sizeof *rows->column);
    rows->own = trm_arena_doubles(arena, room);
    rows->value = trm_arena_take(arena, all, sizeof *rows->value);
}

void trm_projected_link(trm_projected_rows *rows, int n, const double *W)
{
    int count = 0;
    rows->n = n;
    rows->W = W;
    for (int i = 0; i < n; i++) {
        rows->first[i] = count;
        rows->own[i] = W[i * n + i];
        for (int j = 0; j < n; j++) {
            rows->column[count] = j;
            rows->value[count] = W[i * n + j];
            count += W[i * n + j] != 0;
        }
    }
    rows->first[n] = count;
}

double trm_projected_rate(const trm_projected_rows *W, const double *b, const double *p, int i)
{
    double w = b[i];
    for (int j = W->first[i]; j < W->first[i + 1]; j++) {
        w += W->value[j] * p[W->column[j]];
    }
    return w;
}

static double sweep_row(const trm_projected_rows *W, const trm_coulomb_row *row, const double *b,
                        double part, int i, double *p)
{
    const double own = W->own[i];
    const double most = row->kin >= 0 ? row->mu * fmax(p[row->kin], 0) : 0;
    const double lo = row->kin >= 0 ? -most : row->lo, hi = row->kin >= 0 ? most : row->hi;
    const double before = p[i];
    if (!(own > 0) || (lo == 0 && hi == 0 && before == 0)) { // held by the joints, or takes no part
        return 0;
    }
    const double w = trm_projected_rate(W, b, p, i);
    const double change = fmin(fmax(before - w / own, lo), hi) - before;
    p[i] = before + part * change;
    return fabs(change) * own;
}

/// Rows i and j, friction in space.
static double sweep_pair(const trm_projected_rows *W, const trm_coulomb_row *rows, const double *b,
                         int i, int j, double *p)
{
    const trm_coulomb_row *row = &rows[i], *other = &rows[j];
    const double a = W->own[i], c = W->own[j], d = W->W[i * W->n + j];
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
    const double x = p[i] - trm_projected_rate(W, b, p, i) / largest;
    const double y = p[j] - trm_projected_rate(W, b, p, j) / largest;
    const double length = hypot(x, y), part = length > most ? most / length : 1;
    const double change = hypot(part * x - p[i], part * y - p[j]) * largest;
    p[i] = part * x;
    p[j] = part * y;
    return change;
}

double trm_projected_sweep(const trm_projected_rows *W, const trm_coulomb_row *rows,
                           const double *b, double part, double *p)
{
    double most = 0;
    for (int i = 0; i < W->n; i++) {
        const int mate = rows[i].mate;
        if (mate <= i && mate >= 0) {
            continue; // with its mate
        }
        const double change =
            mate > i ? sweep_pair(W, rows, b, i, mate, p) : sweep_row(W, &rows[i], b, part, i, p);
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

int trm_projected_solve(const trm_projected_rows *W, const trm_coulomb_row *rows, const double *b,
                        double least, int sweeps, double *p)
{
    enum { HALVINGS = 4 }; // mu |W_nt|/W_nn up to 2^5 - 1
    double change = INFINITY, part = 1;
    const int most = trm_projected_has_pairs(W->n, rows) ? HALVINGS : 0;
    for (int i = 0; i <= most && !(change <= least); i++, part *= 0.5) {
        for (int j = 0; j < W->n && i > 0; j++) {
            p[j] = 0;
        }
        change = INFINITY;
        for (int s = 0; s < sweeps && change > least; s++) {
            change = trm_projected_sweep(W, rows, b, part, p);
        }
    }
    return !(change <= least);
}

int trm_projected_gains(const trm_projected_rows *W, const double *u, const double *p, double *lost)
{
    double exchanged = *lost = 0;
    for (int i = 0; i < W->n; i++) {
        *lost -= p[i] * u[i] / 2;
        *lost -= p[i] * trm_projected_rate(W, u, p, i) / 2;
        exchanged += fabs(p[i] * u[i]);
    }
    return *lost < -TRM_CONTACT_ROUNDOFF * exchanged;
}

void trm_projected_bound(const trm_projected_rows *W, const double *u, double *bounces, double *p)
{
    double lost = 0, first = 0, second = 0; // J: lost + first s - second s^2
    for (int i = 0; i < W->n; i++) {
        bounces[i] -= p[i];
    }
    for (int i = 0; i < W->n; i++) {
        const double left = trm_projected_rate(W, u, p, i);
        lost -= p[i] * (u[i] + left) / 2;
        first -= bounces[i] * left;
        second += bounces[i] * (trm_projected_rate(W, u, bounces, i) - u[i]) / 2;
    }
    const double root = sqrt(first * first + 4 * second * fmax(lost, 0));
    const double s = second > 0 ? fmin((first + root) / (2 * second), 1) : 0;
    for (int i = 0; i < W->n; i++) {
        p[i] += s * bounces[i];
    }
}
