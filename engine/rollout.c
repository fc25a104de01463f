/// Runs that begin again where another one was: the state of a run, saved and restored.
#include "engine/simulation.h"
#include "engine/status.h"
#include "integrators/registry.h"

static const char *integrator_of(const trm_sim *sim)
{
    const trm_options *o = &sim->run.options;
    return trm_method_find(o->integrator, o->stabilization).method->integrator_name;
}

/// All methods but those of another library keep their history in the arena.
static int is_copyable(const trm_sim *sim)
{
    return sim->run.finish == NULL;
}

static trm_status check_copyable(const trm_sim *sim, trm_error *err)
{
    return is_copyable(sim)
               ? TRM_OK
               : TRM_FAIL(err, TRM_ERR_OPTIONS, "integrator",
                          "the state of a run with '%s' cannot be saved or restored: another "
                          "library keeps its history",
                          integrator_of(sim));
}

size_t trm_sim_state_size(const trm_sim *sim)
{
    if (!sim || !is_copyable(sim)) {
        return 0;
    }
    const trm_state_blocks blocks = trm_sim_blocks((trm_sim *)sim);
    return trm_saved_size(&blocks);
}

trm_status trm_sim_save(const trm_sim *sim, void *buffer, size_t size, trm_error *err)
{
    TRM_TRY(trm_sim_check(sim, err));
    const trm_state_blocks blocks = trm_sim_blocks((trm_sim *)sim);
    const size_t needed = trm_saved_size(&blocks);
    TRM_TRY(check_copyable(sim, err));
    TRM_TRY(trm_sim_check_ready(sim, err));
    if (!buffer || size < needed) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, buffer ? "size" : "buffer",
                        "expected room for %zu bytes, got %s%zu", needed, buffer ? "" : "NULL and ",
                        size);
    }
    TRM_TRY(trm_sim_enter(sim, err));
    trm_saved_write(&blocks, buffer);
    return trm_sim_leave(sim, TRM_OK);
}

trm_status trm_sim_restore(trm_sim *sim, const void *buffer, size_t size, trm_error *err)
{
    TRM_TRY(trm_sim_check(sim, err));
    const trm_state_blocks blocks = trm_sim_blocks(sim);
    TRM_TRY(check_copyable(sim, err));
    if (!buffer) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "buffer", "expected a saved state, got NULL");
    }
    TRM_TRY(trm_saved_check(&blocks, buffer, size, err));
    TRM_TRY(trm_sim_enter_to_move(sim, err));
    trm_saved_read(&blocks, buffer);
    return trm_sim_leave(sim, TRM_OK);
}
