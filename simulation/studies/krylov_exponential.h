/// exp(h J) of a linear operator J that is known in the span of a few vectors.
#ifndef TRM_KRYLOV_H
#define TRM_KRYLOV_H

enum { TRM_KRYLOV_VECTORS = 4 };

/// Vectors (q, v) of 2n numbers, lengths by omega^2 q.q + v.v. n is a multiple of four; the unused
/// end of q and v is zero (tangent_sums.h).
typedef struct trm_krylov {
    int n, m;                                              ///< m <= TRM_KRYLOV_VECTORS vectors
    double omega;                                          ///< 1/s
    double *at[TRM_KRYLOV_VECTORS];                        ///< the vectors
    double *image[TRM_KRYLOV_VECTORS];                     ///< J of each, 1/s
    double within[TRM_KRYLOV_VECTORS][TRM_KRYLOV_VECTORS]; ///< 1/s: E^T R, column by column
    double along[TRM_KRYLOV_VECTORS];                      ///< E^T x
} trm_krylov;

/// Makes the vectors orthonormal, their images with them; m shrinks by those that depend on others.
void trm_krylov_orthonormalize(trm_krylov *span);

/// Before steps of x[2n]. Images from m on are the first from here on.
void trm_krylov_project(trm_krylov *span, const double *x);

/// exp(h J) x for the x that was looked at, with J E = R for the first m orthonormal vectors E and
/// J = 0 beside them:
///
///     exp(h J) x = x + R w,   w = h phi(h E^T R) E^T x,   phi(Z) = (e^Z - 1)/Z
///
/// w is zero from m on. It is exact where the span is invariant, bounded where J damps or turns,
/// however long h is.
void trm_krylov_weights(const trm_krylov *span, int m, double h, double weight[TRM_KRYLOV_VECTORS]);

/// out[2n] := x[2n] + R w, which may be in place. Returns the length of out.
double trm_krylov_step(const trm_krylov *s, const double weight[TRM_KRYLOV_VECTORS],
                       const double *x, double *out);

#endif
