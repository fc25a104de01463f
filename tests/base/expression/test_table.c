/// Tables: splines against what defines them, monotone cubics, pieces, what lies outside.
#include "base/expression/table.h"
#include "tests/claim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static trm_table *make(int n, const double *x, const double *y, trm_interpolation interpolation,
                       trm_outside outside)
{
    trm_table *table = malloc(trm_table_bytes(n));
    double *work = malloc(5 * (size_t)n * sizeof *work);
    assert_non_null(table);
    assert_non_null(work);
    *table = (trm_table){
        .bytes = trm_table_bytes(n), .n = n, .interpolation = interpolation, .outside = outside};
    memcpy(table->values, x, (size_t)n * sizeof *x);
    memcpy(table->values + n, y, (size_t)n * sizeof *y);
    trm_table_finish(table, work);
    free(work);
    return table;
}

static void at(const trm_table *table, double x, double out[3])
{
    trm_table_value(table, trm_table_piece(table, x), x, out);
}

static double value(const trm_table *table, double x)
{
    double y[3];
    at(table, x, y);
    return y[0];
}

static void near(const char *what, double found, double wanted, double tolerance)
{
    if (!(fabs(found - wanted) <= tolerance)) {
        fail_msg("%s: %.17g, expected %.17g", what, found, wanted);
    }
}

enum { POINTS = 6 };
static const double X[POINTS] = {0, 0.7, 1.1, 2.5, 3.2, 4};
static const double Y[POINTS] = {1, 2.5, 2, -1, 0.3, 1};

/// Value, slope and curvature are the same from both sides of every inner point.
CLAIM(splines_have_two_continuous_derivatives)
{
    for (int outside = TRM_OUTSIDE_ERROR; outside <= TRM_OUTSIDE_PERIODIC; outside++) {
        trm_table *table = make(POINTS, X, Y, TRM_TABLE_CUBIC, (trm_outside)outside);
        assert_int_equal(table->smoothness, outside == TRM_OUTSIDE_HOLD ? 1 : 2);
        for (int i = 0; i < POINTS; i++) {
            near("value", value(table, X[i]), Y[i], 1e-15);
        }
        for (int i = 1; i < POINTS - 1; i++) {
            double left[3], right[3];
            trm_table_value(table, i - 1, X[i], left);
            trm_table_value(table, i, X[i], right);
            for (int k = 0; k < 3; k++) {
                near("from both sides", left[k], right[k], 1e-12);
            }
        }
        free(table);
    }
}

CLAIM(splines_end_as_their_outside_asks)
{
    double first[3], last[3], beyond[3];
    for (int n = 2; n <= POINTS; n++) {
        trm_table *held = make(n, X, Y, TRM_TABLE_CUBIC, TRM_OUTSIDE_HOLD);
        trm_table_value(held, 0, X[0], first);
        trm_table_value(held, n - 2, X[n - 1], last);
        near("level", first[1], 0, 1e-14);
        near("level", last[1], 0, 1e-14);
        near("held", value(held, 17), Y[n - 1], 0);
        near("held", value(held, -17), 1, 0);
        free(held);
    }
    trm_table *natural = make(POINTS, X, Y, TRM_TABLE_CUBIC, TRM_OUTSIDE_EXTRAPOLATE);
    trm_table_value(natural, 0, X[0], first);
    trm_table_value(natural, POINTS - 2, X[POINTS - 1], last);
    near("natural", first[2], 0, 1e-13);
    near("natural", last[2], 0, 1e-13);
    at(natural, 6, beyond);
    near("line", beyond[0], 1 + 2 * last[1], 1e-14);
    near("line", beyond[1], last[1], 0);
    near("line", beyond[2], 0, 0);
    free(natural);
    trm_table *periodic = make(POINTS, X, Y, TRM_TABLE_CUBIC, TRM_OUTSIDE_PERIODIC);
    trm_table_value(periodic, 0, X[0], first);
    trm_table_value(periodic, POINTS - 2, X[POINTS - 1], last);
    for (int k = 0; k < 3; k++) {
        near("seam", first[k], last[k], 1e-12);
    }
    near("a turn on", value(periodic, 0.9 + 3 * 4), value(periodic, 0.9), 1e-14);
    near("a turn back", value(periodic, 0.9 - 5 * 4), value(periodic, 0.9), 1e-14);
    free(periodic);
    trm_table *none = make(POINTS, X, Y, TRM_TABLE_CUBIC, TRM_OUTSIDE_ERROR);
    assert_true(isnan(value(none, -1e-9)) && isnan(value(none, 4 + 1e-9)));
    near("the end is inside", value(none, 4), 1, 0);
    free(none);
}

/// One cubic through any number of points is found again.
CLAIM(not_a_knot_finds_cubics)
{
    for (int n = 2; n <= POINTS; n++) {
        double y[POINTS];
        const int degree = n < 4 ? n - 1 : 3;
        for (int i = 0; i < n; i++) {
            y[i] = 2 - 3 * pow(X[i], degree) + 0.5 * X[i];
        }
        trm_table *table = make(n, X, y, TRM_TABLE_CUBIC, TRM_OUTSIDE_ERROR);
        for (double x = 0; x <= X[n - 1]; x += 0.1) {
            double e[3];
            at(table, x, e);
            near("value", e[0], 2 - 3 * pow(x, degree) + 0.5 * x, 1e-12);
            near("slope", e[1], -3 * degree * pow(x, degree - 1) + 0.5, 1e-11);
        }
        free(table);
    }
}

/// The error against a sine falls with the fourth power of the distance of the points.
CLAIM(splines_are_of_fourth_order)
{
    double error[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        enum { MOST = 41 };
        const int n = k ? 41 : 21;
        double x[MOST], y[MOST];
        for (int i = 0; i < n; i++) {
            x[i] = 2 * pi * i / (n - 1);
            y[i] = sin(x[i] + 0.3);
        }
        y[n - 1] = y[0];
        trm_table *table = make(n, x, y, TRM_TABLE_CUBIC, TRM_OUTSIDE_PERIODIC);
        for (double s = 0; s < 2 * pi; s += 0.01) {
            error[k] = fmax(error[k], fabs(value(table, s) - sin(s + 0.3)));
        }
        free(table);
    }
    assert_true(error[1] < 2e-6);
    near("order", log2(error[0] / error[1]), 4, 0.1);
}

CLAIM(monotone_tables_stay_between_their_points)
{
    const double x[7] = {0, 1, 1.5, 3, 3.2, 5, 6}, y[7] = {0, 0, 1, 1.1, 4, 4, 2};
    for (int outside = TRM_OUTSIDE_ERROR; outside <= TRM_OUTSIDE_EXTRAPOLATE; outside++) {
        trm_table *table = make(7, x, y, TRM_TABLE_MONOTONE, (trm_outside)outside);
        assert_int_equal(table->smoothness, 1);
        for (int i = 0; i < 6; i++) {
            double e[3], before = y[i];
            for (int k = 0; k <= 50; k++) {
                trm_table_value(table, i, x[i] + (x[i + 1] - x[i]) * k / 50, e);
                assert_true((e[0] - before) * (y[i + 1] - y[i]) >= -1e-14);
                before = e[0];
            }
        }
        double e[3], f[3];
        trm_table_value(table, 1, 1.5, e);
        trm_table_value(table, 2, 1.5, f);
        // pieces of 0.5 and 1.5 with slopes 2 and 1/15: weights 2*1.5 + 0.5 and 1.5 + 2*0.5
        const double slope = 6 / (3.5 / 2 + 2.5 * 15);
        near("slope", e[1], slope, 1e-15);
        near("slope", f[1], slope, 1e-15);
        free(table);
    }
}

CLAIM(pieces_have_their_intervals)
{
    trm_table *table = make(POINTS, X, Y, TRM_TABLE_LINEAR, TRM_OUTSIDE_PERIODIC);
    for (double x = -30; x < 30; x += 0.0625) {
        double lo, hi;
        trm_table_interval(table, trm_table_piece(table, x), &lo, &hi);
        assert_true(lo - 1e-12 <= x && x <= hi + 1e-12);
    }
    near("between", value(table, 1.8), 0.5, 1e-15);
    assert_true(trm_table_piece(table, NAN) == INT64_MIN && isnan(value(table, NAN)));
    assert_true(isnan(value(table, 1e300)));
    free(table);
    table = make(POINTS, X, Y, TRM_TABLE_LINEAR, TRM_OUTSIDE_HOLD);
    assert_int_equal(trm_table_piece(table, -1), -1);
    assert_int_equal(trm_table_piece(table, 0), 0);
    assert_int_equal(trm_table_piece(table, 0.7), 1);
    assert_int_equal(trm_table_piece(table, 4), POINTS - 2);
    assert_int_equal(trm_table_piece(table, 4.1), POINTS - 1);
    free(table);
}
