#include "engine/contact/lemke.h"
#include "engine/contact/contact_numbers.h"

#include <math.h>

void trm_lemke_layout(trm_lemke *l, int room, trm_arena *arena)
{
    l->room = room;
    l->T = trm_arena_doubles(arena, room * (room + 2));
    l->basic = trm_arena_ints(arena, room);
    l->free = trm_arena_ints(arena, room + 1);
    l->place = trm_arena_ints(arena, 2 * room + 1);
    l->z = trm_arena_doubles(arena, room);
}

/// Row r leaves the basis, column c enters it.
static void pivot(trm_lemke *l, int n, int r, int c)
{
    double *const row = trm_lemke_row(l, n, r);
    const double a = row[c];
    for (int j = 0; j < n + 2; j++) {
        row[j] = j == c ? 1 / a : -row[j] / a;
    }
    for (int i = 0; i < n; i++) {
        double *const other = trm_lemke_row(l, n, i);
        const double part = other[c];
        for (int j = 0; i != r && part != 0 && j < n + 2; j++) {
            other[j] = j == c ? part * row[c] : other[j] + part * row[j];
        }
    }
    const int leaves = l->basic[r], enters = l->free[c];
    l->basic[r] = enters;
    l->free[c] = leaves;
    l->place[leaves] = c;
    l->place[enters] = ~r;
}

/// Entry j of row i of the inverse basis; j = -1: q.
static double entry(const trm_lemke *l, int n, int i, int j)
{
    const double *const row = trm_lemke_row(l, n, i);
    if (j < 0) {
        return row[n + 1];
    }
    return l->place[j] < 0 ? ~l->place[j] == i : -row[l->place[j]];
}

/// Whether row i bounds the entering variable of column c before row k does.
static int is_before(const trm_lemke *l, int n, int i, int k, int c)
{
    const double equal = TRM_LEMKE_EQUAL;
    const double a = -trm_lemke_row(l, n, i)[c], b = -trm_lemke_row(l, n, k)[c];
    for (int j = -1; j < n; j++) {
        const double x = entry(l, n, i, j) / a, y = entry(l, n, k, j) / b;
        if (fabs(x - y) > equal * (fabs(x) + fabs(y)) && fabs(x - y) > equal * equal) {
            return x < y;
        }
    }
    return 0;
}

/// The row that bounds the entering variable of column c; -1: none.
static int bounds(const trm_lemke *l, int n, int c)
{
    double largest = 0;
    int r = -1;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(trm_lemke_row(l, n, i)[c]));
    }
    for (int i = 0; i < n; i++) {
        if (trm_lemke_row(l, n, i)[c] < -TRM_LEMKE_NOTHING * largest) {
            r = r < 0 || is_before(l, n, i, r, c) ? i : r;
        }
    }
    return r;
}

/// The row to begin with, where q is least. -1: q >= -noise.
static int begin(trm_lemke *l, int n, double noise)
{
    int r = -1;
    double least = -noise;
    for (int i = 0; i < n; i++) {
        l->basic[i] = i;
        l->place[i] = ~i;
        l->free[i] = n + i;
        l->place[n + i] = i;
        l->z[i] = 0;
        const double q = trm_lemke_row(l, n, i)[n + 1] / trm_lemke_row(l, n, i)[n];
        r = q < -noise && q <= least ? i : r; // the last of equal ones is lexicographically least
        least = fmin(least, q);
    }
    l->free[n] = 2 * n;
    l->place[2 * n] = n;
    return r;
}

void trm_lemke_solve(trm_lemke *l, int n, double noise)
{
    enum { PIVOTS = 50 }; // per row; one or two are usual
    int c = n, r = begin(l, n, noise);
    for (int k = 0; r >= 0 && k < PIVOTS * n && isfinite(trm_lemke_row(l, n, r)[n + 1]); k++) {
        const int leaves = l->basic[r];
        pivot(l, n, r, c);
        if (leaves == 2 * n) {
            break;
        }
        c = l->place[leaves < n ? leaves + n : leaves - n];
        r = bounds(l, n, c);
    }
    for (int i = 0; i < n; i++) {
        const int k = l->basic[i];
        if (k >= n && k < 2 * n) {
            l->z[k - n] = fmax(trm_lemke_row(l, n, i)[n + 1], 0);
        }
    }
}
