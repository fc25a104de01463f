#include "scenes/json/scene_store.h"

#include <stdlib.h>
#include <string.h>

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
    free(store->path);
    free(store->text);
    free(store->allow_files);
    trm_pool_close(&store->overrides.pool);
    trm_pool_close(&store->pool);
    trm_pool_close(&store->user_pool);
    trm_pool_close(&store->import_pool);
}
