/// A = L diag(d) L^T of dense blocks, L^-1, L^-T and A x: kernels for any block size n, any number
/// h of rows below the diagonal and any number m of blocks there, literals where they are known, so
/// that loops unroll (zero: the pattern tells). An entry is a TRM_LANE: a double, or a vector of
/// doubles, in which every lane is a matrix of its own with the same pattern.
///
/// The factorization runs column by column (right-looking). Columns come in stretches of equal n, h
/// and m, so that there are no branches within a stretch.
#pragma once

#include "base/loops.h"
#include "engine/linear/constraint_pattern.h"

#ifndef TRM_LANE
#define TRM_LANE double
#endif

/// Column k, n or m zero: look it up.
typedef struct trm_ldl_column {
    int n, m;
    int first;    ///< row
    int diagonal; ///< its values begin here
    int blocks;   ///< its blocks in the pattern begin here
} trm_ldl_column;

TRM_INLINE trm_ldl_column trm_ldl_column_of(const trm_pattern *p, int k, int n, int m)
{
    const int blocks = p->column[k];
    return (trm_ldl_column){.n = n ? n : p->size[k],
                            .m = m ? m - 1 : p->column[k + 1] - blocks,
                            .first = p->first[k],
                            .diagonal = p->diagonal[k],
                            .blocks = blocks};
}

/// Rows of block e; h if all blocks of the column have as many.
TRM_INLINE int trm_ldl_rows_of(const trm_pattern *p, int e, int h)
{
    return h ? h : p->size[p->block[e]];
}

/// memcpy would load pairs of numbers that were stored singly just before, and would stall.
TRM_INLINE void trm_ldl_copy(int n, const TRM_LANE *from, TRM_LANE *to)
{
    for (int c = 0; c < n; c++) {
        to[c] = from[c];
    }
}

/// x := x L^-T for one row of a block below the diagonal.
TRM_INLINE void trm_ldl_divide_row(int n, const TRM_LANE *L, TRM_LANE *x)
{
    for (int c = 1; c < n; c++) {
        for (int b = 0; b < c; b++) {
            x[c] -= L[c * n + b] * x[b];
        }
    }
}

enum { TRM_LDL_LARGEST = 6 }; ///< literal n

/// One column of y := diag(1/d) L^-1 y. The entries of the column stay in registers.
TRM_INLINE void trm_ldl_forward_column(const trm_pattern *p, const trm_ldl_column *col, int n,
                                       int h, const TRM_LANE *A, const TRM_LANE *inverse,
                                       TRM_LANE *y)
{
    TRM_LANE *own = y + col->first;
    TRM_LANE near[TRM_LDL_LARGEST];
    TRM_LANE *x = n ? near : own;
    trm_ldl_copy(n, own, near);
    trm_ldl_divide_row(col->n, A + col->diagonal, x);
    for (int e = 0; e < col->m; e++) {
        const TRM_LANE *L = A + p->offset[col->blocks + e];
        const int rows = trm_ldl_rows_of(p, col->blocks + e, h);
        TRM_LANE *z = y + p->row[col->blocks + e];
        for (int a = 0; a < rows; a++) {
            TRM_LANE sum = {0};
            for (int c = 0; c < col->n; c++) {
                sum += L[a * col->n + c] * x[c];
            }
            z[a] -= sum;
        }
    }
    for (int c = 0; c < col->n; c++) {
        own[c] = x[c] * inverse[col->first + c];
    }
}

// ---------------------------------------------------------------------------- the factorization

/// A = L diag(d) L^T of the lower half of a dense block, in place: each pivot is subtracted from
/// all rows below it at once, so that the next pivot does not wait for a sum.
TRM_INLINE void trm_ldl_factor_diagonal(int n, TRM_LANE *A, TRM_LANE *pivot,
                                        TRM_LANE *inverse_pivot)
{
    TRM_UNROLL
    for (int j = 0; j < n; j++) {
        const TRM_LANE inverse = 1 / A[j * n + j];
        pivot[j] = A[j * n + j];
        inverse_pivot[j] = inverse;
        TRM_UNROLL
        for (int i = n - 1; i > j; i--) {
            const TRM_LANE l = A[i * n + j] * inverse;
            TRM_UNROLL
            for (int k = j + 1; k <= i; k++) {
                A[i * n + k] -= l * A[k * n + j];
            }
            A[i * n + j] = l;
        }
    }
}

/// The same for n = 2 with both divisions at once: d_1 = det/d_0.
TRM_INLINE void trm_ldl_factor_pair(TRM_LANE *A, TRM_LANE *pivot, TRM_LANE *inverse_pivot)
{
    const TRM_LANE d = A[0];
    const TRM_LANE l = A[2];
    const TRM_LANE det = d * A[3] - l * l;
    const TRM_LANE inverse = 1 / d;
    inverse_pivot[0] = inverse;
    inverse_pivot[1] = d / det;
    pivot[0] = d;
    pivot[1] = det * inverse;
    A[2] = l * inverse;
}

/// T -= X diag(1/d) Y^T, or T^T.
TRM_INLINE void trm_ldl_update_block(int rows, int columns, int n, const TRM_LANE *X,
                                     const TRM_LANE *Y, const TRM_LANE *inverse_pivot,
                                     int transposed, TRM_LANE *T)
{
    for (int a = 0; a < rows; a++) {
        for (int b = 0; b < columns; b++) {
            TRM_LANE sum = {0};
            for (int c = 0; c < n; c++) {
                sum += X[a * n + c] * inverse_pivot[c] * Y[b * n + c];
            }
            T[transposed ? b * rows + a : a * columns + b] -= sum;
        }
    }
}

/// X := X diag(1/d).
TRM_INLINE void trm_ldl_scale_block(int rows, int n, const TRM_LANE *inverse_pivot, TRM_LANE *X)
{
    for (int a = 0; a < rows; a++) {
        for (int c = 0; c < n; c++) {
            X[a * n + c] *= inverse_pivot[c];
        }
    }
}

/// The stretch of columns; n, h and m literal or zero.
TRM_INLINE void trm_ldl_factor_stretch(const trm_pattern *p, const trm_stretch *s, int n, int h,
                                       int m, TRM_LANE *A, TRM_LANE *pivot, TRM_LANE *inverse,
                                       TRM_LANE *y)
{
    for (int k = s->begin; k < s->end; k++) {
        const trm_ldl_column col = trm_ldl_column_of(p, k, n, m);
        const int *target = p->target + p->targets[k];
        const TRM_LANE *D = A + col.diagonal;
        TRM_LANE *inverse_pivot = inverse + col.first;
        if (n == 2) {
            trm_ldl_factor_pair(A + col.diagonal, pivot + col.first, inverse_pivot);
        } else {
            trm_ldl_factor_diagonal(col.n, A + col.diagonal, pivot + col.first, inverse_pivot);
        }
        for (int e = 0; e < col.m; e++) {
            const int rows = trm_ldl_rows_of(p, col.blocks + e, h);
            TRM_LANE *X = A + p->offset[col.blocks + e];
            for (int a = 0; a < rows; a++) {
                trm_ldl_divide_row(col.n, D, X + a * col.n);
            }
            for (int f = 0; f <= e; f++) {
                const int transposed = h == 0 && f < e && p->large[p->block[col.blocks + f]];
                trm_ldl_update_block(rows, trm_ldl_rows_of(p, col.blocks + f, h), col.n, X,
                                     A + p->offset[col.blocks + f], inverse_pivot, transposed,
                                     A + *target++);
            }
        }
        for (int e = 0; e < col.m; e++) {
            trm_ldl_scale_block(trm_ldl_rows_of(p, col.blocks + e, h), col.n, inverse_pivot,
                                A + p->offset[col.blocks + e]);
        }
        if (y) {
            trm_ldl_forward_column(p, &col, n, h, A, inverse, y);
        }
    }
}

// ------------------------------------------------------------------------------------ the solve

/// y := diag(1/d) L^-1 y over the stretch.
TRM_INLINE void trm_ldl_forward_stretch(const trm_pattern *p, const trm_stretch *s, int n, int h,
                                        int m, const TRM_LANE *A, const TRM_LANE *inverse,
                                        TRM_LANE *y)
{
    for (int k = s->begin; k < s->end; k++) {
        const trm_ldl_column col = trm_ldl_column_of(p, k, n, m);
        trm_ldl_forward_column(p, &col, n, h, A, inverse, y);
    }
}

/// y := L^-T y over the stretch.
TRM_INLINE void trm_ldl_backward_stretch(const trm_pattern *p, const trm_stretch *s, int n, int h,
                                         int m, const TRM_LANE *A, TRM_LANE *y)
{
    for (int k = s->end - 1; k >= s->begin; k--) {
        const trm_ldl_column col = trm_ldl_column_of(p, k, n, m);
        const TRM_LANE *D = A + col.diagonal;
        TRM_LANE *own = y + col.first;
        TRM_LANE near[TRM_LDL_LARGEST];
        TRM_LANE *x = n ? near : own;
        trm_ldl_copy(n, own, near);
        for (int e = 0; e < col.m; e++) {
            const TRM_LANE *L = A + p->offset[col.blocks + e];
            const int rows = trm_ldl_rows_of(p, col.blocks + e, h);
            const TRM_LANE *z = y + p->row[col.blocks + e];
            for (int a = 0; a < rows; a++) {
                for (int c = 0; c < col.n; c++) {
                    x[c] -= L[a * col.n + c] * z[a];
                }
            }
        }
        for (int c = col.n - 1; c > 0; c--) {
            for (int b = 0; b < c; b++) {
                x[b] -= D[c * col.n + b] * x[c];
            }
        }
        trm_ldl_copy(n, x, own);
    }
}
