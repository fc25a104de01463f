/// Passes over the vectors of tangent_propagation.c, four numbers at once, as much as possible in
/// each: beside the cheapest evaluations, those of small trees, every pass counts.
///
/// Lengths n are multiples of four; vectors end with zeros. (q, v) of a disturbance are 2n numbers.
#ifndef TRM_PROPAGATION_SUMS_H
#define TRM_PROPAGATION_SUMS_H

#include "base/quad.h"

enum { TRM_ADAMS = 4 }; ///< order of the formulas

/// The weights of a step, in s.
typedef struct trm_adams {
    double predicted[TRM_ADAMS]; ///< of the rates at the last four points, the latest last
    double corrected[TRM_ADAMS]; ///< of the rates at the last three, and now
} trm_adams;

/// Of a step: |v_c - v_p|^2, and |q|^2, |v|^2 of the disturbance corrected.
typedef struct trm_adams_error {
    double off, q, v;
} trm_adams_error;

/// For a step from the last of t[TRM_ADAMS] to `now`, by the last `known` of these points. The
/// others have weights below 1e-50 s.
void trm_adams_weigh(const double *t, int known, double now, trm_adams *out);

/// p[2n]: v of the predictor, q of the corrector with this v. rate[TRM_ADAMS]: (dq', dv') [2n] at
/// the last points.
void trm_adams_predict(int n, const trm_adams *step, double *const *rate, const double *x,
                       double *p);

/// out[2n] := x[2n] corrected with the rates now, the last of rate[TRM_ADAMS], and q with this v;
/// m of v_c - v_p, which is known to be an error, taken out. dq' now := v of out.
void trm_adams_correct(int n, const trm_adams *step, double *const *rate, double m, const double *x,
                       const double *p, double *out, trm_adams_error *error);

/// Of x[2n] + shift (V, A) the largest |q_i| part_i and |v_i| radian part_i.
double trm_largest_part(int n, const double *x, double shift, const double *V, double radian,
                        const double *part);

/// x := f x + c y
void trm_combine(int n, double f, double *x, double c, const double *y);

/// Of (V, A): |V|^2, |A|^2, sum (V_i part_i)^2.
void trm_sum_motion(int n, const double *V, const double *part, double out[3]);

/// x^T y
double trm_sum_products(int n, const double *x, const double *y);

/// Of all four.
TRM_INLINE double trm_total(const trm_quad *sum)
{
    return ((*sum)[0] + (*sum)[1]) + ((*sum)[2] + (*sum)[3]);
}

/// omega^2 x^T y of the first halves and x^T y of the others, of 2n numbers.
TRM_INLINE double trm_pair_product(int n, double omega, const double *x, const double *y)
{
    trm_quad q = {0}, v = {0};
    for (int i = 0; i < n; i += 4) {
        q += *trm_quad_at(x + i) * *trm_quad_at(y + i);
        v += *trm_quad_at(x + n + i) * *trm_quad_at(y + n + i);
    }
    v += omega * omega * q;
    return trm_total(&v);
}

/// The root of trm_pair_product of x[2n] with itself.
double trm_pair_length(int n, double omega, const double *x);

#endif
