#include "base/pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 16 * 1024 };

struct trm_pool_block {
    struct trm_pool_block *next;
    size_t used, size;
    max_align_t bytes[];
};

/// Leave the current block to what it holds and start one that has room for `bytes`.
static struct trm_pool_block *add_block(trm_pool *pool, size_t bytes)
{
    const size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    struct trm_pool_block *block = calloc(1, sizeof *block + size);
    if (block) {
        *block = (struct trm_pool_block){.next = pool->blocks, .size = size};
        pool->blocks = block;
    }
    return block;
}

void *trm_pool_take(trm_pool *pool, size_t count, size_t size)
{
    const size_t unit = sizeof(max_align_t);
    if (size > 0 && count > (SIZE_MAX / 2) / size) {
        return NULL;
    }
    const size_t bytes = (count * size + unit - 1) / unit * unit;
    struct trm_pool_block *block = pool->blocks;
    if (!block || block->size - block->used < bytes) {
        block = add_block(pool, bytes);
    }
    if (!block) {
        return NULL;
    }
    void *taken = (char *)block->bytes + block->used;
    block->used += bytes;
    return taken;
}

char *trm_pool_copy(trm_pool *pool, const char *text, size_t length)
{
    char *copy = trm_pool_take(pool, length + 1, 1);
    if (copy) {
        memcpy(copy, text, length);
    }
    return copy;
}

/// It is full at powers of two.
void *trm_pool_more(trm_pool *pool, void *array_of, int *n, size_t size)
{
    void **const array = array_of;
    const size_t used = (size_t)*n;
    if ((used & (used - 1)) == 0) {
        void *const grown = trm_pool_take(pool, used > 0 ? 2 * used : 1, size);
        if (!grown) {
            return NULL;
        }
        if (used > 0) {
            memcpy(grown, *array, used * size);
        }
        *array = grown;
    }
    (*n)++;
    return (char *)*array + used * size;
}

void trm_pool_close(trm_pool *pool)
{
    while (pool->blocks) {
        struct trm_pool_block *next = pool->blocks->next;
        free(pool->blocks);
        pool->blocks = next;
    }
}
