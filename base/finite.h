#ifndef TRM_FINITE_H
#define TRM_FINITE_H

/// Nonzero when every entry is finite.
int trm_all_finite(int n, const double *x);

#endif
