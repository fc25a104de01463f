/// Miscible displacement in a porous medium, (5.22)-(5.23) of Lin's thesis, on the unit square:
///
///     u = -a(c) grad p,  div u = q,  u.n = 0;   phi c_t - div(D(u) grad c) + u.grad c = s - r c
///     D(u) = phi (d_m I + |u| (d_l E + d_t (I - E))),  E = u u^T/|u|^2;   D grad c.n = 0
///
/// Step 1: c known, u and p by sequential regularization on Raviart-Thomas elements
/// (raviart_thomas.h). Step 2: u known, c at the new time by bilinear elements and backward Euler.
/// n by n cells for both.
#pragma once

#include "validation/papers/darcy/raviart_thomas.h"

/// What a case is made of; `user` of every function is the case's.
typedef struct trm_paper_medium {
    double phi, d_m, d_l, d_t;
    double (*a)(double c);
    /// q at the centre of a cell of side h about (x, y), at t.
    double (*q)(double t, double x, double y, double h);
    /// r(x, y) and, for a quadrature point: s and a flux F, entering as
    /// (s, z) + (F, grad z); NULL: zero.
    double (*r)(double x, double y, double h);
    void (*source)(double t, double x, double y, double h, double *s, double F[2]);
    double (*start)(double x, double y); ///< c at t = 0
} trm_paper_medium;

typedef struct trm_paper_displacement {
    trm_paper_darcy darcy;
    const trm_paper_medium *medium;
    trm_dae_static *flow;
    int n, iterates;
    double t, dt;
    double *c;    ///< [(n+1)*(n+1)] at corners, row by row
    double *A;    ///< [(n+1)*(n+1)*9] matrix of step 2: the 3 by 3 corners around
    double *b;    ///< [(n+1)*(n+1)]
    double *work; ///< [8*(n+1)*(n+1)] of the solver
    long sweeps;  ///< of the solver, all together
    double *block;
} trm_paper_displacement;

/// iterates: of sequential regularization per time step, from P_0 = 0 at the start and from the P
/// before later. Errors: MEMORY, and those of trm_dae_static_create.
trm_status trm_paper_displacement_open(trm_paper_displacement *run, const trm_paper_medium *medium,
                                       int n, double dt, double epsilon, int iterates,
                                       trm_error *err);
void trm_paper_displacement_close(trm_paper_displacement *run);
/// Steps 1 and 2: c goes from t to t + dt; U and P of the state belong to the old t. DIVERGED when
/// the solver of step 2 does not converge.
trm_status trm_paper_displacement_step(trm_paper_displacement *run, trm_error *err);
/// Step 1 alone: U and P at t.
trm_status trm_paper_displacement_flow(trm_paper_displacement *run, trm_error *err);
