#include "scenes/json/scene_names.h"

#include <string.h>

int trm_names_open(trm_names *names, trm_pool *pool, size_t n)
{
    size_t capacity = 16;
    while (capacity < 2 * n) {
        capacity *= 2;
    }
    names->mask = capacity - 1;
    names->slots = trm_pool_take(pool, capacity, sizeof *names->slots);
    return names->slots != NULL;
}

/// Fowler-Noll-Vo, 64 bit.
static size_t hash(const char *text, size_t length)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < length; i++) {
        h = (h ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    }
    return (size_t)(h ^ (h >> 32));
}

trm_name *trm_names_find(const trm_names *names, const char *text, size_t length)
{
    for (size_t i = hash(text, length) & names->mask;; i = (i + 1) & names->mask) {
        trm_name *slot = &names->slots[i];
        if (!slot->text || (!strncmp(slot->text, text, length) && slot->text[length] == '\0')) {
            return slot;
        }
    }
}
