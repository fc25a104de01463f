#include "scenes/text/scene_store.h"

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

void trm_pool_close(trm_pool *pool)
{
    while (pool->blocks) {
        struct trm_pool_block *next = pool->blocks->next;
        free(pool->blocks);
        pool->blocks = next;
    }
}

static int put(trm_overrides *out, const char *parameter, const char *expression)
{
    trm_override *item = &out->items[out->n++];
    item->parameter = trm_pool_copy(&out->pool, parameter, strlen(parameter));
    item->expression = trm_pool_copy(&out->pool, expression, strlen(expression));
    return item->parameter && item->expression;
}

static int keep_until(trm_overrides *out, const char *until)
{
    out->until = until ? trm_pool_copy(&out->pool, until, strlen(until)) : NULL;
    return !until || out->until;
}

int trm_overrides_stop(const trm_overrides *old, const char *until, trm_overrides *out)
{
    *out = (trm_overrides){0};
    out->items = trm_pool_take(&out->pool, (size_t)old->n + 1, sizeof *out->items);
    int ok = out->items && keep_until(out, until);
    for (int i = 0; ok && i < old->n; i++) {
        ok = put(out, old->items[i].parameter, old->items[i].expression);
    }
    if (!ok) {
        trm_pool_close(&out->pool);
        *out = (trm_overrides){0};
    }
    return ok;
}

int trm_overrides_extend(const trm_overrides *old, const char *parameter, const char *expression,
                         trm_overrides *out)
{
    *out = (trm_overrides){0};
    out->items = trm_pool_take(&out->pool, (size_t)old->n + 1, sizeof *out->items);
    int ok = out->items && keep_until(out, old->until);
    for (int i = 0; ok && i < old->n; i++) {
        const trm_override *item = &old->items[i];
        ok = !strcmp(item->parameter, parameter) || put(out, item->parameter, item->expression);
    }
    ok = ok && put(out, parameter, expression);
    if (!ok) {
        trm_pool_close(&out->pool);
        *out = (trm_overrides){0};
    }
    return ok;
}

const char *trm_overrides_find(const trm_overrides *overrides, const char *parameter)
{
    for (int i = 0; i < overrides->n; i++) {
        if (!strcmp(overrides->items[i].parameter, parameter)) {
            return overrides->items[i].expression;
        }
    }
    return NULL;
}

void trm_scene_store_close(trm_scene_store *store)
{
    trm_document_close(&store->document);
    trm_pool_close(&store->overrides.pool);
    trm_pool_close(&store->pool);
    trm_pool_close(&store->user_pool);
}
