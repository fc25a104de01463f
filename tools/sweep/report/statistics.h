/// Moments, quantiles and histograms of one column. Numbers that are missing (not finite) are left
/// out by who calls.
#pragma once

enum { TRM_BINS = 60, TRM_QUANTILES = 7 };

typedef struct trm_statistics {
    long n;
    double mean, deviation;         ///< of the sample: over n - 1; NAN for n < 2
    double quantile[TRM_QUANTILES]; ///< least, 5, 25, 50, 75, 95 %, largest
    int nbins;                      ///< 0 when n is 0
    double from, to;
    int bin[TRM_BINS];
} trm_statistics;

/// x[n], n >= 0; sorts it.
void trm_statistics_of(double *x, long n, trm_statistics *out);

/// rank[n] of x[n]: 1 for the least; equal ones share the mean of theirs. work[n].
void trm_ranks(const double *x, long n, long *work, double *rank);
