/// [TH 7.2]: a flow is projected back to div u = 0 after a number of steps.
#include "validation/papers/claims/claims.h"
#include "validation/papers/flow/taylor_green.h"

#include <stdlib.h>

/// Errors of u and p of a Taylor-Green flow of 16 x 16 cells at t = 0.2, alpha1 = 0.
static trm_status projected(int iterates, int every, double off[2], trm_error *err)
{
    const double t_end = 0.2;
    trm_paper_mac mac;
    trm_dae_sim *sim = NULL;
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    trm_status status = trm_paper_mac_open(&mac, 16, 0.01, 0, 1, 0, err);
    double *const x = status == TRM_OK ? calloc((size_t)mac.problem.nx, sizeof *x) : NULL;
    options.E = TRM_SRM_MATRIX_IDENTITY;
    options.epsilon = 0.05;
    options.h = options.epsilon / (5 * 16 * 16); // rho(GB) = 8/h^2, of Heun's limit 2 epsilon
    options.iterations = iterates;
    options.start = TRM_DAE_START_GIVEN;
    options.project = every;
    off[0] = off[1] = 0;
    if (x) {
        trm_paper_taylor_green(&mac, 0, x);
        status = trm_dae_sim_create(&mac.problem, &options, 0, x, &sim, err);
        // between two projections
        status = status == TRM_OK ? trm_dae_sim_run(sim, t_end - 5 * options.h, err) : status;
    }
    if (status == TRM_OK && sim) {
        const trm_dae_state state = trm_dae_sim_state(sim, 0);
        off[0] = trm_paper_taylor_green_eu(&mac, state.t, state.x);
        off[1] = trm_paper_taylor_green_ep(&mac, state.t, state.y);
    }
    trm_dae_sim_destroy(sim);
    trm_paper_mac_close(&mac);
    free(x);
    return status;
}

trm_status trm_paper_claim_projected_velocity(double *found, trm_error *err)
{
    double never[2], often[2];
    trm_status status = projected(1, 0, never, err);
    status = status == TRM_OK ? projected(1, 10, often, err) : status;
    *found = often[0] / never[0];
    return status;
}

trm_status trm_paper_claim_projected_pressure(double *found, trm_error *err)
{
    double never[2], often[2];
    trm_status status = projected(1, 0, never, err);
    status = status == TRM_OK ? projected(1, 10, often, err) : status;
    *found = often[1] / never[1];
    return status;
}

trm_status trm_paper_claim_second_iterate(double *found, trm_error *err)
{
    double twice[2], often[2];
    trm_status status = projected(2, 0, twice, err);
    status = status == TRM_OK ? projected(1, 10, often, err) : status;
    *found = twice[0] / often[0];
    return status;
}
