/// The sparse matrix of Newton's method for the equations of motion: its entries, and groups of
/// columns that share one difference.
///
/// Unknowns and equations come in the same order: q, v, lambda and, where there are two multipliers
/// for each row, mu. With the ties of structure.h,
///
///     [ d(N ..)/dq        N      .     N W G^T ]
///     [ d(G^T lambda)/dq  M      G^T   .       ]
///     [ d(G v)/dq         G      diag  .       ]
///     [ dg/dq             .      .     diag    ]
///
/// Columns that have no row in common are moved at once, and the difference of the residuals holds
/// the derivatives of all of them (Curtis, Powell, Reid, J. Inst. Maths Applics 13, 1974): the
/// number of residuals of a chain does not depend on its length.
#pragma once

#include "base/pool.h"
#include "engine/system/structure.h"

/// Columns in groups that are moved at once.
typedef struct trm_column_groups {
    int n;
    int *first;  ///< [n+1]
    int *member; ///< columns of group k: member[first[k] ... first[k+1]-1]
} trm_column_groups;

typedef struct trm_newton_matrix {
    int n, nv0, nl0; ///< unknowns; the first of v and of lambda
    int entries;
    int *column;    ///< [n+1] entries column[j] ... column[j+1]-1 are those of column j
    int *row;       ///< [entries] ascending in each column
    int *mirror;    ///< [entries] of G^T in (v, lambda): the place of the same entry of G, else -1
    int *diagonal;  ///< [n] places
    double *values; ///< [entries]
    double *M;      ///< [entries] M as it is in values, in (v, v)
    trm_column_groups q, v, lambda; ///< those of lambda serve mu as well
    trm_pool pool;                  ///< of the arrays above
} trm_newton_matrix;

/// The pattern from the structure, the number of rows of g, the number of multipliers for each (1
/// or 2), and whether the equations of lambda depend on v by more than G v.
typedef struct trm_newton_shape {
    const trm_structure *structure;
    int nc, multipliers, quadratic;
} trm_newton_shape;

/// Returns zero when memory is short; the matrix must be closed in this case too.
int trm_newton_matrix_open(trm_newton_matrix *matrix, const trm_newton_shape *shape);
void trm_newton_matrix_close(trm_newton_matrix *matrix);
