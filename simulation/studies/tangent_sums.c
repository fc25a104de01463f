#include "simulation/studies/tangent_sums.h"

#include <math.h>

enum { QUAD = 4 };

// Each pass is compiled a second time for a length of four, that of the smallest mechanisms, for
// which an evaluation costs little more: no loop is left.

enum { ROUND = 2 * TRM_ADAMS }; ///< four points, and all of them again

/// w[k]: the integral from 0 to h of the polynomial that is 1 at t[k] and 0 at the next three. By
/// Gauss' formula of two points, exact for degree 3.
TRM_INLINE void weigh(const double t[ROUND], double h, double w[TRM_ADAMS])
{
    const double off = 0.28867513459481288; // 1/sqrt(12)
    const double x = (0.5 - off) * h, y = (0.5 + off) * h;
    const trm_quad a = *trm_quad_at(t), b = *trm_quad_at(t + 1);
    const trm_quad c = *trm_quad_at(t + 2), d = *trm_quad_at(t + 3);
    const trm_quad sum = (x - b) * (x - c) * (x - d) + (y - b) * (y - c) * (y - d);
    *trm_quad_to(w) = 0.5 * h * sum / ((a - b) * (a - c) * (a - d));
}

/// With a point at -1e60 s a polynomial has the values of that without it: its factors are 1 at all
/// other times.
TRM_WIDE static void weigh_all(const double *t, int known, double now, trm_adams *out)
{
    const double last = t[TRM_ADAMS - 1], h = now - last;
    double early[ROUND], late[ROUND]; // from the last point on
    trm_quad points = *trm_quad_at(t) - last;
    for (int k = 0; k < TRM_ADAMS - known; k++) {
        points[k] = (k - TRM_ADAMS) * 1e60;
    }
    *trm_quad_to(early) = points;
    *trm_quad_to(early + TRM_ADAMS) = points;
    points = *trm_quad_at(early + 1);
    points[TRM_ADAMS - 1] = h;
    *trm_quad_to(late) = points;
    *trm_quad_to(late + TRM_ADAMS) = points;
    weigh(early, h, out->predicted);
    weigh(late, h, out->corrected);
}

void trm_adams_weigh(const double *t, int known, double now, trm_adams *out)
{
    weigh_all(t, known, now, out);
}

TRM_INLINE void predict_of(int n, const trm_adams *s, double *const *r, const double *x, double *p)
{
    const double *const w = s->predicted, *const c = s->corrected;
    for (int i = 0; i < n; i += QUAD) {
        const trm_quad v = *trm_quad_at(x + n + i) +
                           (w[0] * *trm_quad_at(r[0] + n + i) + w[1] * *trm_quad_at(r[1] + n + i)) +
                           (w[2] * *trm_quad_at(r[2] + n + i) + w[3] * *trm_quad_at(r[3] + n + i));
        *trm_quad_to(p + n + i) = v;
        *trm_quad_to(p + i) = *trm_quad_at(x + i) +
                              (c[0] * *trm_quad_at(r[1] + i) + c[1] * *trm_quad_at(r[2] + i)) +
                              (c[2] * *trm_quad_at(r[3] + i) + c[3] * v);
    }
}

TRM_WIDE static void predict(int n, const trm_adams *s, double *const *r, const double *x,
                             double *p)
{
    if (n == QUAD) {
        predict_of(QUAD, s, r, x, p);
    } else {
        predict_of(n, s, r, x, p);
    }
}

void trm_adams_predict(int n, const trm_adams *step, double *const *rate, const double *x,
                       double *p)
{
    predict(n, step, rate, x, p);
}

TRM_INLINE void correct_of(int n, const trm_adams *s, double *const *r, double m, const double *x,
                           const double *p, double *out, trm_adams_error *error)
{
    const double *const c = s->corrected;
    double *const rate = r[TRM_ADAMS - 1];
    trm_quad off = {0}, q2 = {0}, v2 = {0};
    for (int i = 0; i < n; i += QUAD) {
        const trm_quad e = *trm_quad_at(x + n + i) +
                           (c[0] * *trm_quad_at(r[0] + n + i) + c[1] * *trm_quad_at(r[1] + n + i)) +
                           (c[2] * *trm_quad_at(r[2] + n + i) + c[3] * *trm_quad_at(rate + n + i)) -
                           *trm_quad_at(p + n + i);
        const trm_quad more = e - m * e, v = *trm_quad_at(p + n + i) + more;
        const trm_quad q = *trm_quad_at(p + i) + c[3] * more;
        off += e * e;
        q2 += q * q;
        v2 += v * v;
        *trm_quad_to(out + i) = q;
        *trm_quad_to(out + n + i) = v;
        *trm_quad_to(rate + i) = v;
    }
    *error = (trm_adams_error){.off = trm_total(&off), .q = trm_total(&q2), .v = trm_total(&v2)};
}

TRM_WIDE static void correct(int n, const trm_adams *s, double *const *r, double m, const double *x,
                             const double *p, double *out, trm_adams_error *error)
{
    if (n == QUAD) {
        correct_of(QUAD, s, r, m, x, p, out, error);
    } else {
        correct_of(n, s, r, m, x, p, out, error);
    }
}

void trm_adams_correct(int n, const trm_adams *step, double *const *rate, double m, const double *x,
                       const double *p, double *out, trm_adams_error *error)
{
    correct(n, step, rate, m, x, p, out, error);
}

/// most := the larger of it and |x|
TRM_INLINE void take_larger(const trm_quad *x, trm_quad *most)
{
    const trm_quad size = (trm_quad)((trm_quad_truth)*x & INT64_MAX); // without the sign
    const trm_quad_truth more = size > *most;
    *most = (trm_quad)((more & (trm_quad_truth)size) | (~more & (trm_quad_truth)*most));
}

TRM_INLINE double largest_of(int n, const double *x, double shift, const double *V, double radian,
                             const double *part)
{
    trm_quad most = {0};
    for (int i = 0; i < n; i += QUAD) {
        const trm_quad size = *trm_quad_at(part + i);
        const trm_quad q = (*trm_quad_at(x + i) + shift * *trm_quad_at(V + i)) * size;
        const trm_quad v =
            (*trm_quad_at(x + n + i) + shift * *trm_quad_at(V + n + i)) * (radian * size);
        take_larger(&q, &most);
        take_larger(&v, &most);
    }
    return trm_larger(trm_larger(most[0], most[1]), trm_larger(most[2], most[3]));
}

TRM_WIDE static double largest(int n, const double *x, double shift, const double *V, double radian,
                               const double *part)
{
    return n == QUAD ? largest_of(QUAD, x, shift, V, radian, part)
                     : largest_of(n, x, shift, V, radian, part);
}

double trm_largest_part(int n, const double *x, double shift, const double *V, double radian,
                        const double *part)
{
    return largest(n, x, shift, V, radian, part);
}

TRM_WIDE static void combine(int n, double f, double *x, double c, const double *y)
{
    for (int i = 0; i < n; i += QUAD) {
        *trm_quad_to(x + i) = f * *trm_quad_at(x + i) + c * *trm_quad_at(y + i);
    }
}

void trm_combine(int n, double f, double *x, double c, const double *y)
{
    combine(n, f, x, c, y);
}

TRM_INLINE void sum_motion_of(int n, const double *V, const double *part, double *out)
{
    trm_quad v2 = {0}, a2 = {0}, parts2 = {0};
    for (int i = 0; i < n; i += QUAD) {
        const trm_quad v = *trm_quad_at(V + i), a = *trm_quad_at(V + n + i);
        const trm_quad of_size = v * *trm_quad_at(part + i);
        v2 += v * v;
        a2 += a * a;
        parts2 += of_size * of_size;
    }
    out[0] = trm_total(&v2);
    out[1] = trm_total(&a2);
    out[2] = trm_total(&parts2);
}

TRM_WIDE static void sum_motion(int n, const double *V, const double *part, double *out)
{
    if (n == QUAD) {
        sum_motion_of(QUAD, V, part, out);
    } else {
        sum_motion_of(n, V, part, out);
    }
}

void trm_sum_motion(int n, const double *V, const double *part, double out[3])
{
    sum_motion(n, V, part, out);
}

TRM_WIDE static double sum_products(int n, const double *x, const double *y)
{
    return trm_product(n, x, y);
}

double trm_sum_products(int n, const double *x, const double *y)
{
    return sum_products(n, x, y);
}

TRM_WIDE static double length(int n, double omega, const double *x)
{
    return sqrt(trm_pair_product(n, omega, x, x));
}

double trm_pair_length(int n, double omega, const double *x)
{
    return length(n, omega, x);
}
