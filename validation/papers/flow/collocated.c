#include "validation/papers/flow/collocated.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------ the exact solution
//
//     u = 50 a(x) b(y) T,  v = -50 a(y) b(x) T,  a(s) = s^2 (1-s)^2,  b(s) = s (1-s)(1-2s) = a'/2
//     p = (1/3 - x (x/2 + 2) - y (y/2 - 2)) T^2,  T = 1 + e^-t

static double a0(double s)
{
    return s * s * (1 - s) * (1 - s);
}

static double b0(double s)
{
    return s * (1 - s) * (1 - 2 * s);
}

static double b1(double s)
{
    return 1 - 6 * s + 6 * s * s;
}

static double b2(double s)
{
    return 12 * s - 6;
}

static double amplitude(double t)
{
    return 1 + exp(-t);
}

static double exact_u(double x, double y)
{
    return 50 * a0(x) * b0(y);
}

static double exact_v(double x, double y)
{
    return -50 * a0(y) * b0(x);
}

static double exact_p(double x, double y)
{
    return 1.0 / 3 - x * (x / 2 + 2) - y * (y / 2 - 2);
}

/// The force in x: u_t + u u_x + v u_y - mu Lap u + p_x.
static double force_u(double mu, double t, double x, double y)
{
    const double T = amplitude(t);
    const double u_x = 100 * b0(x) * b0(y), u_y = 50 * a0(x) * b1(y);
    const double laplacian = 100 * b1(x) * b0(y) + 50 * a0(x) * b2(y);
    return -exp(-t) * exact_u(x, y) + T * T * (exact_u(x, y) * u_x + exact_v(x, y) * u_y) -
           mu * T * laplacian - T * T * (x + 2);
}

static double force_v(double mu, double t, double x, double y)
{
    const double T = amplitude(t);
    const double v_x = -50 * a0(y) * b1(x), v_y = -100 * b0(y) * b0(x);
    const double laplacian = -50 * a0(y) * b2(x) - 100 * b1(y) * b0(x);
    return -exp(-t) * exact_v(x, y) + T * T * (exact_u(x, y) * v_x + exact_v(x, y) * v_y) -
           mu * T * laplacian - T * T * (y - 2);
}

// ------------------------------------------------------------------------------------------ places

/// u at node (i, j), 1 <= i, j < I; v follows behind all u.
static int velocity(int I, int i, int j)
{
    return (j - 1) * (I - 1) + i - 1;
}

/// p at node (i, j), 1 <= i, j <= I, not both I.
static int pressure(int I, int i, int j)
{
    return (j - 1) * I + i - 1;
}

static int inside(int I, int i, int j)
{
    return i > 0 && j > 0 && i < I && j < I;
}

static double at(const double *w, int I, int i, int j)
{
    return inside(I, i, j) ? w[velocity(I, i, j)] : 0;
}

// --------------------------------------------------------------------------------------- functions

/// w_x or w_y times the velocity c that carries it.
static double carried(double c, int upwind, double left, double here, double right, double h)
{
    if (!upwind) {
        return c * (right - left) / (2 * h);
    }
    return c > 0 ? c * (here - left) / h : c * (right - here) / h;
}

/// mu Lap w - (u.grad) w at node (i, j).
static double field_of(const trm_paper_collocated *flow, const double *x, const double *w, int i,
                       int j)
{
    const int I = flow->I;
    const double h = 1.0 / I;
    const double here = at(w, I, i, j);
    const double west = at(w, I, i - 1, j), east = at(w, I, i + 1, j);
    const double south = at(w, I, i, j - 1), north = at(w, I, i, j + 1);
    const int k = velocity(I, i, j);
    const double u = x[k], v = x[k + (I - 1) * (I - 1)];
    return flow->mu * (west + east + south + north - 4 * here) / (h * h) -
           carried(u, flow->upwind, west, here, east, h) -
           carried(v, flow->upwind, south, here, north, h);
}

static int field(double t, const double *x, double *out, void *user)
{
    const trm_paper_collocated *flow = user;
    const int I = flow->I;
    const int n = (I - 1) * (I - 1);
    for (int j = 1; j < I; j++) {
        for (int i = 1; i < I; i++) {
            const int k = velocity(I, i, j);
            const double px = (double)i / I, py = (double)j / I;
            out[k] = field_of(flow, x, x, i, j) + force_u(flow->mu, t, px, py);
            out[n + k] = field_of(flow, x, x + n, i, j) + force_v(flow->mu, t, px, py);
        }
    }
    return 0;
}

/// g = -div u
static int gap(double t, const double *x, double *out, void *user)
{
    (void)t;
    const trm_paper_collocated *flow = user;
    const int I = flow->I;
    const double *v = x + (I - 1) * (I - 1);
    for (int k = 0; k < I * I - 1; k++) {
        const int i = k % I + 1, j = k / I + 1;
        out[k] = I * (at(x, I, i - 1, j) - at(x, I, i, j) + at(v, I, i, j - 1) - at(v, I, i, j));
    }
    return 0;
}

/// -div: its rows, in ascending columns.
static int rows_of_G(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x;
    const trm_paper_collocated *flow = user;
    const int I = flow->I;
    for (int k = 0; k < I * I - 1; k++) {
        const int i = k % I + 1, j = k / I + 1;
        const int own = inside(I, i, j);
        for (int e = flow->start[k]; e < flow->start[k + 1]; e++) {
            const int c = flow->column[e] % ((I - 1) * (I - 1));
            out[e] = own && c == velocity(I, i, j) ? -I : I;
        }
    }
    return 0;
}

/// The same numbers, transposed: B = grad = (-div)^T.
static int rows_of_B(double t, const double *x, double *out, void *user)
{
    (void)t, (void)x;
    const trm_paper_collocated *flow = user;
    const int n = (flow->I - 1) * (flow->I - 1);
    for (int k = 0; k < 2 * n; k++) {
        out[flow->start_t[k]] = -flow->I;
        out[flow->start_t[k] + 1] = flow->I;
    }
    return 0;
}

// ---------------------------------------------------------------------------------------- patterns

/// Row of div at each pressure node: (i-1, j) and (i, j) of u, (i, j-1) and (i, j) of v.
static void pattern(trm_paper_collocated *flow)
{
    const int I = flow->I;
    const int n = (I - 1) * (I - 1);
    int e = 0;
    for (int k = 0; k < I * I - 1; k++) {
        const int i = k % I + 1, j = k / I + 1;
        flow->start[k] = e;
        for (int part = 0; part < 2; part++) {
            const int di = part == 0, dj = part == 1;
            if (inside(I, i - di, j - dj)) {
                flow->column[e++] = velocity(I, i - di, j - dj) + part * n;
            }
            if (inside(I, i, j)) {
                flow->column[e++] = velocity(I, i, j) + part * n;
            }
        }
    }
    flow->start[I * I - 1] = e;
}

/// Row of grad at each velocity: p here and p of the next node.
static void pattern_transposed(trm_paper_collocated *flow)
{
    const int I = flow->I;
    const int n = (I - 1) * (I - 1);
    for (int k = 0; k < 2 * n; k++) {
        const int i = k % n % (I - 1) + 1, j = k % n / (I - 1) + 1;
        flow->start_t[k] = 2 * k;
        flow->column_t[2 * k] = pressure(I, i, j);
        flow->column_t[2 * k + 1] = k < n ? pressure(I, i + 1, j) : pressure(I, i, j + 1);
    }
    flow->start_t[2 * n] = 4 * n;
}

trm_status trm_paper_collocated_open(trm_paper_collocated *flow, int I, double mu, int upwind,
                                     trm_error *err)
{
    const int n = (I - 1) * (I - 1);
    const int ny = I * I - 1;
    const size_t ints = (size_t)(ny + 1 + 4 * I * I + 2 * n + 1 + 4 * n);
    *flow = (trm_paper_collocated){.I = I, .mu = mu, .upwind = upwind};
    flow->start = calloc(ints, sizeof *flow->start);
    flow->block = calloc((size_t)ny, sizeof *flow->block);
    if (flow->start == NULL || flow->block == NULL) {
        trm_paper_collocated_close(flow);
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "out of memory");
    }
    flow->column = flow->start + ny + 1;
    flow->start_t = flow->column + 4 * I * I;
    flow->column_t = flow->start_t + 2 * n + 1;
    flow->null = flow->block;
    for (int k = 0; k < ny; k++) {
        flow->null[k] = 1;
    }
    pattern(flow);
    pattern_transposed(flow);
    flow->large = (trm_dae_large){.G_rows = {flow->start, flow->column, rows_of_G},
                                  .B_rows = {flow->start_t, flow->column_t, rows_of_B},
                                  .constant = 1,
                                  .null = flow->null};
    flow->problem = (trm_dae_problem){.name = "thesis example 4.1",
                                      .nx = 2 * n,
                                      .ny = ny,
                                      .f = field,
                                      .g = gap,
                                      .user = flow,
                                      .large = &flow->large};
    return TRM_OK;
}

void trm_paper_collocated_close(trm_paper_collocated *flow)
{
    free(flow->start);
    free(flow->block);
    *flow = (trm_paper_collocated){0};
}

// ------------------------------------------------------------------------------------------ errors

void trm_paper_collocated_exact(const trm_paper_collocated *flow, double t, double *x)
{
    const int I = flow->I;
    const int n = (I - 1) * (I - 1);
    for (int k = 0; k < n; k++) {
        const double px = (k % (I - 1) + 1.0) / I, py = (k / (I - 1) + 1.0) / I;
        x[k] = exact_u(px, py) * amplitude(t);
        x[n + k] = exact_v(px, py) * amplitude(t);
    }
}

double trm_paper_collocated_eu(const trm_paper_collocated *flow, double t, const double *x)
{
    const int I = flow->I;
    const int n = (I - 1) * (I - 1);
    double sum = 0;
    for (int k = 0; k < n; k++) {
        const double px = (k % (I - 1) + 1.0) / I, py = (k / (I - 1) + 1.0) / I;
        const double eu = x[k] - exact_u(px, py) * amplitude(t);
        const double ev = x[n + k] - exact_v(px, py) * amplitude(t);
        sum += eu * eu + ev * ev;
    }
    return sqrt(sum / (2 * n));
}

double trm_paper_collocated_ep(const trm_paper_collocated *flow, double t, const double *p)
{
    const int I = flow->I;
    const double T = amplitude(t);
    double sum = 0;
    for (int j = 1; j < I; j++) {
        for (int i = 1; i < I; i++) {
            const double e = p[pressure(I, i, j)] - exact_p((double)i / I, (double)j / I) * T * T;
            sum += e * e;
        }
    }
    return sqrt(sum / ((I - 1) * (I - 1)));
}
