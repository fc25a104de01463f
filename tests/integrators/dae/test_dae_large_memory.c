/// Large problems without memory: whichever allocation fails, the status is MEMORY and nothing is
/// lost.
#include "tests/counted_requests.h"
#include "tests/near.h"
#include "validation/papers/darcy/cases.h"
#include "validation/papers/flow/taylor_green.h"

/// A flow with factors of GB and of I - c L.
static trm_status flow(void)
{
    enum { N = 8 };
    trm_paper_mac mac;
    double x0[2 * N * (N - 1)];
    trm_dae_sim *sim = NULL;
    trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    options.E = TRM_SRM_MATRIX_IDENTITY;
    options.alpha1 = 1;
    options.integrator = TRM_DAE_INTEGRATOR_IMEX;
    options.start = TRM_DAE_START_GIVEN;
    trm_status status = trm_paper_mac_open(&mac, N, 0.01, 0, 1, 1, NULL);
    if (status != TRM_OK) {
        return status;
    }
    trm_paper_taylor_green(&mac, 0, x0);
    status = trm_dae_sim_create(&mac.problem, &options, 0, x0, &sim, NULL);
    status = status == TRM_OK ? trm_dae_sim_run(sim, 0.01, NULL) : status;
    trm_dae_sim_destroy(sim);
    trm_paper_mac_close(&mac);
    return status;
}

/// Equations without x'.
static trm_status displacement(void)
{
    trm_paper_displacement run;
    trm_status status =
        trm_paper_displacement_open(&run, &trm_paper_five_spot, 6, 0.01, 1e-3, 1, NULL);
    if (status != TRM_OK) {
        return status;
    }
    status = trm_paper_displacement_step(&run, NULL);
    trm_paper_displacement_close(&run);
    return status;
}

static void check(trm_status (*run)(void))
{
    const long before = alive;
    trm_status status = TRM_ERR_MEMORY;
    for (long k = 0; status == TRM_ERR_MEMORY; k++) {
        assert_true(k < 200);
        fail_at = requests + k + 1;
        status = run();
        fail_at = 0;
        assert_int_equal(alive, before);
    }
    assert_int_equal(status, TRM_OK);
}

CLAIM(whichever_allocation_fails)
{
    check(flow);
    check(displacement);
}
