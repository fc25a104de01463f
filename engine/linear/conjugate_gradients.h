/// The method of conjugate gradients with a preconditioner, for
/// symmetric positive (semi)definite K.
#ifndef TRM_CONJUGATE_GRADIENTS_H
#define TRM_CONJUGATE_GRADIENTS_H

/// out[n] := K v, or an approximation of K^-1 v. Nonzero: it failed.
typedef int trm_cg_apply(void *user, const double *v, double *out);

typedef struct trm_cg {
    int n;
    trm_cg_apply *multiply;
    trm_cg_apply *precondition; ///< NULL: none
    void *user;
    const double *null; ///< [n] of unit length, K null = 0 up to a multiple of null; NULL: none
    double *work;       ///< [4*n]
    double tolerance;   ///< of |r - K y| against |r|
    int most;           ///< iterations
} trm_cg;

typedef enum trm_cg_end {
    TRM_CG_DONE,
    TRM_CG_SLOW,     ///< `most` iterations were not enough
    TRM_CG_NEGATIVE, ///< v.K v <= 0 or v.P v <= 0: K or its preconditioner is not positive
    TRM_CG_FAILED    ///< multiply or precondition did
} trm_cg_end;

typedef struct trm_cg_result {
    trm_cg_end end;
    int iterations;
    double residual;  ///< |r - K y|/|r|
    double curvature; ///< v.K v/v.v of the last direction
} trm_cg_result;

/// y := K^-1 r from the guess y, in the complement of `null`.
trm_cg_result trm_cg_solve(const trm_cg *cg, const double *r, double *y);

/// v := v - z (z.v).
void trm_project_out(int n, const double *z, double *v);

#endif
