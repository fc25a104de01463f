#include "engine/enclosure/interval_series.h"

#include <limits.h>
#include <math.h>
#include <string.h>

typedef trm_interval interval;
typedef trm_series series;

static const interval zero = {0, 0}, one = {1, 1};

static void copy(int order, const series *from, series *to)
{
    memmove(to->c, from->c, (size_t)(order + 1) * sizeof *to->c);
}

void trm_series_constant(int order, interval value, series *out)
{
    out->c[0] = value;
    for (int k = 1; k <= order; k++) {
        out->c[k] = zero;
    }
}

void trm_series_time(int order, interval t, series *out)
{
    trm_series_constant(order, t, out);
    if (order > 0) {
        out->c[1] = one;
    }
}

void trm_series_negate(int order, const series *a, series *out)
{
    for (int k = 0; k <= order; k++) {
        out->c[k] = trm_interval_negate(a->c[k]);
    }
}

void trm_series_add(int order, const series *a, const series *b, series *out)
{
    for (int k = 0; k <= order; k++) {
        out->c[k] = trm_interval_add(a->c[k], b->c[k]);
    }
}

void trm_series_subtract(int order, const series *a, const series *b, series *out)
{
    for (int k = 0; k <= order; k++) {
        out->c[k] = trm_interval_subtract(a->c[k], b->c[k]);
    }
}

void trm_series_either(int order, const series *a, const series *b, series *out)
{
    for (int k = 0; k <= order; k++) {
        out->c[k] = trm_interval_hull(a->c[k], b->c[k]);
    }
}

static int is_zero(interval a)
{
    return a.lo == 0 && a.hi == 0;
}

/// sum_{i=first..last} w a_i b_{k-i}, w = i with `weighted`, else 1. Products with exact zeros,
/// which constants and the time have many of, are zero.
static interval sum_of(const series *a, const series *b, int k, int first, int last, int weighted)
{
    interval sum = zero;
    for (int i = first; i <= last; i++) {
        if (!is_zero(a->c[i]) && !is_zero(b->c[k - i])) {
            const interval product = trm_interval_multiply(a->c[i], b->c[k - i]);
            sum = trm_interval_add(sum, weighted ? trm_interval_scale(i, product) : product);
        }
    }
    return sum;
}

static interval divide_by(interval a, int k)
{
    return trm_interval_divide(a, trm_interval_of(k));
}

void trm_series_multiply(int order, const series *a, const series *b, series *out)
{
    series product;
    for (int k = 0; k <= order; k++) {
        product.c[k] = sum_of(a, b, k, 0, k, 0);
    }
    copy(order, &product, out);
}

/// Each pair once, and squares as squares: narrower than the product.
static void trm_series_square(int order, const series *a, series *out)
{
    series square;
    for (int k = 0; k <= order; k++) {
        interval sum = trm_interval_scale(2, sum_of(a, a, k, 0, (k - 1) / 2, 0));
        if (k == 0) {
            sum = zero;
        }
        if (k % 2 == 0) {
            sum = trm_interval_add(sum, trm_interval_square(a->c[k / 2]));
        }
        square.c[k] = sum;
    }
    copy(order, &square, out);
}

/// q b = a, q_0 given
static void quotient(int order, const series *a, const series *b, interval start, series *out)
{
    series q;
    q.c[0] = start;
    for (int k = 1; k <= order; k++) {
        const interval rest = trm_interval_subtract(a->c[k], sum_of(&q, b, k, 0, k - 1, 0));
        q.c[k] = trm_interval_divide(rest, b->c[0]);
    }
    copy(order, &q, out);
}

void trm_series_divide(int order, const series *a, const series *b, series *out)
{
    quotient(order, a, b, trm_interval_divide(a->c[0], b->c[0]), out);
}

void trm_series_integer_power(int order, const series *a, int n, series *out)
{
    series result, square;
    copy(order, a, &square);
    trm_series_constant(order, one, &result);
    for (int rest = n; rest > 0; rest /= 2) {
        if (rest % 2) {
            trm_series_multiply(order, &result, &square, &result);
        }
        if (rest > 1) {
            trm_series_square(order, &square, &square);
        }
    }
    result.c[0] = trm_interval_power(a->c[0], n);
    copy(order, &result, out);
}

/// c^2 = a
static void root(int order, const series *a, series *out)
{
    series c;
    c.c[0] = trm_interval_apply(TRM_OP_SQRT, a->c[0]);
    const interval twice = trm_interval_scale(2, c.c[0]);
    for (int k = 1; k <= order; k++) {
        const interval rest = trm_interval_subtract(a->c[k], sum_of(&c, &c, k, 1, k - 1, 0));
        c.c[k] = trm_interval_divide(rest, twice);
    }
    copy(order, &c, out);
}

/// c' = c a'
static void exponential(int order, const series *a, series *out)
{
    series c;
    c.c[0] = trm_interval_apply(TRM_OP_EXP, a->c[0]);
    for (int k = 1; k <= order; k++) {
        c.c[k] = divide_by(sum_of(a, &c, k, 1, k, 1), k);
    }
    copy(order, &c, out);
}

/// c' u = sign a', c_0 given
static void quadrature(int order, const series *a, const series *u, interval start, double sign,
                       series *out)
{
    series c;
    c.c[0] = start;
    for (int k = 1; k <= order; k++) {
        const interval known = divide_by(sum_of(&c, u, k, 1, k - 1, 1), k);
        const interval rest = trm_interval_subtract(trm_interval_scale(sign, a->c[k]), known);
        c.c[k] = trm_interval_divide(rest, u->c[0]);
    }
    copy(order, &c, out);
}

/// s' = c a', c' = sign s a': sin and cos with sign -1, sinh and cosh with +1.
static void pair(int order, const series *a, double sign, series *s, series *c)
{
    s->c[0] = trm_interval_apply(sign < 0 ? TRM_OP_SIN : TRM_OP_SINH, a->c[0]);
    c->c[0] = trm_interval_apply(sign < 0 ? TRM_OP_COS : TRM_OP_COSH, a->c[0]);
    for (int k = 1; k <= order; k++) {
        s->c[k] = divide_by(sum_of(a, c, k, 1, k, 1), k);
        c->c[k] = trm_interval_scale(sign, divide_by(sum_of(a, s, k, 1, k, 1), k));
    }
}

/// c' = (1 + sign c^2) a': tan with sign 1, tanh with -1.
static void tangent(int order, const series *a, double sign, interval start, series *out)
{
    series c, u;
    c.c[0] = start;
    for (int k = 1; k <= order; k++) {
        trm_series_square(k - 1, &c, &u);
        for (int i = 0; i < k; i++) {
            u.c[i] = trm_interval_scale(sign, u.c[i]);
        }
        u.c[0] = trm_interval_add(one, u.c[0]);
        c.c[k] = divide_by(sum_of(a, &u, k, 1, k, 1), k);
    }
    copy(order, &c, out);
}

/// 1 + sign a^2
static void one_and_square(int order, const series *a, double sign, series *out)
{
    trm_series_square(order, a, out);
    for (int k = 0; k <= order; k++) {
        out->c[k] = trm_interval_scale(sign, out->c[k]);
    }
    out->c[0] = trm_interval_add(one, out->c[0]);
}

/// asin with sign 1, acos with -1: c' sqrt(1 - a^2) = sign a'
static void arc(int order, const series *a, double sign, interval start, series *out)
{
    series u;
    one_and_square(order, a, -1, &u);
    root(order, &u, &u);
    quadrature(order, a, &u, start, sign, out);
}

void trm_series_apply(trm_opcode f, int order, const series *a, series *out)
{
    const interval start = trm_interval_apply(f, a->c[0]);
    series s, c;
    switch (f) {
    case TRM_OP_SIN:
    case TRM_OP_COS:
        pair(order, a, -1, &s, &c);
        copy(order, f == TRM_OP_SIN ? &s : &c, out);
        return;
    case TRM_OP_SINH:
    case TRM_OP_COSH:
        pair(order, a, 1, &s, &c);
        copy(order, f == TRM_OP_SINH ? &s : &c, out);
        return;
    case TRM_OP_TAN:
    case TRM_OP_TANH:
        tangent(order, a, f == TRM_OP_TAN ? 1 : -1, start, out);
        return;
    case TRM_OP_ASIN:
    case TRM_OP_ACOS:
        arc(order, a, f == TRM_OP_ASIN ? 1 : -1, start, out);
        return;
    case TRM_OP_ATAN:
        one_and_square(order, a, 1, &s);
        quadrature(order, a, &s, start, 1, out);
        return;
    case TRM_OP_SQRT:
        root(order, a, out);
        return;
    case TRM_OP_EXP:
        exponential(order, a, out);
        return;
    default: // the logarithm
        quadrature(order, a, a, start, 1, out);
    }
}

/// a^b of a constant b: a c' = b a' c, so that k a_0 c_k = sum_{i=1..k} (i b - (k - i)) a_i c_{k-i}
static void constant_power(int order, const series *a, double b, series *out)
{
    series c;
    c.c[0] = trm_interval_real_power(a->c[0], b);
    for (int k = 1; k <= order; k++) {
        interval sum = zero;
        for (int i = 1; i <= k; i++) {
            const interval factor = trm_interval_subtract(trm_interval_scale(i, trm_interval_of(b)),
                                                          trm_interval_of(k - i));
            const interval product = trm_interval_multiply(a->c[i], c.c[k - i]);
            sum = trm_interval_add(sum, trm_interval_multiply(factor, product));
        }
        c.c[k] = trm_interval_divide(divide_by(sum, k), a->c[0]);
    }
    copy(order, &c, out);
}

static int is_constant(int order, const series *a)
{
    int constant = a->c[0].lo == a->c[0].hi;
    for (int k = 1; k <= order; k++) {
        constant &= a->c[k].lo == 0 && a->c[k].hi == 0;
    }
    return constant;
}

void trm_series_power(int order, const series *a, const series *b, series *out)
{
    const double exponent = b->c[0].lo, largest = INT_MAX; // of negative numbers too
    if (!is_constant(order, b)) {
        series product;
        trm_series_apply(TRM_OP_LOG, order, a, &product);
        trm_series_multiply(order, b, &product, &product);
        exponential(order, &product, out);
    } else if (exponent != floor(exponent) || fabs(exponent) > largest) {
        constant_power(order, a, exponent, out);
    } else {
        series power, unit;
        trm_series_integer_power(order, a, (int)fabs(exponent), &power);
        trm_series_constant(order, one, &unit);
        if (exponent < 0) {
            trm_series_divide(order, &unit, &power, &power);
        }
        copy(order, &power, out);
    }
}

static void square_length(int order, const series *x, const series *y, series *out)
{
    series other;
    trm_series_square(order, y, &other);
    trm_series_square(order, x, out);
    trm_series_add(order, out, &other, out);
}

/// r^2 theta' = x y' - y x', r^2 = x^2 + y^2
void trm_series_atan2(int order, const series *y, const series *x, series *out)
{
    series angle, square;
    square_length(order, x, y, &square);
    angle.c[0] = trm_interval_atan2(y->c[0], x->c[0]);
    const int cut = x->c[0].lo <= 0 && trm_interval_has(y->c[0], 0); // the angle may jump by 2 pi
    for (int k = 1; k <= order; k++) {
        const interval moment =
            trm_interval_subtract(sum_of(y, x, k, 1, k, 1), sum_of(x, y, k, 1, k, 1));
        const interval rest =
            trm_interval_subtract(moment, sum_of(&angle, &square, k, 1, k - 1, 1));
        angle.c[k] =
            cut ? trm_interval_whole() : trm_interval_divide(divide_by(rest, k), square.c[0]);
    }
    copy(order, &angle, out);
}

void trm_series_hypot(int order, const series *a, const series *b, series *out)
{
    series square;
    square_length(order, a, b, &square);
    trm_interval slope = trm_interval_whole();
    if (order > 0) { // the direction (a, b)/|(a, b)| has length 1, whatever is known of it
        const trm_interval x = trm_interval_of(trm_interval_magnitude(a->c[1]));
        const trm_interval y = trm_interval_of(trm_interval_magnitude(b->c[1]));
        const trm_interval speed = trm_interval_apply(
            TRM_OP_SQRT, trm_interval_add(trm_interval_square(x), trm_interval_square(y)));
        slope = (trm_interval){-speed.hi, speed.hi};
    }
    root(order, &square, out);
    if (order > 0) {
        out->c[1] = (trm_interval){fmax(out->c[1].lo, slope.lo), fmin(out->c[1].hi, slope.hi)};
    }
}

/// c = a/r in [-1, 1]
void trm_series_dircos(int order, const trm_series *a, const trm_series *b, trm_series *out)
{
    series r;
    trm_series_hypot(order, a, b, &r);
    quotient(order, a, &r, trm_interval_dircos(a->c[0], b->c[0]), out);
}
