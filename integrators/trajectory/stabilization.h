/// How the constraints are kept when [EOM] is integrated in its index-1 form.
///
///   [M  G^T] [a     ]   [f                                        ]
///   [G   0 ] [lambda] = [gamma - alpha1 (G v + g_t) - alpha0 g    ]
#pragma once

#include "integrators/trajectory/integrator.h"
#include "trammel/trammel_error.h"
#include "trammel/trammel_methods.h"

/// A stabilization, in a file of its own; integrators/registry.c lists them.
struct trm_stabilization_ops {
    trm_stabilization id;
    const char *name;       ///< "s-both2": as on the command line
    const char *doc;        ///< a clause that says what it does
    const char *source;     ///< equation of the papers
    const char *parameters; ///< the fields of trm_options it reads, "" for none
    int takes_contacts;     ///< nonzero: rates come from trm_index1 alone, with the joints factored
                            ///< at the point of evaluation, as limits, friction and stops need it

    /// Take memory for run->stabilization_memory; NULL when none is needed.
    void (*layout)(trm_run *run, trm_arena *arena);
    /// dz = (N v, a, power) and lambda at (t, z). Returns 0, or > 0, < 0 as a system does.
    int (*rates)(trm_run *run, double t, const double *z, double *dz, double *lambda);
    /// Bring z back to the constraints after a step; NULL when nothing is done.
    int (*correct)(trm_run *run, double t, double *z);
    int closes; ///< nonzero when this closes both positions and velocities
};

extern const trm_stabilization_ops trm_plain, trm_baumgarte, trm_projection;
extern const trm_stabilization_ops trm_s_full, trm_s_both, trm_s_both2, trm_s_vel, trm_s_pos;
extern const trm_stabilization_ops trm_s_implicit, trm_s_continuous, trm_state_space;
// names of methods that are stabilization and integrator in one; no functions
extern const trm_stabilization_ops trm_srm_entry, trm_srm_invariant_entry, trm_alf_entry;

/// The index-1 form above; alpha1 in 1/s, alpha0 in 1/s^2.
int trm_index1(trm_run *run, double t, const double *z, double alpha1, double alpha0, double *dz,
               double *lambda);

/// The same with alpha1 = alpha0 = 0, as trm_stabilization_ops.rates.
int trm_index1_rates(trm_run *run, double t, const double *z, double *dz, double *lambda);

extern const trm_method_ops trm_heun, trm_midpoint, trm_rk4;     // rk.c
extern const trm_method_ops trm_dopri5, trm_dop853;              // dormand_prince.c
extern const trm_method_ops trm_hem3;                            // hem3.c
extern const trm_method_ops trm_srm, trm_alf, trm_srm_invariant; // srm.c, alf.c, srm_invariant.c
extern const trm_method_ops trm_adams;                           // adams.c
extern const trm_method_ops trm_moreau;                          // srm_projected.c
