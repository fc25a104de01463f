/// Taylor coefficients of a function of t, each enclosed over a whole interval of times:
///
///     c[k]  contains  f^(k)(t)/k!  for every t in the interval,   k = 0 ... order
///
/// The rules are those of automatic differentiation [Moore, Interval Analysis, 1966; Griewank &
/// Walther, Evaluating Derivatives, 2nd ed., ch. 13], with intervals for numbers. Where a function
/// has no derivative in the interval, its coefficients are the whole line from there on.
#pragma once

#include "engine/enclosure/interval.h"

/// dop853 has order 8, and a motor is asked for its second derivative.
enum { TRM_SERIES_ORDER = 10 };

typedef struct trm_series {
    trm_interval c[TRM_SERIES_ORDER + 1];
} trm_series;

/// The operations below use and write the coefficients up to `order`.
void trm_series_constant(int order, trm_interval value, trm_series *out);
/// t itself, in this interval.
void trm_series_time(int order, trm_interval t, trm_series *out);

/// out may be any of the arguments.
void trm_series_negate(int order, const trm_series *a, trm_series *out);
void trm_series_add(int order, const trm_series *a, const trm_series *b, trm_series *out);
void trm_series_subtract(int order, const trm_series *a, const trm_series *b, trm_series *out);
void trm_series_multiply(int order, const trm_series *a, const trm_series *b, trm_series *out);
void trm_series_divide(int order, const trm_series *a, const trm_series *b, trm_series *out);
void trm_series_power(int order, const trm_series *a, const trm_series *b, trm_series *out);
void trm_series_integer_power(int order, const trm_series *a, int n, trm_series *out);
void trm_series_atan2(int order, const trm_series *y, const trm_series *x, trm_series *out);
void trm_series_hypot(int order, const trm_series *a, const trm_series *b, trm_series *out);
void trm_series_dircos(int order, const trm_series *a, const trm_series *b, trm_series *out);
void trm_series_apply(trm_opcode f, int order, const trm_series *a, trm_series *out);
/// The union of both, for a formula that may take either branch.
void trm_series_either(int order, const trm_series *a, const trm_series *b, trm_series *out);
