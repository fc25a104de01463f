#include "simulation/studies/krylov_exponential.h"
#include "simulation/studies/tangent_numbers.h"
#include "simulation/studies/tangent_sums.h"

#include <math.h>
#include <string.h>

enum { QUAD = 4 };

/// out[2n] := f (x + sum of c[k] y[k], k < m)
TRM_INLINE void combine(int n, double f, const double *x, int m, const double *c, double *const *y,
                        double *out)
{
    for (int i = 0; i < 2 * n; i += QUAD) {
        trm_quad sum = *trm_quad_at(x + i);
        for (int k = 0; k < m; k++) {
            sum += c[k] * *trm_quad_at(y[k] + i);
        }
        *trm_quad_to(out + i) = f * sum;
    }
}

/// Vector j of length 1 and at right angles to those before it; zero where nothing is left of it.
TRM_INLINE int make_orthonormal(int n, trm_krylov *s, int j)
{
    const double omega = s->omega;
    double *const x = s->at[j], *const image = s->image[j];
    const double whole = trm_pair_product(n, omega, x, x);
    for (int pass = 0; pass < 2 && j > 0; pass++) { // twice is enough
        double c[TRM_KRYLOV_VECTORS];
        for (int k = 0; k < j; k++) {
            c[k] = -trm_pair_product(n, omega, s->at[k], x);
        }
        combine(n, 1, x, j, c, s->at, x);
        combine(n, 1, image, j, c, s->image, image);
    }
    const double rest = trm_pair_product(n, omega, x, x);
    if (!(rest > TRM_PROPAGATION_REST * TRM_PROPAGATION_REST * whole)) {
        return 0;
    }
    const double f = 1 / sqrt(rest);
    combine(n, f, x, 0, NULL, NULL, x);
    combine(n, f, image, 0, NULL, NULL, image);
    return 1;
}

TRM_INLINE void orthonormalize_of(int n, trm_krylov *s)
{
    int m = 0;
    for (int j = 0; j < s->m; j++) {
        double *const x = s->at[j], *const image = s->image[j];
        s->at[j] = s->at[m];
        s->image[j] = s->image[m];
        s->at[m] = x;
        s->image[m] = image;
        m += make_orthonormal(n, s, m);
    }
    s->m = m;
}

TRM_WIDE static void orthonormalize(trm_krylov *s)
{
    if (s->n == QUAD) {
        orthonormalize_of(QUAD, s); // no loops over numbers
    } else {
        orthonormalize_of(s->n, s);
    }
}

void trm_krylov_orthonormalize(trm_krylov *s)
{
    orthonormalize(s);
}

TRM_INLINE void look_of(int n, trm_krylov *s, const double *x)
{
    for (int k = s->m; k < TRM_KRYLOV_VECTORS; k++) {
        s->image[k] = s->image[0]; // times zero
    }
    memset(s->within, 0, sizeof s->within); // as are all from m on, which may be no numbers
    memset(s->along, 0, sizeof s->along);
    for (int i = 0; i < s->m; i++) {
        for (int j = 0; j < s->m; j++) {
            s->within[j][i] = trm_pair_product(n, s->omega, s->at[i], s->image[j]);
        }
        s->along[i] = trm_pair_product(n, s->omega, s->at[i], x);
    }
}

TRM_WIDE static void look(trm_krylov *s, const double *x)
{
    if (s->n == QUAD) {
        look_of(QUAD, s, x);
    } else {
        look_of(s->n, s, x);
    }
}

void trm_krylov_project(trm_krylov *s, const double *x)
{
    look(s, x);
}

_Static_assert(TRM_KRYLOV_VECTORS == 4, "columns of matrices are four numbers side by side");

/// A square matrix of m columns, m = 2 to 4; those beyond are not read.
typedef struct square {
    trm_quad column[TRM_KRYLOV_VECTORS];
} square;

/// out := a x
TRM_INLINE void apply(int m, const square *a, const trm_quad *x, trm_quad *out)
{
    const trm_quad of = *x;
    trm_quad sum = of[0] * a->column[0] + of[1] * a->column[1];
    if (m == 3) {
        sum += of[2] * a->column[2];
    } else if (m == 4) {
        sum += of[2] * a->column[2] + of[3] * a->column[3];
    }
    *out = sum;
}

/// c := a b
TRM_INLINE void multiply(int m, const square *a, const square *b, square *c)
{
    TRM_UNROLL
    for (int j = 0; j < m; j++) {
        apply(m, a, &b->column[j], &c->column[j]);
    }
}

/// The largest sum of a row.
TRM_INLINE double norm(int m, const square *a)
{
    trm_quad sum = {0};
    TRM_UNROLL
    for (int j = 0; j < m; j++) {
        sum += (trm_quad)((trm_quad_truth)a->column[j] & INT64_MAX); // without the sign
    }
    return trm_larger(trm_larger(sum[0], sum[1]), trm_larger(sum[2], sum[3]));
}

/// e := e^A for a norm up to 1/2: Taylor's series of degree 11, whose rest is below 1e-12, in
/// powers of A^3.
TRM_INLINE void exponential(int m, const square *a, square *e)
{
    // 1/k!
    static const double c[] = {
        1,         1,          1.0 / 2,     1.0 / 6,      1.0 / 24,      1.0 / 120,
        1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800};
    square a2, a3, product = {{{0}}};
    multiply(m, a, a, &a2);
    multiply(m, &a2, a, &a3);
    for (int k = 9; k >= 0; k -= 3) {
        TRM_UNROLL
        for (int j = 0; j < m; j++) {
            e->column[j] = product.column[j] + (c[k + 1] * a->column[j] + c[k + 2] * a2.column[j]);
            e->column[j][j] += c[k];
        }
        if (k > 0) {
            multiply(m, e, &a3, &product);
        }
    }
}

/// phi(A) b by Taylor's series up to A^(terms - 1): Horner's scheme.
TRM_INLINE void series(int m, const square *a, int terms, const trm_quad *b, trm_quad *f)
{
    trm_quad sum = *b, more;
    for (double k = terms; k > 1; k--) {
        apply(m, a, &sum, &more);
        sum = *b + more / k;
    }
    *f = sum;
}

/// Terms of the series that leave less than 1e-10, to which images are known
/// (TRM_PROPAGATION_AMPLITUDE): the rest is below n^terms/(terms + 1)!/(1 - n/(terms + 2)) for
/// norms n up to these. The sum is made of numbers up to e^8, which leaves 1e-12.
static const struct {
    double norm;
    int terms;
} lengths[] = {{0.5, 10}, {1, 13}, {2, 17}, {3, 20}, {4, 24}, {6, 30}, {8, 36}};

/// f := phi(A) b. From a norm of 8 on phi(A/2^s) b with a norm of 1/2, then s times
///
///     2 phi(2 A) b = phi(A) b + e^A phi(A) b
TRM_INLINE void phi_times(int m, square *a, const trm_quad *b, trm_quad *f)
{
    const double whole = norm(m, a);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        if (!(whole > lengths[i].norm)) {
            series(m, a, lengths[i].terms, b, f);
            return;
        }
    }
    square e = {{{0}}}, squared = {{{0}}};
    int s = 0;
    if (isfinite(whole)) {
        frexp(whole, &s);
        s++;
    }
    const double part = ldexp(1, -s);
    for (int j = 0; j < m; j++) {
        a->column[j] *= part;
    }
    series(m, a, lengths[0].terms, b, f);
    exponential(m, a, &e);
    for (int k = 0; k < s; k++) {
        trm_quad more;
        apply(m, &e, f, &more);
        *f = 0.5 * (*f + more);
        if (k + 1 < s) {
            multiply(m, &e, &e, &squared);
            e = squared;
        }
    }
}

TRM_WIDE static void weigh(const trm_krylov *s, int m, double h, double *weight)
{
    static const double first[2 * TRM_KRYLOV_VECTORS] = {1, 1, 1, 1};
    const trm_quad rows = *trm_quad_at(first + TRM_KRYLOV_VECTORS - m);
    if (m == 1) { // a number
        const double z = h * s->within[0][0];
        const trm_quad one = {h * s->along[0] * (z * z > 0 ? expm1(z) / z : 1)};
        *trm_quad_to(weight) = one;
        return;
    }
    square a;
    TRM_UNROLL
    for (int j = 0; j < TRM_KRYLOV_VECTORS; j++) {
        a.column[j] = (j < m ? h : 0) * (rows * *trm_quad_at(s->within[j]));
    }
    trm_quad f;
    const trm_quad along = rows * *trm_quad_at(s->along);
    if (m == 2) {
        phi_times(2, &a, &along, &f);
    } else if (m == 3) {
        phi_times(3, &a, &along, &f);
    } else {
        phi_times(TRM_KRYLOV_VECTORS, &a, &along, &f);
    }
    *trm_quad_to(weight) = h * f;
}

void trm_krylov_weights(const trm_krylov *s, int m, double h, double weight[TRM_KRYLOV_VECTORS])
{
    weigh(s, m, h, weight);
}

TRM_INLINE double step_of(int n, const trm_krylov *s, const double *weight, const double *x,
                          double *out)
{
    for (int i = 0; i < 2 * n; i += QUAD) {
        *trm_quad_to(out + i) =
            *trm_quad_at(x + i) +
            (weight[0] * *trm_quad_at(s->image[0] + i) +
             weight[1] * *trm_quad_at(s->image[1] + i)) +
            (weight[2] * *trm_quad_at(s->image[2] + i) + weight[3] * *trm_quad_at(s->image[3] + i));
    }
    return sqrt(trm_pair_product(n, s->omega, out, out));
}

TRM_WIDE static double step(const trm_krylov *s, const double *weight, const double *x, double *out)
{
    return s->n == QUAD ? step_of(QUAD, s, weight, x, out) : step_of(s->n, s, weight, x, out);
}

double trm_krylov_step(const trm_krylov *s, const double weight[TRM_KRYLOV_VECTORS],
                       const double *x, double *out)
{
    return step(s, weight, x, out);
}
