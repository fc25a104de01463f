/// A run serves one call at a time.
#include "base/status.h"
#include "simulation/run/simulation.h"

trm_status trm_sim_check(const trm_sim *sim, trm_error *err)
{
    return sim ? TRM_OK : TRM_FAIL(err, TRM_ERR_OPTIONS, "sim", "expected a run, got NULL");
}

trm_status trm_sim_enter(const trm_sim *sim, trm_error *err)
{
    TRM_TRY(trm_sim_check(sim, err));
    if (atomic_flag_test_and_set(&((trm_sim *)sim)->busy)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "sim",
                        "another call is at work on this run: one of a second thread, or the one "
                        "that called this function");
    }
    ((trm_sim *)sim)->was_pressed = sim->is_pressed;
    ((trm_sim *)sim)->is_pressed = 0;
    return TRM_OK;
}

trm_status trm_sim_enter_to_move(const trm_sim *sim, trm_error *err)
{
    TRM_TRY(trm_sim_check(sim, err));
    if (sim->observing) {
        return TRM_FAIL(
            err, TRM_ERR_OPTIONS, "sim",
            "an observer may read and sample its run, not step, shift, restart or restore it");
    }
    return trm_sim_enter(sim, err);
}

trm_status trm_sim_leave(const trm_sim *sim, trm_status status)
{
    atomic_flag_clear(&((trm_sim *)sim)->busy);
    return status;
}

trm_status trm_sim_check_ready(const trm_sim *sim, trm_error *err)
{
    return sim->phase == TRM_SIM_READY
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_INCONSISTENT, NULL,
                          "there is no state to go on from: the last restart was refused");
}
