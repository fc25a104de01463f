/// A = L diag(d) L^T of a symmetric matrix of dense blocks with a pattern known beforehand.
#ifndef TRM_BLOCK_LDL_H
#define TRM_BLOCK_LDL_H

#include "engine/constraint_pattern.h"

/// A[values] := its factors: unit lower L below the diagonal, d on it. inverse_pivot[n] = 1/d. Nothing
/// is checked.
void trm_ldl_factor(const trm_pattern *pattern, double *A, double *inverse_pivot);

/// x[n] := A^-1 x by the factors, in elimination order.
void trm_ldl_solve(const trm_pattern *pattern, const double *A, const double *inverse_pivot,
                   double *x);

/// x[n] := L^-T x, in elimination order.
void trm_ldl_backward(const trm_pattern *pattern, const double *A, double *x);

/// r[n] -= A x, of an A that is not factored; both in elimination order.
void trm_blocks_subtract(const trm_pattern *pattern, const double *A, const double *x, double *r);

#endif
