// Curves at one value of s.

#include "base/expression/curve.h"
#include "base/expression/table.h"

#include <math.h>
#include <string.h>

static const void *part(const trm_curve *curve, size_t offset)
{
    return (const char *)curve + offset;
}

int trm_curve_workspace(const trm_curve *curve)
{
    int most = 0;
    for (int k = 0; k < curve->dimension && curve->form[k]; k++) {
        const int own = trm_expression_workspace(part(curve, curve->form[k]));
        most = own > most ? own : most;
    }
    return most;
}

/// s of an open curve is kept between its ends, that of a closed one in its first turn.
static double inside(const trm_curve *curve, double s)
{
    if (curve->closed) {
        const double period = curve->hi - curve->lo;
        return s - period * floor((s - curve->lo) / period);
    }
    return fmin(fmax(s, curve->lo), curve->hi);
}

/// e(s) from e, e', e'' at s - d.
static void go_on(double d, double e[3])
{
    e[0] += d * (e[1] + 0.5 * d * e[2]);
    e[1] += d * e[2];
}

static void of_table(const trm_curve *curve, size_t offset, double s, double out[3])
{
    const trm_table *table = part(curve, offset);
    trm_table_value(table, trm_table_piece(table, s), s, out);
}

static void component(const trm_curve *curve, int k, double s, double *work, double out[3])
{
    if (curve->form[k]) {
        const double x[1][3] = {{s, 1.0, 0.0}};
        trm_expression_jet(part(curve, curve->form[k]), x, work, out);
    } else {
        of_table(curve, curve->spline[k], s, out);
    }
}

/// How far s is beyond the end of an open curve; *at: where it is left.
static double ahead(const trm_curve *curve, double s, double *at)
{
    *at = inside(curve, s);
    return curve->closed ? 0.0 : s - *at;
}

/// Component k of a vector along the curve, `beyond` its value and derivatives in e.
static void put(double e[3], double beyond, int k, double out[3][3])
{
    go_on(beyond, e);
    for (int d = 0; d < 3; d++) {
        out[d][k] = e[d];
    }
}

void trm_curve_place(const trm_curve *curve, double s, double *work, double c[3][3])
{
    double at, e[3];
    const double beyond = ahead(curve, s, &at);
    memset(c, 0, 3 * sizeof *c);
    for (int k = 0; k < curve->dimension; k++) {
        component(curve, k, at, work, e);
        put(e, beyond, k, c);
    }
}

void trm_curve_at(const trm_curve *curve, double s, double *work, trm_curve_point *out)
{
    const int n = curve->dimension;
    double at, e[3];
    const double beyond = ahead(curve, s, &at);
    *out = (trm_curve_point){{{0}}, {{{0}}}};
    out->side[1][0][2] = 1.0; // of a plane curve
    trm_curve_place(curve, s, work, out->c);
    const int64_t piece = trm_table_piece(part(curve, curve->side[0]), at); // all have its knots
    for (int i = 0; i < n * (n - 1); i++) {
        trm_table_value(part(curve, curve->side[i]), piece, at, e);
        put(e, beyond, i % n, out->side[i / n]);
    }
}

double trm_curve_nearest(const trm_curve *curve, const double point[3])
{
    const double *c = part(curve, curve->place);
    double least = INFINITY;
    int best = 0;
    for (int i = 0; i < curve->knots; i++) {
        double d = 0.0;
        for (int k = 0; k < curve->dimension; k++) {
            const double e = c[curve->dimension * i + k] - point[k];
            d += e * e;
        }
        if (d < least) {
            least = d;
            best = i;
        }
    }
    return curve->lo + (curve->hi - curve->lo) * best / (curve->knots - 1);
}
