// Curves are made: splines through points, knots as close as the curve turns, directions beside it.

#include "base/expression/curve.h"
#include "base/expression/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST = 16, MOST = 8192 };

/// rad between two knots. A spline through unit vectors that turn evenly by h leaves them by less
/// than 5/384 h^4, 1.3e-6: the directions are perpendicular to the curve to five digits. They need
/// not be more, c does not depend on them.
static const double turn_of_knots = 0.1;

/// Ends of a closed curve are the same to this, relative to the largest there: formulas of sines
/// and polynomials keep some digits less than a double has.
static const double same = 1e-9;

/// Sizes are rounded up, so that all parts are aligned.
static size_t take(trm_curve *curve, size_t bytes)
{
    const size_t at = curve->bytes;
    curve->bytes += (bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
    return at;
}

static void *part(trm_curve *curve, size_t offset)
{
    return (char *)curve + offset;
}

// ------------------------------------------------------------------------------- of what it is
// made

static void layout(const trm_curve_source *source, int knots, trm_curve *out)
{
    const int n = source->dimension, formulas = source->form[0] != NULL;
    *out = (trm_curve){.bytes = sizeof *out,
                       .dimension = n,
                       .closed = source->closed,
                       .lo = source->lo,
                       .hi = source->hi,
                       .knots = knots + 1};
    for (int k = 0; k < n; k++) {
        if (formulas) {
            out->form[k] = take(out, trm_expression_bytes(source->form[k]));
        } else {
            out->spline[k] = take(out, trm_table_bytes(source->n + source->closed));
        }
    }
    for (int i = 0; i < n * (n - 1); i++) {
        out->side[i] = take(out, trm_table_bytes(knots + 1));
    }
    out->place = take(out, (size_t)((knots + 1) * n) * sizeof(double));
}

static void finish(trm_table *table, int n, int closed, double *work)
{
    table->bytes = trm_table_bytes(n);
    table->n = n;
    table->interpolation = TRM_TABLE_CUBIC;
    table->outside = closed ? TRM_OUTSIDE_PERIODIC : TRM_OUTSIDE_ERROR;
    trm_table_finish(table, work);
}

/// c: formulas are copied; splines are made over the sums of the chords. work[5 (n + 1)]
static void put_components(const trm_curve_source *source, trm_curve *curve, double *work)
{
    const int n = source->n + source->closed;
    for (int k = 0; k < source->dimension; k++) {
        if (source->form[0]) {
            memcpy(part(curve, curve->form[k]), source->form[k],
                   trm_expression_bytes(source->form[k]));
            continue;
        }
        trm_table *table = part(curve, curve->spline[k]);
        double *x = table->values, *y = x + n;
        x[0] = 0.0;
        for (int i = 0; i < n; i++) {
            const double *p = source->points[i % source->n];
            const double *q = source->points[(i + source->n - 1) % source->n];
            y[i] = p[k];
            x[i] =
                i ? x[i - 1] + sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                                    (p[2] - q[2]) * (p[2] - q[2]))
                  : 0.0;
        }
        curve->hi = x[n - 1];
        finish(table, n, source->closed, work);
    }
}

// ---------------------------------------------------------------------------------------
// directions

static double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double knot(const trm_curve *curve, int i)
{
    return curve->lo + (curve->hi - curve->lo) * i / (curve->knots - 1);
}

static void put_side(trm_curve *curve, int i, int which, const double a[3])
{
    for (int k = 0; k < curve->dimension; k++) {
        trm_table *table = part(curve, curve->side[which * curve->dimension + k]);
        table->values[i] = knot(curve, i);
        table->values[curve->knots + i] = a[k];
    }
}

/// a less twice what it has along d.
static void reflect(const double d[3], double a[3])
{
    const double length = dot3(d, d), twice = length > 0.0 ? 2.0 * dot3(d, a) / length : 0.0;
    for (int k = 0; k < 3; k++) {
        a[k] -= twice * d[k];
    }
}

/// a of one knot taken to the next: reflected in the plane between the places, then in the one
/// between the tangents.
static void carry(double from[2][3], double to[2][3], double a[3])
{
    double d[3], t[3];
    for (int k = 0; k < 3; k++) {
        d[k] = to[0][k] - from[0][k];
        t[k] = from[1][k];
    }
    reflect(d, a);
    reflect(d, t);
    for (int k = 0; k < 3; k++) {
        d[k] = to[1][k] - t[k];
    }
    reflect(d, a);
}

static void square_to(const double t[3], double a[3])
{
    const int least = fabs(t[0]) <= fabs(t[1]) ? (fabs(t[0]) <= fabs(t[2]) ? 0 : 2)
                                               : (fabs(t[1]) <= fabs(t[2]) ? 1 : 2);
    double length = 0.0;
    for (int k = 0; k < 3; k++) {
        a[k] = (k == least) - t[least] * t[k];
        length += a[k] * a[k];
    }
    for (int k = 0; k < 3; k++) {
        a[k] /= sqrt(length);
    }
}

static void cross3(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    }
}

/// In space; at[i]: place and unit tangent of each knot.
static void put_frames(trm_curve *curve, double (*at)[2][3])
{
    const int last = curve->knots - 1;
    double first[3], a[3], b[3], left = 0.0;
    square_to(at[0][1], first);
    memcpy(a, first, sizeof a);
    for (int i = 0; i < last && curve->closed; i++) {
        carry(at[i], at[i + 1], a);
    }
    if (curve->closed) { // by this angle about the tangent the last one misses the first
        cross3(at[0][1], first, b);
        left = atan2(dot3(a, b), dot3(a, first));
    }
    memcpy(a, first, sizeof a);
    for (int i = 0; i <= last; i++) {
        const double back = -left * i / last;
        double turned[2][3];
        cross3(at[i][1], a, b);
        for (int k = 0; k < 3; k++) {
            turned[0][k] = cos(back) * a[k] + sin(back) * b[k];
            turned[1][k] = cos(back) * b[k] - sin(back) * a[k];
        }
        put_side(curve, i, 0, turned[0]);
        put_side(curve, i, 1, turned[1]);
        if (i < last) {
            carry(at[i], at[i + 1], a);
        }
    }
}

static void put_sides(trm_curve *curve, double (*at)[2][3], double *work)
{
    const int n = curve->dimension, last = curve->knots - 1;
    for (int i = 0; i <= last && n == 2; i++) {
        const double left[3] = {-at[i][1][1], at[i][1][0], 0.0};
        put_side(curve, i, 0, left);
    }
    if (n == 3) {
        put_frames(curve, at);
    }
    for (int i = 0; i < n * (n - 1); i++) {
        trm_table *table = part(curve, curve->side[i]);
        if (curve->closed) {
            table->values[curve->knots + last] = table->values[curve->knots];
        }
        finish(table, curve->knots, curve->closed, work);
    }
    double *place = part(curve, curve->place);
    for (int i = 0; i <= last; i++) {
        memcpy(place + n * i, at[i][0], (size_t)n * sizeof(double));
        curve->size = fmax(curve->size, sqrt(dot3(at[i][0], at[i][0])));
    }
}

// ----------------------------------------------------------------------------------- what is wrong

/// Places and tangents at the knots.
static trm_curve_fault look(const trm_curve *curve, double *work, double (*at)[2][3], double *s)
{
    double fastest = 0.0;
    for (int i = 0; i < curve->knots; i++) {
        double c[3][3], finite = 0.0;
        *s = knot(curve, i);
        trm_curve_place(curve, *s, work, c);
        for (int k = 0; k < 3; k++) {
            finite += c[0][k] + c[1][k] + c[2][k];
            at[i][0][k] = c[0][k];
            at[i][1][k] = c[1][k];
        }
        if (!isfinite(finite)) {
            return TRM_CURVE_NOT_FINITE;
        }
        fastest = fmax(fastest, dot3(c[1], c[1]));
    }
    for (int i = 0; i < curve->knots; i++) {
        const double speed = dot3(at[i][1], at[i][1]);
        *s = knot(curve, i);
        if (!(speed > same * same * fastest)) {
            return TRM_CURVE_STANDS;
        }
        for (int k = 0; k < 3; k++) {
            at[i][1][k] /= sqrt(speed);
        }
    }
    return TRM_CURVE_GOOD;
}

/// Whether it turns by little between all neighbours; *s: where it does not.
static int turns_little(const trm_curve *curve, double (*at)[2][3], double *s)
{
    for (int i = 0; i + 1 < curve->knots; i++) {
        if (!(dot3(at[i][1], at[i + 1][1]) > cos(turn_of_knots))) {
            *s = 0.5 * (knot(curve, i) + knot(curve, i + 1));
            return 0;
        }
    }
    return 1;
}

/// The derivative of a formula that is not the same at both ends, or -1.
static int differs(const trm_curve_source *source, double *work)
{
    for (int d = 0; d < 3; d++) {
        double gap = 0.0, largest = 0.0;
        for (int k = 0; k < source->dimension; k++) {
            double e[2][3];
            for (int end = 0; end < 2; end++) {
                const double x[1][3] = {{end ? source->hi : source->lo, 1.0, 0.0}};
                trm_expression_jet(source->form[k], x, work, e[end]);
                largest = fmax(largest, fabs(e[end][d]));
            }
            gap = fmax(gap, fabs(e[1][d] - e[0][d]));
        }
        if (!(gap <= same * largest)) {
            return d;
        }
    }
    return -1;
}

// -------------------------------------------------------------------------------------------
// create

/// With so many pieces between knots, or NULL: at[knots + 1] and work are room.
static trm_curve *attempt(const trm_curve_source *source, int knots, double (*at)[2][3],
                          double *work, trm_curve_fault *fault, double *s)
{
    trm_curve head;
    layout(source, knots, &head);
    trm_curve *curve = calloc(1, head.bytes);
    *fault = TRM_CURVE_NO_MEMORY;
    if (!curve) {
        return NULL;
    }
    *curve = head;
    put_components(source, curve, work);
    *fault = look(curve, work, at, s);
    if (*fault == TRM_CURVE_GOOD && !turns_little(curve, at, s)) {
        *fault = TRM_CURVE_SHARP;
    }
    if (*fault != TRM_CURVE_GOOD) {
        free(curve);
        return NULL;
    }
    put_sides(curve, at, work);
    return curve;
}

/// Doubles for the splines and for the formulas.
static size_t workspace(const trm_curve_source *source)
{
    size_t most = 5 * (size_t)(source->n > MOST ? source->n + 1 : MOST + 1);
    for (int k = 0; k < source->dimension && source->form[0]; k++) {
        const size_t own = (size_t)trm_expression_workspace(source->form[k]);
        most = own > most ? own : most;
    }
    return most;
}

trm_curve *trm_curve_create(const trm_curve_source *source, trm_curve_fault *fault, double *s,
                            int *derivative)
{
    double *work = malloc(workspace(source) * sizeof *work);
    double(*at)[2][3] = malloc((MOST + 1) * sizeof *at);
    trm_curve *curve = NULL;
    *fault = TRM_CURVE_NO_MEMORY;
    *derivative = -1;
    if (work && at) {
        *derivative = source->closed && source->form[0] ? differs(source, work) : -1;
        *fault = *derivative >= 0 ? TRM_CURVE_OPEN : TRM_CURVE_SHARP;
        for (int n = FEWEST; n <= MOST && *fault == TRM_CURVE_SHARP && !curve; n *= 2) {
            curve = attempt(source, n, at, work, fault, s);
        }
    }
    free(at);
    free(work);
    return curve;
}
