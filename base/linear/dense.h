/// Dense linear algebra. Large factors, eigenvalues and least squares are LAPACK's
/// (lapack.h); OpenBLAS takes locks, and 128 MB when it is first called.
#pragma once

/// Dense symmetric positive definite A[n*n]: factor in place, then solve. For M of models from
/// equations. Factoring returns nonzero when A is not positive definite.
int trm_cholesky(int n, double *A);
void trm_cholesky_solve(int n, const double *A, double *x);

/// A[n*n] := its LU factors with row exchanges in pivots[n]; the diagonal of A then holds the
/// pivots, zero or not finite where A is singular.
void trm_lu(int n, double *A, int *pivots);
/// x[n] := A^-1 x.
void trm_lu_solve(int n, const double *A, const int *pivots, double *x);

/// Eigenvalues re + i im of a dense A[n*n], which is overwritten, with right and left eigenvectors
/// A x = s x, y^H A = s y^H. A real eigenvalue j has X[j*n ...] and Y[j*n ...]; a pair (j, j+1),
/// im[j] > 0, has X[j*n ...] + i X[(j+1)*n ...], and likewise Y. Returns nonzero when the
/// iteration failed, -1 without memory.
int trm_eigen(int n, double *A, double *re, double *im, double *X, double *Y);
/// Symmetric A[n*n] := its orthonormal eigenvectors row by row,
/// lowest eigenvalue first; as trm_eigen.
int trm_eigen_symmetric(int n, double *A, double *values);
/// x[n] of least |x| among those of least |A x - b|, A[m*n] of full row rank m <= n; b[m]. Returns
/// nonzero when the iteration failed, -1 without memory.
int trm_least_norm(int m, int n, const double *A, const double *b, double *x);
