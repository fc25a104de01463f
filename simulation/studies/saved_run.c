/// The state of a run, saved and restored: a run goes on where this one, or another one, was.
#include "base/status.h"
#include "integrators/registry.h"
#include "simulation/run/simulation.h"
#include "simulation/studies/projected_steps.h"
#include "simulation/studies/stiff_switching.h"
#include "trammel/trammel_methods.h"
#include "trammel/trammel_model.h"
#include "trammel/trammel_scene.h"
#include "trammel/trammel_simulation.h"

#include <string.h>

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

/// Whether another method than the chosen one steps it now.
static int is_handed_over(const trm_sim *sim)
{
    return sim->stiff_switching.in_ida || sim->projected.state == TRM_PROJECTED;
}

/// Where IDA or projected steps go on with a run that began by another method, that method takes it
/// back, and both the run and what is restored from its state go on by it: they stay equal.
static trm_status give_way(trm_sim *sim, trm_error *err)
{
    return sim->projected.state == TRM_PROJECTED ? trm_projected_steps_back(sim, err)
           : sim->stiff_switching.in_ida         ? trm_stiff_switching_back(sim, err)
                                                 : check_copyable(sim, err);
}

size_t trm_sim_state_size(const trm_sim *sim)
{
    if (sim && is_handed_over(sim)) {
        return sim->size_of_chosen;
    }
    if (!sim || !is_copyable(sim)) {
        return 0;
    }
    const trm_state_blocks blocks = trm_sim_blocks((trm_sim *)sim);
    return trm_saved_size(&blocks);
}

trm_status trm_sim_save(trm_sim *sim, void *buffer, size_t size, trm_error *err)
{
    TRM_TRY(trm_sim_check(sim, err));
    TRM_TRY(trm_sim_check_ready(sim, err));
    TRM_TRY(give_way(sim, err));
    const trm_state_blocks blocks = trm_sim_blocks(sim);
    const size_t needed = trm_saved_size(&blocks);
    if (!buffer || size < needed) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, buffer ? "size" : "buffer",
                        "expected room for %zu bytes, got %s%zu", needed, buffer ? "" : "NULL and ",
                        size);
    }
    TRM_TRY(trm_sim_enter(sim, err));
    trm_saved_write(&blocks, buffer);
    return trm_sim_leave(sim, TRM_OK);
}

typedef trm_status restore_fn(trm_sim *sim, const void *buffer, size_t size, trm_error *err);

/// Into a run of the chosen method, which a run of IDA then becomes.
static trm_status restore_blank(trm_sim *sim, restore_fn *restore, const void *buffer, size_t size,
                                trm_error *err)
{
    trm_sim *next = NULL;
    TRM_TRY(trm_sim_enter_to_move(sim, err));
    trm_status status = trm_stiff_switching_blank(sim, &next, err);
    status = status == TRM_OK ? restore(next, buffer, size, err) : status;
    if (status == TRM_OK) {
        trm_stiff_switching_become(sim, next);
    } else {
        trm_sim_destroy(next);
    }
    return trm_sim_leave(sim, status);
}

trm_status trm_sim_restore(trm_sim *sim, const void *buffer, size_t size, trm_error *err)
{
    TRM_TRY(trm_sim_check(sim, err));
    if (is_handed_over(sim)) {
        return restore_blank(sim, trm_sim_restore, buffer, size, err);
    }
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

// ------------------------------------------------------------------------------ to another process

/// A sum of the model's sizes, names and start, and of all options: what a run must agree in with
/// the run that was exported.
static uint64_t print_of(const trm_sim *sim)
{
    const trm_options *o = &sim->run.options;
    const trm_sizes n = sim->model->sizes;
    const double numbers[] = {o->integrator,
                              o->stabilization,
                              o->h,
                              o->rtol,
                              o->atol,
                              o->by_motion,
                              o->accuracy,
                              o->step_control,
                              o->mass_metric,
                              o->baumgarte.alpha1,
                              o->baumgarte.alpha0,
                              o->alf.alpha2,
                              o->srm.epsilon,
                              o->srm.iterations,
                              o->srm.E,
                              o->srm.lambda0_zero,
                              o->srm.order,
                              o->post.alpha,
                              o->post.gamma,
                              o->post.formula,
                              o->srm.form,
                              o->state_space.tangent,
                              o->tolerance,
                              o->assemble,
                              o->damping,
                              sim->run.options.misfit,
                              n.nbody,
                              n.nq,
                              n.nv,
                              n.nc,
                              n.njoint,
                              n.ninput,
                              n.nactuator};
    uint64_t sum = trm_saved_sum(0, numbers, sizeof numbers);
    for (int i = 0; i < n.nc && sim->model->row_info; i++) {
        const char *const name = sim->model->row_info[i].name;
        sum = trm_saved_sum(sum, name, strlen(name));
    }
    return sum;
}

trm_status trm_sim_export(trm_sim *sim, void *buffer, size_t size, trm_error *err)
{
    TRM_TRY(trm_sim_check(sim, err));
    TRM_TRY(trm_sim_check_ready(sim, err));
    TRM_TRY(give_way(sim, err));
    const trm_state_blocks blocks = trm_sim_blocks(sim);
    if (!buffer || size < trm_saved_size(&blocks)) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, buffer ? "size" : "buffer",
                        "expected room for %zu bytes", trm_saved_size(&blocks));
    }
    trm_sim *fresh = trm_sim_lay_out(sim->model, &sim->run.options, sim->null_room, err);
    if (!fresh) {
        return TRM_ERR_MEMORY;
    }
    const trm_state_blocks laid_out = trm_sim_blocks(fresh);
    trm_status status = trm_sim_enter(sim, err);
    if (status == TRM_OK) {
        status =
            trm_sim_leave(sim, trm_exported_write(&blocks, &laid_out, print_of(sim), buffer, err));
    }
    trm_sim_destroy(fresh);
    return status;
}

trm_status trm_sim_import(trm_sim *sim, const void *buffer, size_t size, trm_error *err)
{
    TRM_TRY(trm_sim_check(sim, err));
    if (is_handed_over(sim)) {
        return restore_blank(sim, trm_sim_import, buffer, size, err);
    }
    TRM_TRY(check_copyable(sim, err));
    if (!buffer) {
        return TRM_FAIL(err, TRM_ERR_OPTIONS, "buffer", "expected an exported state, got NULL");
    }
    trm_sim *fresh = trm_sim_lay_out(sim->model, &sim->run.options, sim->null_room, err);
    if (!fresh) {
        return TRM_ERR_MEMORY;
    }
    const trm_state_blocks blocks = trm_sim_blocks(sim), laid_out = trm_sim_blocks(fresh);
    trm_status status = trm_sim_enter_to_move(sim, err);
    if (status == TRM_OK) {
        status = trm_sim_leave(
            sim, trm_exported_read(&blocks, &laid_out, print_of(sim), buffer, size, err));
    }
    trm_sim_destroy(fresh);
    return status;
}
