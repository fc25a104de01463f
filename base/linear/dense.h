/// Dense and banded linear algebra. Large factors, eigenvalues and least squares are LAPACK's
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

/// A square matrix whose entries (i, j) vanish for |i - j| > width.
typedef struct trm_band {
    int n, width;
    int rows;       ///< length of a column in A
    double *A;      ///< [rows*n] column by column, room for the fill of the factors
    int *exchanged; ///< [n]
} trm_band;

/// A band without its arrays.
trm_band trm_band_of(int n, int width);
/// The number of doubles in A.
int trm_band_size(const trm_band *band);
void trm_band_clear(trm_band *band);
/// The place of entry (i, j).
double *trm_band_at(const trm_band *band, int i, int j);
/// x[n] := A^-1 x; A is overwritten. Returns nonzero when A is singular.
int trm_band_solve(trm_band *band, double *x);
