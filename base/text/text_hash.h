/// Fowler, Noll and Vo's hash of a text, 64 bit, for tables of names.
#pragma once

#include <stddef.h>
#include <stdint.h>

static inline size_t trm_text_hash(const char *text, size_t length)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < length; i++) {
        h = (h ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    }
    return (size_t)(h ^ (h >> 32));
}
