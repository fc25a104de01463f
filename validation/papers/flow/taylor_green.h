/// Taylor-Green decay in a box without friction: a solution of the Navier-Stokes equations,
///
///     u = sin(pi x) cos(pi y) F,  v = -cos(pi x) sin(pi y) F,  F = e^(-2 pi^2 nu t)
///     p = (cos(2 pi x) + cos(2 pi y)) F^2/4
#pragma once

#include "validation/papers/flow/mac.h"

void trm_paper_taylor_green(const trm_paper_mac *mac, double t, double *x);
/// Largest errors of velocity and pressure, the latter without means; NULL: not wanted.
double trm_paper_taylor_green_eu(const trm_paper_mac *mac, double t, const double *x);
double trm_paper_taylor_green_ep(const trm_paper_mac *mac, double t, const double *y);
