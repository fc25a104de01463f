/// What closing the mechanism changed: the accepted start beside the start the scene gives.
#pragma once

#include "tools/common/json_out.h"
#include "trammel/trammel_simulation.h"

typedef struct trm_assembly_body {
    const char *name;
    double moved;          ///< m
    double turned;         ///< rad, >= 0
    double velocity, rate; ///< m/s and rad/s, size of the change
    int rotates;
} trm_assembly_body;

typedef struct trm_assembly {
    int nbody;
    trm_assembly_body *body; ///< [nbody]
} trm_assembly;

/// `state`: of a simulation that has been created with options.assemble and not stepped.
/// Errors: MEMORY. The result goes to trm_assembly_destroy.
trm_status trm_assembly_measure(const trm_scene *scene, const trm_model *model,
                                const trm_state *state, trm_assembly *out, trm_error *err);
void trm_assembly_destroy(trm_assembly *assembly);

void trm_assembly_print(const trm_assembly *assembly);                ///< to stdout
void trm_assembly_json(const trm_assembly *assembly, trm_json *json); ///< key "assembly" and value
