/// The memory behind a scene: the document, the overrides, and
/// one pool for everything read from it.
#ifndef TRM_SCENE_STORE_H
#define TRM_SCENE_STORE_H

#include "scenes/text/scene_where.h"

#include <stddef.h>

/// Memory that is given back all at once.
typedef struct trm_pool {
    struct trm_pool_block *blocks; ///< the newest first
} trm_pool;

/// Zeroed and aligned for doubles and pointers; NULL when memory is short. Never NULL for 0 bytes.
void *trm_pool_take(trm_pool *pool, size_t count, size_t size);
/// A terminated copy of `length` bytes.
char *trm_pool_copy(trm_pool *pool, const char *text, size_t length);
void trm_pool_close(trm_pool *pool);

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

typedef struct trm_scene_store {
    trm_document document;
    trm_overrides overrides;
    trm_pool pool;      ///< what was read from the document
    trm_pool user_pool; ///< names of user forces and constraints
} trm_scene_store;

void trm_scene_store_close(trm_scene_store *store);

#endif
