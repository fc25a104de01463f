#include "integrators/srm/past.h"

#include <string.h>

/// The products of (s - x_j) over all j but i, for each i.
static void products(int n, const double *x, double s, double *value)
{
    double before = 1, after = 1;
    for (int i = 0; i < n; i++) {
        value[i] = before;
        before *= s - x[i];
    }
    for (int i = n - 1; i >= 0; i--) {
        value[i] *= after;
        after *= s - x[i];
    }
}

/// The same and their derivatives in s.
static void products_and_rates(int n, const double *x, double s, double *value, double *rate)
{
    double before = 1, before_rate = 0, after = 1, after_rate = 0;
    for (int i = 0; i < n; i++) {
        value[i] = before;
        rate[i] = before_rate;
        before_rate = before_rate * (s - x[i]) + before;
        before *= s - x[i];
    }
    for (int i = n - 1; i >= 0; i--) {
        rate[i] = rate[i] * after + value[i] * after_rate;
        value[i] *= after;
        after_rate = after_rate * (s - x[i]) + after;
        after *= s - x[i];
    }
}

/// The products of (x_i - x_j) over all j but i.
static double denominator(int n, const double *x, int i)
{
    double product = 1;
    for (int j = 0; j < n; j++) {
        product *= j == i ? 1 : x[i] - x[j];
    }
    return product;
}

enum { POINTS = 5 }; // of Gauss' formula
static const double place[POINTS] = {0.046910077030668004, 0.23076534494715846, 0.5,
                                     0.76923465505284154, 0.953089922969332};
static const double weight[POINTS] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444,
                                      0.23931433524968324, 0.11846344252809454};

/// What trm_past_integral finds, without the denominators.
static void integrate(int n, const double *x, double from, double to, double *w)
{
    double value[TRM_PAST_MOST + 1];
    for (int i = 0; i < n; i++) {
        w[i] = 0;
    }
    for (int p = 0; p < POINTS; p++) {
        products(n, x, from + place[p] * (to - from), value);
        for (int i = 0; i < n; i++) {
            w[i] += weight[p] * (to - from) * value[i];
        }
    }
}

void trm_past_integral(int n, const double *x, double from, double to, double *w)
{
    integrate(n, x, from, to, w);
    for (int i = 0; i < n; i++) {
        w[i] /= denominator(n, x, i);
    }
}

/// end[less]: the integral over the step of the product of (s - x_j)/(1 - x_j) over the first
/// n - less points.
static void integrate_products(int n, const double *x, double end[3])
{
    double product[POINTS], at_1 = 1;
    memcpy(product, weight, sizeof product);
    for (int j = 0; j <= n; j++) {
        if (n - j < 3) {
            end[n - j] = (product[0] + product[1] + product[2] + product[3] + product[4]) / at_1;
        }
        for (int p = 0; p < POINTS && j < n; p++) {
            product[p] *= place[p] - x[j];
        }
        at_1 *= j < n ? 1 - x[j] : 1;
    }
}

void trm_past_adams_find(int n, const double *x, trm_past_adams *out)
{
    integrate(n, x, 0, 1, out->predictor);
    products(n, x, 1, out->last[0]);
    for (int j = 0; j < n; j++) {
        const double over = 1 / denominator(n, x, j);
        out->predictor[j] *= over;
        out->last[0][j] *= over;
    }
    for (int j = 0; j < n - 1; j++) {
        out->last[1][j] = out->last[0][j] * (x[j] - x[n - 1]) / (1 - x[n - 1]);
    }
    integrate_products(n, x, out->end);
}

void trm_past_by_means(int n, const double *edge, double x, double *w)
{
    double value[TRM_PAST_MOST + 1], rate[TRM_PAST_MOST + 1];
    double rates = 0; // of the polynomials of all edges that a step's mean counts at
    products_and_rates(n + 1, edge, x, value, rate);
    for (int i = 0; i < n; i++) {
        rates += rate[i] / denominator(n + 1, edge, i);
        w[i] = (edge[i] - edge[i + 1]) * rates;
    }
}
