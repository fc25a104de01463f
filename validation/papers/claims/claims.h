/// Claims of the papers and of the thesis that have no printed table, each with one number that
/// shows it, and the corners of the papers that Trammel leaves out, each with its reason.
#pragma once

#include "trammel/trammel_status.h"

typedef struct trm_paper_claim {
    const char *name;     ///< "AL95 theorem 2.2"
    const char *claim;    ///< a sentence
    const char *measured; ///< what the number is; without `run`, where it is done or why it is not
    /// The number; NULL: nothing is measured.
    trm_status (*run)(double *found, trm_error *err);
    double low, high; ///< the claim holds when found is within
    int done;         ///< zero: an open end
} trm_paper_claim;

/// All of them; returns how many.
int trm_paper_claims(const trm_paper_claim **out);

// claims_dae.c
trm_status trm_paper_claim_layers(double *found, trm_error *err);
trm_status trm_paper_claim_delta(double *found, trm_error *err);
trm_status trm_paper_claim_transposed(double *found, trm_error *err);
trm_status trm_paper_claim_direction(double *found, trm_error *err);
trm_status trm_paper_claim_ill_posed(double *found, trm_error *err);
trm_status trm_paper_claim_nonlinear_boundary(double *found, trm_error *err);
trm_status trm_paper_claim_graded_mesh(double *found, trm_error *err);
trm_status trm_paper_claim_baumgarte_boundary(double *found, trm_error *err);

// validation/papers/claims_flow.c
trm_status trm_paper_claim_projected_velocity(double *found, trm_error *err);
trm_status trm_paper_claim_projected_pressure(double *found, trm_error *err);
trm_status trm_paper_claim_second_iterate(double *found, trm_error *err);

// claims_friction.c
trm_status trm_paper_claim_friction(double *found, trm_error *err);
trm_status trm_paper_claim_friction_rest(double *found, trm_error *err);

// claims_index3.c
trm_status trm_paper_claim_index3(double *found, trm_error *err);
trm_status trm_paper_claim_index3_drift(double *found, trm_error *err);
trm_status trm_paper_claim_index3_uniform(double *found, trm_error *err);
trm_status trm_paper_claim_index3_boundary(double *found, trm_error *err);
trm_status trm_paper_claim_collocation(double *found, trm_error *err);
trm_status trm_paper_claim_index3_singular(double *found, trm_error *err);
trm_status trm_paper_claim_nonholonomic(double *found, trm_error *err);

// claims_mechanism.c
trm_status trm_paper_claim_bayo(double *found, trm_error *err);
trm_status trm_paper_claim_bayo_singular(double *found, trm_error *err);

// claims_stabilization.c
trm_status trm_paper_claim_stage(double *found, trm_error *err);
trm_status trm_paper_claim_baumgarte(double *found, trm_error *err);

// claims_turning.c
trm_status trm_paper_claim_repulsive(double *found, trm_error *err);
trm_status trm_paper_claim_attractive(double *found, trm_error *err);
trm_status trm_paper_claim_spurious(double *found, trm_error *err);
trm_status trm_paper_claim_inverse(double *found, trm_error *err);
trm_status trm_paper_claim_hyperbolic(double *found, trm_error *err);
trm_status trm_paper_claim_unfitted(double *found, trm_error *err);
