#include "validation/papers/darcy/displacement.h"
#include "trammel/trammel_error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int corner(int n, int i, int j)
{
    return j * (n + 1) + i;
}

// ------------------------------------------------------------------------------------------ step 1

/// Mobilities at the middle of edges, sources of cells.
static void put(trm_paper_displacement *run)
{
    const int n = run->n;
    const double h = 1.0 / n;
    const double *c = run->c;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            run->darcy.Q[j * n + i] = run->medium->q(run->t, (i + 0.5) * h, (j + 0.5) * h, h);
            if (i < n - 1) {
                const double mean = (c[corner(n, i + 1, j)] + c[corner(n, i + 1, j + 1)]) / 2;
                run->darcy.a[trm_paper_darcy_right(&run->darcy, i, j)] = run->medium->a(mean);
            }
            if (j < n - 1) {
                const double mean = (c[corner(n, i, j + 1)] + c[corner(n, i + 1, j + 1)]) / 2;
                run->darcy.a[trm_paper_darcy_above(&run->darcy, i, j)] = run->medium->a(mean);
            }
        }
    }
}

trm_status trm_paper_displacement_flow(trm_paper_displacement *run, trm_error *err)
{
    put(run);
    trm_status status = trm_dae_static_renew(run->flow, run->t, err);
    for (int s = 0; s < run->iterates && status == TRM_OK; s++) {
        status = trm_dae_static_iterate(run->flow, err);
    }
    return status;
}

// ------------------------------------------------------------------------------ elements of step 2

/// u in cell (i, j) at (xi, eta) of the unit square: linear between opposite edges.
static void velocity(const trm_paper_displacement *run, const double *U, int i, int j, double xi,
                     double eta, double u[2])
{
    const trm_paper_darcy *darcy = &run->darcy;
    const int n = run->n;
    const double left = i > 0 ? U[trm_paper_darcy_right(darcy, i - 1, j)] : 0;
    const double right = i < n - 1 ? U[trm_paper_darcy_right(darcy, i, j)] : 0;
    const double below = j > 0 ? U[trm_paper_darcy_above(darcy, i, j - 1)] : 0;
    const double above = j < n - 1 ? U[trm_paper_darcy_above(darcy, i, j)] : 0;
    u[0] = left + xi * (right - left);
    u[1] = below + eta * (above - below);
}

/// The four bilinear functions and their gradients; k = 0..3 is corner (k % 2, k / 2).
static void shapes(double xi, double eta, double h, double N[4], double grad[4][2])
{
    for (int k = 0; k < 4; k++) {
        const double a = k % 2 ? xi : 1 - xi, b = k / 2 ? eta : 1 - eta;
        N[k] = a * b;
        grad[k][0] = (k % 2 ? 1 : -1) * b / h;
        grad[k][1] = (k / 2 ? 1 : -1) * a / h;
    }
}

/// flux := D(u) v
static void disperse(const trm_paper_medium *m, const double u[2], const double v[2],
                     double flux[2])
{
    const double size = hypot(u[0], u[1]);
    const double along = size > 0 ? (u[0] * v[0] + u[1] * v[1]) / size : 0;
    for (int d = 0; d < 2; d++) {
        flux[d] = m->phi * ((m->d_m + size * m->d_t) * v[d] +
                            (m->d_l - m->d_t) * along * (size > 0 ? u[d] : 0));
    }
}

/// One quadrature point of weight w adds to the rows of its four corners.
static void add_point(trm_paper_displacement *run, const double *U, int i, int j, double xi,
                      double eta, double w)
{
    const trm_paper_medium *m = run->medium;
    const int n = run->n;
    const double h = 1.0 / n, x = (i + xi) * h, y = (j + eta) * h;
    double u[2], N[4], grad[4][2], F[2] = {0, 0}, s = 0, old = 0;
    velocity(run, U, i, j, xi, eta, u);
    shapes(xi, eta, h, N, grad);
    const double r = m->r ? m->r(x, y, h) : 0;
    if (m->source) {
        m->source(run->t + run->dt, x, y, h, &s, F);
    }
    for (int k = 0; k < 4; k++) {
        old += N[k] * run->c[corner(n, i + k % 2, j + k / 2)];
    }
    for (int k = 0; k < 4; k++) {
        const int row = corner(n, i + k % 2, j + k / 2);
        run->b[row] +=
            w * (N[k] * (m->phi * old / run->dt + s) + F[0] * grad[k][0] + F[1] * grad[k][1]);
        for (int l = 0; l < 4; l++) {
            double flux[2];
            disperse(m, u, grad[l], flux);
            const int place = (l / 2 - k / 2 + 1) * 3 + l % 2 - k % 2 + 1;
            run->A[row * 9 + place] +=
                w *
                (N[k] * ((m->phi / run->dt + r) * N[l] + u[0] * grad[l][0] + u[1] * grad[l][1]) +
                 flux[0] * grad[k][0] + flux[1] * grad[k][1]);
        }
    }
}

/// A c = b of (5.23), by Gauss's points in every cell.
static void assemble(trm_paper_displacement *run)
{
    const int n = run->n;
    const int nodes = (n + 1) * (n + 1);
    const double *U = trm_dae_static_state(run->flow).x;
    const double gauss[2] = {0.5 - sqrt(1.0 / 12), 0.5 + sqrt(1.0 / 12)};
    memset(run->A, 0, (size_t)nodes * 9 * sizeof *run->A);
    memset(run->b, 0, (size_t)nodes * sizeof *run->b);
    for (int k = 0; k < n * n; k++) {
        for (int p = 0; p < 4; p++) {
            add_point(run, U, k % n, k / n, gauss[p % 2], gauss[p / 2], 0.25 / n / n);
        }
    }
}

// -------------------------------------------------------------------------------- solver of step 2

static void multiply(const trm_paper_displacement *run, const double *v, double *out)
{
    const int n = run->n;
    for (int j = 0; j <= n; j++) {
        for (int i = 0; i <= n; i++) {
            const double *A = run->A + corner(n, i, j) * 9;
            double sum = 0;
            for (int e = 0; e < 9; e++) {
                const int ii = i + e % 3 - 1, jj = j + e / 3 - 1;
                if (ii >= 0 && ii <= n && jj >= 0 && jj <= n) {
                    sum += A[e] * v[corner(n, ii, jj)];
                }
            }
            out[corner(n, i, j)] = sum / A[4]; // rows scaled by the diagonal
        }
    }
}

static double inner(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/// Van der Vorst's stabilized bi-conjugate gradients from c as the guess; nonzero: not converged.
static int solve(trm_paper_displacement *run)
{
    enum { MOST = 2000 };
    static const double tolerance = 1e-12;
    const int N = (run->n + 1) * (run->n + 1);
    double *r = run->work, *r0 = r + N, *p = r0 + N, *v = p + N, *s = v + N, *t = s + N;
    double size = 0;
    multiply(run, run->c, t);
    for (int i = 0; i < N; i++) {
        const double b = run->b[i] / run->A[9 * i + 4];
        r0[i] = r[i] = b - t[i];
        p[i] = v[i] = 0;
        size += b * b;
    }
    double rho = 1, alpha = 1, omega = 1;
    for (int k = 0; k < MOST; k++) {
        if (inner(N, r, r) <= tolerance * tolerance * size) {
            return 0;
        }
        const double next = inner(N, r0, r);
        const double beta = next / rho * alpha / omega;
        rho = next;
        for (int i = 0; i < N; i++) {
            p[i] = r[i] + beta * (p[i] - omega * v[i]);
        }
        multiply(run, p, v);
        alpha = rho / inner(N, r0, v);
        for (int i = 0; i < N; i++) {
            s[i] = r[i] - alpha * v[i];
        }
        multiply(run, s, t);
        const double square = inner(N, t, t);
        omega = square > 0 ? inner(N, t, s) / square : 1;
        for (int i = 0; i < N; i++) {
            run->c[i] += alpha * p[i] + omega * s[i];
            r[i] = s[i] - omega * t[i];
        }
        run->sweeps++;
    }
    return -1;
}

trm_status trm_paper_displacement_step(trm_paper_displacement *run, trm_error *err)
{
    TRM_TRY(trm_paper_displacement_flow(run, err));
    assemble(run);
    run->t += run->dt;
    if (solve(run) == 0) {
        return TRM_OK;
    }
    return TRM_FAIL(err, TRM_ERR_DIVERGED, NULL, "the solver of (5.23) does not converge at t = %g",
                    run->t);
}

// ------------------------------------------------------------------------------------- open, close

static trm_status open_flow(trm_paper_displacement *run, double epsilon, trm_error *err)
{
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    options.E = TRM_SRM_MATRIX_IDENTITY;
    options.epsilon = epsilon;
    options.solve_tolerance = 1e-13;
    put(run);
    return trm_dae_static_create(&run->darcy.problem, &options, 0, &run->flow, err);
}

trm_status trm_paper_displacement_open(trm_paper_displacement *run, const trm_paper_medium *medium,
                                       int n, double dt, double epsilon, int iterates,
                                       trm_error *err)
{
    const int nodes = (n + 1) * (n + 1);
    *run = (trm_paper_displacement){.medium = medium, .n = n, .iterates = iterates, .dt = dt};
    TRM_TRY(trm_paper_darcy_open(&run->darcy, n, 1, err));
    run->block = calloc((size_t)nodes * (1 + 9 + 1 + 8), sizeof *run->block);
    if (run->block == NULL) {
        trm_paper_displacement_close(run);
        return TRM_FAIL(err, TRM_ERR_MEMORY, NULL, "out of memory");
    }
    run->c = run->block;
    run->A = run->c + nodes;
    run->b = run->A + 9 * nodes;
    run->work = run->b + nodes;
    for (int k = 0; k < nodes; k++) {
        run->c[k] = medium->start((double)(k % (n + 1)) / n, (double)(k / (n + 1)) / n);
    }
    const trm_status status = open_flow(run, epsilon, err);
    if (status != TRM_OK) {
        trm_paper_displacement_close(run);
    }
    return status;
}

void trm_paper_displacement_close(trm_paper_displacement *run)
{
    trm_dae_static_destroy(run->flow);
    trm_paper_darcy_close(&run->darcy);
    free(run->block);
    *run = (trm_paper_displacement){0};
}
