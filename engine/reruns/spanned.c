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

_Static_assert(TRM_SPANNED == 4, "rows of matrices are four numbers side by side");

/// The rows of (E f; 0 1): a square matrix, and a column beside it.
typedef struct affine {
    trm_quad row[TRM_SPANNED];
    double column[TRM_SPANNED];
} affine;

/// c := a b
TRM_WIDE static void multiply(const affine *a, const affine *b, affine *c)
{
    TRM_UNROLL
    for (int i = 0; i < TRM_SPANNED; i++) {
        const trm_quad x = a->row[i];
        c->row[i] = (x[0] * b->row[0] + x[1] * b->row[1]) + (x[2] * b->row[2] + x[3] * b->row[3]);
        c->column[i] = a->column[i] + ((x[0] * b->column[0] + x[1] * b->column[1]) +
                                       (x[2] * b->column[2] + x[3] * b->column[3]));
    }
}

/// Of the square and the column.
static double norm(const affine *a)
{
    double most = 0;
    for (int i = 0; i < TRM_SPANNED; i++) {
        const double row = fabs(a->row[i][0]) + fabs(a->row[i][1]) + fabs(a->row[i][2]) +
                           fabs(a->row[i][3]) + fabs(a->column[i]);
        most = trm_larger(most, row);
    }
    return most;
}

/// e^(A b; 0 0) = (e^A phi(A) b; 0 1): Taylor's series of A/2^s with a norm below 1/2, degree 14 to
/// roundoff; squared s times.
static void exponential(affine *a, affine *e)
{
    enum { DEGREE = 14 };
    const double whole = norm(a);
    affine product;
    int halvings = 0;
    if (whole > 0.5 && isfinite(whole)) {
        frexp(whole, &halvings);
        halvings++;
    }
    const double part = ldexp(1, -halvings);
    memset(e, 0, sizeof *e);
    for (int i = 0; i < TRM_SPANNED; i++) {
        a->row[i] *= part;
        a->column[i] *= part;
        e->row[i][i] = 1;
    }
    // Horner's scheme, e := 1 + e A/k; the last row of the whole, 0 and 1, is 0 in A: of e A no
    // column of e comes, only of E b
    for (int k = DEGREE; k > 0; k--) {
        memset(e->column, 0, sizeof e->column);
        multiply(e, a, &product);
        for (int i = 0; i < TRM_SPANNED; i++) {
            e->row[i] = product.row[i] / k;
            e->column[i] = product.column[i] / k;
            e->row[i][i] += 1;
        }
    }
    for (int k = 0; k < halvings; k++) {
        multiply(e, e, &product);
        *e = product;
    }
}

void trm_spanned_step(const trm_spanned *s, int m, double h, double *x)
{
    affine a, e;
    memset(&a, 0, sizeof a);
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            a.row[i][j] = h * s->within[i][j];
        }
        a.column[i] = s->along[i];
    }
    exponential(&a, &e); // its column: phi(h E^T R) E^T x
    for (int i = 0; i < m; i++) {
        combine(s, 1, x, h * e.column[i], s->image[i]);
    }
}
