/// Many blocks of memory that live and die together.
#ifndef TRM_PIECES_H
#define TRM_PIECES_H

#include <stddef.h>

typedef struct trm_pieces {
    void *last;
} trm_pieces;

/// `count` elements of `size` bytes, zeroed; NULL when memory is short.
void *trm_pieces_take(trm_pieces *pool, size_t count, size_t size);
void trm_pieces_close(trm_pieces *pool);

#endif
