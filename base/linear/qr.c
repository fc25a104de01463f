#include "base/linear/qr.h"
#include "base/linear/sums.h"
#include "base/loops.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/// (1 - tau v v^T) x = beta e_1; x[0] := beta, the rest of v in x[1...]. Returns tau.
static double reflector(int n, double *x)
{
    const double rest = n > 1 ? trm_length(n - 1, x + 1) : 0;
    if (!(rest > 0)) {
        return 0;
    }
    const double alpha = x[0], beta = -copysign(hypot(alpha, rest), alpha);
    for (int i = 1; i < n; i++) {
        x[i] /= alpha - beta;
    }
    x[0] = beta;
    return (beta - alpha) / beta;
}

/// x := (1 - tau v v^T) x with v_1 = 1, whatever is stored there. Four sums side by side, since
/// each addition waits for the last.
TRM_WIDE static void reflect(int n, const double *restrict v, double tau, double *restrict x)
{
    double sums[4] = {x[0], 0, 0, 0};
    int i = 1;
    for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; k++) {
            sums[k] += v[i + k] * x[i + k];
        }
    }
    for (; i < n; i++) {
        sums[0] += v[i] * x[i];
    }
    const double along = tau * ((sums[0] + sums[1]) + (sums[2] + sums[3]));
    x[0] -= along;
    for (i = 1; i < n; i++) {
        x[i] -= along * v[i];
    }
}

static void exchange(int m, double *A, int *order, double *work, int n, int k, int l)
{
    double *const a = A + (size_t)k * (size_t)m, *const b = A + (size_t)l * (size_t)m;
    for (int i = 0; i < m; i++) {
        const double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
    const int index = order[k];
    order[k] = order[l];
    order[l] = index;
    work[l] = work[k]; // column k is done
    work[n + l] = work[n + k];
}

/// The remainder of a column x[m] below row k, after row k was eliminated.
static void shorten(int m, int k, const double *x, double *now, double *exact)
{
    if (!(*now > 0)) {
        return;
    }
    const double part = fabs(x[k]) / *now, left = fmax(0, (1 - part) * (1 + part));
    const double relative = *now / *exact;
    if (left * relative * relative <= sqrt(DBL_EPSILON)) {
        *now = *exact = trm_length(m - k - 1, x + k + 1);
    } else {
        *now *= sqrt(left);
    }
}

void trm_qr(int m, int n, double *A, int *order, double *tau, double *work)
{
    for (int j = 0; order && j < n; j++) {
        order[j] = j;
        work[j] = work[n + j] = trm_length(m, A + (size_t)j * (size_t)m);
    }
    for (int k = 0; k < n && k < m; k++) {
        int best = k;
        for (int j = k + 1; order && j < n; j++) {
            best = work[j] > work[best] ? j : best;
        }
        if (best != k) {
            exchange(m, A, order, work, n, k, best);
        }
        double *const v = A + (size_t)k * (size_t)m + k;
        tau[k] = reflector(m - k, v);
        for (int j = k + 1; j < n; j++) {
            double *const x = A + (size_t)j * (size_t)m;
            reflect(m - k, v, tau[k], x + k);
            if (order) {
                shorten(m, k, x, &work[j], &work[n + j]);
            }
        }
    }
}

void trm_qr_form(int m, int n, int k, double *A, const double *tau)
{
    for (int j = k; j < n; j++) {
        memset(A + (size_t)j * (size_t)m, 0, (size_t)m * sizeof *A);
        A[(size_t)j * (size_t)m + (size_t)j] = 1;
    }
    for (int i = k - 1; i >= 0; i--) {
        double *const v = A + (size_t)i * (size_t)m + i;
        for (int j = i + 1; j < n; j++) {
            reflect(m - i, v, tau[i], A + (size_t)j * (size_t)m + i);
        }
        for (int l = 1; l < m - i; l++) {
            v[l] *= -tau[i];
        }
        v[0] = 1 - tau[i];
        memset(A + (size_t)i * (size_t)m, 0, (size_t)i * sizeof *A);
    }
}
