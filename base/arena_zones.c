#include "base/arena_zones.h"

#if TRM_ARENA_ZONES
#include "base/arena.h"

#include <sanitizer/asan_interface.h>

static unsigned char *places(const trm_arena *arena)
{
    return (unsigned char *)arena->base + arena->size;
}

/// Of line number `line` the first bytes only.
static void close_behind(const trm_arena *arena, size_t line, size_t open)
{
    if (open < TRM_ARENA_LINE) {
        char *const at = arena->base + line * TRM_ARENA_LINE;
        ASAN_POISON_MEMORY_REGION(at + open, TRM_ARENA_LINE - open);
    }
}

void trm_arena_zone(trm_arena *arena, size_t from, size_t end)
{
    ASAN_UNPOISON_MEMORY_REGION(arena->base + from, end - from); // taken before by another layout
    for (size_t at = from; at < arena->used; at += TRM_ARENA_LINE) {
        const size_t left = end > at ? end - at : 0, line = at / TRM_ARENA_LINE;
        const size_t open = left < TRM_ARENA_LINE ? left : TRM_ARENA_LINE;
        places(arena)[line] = (unsigned char)open;
        close_behind(arena, line, open);
    }
}

void trm_arena_zones_open(const trm_arena *arena)
{
    ASAN_UNPOISON_MEMORY_REGION(arena->base, arena->size);
}

void trm_arena_zones_close(const trm_arena *arena)
{
    for (size_t line = 0; line < arena->size / TRM_ARENA_LINE; line++) {
        close_behind(arena, line, places(arena)[line]);
    }
}
#else
typedef int trm_arena_has_no_zones; // C wants a declaration
#endif
