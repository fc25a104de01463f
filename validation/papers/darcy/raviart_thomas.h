/// Darcy's law on a square of n by n cells by lowest-order Raviart-Thomas
/// elements with the trapezoidal rule, (5.29)-(5.30) of Lin's thesis: normal
/// velocities U on edges, pressures P at centres.
///
///     U = -a (grad P - F),    div U = Q
///
/// As x = f - B y, 0 = g: x = U on the inner edges, y = P, f = a F, B P = a grad P, g = Q - div U.
/// Velocities on the boundary are prescribed.
#pragma once

#include "trammel/trammel_dae.h"

typedef struct trm_paper_darcy {
    int n;     ///< cells per side
    double h;  ///< of a cell
    double *a; ///< [nx] mobility on inner edges: (n-1)*n of x, then n*(n-1) of y
    double *F; ///< [nx] normal component of the force on inner edges
    double *Q; ///< [n*n] source of a cell minus what flows out through the boundary
    int *start, *column, *start_t, *column_t;
    double *null, *block;
    trm_dae_large large;
    trm_dae_problem problem;
} trm_paper_darcy;

/// Everything zero but a = 1. Errors: MEMORY.
trm_status trm_paper_darcy_open(trm_paper_darcy *darcy, int n, double side, trm_error *err);
void trm_paper_darcy_close(trm_paper_darcy *darcy);

/// The place among x of the inner edge right of cell (i, j), i < n-1; above it, j < n-1.
int trm_paper_darcy_right(const trm_paper_darcy *darcy, int i, int j);
int trm_paper_darcy_above(const trm_paper_darcy *darcy, int i, int j);
