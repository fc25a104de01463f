/// exp(h J) of a linear operator J that is known in the span of a few vectors.
#ifndef TRM_SPANNED_H
#define TRM_SPANNED_H

enum { TRM_SPANNED = 4 };

/// Vectors (q, v) of 2n numbers, lengths by omega^2 q.q + v.v. n is a multiple of four; the unused
/// end of q and v is zero (tangent_sums.h).
typedef struct trm_spanned {
    int n, m;                                ///< m <= TRM_SPANNED vectors
    double omega;                            ///< 1/s
    double *at[TRM_SPANNED];                 ///< the vectors
    double *image[TRM_SPANNED];              ///< J of each, 1/s
    double within[TRM_SPANNED][TRM_SPANNED]; ///< 1/s: E^T R, column by column
    double along[TRM_SPANNED];               ///< E^T x
} trm_spanned;

/// Makes the vectors orthonormal, their images with them; m shrinks by those that depend on others.
void trm_spanned_orthonormalize(trm_spanned *span);

/// Before steps of x[2n]. Images from m on are the first from here on.
void trm_spanned_look(trm_spanned *span, const double *x);

/// exp(h J) x for the x that was looked at, with J E = R for the first m orthonormal vectors E and
/// J = 0 beside them:
///
///     exp(h J) x = x + R w,   w = h phi(h E^T R) E^T x,   phi(Z) = (e^Z - 1)/Z
///
/// w is zero from m on. It is exact where the span is invariant, bounded where J damps or turns,
/// however long h is.
void trm_spanned_weigh(const trm_spanned *span, int m, double h, double weight[TRM_SPANNED]);

/// out[2n] := x[2n] + R w, which may be in place. Returns the length of out.
double trm_spanned_step(const trm_spanned *s, const double weight[TRM_SPANNED], const double *x,
                        double *out);

#endif
