#include "engine/reruns/disturbance_sums.h"

enum { QUAD = 4 };

TRM_INLINE double total(const trm_quad *sum)
{
    return ((*sum)[0] + (*sum)[1]) + ((*sum)[2] + (*sum)[3]);
}

TRM_WIDE static void predict(int n, const trm_adams *s, const double *x, double *p)
{
    const double *const *const r = s->rate, *const *const b = s->behind, *const w = s->weight;
    const double *const c = s->corrected;
    for (int i = 0; i < n; i += QUAD) {
        const trm_quad v = *trm_quad_at(x + n + i) +
                           (w[0] * *trm_quad_at(r[0] + n + i) + w[1] * *trm_quad_at(r[1] + n + i)) +
                           (w[2] * *trm_quad_at(r[2] + n + i) + w[3] * *trm_quad_at(r[3] + n + i));
        *trm_quad_to(p + n + i) = v;
        *trm_quad_to(p + i) = *trm_quad_at(x + i) +
                              (c[0] * *trm_quad_at(b[0] + i) + c[1] * *trm_quad_at(b[1] + i)) +
                              (c[2] * *trm_quad_at(b[2] + i) + c[3] * v);
    }
}

void trm_adams_predict(int n, const trm_adams *step, const double *x, double *p)
{
    predict(n, step, x, p);
}

TRM_WIDE static void correct(int n, const trm_adams *s, double m, const double *x, const double *p,
                             double *out, double *rate, trm_adams_error *error)
{
    const double *const *const b = s->behind, *const c = s->corrected;
    trm_quad off = {0}, q2 = {0}, v2 = {0};
    for (int i = 0; i < n; i += QUAD) {
        const trm_quad e = *trm_quad_at(x + n + i) +
                           (c[0] * *trm_quad_at(b[0] + n + i) + c[1] * *trm_quad_at(b[1] + n + i)) +
                           (c[2] * *trm_quad_at(b[2] + n + i) + c[3] * *trm_quad_at(rate + n + i)) -
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
    *error = (trm_adams_error){.off = total(&off), .q = total(&q2), .v = total(&v2)};
}

trm_adams_error trm_adams_correct(int n, const trm_adams *step, double m, const double *x,
                                  const double *p, double *out, double *rate)
{
    trm_adams_error error;
    correct(n, step, m, x, p, out, rate, &error);
    return error;
}

/// most := the larger of it and |x|
TRM_INLINE void take_larger(const trm_quad *x, trm_quad *most)
{
    const trm_quad size = (trm_quad)((trm_quad_truth)*x & INT64_MAX); // without the sign
    const trm_quad_truth more = size > *most;
    *most = (trm_quad)((more & (trm_quad_truth)size) | (~more & (trm_quad_truth)*most));
}

TRM_WIDE static double largest(int n, const double *x, double shift, const double *V, double radian,
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

TRM_WIDE static void sum_motion(int n, const double *V, const double *part, double *out)
{
    trm_quad v2 = {0}, a2 = {0}, parts2 = {0};
    for (int i = 0; i < n; i += QUAD) {
        const trm_quad v = *trm_quad_at(V + i), a = *trm_quad_at(V + n + i);
        const trm_quad of_size = v * *trm_quad_at(part + i);
        v2 += v * v;
        a2 += a * a;
        parts2 += of_size * of_size;
    }
    out[0] = total(&v2);
    out[1] = total(&a2);
    out[2] = total(&parts2);
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
