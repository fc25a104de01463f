/// The sampled motion in a step, and sums over it: each variable of a formula is a polynomial of
/// s = (t - t0)/h, and so is a difference of two, of which intervals of its terms know nothing:
/// points that move together by metres lie 1e-16 m apart.
#pragma once

#include "engine/enclosure/interval_series.h"

enum { TRM_TIME_PATH_PARTS = 8 }; ///< the largest degree
typedef struct trm_time_path {
    double t0, h; ///< s
    int degree;
    const double (*c)[TRM_TIME_PATH_PARTS + 1]; ///< [variables] coefficients, the constant first
} trm_time_path;

/// values[parts + 1] at s = 0, 1/parts, ..., 1 become the coefficients of their polynomial.
void trm_time_path_fit(int parts, double *values);
/// Variable i at t.
double trm_time_path_at(const trm_time_path *path, int i, double t);

/// A sum of variables and constants: its polynomial, with the rounding of the sum.
typedef struct trm_time_line {
    int degree; ///< -1: it is no such sum
    trm_interval c[TRM_TIME_PATH_PARTS + 1];
} trm_time_line;

void trm_time_line_constant(double value, trm_time_line *out);
/// Variable i.
void trm_time_line_of(const trm_time_path *path, int i, trm_time_line *out);
/// a := a + sign b, sign 1 or -1, both of a degree.
void trm_time_line_add(const trm_time_line *b, double sign, trm_time_line *a);
void trm_time_line_negate(trm_time_line *a);
/// Its enclosures over t, by the rule of Horner; degree >= 0.
void trm_time_line_series(const trm_time_path *path, const trm_time_line *line, trm_interval t,
                          int order, trm_series *out);
