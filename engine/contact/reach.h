/// What the rows of contacts move: sparse rows, their responses, and blocks of rows.
///
/// A row moves its bodies and all that joints tie to them. Its G, C and L (contact.h) have no
/// entries beyond: what is far apart costs nothing to each other. Responses of rows that reach
/// different things come from one solve.
#ifndef TRM_CONTACT_REACH_H
#define TRM_CONTACT_REACH_H

#include "engine/multibody/model.h"

typedef struct trm_contact_reach {
    int n, nc;         ///< how many of v and of g
    const int *column; ///< [n] of v, ascending
    const int *row;    ///< [nc] of g, ascending
    double *G, *C, *L; ///< [n], [n], [nc]
} trm_contact_reach;

struct trm_contact;

/// contact->reach, and what finds blocks.
void trm_contact_reach_layout(struct trm_contact *contact, trm_arena *arena);

/// Sum of x[i] v[column[i]], x[n] along the row.
static inline double trm_reach_product(const trm_contact_reach *reach, const double *x,
                                       const double *v)
{
    double sum = 0;
    for (int i = 0; i < reach->n; i++) {
        sum += x[i] * v[reach->column[i]];
    }
    return sum;
}

/// v += p x, x[n] along the row.
static inline void trm_reach_add(const trm_contact_reach *reach, double p, const double *x,
                                 double *v)
{
    for (int i = 0; i < reach->n; i++) {
        v[reach->column[i]] += p * x[i];
    }
}

/// lambda += p L.
static inline void trm_reach_add_rows(const trm_contact_reach *reach, double p, double *lambda)
{
    for (int i = 0; i < reach->nc; i++) {
        lambda[reach->row[i]] += p * reach->L[i];
    }
}

/// parent[nv + 1] := what the rows of list[n] (NULL: the first n) join, and
void trm_contact_join(const trm_model *model, int n, const int *list, int *parent);
/// the number of the block of such a row.
int trm_contact_block_of(const trm_model *model, int *parent, int k);

/// L of row r of g.
double trm_reach_multiplier(const trm_contact_reach *reach, int r);
/// Where the velocities of a body are among those of the row.
int trm_reach_place(const trm_contact_reach *reach, int v0);

#endif
