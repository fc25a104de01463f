/// Backward Euler for large linear problems with sequential regularization, E = I. f = L x + q, g =
/// G x + r. Along a step G f - GB y = G (x - x_n)/h, so that y = y_before + (1/epsilon) (alpha1
/// dg/dt + alpha2 g) needs neither GB nor G L:
///
///     (I - h L) x + h B y = x_n + h q
///     -w G x + epsilon y = epsilon y_before + alpha1 (g_t - G x_n/h) + alpha2 r,
///     w = alpha1/h + alpha2
///
/// where G does not depend on t if alpha1 > 0 (g_t would have G' x). One sparse matrix of nx + ny
/// rows, factored by KLU; epsilon keeps it nonsingular where GB is not.
#include "engine/system/dae_saddle.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -------------------------------------------------------------------------------------- the matrix

/// A row being written, or counted where `column` is NULL.
typedef struct row {
    int n;
    int *column;
    double *value;
} row;

static void put(row *r, int column, double value)
{
    if (r->column) {
        r->column[r->n] = column;
        r->value[r->n] = value;
    }
    r->n++;
}

/// scale A's row k, `shift` added to its columns; with `diagonal` 0 <= d: one added at column d.
static void put_row(row *r, const trm_sparse *A, int k, double scale, int shift, int d)
{
    for (int i = A->start[k]; i < A->start[k + 1]; i++) {
        const int j = A->column[i];
        const double value = r->column ? scale * A->value[i] : 0;
        if (d >= 0 && d < j) {
            put(r, d, 1);
            d = -1;
        }
        put(r, shift + j, d == j ? 1 + value : value);
        d = d == j ? -1 : d;
    }
    if (d >= 0) {
        put(r, d, 1);
    }
}

/// Row i of the matrix.
static void put_saddle_row(row *r, const trm_dae_operators *large, const trm_dae_saddle_step *s,
                           int i)
{
    const int nx = large->L.rows;
    if (i < nx) {
        put_row(r, &large->L, i, -s->h, 0, i);
        put_row(r, &large->B, i, s->h, nx, -1);
    } else {
        put_row(r, &large->G, i - nx, -(s->alpha1 / s->h + s->alpha2), 0, -1);
        put(r, i, s->epsilon);
    }
}

static int open_pattern(trm_dae_operators *large, const trm_dae_saddle_step *s)
{
    trm_dae_saddle *const saddle = &large->saddle;
    const int n = large->L.rows + large->G.rows;
    const double entries = (double)large->L.start[large->L.rows] + large->B.start[large->B.rows] +
                           large->G.start[large->G.rows] + n;
    if (entries > INT_MAX) {
        return -1;
    }
    int *const start = calloc((size_t)n + 1, sizeof *start);
    int *const column = calloc((size_t)entries + 1, sizeof *column);
    double *const value = calloc((size_t)entries + 1, sizeof *value);
    saddle->work = calloc(2 * (size_t)n + 1, sizeof *saddle->work);
    saddle->K = (trm_sparse){n, n, start, column, value};
    if (!start || !column || !value || !saddle->work) {
        return -1;
    }
    row r = {0};
    for (int i = 0; i < n; i++) {
        put_saddle_row(&r, large, s, i);
        start[i + 1] = r.n;
    }
    return 0;
}

/// K's values; its columns are written again, as they were.
static void fill(trm_dae_operators *large, const trm_dae_saddle_step *s)
{
    trm_sparse *const K = &large->saddle.K;
    row r = {.column = (int *)(size_t)K->column, .value = K->value};
    for (int i = 0; i < K->rows; i++) {
        put_saddle_row(&r, large, s, i);
    }
}

static trm_dae_code factor(trm_dae_system *system, const trm_dae_saddle_step *s)
{
    trm_dae_operators *const large = system->large;
    trm_dae_saddle *const saddle = &large->saddle;
    if (saddle->stamp == large->stamp && saddle->h == s->h && saddle->epsilon == s->epsilon) {
        return TRM_DAE_FINE;
    }
    if (!saddle->K.start && open_pattern(large, s)) {
        return TRM_DAE_NO_MEMORY;
    }
    fill(large, s);
    if (!saddle->factor) {
        saddle->factor = trm_factor_create(&saddle->K, 0);
    }
    if (!saddle->factor) {
        return TRM_DAE_NO_MEMORY;
    }
    saddle->stamp = -1;
    const int failed = trm_factor_renew(saddle->factor, 0);
    system->factorizations++;
    if (failed) {
        snprintf(system->detail, sizeof system->detail,
                 "the matrix of backward Euler has a pivot that is zero at h = %.3g", s->h);
        return failed < 0 ? TRM_DAE_NO_MEMORY : TRM_DAE_SINGULAR;
    }
    saddle->stamp = large->stamp;
    saddle->h = s->h;
    saddle->epsilon = s->epsilon;
    return TRM_DAE_FINE;
}

// ---------------------------------------------------------------------------------------- the step

/// The right side into work[nx + ny]; the current point is (0, t): f = q, g = r.
static void right_side(trm_dae_system *system, const trm_dae_saddle_step *s, const double *x,
                       const double *y, double *out)
{
    const int nx = system->problem.nx, ny = system->problem.ny;
    for (int i = 0; i < nx; i++) {
        out[i] = x[i] + s->h * system->f[i];
    }
    trm_dae_product_G(system, x, out + nx);
    for (int i = 0; i < ny; i++) {
        const double rate = (system->problem.g_t ? system->g_t[i] : 0) - out[nx + i] / s->h;
        out[nx + i] = s->epsilon * y[i] + s->alpha1 * rate + s->alpha2 * system->g[i];
    }
}

trm_dae_code trm_dae_saddle_solve(trm_dae_system *system, const trm_dae_saddle_step *s,
                                  const double *x, const double *y, double *out)
{
    trm_dae_operators *const large = system->large;
    trm_dae_saddle *const saddle = &large->saddle;
    const int nx = system->problem.nx, n = nx + system->problem.ny;
    TRM_DAE_TRY(factor(system, s));
    double *const b = saddle->work, *const z = b + n;
    right_side(system, s, x, y, b);
    memcpy(z, b, (size_t)n * sizeof *z);
    if (trm_factor_solve(saddle->factor, z)) {
        return TRM_DAE_NO_MEMORY;
    }
    memcpy(out, z, (size_t)nx * sizeof *out);
    for (int i = 0; i < nx; i++) {
        if (!isfinite(out[i])) {
            return TRM_DAE_DIVERGED;
        }
    }
    return TRM_DAE_FINE;
}
