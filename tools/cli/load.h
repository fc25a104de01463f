/// Scene file and --set options -> scene and model, as every subcommand needs them.
#ifndef TRM_LOAD_H
#define TRM_LOAD_H

#include "engine/trammel.h"
#include "tools/cli/options.h"

/// On failure *scene may be set and *model is NULL; both are for the caller to destroy.
/// Errors: IO, SYNTAX, SCENE, MEMORY; OPTIONS for a --set that names no parameter or has no value.
trm_status trm_load(const trm_arguments *arguments, trm_scene **scene, trm_model **model,
                    trm_error *err);

#endif
