/// Names of one kind of thing and what they stand for: a hash table of fixed capacity.
#pragma once

#include "scenes/json/scene_store.h"

/// What a name stands for.
typedef enum trm_name_kind {
    TRM_NAME_PARAMETER,
    TRM_NAME_BODY,
    TRM_NAME_MARKER,
    TRM_NAME_JOINT,
    TRM_NAME_CONSTRAINT,
    TRM_NAME_FORCE,
    TRM_NAME_EVENT,
    TRM_NAME_STOP,
    TRM_NAME_DEFINITION,
    TRM_NAME_TABLE
} trm_name_kind;

typedef struct trm_name {
    const char *text; ///< NULL: a free slot
    trm_name_kind kind;
    int index;
    const trm_node *node; ///< where it was given
    int used;             ///< nonzero: something else names it
} trm_name;

typedef struct trm_names {
    size_t mask;
    trm_name *slots; ///< [mask + 1]
} trm_names;

/// Room for `n` names. Returns 0 when memory is short.
int trm_names_open(trm_names *names, trm_pool *pool, size_t n);
/// The name, or the free slot where it belongs (text NULL); `text` has `length` bytes.
trm_name *trm_names_find(const trm_names *names, const char *text, size_t length);
