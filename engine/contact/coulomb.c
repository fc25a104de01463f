#include "engine/contact/coulomb.h"
#include "base/linear/sums.h"
#include "engine/contact/contact_numbers.h"

#include <float.h>
#include <math.h>

/// Variables: the force up or down from a bound; the friction to either side, and its rate.
enum { UP, DOWN, FORTH, BACK, RATE };

void trm_coulomb_layout(trm_coulomb *c, int n, int room, int any, trm_arena *arena)
{
    c->pivots = !any ? 0 : room < TRM_CONTACT_PIVOTS ? room : TRM_CONTACT_PIVOTS;
    trm_lemke_layout(&c->lemke, 3 * c->pivots, arena);
    c->row = trm_arena_take(arena, (size_t)n, sizeof *c->row);
    TRM_ARENA_DOUBLES(arena, room, &c->scale, &c->unit);
    TRM_ARENA_INTS(arena, 3 * room, &c->of, &c->kind);
}

static int is_two_sided(const trm_coulomb_row *row)
{
    return row->kin >= 0 || (isfinite(row->lo) && isfinite(row->hi));
}

/// Returns how many variables there are.
static int list_variables(trm_coulomb *c, int n, const double *W)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        const trm_coulomb_row *row = &c->row[i];
        const double w = W[i * n + i];
        const int driven = row->kin >= 0 && row->slip, none = row->lo == 0 && row->hi == 0;
        c->scale[i] = w > 0 ? 1 / sqrt(w) : 1;
        for (int k = 0; k < 3 && !driven && !(none && row->kin < 0); k++) {
            const int one = isfinite(row->lo) ? UP : DOWN;
            if (is_two_sided(row) || k == 0) {
                c->of[count] = i;
                c->kind[count++] = is_two_sided(row) ? FORTH + k : one;
            }
        }
    }
    return count;
}

/// c->unit[n] := p by variable v.
static void respond(trm_coulomb *c, int n, int v)
{
    static const int sign[] = {1, -1, 1, -1, 0};
    const int i = c->of[v], presses = c->kind[v] <= DOWN;
    for (int k = 0; k < n; k++) {
        const trm_coulomb_row *row = &c->row[k];
        const int driven = presses && row->kin == i && row->slip;
        c->unit[k] = driven ? -row->slip * row->mu * c->scale[i] : 0;
    }
    c->unit[i] = sign[c->kind[v]] * c->scale[i];
}

/// Entry of variable v's column in the row of variable u.
static double entry(const trm_coulomb *c, int n, const double *W, int u, int v)
{
    const int i = c->of[u], j = c->of[v], same = i == j;
    const trm_coulomb_row *row = &c->row[i];
    if (c->kind[u] == RATE) {
        const int pressed = row->kin == j && c->kind[v] <= DOWN;
        const double side = same && c->kind[v] != RATE ? -1 : 0;
        return pressed ? row->mu * c->scale[j] / c->scale[i] : side;
    }
    if (c->kind[v] == RATE) {
        return same;
    }
    const double w = c->scale[i] * trm_dot(n, W + i * n, c->unit);
    return c->kind[u] == UP || c->kind[u] == FORTH ? w : -w;
}

static double right_side(const trm_coulomb *c, int n, const double *W, const double *b,
                         const double *start, int u)
{
    const int i = c->of[u];
    if (c->kind[u] == RATE) {
        return c->row[i].kin >= 0 ? 0 : c->row[i].hi / c->scale[i];
    }
    const double w = b[i] + trm_dot(n, W + i * n, start);
    return (c->kind[u] == UP || c->kind[u] == FORTH ? 1 : -1) * w * c->scale[i];
}

/// The problem's rows. Returns the size of its right side.
static double write_problem(trm_coulomb *c, int n, int m, const double *W, const double *b,
                            const double *start)
{
    const double golden = 0.6180339887498949; // fractions of its multiples lie evenly in (0, 1)
    double largest = DBL_MIN;
    for (int v = 0; v < m; v++) {
        respond(c, n, v);
        for (int u = 0; u < m; u++) {
            trm_lemke_row(&c->lemke, m, u)[v] = entry(c, n, W, u, v);
        }
        trm_lemke_row(&c->lemke, m, v)[m] = c->checks ? fmod((v + 1) * golden, 1) : 1;
        trm_lemke_row(&c->lemke, m, v)[m + 1] = right_side(c, n, W, b, start, v);
        largest = fmax(largest, fabs(trm_lemke_row(&c->lemke, m, v)[m + 1]));
    }
    for (int v = 0; v < m; v++) { // numbers of size one
        trm_lemke_row(&c->lemke, m, v)[m + 1] /= largest;
    }
    return largest;
}

/// Whether p and w = b + W p satisfy the conditions of the rows, to `least` in units of c->scale.
static int is_solution(const trm_coulomb *c, int n, const double *W, const double *b, double least,
                       const double *p)
{
    for (int i = 0; i < n; i++) {
        const trm_coulomb_row *row = &c->row[i];
        const double most = row->kin >= 0 ? row->mu * p[row->kin] : 0, rim = least * c->scale[i];
        const double lo = row->kin >= 0 ? -most : row->lo, hi = row->kin >= 0 ? most : row->hi;
        const double w = (b[i] + trm_dot(n, W + i * n, p)) * c->scale[i];
        const int driven = row->kin >= 0 && row->slip;
        const int inside = p[i] >= lo - rim && p[i] <= hi + rim;
        const int pushed = (w > least && p[i] > lo + rim) || (w < -least && p[i] < hi - rim);
        if (!driven && !(inside && !pushed)) {
            return 0;
        }
    }
    return 1;
}

int trm_coulomb_solve(trm_coulomb *c, int n, const double *W, const double *b, const double *noise,
                      double *p)
{
    if (n > c->pivots) {
        return 1;
    }
    const int m = list_variables(c, n, W);
    double least = 0;
    for (int v = 0; v < m; v++) {
        least = fmax(least, noise[c->of[v]] * c->scale[c->of[v]]);
    }
    for (int i = 0; i < n; i++) { // with all variables zero
        const trm_coulomb_row *row = &c->row[i];
        p[i] = is_two_sided(row) ? 0 : isfinite(row->lo) ? row->lo : row->hi;
    }
    const double size = write_problem(c, n, m, W, b, p);
    trm_lemke_solve(&c->lemke, m, least / size);
    for (int v = 0; v < m; v++) {
        respond(c, n, v);
        for (int i = 0; i < n; i++) {
            p[i] += c->unit[i] * c->lemke.z[v] * size;
        }
    }
    return !is_solution(c, n, W, b, fmax(TRM_COULOMB_EXACT * size, 4 * least), p);
}
