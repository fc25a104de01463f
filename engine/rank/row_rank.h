/// Which rows of a dense matrix are combinations of others.
///
///   A^T P = Q R,    R = (R11 R12; 0 ~0),    A_dep = C A_ind,    C^T = R11^-1 R12
#pragma once

#include <stddef.h>

enum { TRM_DENSE_ROWS = 1000 }; ///< at most: dense algebra of these takes a second

typedef struct trm_row_basis {
    int rank;
    int most;     ///< of the rank, which is less where more rows are known to depend; 0: any
    double left;  ///< of the dependent rows, the longest part orthogonal to the independent ones
    int *order;   ///< [rows] independent rows first; memory of the caller
    double *C;    ///< [(rows-rank)*rank] row order[rank + k] = sum_i C[k*rank + i] row order[i]
    double *Q;    ///< [rank*columns] orthonormal, spans the rows; memory of the caller
    double *work; ///< [trm_row_rank_work(rows)]; NULL: taken for the moment
} trm_row_basis;

/// By QR with column pivoting of the transpose; a row whose part orthogonal to the rows before is
/// not longer than `tolerance` counts as dependent. Give rows of unit length. C needs room for
/// rows*rows/4 + rows, Q for rows*columns entries; either may be NULL. A[rows*columns] is
/// overwritten. Returns 0 without memory.
int trm_row_rank(int rows, int columns, double *A, double tolerance, trm_row_basis *out);

/// The length of the workspace of trm_row_rank.
size_t trm_row_rank_work(int rows);

/// x[columns] := x - Q^T Q x, orthogonal to the rows of A.
void trm_row_basis_remove(const trm_row_basis *basis, int columns, double *x);

/// out[(columns-rank)*columns] := an orthonormal basis of the space orthogonal to the rows of A.
/// Needs Q. Returns 0 without memory.
int trm_row_basis_complement(const trm_row_basis *basis, int columns, double *out);
