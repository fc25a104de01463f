/// Eigenvalues of A, and their errors from the errors of A.
///
///   (omega y, w)' = (A11  omega; A21/omega  A22) (omega y, w),   omega that of the stiffness
///   |ds| <= |l|^T |E| |r| / |l^H r|      l, r left and right eigenvectors, E errors of the entries
///
/// Free motions (y' = w, w' = 0) are taken out before (linear_free.c). Where two other eigenvalues
/// coincide in one eigenvector l^H r vanishes, and the error is of the order of the root of E.
#include "base/status.h"
#include "simulation/analysis/linear.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CERTAIN = 5 }; ///< errors away from zero: a sign is believed

typedef struct spectrum {
    int n;
    double *A, *E;       ///< [n*n] scaled
    double *X;           ///< [n*n] as trm_eigen leaves it
    double *re, *im;     ///< [n]
    double *error;       ///< [n]
    double size, unsure; ///< Frobenius norms of A and E
} spectrum;

static int take_spectrum(spectrum *s, int n, trm_pool *pool)
{
    const size_t nn = (size_t)n * (size_t)n;
    double *const memory = trm_pool_take(pool, 3 * nn + 3 * (size_t)n + 1, sizeof *memory);
    if (!memory) {
        return 0;
    }
    *s = (spectrum){.n = n,
                    .A = memory,
                    .E = memory + nn,
                    .X = memory + 2 * nn,
                    .re = memory + 3 * nn,
                    .im = memory + 3 * nn + n,
                    .error = memory + 3 * nn + 2 * (size_t)n};
    return 1;
}

static double norm(size_t n, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

static void scale(const trm_linear_work *work, spectrum *s)
{
    const size_t n = (size_t)s->n, p = (size_t)work->found.p;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            const double factor = (i < p ? work->omega : 1) / (j < p ? work->omega : 1);
            s->A[i * n + j] = factor * work->A[i * n + j];
            s->E[i * n + j] = factor * work->E[i * n + j];
        }
    }
    s->size = norm(n * n, s->A);
    for (size_t i = 0; i < n * n; i++) {
        s->E[i] += 4 * DBL_EPSILON * s->size; // what LAPACK adds
    }
    s->unsure = norm(n * n, s->E);
}

/// Z y of eigenvector j, divided by its largest entry.
static int shape(trm_linear_work *work, const spectrum *s, int j, trm_mode *mode)
{
    const int nv = work->query->conditioning.nv, p = work->found.p;
    double *const re = trm_pool_take(&work->kept, 2 * (size_t)nv, sizeof *re);
    if (!re) {
        return 0;
    }
    double *const im = re + nv;
    const double *const x = s->X + (size_t)j * (size_t)s->n;
    trm_rows_spread(p, nv, work->tangent.Z, x, re);
    if (s->im[j] > 0) {
        trm_rows_spread(p, nv, work->tangent.Z, x + s->n, im);
    }
    int most = 0;
    for (int i = 1; i < nv; i++) { // the first of about equal ones
        most = hypot(re[i], im[i]) > 1.000001 * hypot(re[most], im[most]) ? i : most;
    }
    const double a = re[most], b = im[most], square = a * a + b * b;
    for (int i = 0; square > 0 && i < nv; i++) {
        const double c = re[i];
        re[i] = (c * a + im[i] * b) / square;
        im[i] = (im[i] * a - c * b) / square;
    }
    mode->shape_re = re;
    mode->shape_im = im;
    return 1;
}

static int by_size(const void *a, const void *b)
{
    const trm_mode *const x = a, *const y = b;
    const double u = hypot(x->re, x->im), v = hypot(y->re, y->im);
    return u != v ? (u > v) - (u < v) : (x->re > y->re) - (x->re < y->re);
}

static int list_modes(trm_linear_work *work, const spectrum *s)
{
    trm_linear *const found = &work->found;
    trm_mode *const modes = trm_pool_take(&work->kept, (size_t)s->n + 1, sizeof *modes);
    int n = 0;
    for (int j = 0; modes && j < s->n; j++) {
        if (s->im[j] < 0) {
            continue;
        }
        const double size = hypot(s->re[j], s->im[j]);
        trm_mode *const mode = &modes[n++];
        *mode = (trm_mode){.re = s->re[j],
                           .im = s->im[j],
                           .error = fmin(s->error[j], 2 * sqrt(s->unsure * s->size)),
                           .frequency = s->im[j] / (2 * acos(-1)),
                           .damping = size > 0 ? -s->re[j] / size : NAN};
        if (!shape(work, s, j, mode)) {
            return 0;
        }
    }
    if (modes) {
        qsort(modes, (size_t)n, sizeof *modes, by_size);
    }
    found->modes = modes;
    found->nmodes = n;
    return modes != NULL;
}

/// Stability by the real parts whose signs are certain.
static void judge(trm_linear *found)
{
    found->stability = TRM_STABILITY_STABLE;
    found->growth = found->nmodes > 0 ? -INFINITY : 0;
    for (int k = 0; k < found->nmodes; k++) {
        const trm_mode *const mode = &found->modes[k];
        found->growth = fmax(found->growth, mode->re);
        if (mode->re > CERTAIN * mode->error) {
            found->stability = TRM_STABILITY_UNSTABLE;
        } else if (mode->re > -CERTAIN * mode->error && found->stability == TRM_STABILITY_STABLE) {
            found->stability = TRM_STABILITY_MARGINAL;
        }
    }
}

trm_status trm_linear_modes(trm_linear_work *work, trm_error *err)
{
    spectrum s;
    if (!take_spectrum(&s, work->found.n, &work->pool)) {
        return trm_query_no_memory(err);
    }
    scale(work, &s);
    const int failed = trm_linear_eigen(work, s.A, s.E, s.re, s.im, s.X, s.error);
    if (failed > 0) {
        return TRM_FAIL(err, TRM_ERR_DIVERGED, NULL, "the eigenvalues of A were not found");
    }
    if (failed || !list_modes(work, &s)) {
        return trm_query_no_memory(err);
    }
    judge(&work->found);
    return TRM_OK;
}
