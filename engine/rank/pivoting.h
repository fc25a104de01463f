/// Elimination with complete pivoting: small dense systems whose rank is not known beforehand.
#pragma once

/// A[rows*columns], row-major, becomes its LU factors. row[k] and column[k] say which row and which
/// column were eliminated k-th; rows and columns from `rank` on depend on the others. A pivot ends
/// the elimination when it is not above `tolerance` times the first one. Returns the rank.
int trm_eliminate(int rows, int columns, double *A, double tolerance, int *row, int *column);

/// x[n] = a solution of A x = b for a square A, by the factors: the dependent rows of b are
/// ignored, the dependent entries of x are zero. b[n] is overwritten.
void trm_eliminate_solve(int n, int rank, const double *A, const int *row, const int *column,
                         double *b, double *x);

/// Size of the smallest pivot; 0 when the rank is 0.
double trm_eliminate_smallest(int columns, int rank, const double *A, const int *row,
                              const int *column);
