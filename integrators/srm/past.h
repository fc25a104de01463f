/// Polynomials through the past of a motion, in x = (t - t_n)/h, as weights of what is known of it.
#pragma once

enum { TRM_PAST_MOST = 9 }; ///< points or steps of one polynomial

/// w[n]: the integral from `from` to `to` of the polynomial through the values at x[n] is sum w_i
/// value_i. Exact to rounding: Gauss' formula of five points.
void trm_past_integral(int n, const double *x, double from, double to, double *w);

/// Weights of Adams' methods through the rates z' at n points x, over the step from 0 to 1.
typedef struct trm_past_adams {
    double predictor[TRM_PAST_MOST];
    double last[2][TRM_PAST_MOST]; ///< of the polynomials through n and n - 1 points, at 1
    /// end[i]: the corrector through n - i points and the end is the predictor, and this times the
    /// rates at the end less those of the polynomial.
    double end[3];
} trm_past_adams;

void trm_past_adams_find(int n, const double *x, trm_past_adams *out);

/// w[n]: the polynomial whose means over n adjacent steps, the latest first, from edge[i+1] to
/// edge[i], are given has the value sum w_i mean_i at x. It is the derivative of the polynomial
/// through the sums of step times mean at the edges.
void trm_past_by_means(int n, const double *edge, double x, double *w);
