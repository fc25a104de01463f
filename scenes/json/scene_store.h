/// The memory behind a scene: the text, the overrides, and one pool for everything read from it.
#pragma once

#include "program/settings.h"
#include "scenes/json/scene_where.h"
#include "trammel/trammel_scene.h"

/// A parameter's value given by program.
typedef struct trm_override {
    const char *parameter, *expression;
} trm_override;

typedef struct trm_overrides {
    int n;
    trm_override *items;
    const char *until; ///< a condition that ends a run; NULL without one
    trm_pool pool;     ///< holds items and their texts
} trm_overrides;

/// A copy of `old` with one more, or one replaced. Returns 0 when
/// memory is short, *out is then empty.
int trm_overrides_extend(const trm_overrides *old, const char *parameter, const char *expression,
                         trm_overrides *out);
/// A copy of `old` with another condition, NULL: none. Likewise.
int trm_overrides_stop(const trm_overrides *old, const char *until, trm_overrides *out);
/// NULL when the parameter is not overridden.
const char *trm_overrides_find(const trm_overrides *overrides, const char *parameter);

/// What an imported file says and the scene does not.
typedef struct trm_losses {
    int n;
    const trm_loss_info *items;
} trm_losses;

typedef struct trm_scene_store {
    char *path, *text; ///< the text is read again for other overrides
    size_t length;
    trm_file_info file; ///< its path is NULL where the scene came as a text
    char *allow_files;  ///< see trm_scene_source; NULL: none
    trm_overrides overrides;
    trm_pool pool;      ///< what was read from the text
    trm_pool user_pool; ///< names of user forces and constraints
    trm_losses losses;
    trm_pool import_pool; ///< holds the losses
} trm_scene_store;

void trm_scene_store_close(trm_scene_store *store);
