#include "integrators/srm/past.h"

/// The Lagrange polynomial of point i of x[n], at s.
static double lagrange(int n, const double *x, int i, double s)
{
    double l = 1;
    for (int j = 0; j < n; j++) {
        l *= j == i ? 1 : (s - x[j]) / (x[i] - x[j]);
    }
    return l;
}

/// Its derivative there.
static double lagrange_rate(int n, const double *x, int i, double s)
{
    double sum = 0;
    for (int m = 0; m < n; m++) {
        double part = m == i ? 0 : 1 / (x[i] - x[m]);
        for (int j = 0; j < n; j++) {
            part *= j == i || j == m ? 1 : (s - x[j]) / (x[i] - x[j]);
        }
        sum += part;
    }
    return sum;
}

void trm_past_integral(int n, const double *x, double from, double to, double *w)
{
    enum { POINTS = 5 };
    static const double place[POINTS] = {0.046910077030668004, 0.23076534494715846, 0.5,
                                         0.76923465505284154, 0.953089922969332};
    static const double weight[POINTS] = {0.11846344252809454, 0.23931433524968324,
                                          0.28444444444444444, 0.23931433524968324,
                                          0.11846344252809454};
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int p = 0; p < POINTS; p++) {
            sum += weight[p] * lagrange(n, x, i, from + place[p] * (to - from));
        }
        w[i] = (to - from) * sum;
    }
}

void trm_past_by_means(int n, const double *edge, double x, double *w)
{
    double rates = 0; // of the polynomials of all edges that a step's mean counts at
    for (int i = 0; i < n; i++) {
        rates += lagrange_rate(n + 1, edge, i, x);
        w[i] = (edge[i] - edge[i + 1]) * rates;
    }
}
