/// Running the index-2 examples and measuring them as the tables do.
#pragma once

#include "validation/papers/problems/problems_dae.h"

/// max_i |x_i - x_exact,i| and max_i |(By)_i - (By)_exact,i| of a state whose By belongs to t_y.
double trm_paper_dae_ex(const trm_paper_dae *dae, const trm_dae_state *state);
double trm_paper_dae_ey(const trm_paper_dae *dae, const trm_dae_state *state, double t_y);

/// Default options with h = 1e-3 and y_0 = 0, as in most tables.
trm_dae_options trm_paper_dae_options(trm_dae_method method, trm_dae_integrator integrator,
                                      double epsilon, int iterations);

/// Called at each of the times, in order, with the run there; NULL when it failed before.
typedef void trm_paper_dae_fn(const trm_paper_dae *dae, const trm_dae_sim *sim, int k, void *user);

/// Errors: OPTIONS, MEMORY, INCONSISTENT. A run that fails on the way is none.
trm_status trm_paper_dae_at(const trm_paper_dae *dae, const trm_dae_options *options, int ntimes,
                            const double *times, trm_paper_dae_fn *at, void *user, trm_error *err);
