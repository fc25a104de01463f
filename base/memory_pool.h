/// Many blocks of memory that live and die together.
#ifndef TRM_MEMORY_POOL_H
#define TRM_MEMORY_POOL_H

#include <stddef.h>

typedef struct trm_memory_pool {
    void *last;
} trm_memory_pool;

/// `count` elements of `size` bytes, zeroed; NULL when memory is short.
void *trm_memory_pool_take(trm_memory_pool *pool, size_t count, size_t size);
void trm_memory_pool_close(trm_memory_pool *pool);

#endif
