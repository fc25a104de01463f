#include "engine/reruns/spanned.h"
#include "engine/reruns/disturbance_numbers.h"

#include <math.h>
#include <string.h>

static double inner(const trm_spanned *s, const double *x, const double *y)
{
    double q = 0, v = 0;
    for (int i = 0; i < s->n; i++) {
        q += x[i] * y[i];
        v += x[s->n + i] * y[s->n + i];
    }
    return s->omega * s->omega * q + v;
}

/// x := f x + c y
static void combine(const trm_spanned *s, double f, double *x, double c, const double *y)
{
    for (int i = 0; i < 2 * s->n; i++) {
        x[i] = f * x[i] + c * y[i];
    }
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

enum { WITH = TRM_SPANNED + 1 };

/// a := a b, of n rows
static void multiply(int n, double a[][WITH], double b[][WITH])
{
    double c[WITH][WITH] = {{0}};
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    memcpy(a, c, sizeof c);
}

/// e^a: Taylor's series of a/2^s with a norm below 1/2, degree 14 to roundoff; squared s times.
static void exponential(int n, double a[][WITH], double e[][WITH])
{
    enum { DEGREE = 14 };
    double norm = 0;
    for (int i = 0; i < n; i++) {
        double row = 0;
        for (int j = 0; j < n; j++) {
            row += fabs(a[i][j]);
        }
        norm = fmax(norm, row);
    }
    int halvings = 0;
    if (norm > 0.5 && isfinite(norm)) {
        frexp(norm, &halvings);
        halvings++;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            a[i][j] = ldexp(a[i][j], -halvings);
            e[i][j] = i == j;
        }
    }
    for (int k = DEGREE; k > 0; k--) { // Horner's scheme
        multiply(n, e, a);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                e[i][j] = e[i][j] / k + (i == j);
            }
        }
    }
    for (int k = 0; k < halvings; k++) {
        multiply(n, e, e);
    }
}

void trm_spanned_step(const trm_spanned *s, double h, double *x)
{
    double a[WITH][WITH] = {{0}}, e[WITH][WITH];
    for (int i = 0; i < s->m; i++) {
        for (int j = 0; j < s->m; j++) {
            a[i][j] = h * inner(s, s->at[i], s->image[j]);
        }
        a[i][s->m] = inner(s, s->at[i], x);
    }
    exponential(s->m + 1, a, e); // its last column: phi(h E^T R) E^T x
    for (int i = 0; i < s->m; i++) {
        combine(s, 1, x, h * e[i][s->m], s->image[i]);
    }
}
