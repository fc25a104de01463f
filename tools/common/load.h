/// Scene file and --set options -> scene and model, as every subcommand needs them.
#pragma once

#include "tools/common/options.h"
#include "trammel/trammel_scene.h"

/// What a setting can mean: a parameter of the scene (an input too: then where it starts), or a
/// number of the initial state, by its name in a recording: bar.x, bar.angle, bar.rate.
typedef enum trm_setting_kind {
    TRM_SETS_PARAMETER,
    TRM_SETS_POSITION,
    TRM_SETS_VELOCITY
} trm_setting_kind;

typedef struct trm_setting_target {
    trm_setting_kind kind;
    int index; ///< into q or v; of a parameter in trm_scene_parameter_info
} trm_setting_target;

/// `model` is the scene's. Errors: OPTIONS at `where` (no such name; near names are suggested).
trm_status trm_setting_find(const trm_scene *scene, const trm_model *model, const char *name,
                            const char *where, trm_setting_target *out, trm_error *err);

/// The scene with n settings at once, built. names[n] and targets[n]; values as expressions. *model
/// is NULL on failure. Errors: SCENE, OPTIONS, MEMORY.
trm_status trm_settings_build(trm_scene *scene, int n, const char *const *names,
                              const trm_setting_target *targets, const char *const *values,
                              trm_model **model, trm_error *err);

/// Of the bytes of all files that the scene was read from: tells a changed scene or table.
uint64_t trm_load_sum(const trm_scene *scene);

/// On failure *scene may be set and *model is NULL; both are for the caller to destroy.
/// Errors: IO, SYNTAX, SCENE, MEMORY; OPTIONS for a --set that names no parameter or has no value.
trm_status trm_load(const trm_arguments *arguments, trm_scene **scene, trm_model **model,
                    trm_error *err);

/// The text of a plain file, to be given to free. Errors: IO (it cannot be read), MEMORY.
trm_status trm_file_text(const char *path, char **out, trm_error *err);
