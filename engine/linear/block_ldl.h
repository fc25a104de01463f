/// A = L diag(d) L^T of a symmetric matrix of dense blocks with a pattern known beforehand.
#pragma once

#include "engine/linear/constraint_pattern.h"

/// A[values] := unit lower L below the diagonal; pivot[n] = d, inverse_pivot[n] = 1/d. The pivots
/// are not checked. If y[n] is not NULL, trm_ldl_forward(y) is done on the way, during the latency
/// of the divisions. Vectors go by row of S, see constraint_pattern.h.
void trm_ldl_factor(const trm_pattern *pattern, double *A, double *pivot, double *inverse_pivot,
                    double *y);

/// x[n] := diag(1/d) L^-1 x.
void trm_ldl_forward(const trm_pattern *pattern, const double *A, const double *inverse_pivot,
                     double *x);

/// x[n] := L^-T x.
void trm_ldl_backward(const trm_pattern *pattern, const double *A, double *x);

/// x[n] := A^-1 x: both.
void trm_ldl_solve(const trm_pattern *pattern, const double *A, const double *inverse_pivot,
                   double *x);
