/// Dense linear algebra, by LAPACK.
#ifndef TRM_DENSE_H
#define TRM_DENSE_H

/// Rank of a dense symmetric positive semidefinite A[n*n] with unit diagonal, by pivoted Cholesky
/// (LAPACK dpstrf). On return order[n] lists the rows, independent ones first, and A holds for
/// each dependent row order[rank + k] its combination of independent ones: A[(rank + k)*n + i] is
/// the coefficient of row order[i], i < rank. Returns the rank, or -1 without memory.
int trm_rank(int n, double *A, double tolerance, int *order);

/// Dense symmetric positive definite A[n*n]: factor in place, then solve. For M of models from
/// equations. Factoring returns nonzero when A is not positive definite.
int trm_cholesky(int n, double *A);
void trm_cholesky_solve(int n, const double *A, double *x);

#endif
