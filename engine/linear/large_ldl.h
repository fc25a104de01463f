/// Kernels for columns of blocks that all have 4, 5 or 6 rows: universals, revolutes, prismatics
/// and driven revolutes, welds. Their blocks below the diagonal are stored transposed: each step
/// then adds multiples of rows of 4 to 6 numbers, four numbers at once.
#pragma once

#include "engine/linear/large_row.h"
#include "engine/linear/ldl_kernels.h"

TRM_INLINE void trm_large_load_block(int n, const double *X, trm_large_row *x)
{
    TRM_UNROLL
    for (int c = 0; c < n; c++) {
        trm_large_load(n, X + c * n, &x[c]);
    }
}

/// x = X^T := L^-1 X^T of a block below the diagonal.
TRM_INLINE void trm_large_divide_block(int n, const double *L, double *X, trm_large_row *x)
{
    TRM_UNROLL
    for (int c = 0; c < n; c++) {
        trm_large_load(n, X + c * n, &x[c]);
        TRM_UNROLL
        for (int b = 0; b < c; b++) {
            trm_large_subtract_from(n, L[c * n + b], &x[b], &x[c]);
        }
        trm_large_store(n, &x[c], X + c * n);
    }
}

/// x := diag(1/d) x
TRM_INLINE void trm_large_scale_block(int n, const double *inverse_pivot, trm_large_row *x)
{
    TRM_UNROLL
    for (int c = 0; c < n; c++) {
        trm_large_scale(n, inverse_pivot[c], &x[c], &x[c]);
    }
}

/// T -= X z from a row on, by rows of z and X^T
TRM_INLINE void trm_large_update_block(int n, int from, const double *X, const trm_large_row *z,
                                       double *T)
{
    for (int a = from; a < n; a++) {
        trm_large_row t;
        trm_large_load(n, T + a * n, &t);
        TRM_UNROLL
        for (int c = 0; c < n; c++) {
            trm_large_subtract_from(n, X[c * n + a], &z[c], &t);
        }
        trm_large_store(n, &t, T + a * n);
    }
}

/// The same for the lower half of T. Some entries of the upper half are written as well; they are
/// not used.
TRM_INLINE void trm_large_update_lower(int n, const double *X, const trm_large_row *z, double *T)
{
    for (int a = 0; a < 4; a++) {
        trm_quad t = *trm_quad_at(T + a * n);
        TRM_UNROLL
        for (int c = 0; c < n; c++) {
            t -= X[c * n + a] * z[c].four;
        }
        *trm_quad_to(T + a * n) = t;
    }
    trm_large_update_block(n, 4, X, z, T);
}

/// Below the diagonal of column k, block by block: X_e := X_e L^-T, T_ef -= X_e diag(1/d) X_f^T for
/// all f <= e, and X_e := X_e diag(1/d), which is L. A large column stores T_ef^T.
TRM_INLINE void trm_large_eliminate(const trm_pattern *p, int k, int n, const double *inverse_pivot,
                                    double *A)
{
    const int begin = p->column[k];
    const int m = p->column[k + 1] - begin;
    const int *target = p->target + p->targets[k];
    trm_large_row x[TRM_LDL_LARGEST], y[TRM_LDL_LARGEST];
    for (int e = 0; e < m; e++) {
        double *X = A + p->offset[begin + e];
        trm_large_divide_block(n, A + p->diagonal[k], X, x);
        for (int f = 0; f < e; f++) {
            const double *Y = A + p->offset[begin + f]; // is done
            double *T = A + *target++;
            if (p->large[p->block[begin + f]]) {
                trm_large_update_block(n, 0, Y, x, T);
            } else {
                trm_large_load_block(n, Y, y);
                trm_large_update_block(n, 0, X, y, T);
            }
        }
        trm_large_scale_block(n, inverse_pivot, x);
        trm_large_update_lower(n, X, x, A + *target++);
        TRM_UNROLL
        for (int c = 0; c < n; c++) {
            trm_large_store(n, &x[c], X + c * n);
        }
    }
}

/// Column k of y := diag(1/d) L^-1 y.
TRM_INLINE void trm_large_forward_column(const trm_pattern *p, int k, int n, const double *A,
                                         const double *inverse, double *y)
{
    const double *L = A + p->diagonal[k];
    double *own = y + p->first[k];
    double x[TRM_LDL_LARGEST];
    TRM_UNROLL
    for (int c = 0; c < n; c++) {
        x[c] = own[c];
        TRM_UNROLL
        for (int b = 0; b < c; b++) {
            x[c] -= L[c * n + b] * x[b];
        }
        own[c] = x[c] * inverse[p->first[k] + c];
    }
    for (int e = p->column[k]; e < p->column[k + 1]; e++) {
        trm_large_row row, z;
        trm_large_load(n, y + p->row[e], &z);
        for (int c = 0; c < n; c++) {
            trm_large_load(n, A + p->offset[e] + c * n, &row);
            trm_large_subtract_from(n, x[c], &row, &z);
        }
        trm_large_store(n, &z, y + p->row[e]);
    }
}

/// The stretch of columns of size n, literal: as the kernels of ldl_kernels.h.
TRM_INLINE void trm_large_factor(const trm_pattern *p, const trm_stretch *s, int n, double *A,
                                 double *pivot, double *inverse, double *y)
{
    for (int k = s->begin; k < s->end; k++) {
        const int first = p->first[k];
        double *D = A + p->diagonal[k];
        trm_ldl_factor_diagonal(n, D, pivot + first, inverse + first);
        trm_large_eliminate(p, k, n, inverse + first, A);
        if (y) {
            trm_large_forward_column(p, k, n, A, inverse, y);
        }
    }
}

TRM_INLINE void trm_large_forward(const trm_pattern *p, const trm_stretch *s, int n,
                                  const double *A, const double *inverse, double *y)
{
    for (int k = s->begin; k < s->end; k++) {
        trm_large_forward_column(p, k, n, A, inverse, y);
    }
}

/// Column k of y := L^-T y.
TRM_INLINE void trm_large_backward_column(const trm_pattern *p, int k, int n, const double *A,
                                          double *y)
{
    const double *L = A + p->diagonal[k];
    double *own = y + p->first[k];
    double x[TRM_LDL_LARGEST];
    for (int c = 0; c < n; c++) {
        x[c] = own[c];
    }
    for (int e = p->column[k]; e < p->column[k + 1]; e++) {
        trm_large_row row, z;
        trm_large_load(n, y + p->row[e], &z);
        for (int c = 0; c < n; c++) {
            trm_large_load(n, A + p->offset[e] + c * n, &row);
            x[c] -= trm_large_dot(n, &row, &z);
        }
    }
    TRM_UNROLL
    for (int c = n - 1; c >= 0; c--) {
        own[c] = x[c];
        TRM_UNROLL
        for (int b = 0; b < c; b++) {
            x[b] -= L[c * n + b] * x[c];
        }
    }
}

TRM_INLINE void trm_large_backward(const trm_pattern *p, const trm_stretch *s, int n,
                                   const double *A, double *y)
{
    for (int k = s->end - 1; k >= s->begin; k--) {
        trm_large_backward_column(p, k, n, A, y);
    }
}
