// Tables: pieces, slopes, values.

#include "base/expression/table.h"

#include <math.h>

size_t trm_table_bytes(int n)
{
    return sizeof(trm_table) + 3 * (size_t)n * sizeof(double);
}

static const double *xs(const trm_table *table)
{
    return table->values;
}

static const double *ys(const trm_table *table)
{
    return table->values + table->n;
}

static const double *slopes(const trm_table *table)
{
    return table->values + 2 * table->n;
}

// ------------------------------------------------------------------------------------------ pieces

static double period(const trm_table *table)
{
    return xs(table)[table->n - 1] - xs(table)[0];
}

/// j with x[j] <= x < x[j+1].
static int64_t search(const trm_table *table, double x)
{
    int low = -1, high = table->n; // x[low] <= x < x[high], with infinite ends
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (xs(table)[middle] <= x) {
            low = middle;
        } else {
            high = middle;
        }
    }
    // the last point belongs to the last piece
    return low == table->n - 1 && x == xs(table)[low] ? low - 1 : low;
}

int64_t trm_table_piece(const trm_table *table, double x)
{
    if (isnan(x)) {
        return INT64_MIN;
    }
    if (table->outside != TRM_OUTSIDE_PERIODIC) {
        return search(table, x);
    }
    static const double farthest = 4503599627370496.0; // 2^52 turns: no digit of the place is left
    const double turn = floor((x - xs(table)[0]) / period(table));
    if (!(fabs(turn) < farthest / table->n)) {
        return INT64_MIN;
    }
    int64_t j = search(table, x - turn * period(table));
    j = j < 0 ? 0 : j > table->n - 2 ? table->n - 2 : j; // roundoff at the seam
    return j + (int64_t)turn * (table->n - 1);
}

/// Of a periodic table: the piece of the first turn, and how far to shift x to get there.
static int unwind(const trm_table *table, int64_t piece, double *shift)
{
    const int64_t pieces = table->n - 1;
    int64_t turn = piece / pieces;
    turn -= piece % pieces < 0;
    *shift = (double)turn * period(table);
    return (int)(piece - turn * pieces);
}

void trm_table_interval(const trm_table *table, int64_t piece, double *lo, double *hi)
{
    const double *x = xs(table);
    if (table->outside == TRM_OUTSIDE_PERIODIC) {
        double shift;
        const int j = unwind(table, piece, &shift);
        *lo = x[j] + shift;
        *hi = x[j + 1] + shift;
        return;
    }
    *lo = piece < 0 ? -INFINITY : x[piece];
    *hi = piece >= table->n - 1 ? INFINITY : x[piece + 1];
}

// ------------------------------------------------------------------------------------------ values

/// y = y0 + s (y1 - y0) + h s (1 - s) ((1 - s) (d0 - D) - s (d1 -
/// D)), s = (x - x0)/h, D = (y1 - y0)/h.
static void hermite(const trm_table *table, int j, double x, double out[3])
{
    const double *X = xs(table), *Y = ys(table), *d = slopes(table);
    const double h = X[j + 1] - X[j], s = (x - X[j]) / h, D = (Y[j + 1] - Y[j]) / h;
    const double p = d[j] - D, q = d[j + 1] - D;
    out[0] = Y[j] + s * (Y[j + 1] - Y[j]) + h * s * (1 - s) * ((1 - s) * p - s * q);
    out[1] = D + (1 - s) * (1 - 3 * s) * p - s * (2 - 3 * s) * q;
    out[2] = ((6 * s - 4) * p + (6 * s - 2) * q) / h;
}

static void straight(const trm_table *table, int j, double x, double out[3])
{
    const double *X = xs(table), *Y = ys(table);
    out[1] = (Y[j + 1] - Y[j]) / (X[j + 1] - X[j]);
    out[0] = Y[j] + out[1] * (x - X[j]);
    out[2] = 0;
}

static void beyond(const trm_table *table, int end, double x, double out[3])
{
    const double slope = table->outside == TRM_OUTSIDE_HOLD ? 0 : slopes(table)[end];
    out[0] = ys(table)[end] + slope * (x - xs(table)[end]);
    out[1] = slope;
    out[2] = 0;
    if (table->outside == TRM_OUTSIDE_ERROR) {
        out[0] = out[1] = out[2] = NAN;
    }
}

void trm_table_value(const trm_table *table, int64_t piece, double x, double out[3])
{
    if (piece == INT64_MIN) {
        out[0] = out[1] = out[2] = NAN;
        return;
    }
    if (table->outside == TRM_OUTSIDE_PERIODIC) {
        double shift;
        piece = unwind(table, piece, &shift);
        x -= shift;
    } else if (piece < 0 || piece >= table->n - 1) {
        beyond(table, piece < 0 ? 0 : table->n - 1, x, out);
        return;
    }
    if (table->interpolation == TRM_TABLE_LINEAR) {
        straight(table, (int)piece, x, out);
    } else {
        hermite(table, (int)piece, x, out);
    }
}

// ------------------------------------------------------------------------------------------ slopes

/// Width h and slope D of piece j.
static double width(const trm_table *table, int j)
{
    return xs(table)[j + 1] - xs(table)[j];
}

static double chord(const trm_table *table, int j)
{
    return (ys(table)[j + 1] - ys(table)[j]) / width(table, j);
}

/// Solve a tridiagonal system for two right sides (the second may be NULL), in place; lower[0] and
/// upper[n-1] are not read. No pivoting: the rows of a spline are diagonally dominant, and the
/// first row of not-a-knot leaves a second one that is.
static void solve_tridiagonal(int n, const double *lower, double *diagonal, const double *upper,
                              double *p, double *q)
{
    for (int i = 1; i < n; i++) {
        const double factor = lower[i] / diagonal[i - 1];
        diagonal[i] -= factor * upper[i - 1];
        p[i] -= factor * p[i - 1];
        if (q) {
            q[i] -= factor * q[i - 1];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        p[i] = (p[i] - (i < n - 1 ? upper[i] * p[i + 1] : 0)) / diagonal[i];
        if (q) {
            q[i] = (q[i] - (i < n - 1 ? upper[i] * q[i + 1] : 0)) / diagonal[i];
        }
    }
}

/// The curvature is continuous at point i, between pieces l = i - 1 and r = i:
///     h_r d_(i-1) + 2 (h_l + h_r) d_i + h_l d_(i+1) = 3 (h_r D_l + h_l D_r)
static void inner_row(const trm_table *table, int l, int r, double row[3], double *right)
{
    const double hl = width(table, l), hr = width(table, r);
    row[0] = hr;
    row[1] = 2 * (hl + hr);
    row[2] = hl;
    *right = 3 * (hr * chord(table, l) + hl * chord(table, r));
}

/// The end at pieces e (outer) and i (inner): {diagonal, beside} and the right side.
static void end_row(const trm_table *table, int e, int i, double row[2], double *right)
{
    const double D = chord(table, e);
    row[0] = 1;
    row[1] = 0;
    *right = 0; // level, where the table is held
    if (table->outside == TRM_OUTSIDE_ERROR && table->n > 2) {
        const double h = width(table, e), k = width(table, i), sum = h + k; // not-a-knot
        row[0] = k;
        row[1] = sum;
        *right = ((h + 2 * sum) * k * D + h * h * chord(table, i)) / sum;
    } else if (table->outside != TRM_OUTSIDE_HOLD) {
        row[0] = 2; // natural
        row[1] = 1;
        *right = 3 * D;
    }
}

/// work: lower, diagonal, upper.
static void spline(trm_table *table, double *work)
{
    const int n = table->n;
    double *lower = work, *diagonal = work + n, *upper = work + 2 * n, *d = table->values + 2 * n;
    double row[3];
    if (n == 3 && table->outside == TRM_OUTSIDE_ERROR) { // one parabola
        const double h = width(table, 0), k = width(table, 1);
        const double bend = (chord(table, 1) - chord(table, 0)) / (h + k);
        d[0] = chord(table, 0) - h * bend;
        d[1] = chord(table, 0) + h * bend;
        d[2] = chord(table, 1) + k * bend;
        return;
    }
    for (int i = 1; i < n - 1; i++) {
        inner_row(table, i - 1, i, row, &d[i]);
        lower[i] = row[0];
        diagonal[i] = row[1];
        upper[i] = row[2];
    }
    end_row(table, 0, n > 2 ? 1 : 0, row, &d[0]);
    diagonal[0] = row[0];
    upper[0] = row[1];
    end_row(table, n - 2, n > 2 ? n - 3 : 0, row, &d[n - 1]);
    diagonal[n - 1] = row[0];
    lower[n - 1] = row[1];
    solve_tridiagonal(n, lower, diagonal, upper, d, NULL);
}

/// d[i] = p[i] + d[0] q[i] for the inner points of the m = n - 1 unknowns; the row of d[0] itself
/// gives d[0]. work[5 n]: lower, diagonal, upper, p, q.
static void periodic_spline(trm_table *table, double *work)
{
    const int n = table->n, m = n - 1;
    double *lower = work, *diagonal = work + n, *upper = work + 2 * n, *p = work + 3 * n;
    double *q = work + 4 * n, *d = table->values + 2 * n, row[3], right;
    for (int i = 1; i < m; i++) {
        inner_row(table, i - 1, i, row, &p[i]);
        lower[i] = row[0];
        diagonal[i] = row[1];
        upper[i] = row[2];
        q[i] = -(i == 1 ? row[0] : 0) - (i == m - 1 ? row[2] : 0);
    }
    d[0] = 0;
    if (m > 1) {
        solve_tridiagonal(m - 1, lower + 1, diagonal + 1, upper + 1, p + 1, q + 1);
        inner_row(table, m - 1, 0, row, &right);
        d[0] = (right - row[0] * p[m - 1] - row[2] * p[1]) /
               (row[1] + row[0] * q[m - 1] + row[2] * q[1]);
    }
    for (int i = 1; i < m; i++) {
        d[i] = p[i] + d[0] * q[i];
    }
    d[m] = d[0];
}

/// The slope at the point between pieces l and r: the weighted harmonic mean, 0 at an extremum.
static double monotone_slope(const trm_table *table, int l, int r)
{
    const double hl = width(table, l), hr = width(table, r);
    const double Dl = chord(table, l), Dr = chord(table, r);
    if (!(Dl * Dr > 0)) {
        return 0;
    }
    const double wl = 2 * hr + hl, wr = hr + 2 * hl;
    return (wl + wr) / (wl / Dl + wr / Dr);
}

/// At the end of piece e, with i beside it: three-point formula that keeps the shape.
static double monotone_end(const trm_table *table, int e, int i)
{
    const double h = width(table, e), k = width(table, i);
    const double D = chord(table, e), E = chord(table, i);
    const double d = ((2 * h + k) * D - h * E) / (h + k);
    if (d * D <= 0) {
        return 0;
    }
    return D * E <= 0 && fabs(d) > 3 * fabs(D) ? 3 * D : d;
}

static void monotone(trm_table *table)
{
    const int n = table->n;
    double *d = table->values + 2 * n;
    for (int i = 1; i < n - 1; i++) {
        d[i] = monotone_slope(table, i - 1, i);
    }
    if (table->outside == TRM_OUTSIDE_PERIODIC) {
        d[0] = d[n - 1] = monotone_slope(table, n - 2, 0);
    } else if (table->outside == TRM_OUTSIDE_HOLD) {
        d[0] = d[n - 1] = 0;
    } else {
        d[0] = n > 2 ? monotone_end(table, 0, 1) : chord(table, 0);
        d[n - 1] = n > 2 ? monotone_end(table, n - 2, n - 3) : chord(table, 0);
    }
}

static void linear(trm_table *table)
{
    double *d = table->values + 2 * table->n;
    for (int i = 0; i < table->n - 1; i++) {
        d[i] = chord(table, i);
    }
    d[table->n - 1] = chord(table, table->n - 2);
}

void trm_table_finish(trm_table *table, double *work)
{
    switch (table->interpolation) {
    case TRM_TABLE_LINEAR:
        table->smoothness = 0;
        linear(table);
        break;
    case TRM_TABLE_MONOTONE:
        table->smoothness = 1;
        monotone(table);
        break;
    case TRM_TABLE_CUBIC:
        table->smoothness = table->outside == TRM_OUTSIDE_HOLD ? 1 : 2;
        if (table->outside == TRM_OUTSIDE_PERIODIC) {
            periodic_spline(table, work);
        } else {
            spline(table, work);
        }
        break;
    }
}
