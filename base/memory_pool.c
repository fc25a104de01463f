#include "base/memory_pool.h"

#include <stdlib.h>

typedef union piece {
    union piece *before;
    max_align_t aligned;
} piece;

void *trm_memory_pool_take(trm_memory_pool *pool, size_t count, size_t size)
{
    piece *const p = calloc(1, sizeof *p + count * size);
    if (!p) {
        return NULL;
    }
    p->before = pool->last;
    pool->last = p;
    return p + 1;
}

void trm_memory_pool_close(trm_memory_pool *pool)
{
    while (pool->last) {
        piece *const p = pool->last;
        pool->last = p->before;
        free(p);
    }
}
