/// Inside the last step: positions there, and where a row passes zero.
#pragma once

#include "simulation/singular/singularity_monitor.h"

/// Positions inside run's last step may be asked for. What is known of that step is kept until
/// monitor->interior_known is 0.
void trm_inside_begin(trm_singularity_monitor *monitor, trm_run *run);
/// z[n] at t by the ends of the last step, open as it comes.
void trm_inside_position(const trm_singularity_monitor *monitor, const trm_run *run, double t,
                         double *z);
/// Gaps, in mechanisms or radians, that are closed enough where sigma is at most so large. Open by
/// e, two motions that meet, x y = 0, are x y = e: y stays, tau is x, whatever y is, and sigma^2 is
/// x^2 + y^2. The direction of the row errs by y/x, a tenth of a radian where sigma^2 is 10 e.
double trm_inside_gap_allowed(const trm_singularity_monitor *monitor, double sigma);
/// Close z at t, the system's current point, until the gap is `enough`. Returns a system's code.
int trm_inside_close(trm_singularity_monitor *monitor, trm_run *run, double t, double *z,
                     double enough);
/// The zero of tau of component p, whose row changes its sign between f->seen and f->now. Leaves
/// the system there, at monitor->z, closed, apart from the row that vanishes, and f->probe. Returns
/// |tau|, NaN where none is.
double trm_inside_locate(trm_singularity_monitor *monitor, trm_continuation *f, trm_run *run,
                         int p);
