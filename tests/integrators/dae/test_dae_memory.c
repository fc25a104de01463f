/// Memory of the methods for DAEs: nothing is allocated between create and destroy, and a failed
/// request ends create with TRM_ERR_MEMORY.
#include "tests/counted_requests.h"
#include "tests/integrators/dae/wide_problem.h"

CLAIM(nothing_is_allocated_between_create_and_destroy)
{
    trm_error err = {0};
    const long at_first = alive;
    for (int i = 0; i < VARIANTS; i++) {
        for (int integrator = TRM_DAE_INTEGRATOR_HEUN;
             integrator <= TRM_DAE_INTEGRATOR_BACKWARD_EULER; integrator++) {
            const trm_dae_options options =
                options_of(&variants[i], (trm_dae_integrator)integrator, 0.01, 0.05, 3);
            trm_dae_sim *sim = start(&wide, &options, wide_x0);
            const long before = requests;
            assert_done(trm_dae_sim_run(sim, 0.1, &err), &err);
            assert_int_equal(requests, before);
            trm_dae_sim_destroy(sim);
        }
    }
    trm_dae_bvp *bvp = start_wide_bvp(20, 0.1, TRM_DAE_METHOD_SRM);
    const long before = requests;
    iterate(bvp, 2);
    assert_done(trm_dae_bvp_shoot_back(bvp, 2, &err), &err);
    assert_int_equal(requests, before);
    trm_dae_bvp_destroy(bvp);
    assert_int_equal(alive, at_first);
}

static trm_status create_and_destroy(int boundary, trm_error *err)
{
    const trm_dae_options options = trm_dae_default_options(TRM_DAE_METHOD_SRM);
    trm_dae_sim *sim = NULL;
    trm_dae_bvp *bvp = NULL;
    const trm_status status = boundary ? trm_dae_bvp_create(&trm_paper_al93_1.problem, &options,
                                                            &trm_paper_al93_1_boundary, &bvp, err)
                                       : trm_dae_sim_create(&wide, &options, 0, wide_x0, &sim, err);
    assert_true(status == TRM_OK || (!sim && !bvp));
    trm_dae_sim_destroy(sim);
    trm_dae_bvp_destroy(bvp);
    return status;
}

CLAIM(whichever_allocation_fails_create_says_so_and_keeps_nothing)
{
    for (int boundary = 0; boundary < 2; boundary++) {
        const long at_first = alive;
        trm_status status = TRM_ERR_MEMORY;
        int k = 0;
        for (; status != TRM_OK; k++) {
            trm_error err = {0};
            fail_at = requests + k + 1;
            status = create_and_destroy(boundary, &err);
            fail_at = 0;
            assert_true(status == TRM_OK || status == TRM_ERR_MEMORY);
            assert_int_equal(err.status, status);
            assert_int_equal(alive, at_first);
        }
        assert_true(k > 1);
    }
}
