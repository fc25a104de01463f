/// LAPACK for large matrices, eigenvalues and singular values, loaded when it is first asked for.
///
/// Looking up the symbols of OpenBLAS takes longer than a short run, and no run of a mechanism of
/// usual size needs it. LAPACK is Fortran:
/// column-major, everything by reference.
#pragma once

#include <stddef.h>

#define TRM_LAPACK_FILE "liblapack.so.3"

/// Matrices with more rows than this are LAPACK's, where it is there.
enum { TRM_LAPACK_FROM = 200 };

typedef struct trm_lapack {
    void (*dgetrf)(const int *m, const int *n, double *A, const int *lda, int *ipiv, int *info);
    void (*dgeev)(const char *jobvl, const char *jobvr, const int *n, double *A, const int *lda,
                  double *wr, double *wi, double *VL, const int *ldvl, double *VR, const int *ldvr,
                  double *work, const int *lwork, int *info, size_t, size_t);
    void (*dsyev)(const char *jobz, const char *uplo, const int *n, double *A, const int *lda,
                  double *w, double *work, const int *lwork, int *info, size_t, size_t);
    void (*dgelss)(const int *m, const int *n, const int *nrhs, double *A, const int *lda,
                   double *B, const int *ldb, double *s, const double *rcond, int *rank,
                   double *work, const int *lwork, int *info);
} trm_lapack;

/// Its routines; NULL where there is no LAPACK.
const trm_lapack *trm_lapack_open(void);
/// Whether it could not be loaded for want of memory.
int trm_lapack_lacks_memory(void);
