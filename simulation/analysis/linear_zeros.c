/// The zeros of H(s) = c (s - A)^-1 b + d, from the last input to the last output.
///
///   d != 0:  eigenvalues of A - b c/d
///   else     r the least with c A^(r-1) b != 0:  eigenvalues of (1 - b c A^(r-1)/(c A^(r-1) b)) A
///   on
///            the null space of c, c A, ..., c A^(r-1), which it maps to itself
///
/// What counts as zero is what the errors of A, B and C allow, carried along to first order.
#include "base/linear/dense.h"
#include "base/linear/sums.h"
#include "base/status.h"
#include "simulation/analysis/linear.h"

#include <float.h>
#include <math.h>
#include <string.h>

/// Differences are accepted to this part of the largest entry of a column (linear_field.c).
static const double accepted = 1e-9;

typedef struct transfer {
    int n, degree;     ///< states; r, 0 with d, -1 where nothing comes through
    double d, mu;      ///< c A^(r-1) b
    double *b;         ///< [n]
    double *row;       ///< [n] c A^(r-1)
    double *sure, *at; ///< [n] its error; for use
    double *Q;         ///< [n*n] orthonormal rows; the first `degree` span c, c A, ...
    double *K, *eigen; ///< [n*n]; [2*n*n + 2*n]
} transfer;

static int take_transfer(const trm_linear_work *work, transfer *h, trm_pool *pool)
{
    const trm_linear *const f = &work->found;
    const size_t n = (size_t)f->n, nu = (size_t)f->nu, last = (size_t)f->ny - 1;
    double *next = trm_pool_take(pool, 4 * n * n + 6 * n + 1, sizeof *next);
    if (!next) {
        return 0;
    }
    *h = (transfer){.n = f->n, .degree = -1, .d = f->D[last * nu + nu - 1], .b = next};
    h->row = h->b + n, h->sure = h->row + n, h->at = h->sure + n;
    h->Q = h->at + n, h->K = h->Q + n * n, h->eigen = h->K + n * n;
    for (size_t j = 0; j < n; j++) {
        double most = 0;
        for (size_t k = 0; k <= last; k++) {
            most = fmax(most, fabs(f->C[k * n + j]));
        }
        h->b[j] = f->B[j * nu + nu - 1];
        h->row[j] = f->C[last * n + j];
        h->sure[j] = accepted * most;
    }
    return 1;
}

/// Row `k` of Q: row, orthogonal to those before it and of unit length; twice, for roundoff.
static double add_direction(transfer *h, int k, const double *row)
{
    const size_t n = (size_t)h->n;
    double *const own = h->Q + (size_t)k * n, length = 0;
    memcpy(own, row, n * sizeof *own);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < k; i++) {
            const double part = trm_dot(h->n, own, h->Q + (size_t)i * n);
            for (size_t j = 0; j < n; j++) {
                own[j] -= part * h->Q[(size_t)i * n + j];
            }
        }
        const double now = sqrt(trm_dot(h->n, own, own));
        length = pass ? length : now;
        for (size_t j = 0; now > 0 && j < n; j++) {
            own[j] /= now;
        }
    }
    return length;
}

/// row := row A, with its error.
static void multiply(const trm_linear_work *work, transfer *h)
{
    const size_t n = (size_t)h->n;
    double *const error = h->eigen;
    memset(h->at, 0, n * sizeof *h->at);
    memset(error, 0, n * sizeof *error);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            const double a = work->found.A[i * n + j];
            h->at[j] += h->row[i] * a;
            error[j] += h->sure[i] * fabs(a) +
                        fabs(h->row[i]) * (work->E[i * n + j] + h->n * DBL_EPSILON * fabs(a));
        }
    }
    memcpy(h->row, h->at, n * sizeof *h->row);
    memcpy(h->sure, error, n * sizeof *h->sure);
}

static int comes_through(transfer *h)
{
    double most = 0, error = 0;
    for (int i = 0; i < h->n; i++) {
        most = fmax(most, fabs(h->b[i]));
    }
    h->mu = trm_dot(h->n, h->row, h->b);
    for (int i = 0; i < h->n; i++) {
        error += h->sure[i] * fabs(h->b[i]) + fabs(h->row[i]) * accepted * most;
    }
    return fabs(h->mu) > error;
}

static void find_degree(const trm_linear_work *work, transfer *h)
{
    double direct = 0;
    for (int i = 0; i < h->n; i++) {
        direct += fabs(h->row[i] * h->b[i]);
    }
    if (fabs(h->d) > accepted * direct / work->fastest) {
        h->degree = 0;
        h->mu = h->d;
        return;
    }
    for (int k = 1; k <= h->n; k++) {
        add_direction(h, k - 1, h->row);
        if (comes_through(h)) {
            h->degree = k;
            return;
        }
        multiply(work, h);
    }
}

/// The rest of Q: of all axes the one that is farthest from what is there.
static void complete(transfer *h)
{
    const size_t n = (size_t)h->n;
    for (int k = h->degree; k < h->n; k++) {
        int best = 0;
        double least = INFINITY;
        for (int j = 0; j < h->n; j++) {
            double inside = 0;
            for (int i = 0; i < k; i++) {
                inside += h->Q[(size_t)i * n + (size_t)j] * h->Q[(size_t)i * n + (size_t)j];
            }
            best = inside < least ? j : best;
            least = fmin(least, inside);
        }
        memset(h->at, 0, n * sizeof *h->at);
        h->at[best] = 1;
        add_direction(h, k, h->at);
    }
}

/// K[m*m] := Q (A - b (row A)/mu) Q^T on the last m rows of Q.
static void reduce(const trm_linear_work *work, transfer *h, int m)
{
    const size_t n = (size_t)h->n;
    if (h->degree > 0) {
        multiply(work, h); // with d the row is c itself
    }
    const double *const Q = h->Q + (size_t)h->degree * n;
    for (int j = 0; j < m; j++) {
        const double *const q = Q + (size_t)j * n, part = trm_dot(h->n, h->row, q) / h->mu;
        for (size_t i = 0; i < n; i++) {
            h->at[i] = trm_dot(h->n, work->found.A + i * n, q) - h->b[i] * part;
        }
        for (int i = 0; i < m; i++) {
            h->K[i * m + j] = trm_dot(h->n, Q + (size_t)i * n, h->at);
        }
    }
}

trm_status trm_linear_zeros(trm_linear_work *work, trm_error *err)
{
    transfer h;
    trm_linear *const f = &work->found;
    if (f->ny == 0 || f->nu == 0 || f->n == 0) {
        return TRM_OK;
    }
    double *const out = trm_pool_take(&work->kept, 2 * (size_t)f->n, sizeof *out);
    if (!out || !take_transfer(work, &h, &work->pool)) {
        return trm_query_no_memory(err);
    }
    find_degree(work, &h);
    const int m = h.degree < 0 ? 0 : h.n - h.degree;
    if (m == 0) {
        return TRM_OK;
    }
    complete(&h);
    reduce(work, &h, m);
    const size_t square = (size_t)m * (size_t)m;
    double *const X = h.eigen, *const re = X + 2 * square, *const im = re + m;
    const int failed = trm_eigen(m, h.K, re, im, X, X + square);
    if (failed) {
        return failed < 0 ? trm_query_no_memory(err)
                          : TRM_FAIL(err, TRM_ERR_DIVERGED, NULL, "the zeros were not found");
    }
    for (int k = 0; k < m; k++) {
        if (im[k] >= 0) { // the conjugate is left out, as of eigenvalues
            out[2 * f->nzeros] = re[k];
            out[2 * f->nzeros++ + 1] = im[k];
        }
    }
    f->zeros = out;
    return TRM_OK;
}
