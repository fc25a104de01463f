#include "engine/contact/complementarity.h"
#include "base/linear/dense.h"
#include "base/linear/sums.h"

#include <math.h>
#include <string.h>

void trm_complementarity_layout(trm_complementarity *c, int room, trm_arena *arena)
{
    c->room = room;
    TRM_ARENA_INTS(arena, room, &c->set, &c->list);
    c->A = trm_arena_matrix(arena, room, room);
    c->U = trm_arena_matrix(arena, room, room);
    c->y = trm_arena_doubles(arena, 2 * room);
    c->r = trm_arena_doubles(arena, room);
    c->D = trm_arena_doubles(arena, room);
}

// ------------------------------------------------------------------------------- semidefinite rows

/// Proximal steps, as the solver of the joints takes them: delta = 1e-9, and the error is
/// (delta/s)^STEPS in a direction of eigenvalue s, in units of D: 1e-12 down to s = 1e-6 (stops
/// count as independent from an angle of 1e-6 on, s = 1e-12: between, roundoff decides their
/// shares).
static const double usual = 1e-9;
enum { STEPS = 4 };

/// Where rows that are nearly the same ask for different motions, their directions have to be told
/// apart: down to s = 1e-9.
static const double finer = 1e-12;

/// U^T U = A + delta D. Returns nonzero where a pivot is not positive. *least: the smallest pivot,
/// in units of D. What the joints hold already has no force, and a D of zero.
static int factor(trm_complementarity *c, int n, double delta, double *least)
{
    const double *const A = c->A;
    double *const U = c->U;
    *least = 1;
    for (int i = 0; i < n; i++) {
        const double own = A[i * n + i];
        for (int j = i + 1; j < n; j++) {
            U[i * n + j] = own <= 0 || A[j * n + j] <= 0 ? 0 : A[i * n + j];
        }
        U[i * n + i] = own <= 0 ? 1 : own * (1 + delta * c->D[i]);
    }
    const int code = trm_cholesky(n, U);
    for (int i = 0; i < n && !code; i++) {
        const double own = A[i * n + i] * c->D[i];
        *least = own > 0 ? fmin(U[i * n + i] * U[i * n + i] / own, *least) : *least;
    }
    return code;
}

/// Dependent rows contradict each other when their right-hand sides differ by more than this part.
/// Rows that differ by an angle below 1e-6 count as the same row (1e-12 of W, below).
static const double contradicts = 1e-6;

/// x without its part in null directions n: delta (A + delta D)^-1 D n = n, and delta/s of others.
/// A solve errs by eps/delta along n; the second time it errs by that part of what was left.
static void leave_null(trm_complementarity *c, int n, double delta, double *x)
{
    for (int turn = 0; turn < 2; turn++) {
        memcpy(c->r, x, (size_t)n * sizeof *x);
        for (int k = 0; k < STEPS; k++) {
            for (int i = 0; i < n; i++) {
                c->r[i] *= delta * c->A[i * n + i] * c->D[i];
            }
            trm_cholesky_solve(n, c->U, c->r);
        }
        for (int i = 0; i < n; i++) {
            x[i] -= c->r[i];
        }
    }
}

/// c->y by c->A y = x, and *left, what of x that leaves. *pivot: the smallest. Returns nonzero
/// where there is none.
static int solve_by(trm_complementarity *c, int n, double delta, const double *x, double *pivot,
                    double *left)
{
    double *const y = c->y, *const r = c->r;
    if (factor(c, n, delta, pivot)) {
        return 1;
    }
    memset(y, 0, (size_t)n * sizeof *y);
    for (int k = 0; k <= STEPS; k++) {
        *left = 0;
        for (int i = 0; i < n; i++) {
            r[i] = x[i];
            for (int j = 0; j < n; j++) {
                r[i] -= c->A[i * n + j] * y[j];
            }
            *left = fmax(*left, fabs(r[i]));
            r[i] = c->A[i * n + i] <= 0 ? 0 : r[i];
        }
        if (k < STEPS) {
            trm_cholesky_solve(n, c->U, r);
            for (int i = 0; i < n; i++) {
                y[i] += r[i];
            }
        }
    }
    return 0;
}

int trm_semidefinite_solve(trm_complementarity *c, int n, const int *list, const double *W,
                           int stride, double least, double *x)
{
    // dependent rows leave a pivot delta/n^2, n the part of the last one in a null direction
    const double dependent = 1e-3;
    double largest = 0, left = 0, delta = usual, pivot; // no rows, nothing to solve
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            const int a = list ? list[i] : i, b = list ? list[j] : j;
            c->A[i * n + j] = W[a * stride + b];
        }
        c->D[i] = c->unit ? c->unit[list ? list[i] : i] : 1;
        largest = fmax(largest, fabs(x[i]));
    }
    const double most = fmax(contradicts * largest, least);
    int code = solve_by(c, n, delta, x, &pivot, &left);
    if (!code && left > most) {
        delta = finer;
        code = solve_by(c, n, delta, x, &pivot, &left);
    }
    if (code) {
        return TRM_NO_NUMBERS;
    }
    const int consistent = left <= most;
    memcpy(x, c->y, (size_t)n * sizeof *x);
    if (pivot < dependent && consistent) {
        leave_null(c, n, delta, x);
    }
    return consistent ? 0 : isfinite(left) ? TRM_CONTRADICTION : TRM_NO_NUMBERS;
}

// ----------------------------------------------------------------------------------------- the box

static double gradient(int n, const double *W, const double *b, const double *p, int i)
{
    double w = b[i];
    for (int j = 0; j < n; j++) {
        w += W[i * n + j] * p[j];
    }
    return w;
}

/// Moves p towards the minimum over the free rows, by d or as far as the box allows. Returns
/// nonzero where a bound stops it.
static int go(trm_complementarity *c, int free, const double *d, const double *lo, const double *hi,
              double *p)
{
    double part = 1;
    int stopped = -1;
    for (int k = 0; k < free; k++) {
        const int i = c->list[k];
        const double bound = d[k] < 0 ? lo[i] : hi[i];
        if ((d[k] < 0 && p[i] + part * d[k] < bound) || (d[k] > 0 && p[i] + part * d[k] > bound)) {
            part = fmax((bound - p[i]) / d[k], 0);
            stopped = k;
        }
    }
    for (int k = 0; k < free; k++) {
        p[c->list[k]] += part * d[k];
    }
    if (stopped >= 0) {
        const int i = c->list[stopped];
        c->set[i] = d[stopped] < 0 ? -1 : 1;
        p[i] = d[stopped] < 0 ? lo[i] : hi[i];
    }
    return stopped >= 0;
}

/// Where the gradient along the free rows has a part in the null space of W, the sum falls without
/// end along it: d, which is what has been found of a minimum, becomes that direction, up to the
/// first bound. Returns nonzero where there is none.
static int fall(trm_complementarity *c, int free, int n, const double *W, const double *b,
                const double *lo, const double *hi, const double *p, double *d)
{
    double *const left = c->r, part = INFINITY;
    for (int k = 0; k < free; k++) {
        const int i = c->list[k];
        left[k] = -gradient(n, W, b, p, i);
        for (int j = 0; j < free; j++) {
            left[k] -= W[i * n + c->list[j]] * d[j];
        }
        left[k] /= W[i * n + i] > 0 ? W[i * n + i] : 1; // proximal steps leave D times a direction
    }
    for (int k = 0; k < free; k++) {
        const int i = c->list[k];
        const double room = left[k] > 0 ? hi[i] - p[i] : left[k] < 0 ? lo[i] - p[i] : INFINITY;
        part = fmin(part, fabs(room / left[k]));
    }
    for (int k = 0; k < free; k++) {
        d[k] = 2 * part * left[k]; // beyond the bound
    }
    return !isfinite(part);
}

int trm_complementarity_solve(trm_complementarity *c, int n, const double *W, const double *b,
                              const double *lo, const double *hi, const double *noise, double *p)
{
    enum { SETS = 100 }; // usually a row enters and leaves once or twice
    double *const d = c->y + c->room;
    for (int i = 0; i < n; i++) {
        p[i] = 0;
        c->set[i] = lo[i] == 0 ? -1 : hi[i] == 0 ? 1 : 0;
    }
    for (int sets = 0; sets < SETS * (n + 1); sets++) {
        int free = 0;
        for (int i = 0; i < n; i++) {
            if (c->set[i] == 0) {
                c->list[free] = i;
                d[free++] = -gradient(n, W, b, p, i);
            }
        }
        if (trm_semidefinite_solve(c, free, c->list, W, n, trm_max_norm(n, noise), d) &&
            fall(c, free, n, W, b, lo, hi, p, d)) {
            memset(p, 0, (size_t)n * sizeof *p);
            for (int k = 0; k < free; k++) {
                p[c->list[k]] = c->r[k];
            }
            return TRM_CONTRADICTION;
        }
        if (go(c, free, d, lo, hi, p)) {
            continue;
        }
        int worst = -1;
        double most = 0;
        for (int i = 0; i < n; i++) {
            const double left = c->set[i] == 0 ? 0 : c->set[i] * gradient(n, W, b, p, i) - noise[i];
            worst = left > most ? i : worst;
            most = fmax(left, most);
        }
        if (worst < 0) {
            return 0;
        }
        c->set[worst] = 0;
    }
    return TRM_NO_NUMBERS;
}
