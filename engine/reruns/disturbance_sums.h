/// Passes over the vectors of disturbance.c, four numbers at once, as much as possible in each:
/// beside the cheapest evaluations, those of small trees, every pass counts.
///
/// Lengths n are multiples of four; vectors end with zeros. (q, v) of a disturbance are 2n numbers.
#ifndef TRM_DISTURBANCE_SUMS_H
#define TRM_DISTURBANCE_SUMS_H

#include "engine/base/quad.h"

enum { TRM_ADAMS = 4 }; ///< order of the formulas

/// The rates and weights of a step. Orders below four: weights of 0.
typedef struct trm_adams {
    const double *rate[TRM_ADAMS];   ///< [2n] dq', dv' of the predictor's points, the latest last
    double weight[TRM_ADAMS];        ///< s, of these
    const double *behind[TRM_ADAMS]; ///< [2n] the corrector's points, now at the last place
    double corrected[TRM_ADAMS];     ///< s, of these
} trm_adams;

/// Of a step: |v_c - v_p|^2, and |q|^2, |v|^2 of the disturbance corrected.
typedef struct trm_adams_error {
    double off, q, v;
} trm_adams_error;

/// p[2n]: v of the predictor, q of the corrector with this v.
void trm_adams_predict(int n, const trm_adams *step, const double *x, double *p);

/// out[2n] := x[2n] corrected with the rates now, q with this v; m of v_c - v_p, which is known to
/// be an error, taken out. dq' now := v of out.
trm_adams_error trm_adams_correct(int n, const trm_adams *step, double m, const double *x,
                                  const double *p, double *out, double *rate);

/// Of x[2n] + shift (V, A) the largest |q_i| part_i and |v_i| radian part_i.
double trm_largest_part(int n, const double *x, double shift, const double *V, double radian,
                        const double *part);

/// x := f x + c y
void trm_combine(int n, double f, double *x, double c, const double *y);

/// Of (V, A): |V|^2, |A|^2, sum (V_i part_i)^2.
void trm_sum_motion(int n, const double *V, const double *part, double out[3]);

/// x^T y
double trm_sum_products(int n, const double *x, const double *y);

#endif
