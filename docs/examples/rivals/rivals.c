#include "rivals.h"

#include <math.h>
#include <string.h>

double rival_largest(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

void rival_move(const trm_mechanism *m, const double *from, const double *x, double *q,
                double *half)
{
    double *const rates = half + m->nq, *const part = rates + m->nq;
    for (int i = 0; i < m->nv; i++) {
        part[i] = x[i] / 2;
    }
    memcpy(half, from, (size_t)m->nq * sizeof *half);
    m->move(m, part, half);
    m->rates(m, half, x, rates);
    for (int i = 0; i < m->nq; i++) {
        q[i] = from[i] + rates[i];
    }
}

/// The first change is about as large as the error of a step of order 2, or larger: what is left
/// after a billionth of it adds nothing to that. A small change that does not fall is roundoff.
int rival_is_done(rival_iteration *iteration, double change)
{
    enum { MOST = 30 };
    const double last = iteration->last;
    iteration->first = iteration->count++ == 0 ? change : iteration->first;
    iteration->last = change;
    if (change <= 1e-9 * iteration->first ||
        (change < 1e-3 * iteration->first && change > last / 2)) {
        return 1;
    }
    return iteration->count < MOST ? 0 : -1;
}

/// Row and column of the largest entry from (k, k) on.
static void find_pivot(int n, int k, const double *A, int *row, int *column)
{
    *row = *column = k;
    for (int i = k; i < n; i++) {
        for (int j = k; j < n; j++) {
            if (fabs(A[i * n + j]) > fabs(A[*row * n + *column])) {
                *row = i;
                *column = j;
            }
        }
    }
}

static void swap(double *a, double *b)
{
    const double kept = *a;
    *a = *b;
    *b = kept;
}

void rival_solve(int n, double *A, double *x, double *order)
{
    double *const at = order, *const y = order + n;
    int rank = n;
    for (int i = 0; i < n; i++) {
        at[i] = i;
    }
    for (int k = 0, row, column; k < rank; k++) {
        find_pivot(n, k, A, &row, &column);
        if (fabs(A[row * n + column]) <= 1e-10 * fabs(A[0])) {
            rank = k;
            break;
        }
        for (int j = 0; j < n; j++) {
            swap(&A[k * n + j], &A[row * n + j]);
        }
        for (int i = 0; i < n; i++) {
            swap(&A[i * n + k], &A[i * n + column]);
        }
        swap(&x[k], &x[row]);
        swap(&at[k], &at[column]);
        for (int i = k + 1; i < n; i++) {
            const double l = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++) {
                A[i * n + j] -= l * A[k * n + j];
            }
            x[i] -= l * x[k];
        }
    }
    for (int k = rank - 1; k >= 0; k--) {
        y[k] = x[k];
        for (int j = k + 1; j < rank; j++) {
            y[k] -= A[k * n + j] * y[j];
        }
        y[k] /= A[k * n + k];
    }
    memset(x, 0, (size_t)n * sizeof *x);
    for (int k = 0; k < rank; k++) {
        x[(int)at[k]] = y[k];
    }
}
