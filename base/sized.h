/// Structs that grow from version to version, for callers compiled with another one.
#pragma once

#include <stddef.h>
#include <string.h>

/// *out, `size` bytes for its caller, := *from; what this version does not know is zero.
static inline void trm_hand_out(void *out, size_t size, const void *from, size_t known)
{
    if (out) {
        memset(out, 0, size);
        memcpy(out, from, size < known ? size : known);
    }
}
