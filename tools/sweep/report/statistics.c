#define _GNU_SOURCE // qsort_r
#include "tools/sweep/report/statistics.h"

#include <math.h>
#include <stdlib.h>

/// Probabilities of the quantiles that are shown.
static const double quantile_at[TRM_QUANTILES] = {0, 0.05, 0.25, 0.5, 0.75, 0.95, 1};

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// Of x[n] sorted, n > 0, with linear interpolation: type 7 of Hyndman & Fan, The American
/// Statistician 50 (1996).
static double quantile(const double *x, long n, double p)
{
    const double at = p * (double)(n - 1);
    const long k = (long)at < n - 1 ? (long)at : n - 1;
    const double part = at - (double)k;
    return part > 0 ? x[k] + part * (x[k + 1] - x[k]) : x[k];
}

/// Bins of the width 2 (q75 - q25) n^(-1/3) [Freedman & Diaconis, Zeitschrift fuer
/// Wahrscheinlichkeitstheorie 57 (1981)], as many as are drawn at most.
static void count_bins(const double *x, long n, trm_statistics *s)
{
    const double range = x[n - 1] - x[0];
    const double width = 2 * (s->quantile[4] - s->quantile[2]) / cbrt((double)n);
    const double wanted = width > 0 ? ceil(range / width) : TRM_BINS;
    s->from = x[0];
    s->to = x[n - 1];
    s->nbins = !(range > 0) ? 1 : wanted < TRM_BINS ? (int)wanted : TRM_BINS;
    for (long i = 0; i < n; i++) {
        const int k = range > 0 ? (int)((x[i] - x[0]) / range * s->nbins) : 0;
        s->bin[k < s->nbins ? k : s->nbins - 1]++;
    }
}

void trm_statistics_of(double *x, long n, trm_statistics *out)
{
    *out = (trm_statistics){.n = n, .mean = NAN, .deviation = NAN};
    if (n == 0) {
        return;
    }
    qsort(x, (size_t)n, sizeof *x, by_value);
    double mean = 0, squares = 0;
    for (long i = 0; i < n; i++) { // Welford, Technometrics 4 (1962)
        const double step = x[i] - mean;
        mean += step / (double)(i + 1);
        squares += step * (x[i] - mean);
    }
    out->mean = mean;
    out->deviation = n > 1 ? sqrt(squares / (double)(n - 1)) : NAN;
    for (int k = 0; k < TRM_QUANTILES; k++) {
        out->quantile[k] = quantile(x, n, quantile_at[k]);
    }
    count_bins(x, n, out);
}

static int by_place(const void *a, const void *b, void *values)
{
    const double *const x = values;
    return by_value(&x[*(const long *)a], &x[*(const long *)b]);
}

void trm_ranks(const double *x, long n, long *work, double *rank)
{
    for (long i = 0; i < n; i++) {
        work[i] = i;
    }
    qsort_r(work, (size_t)n, sizeof *work, by_place, (void *)(size_t)x);
    for (long i = 0, last; i < n; i = last) {
        for (last = i + 1; last < n && x[work[last]] == x[work[i]]; last++) {
        }
        for (long k = i; k < last; k++) {
            rank[work[k]] = (double)(i + last + 1) / 2;
        }
    }
}
