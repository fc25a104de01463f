/// Memory that is given back all at once.
#pragma once

#include <stddef.h>

typedef struct trm_pool {
    struct trm_pool_block *blocks; ///< the newest first
} trm_pool;

/// Zeroed and aligned for doubles and pointers; NULL when memory is short. Never NULL for 0 bytes.
void *trm_pool_take(trm_pool *pool, size_t count, size_t size);
/// A terminated copy of `length` bytes.
char *trm_pool_copy(trm_pool *pool, const char *text, size_t length);
/// One more element at the end of an array of *n, zeroed; the room doubles whenever it is full.
/// NULL when memory is short.
void *trm_pool_more(trm_pool *pool, void *array_of, int *n, size_t size);
void trm_pool_close(trm_pool *pool);
