/// Incompressible flow in the unit perpendicular to a staggered grid (Harlow & Welch 1965): u on
/// vertical faces, v on horizontal faces, p at centres, n by n cells of side h = 1/n.
///
///     u_t + div(u u) = nu Lap u - grad p,    div u = 0
///
/// x = (u, v) on inner faces, y = p, g = -div u, B = grad = (-div)^T; normal velocities on the
/// walls are zero and no boundary condition for p is written down anywhere. All differences are
/// centred: the error is O(h^2).
#pragma once

#include "trammel/trammel_dae.h"

typedef struct trm_paper_mac {
    int n;
    double nu;
    double lid;             ///< tangential velocity of the top wall
    int slip;               ///< walls without friction, else the fluid sticks to them
    int half;               ///< n*(n-1), faces of a kind
    double *u, *v;          ///< with walls and ghosts: u[(n+1)*(n+2)], v[(n+2)*(n+1)]
    double *null;           ///< [n*n] ones
    double *right, *coarse; ///< [n*n] each, of multigrid: all coarser grids need 2/3 n*n
    double *block;
    int *start, *column, *start_t, *column_t; ///< rows of G and B, where asked for
    int *start_L, *column_L;                  ///< rows of nu Lap
    trm_dae_large large;
    trm_dae_problem problem;
} trm_paper_mac;

/// G and B as products, or as rows. Errors: MEMORY.
trm_status trm_paper_mac_open(trm_paper_mac *mac, int n, double nu, double lid, int slip,
                              int with_rows, trm_error *err);
void trm_paper_mac_close(trm_paper_mac *mac);

/// Places among x of the vertical face i = 1..n-1 of cell row j, and of the horizontal face j =
/// 1..n-1 of cell column i.
int trm_paper_mac_u(const trm_paper_mac *mac, int i, int j);
int trm_paper_mac_v(const trm_paper_mac *mac, int i, int j);

/// Multigrid for (c0 I + c1 GB) y = r, one V-cycle: symmetric, a trm_dae_solve_fn for
/// `precondition`. `user` is the trm_paper_mac. File: multigrid.c.
trm_dae_solve_fn trm_paper_mac_multigrid;
