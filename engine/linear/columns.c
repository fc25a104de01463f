#include "engine/linear/columns.h"
#include "base/quad.h"

#include <math.h>
#include <stddef.h>

enum { MOST = 8 }; // columns that x is read and written for together: with 16 registers

/// m columns, one behind the other in memory; m is literal.
TRM_INLINE void leave_out_of(int m, int n, const double *Y, const double *Z, double *x)
{
    const size_t length = (size_t)n;
    double part[MOST];
    trm_quad sum[MOST] = {{0}};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        const trm_quad at = *trm_quad_at(x + i);
        for (int k = 0; k < m; k++) {
            sum[k] += *trm_quad_at(Z + (size_t)k * length + i) * at;
        }
    }
    for (int k = 0; k < m; k++) {
        part[k] = (sum[k][0] + sum[k][1]) + (sum[k][2] + sum[k][3]);
        for (int j = i; j < n; j++) {
            part[k] += Z[(size_t)k * length + (size_t)j] * x[j];
        }
    }
    for (i = 0; i + 4 <= n; i += 4) {
        trm_quad left = *trm_quad_at(x + i);
        for (int k = 0; k < m; k++) {
            left -= part[k] * *trm_quad_at(Y + (size_t)k * length + i);
        }
        *trm_quad_to(x + i) = left;
    }
    for (; i < n; i++) {
        for (int k = 0; k < m; k++) {
            x[i] -= part[k] * Y[(size_t)k * length + (size_t)i];
        }
    }
}

TRM_WIDE static void leave_out(int count, int n, const double *Y, const double *Z, double *x)
{
    const size_t length = (size_t)n;
    size_t k = 0;
    for (; count >= 8; count -= 8, k += 8) {
        leave_out_of(8, n, Y + k * length, Z + k * length, x);
    }
    for (; count >= 4; count -= 4, k += 4) {
        leave_out_of(4, n, Y + k * length, Z + k * length, x);
    }
    for (; count > 0; count--, k++) {
        leave_out_of(1, n, Y + k * length, Z + k * length, x);
    }
}

void trm_columns_leave_out(int count, int n, const double *Y, const double *Z, double *x)
{
    leave_out(count, n, Y, Z, x);
}

/// y[n] := D x. Returns x^T y.
TRM_WIDE static double weigh(int n, const double *D, const double *x, double *y)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        *trm_quad_to(y + i) = *trm_quad_at(D + i) * *trm_quad_at(x + i);
    }
    for (; i < n; i++) {
        y[i] = D[i] * x[i];
    }
    return trm_product(n, x, y);
}

double trm_columns_weigh(int n, const double *D, const double *x, double *y)
{
    return weigh(n, D, x, y);
}

TRM_WIDE static double product(int n, const double *x, const double *y)
{
    return trm_product(n, x, y);
}

double trm_columns_product(int n, const double *x, const double *y)
{
    return product(n, x, y);
}

TRM_WIDE static void scale(int n, double factor, double *x, double *y)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        *trm_quad_to(x + i) *= factor;
        *trm_quad_to(y + i) *= factor;
    }
    for (; i < n; i++) {
        x[i] *= factor;
        y[i] *= factor;
    }
}

double trm_columns_append(int k, int n, const double *D, double *W, double *DW)
{
    double *w = W + (size_t)k * (size_t)n, *Dw = DW + (size_t)k * (size_t)n;
    double before = 0, length = weigh(n, D, w, Dw);
    // what is left to a tenth has lost ten eps; less is left out once more
    for (int pass = 0; k > 0 && pass < 2 && !(length > 0.01 * before && pass > 0); pass++) {
        before = length;
        leave_out(k, n, W, DW, w);
        length = weigh(n, D, w, Dw);
    }
    scale(n, length > 0 ? 1 / sqrt(length) : 0, w, Dw);
    return sqrt(length);
}
