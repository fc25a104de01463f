/// One block of memory for many arrays, sized by the same code that hands them out.
///
/// Run the layout function twice: first on an empty arena, which only counts, then after
/// trm_arena_open on the real one. So sizes always agree with the layout:
///
///     trm_arena arena = {0};
///     layout(&arena, ...);                     // counts
///     if (!trm_arena_open(&arena)) fail;       // the one allocation
///     layout(&arena, ...);                     // hands out
///
/// The layout of a run sets every pointer into its arena; later pointers may be exchanged, but no
/// other word may become a pointer (saved_state.h).
#pragma once

#include "trammel/trammel_status.h"

#include <stddef.h>

/// Bytes of an arena, from its beginning; empty where from == to.
typedef struct trm_arena_range {
    size_t from, to;
} trm_arena_range;

enum { TRM_WORKSPACES = 8 }; ///< beyond, workspace is taken for memory

typedef struct trm_arena {
    char *base;            ///< NULL while counting
    size_t used;           ///< bytes handed out (or counted) so far
    size_t size;           ///< bytes available
    int too_much;          ///< nonzero: more was requested than size_t can count
    void *block;           ///< what was allocated
    size_t text, text_end; ///< bytes left of the last piece for texts
    int nworkspaces;
    trm_arena_range workspace[TRM_WORKSPACES]; ///< in order
} trm_arena;

/// Allocate what was counted, zeroed, and start over. Returns 0 when memory is short.
int trm_arena_open(trm_arena *arena);
/// Then the error MEMORY: "not enough memory for a model: it takes 81.2 MB".
trm_status trm_arena_refuse(const trm_arena *arena, const char *where, const char *what,
                            trm_error *err);
void trm_arena_close(trm_arena *arena);

/// `count` elements of `size` bytes, zeroed, on a cache line of their own and padded to one
/// (arena_zones.h: but under AddressSanitizer).
/// NULL while counting.
void *trm_arena_take(trm_arena *arena, size_t count, size_t size);

/// All that was taken since `from`, an earlier `used`, is workspace: whoever reads it has written
/// it before, in the same call from outside. A saved state leaves it out (saved_state.h).
void trm_arena_workspace(trm_arena *arena, size_t from);

/// A struct for the layout to fill: *placed in the arena, or `counted` while counting, when *placed
/// is NULL.
void *trm_arena_struct(trm_arena *arena, size_t size, void *counted, void **placed);

/// A dense matrix. With more entries than an int can count it is too
/// large, and the arena does not open.
double *trm_arena_matrix(trm_arena *arena, int rows, int columns);
/// A copy; texts lie closely. NULL while counting.
const char *trm_arena_text(trm_arena *arena, const char *text);
double *trm_arena_doubles(trm_arena *arena, int count);
int *trm_arena_ints(trm_arena *arena, int count);

/// Arrays of one length, in this order: TRM_ARENA_DOUBLES(arena, n, &x->a, &x->b).
#define TRM_ARENA_DOUBLES(arena, count, ...)                                                       \
    trm_arena_each_doubles(arena, count, (double **const[]){__VA_ARGS__, NULL})
#define TRM_ARENA_INTS(arena, count, ...)                                                          \
    trm_arena_each_ints(arena, count, (int **const[]){__VA_ARGS__, NULL})
void trm_arena_each_doubles(trm_arena *arena, int count, double **const *places);
void trm_arena_each_ints(trm_arena *arena, int count, int **const *places);
