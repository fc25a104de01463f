/// The inside of a run of ida: what a simulation does not show.
#pragma once

#include "tests/rig.h"

#include "engine/multibody/model.h"
#include "integrators/bdf/ida.h"
#include "integrators/registry.h"
#include "trammel/trammel_methods.h"

/// A run without a simulation around it.
typedef struct bare_run {
    trm_run run;
    trm_arena arena;
} bare_run;

static inline void lay_out(bare_run *b, const trm_model *model)
{
    const trm_sizes n = trm_model_sizes(model);
    trm_system sizes = {.nq = n.nq, .nv = n.nv, .nc = n.nc};
    trm_system *system = trm_model_system(model, b->run.options.damping, &b->arena);
    b->run.system = system ? system : &sizes;
    b->run.n = n.nq + n.nv + 1;
    trm_run_layout(&b->run, &b->arena);
    b->run.extent.size = trm_arena_doubles(&b->arena, n.nbody);
    b->run.system = system;
}

/// A run of ida, started.
static inline void open_run(bare_run *b, const trm_model *model, trm_options options)
{
    trm_error err = {.status = TRM_OK};
    const trm_method_code found = trm_method_find(options.integrator, options.stabilization);
    *b = (bare_run){.run = {.options = options,
                            .method_ops = found.ops,
                            .stabilization = found.stabilization,
                            .row_info = model->row_info}};
    lay_out(b, model);
    assert_true(trm_arena_open(&b->arena));
    lay_out(b, model);
    trm_model_initial_state(model, b->run.now.z, b->run.now.z + b->run.system->nq);
    trm_extents_measure(&b->run.extent, model, b->run.now.z);
    rig_ok(b->run.method_ops->start(&b->run, &err), &err);
}

static inline void close_run(bare_run *b)
{
    b->run.finish(&b->run);
    trm_arena_close(&b->arena);
}
