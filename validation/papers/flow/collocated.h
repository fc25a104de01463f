/// Example 4.1 of Lin's thesis: a flow in the unit square with a known solution, on the grid of its
/// section 4.4. Nodes (i h, j h), i, j = 0..I, h = 1/I; u = v = 0 on the boundary.
///
///     u_t + (u.grad) u = mu Lap u - grad p + f,    div u = 0
///
/// x = (u, v) at the inner nodes; y = p at i, j = 1..I without the corner (I, I), which no
/// difference touches; div is the backward difference, grad = -div^T the forward one, g = -div u.
#pragma once

#include "trammel/trammel_dae.h"

typedef struct trm_paper_collocated {
    int I;
    double mu;
    int upwind;              ///< convection by the sign of u and v at the node, else centred
    int *start, *column;     ///< rows of div
    int *start_t, *column_t; ///< rows of its transpose
    double *null;            ///< [ny] of ones
    double *block;
    trm_dae_large large;
    trm_dae_problem problem;
} trm_paper_collocated;

/// Errors: MEMORY.
trm_status trm_paper_collocated_open(trm_paper_collocated *flow, int I, double mu, int upwind,
                                     trm_error *err);
void trm_paper_collocated_close(trm_paper_collocated *flow);

/// x[nx] of the exact velocity at t.
void trm_paper_collocated_exact(const trm_paper_collocated *flow, double t, double *x);
/// The discrete L2 errors of the tables: over the inner nodes, both components of the velocity
/// together; the pressure without its mean.
double trm_paper_collocated_eu(const trm_paper_collocated *flow, double t, const double *x);
double trm_paper_collocated_ep(const trm_paper_collocated *flow, double t, const double *p);
