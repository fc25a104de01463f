/// Two cases of miscible displacement: a manufactured solution, and
/// a quarter of the five-spot problem.
#pragma once

#include "validation/papers/darcy/displacement.h"

/// c = 1/2 + cos(pi x) cos(pi y) e^-t/4,  p = cos(pi x) cos(2 pi y) (1 + t)/8,  a(c) = 1/(1 + c).
extern const trm_paper_medium trm_paper_manufactured;

double trm_paper_manufactured_c(double t, double x, double y);
double trm_paper_manufactured_p(double t, double x, double y);
void trm_paper_manufactured_u(double t, double x, double y, double u[2]);

/// One corner injects a solvent of a tenth of the oil's viscosity, the opposite
/// corner produces; by t = 1 as much is injected as the pores hold. Quarter-power
/// mixing: a(c) = ((1-c) + 10^(1/4) c)^4.
extern const trm_paper_medium trm_paper_five_spot;
