#define _DEFAULT_SOURCE // madvise
#include "base/arena.h"
#include "base/arena_zones.h"
#include "base/status.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CACHE_LINE = TRM_ARENA_LINE, TEXTS = 512 }; // bytes; of a piece for texts

/// Zeroed; of large blocks pages that are never written take no memory. Huge pages would write 2 MB
/// for a word: a system that gives them unasked is asked for small ones.
static void *take_zeroed(size_t size)
{
    void *const block = calloc(size, 1);
#ifdef MADV_NOHUGEPAGE
    enum { PAGE = 4096, LARGE = 1 << 22 };
    if (block && size >= LARGE) {
        const uintptr_t from = ((uintptr_t)block + PAGE - 1) / PAGE * PAGE;
        const uintptr_t to = ((uintptr_t)block + size) / PAGE * PAGE;
        (void)madvise((char *)block + (from - (uintptr_t)block), to - from, MADV_NOHUGEPAGE);
    }
#endif
    return block;
}

/// More than all memory of the machine: a system that promises what it has not would end the
/// process where it is written.
static int is_beyond_machine(size_t size)
{
#ifdef _SC_PHYS_PAGES
    return (double)size > (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
#else
    (void)size;
    return 0;
#endif
}

trm_status trm_arena_refuse(const trm_arena *arena, const char *where, const char *what,
                            trm_error *err)
{
    return TRM_FAIL(err, TRM_ERR_MEMORY, where, "not enough memory for a %s: it takes %.1f MB",
                    what, 1e-6 * (double)arena->size);
}

int trm_arena_open(trm_arena *arena)
{
    const size_t size = arena->used > 0 ? arena->used : CACHE_LINE;
    const size_t places = (TRM_ARENA_PLACES(size) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    arena->used = 0;
    arena->nworkspaces = 0;
    arena->text = arena->text_end = 0;
    arena->size = size;
    const int refused = arena->too_much || is_beyond_machine(size);
    char *const block = refused ? NULL : take_zeroed(size + places + CACHE_LINE);
    arena->block = block;
    arena->base = block ? block + CACHE_LINE - (uintptr_t)block % CACHE_LINE : NULL;
    return arena->base != NULL;
}

void trm_arena_close(trm_arena *arena)
{
    free(arena->block);
    *arena = (trm_arena){0};
}

void *trm_arena_take(trm_arena *arena, size_t count, size_t size)
{
    const size_t bytes = (count * size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    const size_t from = arena->used;
    arena->used += bytes + TRM_ARENA_ZONE;
    if (!arena->base) {
        return NULL;
    }
    trm_arena_zone(arena, from, from + count * size);
    return arena->base + from;
}

void trm_arena_workspace(trm_arena *arena, size_t from)
{
    trm_arena_range *const last = arena->workspace + arena->nworkspaces - 1;
    if (arena->nworkspaces > 0 && last->to == from) {
        last->to = arena->used;
    } else if (arena->nworkspaces < TRM_WORKSPACES) {
        arena->workspace[arena->nworkspaces++] = (trm_arena_range){from, arena->used};
    }
}

void *trm_arena_struct(trm_arena *arena, size_t size, void *counted, void **placed)
{
    *placed = trm_arena_take(arena, 1, size);
    return *placed ? *placed : counted;
}

const char *trm_arena_text(trm_arena *arena, const char *text)
{
    const size_t bytes = strlen(text) + 1;
    if (arena->text_end - arena->text < bytes) {
        arena->text = arena->used;
        trm_arena_take(arena, bytes > TEXTS ? bytes : TEXTS, 1);
        arena->text_end = arena->used - TRM_ARENA_ZONE;
    }
    char *const copy = arena->base ? arena->base + arena->text : NULL;
    arena->text += bytes;
    return copy ? memcpy(copy, text, bytes) : NULL;
}

double *trm_arena_matrix(trm_arena *arena, int rows, int columns)
{
    const double count = (double)rows * columns;
    arena->too_much |= count > INT_MAX;
    return count > INT_MAX ? NULL : trm_arena_doubles(arena, rows * columns);
}

double *trm_arena_doubles(trm_arena *arena, int count)
{
    return trm_arena_take(arena, (size_t)count, sizeof(double));
}

int *trm_arena_ints(trm_arena *arena, int count)
{
    return trm_arena_take(arena, (size_t)count, sizeof(int));
}

void trm_arena_each_doubles(trm_arena *arena, int count, double **const *places)
{
    for (; *places; places++) {
        **places = trm_arena_doubles(arena, count);
    }
}

void trm_arena_each_ints(trm_arena *arena, int count, int **const *places)
{
    for (; *places; places++) {
        **places = trm_arena_ints(arena, count);
    }
}
