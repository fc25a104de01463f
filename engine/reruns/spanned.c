#include "engine/reruns/spanned.h"
#include "engine/reruns/disturbance_numbers.h"
#include "engine/reruns/disturbance_sums.h"

#include <math.h>
#include <string.h>

static double inner(const trm_spanned *s, const double *x, const double *y)
{
    return s->omega * s->omega * trm_sum_products(s->n, x, y) +
           trm_sum_products(s->n, x + s->n, y + s->n);
}

/// x := f x + c y
static void combine(const trm_spanned *s, double f, double *x, double c, const double *y)
{
    trm_combine(2 * s->n, f, x, c, y);
}

/// Vector j of length 1 and at right angles to those before it; zero where nothing is left of it.
static int make_orthonormal(trm_spanned *s, int j)
{
    double *const x = s->at[j], *const image = s->image[j];
    const double whole = inner(s, x, x);
    for (int pass = 0; pass < 2; pass++) { // twice is enough
        for (int k = 0; k < j; k++) {
            const double c = inner(s, s->at[k], x);
            combine(s, 1, x, -c, s->at[k]);
            combine(s, 1, image, -c, s->image[k]);
        }
    }
    const double rest = inner(s, x, x);
    if (!(rest > TRM_DISTURBANCE_REST * TRM_DISTURBANCE_REST * whole)) {
        return 0;
    }
    combine(s, 1 / sqrt(rest), x, 0, x);
    combine(s, 1 / sqrt(rest), image, 0, image);
    return 1;
}

void trm_spanned_orthonormalize(trm_spanned *s)
{
    int m = 0;
    for (int j = 0; j < s->m; j++) {
        double *const x = s->at[j], *const image = s->image[j];
        s->at[j] = s->at[m];
        s->image[j] = s->image[m];
        s->at[m] = x;
        s->image[m] = image;
        m += make_orthonormal(s, m);
    }
    s->m = m;
}

void trm_spanned_look(trm_spanned *s, const double *x)
{
    for (int i = 0; i < s->m; i++) {
        for (int j = 0; j < s->m; j++) {
            s->within[i][j] = inner(s, s->at[i], s->image[j]);
        }
        s->along[i] = inner(s, s->at[i], x);
    }
}

_Static_assert(TRM_SPANNED == 4, "columns of matrices are four numbers side by side");

/// A square matrix.
typedef struct square {
    trm_quad column[TRM_SPANNED];
} square;

/// out := a x
TRM_INLINE void apply(const square *a, const trm_quad *x, trm_quad *out)
{
    const trm_quad of = *x;
    *out = (of[0] * a->column[0] + of[1] * a->column[1]) +
           (of[2] * a->column[2] + of[3] * a->column[3]);
}

/// c := a b
TRM_INLINE void multiply(const square *a, const square *b, square *c)
{
    TRM_UNROLL
    for (int j = 0; j < TRM_SPANNED; j++) {
        apply(a, &b->column[j], &c->column[j]);
    }
}

/// The largest sum of a column.
static double norm(const square *a)
{
    double most = 0;
    for (int j = 0; j < TRM_SPANNED; j++) {
        const trm_quad *const x = &a->column[j];
        most = trm_larger(most, fabs((*x)[0]) + fabs((*x)[1]) + fabs((*x)[2]) + fabs((*x)[3]));
    }
    return most;
}

/// e := e^A for a norm up to 1/2: Taylor's series of degree 14, which is roundoff, in powers of
/// A^3.
TRM_INLINE void exponential(const square *a, square *e)
{
    // 1/k!
    static const double c[] = {1,
                               1,
                               1.0 / 2,
                               1.0 / 6,
                               1.0 / 24,
                               1.0 / 120,
                               1.0 / 720,
                               1.0 / 5040,
                               1.0 / 40320,
                               1.0 / 362880,
                               1.0 / 3628800,
                               1.0 / 39916800,
                               1.0 / 479001600,
                               1.0 / 6227020800,
                               1.0 / 87178291200};
    square a2, a3, product = {{{0}}};
    multiply(a, a, &a2);
    multiply(&a2, a, &a3);
    for (int k = 12; k >= 0; k -= 3) {
        TRM_UNROLL
        for (int j = 0; j < TRM_SPANNED; j++) {
            e->column[j] = product.column[j] + (c[k + 1] * a->column[j] + c[k + 2] * a2.column[j]);
            e->column[j][j] += c[k];
        }
        if (k > 0) {
            multiply(e, &a3, &product);
        }
    }
}

/// f := phi(2^s A) b with the norm of A up to 1/2: phi(A) b by Taylor's series, then s times
///
///     2 phi(2 A) b = phi(A) b + e^A phi(A) b
TRM_WIDE static void phi_times(const square *a, int s, const trm_quad *b, trm_quad *f)
{
    enum { DEGREE = 14 };
    static const double inverse[] = {0,        1,        1.0 / 2,  1.0 / 3,  1.0 / 4,
                                     1.0 / 5,  1.0 / 6,  1.0 / 7,  1.0 / 8,  1.0 / 9,
                                     1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13, 1.0 / 14};
    square e, squared;
    trm_quad sum = *b, more;
    for (int k = DEGREE; k > 1; k--) { // Horner's scheme
        apply(a, &sum, &more);
        sum = *b + inverse[k] * more;
    }
    if (s > 0) {
        exponential(a, &e);
    }
    for (int k = 0; k < s; k++) {
        apply(&e, &sum, &more);
        sum = 0.5 * (sum + more);
        if (k + 1 < s) {
            multiply(&e, &e, &squared);
            e = squared;
        }
    }
    *f = sum;
}

void trm_spanned_weigh(const trm_spanned *s, int m, double h, double weight[TRM_SPANNED])
{
    square a = {{{0}}};
    trm_quad along = {0}, f;
    int doublings = 0;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            a.column[j][i] = h * s->within[i][j];
        }
        along[i] = s->along[i];
    }
    const double whole = norm(&a);
    if (whole > 0.5 && isfinite(whole)) {
        frexp(whole, &doublings);
        doublings++;
    }
    const double part = ldexp(1, -doublings);
    for (int j = 0; j < TRM_SPANNED; j++) {
        a.column[j] *= part;
    }
    phi_times(&a, doublings, &along, &f);
    for (int i = 0; i < TRM_SPANNED; i++) {
        weight[i] = h * f[i];
    }
}

void trm_spanned_step(const trm_spanned *s, int m, const double *weight, double *x)
{
    for (int i = 0; i < m; i++) {
        combine(s, 1, x, weight[i], s->image[i]);
    }
}
