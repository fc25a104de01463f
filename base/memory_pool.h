/// Many blocks of memory that live and die together.
#pragma once

#include <stddef.h>

typedef struct trm_memory_pool {
    void *last;
} trm_memory_pool;

/// `count` elements of `size` bytes, zeroed; NULL when memory is short.
void *trm_memory_pool_take(trm_memory_pool *pool, size_t count, size_t size);
void trm_memory_pool_close(trm_memory_pool *pool);
