#include "validation/papers/darcy/raviart_thomas.h"
#include "trammel/trammel_error.h"

#include <stdlib.h>
#include <string.h>

int trm_paper_darcy_right(const trm_paper_darcy *darcy, int i, int j)
{
    return j * (darcy->n - 1) + i;
}

int trm_paper_darcy_above(const trm_paper_darcy *darcy, int i, int j)
{
    return darcy->n * (darcy->n - 1) + j * darcy->n + i;
}

// --------------------------------------------------------------------------------------- functions

static int field(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x;
    const trm_paper_darcy *darcy = user;
    for (int k = 0; k < darcy->problem.nx; k++) {
        out[k] = darcy->a[k] * darcy->F[k];
    }
    return 0;
}

static int gap(double t, const double *x, double *out, void *user)
{
    (void)t;
    const trm_paper_darcy *darcy = user;
    const int n = darcy->n;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            const double right = i < n - 1 ? x[trm_paper_darcy_right(darcy, i, j)] : 0;
            const double left = i > 0 ? x[trm_paper_darcy_right(darcy, i - 1, j)] : 0;
            const double above = j < n - 1 ? x[trm_paper_darcy_above(darcy, i, j)] : 0;
            const double below = j > 0 ? x[trm_paper_darcy_above(darcy, i, j - 1)] : 0;
            out[j * n + i] = darcy->Q[j * n + i] - (right - left + above - below) / darcy->h;
        }
    }
    return 0;
}

/// -div: in a row stand the edges left, right, below and above, as far as they are inner.
static int rows_of_G(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x;
    const trm_paper_darcy *darcy = user;
    const int n = darcy->n;
    for (int k = 0; k < n * n; k++) {
        const int i = k % n, j = k / n;
        double *entry = out + darcy->start[k];
        const int there[4] = {i > 0, i<n - 1, j> 0, j < n - 1};
        for (int side = 0; side < 4; side++) {
            if (there[side]) {
                *entry++ = (side % 2 == 0 ? 1 : -1) / darcy->h;
            }
        }
    }
    return 0;
}

/// a grad: cell after the edge minus cell before it.
static int rows_of_B(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x;
    const trm_paper_darcy *darcy = user;
    for (int k = 0; k < darcy->problem.nx; k++) {
        out[2 * k] = -darcy->a[k] / darcy->h;
        out[2 * k + 1] = darcy->a[k] / darcy->h;
    }
    return 0;
}

// ---------------------------------------------------------------------------------------- patterns

static void pattern(trm_paper_darcy *darcy)
{
    const int n = darcy->n;
    int e = 0;
    for (int k = 0; k < n * n; k++) {
        const int i = k % n, j = k / n;
        const int there[4] = {i > 0, i<n - 1, j> 0, j < n - 1};
        const int place[4] = {
            trm_paper_darcy_right(darcy, i - 1, j), trm_paper_darcy_right(darcy, i, j),
            trm_paper_darcy_above(darcy, i, j - 1), trm_paper_darcy_above(darcy, i, j)};
        darcy->start[k] = e;
        for (int side = 0; side < 4; side++) {
            if (there[side]) {
                darcy->column[e++] = place[side];
            }
        }
    }
    darcy->start[n * n] = e;
}

static void pattern_transposed(trm_paper_darcy *darcy)
{
    const int n = darcy->n;
    const int half = n * (n - 1);
    for (int k = 0; k < 2 * half; k++) {
        const int before =
            k < half ? k / (n - 1) * n + k % (n - 1) : k - half; // the cell left of it, or below
        darcy->start_t[k] = 2 * k;
        darcy->column_t[2 * k] = before;
        darcy->column_t[2 * k + 1] = before + (k < half ? 1 : n);
    }
    darcy->start_t[2 * half] = 4 * half;
}

trm_status trm_paper_darcy_open(trm_paper_darcy *darcy, int n, double side, trm_error *err)
{
    const int nx = 2 * n * (n - 1);
    const int ny = n * n;
    *darcy = (trm_paper_darcy){.n = n, .h = side / n};
    darcy->start = calloc((size_t)(ny + 1 + 4 * ny + nx + 1 + 2 * nx), sizeof *darcy->start);
    darcy->block = calloc((size_t)(2 * nx + 2 * ny), sizeof *darcy->block);
    if (darcy->start == NULL || darcy->block == NULL) {
        trm_paper_darcy_close(darcy);
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "out of memory");
    }
    darcy->column = darcy->start + ny + 1;
    darcy->start_t = darcy->column + 4 * ny;
    darcy->column_t = darcy->start_t + nx + 1;
    darcy->a = darcy->block;
    darcy->F = darcy->a + nx;
    darcy->Q = darcy->F + nx;
    darcy->null = darcy->Q + ny;
    for (int k = 0; k < nx; k++) {
        darcy->a[k] = 1;
    }
    for (int k = 0; k < ny; k++) {
        darcy->null[k] = 1;
    }
    pattern(darcy);
    pattern_transposed(darcy);
    darcy->large = (trm_dae_large){.G_rows = {darcy->start, darcy->column, rows_of_G},
                                   .B_rows = {darcy->start_t, darcy->column_t, rows_of_B},
                                   .null = darcy->null};
    darcy->problem = (trm_dae_problem){.name = "Darcy",
                                       .nx = nx,
                                       .ny = ny,
                                       .f = field,
                                       .g = gap,
                                       .user = darcy,
                                       .large = &darcy->large};
    return TRM_OK;
}

void trm_paper_darcy_close(trm_paper_darcy *darcy)
{
    free(darcy->start);
    free(darcy->block);
    *darcy = (trm_paper_darcy){0};
}
