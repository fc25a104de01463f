#include "scenes/json/scene_names.h"
#include "base/text/text_hash.h"

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

trm_name *trm_names_find(const trm_names *names, const char *text, size_t length)
{
    for (size_t i = trm_text_hash(text, length) & names->mask;; i = (i + 1) & names->mask) {
        trm_name *slot = &names->slots[i];
        if (!slot->text || (!strncmp(slot->text, text, length) && slot->text[length] == '\0')) {
            return slot;
        }
    }
}
