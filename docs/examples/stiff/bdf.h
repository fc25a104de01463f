/// Sequential regularization with an epsilon far below the step, by the backward differentiation
/// formulas of CVODE (SUNDIALS): what both files share.
#pragma once

/// dz[n] of z' = F(t, z). 0; > 0 where a smaller step may help; < 0: give up.
typedef int bdf_rates(double t, const double *z, double *dz, void *problem);

typedef struct bdf bdf;

/// z[n] at t; steps err by `tolerance` (1 + |z|). NULL: no memory.
bdf *bdf_open(int n, bdf_rates *rates, void *problem, double tolerance, double t, const double *z);
/// The same, of the memory that is there.
int bdf_restart(bdf *solver, double t, const double *z);
/// z[n] at t_end. 0 when it is there.
int bdf_advance(bdf *solver, double t_end, double *z);
/// Evaluations of F so far.
long bdf_evaluations(const bdf *solver);
void bdf_close(bdf *solver);
