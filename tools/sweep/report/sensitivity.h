/// How much each parameter matters to an output. y[n] are its values in the order of the runs of a
/// design (tools/sweep/design/design.h); rows and trajectories with a value that is not finite are
/// left out.
#pragma once

/// Shares of the variance of a parameter: alone, and with all others it acts together with.
typedef struct trm_sobol {
    double first, total;             ///< NAN when y does not vary
    double first_error, total_error; ///< standard errors of independent rows
} trm_sobol;

/// From rows of k + 2 runs: first = mean (y_B - m)(y_ABi - y_A)/V, total = mean (y_A - y_ABi)^2/2V
/// with m and V of A and B [Saltelli et al., Computer Physics Communications 181 (2010), table 2, b
/// and f]. Returns the number of whole rows. out[k].
long trm_sobol_of(const double *y, long rows, int k, trm_sobol *out);

/// Elementary effects, over the step as a part of the range: uniform, b - a; normal, sqrt(12) times
/// the deviation, which is the range of a uniform one that is as wide.
typedef struct trm_morris {
    double mu, mu_star, sigma; ///< mean, mean size, deviation; NAN when there are none
} trm_morris;

/// From trajectories of k + 1 runs [Morris, Technometrics 33 (1991); mu_star: Campolongo, Cariboni
/// & Saltelli, Environmental Modelling & Software 22 (2007)]. x[i][n] the parameters, range[k].
/// Returns the number of whole trajectories. out[k].
long trm_morris_of(const double *y, const double *const *x, const double *range, long trajectories,
                   int k, trm_morris *out);

/// Spearman's rank correlation of x[n] and y[n], of the pairs that are finite; NAN without enough
/// of them, or when one of both does not vary. work[4 n] doubles; order[n].
double trm_rank_correlation(const double *x, const double *y, long n, double *work, long *order);
