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

void trm_past_integral(int n, const double *x, double from, double to, double *w)
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
    for (int i = 0; i < n; i++) {
        w[i] /= denominator(n, x, i);
    }
}

/// x <= 0, so that the products over all j but i are those over all j, over s - x_i.
void trm_past_adams_find(int n, const double *x, trm_past_adams *out)
{
    double over[TRM_PAST_MOST], product[POINTS], at_1 = 1;
    memcpy(product, weight, sizeof product);
    for (int j = 0; j < n; j++) {
        over[j] = 1 / denominator(n, x, j);
        out->predictor[j] = 0;
        at_1 *= 1 - x[j];
        for (int p = 0; p < POINTS; p++) {
            product[p] *= place[p] - x[j];
        }
    }
    for (int p = 0; p < POINTS; p++) {
        for (int j = 0; j < n; j++) {
            out->predictor[j] += product[p] * over[j] / (place[p] - x[j]);
        }
    }
    for (int j = 0; j < n; j++) {
        out->last[0][j] = at_1 * over[j] / (1 - x[j]);
        out->last[1][j] = out->last[0][j] * (x[j] - x[n - 1]) / (1 - x[n - 1]);
    }
    for (int less = 0; less < 3 && less <= n; less++) {
        out->end[less] = (product[0] + product[1] + product[2] + product[3] + product[4]) / at_1;
        for (int p = 0; p < POINTS && less < n; p++) {
            product[p] /= place[p] - x[n - 1 - less];
        }
        at_1 /= less < n ? 1 - x[n - 1 - less] : 1;
    }
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
