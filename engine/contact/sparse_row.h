/// What the rows of contacts move: sparse rows, their responses, and blocks of rows.
///
/// A row moves its bodies and all that joints tie to them. Its G, C and L (contact.h) have no
/// entries beyond: what is far apart costs nothing to each other. Responses of rows that reach
/// different things come from one solve.
#pragma once

#include "engine/multibody/model.h"

typedef struct trm_sparse_row {
    int n, nc;         ///< how many of v and of g
    const int *column; ///< [n] of v, ascending
    const int *row;    ///< [nc] of g, ascending
    double *G, *C, *L; ///< [n], [n], [nc]
} trm_sparse_row;

struct trm_contact;

/// contact->sparse, and what finds blocks.
void trm_sparse_rows_layout(struct trm_contact *contact, trm_arena *arena);

/// Sum of x[i] v[column[i]], x[n] along the row.
static inline double trm_sparse_row_product(const trm_sparse_row *sparse, const double *x,
                                            const double *v)
{
    double sum = 0;
    for (int i = 0; i < sparse->n; i++) {
        sum += x[i] * v[sparse->column[i]];
    }
    return sum;
}

/// v += p x, x[n] along the row.
static inline void trm_sparse_row_add(const trm_sparse_row *sparse, double p, const double *x,
                                      double *v)
{
    for (int i = 0; i < sparse->n; i++) {
        v[sparse->column[i]] += p * x[i];
    }
}

/// lambda += p L.
static inline void trm_sparse_row_add_rows(const trm_sparse_row *sparse, double p, double *lambda)
{
    for (int i = 0; i < sparse->nc; i++) {
        lambda[sparse->row[i]] += p * sparse->L[i];
    }
}

/// parent[nv + 1] := what the rows of list[n] (NULL: the first n) join, and
void trm_contact_join(const trm_model *model, int n, const int *list, int *parent);
/// the number of the block of such a row.
int trm_contact_block_of(const trm_model *model, int *parent, int k);
/// The number of the block that `part` is joined to.
int trm_contact_root_of(int *parent, int part);

/// x . y, along the rows a and b.
double trm_sparse_rows_product(const trm_sparse_row *a, const double *x, const trm_sparse_row *b,
                               const double *y);
/// L of row r of g.
double trm_sparse_row_multiplier(const trm_sparse_row *sparse, int r);
/// Where the velocities of a body are among those of the row.
int trm_sparse_row_place(const trm_sparse_row *sparse, int v0);
