/// Structs that grow from version to version, for callers compiled with another one.
#ifndef TRM_SIZED_H
#define TRM_SIZED_H

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

#endif
