/// Outward rounding: a bound moves outward by one unit in the last place where the sign of its
/// error requires it.
#include "engine/enclosure/interval.h"
#include "base/pi.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

// ------------------------------------------------------------------------------------- rounding

/// The next lower number; those of one sign are in the order of their bits. Bounds are never
/// subnormal: a processor may flush subnormal numbers to zero.
static double below(double x)
{
    int64_t bits;
    if (x > -DBL_MIN && x <= DBL_MIN) {
        return -DBL_MIN;
    }
    memcpy(&bits, &x, sizeof bits);
    bits += x > 0 ? -1 : isfinite(x);
    memcpy(&x, &bits, sizeof x);
    return x;
}

/// A lower bound of x + error, x the rounded value; minus infinity where x is not a number or
/// overflows.
static double lower(double x, double error)
{
    if (isnan(x) || x == -INFINITY) {
        return -INFINITY;
    }
    return error >= 0 ? x : below(x);
}

static double upper(double x, double error)
{
    return -lower(-x, -error);
}

/// a + b - (rounded sum), exact [Knuth].
static double error_of_sum(double a, double b, double sum)
{
    const double other = sum - a;
    return (a - (sum - other)) + (b - other);
}

/// Products below this may lose digits to underflow that their fused error does not see.
static const double tiny = DBL_MIN / DBL_EPSILON;

static double product_down(double a, double b)
{
    if (a == 0 || b == 0) {
        return 0; // also for an infinite bound: the numbers in the interval are finite
    }
    const double p = a * b;
    return lower(p, fabs(p) < tiny ? -1 : fma(a, b, -p));
}

/// Sign of the error of the rounded quotient: a/b - q = (a - q b)/b.
static double error_of_quotient(double a, double b, double q)
{
    const double rest = -fma(q, b, -a);
    return b > 0 ? rest : -rest;
}

static double quotient_down(double a, double b)
{
    const double q = a / b;
    if (a == 0 || isinf(b)) {
        return a == 0 || (a > 0) == (b > 0) ? 0 : below(0);
    }
    return lower(q, fabs(q) < tiny || fabs(a) < tiny ? -1 : error_of_quotient(a, b, q));
}

/// The error of a function of the C library, see interval.h.
static const double library = 4 * DBL_EPSILON;

static double library_down(double x)
{
    return isnan(x) ? -INFINITY : isinf(x) ? (x > 0 ? DBL_MAX : x) : below(x - library * fabs(x));
}

static double library_up(double x)
{
    return -library_down(-x);
}

// ----------------------------------------------------------------------------------- arithmetic

trm_interval trm_interval_of(double x)
{
    return isnan(x) ? trm_interval_whole() : (trm_interval){x, x};
}

trm_interval trm_interval_whole(void)
{
    return (trm_interval){-INFINITY, INFINITY};
}

trm_interval trm_interval_hull(trm_interval a, trm_interval b)
{
    return (trm_interval){fmin(a.lo, b.lo), fmax(a.hi, b.hi)};
}

int trm_interval_has(trm_interval a, double x)
{
    return a.lo <= x && x <= a.hi;
}

double trm_interval_magnitude(trm_interval a)
{
    return fmax(fabs(a.lo), fabs(a.hi));
}

trm_interval trm_interval_negate(trm_interval a)
{
    return (trm_interval){-a.hi, -a.lo};
}

trm_interval trm_interval_add(trm_interval a, trm_interval b)
{
    const double lo = a.lo + b.lo, hi = a.hi + b.hi;
    return (trm_interval){lower(lo, error_of_sum(a.lo, b.lo, lo)),
                          upper(hi, error_of_sum(a.hi, b.hi, hi))};
}

trm_interval trm_interval_subtract(trm_interval a, trm_interval b)
{
    return trm_interval_add(a, trm_interval_negate(b));
}

/// a op b for b >= 0: the lower bound is that of the lower end of a with the end of b that makes it
/// least, `more` where that end of a is negative. The upper one is less that of -a.
static trm_interval of_ends(double down(double, double), trm_interval a, double less, double more)
{
    return (trm_interval){down(a.lo, a.lo < 0 ? more : less),
                          0 - down(-a.hi, a.hi > 0 ? more : less)};
}

trm_interval trm_interval_multiply(trm_interval a, trm_interval b)
{
    if (b.lo < 0 && b.hi > 0 && a.lo < 0 && a.hi > 0) {
        return (trm_interval){fmin(product_down(a.lo, b.hi), product_down(a.hi, b.lo)),
                              0 - fmin(product_down(-a.lo, b.lo), product_down(-a.hi, b.hi))};
    }
    const int swapped = b.lo < 0 && b.hi > 0;
    trm_interval x = swapped ? b : a, y = swapped ? a : b;
    x = y.hi > 0 ? x : trm_interval_negate(x);
    y = y.hi > 0 ? y : trm_interval_negate(y);
    return of_ends(product_down, x, y.lo, y.hi);
}

trm_interval trm_interval_divide(trm_interval a, trm_interval b)
{
    return trm_interval_has(b, 0) ? trm_interval_whole()
           : b.lo > 0             ? of_ends(quotient_down, a, b.hi, b.lo)
                                  : of_ends(quotient_down, trm_interval_negate(a), -b.lo, -b.hi);
}

trm_interval trm_interval_square(trm_interval a)
{
    const double most = trm_interval_magnitude(a);
    const double least = trm_interval_has(a, 0) ? 0 : fmin(fabs(a.lo), fabs(a.hi));
    return (trm_interval){product_down(least, least), 0 - product_down(-most, most)};
}

trm_interval trm_interval_scale(double factor, trm_interval a)
{
    return trm_interval_multiply(trm_interval_of(factor), a);
}

trm_interval trm_interval_power(trm_interval a, int n)
{
    trm_interval result = trm_interval_of(1), square = a;
    if (n % 2 == 0 && n > 0) { // even powers: of the square, so that no negative values appear
        return trm_interval_power(trm_interval_square(a), n / 2);
    }
    for (int rest = n; rest > 0; rest /= 2) {
        result = rest % 2 ? trm_interval_multiply(result, square) : result;
        square = trm_interval_square(square);
    }
    return result;
}

// ------------------------------------------------------------------------------------ functions

/// Of a function that does not fall.
static trm_interval rising(double f(double), trm_interval a)
{
    return (trm_interval){library_down(f(a.lo)), library_up(f(a.hi))};
}

/// The part of a in [lo, hi]; an empty part gives NaN, and with it the whole line.
static trm_interval cut(trm_interval a, double lo, double hi)
{
    if (a.hi < lo || a.lo > hi) {
        return (trm_interval){NAN, NAN};
    }
    return (trm_interval){fmax(a.lo, lo), fmin(a.hi, hi)};
}

static trm_interval within(trm_interval a, double lo, double hi)
{
    return (trm_interval){fmax(a.lo, lo), fmin(a.hi, hi)};
}

trm_interval trm_interval_real_power(trm_interval a, double b)
{
    const trm_interval x = cut(a, 0, INFINITY);
    const double first = pow(x.lo, b), last = pow(x.hi, b);
    if (isnan(first)) {
        return trm_interval_whole();
    }
    return (trm_interval){fmax(library_down(fmin(first, last)), 0), library_up(fmax(first, last))};
}

/// Exact where the root is.
static trm_interval root(trm_interval x)
{
    if (isnan(x.lo)) {
        return trm_interval_whole();
    }
    const double lo = sqrt(x.lo), hi = sqrt(x.hi);
    return (trm_interval){x.lo == 0 ? 0 : lower(lo, x.lo < tiny ? -1 : -fma(lo, lo, -x.lo)),
                          x.hi == 0 ? 0 : upper(hi, x.hi < tiny ? 1 : -fma(hi, hi, -x.hi))};
}

/// Whether offset + 2 pi k lies in a for a whole number k, with a
/// margin for the rounding of a and of pi.
static int meets_turn(trm_interval a, double offset)
{
    const double margin = 8 * DBL_EPSILON * (1 + trm_interval_magnitude(a));
    const double turn = 2 * TRM_PI;
    const double first = ceil((a.lo - margin - offset) / turn);
    return first * turn + offset <= a.hi + margin;
}

/// Of sin (peak = pi/2) or cos (peak = 0).
static trm_interval wave(double f(double), trm_interval a, double peak)
{
    if (!(a.hi - a.lo < 2 * TRM_PI)) { // or infinite
        return (trm_interval){-1, 1};
    }
    const double first = f(a.lo), last = f(a.hi);
    const trm_interval ends = {library_down(fmin(first, last)), library_up(fmax(first, last))};
    return within((trm_interval){meets_turn(a, peak + TRM_PI) ? -1 : ends.lo,
                                 meets_turn(a, peak) ? 1 : ends.hi},
                  -1, 1);
}

static trm_interval tangent(trm_interval a)
{
    const int pole =
        !(a.hi - a.lo < TRM_PI) || meets_turn(a, TRM_PI / 2) || meets_turn(a, -TRM_PI / 2);
    return pole ? trm_interval_whole() : rising(tan, a);
}

trm_interval trm_interval_apply(trm_opcode f, trm_interval a)
{
    const trm_interval ratio = cut(a, -1, 1), positive = cut(a, 0, INFINITY);
    switch (f) {
    case TRM_OP_SIN:
        return wave(sin, a, TRM_PI / 2);
    case TRM_OP_COS:
        return wave(cos, a, 0);
    case TRM_OP_TAN:
        return tangent(a);
    case TRM_OP_ASIN:
        return rising(asin, ratio);
    case TRM_OP_ACOS: // falls
        return rising(acos, (trm_interval){ratio.hi, ratio.lo});
    case TRM_OP_ATAN:
        return rising(atan, a);
    case TRM_OP_SINH:
        return rising(sinh, a);
    case TRM_OP_COSH:
        return rising(cosh, trm_interval_abs(a));
    case TRM_OP_TANH:
        return within(rising(tanh, a), -1, 1);
    case TRM_OP_SQRT:
        return root(positive);
    case TRM_OP_EXP:
        return within(rising(exp, a), 0, INFINITY);
    default:
        return rising(log, positive);
    }
}

trm_interval trm_interval_atan2(trm_interval y, trm_interval x)
{
    const double most = library_up(TRM_PI);
    if (x.lo > 0) {
        const double a = atan2(y.lo, y.lo < 0 ? x.lo : x.hi);
        const double b = atan2(y.hi, y.hi < 0 ? x.hi : x.lo);
        return (trm_interval){library_down(a), library_up(b)};
    }
    if (y.lo > 0 || y.hi < 0) { // beside the cut; the corners bound an angle of less than pi
        const double a = atan2(y.lo, x.lo), b = atan2(y.lo, x.hi);
        const double c = atan2(y.hi, x.lo), d = atan2(y.hi, x.hi);
        return (trm_interval){library_down(fmin(fmin(a, b), fmin(c, d))),
                              library_up(fmax(fmax(a, b), fmax(c, d)))};
    }
    return (trm_interval){-most, most};
}

/// x/hypot(x, y), the sign of x where y is 0.
static double dircos(double x, double y)
{
    const double size = fmax(fabs(x), fabs(y));
    const double a = size > 0 ? x / size : 0, b = size > 0 ? y / size : 1;
    return a / sqrt(a * a + b * b);
}

/// Rises with x; with |y| it falls where x is positive, and rises where it is negative. Rounded by
/// less than four units, as the functions of the library.
trm_interval trm_interval_dircos(trm_interval x, trm_interval y)
{
    const trm_interval unit = {-1, 1}, beside = trm_interval_abs(y);
    if (!isfinite(x.lo) || !isfinite(x.hi) || !isfinite(beside.hi)) {
        return unit;
    }
    const double lo = dircos(x.lo, x.lo < 0 ? beside.lo : beside.hi);
    const double hi = dircos(x.hi, x.hi > 0 ? beside.lo : beside.hi);
    return within((trm_interval){library_down(lo), library_up(hi)}, -1, 1);
}

trm_interval trm_interval_abs(trm_interval a)
{
    const double least = trm_interval_has(a, 0) ? 0 : fmin(fabs(a.lo), fabs(a.hi));
    return (trm_interval){least, trm_interval_magnitude(a)};
}

trm_interval trm_interval_min(trm_interval a, trm_interval b)
{
    return (trm_interval){fmin(a.lo, b.lo), fmin(a.hi, b.hi)};
}

trm_interval trm_interval_max(trm_interval a, trm_interval b)
{
    return (trm_interval){fmax(a.lo, b.lo), fmax(a.hi, b.hi)};
}
