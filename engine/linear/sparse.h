/// Sparse matrices by compressed rows, their products and their factors.
#pragma once

typedef struct trm_sparse {
    int rows, columns;
    const int *start;  ///< [rows+1]
    const int *column; ///< [start[rows]], ascending within a row
    double *value;     ///< [start[rows]]
} trm_sparse;

/// out[rows] := A x.
void trm_sparse_multiply(const trm_sparse *A, const double *x, double *out);
/// out[columns] := A^T x.
void trm_sparse_multiply_transposed(const trm_sparse *A, const double *x, double *out);

/// The pattern of c0 I + c1 A B, and of c0 I + c1 A for B = NULL; owns its arrays. Returns nonzero
/// without memory, or with more entries than an int counts; *out can be freed in any case.
int trm_sparse_pattern(const trm_sparse *A, const trm_sparse *B, trm_sparse *out);
/// Values of `out`, made by trm_sparse_pattern of the same matrices; work[out->columns].
void trm_sparse_fill(double c0, double c1, const trm_sparse *A, const trm_sparse *B, double *work,
                     trm_sparse *out);
/// For matrices made by trm_sparse_pattern.
void trm_sparse_free(trm_sparse *A);

/// Factors of a square sparse matrix: L D L^T by CHOLMOD (its simplicial part), L U by KLU. They
/// allocate on their own whenever they factor.
typedef struct trm_factor trm_factor;

/// Returns nonzero if this build has the library for it.
int trm_factor_available(int symmetric);
/// NULL without memory. A's arrays are borrowed until the end; all of a symmetric A is given.
trm_factor *trm_factor_create(const trm_sparse *A, int symmetric);
/// Factor A with its present values. 0: done; 1: a pivot is at most `least` times the largest, or
/// negative in a symmetric matrix; -1: no memory.
int trm_factor_renew(trm_factor *factor, double least);
/// x := A^-1 x. Returns nonzero without memory.
int trm_factor_solve(trm_factor *factor, double *x);
void trm_factor_destroy(trm_factor *factor);

/// For qsort of ints.
int trm_ascending(const void *a, const void *b);
